"""Plus, Minus and Scale: sums, differences and multiples of measures."""

from typing import Any, final

from mobod.errors import InputError
from mobod.system.layout import Layout
from mobod.system.measures.measure import ComputedMeasure, Measure, MeasureParameter, Units, checked_operand
from mobod.system.system import System
from mobod.system.values import checked_numbers


class _Pair(ComputedMeasure):
    """Of two measures of one shape and unit."""

    def __init__(self, system: System, left: Measure, right: Measure, *, unit: Units | None = None, name: str | None = None):
        kind = type(self).__name__
        self.left, self.right = checked_operand(left, system, kind), checked_operand(right, system, kind)
        for what, of_left, of_right in (("shape", left.shape, right.shape), *([] if unit else [("unit", left.units, right.units)])):
            if of_left != of_right:
                raise InputError(f"{kind}: '{left.name}' and '{right.name}' differ in their {what}: {of_left} and {of_right}.")
        super().__init__(system, shape=left.shape, stage=max(left.stage, right.stage), unit=unit or left.units, name=name)


@final
class Plus(_Pair):
    """left + right

    unit  default: that of both, which must be the same then
    """

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        self.subsystem.sweep(layout, self.stage).add(plus, [self.left.slot(layout), self.right.slot(layout)], [self.slot(layout)])


@final
class Minus(_Pair):
    """left - right

    unit  default: that of both, which must be the same then
    """

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        self.subsystem.sweep(layout, self.stage).add(minus, [self.left.slot(layout), self.right.slot(layout)], [self.slot(layout)])


@final
class Scale(ComputedMeasure):
    """factor operand; the factor, a number, can be tuned.

    unit, factor_unit  default: that of the operand, for a factor without a unit
    """

    def __init__(
        self,
        system: System,
        factor: float,
        operand: Measure,
        *,
        unit: Units | None = None,
        factor_unit: str = "1",
        name: str | None = None,
    ):
        self.operand = checked_operand(operand, system, "Scale")
        parameters = {"factor": MeasureParameter(float(checked_numbers(factor, (), "Scale: factor")), factor_unit, "factor")}
        super().__init__(system, shape=operand.shape, stage=operand.stage, unit=unit or operand.units, name=name, parameters=parameters)

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        inputs = [*self._parameter_slots(layout), self.operand.slot(layout)]
        self.subsystem.sweep(layout, self.stage).add(scaled, inputs, [self.slot(layout)])


def plus(left: Any, right: Any) -> Any:
    return left + right


def minus(left: Any, right: Any) -> Any:
    return left - right


def scaled(factor: Any, value: Any) -> Any:
    return factor * value
