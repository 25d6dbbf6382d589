"""Checks the folders of the C runtime: what a file includes or calls lies in its own folder or in one below it.

    python build_scripts/native_layers.py

It also finds files that call each other in a circle, folders with more than 30 files, and folders that the README does not describe. A
header and the C file of the same name count as one unit. Calls are read from the texts: a function of another unit, followed by a
parenthesis, in a C file or in an inline function of a header.

Exit code: 0 if there is nothing to report. Remedies, best first: move what both sides need to a file of the lower folder; split a file with
two subjects; pass a function or a value down.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import connected_components

SOURCES = Path(__file__).resolve().parents[1] / "fmu_src" / "native"

LAYERS = (
    "elementary",
    "random",
    "linear_algebra",
    "shapes",
    "terrain",
    "methods",
    "tables",
    "matrices",
    "shape_kernels",
    "state",
    "constraints",
    "projection",
    "kernels",
    "friction_solver",
    "contact",
    "impacts",
    "events",
    "integration",
    "velocity_level",
    "failures",
    "runs",
    "reading",
    "instance",
    "derivatives",
    "lanes",
    "bare",
    "fmi",
    "python",
)
"""The folders, from below."""

ALTERNATIVES = ({"isolated_posix", "isolated_windows"}, {"embedded_tables", "resource_tables"})
"""Units of which a library has one: they define the same functions."""

MOST_FILES = 30

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
_DEFINITION = re.compile(r"^(static )?(?:inline )?(?!typedef |extern )[A-Za-z_][\w *]*[ *](\w+)\([^;{}]*\) \{", re.MULTILINE)
_CALL = re.compile(r"(?<![.\w])(?<!->)([A-Za-z_]\w*)\s*\(")


def main() -> int:
    readme = (SOURCES / "README.md").read_text(encoding="utf-8")
    faults = list(
        faults_of({path.relative_to(SOURCES).as_posix(): path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.[ch]")}, readme)
    )
    print(
        "\n".join(faults) or f"{len(LAYERS)} folders of the C runtime: no include and no call goes upwards, and there is no circle of calls"
    )
    return 1 if faults else 0


def faults_of(files: Mapping[str, str], readme: str) -> Iterator[str]:
    """What is wrong with the files of the runtime. files: path below fmu_src/native -> text"""
    yield from _misplaced(files, readme)
    folder_of = {path.rpartition("/")[2]: path.rpartition("/")[0] for path in files}
    code = {path.rpartition("/")[2]: _code(text) for path, text in files.items()}
    rank = {folder: place for place, folder in enumerate(LAYERS)}
    if not set(folder_of.values()) <= set(rank):
        return
    for name, text in sorted(files.items()):
        own = folder_of[name.rpartition("/")[2]]
        for included in _INCLUDE.findall(text):
            if rank[folder_of.get(included, own)] > rank[own]:
                yield f"{name} includes {included} of {folder_of[included]}/, which lies above {own}/"
    calls = _calls(code)
    for (caller, called), functions in sorted(calls.items()):
        own, other = (folder_of[unit + ".c" if unit + ".c" in folder_of else unit + ".h"] for unit in (caller, called))
        if rank[other] > rank[own]:
            yield f"{own}/{caller}.c calls {functions[0]} of {other}/{called}.c, which lies above {own}/"
    for circle in circles(calls):
        yield f"{len(circle)} units call each other: {', '.join(circle)}"


def _misplaced(files: Iterable[str], readme: str) -> Iterator[str]:
    by_folder: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        by_folder.setdefault(folder, []).append(name)
        if name in names:
            yield f"{path} has the name of {names[name]}: FMUs have all files in one folder"
        names[name] = path
    for folder, of_folder in by_folder.items():
        if folder not in LAYERS:
            yield f"{', '.join(of_folder[:3])}: '{folder}' is no folder of LAYERS"
        elif len(of_folder) > MOST_FILES:
            yield f"{folder}/ has {len(of_folder)} files; at most {MOST_FILES} are easy to look through"
        elif f"`{folder}/`" not in readme:
            yield f"the README does not describe {folder}/"


def _code(text: str) -> str:
    """Without comments and texts."""
    return _TEXT.sub('""', _COMMENT.sub(" ", text))


def _unit(name: str) -> str:
    return name.rpartition(".")[0]


def _calls(code: Mapping[str, str]) -> dict[tuple[str, str], list[str]]:
    """(unit, another unit) -> the functions of the other that it names, sorted."""
    defined: dict[str, set[str]] = {}
    for name, text in code.items():
        if name.endswith(".c"):
            for is_static, function in _DEFINITION.findall(text):
                if not is_static:
                    defined.setdefault(function, set()).add(_unit(name))
    calls: dict[tuple[str, str], set[str]] = {}
    for name, text in code.items():
        # a header's declarations are no calls; its inline functions are
        body = text if name.endswith(".c") else " ".join(re.findall(r"static inline [^;{]*\{.*?^\}", text, re.DOTALL | re.MULTILINE))
        own = {function for _, function in _DEFINITION.findall(text)}
        for function in (set(_CALL.findall(body)) - own) & defined.keys():
            for other in defined[function] - {_unit(name)}:
                calls.setdefault((_unit(name), other), set()).add(function)
    return {pair: sorted(functions) for pair, functions in calls.items() if not any(set(pair) <= both for both in ALTERNATIVES)}


def circles(calls: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The groups of units that call each other, directly or through others."""
    pairs = list(calls)
    units = sorted({unit for pair in pairs for unit in pair})
    place = {unit: i for i, unit in enumerate(units)}
    matrix = np.zeros((len(units), len(units)), dtype=bool)
    for caller, called in pairs:
        matrix[place[caller], place[called]] = True
    n, labels = connected_components(matrix, directed=True, connection="strong")
    groups = [[units[i] for i in np.flatnonzero(labels == label)] for label in range(n)]
    return sorted(group for group in groups if len(group) > 1)


if __name__ == "__main__":
    sys.exit(main())
