"""The rate of energy is the power of the forces."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mobod import Stage
from mobod.forces.drives.drive import Drive
from mobod.laws.differences import rate_in_time
from tests.laws.mechanisms import FORCES

FINITE_DIFFERENCE = 1e-10  # as in test_kinematics


def of_nature(*natures):
    return [name for name, kind in FORCES.items() if kind.nature in natures]


WITH_ENERGY = of_nature("conservative", "dissipative", "viscoelastic")


def power(mechanism, state):
    """Power of all applied forces, W."""
    of_bodies = sum(F @ V for F, V in zip(mechanism.matter.body_forces(state)[1:], (b.V_GB(state) for b in mechanism.bodies), strict=True))
    return of_bodies + mechanism.matter.mobility_forces(state) @ state.u


def with_forces_alone(mechanism, state, *names):
    for each, force in mechanism.forces.items():
        if each not in names:
            force.disable(state)
    mechanism.system.realize(state, Stage.ACCELERATION)


@pytest.mark.slow
def test_the_rate_of_kinetic_energy_is_the_power_of_all_forces(mechanism, state):
    """The forces of motions and locks are included."""
    rate = rate_in_time(mechanism.system, state, mechanism.system.kinetic_energy)
    of_all = power(mechanism, state) + mechanism.matter.motion_forces(state) @ state.u
    assert_allclose(rate, of_all, rtol=0, atol=FINITE_DIFFERENCE * mechanism.system.kinetic_energy(state) * 100)


@pytest.mark.fast(12)
@pytest.mark.parametrize("name", WITH_ENERGY)
def test_the_power_of_a_force_is_its_energy_loss_minus_dissipation(mechanism, state, name):
    with_forces_alone(mechanism, state, name)
    force, nature = mechanism.forces[name], FORCES[name].nature
    rate = rate_in_time(mechanism.system, state, mechanism.system.potential_energy)
    dissipated = force.calc_power_dissipation_contribution(state)

    assert abs(power(mechanism, state)) > 1e-4
    assert (abs(rate) > 1e-4) == (nature in ("conservative", "viscoelastic"))
    assert (dissipated > 1e-4) == (nature in ("dissipative", "viscoelastic"))
    assert_allclose(
        power(mechanism, state), -rate - dissipated, atol=FINITE_DIFFERENCE * max(1, abs(mechanism.system.potential_energy(state)))
    )


@pytest.mark.parametrize("name", of_nature("driven"))
def test_a_driven_force_has_no_energy_of_its_own(mechanism, state, name):
    with_forces_alone(mechanism, state, name)
    assert any(part.any() for part in mechanism.forces[name].calc_force_contribution(state))
    assert mechanism.system.potential_energy(state) == mechanism.forces[name].calc_power_dissipation_contribution(state) == 0


@pytest.mark.parametrize("name", of_nature("limiting"))
def test_a_limiting_force_does_nothing_alone(mechanism, state, name):
    with_forces_alone(mechanism, state, name)
    assert not any(part.any() for part in mechanism.forces[name].calc_force_contribution(state))
    assert mechanism.system.potential_energy(state) == mechanism.forces[name].calc_power_dissipation_contribution(state) == 0


@pytest.mark.parametrize("name", of_nature("limiting"))
def test_a_limiting_force_leaves_the_drives_a_power_in_its_range(mechanism, state, name):
    """All drives, some with energy and dissipation of their own, and the limit."""
    limit, drives = mechanism.forces[name], [each for each, force in mechanism.forces.items() if isinstance(force, Drive)]
    with_forces_alone(mechanism, state, *drives)
    before, free = mechanism.matter.mobility_forces(state).copy(), power(mechanism, state)
    limit.enable(state)
    mechanism.system.realize(state, Stage.ACCELERATION)

    excess, added = limit.drive_force(state) - limit.unlimited_force(state), mechanism.matter.mobility_forces(state) - before
    assert abs(excess) > 1e-4
    assert limit.low(state) <= limit.drive_force(state) <= limit.high(state)
    assert np.count_nonzero(added) == 1
    assert_allclose(limit.body.my_part_u(state, added)[limit.speed], excess, rtol=1e-12)
    assert_allclose(power(mechanism, state) - free, excess * limit.body.u(state)[limit.speed], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", FORCES)
def test_a_disabled_force_does_nothing(mechanism, state, name):
    with_forces_alone(mechanism, state, name)
    mechanism.forces[name].disable(state)
    mechanism.system.realize(state, Stage.ACCELERATION)

    assert not mechanism.matter.body_forces(state).any()
    assert not mechanism.matter.mobility_forces(state).any()
    assert mechanism.system.potential_energy(state) == 0
    assert mechanism.forces[name].calc_power_dissipation_contribution(state) == 0
    assert not state.z_dot.any()


def test_energy_is_the_sum_of_its_parts(mechanism, state):
    system, forces = mechanism.system, mechanism.system.subsystems[-1]
    parts = [forces.potential_energy_of(state, force) for force in mechanism.forces.values()]

    assert_allclose(system.potential_energy(state), sum(parts), rtol=1e-14)
    assert_allclose(system.energy(state), system.kinetic_energy(state) + sum(parts), rtol=1e-14)
    values = {name: system.value(state, system.variable(state, name)) for name in ("kinetic_energy", "potential_energy", "energy")}
    assert_allclose(values["kinetic_energy"], system.kinetic_energy(state), rtol=1e-14)
    assert_allclose(values["potential_energy"], sum(parts), rtol=1e-14)
    assert_allclose(values["energy"], system.energy(state), rtol=1e-14)


def test_dissipation_is_the_sum_of_its_parts(mechanism, state):
    forces = mechanism.system.subsystems[-1]
    parts = [force.calc_power_dissipation_contribution(state) for force in mechanism.forces.values()]
    assert_allclose(forces.power_dissipation(state), sum(parts), rtol=1e-14)


def test_the_sums_of_forces_match_the_individual_forces(mechanism, state):
    parts = [force.calc_force_contribution(state) for force in mechanism.forces.values()]
    for total, which in ((mechanism.matter.body_forces(state), 0), (mechanism.matter.mobility_forces(state), 1)):
        assert_allclose(total, sum(part[which] for part in parts), rtol=0, atol=1e-13 * np.abs(total).max())


@pytest.mark.fast(7)
@pytest.mark.parametrize("name", ["LinearBushing", "TwoPointConstantForce", "TwoPointLinearDamper", "TwoPointLinearSpring"])
def test_forces_between_two_bodies_balance(mechanism, state, name):
    """Moments about Ground's origin, with the force on Ground included."""
    F_B, _ = mechanism.forces[name].calc_force_contribution(state)
    p = [mechanism.matter.body(b).X_GB(state).p for b in range(mechanism.matter.n_bodies)]
    about_origin = np.array([[*(F[:3] + np.cross(p[b], F[3:])), *F[3:]] for b, F in enumerate(F_B)])
    assert (np.abs(F_B).max(axis=1) > 0).sum() == 2
    assert_allclose(about_origin.sum(axis=0), np.zeros(6), atol=1e-13 * np.abs(about_origin).max())
