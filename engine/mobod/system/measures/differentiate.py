"""Differentiate: the derivative of a measure with respect to time."""

from typing import final

from mobod.system.elements import argument
from mobod.system.measures.measure import ComputedMeasure, Measure, Units, checked_operand, same
from mobod.system.measures.units import per_second
from mobod.system.state.layout import Layout


@final
class Differentiate(ComputedMeasure):
    """d/dt of the operand along the motion, exact: what it is computed from is differentiated along with time, q, u and z.

    Of an operand that is known at POSITION it is known at VELOCITY, of VELOCITY and DYNAMICS at ACCELERATION, of ACCELERATION at REPORT.
    Discrete variables and parameters count as constant: a jump has no derivative.

    unit  default: that of the operand, per s

    Raises UnsupportedError, when a State is made, for the second rate of an operand that depends on accelerations of a constrained System.
    """

    operand: Measure = argument("what is measured of", kw_only=False)
    unit: Units | None = argument("unit of the value", default=None)

    def __post_init__(self) -> None:
        operand = checked_operand(self.operand, self.system, "Differentiate")
        units = tuple(per_second(each) for each in operand.units)
        self._measure(shape=operand.shape, stage=operand.rate_stage, unit=self.unit or units)

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        self.subsystem.sweep(layout, self.stage).add(same, [self.operand.rate(layout)], [self.slot(layout)])
