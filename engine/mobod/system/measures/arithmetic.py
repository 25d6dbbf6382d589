"""Plus, Minus and Scale: sums, differences and multiples of measures."""

from typing import final

from mobod.errors import InputError
from mobod.scalar import Array, Scalar
from mobod.system.elements import Parameter, argument, parameter
from mobod.system.measures.measure import ComputedMeasure, Measure, Units, checked_operand
from mobod.system.state.layout import Layout


class _Pair(ComputedMeasure):
    """Of two measures of one shape and unit."""

    left: Measure = argument("the first measure", kw_only=False)
    right: Measure = argument("the second measure", kw_only=False)
    unit: Units | None = argument("unit of the value", default=None)

    def __post_init__(self) -> None:
        kind = type(self).__name__
        left, right = checked_operand(self.left, self.system, kind), checked_operand(self.right, self.system, kind)
        units = [] if self.unit else [("unit", left.units, right.units)]
        for what, of_left, of_right in (("shape", left.shape, right.shape), *units):
            if of_left != of_right:
                raise InputError(f"{kind}: '{left.name}' and '{right.name}' differ in their {what}: {of_left} and {of_right}.")
        self._measure(shape=left.shape, stage=max(left.stage, right.stage), unit=self.unit or left.units)


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
    """factor operand

    factor             a number, which can be tuned
    unit, factor_unit  default: that of the operand, for a factor without a unit
    """

    factor: Parameter[float] = parameter("{element.factor_unit}", "factor", kw_only=False)
    set_factor, default_factor, set_default_factor = factor.accessors
    operand: Measure = argument("what is measured of", kw_only=False)
    unit: Units | None = argument("unit of the value", default=None)
    factor_unit: str = argument("of the factor", default="1")

    def __post_init__(self) -> None:
        operand = checked_operand(self.operand, self.system, "Scale")
        self._measure(shape=operand.shape, stage=operand.stage, unit=self.unit or operand.units)

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        inputs = [*self._parameter_slots(layout), self.operand.slot(layout)]
        self.subsystem.sweep(layout, self.stage).add(scaled, inputs, [self.slot(layout)])


def plus(left: Array | Scalar, right: Array | Scalar) -> Array | Scalar:
    return left + right


def minus(left: Array | Scalar, right: Array | Scalar) -> Array | Scalar:
    return left - right


def scaled(factor: Scalar, value: Array | Scalar) -> Array | Scalar:
    return factor * value
