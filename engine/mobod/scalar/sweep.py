"""Sweep: a table of calls of recorded functions on the flat array of a State, done in order.

One table has three evaluations: by the NumPy code of its calls, on plain numbers (slow, for debugging), and by a program or a C function
for each call, in a loop of the C runtime (sweep_function.py, compilation/). A *kind* is a function, its structure, and the
entries that the structure fixes (identity frames, Ground's pose). Calls of one kind share one recording.
"""

# Decision: docs/decisions/006-shared-kinds.md

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cached_property
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from mobod.scalar.derivative import tangent_twin
from mobod.scalar.kernel_calls import REPEAT, run_procedure
from mobod.scalar.procedure import Procedure, PythonProcedure
from mobod.scalar.recording import Recording, kept_by_first, record, shared
from mobod.scalar.slot import Slot
from mobod.scalar.table import StaticTable

# offset -> value fixed by the structure
Constants = dict[int, float]


@dataclass(frozen=True)
class Kind:
    """A function with its structure: function(*structure, *arrays) -> array or tuple of arrays.

    Calls of equal kinds share one object (KindTable), together with everything made from its recording.
    """

    function: Callable[..., object]
    structure: tuple[object, ...]
    shapes: tuple[tuple[int, ...], ...]
    fixed: tuple[tuple[int, int, float], ...]  # (input, entry, value)
    adds: frozenset[int] = frozenset()  # results that are added to existing values

    @property
    def name(self) -> str:
        parts = [part for part in self.structure if isinstance(part, str)] or [type(part).__name__ for part in self.structure]
        return "_".join([self.function.__name__.strip("_"), *parts]).lower()

    def recording(self) -> Recording:
        return self._recording

    def tangent(self) -> Recording:
        """The recording from the arrays and a direction for each to the directional derivatives of the results."""
        return _tangent(self._recording)

    @cached_property
    def derived(self) -> dict[tuple[object, ...], object]:
        """Cache of everything made from the kind (see kept_by_kind)."""
        return {}

    @cached_property
    def _recording(self) -> Recording:
        patterns = [np.full(shape, np.nan) for shape in self.shapes]
        for i, k, value in self.fixed:
            patterns[i].flat[k] = value
        return shared(record(lambda *arrays: self.function(*self.structure, *arrays), patterns, about=f"'{self.name}'"))


