"""Sweeps: tables of calls of recorded functions over the flat array of a State, done in order.

One table serves three evaluations: its rows' NumPy text on plain numbers (slow, for debugging), and for each kind of row a program or a C
function, called by a loop of the C runtime (sweep_function.py, compilation/). A *kind* is a function, its structure, and the pattern of
the entries that the structure fixes (identity frames, Ground's pose): rows of one kind share one recording.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cached_property, wraps
from types import FunctionType
from typing import Any, ClassVar, TypeVar

import numpy as np

from mobod.scalar.derivative import tangent_twin
from mobod.scalar.kernel_calls import run_step
from mobod.scalar.recording import Recording, record
from mobod.scalar.slot import Slot
from mobod.scalar.step import PythonStep, SweepStep
from mobod.scalar.table import StaticTable

# offset -> the value that the structure fixes there
Constants = dict[int, float]


@dataclass(frozen=True)
class Kind:
    """A function with its structure fixed: function(*structure, *arrays) -> array or tuple of arrays.

    Rows share one object for equal kinds (KindTable), with all that is made of its recording.
    """

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
        return self._recording

    def tangent(self) -> Recording:
        """From the arrays, then a direction for each, to the derivatives of the results along it."""
        return self._tangent

    @cached_property
    def derived(self) -> dict[tuple[Any, ...], Any]:
        """What is made of the recording (see kept_by_kind)."""
        return {}

    @cached_property
    def _recording(self) -> Recording:
        patterns = [np.full(shape, np.nan) for shape in self.shapes]
        for i, k, value in self.fixed:
            patterns[i].flat[k] = value
        return record(lambda *arrays: self.function(*self.structure, *arrays), patterns, about=f"'{self.name}'")

    @cached_property
    def _tangent(self) -> Recording:
        twin = tangent_twin(self._recording)
        return Recording(twin.tape, twin.inputs, twin.outputs[len(twin.outputs) // 2 :])


class KindTable:
    """One object for equal kinds.

    Kinds that are made of plain values (built-in elements) are shared by all Systems of the process. Others hold objects of a System, such
    as a user's force; they live as long as this table, so that the System can be collected.
    """

    _SHARED: ClassVar[dict[tuple[Any, ...], Kind]] = {}
    _MOST_SHARED: ClassVar[int] = 4096

    def __init__(self) -> None:
        self._own: dict[tuple[Any, ...], Kind] = {}

    def kind(self, *values: Any) -> Kind:
        """The kind with these values of its fields."""
        found = self._SHARED.get(values) or self._own.get(values)
        if found is None:
            found = Kind(*values)
            if is_plain_value(values):
                if len(self._SHARED) >= self._MOST_SHARED:
                    del self._SHARED[next(iter(self._SHARED))]
                self._SHARED[values] = found
            else:
                self._own[values] = found
        return found


def is_plain_value(part: Any) -> bool:
    """Whether it holds numbers, texts and functions of modules alone, and so belongs to no System."""
    if part is None or isinstance(part, (str, bytes, bool, int, float, Enum, StaticTable, type)):
        return True
    if isinstance(part, (tuple, frozenset)):
        return all(is_plain_value(each) for each in part)
    if isinstance(part, FunctionType):
        return part.__closure__ is None and not part.__defaults__ and not part.__kwdefaults__
    if is_dataclass(part) and part.__dataclass_params__.frozen:  # type: ignore[union-attr] # mypy: a type has no such field; types returned above
        return all(is_plain_value(getattr(part, each.name)) for each in fields(part))
    return False


Result = TypeVar("Result")


def kept_by_kind(function: Callable[..., Result]) -> Callable[..., Result]:
    """Decorator of function(kind, *arguments): its results are kept as long as the kind lives."""

    @wraps(function)
    def kept(kind: Kind, *arguments: Any) -> Result:
        key = (function, *arguments)
        if key not in kind.derived:
            kind.derived[key] = function(kind, *arguments)
        result: Result = kind.derived[key]
        return result

    return kept


@kept_by_kind
def _results(kind: Kind) -> list[tuple[int, int, float | None]]:
    """Each entry of each output: (output, entry, its value if the structure fixes it)."""
    return [
        (i, k, None if i in kind.adds else entry.value)
        for i, output in enumerate(kind.recording().outputs)
        for k, entry in enumerate(output.flat)
    ]


@dataclass(frozen=True)
class SweepRow:
    kind: Kind
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]


@dataclass(eq=False)
class Sweep:
    name: str
    rows: list[SweepRow | SweepStep] = field(default_factory=list)
    clears: list[Slot] = field(default_factory=list)  # set to zero before the first row
    kinds: KindTable = field(default_factory=KindTable)

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
                for k in range(slot.size):
                    if slot.offset + k in constants:
                        fixed.append((i, k, constants[slot.offset + k]))
        kind = self.kinds.kind(function, structure, tuple(slot.shape for slot in inputs), tuple(fixed), frozenset(adds))
        self.rows.append(SweepRow(kind, tuple(inputs), tuple(outputs)))
        if constants is not None:
            for i, k, value in _results(kind):
                if value is not None:
                    constants[outputs[i].offset + k] = value
                else:
                    constants.pop(outputs[i].offset + k, None)

    def reads(self) -> list[int]:
        """Offsets whose values from before the sweep matter."""
        known = {offset for slot in self.clears for offset in _offsets(slot)}
        needed: set[int] = set()
        for row in self.rows:
            entries = [offset for slot in row.inputs for offset in _offsets(slot)]
            if isinstance(row, SweepRow):
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
            if isinstance(row, SweepStep):
                run_step(row, w, state)
                continue
            # copies: a function may return what it was given, and that may lie where a result is written
            results = row.kind.function(*row.kind.structure, *(w[slot.slice].copy().reshape(slot.shape)[()] for slot in row.inputs))
            for i, (slot, result) in enumerate(zip(row.outputs, results if isinstance(results, tuple) else (results,), strict=True)):
                if i in row.kind.adds:
                    w[slot.slice] += np.ravel(result)
                else:
                    w[slot.slice] = np.ravel(result)

    def parts(self) -> "list[Sweep | PythonStep]":
        """Sweeps that C can do, and the steps in Python between them, in order."""
        parts: list[Sweep | PythonStep] = [Sweep(self.name, clears=self.clears)]
        for row in self.rows:
            if isinstance(row, PythonStep):
                parts += [row, Sweep(self.name)]
            else:
                last = parts[-1]
                assert isinstance(last, Sweep)
                last.rows.append(row)
        return [part for part in parts if isinstance(part, PythonStep) or part.rows or part.clears]


def _offsets(slot: Slot) -> range:
    return range(slot.offset, slot.offset + slot.size)
