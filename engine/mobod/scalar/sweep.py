"""Sweeps: tables of calls of recorded functions over the flat array of a State, done in order.

One table serves three evaluations: its rows' NumPy text on plain numbers (slow, for debugging), one CasADi function of all rows inlined
(in Python), and one C function for each kind of row, called by a loop (native). A *kind* is a function, its structure, and the pattern of
the entries that the structure fixes (identity frames, Ground's pose): rows of one kind share one recording.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import casadi
import numpy as np

from mobod.scalar.derivative import tangent_twin
from mobod.scalar.lowering import BufferedFunction, apply, column, unsimplified
from mobod.scalar.recording import Recording, record
from mobod.scalar.slot import Slot
from mobod.scalar.step import Step, run_step

# offset -> the value that the structure fixes there
Constants = dict[int, float]


@dataclass(frozen=True)
class Kind:
    """A function with its structure fixed: function(*structure, *arrays) -> array or tuple of arrays."""

    function: Callable[..., Any]
    structure: tuple[Any, ...]
    shapes: tuple[tuple[int, ...], ...]
    fixed: tuple[tuple[int, int, float], ...]  # (input, entry, value)
    adds: frozenset[int] = frozenset()  # the results that are added to what is there

    @property
    def name(self) -> str:
        parts = [part for part in self.structure if isinstance(part, str)] or [type(part).__name__ for part in self.structure]
        return "_".join([self.function.__name__.strip("_"), *parts]).lower()

    def recording(self) -> Recording:
        return _record_kind(self)

    def tangent(self) -> Recording:
        """From the arrays, then a direction for each, to the derivatives of the results along it."""
        return _record_tangent(self)


@lru_cache(maxsize=4096)
def _record_tangent(kind: Kind) -> Recording:
    twin = tangent_twin(kind.recording())
    return Recording(twin.tape, twin.inputs, twin.outputs[len(twin.outputs) // 2 :])


@lru_cache(maxsize=4096)
def _record_kind(kind: Kind) -> Recording:
    patterns = [np.full(shape, np.nan) for shape in kind.shapes]
    for i, k, value in kind.fixed:
        patterns[i].flat[k] = value
    return record(lambda *arrays: kind.function(*kind.structure, *arrays), patterns, about=f"'{kind.name}'")


@dataclass(frozen=True)
class Row:
    kind: Kind
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]


@dataclass(eq=False)
class Sweep:
    name: str
    rows: list[Row | Step] = field(default_factory=list)
    clears: list[Slot] = field(default_factory=list)  # set to zero before the first row

    def add(
        self,
        function: Callable[..., Any],
        inputs: Sequence[Slot],
        outputs: Sequence[Slot],
        *,
        structure: tuple[Any, ...] = (),
        constants: Constants | None = None,
        open_inputs: Iterable[int] = (),
        adds: Iterable[int] = (),
    ) -> None:
        """Append one call: function(*structure, *arrays at the inputs) -> the array or the tuple of arrays at the outputs.

        adds         numbers of the outputs that are added to what is there; the others replace it
        constants    the entries that the structure fixes; those among the results are added to it, the open ones removed
        open_inputs  numbers of the inputs that are taken as open all the same, so that there are fewer kinds
        """
        fixed: list[tuple[int, int, float]] = []
        if constants:
            for i, slot in enumerate(inputs):
                if i in open_inputs:
                    continue
                fixed += [(i, k, constants[slot.offset + k]) for k in range(slot.size) if slot.offset + k in constants]
        kind = Kind(function, structure, tuple(slot.shape for slot in inputs), tuple(fixed), frozenset(adds))
        self.rows.append(Row(kind, tuple(inputs), tuple(outputs)))
        if constants is not None:
            for i, (slot, output) in enumerate(zip(outputs, kind.recording().outputs, strict=True)):
                for k, entry in enumerate(output.flat):
                    if entry.value is not None and i not in kind.adds:
                        constants[slot.offset + k] = entry.value
                    else:
                        constants.pop(slot.offset + k, None)

    def reads(self) -> list[int]:
        """Offsets whose values from before the sweep matter."""
        known = {offset for slot in self.clears for offset in _offsets(slot)}
        needed: set[int] = set()
        for row in self.rows:
            entries = [offset for slot in row.inputs for offset in _offsets(slot)]
            if isinstance(row, Row):
                entries += [offset for i in row.kind.adds for offset in _offsets(row.outputs[i])]
            needed.update(offset for offset in entries if offset not in known)
            known.update(offset for slot in row.outputs for offset in _offsets(slot))
        return sorted(needed)

    def writes(self) -> list[int]:
        offsets = {offset for slot in self.clears for offset in _offsets(slot)}
        offsets.update(offset for row in self.rows for slot in row.outputs for offset in _offsets(slot))
        return sorted(offsets)

    def run_text(self, w: np.ndarray, state: Any = None) -> None:
        """Do the sweep on plain numbers by calling the NumPy text itself; state: the one that w is of, for steps in Python."""
        for slot in self.clears:
            w[slot.slice] = 0.0
        for row in self.rows:
            if isinstance(row, Step):
                run_step(row, w, state)
                continue
            # copies: a function may return what it was given, and that may lie where a result is written
            results = row.kind.function(*row.kind.structure, *(w[slot.slice].copy().reshape(slot.shape)[()] for slot in row.inputs))
            for i, (slot, result) in enumerate(zip(row.outputs, results if isinstance(results, tuple) else (results,), strict=True)):
                if i in row.kind.adds:
                    w[slot.slice] += np.ravel(result)
                else:
                    w[slot.slice] = np.ravel(result)

    def parts(self) -> "list[Sweep | Step]":
        """Sweeps without steps, and the steps between them, in order."""
        parts: list[Sweep | Step] = [Sweep(self.name, clears=self.clears)]
        for row in self.rows:
            if isinstance(row, Step):
                parts += [row, Sweep(self.name)]
            else:
                last = parts[-1]
                assert isinstance(last, Sweep)
                last.rows.append(row)
        return [part for part in parts if isinstance(part, Step) or part.rows or part.clears]


class SweepFunction:
    """A sweep: its recorded rows as CasADi functions, with the steps between them."""

    def __init__(self, sweep: Sweep):
        self._parts = [part if isinstance(part, Step) else _RecordedFunction(part) for part in sweep.parts()]

    def __call__(self, w: np.ndarray, state: Any = None) -> None:
        """Read from w, write into w; state: the one that w is of, for steps in Python."""
        for part in self._parts:
            if isinstance(part, Step):
                run_step(part, w, state)
            else:
                part(w)


class _RecordedFunction:
    """A sweep without steps as one CasADi function of all its rows."""

    def __init__(self, sweep: Sweep):
        reads, writes = sweep.reads(), sweep.writes()
        symbol = casadi.SX.sym("w", len(reads))
        w = dict(zip(reads, symbol.elements(), strict=True)) if reads else {}
        _inline(sweep, w)
        self.function = casadi.Function("sweep", [symbol], [column([w[offset] for offset in writes])])
        self._buffered = BufferedFunction(self.function)
        self._reads = _index(reads)
        self._writes = _index(writes)

    def __call__(self, w: np.ndarray) -> None:
        """Read from w, write into w."""
        buffered = self._buffered
        buffered.arguments[0][:] = w[self._reads]
        buffered()
        w[self._writes] = buffered.results[0]


class TangentFunction:
    """How what sweeps compute changes along a direction: CasADi functions of the tangents of their rows, with the steps between them."""

    def __init__(self, sweeps: Iterable[Sweep], along: Sequence[int], of: Sequence[int]):
        """along: offsets whose change is given; of: offsets whose change is wanted."""
        self._along, self._of = np.array(along, dtype=np.intp), np.array(of, dtype=np.intp)
        self._parts: list[tuple[_RecordedTangent, np.ndarray, np.ndarray] | Step] = []
        changing = set(along)
        recorded: list[Sweep] = []

        def close() -> None:
            """Make a function of the sweeps that came since the last step."""
            written = {offset for sweep in recorded for offset in sweep.writes()}
            if written:
                inputs, outputs = sorted(changing), sorted(written)
                arrays = (np.array(inputs, dtype=np.intp), np.array(outputs, dtype=np.intp))
                self._parts.append((_RecordedTangent(recorded, inputs, outputs), *arrays))
            changing.update(written)
            recorded.clear()

        for part in (part for sweep in sweeps for part in sweep.parts()):
            if isinstance(part, Step):
                close()
                self._parts.append(part)
                changing.update(offset for slot in part.outputs for offset in _offsets(slot))
            else:
                recorded.append(part)
        if self._parts:
            close()
        else:  # nothing between: what is not wanted need not be computed
            self._parts.append((_RecordedTangent(recorded, along, of), self._along, self._of))

    def __call__(self, w: np.ndarray, changes: np.ndarray) -> np.ndarray:
        """The changes that are wanted; the sweeps have been done on w."""
        dw = np.zeros(len(w))
        dw[self._along] = changes
        for part in self._parts:
            if isinstance(part, Step):
                part.run_tangent(w, dw)
            else:
                function, inputs, outputs = part
                dw[outputs] = function(w, dw[inputs])
        return dw[self._of]


class _RecordedTangent:
    """The tangents of sweeps without steps, as one CasADi function."""

    def __init__(self, sweeps: Iterable[Sweep], along: Sequence[int], of: Sequence[int]):
        w = _Symbols()
        changes = casadi.SX.sym("dw", len(along))
        dw: dict[int, Any] = dict(zip(along, changes.elements(), strict=True)) if along else {}
        for sweep in sweeps:
            _inline_tangents(sweep, w, dw)
        zero = casadi.SX(0.0)
        self.function = casadi.Function("tangent", [column(list(w.values())), changes], [column([dw.get(offset, zero) for offset in of])])
        self._buffered = BufferedFunction(self.function)
        self._reads = np.array(list(w), dtype=np.intp)

    def __call__(self, w: np.ndarray, changes: np.ndarray) -> np.ndarray:
        values, given = self._buffered.arguments
        values[:] = w[self._reads]
        given[:] = changes
        self._buffered()
        return self._buffered.results[0].copy()


class _Symbols(dict[int, Any]):
    """A symbol for each offset that is asked for."""

    def __missing__(self, offset: int) -> Any:
        self[offset] = casadi.SX.sym(f"w{offset}")
        return self[offset]


def _inline_tangents(sweep: Sweep, w: dict[int, Any], dw: dict[int, Any]) -> None:
    """An offset that is not in dw does not change."""
    zero = casadi.SX(0.0)
    for slot in sweep.clears:
        for offset in _offsets(slot):
            dw.pop(offset, None)
    for row in sweep.rows:
        assert isinstance(row, Row)
        offsets = [list(_offsets(slot)) for slot in row.inputs]
        if not any(offset in dw for each in offsets for offset in each):
            changes = [[zero] * slot.size for slot in row.outputs]
        else:
            values = [[w[offset] for offset in each] for each in offsets]
            changes = apply(row.kind.tangent(), [*values, *([dw.get(offset, zero) for offset in each] for each in offsets)], zero)
        for i, (slot, entries) in enumerate(zip(row.outputs, changes, strict=True)):
            for offset, entry in zip(_offsets(slot), entries, strict=True):
                dw[offset] = dw[offset] + entry if i in row.kind.adds and offset in dw else entry
                if dw[offset].is_zero():
                    del dw[offset]


def _inline(sweep: Sweep, w: dict[int, Any]) -> None:
    zero = casadi.SX(0.0)
    for slot in sweep.clears:
        w.update((offset, zero) for offset in _offsets(slot))
    for row in sweep.rows:
        assert isinstance(row, Row)
        results = apply(row.kind.recording(), [[w[offset] for offset in _offsets(slot)] for slot in row.inputs])
        for i, (slot, entries) in enumerate(zip(row.outputs, results, strict=True)):
            if i in row.kind.adds:
                with unsimplified():
                    entries = [
                        entry if w[offset] is zero else casadi.SX.binary(casadi.OP_ADD, w[offset], entry)
                        for offset, entry in zip(_offsets(slot), entries, strict=True)
                    ]
            w.update(zip(_offsets(slot), entries, strict=True))


def _offsets(slot: Slot) -> range:
    return range(slot.offset, slot.offset + slot.size)


def _index(offsets: list[int]) -> slice | np.ndarray:
    """Of offsets in order; a slice where they are one range: cheaper than an index array."""
    if offsets and offsets[-1] - offsets[0] == len(offsets) - 1:
        return slice(offsets[0], offsets[-1] + 1)
    return np.array(offsets, dtype=np.intp)
