"""CustomMeasure and Custom: any function of a State, recorded."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, final

import numpy as np

from mobod.errors import InputError
from mobod.scalar import Array, Scalar, Slot, Tape
from mobod.system.measures.measure import ComputedMeasure, Units
from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry
from mobod.system.state.layout import Layout
from mobod.system.state.reading import Reader
from mobod.system.state.recorded_state import RecordedState, SlotsRead, plain_numbers, probe
from mobod.system.state.state import State
from mobod.system.system import System


class CustomMeasure(ComputedMeasure, ABC):
    """Subclass it, declare its arguments and parameters as fields, say `stage`, and write `calc_value`.

        class KineticEnergy(mb.measures.CustomMeasure):
            stage, unit = mb.Stage.VELOCITY, "J"
            body: mb.MobilizedBody = mb.argument("the body")
            mass: mb.Parameter[float] = mb.parameter("kg", "of the body")

            def calc_value(self, state):
                v = self.body.V_GB(state)[3:]
                return self.mass(state) * (v @ v) / 2

    stage  up to which it may read the State, and which its value changes with; TIME if it is not said
    shape  of its value; () if it is not said: one number
    unit   of its entries, or one for each; "1" if it is not said

    `calc_value` is recorded once: a decision by value is `where(condition, a, b)` of mobod.scalar, not `if`. Raises StageError, when a
    State is made, if it reads what changes or is known later only.
    """

    stage = Stage.TIME
    shape = ()
    unit = "1"

    def __post_init__(self) -> None:
        kind = type(self)
        self._measure(shape=kind.shape, stage=kind.stage, unit=kind.unit)

    @abstractmethod
    def calc_value(self, state: State) -> Array | Scalar:
        """The value, in the measure's shape and unit, of what it reads of a State; it changes nothing."""

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        slots, needs = SlotsRead(Tape(self._about)), dict[CacheEntry, None]()
        calc_value: Callable[..., Array | Scalar] = self.calc_value
        probe(lambda: calc_value(RecordedState(self.system, layout, self._reader, slots, needs)), self._about)
        for slot in slots:
            self._check_order(slot, layout)
        sweep = self.subsystem.sweep(layout, self.stage)
        layout.needs.setdefault(sweep.name, []).extend(needs)
        evaluation = _MeasureEvaluation(self, list(slots), layout)
        sweep.add(evaluate_function, list(slots), [self.slot(layout)], structure=(self.name, evaluation))

    def evaluate(self, slots: list[Slot], arrays: tuple[Array, ...], layout: Layout) -> Array | Scalar:
        """The function's value, of the shape and in the units of the measure, where these arrays lie at the slots."""
        calc_value: Callable[..., Array | Scalar] = self.calc_value
        value = np.asarray(calc_value(RecordedState(self.system, layout, self._reader, dict(zip(slots, arrays, strict=True)), {})))
        if value.shape != self.shape:
            raise InputError(f"{self._about} returns what has shape {value.shape}. Say so: shape={value.shape}.")
        return plain_numbers(value[()])

    @property
    def _reader(self) -> Reader:
        return Reader(about=self._about, stage=self.stage, variables=self.stage)

    @property
    def _about(self) -> str:
        return f"calc_value of measure '{self.name}' ({type(self).__name__})"

    def _check_order(self, slot: Slot, layout: Layout) -> None:
        for other in self.subsystem.measures[self.index :]:
            its = other.slot(layout)
            if other.known_from == self.stage and its.offset < slot.offset + slot.size and slot.offset < its.offset + its.size:
                raise InputError(f"{self._about} reads measure '{other.name}', which is computed after it. Make '{other.name}' before it.")


@final
class Custom(CustomMeasure):
    """function(state), which is recorded once: a decision by value is `where(condition, a, b)` of mobod.scalar, not `if`.

    function  of a State: reads time, q, u, z, real discrete variables, and what is computed up to `stage`; changes nothing. Elements that
              a copy of the System should replace by its own are given to it by functools.partial.
    stage     that it may read up to, and that its value changes with
    shape     of what it returns

    Raises StageError, when a State is made, if it reads what changes or is known later only.
    """

    def __init__(
        self,
        system: System,
        function: Callable[[State], Any],
        *,
        stage: Stage,
        shape: tuple[int, ...] = (),
        unit: Units = "1",
        name: str | None = None,
    ):
        if not callable(function):
            raise InputError(f"measures.Custom takes a function of a State, not {type(function).__name__}.")
        self.function = function
        self._begin(system, shape=shape, stage=stage, unit=unit, name=name)

    def calc_value(self, state: State) -> Array | Scalar:
        """What the function gives, in the measure's shape and unit."""
        return self.function(state)

    @property
    def _about(self) -> str:
        return f"the function of measure '{self.name}'"


class _MeasureEvaluation:
    """What a row of a custom measure calls, and where its arguments lie."""

    def __init__(self, measure: CustomMeasure, slots: list[Slot], layout: Layout):
        self.measure, self.slots, self.layout = measure, slots, layout

    def __call__(self, *arrays: Array) -> Array | Scalar:
        return self.measure.evaluate(self.slots, arrays, self.layout)


def evaluate_function(name: str, evaluation: _MeasureEvaluation, *arrays: Array) -> Array | Scalar:
    return evaluation(*arrays)
