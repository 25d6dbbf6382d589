"""Properties of all forces: names, parameters with defaults, values in a State, a switch; and errors."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import DuplicateNameError, InputError, StateError, UnknownNameError
from mobod.system import Stage


@pytest.fixture
def arm():
    """A pin, a slider and a free body, each with mass; the ForceSubsystem is arm.forces."""
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    mass = mb.MassProperties(1.3, [0.1, -0.2, 0.3], mb.Inertia.sphere(mass=1.3, radius=0.4).shifted([0.1, -0.2, 0.3]))
    pin = mb.Pin(matter.ground, mass, name="pin")
    slider = mb.Slider(pin, mass, name="slider")
    free = mb.Free(slider, mass, name="free")
    mb.Weld(free, mass, name="weld")
    return mb.ForceSubsystem(system)


def body(forces, name):
    return forces.system.matter.body(name)


@dataclass(frozen=True)
class Case:
    """A function that makes a force with one parameter, the parameter's name, default, another value, and its unit on the pin."""

    make: Any
    parameter: str
    default: float
    other: float
    unit: str


CASES = {
    "MobilityForce": Case(lambda forces, **more: mb.MobilityForce(forces, body(forces, "pin"), **more), "force", 2.5, -7.25, "N.m"),
    "damper": Case(lambda forces, **more: mb.MobilityLinearDamper(forces, body(forces, "pin"), **more), "damping", 0.7, 1.9, "N.m.s/rad"),
    "GlobalDamper": Case(lambda forces, **more: mb.GlobalDamper(forces, forces.system.matter, **more), "damping", 0.7, 0.0, "1"),
}


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return request.param


@pytest.fixture
def force(arm, case):
    return case.make(arm, **{case.parameter: case.default}, name="it")


def get(force, case, state):
    return getattr(force, case.parameter)(state)


def put(force, case, state, value):
    getattr(force, f"set_{case.parameter}")(state, value)


# parameters


def test_a_parameter_is_catalogued_with_name_unit_and_role(force, case):
    system = force.forces.system
    state = system.realize_topology()
    variable = system.variable(state, f"it.{case.parameter}")
    assert variable.units == (case.unit,)
    assert variable.role == ("input" if case.parameter == "force" else "parameter")
    assert variable.invalidates == Stage.DYNAMICS
    assert system.value(state, variable) == case.default


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "not a finite number"),
        (np.inf, "not a finite number"),
        ([1.0, 2.0], r"has shape \(\), but a value of shape \(2,\) was given"),
        ([1.0], r"has shape \(\), but a value of shape \(1,\) was given"),
        ("strong", "takes numbers, not 'strong'"),
        (1j, "takes numbers"),
    ],
)
def test_values_that_are_not_numbers_are_refused_by_name(arm, case, value, message):
    whole = rf"'it\.{case.parameter}' .*{message}"
    with pytest.raises(InputError, match=whole):
        case.make(arm, **{case.parameter: value}, name="it")
    force = case.make(arm, **{case.parameter: case.default}, name="it")
    with pytest.raises(InputError, match=whole):
        getattr(force, f"set_default_{case.parameter}")(value)
    state = arm.system.realize_topology()
    with pytest.raises(InputError, match=whole):
        put(force, case, state, value)
    assert get(force, case, state) == case.default


@pytest.mark.parametrize("name", ["damper", "GlobalDamper"])
def test_negative_values_are_refused_with_value_and_unit(arm, name):
    case = CASES[name]
    shown = "" if case.unit == "1" else f" {case.unit}"
    with pytest.raises(InputError, match=rf"'it\.{case.parameter}' cannot be -0\.5{shown}: the least value is 0"):
        case.make(arm, **{case.parameter: -0.5}, name="it")


def test_a_refused_force_is_not_added(arm, case):
    with pytest.raises(InputError):
        case.make(arm, **{case.parameter: np.nan}, name="it")
    assert arm.elements == []
    case.make(arm, **{case.parameter: case.default}, name="it")  # the name is free
    arm.system.realize(arm.system.realize_topology())


def test_refused_gravity_is_not_added(arm):
    for wrong in ({"down": [0, 0, 0]}, {"vector": [0, 0, np.nan]}, {"magnitude": -1.0}, {"zero_height": [1.0]}):
        with pytest.raises(InputError):
            mb.Gravity(arm, arm.system.matter, name="gravity", **wrong)
    assert arm.elements == []


# the switch


def test_a_force_can_be_disabled_and_enabled(force, case):
    system = force.forces.system
    state = system.realize_topology()
    assert not force.is_disabled(state)
    system.realize(state, Stage.REPORT)
    force.disable(state)
    assert force.is_disabled(state)
    assert state.stage == Stage.MODEL
    force.enable(state)
    assert not force.is_disabled(state)


