"""Outdated values are never returned: a changed State has the same bits as a new one."""

import numpy as np
import pytest

import mobod as mb
from mobod import Stage
from tests.laws.mechanisms import random_frame, random_mechanism


def all_values(mechanism, state):
    """Every catalogued variable, and the sums that are not in the catalogue."""
    system, matter = mechanism.system, mechanism.matter
    values = {variable.name: system.value(state, variable) for variable in system.variables(state)}
    system.realize(state, Stage.ACCELERATION)
    values |= {f"{body.name}.q_dot_dot": body.q_dot_dot(state) for body in mechanism.bodies}
    values |= {"body forces": matter.body_forces(state), "mobility forces": matter.mobility_forces(state)}
    values |= {f"losses of {force.name}": force.calc_power_dissipation_contribution(state) for force in mechanism.forces.values()}
    return {name: np.array(value) for name, value in values.items()}


def fresh_copy(mechanism, state):
    """A new State with the same variables and no computed values."""
    fresh = mechanism.system.realize_topology()
    fresh.time, fresh.y = state.time, state.y
    for subsystem in mechanism.system.subsystems:
        for force in getattr(subsystem, "elements", []):
            for handle in force.handles:
                fresh.set(handle, state.get(handle))
    for variable in mechanism.system.variables(state):  # motions and locks
        if variable.role == "parameter":
            mechanism.system.set_value(fresh, variable.name, mechanism.system.value(state, variable))
    return fresh


def assert_same_bits(actual, expected):
    assert actual.keys() == expected.keys()
    different = [name for name in expected if actual[name].tobytes() != expected[name].tobytes()]
    assert different == []


def movable(mechanism, state):
    """Bodies without motions and locks."""
    known = {motion.body for motion in mechanism.motions.values() if not motion.is_disabled(state)}
    return [body for body in mechanism.bodies if body.nu and body not in known and not body.is_locked(state)]


CHANGES = {
    "time": lambda mechanism, state, rng: setattr(state, "time", rng.uniform(0, 3)),
    "q": lambda mechanism, state, rng: setattr(state, "q", rng.normal(size=len(state.q))),
    "u": lambda mechanism, state, rng: setattr(state, "u", rng.normal(size=len(state.u))),
    "q of one body": lambda mechanism, state, rng: movable(mechanism, state)[0].set_q(
        state, rng.normal(size=movable(mechanism, state)[0].nq)
    ),
    "u of one body": lambda mechanism, state, rng: movable(mechanism, state)[-1].set_u(
        state, rng.normal(size=movable(mechanism, state)[-1].nu)
    ),
    "field": lambda mechanism, state, rng: mechanism.forces["Gravity"].set_down_direction(state, rng.normal(size=3)),
    "zero height": lambda mechanism, state, rng: mechanism.forces["Gravity"].set_zero_height(state, rng.normal()),
    "stiffness": lambda mechanism, state, rng: mechanism.forces["MobilityLinearSpring"].set_stiffness(state, rng.uniform(5, 50)),
    "motor": lambda mechanism, state, rng: mechanism.forces["MobilityForce"].set_force(state, rng.normal()),
    "z": lambda mechanism, state, rng: setattr(state, "z", rng.normal(size=len(state.z))),
    "station": lambda mechanism, state, rng: mechanism.forces["TwoPointLinearSpring"].set_station2(state, rng.normal(size=3)),
    "bushing frame": lambda mechanism, state, rng: mechanism.forces["LinearBushing"].set_frame_on_body1(state, random_frame(rng)),
    "bushing damping": lambda mechanism, state, rng: mechanism.forces["LinearBushing"].set_damping(state, rng.uniform(0, 1, size=6)),
    "body force": lambda mechanism, state, rng: mechanism.forces["DiscreteForces"].set_body_force(
        state, movable(mechanism, state)[0], rng.normal(size=6)
    ),
    "disable": lambda mechanism, state, rng: mechanism.forces[rng.choice(list(mechanism.forces))].disable(state),
    "enable": lambda mechanism, state, rng: mechanism.forces[rng.choice(list(mechanism.forces))].enable(state),
}


@pytest.mark.fast(8)
@pytest.mark.parametrize("name", CHANGES)
def test_after_any_change_the_bits_match_a_fresh_state(mechanism, state, rng, name):
    before = all_values(mechanism, state)
    CHANGES[name](mechanism, state, rng)
    after = all_values(mechanism, state)

    assert_same_bits(after, all_values(mechanism, fresh_copy(mechanism, state)))
    if name not in ("time", "enable"):  # nothing here depends on time, and all forces were enabled
        assert any(not np.array_equal(after[each], before[each]) for each in before)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [31, 32])
def test_after_any_sequence_of_changes_and_reads_the_bits_match_a_fresh_state(seed):
    mechanism, rng = random_mechanism(seed), np.random.default_rng(seed)
    state = mechanism.random_state(rng)
    for _ in range(60):
        CHANGES[rng.choice(list(CHANGES))](mechanism, state, rng)
        mechanism.system.realize(state, Stage(rng.integers(Stage.INSTANCE, Stage.REPORT + 1)))
        if state.stage >= Stage.POSITION and rng.integers(2):
            mechanism.system.potential_energy(state)
            mechanism.matter.multiply_by_mass_matrix(state, rng.normal(size=len(state.u)))
        if state.stage >= Stage.VELOCITY and rng.integers(2):
            mechanism.system.kinetic_energy(state)
    assert_same_bits(all_values(mechanism, state), all_values(mechanism, fresh_copy(mechanism, state)))


def test_a_state_with_restored_variables_has_the_same_bits(mechanism, state):
    before, y = all_values(mechanism, state), state.y.copy()
    state.y = -y
    mechanism.system.realize(state, Stage.REPORT)
    state.y = y
    assert_same_bits(all_values(mechanism, state), before)


def test_two_states_of_a_system_do_not_disturb_each_other(mechanism, state, rng):
    before = all_values(mechanism, state)
    other = mechanism.random_state(rng)
    mechanism.forces["Gravity"].set_magnitude(other, 3.1)
    mechanism.system.realize(other, Stage.REPORT)

    assert_same_bits(all_values(mechanism, state), before)


def test_a_copy_has_the_same_bits_and_is_independent(mechanism, state, rng):
    before = all_values(mechanism, state)
    copy = state.copy()
    assert_same_bits(all_values(mechanism, copy), before)

    copy.u = rng.normal(size=len(state.u))
    mechanism.forces["MobilityLinearSpring"].disable(copy)
    mechanism.system.realize(copy, mb.Stage.REPORT)
    assert_same_bits(all_values(mechanism, state), before)
    assert not mechanism.forces["MobilityLinearSpring"].is_disabled(state)
