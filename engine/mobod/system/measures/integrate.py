"""Integrate: the integral of a measure over time."""

from typing import Any, final

from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.scalar.slot import Slot
from mobod.system.boundary import check_state
from mobod.system.elements import argument
from mobod.system.measures.measure import Measure, Units, checked_operand, same, spread
from mobod.system.measures.units import times_second
from mobod.system.stage import Stage
from mobod.system.state.layout import Layout
from mobod.system.state.state import State
from mobod.system.state.values import checked_numbers
from mobod.system.variable import CatalogueVariable


@final
class Integrate(Measure):
    """Its value is an auxiliary variable z, whose rate is the operand; it takes part in the control of steps.

    operand  known at ACCELERATION at the latest
    initial  in new States, of the operand's shape; a number is taken for each entry
    unit     default: that of the operand, times s
    """

    operand: Measure = argument("what is measured of", kw_only=False)
    initial: Any = argument("value in new States", default=0.0, is_kept=False)
    unit: Units | None = argument("unit of the value", default=None)

    def __post_init__(self) -> None:
        operand = checked_operand(self.operand, self.system, "Integrate")
        if operand.stage > Stage.ACCELERATION:
            raise InputError(f"Integrate: '{operand.name}' is known at {operand.stage.name}, too late to be integrated.")
        start = checked_numbers(spread(self.given["initial"], operand.shape), operand.shape, "Integrate: initial")
        self.z_starts = tuple(float(value) for value in start.flat)
        units = tuple(times_second(each) for each in operand.units)
        self._measure(shape=operand.shape, stage=Stage.DYNAMICS, unit=self.unit or units)

    @property
    def known_from(self) -> Stage:
        """The stage from which its value can be read."""
        return Stage.MODEL

    def set_value(self, state: State, value: ArrayLike) -> None:
        """Resets the integral; invalidates stage DYNAMICS."""
        check_state(state, self.system)
        state.write(self.slot(state.layout), value, f"{self.name}.value", Stage.DYNAMICS)

    def slot(self, layout: Layout) -> Slot:
        """Where its value lies."""
        return Slot(self.subsystem.z(layout, self).offset, self.shape)

    def rate(self, layout: Layout) -> Slot:
        """Where the rate of its value lies, known at `rate_stage`."""
        return self.operand.slot(layout)

    @property
    def rate_stage(self) -> Stage:
        """The stage that its rate changes with."""
        return self.operand.stage

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        self.subsystem.sweep(layout, Stage.ACCELERATION).add(same, [self.operand.slot(layout)], [self._z_dot(layout)])

    def _z_dot(self, layout: Layout) -> Slot:
        z = self.slot(layout)
        return Slot(z.offset - layout.y.offset + layout.y_dot.offset, self.shape)

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        text = f"integral of measure '{self.operand.name}'"
        value = CatalogueVariable.state(f"{self.name}.value", self.slot(layout), self.units, text, Stage.DYNAMICS)
        of_rate = f"rate of {self.name}.value, the value of measure '{self.operand.name}'"
        return [value, value.rate(self._z_dot(layout), Stage.ACCELERATION, of_rate, self.operand.units)]