def test_the_default_of_disabled_is_topological(arm, case):
    force = case.make(arm, **{case.parameter: case.default}, name="it", disabled=True)
    state = arm.system.realize_topology()
    assert force.is_disabled_by_default
    assert force.is_disabled(state)
    force.set_disabled_by_default(False)
    with pytest.raises(StateError, match="the topology of System 'arm' changed"):
        force.is_disabled(state)
    assert not force.is_disabled(arm.system.realize_topology())


# names


def test_forces_without_names_are_numbered_by_kind(arm, case):
    first, second = (case.make(arm, **{case.parameter: case.default}) for _ in range(2))
    kind = type(first).__name__.lower()
    assert (first.name, second.name) == (f"{kind}1", f"{kind}2")


def test_numbers_of_existing_names_are_skipped(arm, case):
    kind = type(case.make(arm, **{case.parameter: case.default}, name="it")).__name__.lower()
    mb.GlobalDamper(arm, arm.system.matter, damping=1.0, name=f"{kind}3")
    assert case.make(arm, **{case.parameter: case.default}).name == f"{kind}4"


def test_a_used_name_is_refused_for_any_element(arm, force, case):
    with pytest.raises(DuplicateNameError, match=f"the name 'it' is taken by a {type(force).__name__} of System 'arm'"):
        case.make(arm, **{case.parameter: case.default}, name="it")
    with pytest.raises(DuplicateNameError, match="the name 'slider' is taken by a body of System 'arm'"):
        case.make(arm, **{case.parameter: case.default}, name="slider")
    with pytest.raises(DuplicateNameError, match="the name 'ground' is taken by Ground"):
        case.make(arm, **{case.parameter: case.default}, name="ground")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "a name must be a text and not empty"),
        (5, "a name must be a text and not empty"),
        ("it's", "a name is a text without quotes"),
        ("two\nlines", "cannot be printed"),
    ],
)
def test_a_name_must_be_printable_text_without_quotes(arm, case, name, why):
    with pytest.raises(InputError, match=why):
        case.make(arm, **{case.parameter: case.default}, name=name)


def test_an_unknown_variable_is_refused_with_the_nearest_name(force, case):
    state = force.forces.system.realize_topology()
    with pytest.raises(UnknownNameError, match=rf"no variable of System 'arm' is named 'itt\.{case.parameter}'. Did you mean 'it\."):
        force.forces.system.variable(state, f"itt.{case.parameter}")


# another System


@pytest.mark.fast(2)
def test_a_state_of_another_system_is_refused(force, case):
    other = mb.MultibodySystem("other")
    mb.MatterSubsystem(other)
    force.forces.system.realize_topology()
    state = other.realize_topology()
    other.realize(state)
    for use in (
        lambda: put(force, case, state, case.other),
        lambda: get(force, case, state),
        lambda: force.disable(state),
        lambda: force.is_disabled(state),
        lambda: force.forces.potential_energy(state),
        lambda: force.forces.potential_energy_of(state, force),
    ):
        with pytest.raises(StateError, match="a State of System 'other' was given to System 'arm'"):
            use()


def test_a_body_or_matter_of_another_system_is_refused(arm):
    other = mb.MultibodySystem("other")
    matter = mb.MatterSubsystem(other)
    stranger = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, 1, 0]), name="stranger")
    for make in (
        lambda: mb.MobilityForce(arm, stranger),
        lambda: mb.MobilityLinearSpring(arm, stranger, stiffness=1.0),
        lambda: mb.MobilityLinearDamper(arm, stranger, damping=1.0),
    ):
        with pytest.raises(InputError, match=r"body 'stranger' belongs to System 'other'.* 'arm'"):
            make()
    for make in (lambda: mb.GlobalDamper(arm, matter, damping=1.0), lambda: mb.Gravity(arm, matter)):
        with pytest.raises(InputError, match="the matter belongs to System 'other', the forces to 'arm'"):
            make()


@pytest.mark.parametrize("wrong", ["pin", 1, None, mb.MassProperties.point(1.0, [0, 0, 0])], ids=["name", "index", "None", "mass"])
def test_a_mobility_force_needs_a_mobilized_body(arm, wrong):
    with pytest.raises(InputError, match="MobilityForce: it acts on a mobilized body, not on"):
        mb.MobilityForce(arm, wrong)


def test_ground_has_no_mobility(arm):
    with pytest.raises(InputError, match="it acts on a mobilized body, not on Ground"):
        mb.MobilityForce(arm, arm.system.matter.ground)


