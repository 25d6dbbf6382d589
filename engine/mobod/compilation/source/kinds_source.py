"""The C functions of kinds, of their tangents or of their adjoints, in files of limited size, so that several compile in parallel.

A large function is in a file of its own and is named by a hash of its text, so that all models share its compiled code (compiler.py).
"""

# Decision: docs/decisions/005-c-files.md

import hashlib
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field, replace

from mobod.compilation.calls.liveness import CallsKind, LiveKind
from mobod.scalar.c_calls import c_calls
from mobod.scalar.c_code import Form, c_adding, c_adjoint, c_kernel, c_tangent
from mobod.scalar.c_tables import c_tables
from mobod.scalar.recording import Recording

_LINES_IN_A_FILE = 6000
_LINES_OF_A_LARGE_FUNCTION = 300  # these compile in twice the time that it takes to start a compiler
_NAME = "NAME"  # placeholder for a function's name until its text is known


@dataclass(frozen=True)
class KindsSource:
    """The C code of all kinds.

    functions  the name of the function of each kind
    files      file name -> text
    """

    functions: dict[LiveKind, str]
    files: dict[str, str]


@dataclass(frozen=True)
class CallsSource:
    """The C code of kinds whose calls are side by side; as KindsSource."""

    functions: dict[CallsKind, str]
    files: dict[str, str]


@dataclass(frozen=True)
class _Written:
    """Which form of a kind is written: the kind itself, its tangent or its adjoint."""

    prefix: Form
    recording: Callable[[LiveKind], Recording]
    function: Callable[..., str]


_KERNELS = _Written("kernel", LiveKind.recording, c_kernel)
_TANGENTS = _Written("tangent", LiveKind.tangent, c_tangent)
_ADJOINTS = _Written("adjoint", LiveKind.adjoint, c_adjoint)


def kernels_c(kinds: Iterable[LiveKind]) -> KindsSource:
    return _kinds_source(kinds, _KERNELS)


def tangents_c(kinds: Iterable[LiveKind]) -> KindsSource:
    return _kinds_source(kinds, _TANGENTS)


def adjoints_c(kinds: Iterable[LiveKind]) -> KindsSource:
    return _kinds_source(kinds, _ADJOINTS)


def calls_c(kinds: Iterable[CallsKind]) -> CallsSource:
    """The functions of several calls side by side, over vectors."""
    functions = {kind: _side_by_side(kind.kind) for kind in kinds}
    files = _files(list({each.name: each for each in functions.values()}.values()), "calls", _OVER_CALLS)
    return CallsSource({kind: each.name for kind, each in functions.items()}, files)


def _kinds_source(kinds: Iterable[LiveKind], form: _Written) -> KindsSource:
    kinds = dict.fromkeys(kinds)
    groups: dict[LiveKind, list[LiveKind]] = {}  # setting kinds -> kinds that call these in order to add
    for kind in kinds:
        groups.setdefault(_setter(kind, kinds) or kind, []).append(kind)
    names: dict[LiveKind, str] = {}
    functions: dict[str, _Functions] = {}  # several kinds may have the same text
    for setter, members in groups.items():
        made = _setting(setter, form)
        each = functions.setdefault(made.name, made)
        for kind in members:
            names[kind] = each.name if kind == setter else each.add_adding(kind, form)
    return KindsSource({kind: names[kind] for kind in kinds}, _files(list(functions.values()), f"{form.prefix}s", _OF_ONE_ROW))


def _files(functions: list["_Functions"], prefix: str, includes: str) -> dict[str, str]:
    """File name -> text of the files of these functions."""
    large = [each for each in functions if each.is_large]
    files = {f"{each.name}.c": _file([each], [each.text], includes) for each in large}
    for number, part in enumerate(_parts([each for each in functions if not each.is_large]), start=1):
        texts = [text for each in part for text in each.texts.values()]
        if number == 1:  # together with the functions that call a large one
            calling = [each for each in large if each.adding]
            texts += [f"KernelFunction {each.name};\n" for each in calling]
            texts += [text for each in calling for text in each.adding.values()]
        if texts:
            files[f"{prefix}_{number}.c"] = _file(part, texts, includes)
    return files


def _setter(kind: LiveKind, kinds: Container[LiveKind]) -> LiveKind | None:
    """The kind that sets what this one adds, if the model has it and this kind can add its results."""
    setter = replace(kind, adds=frozenset())
    return setter if kind.adds and not kind.overlaps and setter in kinds else None


@dataclass(frozen=True)
class _Functions:
    """The C functions of one recording.

    text    of the function itself
    adding  name -> text of the functions that call it
    """

    recording: Recording
    name: str
    text: str
    adding: dict[str, str] = field(default_factory=dict)

    @property
    def is_large(self) -> bool:
        return self.text.count("\n") >= _LINES_OF_A_LARGE_FUNCTION

    @property
    def texts(self) -> dict[str, str]:
        """name -> text, with called functions before their callers."""
        return {self.name: self.text, **self.adding}

    @property
    def n_lines(self) -> int:
        return sum(text.count("\n") for text in self.texts.values())

    def add_adding(self, kind: LiveKind, form: _Written) -> str:
        """Make the function that adds the results of this kind; returns its name."""
        name = "_".join([self.name, "adding", *map(str, sorted(kind.adds))])
        self.adding[name] = c_adding(self.name, name, kind.added_sizes(), form=form.prefix)
        return name


def _setting(setter: LiveKind, form: _Written) -> _Functions:
    recording = form.recording(setter)
    text = form.function(recording, _NAME, adds=setter.adds, writes_early=not setter.overlaps)
    name = f"{form.prefix}_{_identifier(setter.kind.name)}_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return _Functions(recording, name, text.replace(_NAME, name, 1))


def _side_by_side(kind: LiveKind) -> _Functions:
    recording = kind.recording()
    text = c_calls(recording, _NAME, adds=kind.adds)
    name = f"rows_{_identifier(kind.kind.name)}_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return _Functions(recording, name, text.replace(_NAME, name, 1))


def _parts(functions: list[_Functions]) -> list[list[_Functions]]:
    """The functions in order, divided into parts of one file each; at least one part."""
    parts: list[list[_Functions]] = [[]]
    n_lines = 0
    for each in functions:
        if n_lines + each.n_lines > _LINES_IN_A_FILE and parts[-1]:
            parts.append([])
            n_lines = 0
        parts[-1].append(each)
        n_lines += each.n_lines
    return parts


_OF_ONE_ROW = '#include "kernel.h"\n#include "number.h"\n'
_OVER_CALLS = '#define MOBOD_LANES MOBOD_WIDTH\n#include "kernel.h"\n#include "lanes_of_calls.h"\n'


def _file(part: list[_Functions], texts: list[str], includes: str) -> str:
    lines = [
        "/* Made by mobod: functions of kinds of elements. */",
        includes,
        *c_tables(each.recording for each in part),
        *texts,
    ]
    return "\n".join(lines)


def _identifier(name: str) -> str:
    return "".join(character if character.isascii() and character.isalnum() else "_" for character in name)
