"""MobilityTableSpring: a spring along one coordinate by a curve or a table."""

# Decision: docs/decisions/169-table-springs.md

from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import checked_body, checked_coordinate, force_unit
from mobod.functions import Function
from mobod.functions.function import checked_is_function
from mobod.matter import MobilizedBody, Tree
from mobod.scalar import Scalar, Slot, Sweep, where
from mobod.system import Layout
from mobod.system.elements import Parameter, argument, parameter


@final
class MobilityTableSpring(Force):
    """-scale characteristic(q - q_zero), or -scale characteristic(q - q_zero, u), on the speed u that is the rate of coordinate q.

    characteristic  a Function with one value, N or N m. It has the sign of data sheets: a spring that pushes back has a curve that rises
    coordinate      which of the body's coordinates, from 0; its rate must be a speed, so not one of a quaternion
    q_zero          m or rad, where the argument of the characteristic is 0
    scale           factor of the force

        curve = mb.functions.Spline.from_csv("spring.csv", "angle", "torque", degree=1)
        mb.MobilityTableSpring(forces, hinge, curve, name="spring")

    Potential energy: the integral of characteristic(q, 0), if the Function has an `antiderivative`; otherwise it has none, and its work
    counts as that of a motor. Dissipated power: what the characteristic is more at u than at 0, times u.
    """

    body: MobilizedBody = argument("the body that it acts on", kw_only=False)
    characteristic: Function = argument("force by the coordinate, or by the coordinate and its rate", kw_only=False)
    q_zero: Parameter[float] = parameter("{element.q_unit}", "{element.place} at which the characteristic is read at 0", default=0.0)
    set_q_zero, default_q_zero, set_default_q_zero = q_zero.accessors
    scale: Parameter[float] = parameter("1", "factor of the force along {element.place}", default=1.0)
    set_scale, default_scale, set_default_scale = scale.accessors
    coordinate: int = argument("which of the coordinates of the body, from 0", default=0)

    def __post_init__(self) -> None:
        what = "MobilityTableSpring"
        checked_body(self.forces, self.body, what)
        self.coordinate, self.speed = checked_coordinate(self.coordinate, self.body, what)
        function = checked_is_function(self.characteristic, what)
        if function.argument_size not in (1, 2):
            raise InputError(f"{what}: {function} has {function.argument_size} arguments. It is a function of q, or of q and u.")
        function.check_fits(what, argument_size=function.argument_size, derivative_order=0)
        function.check_one_value(what)
        self._integral = function.antiderivative()
        if self._integral is not None:
            self._integral.check_fits(f"{what}: the antiderivative of {function}", argument_size=function.argument_size, derivative_order=0)
            self._integral.check_one_value(f"{what}: the antiderivative of {function}")
        self._at_rest = 0.0 if self._integral is None else _value_at_rest(self._integral)
        self.force_unit, self.q_unit = force_unit(self.body, self.speed), self.body.equations.q_units[self.coordinate]
        self.place = f"coordinate {self.coordinate} of '{self.body.name}'"
        super().__post_init__()

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        return [*(self._slot(layout, name) for name in ("enabled", "scale", "q_zero")), tree.coordinate(self.body, self.speed)]

    def _with_speed(self, tree: Tree, layout: Layout) -> list[Slot]:
        inputs = self._inputs(tree, layout)
        return inputs if self.characteristic.argument_size == 1 else [*inputs, tree.u(self.body)[self.speed]]

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        sweep.add(table_force, self._with_speed(tree, layout), [target], structure=(self.characteristic,), adds=(0,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        if self._integral is not None:
            sweep.add(table_energy, self._inputs(tree, layout), [total], structure=(self._integral, self._at_rest), adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        if self.characteristic.argument_size == 2:
            sweep.add(table_loss, self._with_speed(tree, layout), [total], structure=(self.characteristic,), adds=(0,))


def _value_at_rest(integral: Function) -> float:
    """At 0, so that the energy is 0 there; 0 if that is outside of a table."""
    try:
        return float(integral.value(np.zeros(integral.argument_size)))
    except InputError:
        return 0.0


def table_force(characteristic: Function, enabled: Scalar, scale: Scalar, q_zero: Scalar, q: Scalar, *u: Scalar) -> Scalar:
    return where(enabled, -scale * characteristic(q - q_zero, *u), 0.0)


def table_energy(integral: Function, at_rest: float, enabled: Scalar, scale: Scalar, q_zero: Scalar, q: Scalar) -> Scalar:
    without_speed = [0.0] * (integral.argument_size - 1)
    return where(enabled, scale * (integral(q - q_zero, *without_speed) - at_rest), 0.0)


def table_loss(characteristic: Function, enabled: Scalar, scale: Scalar, q_zero: Scalar, q: Scalar, u: Scalar) -> Scalar:
    """The power of the part that vanishes at rest."""
    x = q - q_zero
    return where(enabled, scale * u * (characteristic(x, u) - characteristic(x, 0.0)), 0.0)
