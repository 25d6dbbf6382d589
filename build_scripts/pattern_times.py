"""Finds regular expressions of the package whose time grows faster than the text that they read.

    python build_scripts/pattern_times.py

For each repeated part of a pattern it makes texts: what comes before it, n times a character of it, and one that does not match. A
pattern fails if a text twice as long takes more than three times as long, by the method with which the package uses it. A pattern whose
time grows exponentially makes the script hang, at its name with --names. Exit code: 1 if one fails.
"""

import ast
import importlib
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]  # the parsed form of patterns is in no public module
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1] / "engine" / "mobod"
METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
SHORTEST, LONGEST = 1000, 16_000  # characters
MEASURABLE = 0.004  # s: from here on a ratio of times is no accident
MOST_GROWTH = 3.0
MANY = 1000  # a repeat with a smaller bound is bounded
NO_MATCH = "\x01"
OWN_TEXTS = ("fmu/bare/one_file.py",)  # read files of mobod alone


@dataclass(frozen=True)
class Use:
    """A pattern, and how the package uses it."""

    place: str
    pattern: "re.Pattern[Any]"
    method: str


def uses() -> Iterator[Use]:
    """All patterns that the package compiles or gives to functions of re, with each method."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if str(path.relative_to(PACKAGE)) in OWN_TEXTS:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = ".".join(("mobod", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        names = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _is_re_call(node.value, ("compile",))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        imported = importlib.import_module(module) if names else None
        for name in sorted(names):
            pattern = getattr(imported, name)
            text = path.read_text(encoding="utf-8")
            found = {method for method in METHODS if re.search(rf"\b{name}\.{method}\b", text)}
            for method in sorted(found or {"search"}):  # another module uses it
                yield Use(f"{path.relative_to(PACKAGE)}: {name}", pattern, method)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _is_re_call(node, METHODS) and isinstance(node.args[0], ast.Constant):
                assert isinstance(node.func, ast.Attribute)  # by _is_re_call
                yield Use(f"{path.relative_to(PACKAGE)}:{node.lineno}", re.compile(node.args[0].value), node.func.attr)


def _is_re_call(node: ast.expr, methods: tuple[str, ...]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in methods
    )


def texts(pattern: "re.Pattern[Any]") -> list[tuple[str, str, str]]:
    """What comes before a repeated part, the part once, and an end that does not match; for each repeated part."""
    found: list[tuple[str, str, str]] = []
    _walk(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), "", found)
    return found


def _walk(items: Any, before: str, found: list[tuple[str, str, str]]) -> str:
    """Adds the repeated parts of these items. Returns a shortest text that they match, after `before`."""
    for kind, value in items:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            least, most, part = value
            for sample in _samples(part):
                if most >= MANY and sample:
                    found.append((before, sample, NO_MATCH))
            _walk(part, before, found)
            before += (_samples(part) or [""])[0] * max(least, 1)
        elif kind is kinds.SUBPATTERN:
            before = _walk(value[-1], before, found)
        elif kind is kinds.BRANCH:
            ends = [_walk(branch, before, found) for branch in value[1]]
            before = ends[0]
        elif kind is kinds.ATOMIC_GROUP:
            before = _walk(value, before, found)
        elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            _walk(value[1], before, found)
        else:
            before += (_samples([(kind, value)]) or [""])[0]
    return before


def _samples(items: Any) -> list[str]:
    """Texts that these items match, one for each of the first alternatives."""
    results = [""]
    for kind, value in items:
        if kind is kinds.LITERAL:
            options = [chr(value)]
        elif kind is kinds.NOT_LITERAL:
            options = ["a" if value != ord("a") else "b"]
        elif kind is kinds.ANY:
            options = ["a"]
        elif kind is kinds.IN:
            options = _of_class(value)
        elif kind is kinds.SUBPATTERN:
            options = _samples(value[-1])
        elif kind is kinds.ATOMIC_GROUP:
            options = _samples(value)
        elif kind is kinds.BRANCH:
            options = [text for branch in value[1] for text in _samples(branch)[:2]]
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            options = [text * max(value[0], 1) for text in _samples(value[2])]
        else:
            options = [""]
        results = [one + other for one in results for other in options][:4]
    return results


def _of_class(items: Any) -> list[str]:
    """One character of each part of a class."""
    characters = {kinds.CATEGORY_DIGIT: "1", kinds.CATEGORY_SPACE: " ", kinds.CATEGORY_WORD: "a", kinds.CATEGORY_NOT_SPACE: "a"}
    if any(kind is kinds.NEGATE for kind, _ in items):
        excluded = {chr(value) for kind, value in items if kind is kinds.LITERAL}
        return [next(each for each in "a1 .,;:-_xyz" if each not in excluded)]
    options = []
    for kind, value in items:
        if kind is kinds.LITERAL:
            options.append(chr(value))
        elif kind is kinds.RANGE:
            options.append(chr(value[0]))
        elif kind is kinds.CATEGORY:
            options.append(characters.get(value, "a"))
    return options[:4]


def growth(use: Use, before: str, part: str, end: str) -> float:
    """The largest ratio of times of a text and one half as long; 0 if all are too quick to measure."""
    worst, last, n = 0.0, 0.0, SHORTEST
    while n <= LONGEST:
        seconds = min(_time(use, before + part * (n // len(part)) + end) for _ in range(3))
        if last > MEASURABLE:
            worst = max(worst, seconds / last)
        if seconds > 0.5:
            break
        last, n = seconds, 2 * n
    return worst


def _time(use: Use, text: str) -> float:
    data: Any = text.encode("latin-1", "replace") if isinstance(use.pattern.pattern, bytes) else text
    method = getattr(use.pattern, use.method)
    started = time.process_time()
    result = method("" if isinstance(data, str) else b"", data) if use.method in ("sub", "subn") else method(data)
    if use.method == "finditer":
        for _ in result:
            pass
    return time.process_time() - started


def main() -> int:
    faults, n = [], 0
    for use in uses():
        if "--names" in sys.argv:
            print(use.place, use.method, flush=True)
        for before, part, end in dict.fromkeys(texts(use.pattern)):
            n += 1
            ratio = growth(use, before, part, end)
            if ratio > MOST_GROWTH:
                faults.append(f"{use.place}, {use.method}: {ratio:.1f} times the time for twice {part!r} after {before!r}")
                print(faults[-1], flush=True)
    print(f"{n} repeated parts of patterns, {len(faults)} slow")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