# which coordinate or speed


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda forces: mb.MobilityForce(forces, body(forces, "pin"), speed=1),
            r"'pin' \(Pin\) has 1 speeds, numbered from 0; 1 is not one of them",
        ),
        (lambda forces: mb.MobilityForce(forces, body(forces, "free"), speed=-1), r"'free' \(Free\) has 6 speeds.* -1 is not one of them"),
        (lambda forces: mb.MobilityForce(forces, body(forces, "weld")), r"'weld' \(Weld\) has 0 speeds.* 0 is not one of them"),
        (lambda forces: mb.MobilityLinearDamper(forces, body(forces, "free"), speed=6, damping=1.0), r"'free' \(Free\) has 6 speeds"),
        (lambda forces: mb.MobilityLinearSpring(forces, body(forces, "free"), coordinate=7, stiffness=1.0), r"has 7 coordinates"),
        (
            lambda forces: mb.MobilityForce(forces, body(forces, "free"), speed=1.0),
            r"speed is 1\.0\. A whole number is needed",
        ),
        (
            lambda forces: mb.MobilityLinearSpring(forces, body(forces, "free"), coordinate=2, stiffness=1.0),
            r"coordinate 2 of 'free' \(Free\) has no speed as its rate \(an entry of a quaternion, say\)",
        ),
    ],
)
def test_a_nonexistent_coordinate_or_speed_is_refused(arm, make, message):
    with pytest.raises(InputError, match=message):
        make(arm)


@pytest.mark.parametrize(
    ("name", "index", "force", "damping"),
    [("pin", 0, "N.m", "N.m.s/rad"), ("slider", 0, "N", "N.s/m"), ("free", 2, "N.m", "N.m.s/rad"), ("free", 4, "N", "N.s/m")],
)
def test_units_match_those_of_the_speed(arm, name, index, force, damping):
    mb.MobilityForce(arm, body(arm, name), speed=index, name="motor")
    mb.MobilityLinearDamper(arm, body(arm, name), speed=index, damping=1.0, name="damper")
    state = arm.system.realize_topology()
    assert arm.system.variable(state, "motor.force").units == (force,)
    assert arm.system.variable(state, "damper.damping").units == (damping,)


def test_units_of_a_spring_match_those_of_its_coordinate(arm):
    mb.MobilityLinearSpring(arm, body(arm, "free"), coordinate=5, stiffness=1.0, name="spring")
    state = arm.system.realize_topology()
    assert arm.system.variable(state, "spring.stiffness").units == ("N/m",)
    assert arm.system.variable(state, "spring.q_zero").units == ("m",)


# what they do


def forces_at(arm, q, u, *, disabled=None):
    state = arm.system.realize_topology()
    state.q, state.u = q, u
    if disabled is not None:
        disabled.disable(state)
    arm.system.realize(state, Stage.DYNAMICS)
    return state, arm.system.matter.mobility_forces(state).copy()


Q = np.array([0.4, -0.3, 0.9, 0.1, -0.2, 0.3, 0.5, -0.6, 0.7])
U = np.array([1.1, -0.7, 0.2, 0.3, -0.4, 0.8, -0.9, 1.3])


@pytest.mark.parametrize(
    ("make", "expected", "energy"),
    [
        (lambda forces: mb.MobilityForce(forces, body(forces, "free"), speed=3, force=2.5), {5: 2.5}, 0.0),
        (lambda forces: mb.MobilityLinearDamper(forces, body(forces, "slider"), damping=3.0), {1: 3 * 0.7}, 0.0),
        (
            lambda forces: mb.MobilityLinearSpring(forces, body(forces, "free"), coordinate=5, stiffness=8.0, q_zero=0.2),
            {6: -8 * (-0.6 - 0.2)},
            4 * 0.8**2,
        ),
        (lambda forces: mb.GlobalDamper(forces, forces.system.matter, damping=0.5), dict(enumerate(-0.5 * U)), 0.0),
    ],
    ids=["force", "damper", "spring", "global damper"],
)
def test_a_force_acts_only_on_its_own_speeds(arm, make, expected, energy):
    force = make(arm)
    state, actual = forces_at(arm, Q, U)
    assert_allclose(actual, [expected.get(i, 0.0) for i in range(8)], rtol=1e-15)
    assert not arm.system.matter.body_forces(state).any()
    assert_allclose(arm.potential_energy_of(state, force), energy, rtol=1e-15)

    state, actual = forces_at(arm, Q, U, disabled=force)
    assert_array_equal(actual, np.zeros(8))
    assert arm.potential_energy_of(state, force) == 0


@pytest.mark.slow
def test_forces_add_up_over_elements_and_subsystems(arm):
    mb.MobilityForce(arm, body(arm, "pin"), force=2.5)
    mb.MobilityForce(arm, body(arm, "pin"), force=-0.75)
    others = mb.ForceSubsystem(arm.system, "others")
    mb.MobilityForce(others, body(arm, "pin"), force=10.0)
    mb.MobilityLinearSpring(arm, body(arm, "pin"), stiffness=2.0)
    mb.MobilityLinearSpring(others, body(arm, "slider"), stiffness=4.0)
    state, actual = forces_at(arm, Q, U)
    assert_allclose(actual[:2], [2.5 - 0.75 + 10 - 2 * 0.4, 4 * 0.3], rtol=1e-15)
    assert_allclose(arm.system.potential_energy(state), 0.4**2 + 2 * 0.3**2, rtol=1e-15)
    assert_allclose(others.potential_energy(state), 2 * 0.3**2, rtol=1e-15)
