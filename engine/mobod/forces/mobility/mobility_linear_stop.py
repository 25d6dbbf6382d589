"""MobilityLinearStop: stiff stops at the ends of a coordinate's range."""

from math import inf
from typing import Self, final

from mobod.errors import InputError
from mobod.forces.force import Force
from mobod.forces.mobility.acted_on import checked_body, checked_coordinate, force_unit
from mobod.matter import MobilizedBody, Tree
from mobod.scalar import Scalar, Slot, Sweep, maximum, minimum, where
from mobod.system import Layout, State
from mobod.system.elements import Parameter, argument, parameter, parameters_of


@final
class MobilityLinearStop(Force):
    """Beyond q_low or q_high, by x, the force -stiffness x (1 + dissipation |x|_dot) on the coordinate's speed, which never pulls.

    Potential energy stiffness x^2 / 2.

    coordinate   which of the body's coordinates, from 0; its rate must be a speed, so not one of a quaternion
    stiffness    N/m or N m/rad, at least 0
    dissipation  s/m or s/rad, at least 0
    q_low        m or rad, at most q_high; -inf: no stop there, in a State and an FMU the largest negative number
    q_high       m or rad; inf: no stop there, likewise

    Source: K. H. Hunt and F. R. E. Crossley, Coefficient of restitution interpreted as damping in vibroimpact, J. Applied Mechanics 42
    (1975), for the form of the dissipation, here with a linear spring.
    """

    body: MobilizedBody = argument("the body that it acts on", kw_only=False)
    stiffness: Parameter[float] = parameter(
        "{element.force_unit}/{element.q_unit}",
        "stiffness of the stops of {element.place}",
        least=0.0,
    )
    set_stiffness, default_stiffness, set_default_stiffness = stiffness.accessors
    dissipation: Parameter[float] = parameter("s/{element.q_unit}", "dissipation in the stops of {element.place}", default=0.0, least=0.0)
    set_dissipation, default_dissipation, set_default_dissipation = dissipation.accessors
    q_low: Parameter[float] = parameter("{element.q_unit}", "lower stop of {element.place}", default=-inf, is_bound=True)
    _set_q_low, default_q_low, _set_default_q_low = q_low.accessors
    q_high: Parameter[float] = parameter("{element.q_unit}", "upper stop of {element.place}", default=inf, is_bound=True)
    _set_q_high, default_q_high, _set_default_q_high = q_high.accessors
    coordinate: int = argument("which of the coordinates of the body, from 0", default=0)

    def __post_init__(self) -> None:
        checked_body(self.forces, self.body, "MobilityLinearStop")
        self.coordinate, self.speed = checked_coordinate(self.coordinate, self.body, "MobilityLinearStop")
        self.force_unit, self.q_unit = force_unit(self.body, self.speed), self.body.equations.q_units[self.coordinate]
        self.place = f"coordinate {self.coordinate} of '{self.body.name}'"
        self._check_order(self.given["q_low"], self.given["q_high"], self.given["name"] or "MobilityLinearStop")
        super().__post_init__()

    def set_q_low(self, state: State, q_low: float) -> Self:
        """() m or rad, at most q_high; invalidates stage DYNAMICS. Returns the force."""
        return self.set_bounds(state, q_low, self.q_high(state))

    def set_q_high(self, state: State, q_high: float) -> Self:
        """() m or rad, at least q_low; invalidates stage DYNAMICS. Returns the force."""
        return self.set_bounds(state, self.q_low(state), q_high)

    def set_bounds(self, state: State, q_low: float, q_high: float) -> Self:
        """() m or rad; invalidates stage DYNAMICS. Returns the force."""
        self._check_order(q_low, q_high, self.name)
        self._set_q_low(state, q_low)
        self._set_q_high(state, q_high)
        return self

    def set_default_q_low(self, q_low: float) -> Self:
        """() m or rad, at most q_high, in new States; those made before raise when used. Returns the force."""
        return self.set_default_bounds(q_low, self.default_q_high)

    def set_default_q_high(self, q_high: float) -> Self:
        """() m or rad, at least q_low, in new States; those made before raise when used. Returns the force."""
        return self.set_default_bounds(self.default_q_low, q_high)

    def set_default_bounds(self, q_low: float, q_high: float) -> Self:
        """() m or rad, in new States; those made before raise when used. Returns the force."""
        self._check_order(q_low, q_high, self.name)
        self._set_default_q_low(q_low)
        self._set_default_q_high(q_high)
        return self

    def _check_order(self, q_low: float, q_high: float, owner: str) -> None:
        declared, given = parameters_of(type(self)), {"q_low": q_low, "q_high": q_high}
        low, high = (float(declared[name].of(self).checked(value, f"'{owner}.{name}'")) for name, value in given.items())
        if low > high:
            unit = self.q_unit
            raise InputError(f"'{owner}': its lower stop, {q_low} {unit}, is above its upper stop, {q_high} {unit}. Swap them.")

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        target = tree.speeds(tree.slots.mobility_forces, self.body)[self.speed]
        inputs = self._inputs(tree, layout, "stiffness", "dissipation", "q_low", "q_high")
        sweep.add(stop_force, [*inputs, tree.u(self.body)[self.speed]], [target], adds=(0,))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        sweep.add(stop_energy, self._inputs(tree, layout, "stiffness", "q_low", "q_high"), [total], adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        inputs = self._inputs(tree, layout, "stiffness", "dissipation", "q_low", "q_high")
        sweep.add(stop_loss, [*inputs, tree.u(self.body)[self.speed]], [total], adds=(0,))

    def _inputs(self, tree: Tree, layout: Layout, *parameters: str) -> list[Slot]:
        return [*(self._slot(layout, name) for name in ("enabled", *parameters)), tree.coordinate(self.body, self.speed)]


def beyond(q_low: Scalar, q_high: Scalar, q: Scalar) -> Scalar:
    """How far q is above q_high, or below q_low: then negative."""
    # in a tie the first argument gives the derivative: where all three are equal it is 1, of the first term alone
    return maximum(q - q_high, 0.0) + minimum(0.0, q - q_low)


def dissipative_factor(dissipation: Scalar, x: Scalar, u: Scalar) -> Scalar:
    """1 + dissipation |x|_dot, but at least 0: a stop that is left faster than it can follow applies nothing."""
    return maximum(1 + dissipation * where(x > 0, u, -u), 0.0)


def stop_force(enabled: Scalar, stiffness: Scalar, dissipation: Scalar, q_low: Scalar, q_high: Scalar, q: Scalar, u: Scalar) -> Scalar:
    x = beyond(q_low, q_high, q)
    return where(enabled, -stiffness * x * dissipative_factor(dissipation, x, u), 0.0)


def stop_energy(enabled: Scalar, stiffness: Scalar, q_low: Scalar, q_high: Scalar, q: Scalar) -> Scalar:
    return where(enabled, stiffness * beyond(q_low, q_high, q) ** 2 / 2, 0.0)


def stop_loss(enabled: Scalar, stiffness: Scalar, dissipation: Scalar, q_low: Scalar, q_high: Scalar, q: Scalar, u: Scalar) -> Scalar:
    """What the spring alone gives less what the stop gives."""
    x = beyond(q_low, q_high, q)
    return where(enabled, stiffness * x * u * (dissipative_factor(dissipation, x, u) - 1), 0.0)
