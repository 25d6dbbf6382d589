"""All C files of a model as one: headers once, and names of one file alone made different where several files have them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"[^\n]*\n', re.MULTILINE)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_TOKEN = re.compile(r"""/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?:->|\.)\s*[A-Za-z_]\w*|(?<!\w)[A-Za-z_]\w*""", re.DOTALL)
_FUNCTION = re.compile(r"^static (?:inline )?[\w *]+?\**\b(\w+)\(", re.MULTILINE)
_ENUM = re.compile(r"^(?:typedef )?enum \{(.*?)\}", re.MULTILINE | re.DOTALL)
_TYPE = re.compile(r"^\} (\w+);|^typedef [^;{}]*?\b(\w+)(?:\([^;]*\))?(?:\[[^\]]*\])?;", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def in_one_file(sources: Mapping[str, str], last: Sequence[str]) -> str:
    """The text. last: the files that come last, in order"""
    texts = {file: _INCLUDE.sub("", text) for file, text in sources.items()}
    headers = list(_headers(sources))
    files = [file for file in sorted(sources) if file.endswith(".c") and file not in last] + list(last)
    own = {file: _names_of_file(texts[file]) for file in files}
    in_headers = {name for header in headers for name in re.findall(r"\b[A-Za-z_]\w*\b", _COMMENT.sub("", texts[header]))}
    counted = Counter(name for names in own.values() for name in names)
    functions = {
        name
        for text in map(texts.__getitem__, files)
        for name in re.findall(r"^(?!static)\w[\w *]*?\b(\w+)\([^;{}]*\) \{", text, re.MULTILINE)
    }
    parts = [texts[header] for header in headers]
    for file in files:
        twice = {name for name in own[file] if counted[name] > 1 or name in in_headers or name in functions}
        undone = "".join(f"#undef {name}\n" for name in sorted(set(_DEFINE.findall(texts[file]))))
        parts.append(_renamed(texts[file], twice, file.removesuffix(".c")) + undone)
    return "\n".join(parts)


def _headers(sources: Mapping[str, str]) -> Iterator[str]:
    """All headers, each after those that it includes; bare.h, which all files include, first."""
    done: set[str] = set()

    def visit(file: str) -> Iterator[str]:
        if file in done or file not in sources:  # headers of lanes are included on conditions alone
            return
        done.add(file)
        for included in _INCLUDE.findall(sources[file]):
            yield from visit(included)
        yield file

    for file in ("bare.h", *sorted(sources)):
        if file.endswith(".h"):
            yield from visit(file)


def _names_of_file(text: str) -> set[str]:
    """The names that the file has for itself: static functions and numbers, enumerators, types."""
    text = _COMMENT.sub("", text)
    names = set(_FUNCTION.findall(text))
    for declared in re.findall(r"^static (?:const )?[^({;]*?(?:=|\[|;)", text, re.MULTILINE):
        names |= set(re.findall(r"(\w+)\s*(?:=|\[|;)$", declared))
    for line in re.findall(r"^static const \w+ (\w+ = [^;{]*);", text, re.MULTILINE):
        names |= set(re.findall(r"(?:^|,)\s*(\w+) = ", line))
    for listed in _ENUM.findall(text):
        names |= {each.split("=")[0].strip() for each in listed.split(",") if each.strip()}
    names |= {name for pair in _TYPE.findall(text) for name in pair if name}
    return names | set(re.findall(r"^(?:typedef )?struct (\w+) \{", text, re.MULTILINE))


def _renamed(text: str, names: set[str], file: str) -> str:
    def name(token: re.Match[str]) -> str:
        return f"{token[0]}_of_{file}" if token[0] in names else token[0]

    return _TOKEN.sub(name, text)
