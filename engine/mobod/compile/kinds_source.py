"""The C functions of the kinds, or their tangents, in files of a size that compiles soon: several compile at a time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mobod.compile.liveness import LiveKind, LiveSweep
from mobod.scalar.c_code import c_adding, c_kernel, c_tangent
from mobod.scalar.c_tables import c_tables
from mobod.scalar.recording import Recording
from mobod.scalar.step import Step

_LINES_IN_A_FILE = 6000


@dataclass(frozen=True)
class KindsSource:
    """C of all kinds.

    names  the name of the function of each kind and each step, in the order of their numbers
    text   what stands before a table of these names, in a file that includes model.h and math.h: the first functions, and declarations
           of the others
    files  file name -> text, of those others
    """

    names: dict[LiveKind | Step, str]
    text: str
    files: dict[str, str]


@dataclass(frozen=True)
class _Form:
    """What of a kind is written: itself or its tangent."""

    type: str  # of model.h
    prefix: str
    recording: Callable[[LiveKind], Recording]
    function: Callable[..., str]
    step: Callable[[Step, str], str]


_KERNELS = _Form("Kernel", "kernel", LiveKind.recording, c_kernel, lambda step, name: step.c_code(name))
_TANGENTS = _Form("Tangent", "tangent", LiveKind.tangent, c_tangent, lambda step, name: step.c_tangent(name))


def kernels_c(sweeps: Mapping[Any, LiveSweep]) -> KindsSource:
    return _kinds_source(sweeps, _KERNELS)


def tangents_c(sweeps: Mapping[Any, LiveSweep]) -> KindsSource:
    return _kinds_source(sweeps, _TANGENTS)


def _kinds_source(sweeps: Mapping[Any, LiveSweep], form: _Form) -> KindsSource:
    names = _names(sweeps, form.prefix)
    groups: dict[LiveKind, list[LiveKind]] = {}  # those that set, and which others call them to add
    for kind in names:
        if isinstance(kind, LiveKind):
            groups.setdefault(_setter(kind, names) or kind, []).append(kind)
    first, *others = _parts([_functions(setter, kinds, names, form) for setter, kinds in groups.items()])
    elsewhere = [name for part in others for each in part for name in each.texts]
    text = [
        *c_tables(each.recording for each in first),
        *(f"static {text}" for each in first for text in each.texts.values()),
        *(f"{form.type} {name};" for name in elsewhere),
        *(form.step(step, name) for step, name in names.items() if isinstance(step, Step)),
    ]
    files = {f"{form.prefix}s_{number}.c": _file(part) for number, part in enumerate(others, start=2)}
    return KindsSource(names, "\n".join(text), files)


def _names(sweeps: Mapping[Any, LiveSweep], prefix: str) -> dict[LiveKind | Step, str]:
    names: dict[LiveKind | Step, str] = {}
    for sweep in sweeps.values():
        for row in sweep.rows:
            key, name = (row, row.name) if isinstance(row, Step) else (row.kind, row.kind.kind.name)
            names.setdefault(key, f"{prefix}_{len(names)}_{_identifier(name)}")
    return names


def _setter(kind: LiveKind, names: Mapping[LiveKind | Step, str]) -> LiveKind | None:
    """The same kind where it sets what this one adds, if C has it and this one can add what it sets."""
    setter = replace(kind, adds=frozenset())
    return setter if kind.adds and not kind.overlaps and setter in names else None


@dataclass(frozen=True)
class _Functions:
    """Of one recording; texts: name -> C, those that are called before those that call them."""

    recording: Recording
    texts: dict[str, str]

    @property
    def n_lines(self) -> int:
        return sum(text.count("\n") for text in self.texts.values())


def _functions(setter: LiveKind, kinds: list[LiveKind], names: Mapping[LiveKind | Step, str], form: _Form) -> _Functions:
    """The setter's own function, and those of the kinds that call it."""
    recording = form.recording(setter)
    texts = {names[setter]: form.function(recording, names[setter], adds=setter.adds, writes_early=not setter.overlaps)}
    for kind in kinds:
        if kind != setter:
            texts[names[kind]] = c_adding(names[setter], names[kind], kind.added_sizes(), is_tangent=form is _TANGENTS)
    return _Functions(recording, texts)


def _parts(functions: list[_Functions]) -> list[list[_Functions]]:
    """In order, each as much as goes into a file; at least one part."""
    parts: list[list[_Functions]] = [[]]
    n_lines = 0
    for each in functions:
        if n_lines + each.n_lines > _LINES_IN_A_FILE and parts[-1]:
            parts.append([])
            n_lines = 0
        parts[-1].append(each)
        n_lines += each.n_lines
    return parts


def _file(part: list[_Functions]) -> str:
    lines = [
        "/* Made by mobod: more functions of kinds of elements. */",
        '#include "model.h"\n\n#include <math.h>\n',
        *c_tables(each.recording for each in part),
        *(text for each in part for text in each.texts.values()),
    ]
    return "\n".join(lines)


def _identifier(name: str) -> str:
    return "".join(character if character.isascii() and character.isalnum() else "_" for character in name)
