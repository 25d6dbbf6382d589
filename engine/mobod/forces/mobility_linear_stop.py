"""MobilityLinearStop: stiff stops at the ends of a coordinate's range."""

from math import inf
from typing import Any, Self, final

from mobod.errors import InputError
from mobod.forces.force import Force
from mobod.forces.mobility import checked_body, checked_coordinate, force_unit
from mobod.forces.parameter import ForceParameter, accessors
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import maximum, minimum, where
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout, State


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

    stiffness, set_stiffness, default_stiffness, set_default_stiffness = accessors("stiffness", "() N/m or N m/rad")
    dissipation, set_dissipation, default_dissipation, set_default_dissipation = accessors("dissipation", "() s/m or s/rad")
    q_low, _set_q_low, default_q_low, _set_default_q_low = accessors("q_low", "() m or rad")
    q_high, _set_q_high, default_q_high, _set_default_q_high = accessors("q_high", "() m or rad")

    def __init__(
        self,
        forces: ForceSubsystem,
        body: MobilizedBody,
        *,
        stiffness: float,
        dissipation: float = 0.0,
        q_low: float = -inf,
        q_high: float = inf,
        coordinate: int = 0,
        name: str | None = None,
        disabled: bool = False,
    ):
        self.body = checked_body(forces, body, "MobilityLinearStop")
        self.coordinate, self.speed = checked_coordinate(coordinate, body, "MobilityLinearStop")
        unit, of_coordinate = body.equations.q_units[coordinate], f"of coordinate {coordinate} of '{body.name}'"
        self.parameters = (
            ForceParameter(
                name="stiffness",
                unit=f"{force_unit(body, self.speed)}/{unit}",
                description=f"stiffness of the stops {of_coordinate}",
                minimum=0.0,
            ),
            ForceParameter(name="dissipation", unit=f"s/{unit}", description=f"dissipation in the stops {of_coordinate}", minimum=0.0),
            ForceParameter(name="q_low", unit=unit, description=f"lower stop {of_coordinate}", is_bound=True),
            ForceParameter(name="q_high", unit=unit, description=f"upper stop {of_coordinate}", is_bound=True),
        )
        defaults = {"stiffness": stiffness, "dissipation": dissipation, "q_low": q_low, "q_high": q_high}
        self._check_order(q_low, q_high, "MobilityLinearStop" if name is None else name)
        super().__init__(forces, defaults, name=name, disabled=disabled)

    def set_q_low(self, state: State, q_low: float) -> Self:
        """() m or rad, at most q_high; takes the State back before DYNAMICS. Returns the force."""
        return self.set_bounds(state, q_low, self.q_high(state))

    def set_q_high(self, state: State, q_high: float) -> Self:
        """() m or rad, at least q_low; takes the State back before DYNAMICS. Returns the force."""
        return self.set_bounds(state, self.q_low(state), q_high)

    def set_bounds(self, state: State, q_low: float, q_high: float) -> Self:
        """() m or rad; takes the State back before DYNAMICS. Returns the force."""
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

    def _check_order(self, q_low: Any, q_high: Any, owner: str) -> None:
        low, high = (
            float(parameter.checked(value, owner))
            for parameter, value in ((self._parameter("q_low"), q_low), (self._parameter("q_high"), q_high))
        )
        if low > high:
            unit = self._parameter("q_low").units[0]
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


def beyond(q_low: Any, q_high: Any, q: Any) -> Any:
    """How far q is above q_high, or below q_low: then negative."""
    return maximum(q - q_high, 0.0) + minimum(q - q_low, 0.0)


def dissipative_factor(dissipation: Any, x: Any, u: Any) -> Any:
    """1 + dissipation |x|_dot, but at least 0: a stop that is left faster than it can follow applies nothing."""
    return maximum(1 + dissipation * where(x > 0, u, -u), 0.0)


def stop_force(enabled: Any, stiffness: Any, dissipation: Any, q_low: Any, q_high: Any, q: Any, u: Any) -> Any:
    x = beyond(q_low, q_high, q)
    return where(enabled, -stiffness * x * dissipative_factor(dissipation, x, u), 0.0)


def stop_energy(enabled: Any, stiffness: Any, q_low: Any, q_high: Any, q: Any) -> Any:
    return where(enabled, stiffness * beyond(q_low, q_high, q) ** 2 / 2, 0.0)


def stop_loss(enabled: Any, stiffness: Any, dissipation: Any, q_low: Any, q_high: Any, q: Any, u: Any) -> Any:
    """What the spring alone gives less what the stop gives."""
    x = beyond(q_low, q_high, q)
    return where(enabled, stiffness * x * u * (dissipative_factor(dissipation, x, u) - 1), 0.0)
