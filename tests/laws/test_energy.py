"""The rate of energy is the power of the forces."""

import pytest
from numpy.testing import assert_allclose

from mobod import Stage
from tests.laws.mechanisms import FORCES, rate_along_motion

FINITE_DIFFERENCE = 1e-10  # as in test_kinematics


def power(mechanism, state):
    """W, of all applied forces."""
    of_bodies = sum(F @ V for F, V in zip(mechanism.matter.body_forces(state)[1:], (b.V_GB(state) for b in mechanism.bodies), strict=True))
    return of_bodies + mechanism.matter.mobility_forces(state) @ state.u


def with_one_force_alone(mechanism, state, name):
    for each, force in mechanism.forces.items():
        if each != name:
            force.disable(state)
    mechanism.system.realize(state, Stage.ACCELERATION)


def test_kinetic_energy_grows_by_the_power_of_all_forces(mechanism, state):
    rate = rate_along_motion(mechanism.system, state, mechanism.system.kinetic_energy)
    assert_allclose(rate, power(mechanism, state), rtol=0, atol=FINITE_DIFFERENCE * mechanism.system.kinetic_energy(state) * 100)


@pytest.mark.parametrize("name", FORCES)
def test_potential_energy_falls_by_the_power_of_a_conservative_force(mechanism, state, name):
    with_one_force_alone(mechanism, state, name)
    rate = rate_along_motion(mechanism.system, state, mechanism.system.potential_energy)
    if FORCES[name].nature == "conservative":
        assert abs(power(mechanism, state)) > 1e-2
        assert_allclose(rate, -power(mechanism, state), atol=FINITE_DIFFERENCE * max(1, abs(mechanism.system.potential_energy(state))))
    else:
        assert mechanism.system.potential_energy(state) == rate == 0


@pytest.mark.parametrize("name", [name for name, kind in FORCES.items() if kind.nature == "dissipative"])
def test_a_dissipative_force_takes_energy(mechanism, state, name):
    with_one_force_alone(mechanism, state, name)
    assert power(mechanism, state) < 0


@pytest.mark.parametrize("name", FORCES)
def test_a_disabled_force_does_nothing(mechanism, state, name):
    with_one_force_alone(mechanism, state, name)
    mechanism.forces[name].disable(state)
    mechanism.system.realize(state, Stage.ACCELERATION)

    assert not mechanism.matter.body_forces(state).any()
    assert not mechanism.matter.mobility_forces(state).any()
    assert mechanism.system.potential_energy(state) == 0


def test_energy_is_the_sum_of_its_parts(mechanism, state):
    system, forces = mechanism.system, mechanism.system.subsystems[-1]
    parts = [forces.potential_energy_of(state, force) for force in mechanism.forces.values()]

    assert_allclose(system.potential_energy(state), sum(parts), rtol=1e-14)
    assert_allclose(system.energy(state), system.kinetic_energy(state) + sum(parts), rtol=1e-14)
    values = {name: system.value(state, system.variable(state, name)) for name in ("kinetic_energy", "potential_energy", "energy")}
    assert_allclose(values["kinetic_energy"], system.kinetic_energy(state), rtol=1e-14)
    assert_allclose(values["potential_energy"], sum(parts), rtol=1e-14)
    assert_allclose(values["energy"], system.energy(state), rtol=1e-14)