@kept_by_first
def _tangent(recording: Recording) -> Recording:
    twin = tangent_twin(recording)
    return Recording(twin.tape, twin.inputs, twin.outputs[len(twin.outputs) // 2 :])


class KindTable:
    """Makes one object for equal kinds.

    Kinds of plain values (built-in elements) are shared by all Systems of the process. Other kinds refer to objects of a System, such as a
    user's force. They live only as long as this table, so that the System can be garbage collected.
    """

    _SHARED: ClassVar[dict[tuple[object, ...], Kind]] = {}
    _MOST_SHARED: ClassVar[int] = 4096

    def __init__(self) -> None:
        self._own: dict[tuple[object, ...], Kind] = {}

    def kind(self, *values: Any) -> Kind:
        """The kind with these fields."""
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


def is_plain_value(part: object) -> bool:
    """Whether it contains only numbers, texts and module-level functions, and so belongs to no System."""
    if part is None or isinstance(part, (str, bytes, bool, int, float, Enum, StaticTable, type)):
        return True
    if isinstance(part, (tuple, frozenset)):
        return all(is_plain_value(each) for each in part)
    if isinstance(part, FunctionType):
        return part.__closure__ is None and not part.__defaults__ and not part.__kwdefaults__
    if is_dataclass(part) and part.__dataclass_params__.frozen:  # type: ignore[union-attr] # mypy: a type has no such field; types returned above
        return all(is_plain_value(getattr(part, each.name)) for each in fields(part))
    return False


kept_by_kind = kept_by_first  # of function(kind, *arguments)


@kept_by_kind
def _results(kind: Kind) -> list[tuple[int, int, float | None]]:
    """Each entry of each output: (output, entry, its value if the structure fixes it)."""
    return [
        (i, k, None if i in kind.adds else entry.value)
        for i, output in enumerate(kind.recording().outputs)
        for k, entry in enumerate(output.flat)
    ]


@dataclass(frozen=True)
class Spare:
    """By what the C runtime leaves a call out: while a choice is 0, the results of a call do not change (Spare of sweep.h).

    choice   () number of the bodies that the runtime has chosen; 0: none
    is_idle  () flag of this call, which nothing else has: the results are those of no bodies. Only the runtime uses it
    """

    choice: Slot
    is_idle: Slot


@dataclass(frozen=True)
class SweepCall:
    kind: Kind
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    spare: Spare | None = None


@dataclass(eq=False)
class Sweep:
    name: str
    calls: list[SweepCall | Procedure] = field(default_factory=list)
    clears: list[Slot] = field(default_factory=list)  # set to zero before the first call
    kinds: KindTable = field(default_factory=KindTable)

    def add(
        self,
        function: Callable[..., object],
        inputs: Sequence[Slot],
        outputs: Sequence[Slot],
        *,
        structure: tuple[object, ...] = (),
        constants: Constants | None = None,
        open_inputs: Iterable[int] = (),
        adds: Iterable[int] = (),
        spare: Spare | None = None,
    ) -> None:
        """Append a call: function(*structure, *arrays at the inputs) -> the array or the tuple of arrays at the outputs.

        adds         indices of the outputs that are added to existing values; the others replace them
        constants    entries that the structure fixes. Fixed results are added to it, open ones removed
        open_inputs  indices of inputs whose entries count as open even if they are fixed, so that there are fewer kinds
        spare        by what the C runtime leaves the call out; None: never
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
        self.calls.append(SweepCall(kind, tuple(inputs), tuple(outputs), spare))
        if constants is not None:
            for i, k, value in _results(kind):
                if value is not None:
                    constants[outputs[i].offset + k] = value
                else:
                    constants.pop(outputs[i].offset + k, None)

    def slots(self) -> Iterator[Slot]:
        """The slots that it clears, reads and writes."""
        yield from self.clears
        for call in self.calls:
            yield from call.inputs
            yield from call.outputs

    def run_text(self, w: np.ndarray, state: object = None) -> None:
        """Run the sweep by calling the NumPy code on plain numbers. state: the State of w, for procedures in Python."""
        for slot in self.clears:
            w[slot.slice] = 0.0
        number, begin = 0, 0
        while number < len(self.calls):
            call = self.calls[number]
            number += 1
            if isinstance(call, Procedure):
                result = run_procedure(call, w, state)
                if result == REPEAT:
                    number = begin
                elif call.begins_repeated_part:
                    begin = number
                continue
            # copies, since a function may return its argument, which may overlap a result
            results = call.kind.function(*call.kind.structure, *(w[slot.slice].copy().reshape(slot.shape)[()] for slot in call.inputs))
            for i, (slot, result) in enumerate(zip(call.outputs, results if isinstance(results, tuple) else (results,), strict=True)):
                if i in call.kind.adds:
                    w[slot.slice] += np.ravel(result)
                else:
                    w[slot.slice] = np.ravel(result)

    def parts(self) -> "list[Sweep | PythonProcedure]":
        """The parts that C can run, and the procedures in Python between them, in order."""
        parts: list[Sweep | PythonProcedure] = [Sweep(self.name, clears=self.clears)]
        for call in self.calls:
            if isinstance(call, PythonProcedure):
                parts += [call, Sweep(self.name)]
            else:
                last = parts[-1]
                assert isinstance(last, Sweep)
                last.calls.append(call)
        return [part for part in parts if isinstance(part, PythonProcedure) or part.calls or part.clears]
