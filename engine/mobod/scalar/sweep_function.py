"""Runs sweeps and their tangents by the C runtime on the flat array of a State."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.scalar.bytecode import program_of
from mobod.scalar.derivative import tangents_along
from mobod.scalar.kernel_calls import KernelCall, KernelCalls, LoadedFunction, LoadedProcedure, LoadedProgram, run_procedure
from mobod.scalar.procedure import Procedure, PythonProcedure
from mobod.scalar.recording import Recording
from mobod.scalar.slot import ranges
from mobod.scalar.sweep import Kind, Sweep, SweepCall, kept_by_kind

# for each input of a kind, which of its entries change
Changing = tuple[tuple[bool, ...], ...]


@final
class SweepFunction:
    """A sweep run by the C runtime, with procedures in Python between its parts.

    compiled  compiled functions of kinds; other kinds are programs
    """

    def __init__(self, sweep: Sweep, compiled: Mapping[Kind, LoadedFunction] | None = None):
        self.parts = [part if isinstance(part, PythonProcedure) else _calls(part, compiled or {}) for part in sweep.parts()]
        self._checked = [call for call in sweep.calls if isinstance(call, Procedure) and not isinstance(call, PythonProcedure)]

    def __call__(self, w: np.ndarray, state: object = None) -> None:
        """Run the sweep on w. state: the State of w, for procedures in Python."""
        for part in self.parts:
            if isinstance(part, PythonProcedure):
                run_procedure(part, w, state)
            else:
                part(w)
        for procedure in self._checked:
            if (problem := procedure.problem(w)) is not None:
                raise problem


def _calls(sweep: Sweep, compiled: Mapping[Kind, LoadedFunction]) -> KernelCalls:
    """The calls of a sweep without procedures in Python."""
    calls = []
    for call in sweep.calls:
        if isinstance(call, Procedure):
            calls.append(KernelCall(LoadedProcedure(call)))
        else:
            kernel = compiled.get(call.kind) or _program(call.kind)
            calls.append(KernelCall(kernel, tuple(slot.offset for slot in (*call.inputs, *call.outputs))))
    return KernelCalls(calls, [(slot.offset, slot.size) for slot in sweep.clears])


@kept_by_kind
def _program(kind: Kind) -> LoadedProgram:
    return LoadedProgram(program_of(kind.recording(), adds=kind.adds, is_tangent=False))


@kept_by_kind
def _tangent(kind: Kind, changing: Changing) -> Recording:
    """The recording from the arrays and their directions to the directional derivatives of the results; only `changing` entries have
    one.
    """
    return tangents_along(kind.recording(), changing)


@kept_by_kind
def _tangent_program(kind: Kind, changing: Changing, live: frozenset[int]) -> LoadedProgram:
    return LoadedProgram(program_of(_tangent(kind, changing).with_outputs(live), adds=kind.adds & live, is_tangent=True))


@dataclass(frozen=True)
class _ChangingCall:
    """A call with changing inputs. `live`: indices of the results whose changes are wanted."""

    call: SweepCall
    changing: Changing
    live: frozenset[int]

    def kernel_call(self) -> KernelCall:
        program = _tangent_program(self.call.kind, self.changing, self.live)
        return KernelCall(program, tuple(slot.offset for slot in (*self.call.inputs, *self.call.outputs)))


@dataclass
class _Block:
    """Ranges of changes that are set to zero, then calls."""

    clears: list[tuple[int, int]] = field(default_factory=list)
    calls: list[_ChangingCall | Procedure] = field(default_factory=list)

    def kernel_calls(self) -> KernelCalls:
        """The calls of the block. Raises UnsupportedError for a procedure without a tangent."""
        for call in self.calls:
            if isinstance(call, Procedure) and call.why_no_tangent is not None:
                raise UnsupportedError(call.why_no_tangent)
        calls = [KernelCall(LoadedProcedure(call, "tangent")) if isinstance(call, Procedure) else call.kernel_call() for call in self.calls]
        return KernelCalls(calls, self.clears)


@final
class TangentFunction:
    """The directional derivative of sweeps: the tangents of their calls and procedures.

    Calls without a changing input, calls that no wanted change depends on, and unchanging entries within a call are omitted. The product of
    an unchanging entry's derivative, 0, and an infinite number counts as 0.
    """

    def __init__(self, sweeps: Iterable[Sweep], along: Sequence[int], of: Sequence[int]):
        """along: offsets whose changes are given; of: offsets whose changes are wanted."""
        self._along, self._of = np.array(along, dtype=np.intp), np.array(of, dtype=np.intp)
        blocks = _wanted(_changing(sweeps, set(along)), set(of))
        self._parts = [block.kernel_calls() for block in blocks if block.calls or block.clears]

    def __call__(self, w: np.ndarray, changes: np.ndarray) -> np.ndarray:
        """The wanted changes. The sweeps must have run on w before."""
        dw = np.zeros(len(w))
        dw[self._along] = changes
        for part in self._parts:
            part(w, dw)
        return dw[self._of]

    def columns(self, w: np.ndarray, directions: np.ndarray) -> np.ndarray:
        """(of, n) the wanted changes for each column of the directions (along, n)."""
        return np.array([self(w, direction) for direction in np.ascontiguousarray(directions.T)]).reshape(-1, len(self._of)).T


def _changing(sweeps: Iterable[Sweep], changing: set[int]) -> list[_Block]:
    """The calls and procedures that depend on changing entries; `changing`: offsets that change before the sweeps."""
    blocks = [_Block()]

    def clear(offsets: Iterable[int]) -> None:
        """Mark these offsets as unchanging."""
        changed = sorted(changing.intersection(offsets))
        if changed:
            blocks.append(_Block(clears=ranges(changed)))
            changing.difference_update(changed)

    for sweep in sweeps:
        clear(offset for slot in sweep.clears for offset in slot.offsets)
        for call in sweep.calls:
            if isinstance(call, Procedure):
                if not changing.isdisjoint(offset for slot in call.inputs for offset in slot.offsets):
                    if isinstance(call, PythonProcedure):
                        call.refuse("differentiated")
                    blocks[-1].calls.append(call)
                    changing.update(offset for slot in call.outputs for offset in slot.offsets)
                else:
                    clear(offset for slot in call.outputs for offset in slot.offsets)
                continue
            entries = tuple(tuple(offset in changing for offset in slot.offsets) for slot in call.inputs)
            setting = [slot for i, slot in enumerate(call.outputs) if i not in call.kind.adds]
            if not any(any(each) for each in entries):
                clear(offset for slot in setting for offset in slot.offsets)
                continue
            blocks[-1].calls.append(_ChangingCall(call, entries, frozenset(range(len(call.outputs)))))
            changes = _changed_outputs(call.kind, entries)
            changing.difference_update(offset for slot in setting for offset in slot.offsets)
            changing.update(call.outputs[i].offset + k for i, k in changes)
    return blocks


@kept_by_kind
def _changed_outputs(kind: Kind, changing: Changing) -> list[tuple[int, int]]:
    """The (result, entry) pairs that change."""
    return [
        (i, k) for i, output in enumerate(_tangent(kind, changing).outputs) for k, entry in enumerate(output.flat) if entry.value != 0.0
    ]


def _wanted(blocks: list[_Block], wanted: set[int]) -> list[_Block]:
    """The blocks without the parts on which no wanted change depends."""
    kept: list[_Block] = []
    for each in reversed(blocks):
        block = _Block()
        for call in reversed(each.calls):
            if isinstance(call, Procedure):
                if not wanted.isdisjoint(offset for slot in call.outputs for offset in slot.offsets):
                    block.calls.append(call)
                    wanted.difference_update(offset for slot in call.outputs for offset in slot.offsets)
                    wanted.update(offset for slot in call.inputs for offset in slot.offsets)
                continue
            outputs, adds = call.call.outputs, call.call.kind.adds
            live = frozenset(i for i, slot in enumerate(outputs) if not wanted.isdisjoint(slot.offsets))
            if live:
                block.calls.append(_ChangingCall(call.call, call.changing, live))
                wanted.difference_update(offset for i in live - adds for offset in outputs[i].offsets)
                wanted.update(_read(call.call, call.changing, live))
        block.calls.reverse()
        block.clears = [clear for clear in each.clears if not wanted.isdisjoint(range(clear[0], sum(clear)))]
        wanted.difference_update(offset for first, count in block.clears for offset in range(first, first + count))
        kept.append(block)
    return kept[::-1]


def _read(call: SweepCall, changing: Changing, live: frozenset[int]) -> set[int]:
    """Offsets of the changes on which these results depend."""
    return {call.inputs[i].offset + k for i, k in _direction_entries(call.kind, changing, live)}


@kept_by_kind
def _direction_entries(kind: Kind, changing: Changing, live: frozenset[int]) -> frozenset[tuple[int, int]]:
    """The (input, entry) pairs on whose changes these results depend."""
    dependencies = _tangent(kind, changing).dependencies
    n = len(kind.shapes)
    return frozenset((i - n, k) for result in live for entry in dependencies[result] for i, k in entry if i >= n)
