"""Law of a force: its power equals the loss of its potential energy minus its dissipation."""

from collections.abc import Callable, Iterator

import numpy as np

from mobod.forces import CustomForceSubsystem, Force
from mobod.laws.comparison import differ
from mobod.laws.differences import estimated_difference
from mobod.matter import MatterSubsystem
from mobod.system import Stage, State


def force_laws(force: Force | CustomForceSubsystem, state: State) -> Iterator[str]:
    """Messages about inconsistencies at a State that is realized to DYNAMICS."""
    matter, calc_energy, dissipated = force.matter, _energy_of(force), _dissipation_of(force, state)
    system = matter.system
    on_bodies, on_mobilities = force.calc_force_contribution(state)
    power = _power(matter, state, on_bodies, on_mobilities)

    def energy(h: float) -> float:
        moved = state.copy()
        moved.q = state.q + h * state.q_dot
        if isinstance(force, Force) and force.z_starts:
            z = force.forces.z(state.layout, force)
            moved.write(z, state.view(z) + h * state.view(matter.tree(state.layout).rate(z)), "z", Stage.DYNAMICS)
        system.realize(moved, Stage.POSITION)
        return calc_energy(moved)

    derivative, uncertainty = estimated_difference(energy)
    rate = float(derivative)
    has_energy = rate != 0 or calc_energy(state) != 0
    if dissipated < 0:
        yield f"the power dissipation is negative, {dissipated:.6g} W: what a force takes away counts positive; what it gives is its power."
    if has_energy and not differ(power, rate - dissipated, uncertainty=uncertainty) and differ(rate, 0.0, uncertainty=uncertainty):
        yield (
            f"the potential energy has the wrong sign: it grows by {rate:.6g} W while the force does work, {power:.6g} W. A force does "
            "work at the expense of its energy: change the sign of calc_potential_energy, or that of the force."
        )
    elif (has_energy or dissipated) and differ(power, -rate - dissipated, uncertainty=uncertainty):
        yield (
            f"the power of the force, {power:.6g} W, is not what its potential energy loses, {-rate:.6g} W, less what it dissipates, "
            f"{dissipated:.6g} W. {power + rate + dissipated:.6g} W come from nowhere: check calc_force, calc_potential_energy and "
            "calc_power_dissipation against each other; a force driven from outside has neither energy nor dissipation."
        )


def _power(matter: MatterSubsystem, state: State, on_bodies: np.ndarray, on_mobilities: np.ndarray) -> float:
    """Power, W, of forces about the bodies' origins and along the mobilities."""
    of_bodies = sum(float(F @ body.V_GB(state)) for F, body in zip(on_bodies[1:], matter.bodies, strict=True))
    return of_bodies + float(on_mobilities @ matter.u(state))


def _energy_of(force: Force | CustomForceSubsystem) -> Callable[[State], float]:
    return force.potential_energy if isinstance(force, CustomForceSubsystem) else force.calc_potential_energy_contribution


def _dissipation_of(force: Force | CustomForceSubsystem, state: State) -> float:
    """Dissipated power, W; None for a subsystem, which does not define it."""
    return force.calc_power_dissipation_contribution(state) if isinstance(force, Force) else 0.0
