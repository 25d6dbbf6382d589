"""Breaks the Python code of pages of the handbook that is wider than their column.

    python build_scripts/narrow_code.py docs/start.md ...        # default: all pages

A block with a longer line is formatted by ruff; comments that pass the column move above their lines, and texts are divided. Prints the
lines that are left.
"""

import re
import subprocess
import sys
import tokenize
from io import StringIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 88  # characters in the column of a page on a screen of 1280 pixels
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """The pages of the handbook that are written by hand."""
    made = (ROOT / "docs/reference", ROOT / "docs/pictures")
    return [page for page in sorted((ROOT / "docs").rglob("*.md")) if not any(each in page.parents for each in made)]


def wide_lines(text: str) -> list[str]:
    """The lines of Python blocks that are wider than the column."""
    return [line for code in BLOCK.findall(text) for line in code.splitlines() if len(line) > WIDTH]


def narrowed(text: str) -> str:
    """A page with its wide blocks broken."""
    return BLOCK.sub(lambda found: f"```python\n{_narrow_block(found[1])}```", text)


def _narrow_block(code: str) -> str:
    if not wide_lines(f"```python\n{code}```"):
        return code
    code = _format(_with_comments_above(code))
    code = _format(_with_comments_above(code))
    return _format("".join(map(_in_two, code.splitlines(keepends=True))))


def _format(code: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(WIDTH), "-"]
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    return code if done.returncode else done.stdout


def _with_comments_above(code: str) -> str:
    """Comments that end beyond the column move above the statement that they follow."""
    lines = code.splitlines(keepends=True)
    try:
        tokens = list(tokenize.generate_tokens(StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return code
    first, above = 1, []
    for token in tokens:
        if token.type == tokenize.COMMENT and len(lines[token.start[0] - 1].rstrip()) > WIDTH and token.line[: token.start[1]].strip():
            above.append((first, token))
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT) or (token.type == tokenize.NL and not token.line.strip()):
            first = token.end[0] + (token.type == tokenize.NEWLINE)
    for statement, comment in reversed(above):
        at = comment.start[0] - 1
        lines[at] = lines[at][: comment.start[1]].rstrip() + "\n"
        begin = statement - 1 if lines[at].lstrip().startswith((")", "]", "}")) else at
        indent = " " * (len(lines[begin]) - len(lines[begin].lstrip(" ")))
        lines.insert(begin, f"{indent}{comment.string}\n")
    return "".join(lines)


def _in_two(line: str) -> str:
    """A line that is a single formatted text, in two texts that follow each other."""
    found = re.fullmatch(r"( *)f\"([^\"\\]*)\"(,?)\n", line)
    if found is None or len(line.rstrip()) <= WIDTH:
        return line
    indent, text, comma = found.groups()
    depths, depth = [], 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        depths.append(depth)
    ends = [at + 1 for at, each in enumerate(text) if each == " " and depths[at] == 0 and len(indent) + at + 4 <= WIDTH]
    if not ends:
        return line
    parts = [text[: ends[-1]], text[ends[-1] :]]
    return "".join(f'{indent}{"f" if "{" in part else ""}"{part}"{comma if part is parts[-1] else ""}\n' for part in parts)


def main() -> int:
    chosen = [Path(each).resolve() for each in sys.argv[1:]] or pages()
    for page in chosen:
        text = page.read_text(encoding="utf-8")
        if not wide_lines(text):
            continue
        made = narrowed(text)
        if made != text:
            page.write_text(made, encoding="utf-8")
        for line in wide_lines(made):
            print(f"{page.relative_to(ROOT)}: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
