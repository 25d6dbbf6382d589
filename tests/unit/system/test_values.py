"""System.set_value: states, parameters and inputs by name."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import InputError, UnknownNameError


@pytest.fixture
def system():
    system = mb.MultibodySystem("crane")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.2, -1, 0.3], magnitude=9.7, name="gravity")
    load = mb.MassProperties(mass=1.7, com=[0.1, -0.4, 0.2], inertia=mb.Inertia.sphere(mass=1.7, radius=0.3).shifted([0.1, -0.4, 0.2]))
    arm = mb.Pin(matter.ground, load, name="arm")
    mb.Free(arm, load, name="load")
    mb.MobilityForce(forces, arm, name="motor")
    mb.MobilityLinearSpring(forces, arm, stiffness=3.1, q_zero=0.2, name="spring")
    return system


def value(system, state, name):
    return system.value(state, system.variable(state, name))


@pytest.mark.parametrize(
    ("name", "given", "held"),
    [
        ("arm.q", 0.7, [0.7]),
        ("arm.u", [-1.3], [-1.3]),
        ("load.u", [1.1, -0.2, 0.3, 0.4, 2.5, 0.6], [1.1, -0.2, 0.3, 0.4, 2.5, 0.6]),
        ("motor.force", 4.2, 4.2),
        ("motor.force", [4.2], 4.2),
        ("gravity.magnitude", 1.62, 1.62),
        ("gravity.down", [0.3, -2.0, 0.1], [0.3, -2.0, 0.1]),
        ("motor.enabled", False, 0.0),
        ("motor.enabled", 0, 0.0),
    ],
)
def test_a_set_value_is_stored_and_nothing_else_changes(system, name, given, held):
    state = system.realize_topology()
    before = state.values.copy()

    system.set_value(state, name, given)

    assert_array_equal(value(system, state, name), held)
    slot = system.variable(state, name).slot
    after = state.values.copy()
    after[slot.slice] = before[slot.slice]
    assert_array_equal(after[: state.layout.y.size + 1], before[: state.layout.y.size + 1])


def test_setting_a_parameter_by_name_matches_the_elements_setter(system):
    by_name, by_element = system.realize_topology(), system.realize_topology()
    gravity, motor, spring = (element for subsystem in system.subsystems if subsystem.name == "forces" for element in subsystem.elements)
    for state in (by_name, by_element):
        # compute everything first, so that the setters must invalidate it
        system.realize(state, mb.Stage.ACCELERATION)
        system.energy(state)

    system.set_value(by_name, "gravity.magnitude", 3.7)
    system.set_value(by_name, "spring.stiffness", 55.0)
    system.set_value(by_name, "motor.force", -6.1)
    gravity.set_magnitude(by_element, 3.7)
    spring.set_stiffness(by_element, 55.0)
    motor.set_force(by_element, -6.1)

    for state in (by_name, by_element):
        system.realize(state, mb.Stage.ACCELERATION)
    assert_array_equal(by_name.u_dot, by_element.u_dot)
    assert system.energy(by_name) == system.energy(by_element)


def test_the_energy_changes_with_a_state_set_by_name(system):
    state = system.realize_topology()
    system.realize(state, mb.Stage.VELOCITY)
    spring = next(subsystem for subsystem in system.subsystems if subsystem.name == "forces").elements[2]
    system.set_value(state, "spring.stiffness", 8.0)
    system.set_value(state, "arm.q", 0.9)
    system.realize(state, mb.Stage.VELOCITY)

    # 1/2 k (q - q_zero)^2, to round-off
    assert_allclose(spring.forces.potential_energy_of(state, spring), 8.0 * (0.9 - 0.2) ** 2 / 2, rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("arm.q", [0.1, 0.2], r"'arm.q' has shape \(1,\), but a value of shape \(2,\) was given"),
        ("gravity.down", 1.0, r"'gravity.down' has shape \(3,\), but a value of shape \(\) was given"),
        ("load.q", np.eye(7), r"shape \(7, 7\)"),
        ("motor.force", "strong", "'motor.force' takes numbers, not 'strong'"),
        ("motor.force", float("nan"), "'motor.force' cannot be nan N.m: not a finite number"),
        ("gravity.magnitude", -1.0, "'gravity.magnitude' cannot be -1.0 m/s2: the least value is 0"),
        ("motor.enabled", 0.5, "'motor.enabled' cannot be 0.5: it is True"),
        ("arm.p_GB", [1, 2, 3], "'arm.p_GB' cannot be set: it is computed"),
        ("der(arm.q)", 1.0, "cannot be set: it is computed"),
        ("energy", 1.0, "cannot be set: it is computed"),
    ],
)
def test_an_invalid_value_is_refused_and_nothing_changes(system, name, given, message):
    state = system.realize_topology()
    before = state.values.copy()

    with pytest.raises(InputError, match=message):
        system.set_value(state, name, given)

    assert_array_equal(state.values, before)


def test_an_unknown_name_gets_the_nearest(system):
    with pytest.raises(UnknownNameError, match=r"Did you mean 'motor.force'\?"):
        system.set_value(system.realize_topology(), "motor.forse", 1.0)
