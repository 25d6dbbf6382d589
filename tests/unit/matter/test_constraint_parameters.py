"""Constraints: arguments, parameters, names, and errors."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage, functions
from mobod.errors import DuplicateNameError, InputError, SingularMechanismError, StateError, UnknownNameError
from mobod.spatial import from_quaternion
from mobod.system.units import si_exponents

POINT, OTHER, X = [0.1, -0.2, 0.3], [0.5, 0.4, -0.6], mb.Transform(from_quaternion([0.3, 0.5, -0.2, 0.8]), [0.3, -0.1, 0.2])


@pytest.fixture
def system():
    system = mb.MultibodySystem("bench")
    matter = mb.MatterSubsystem(system)
    mass = mb.MassProperties(1.3, [0, 0, 0], 0.2 * np.eye(3))
    mb.Free(mb.Ball(matter.ground, mass, name="ball"), mass, name="free")
    mb.Pin(matter.ground, mass, name="pin")
    return system


@pytest.fixture
def matter(system):
    return system.matter


@pytest.fixture
def bodies(matter):
    return {"ground": matter.ground} | {body.name: body for body in matter.bodies}


# name of a constraint and what makes it of the bodies; parameter -> its value as given, another, the unit of its variable if it is one
MADE = {
    "Rod": lambda b: mb.Rod(b["ball"], POINT, b["free"], OTHER, 0.7, name="c"),
    "BallConstraint": lambda b: mb.BallConstraint(b["ball"], POINT, b["free"], OTHER, name="c"),
    "WeldConstraint": lambda b: mb.WeldConstraint(b["ball"], X, b["free"], X.inverse(), name="c"),
    "PointInPlane": lambda b: mb.PointInPlane(b["ball"], [0, 3, 4], 0.3, b["free"], OTHER, name="c"),
    "PointOnLine": lambda b: mb.PointOnLine(b["ball"], [0, 3, 4], POINT, b["free"], OTHER, name="c"),
    "ConstantAngle": lambda b: mb.ConstantAngle(b["ball"], [0, 3, 4], b["free"], [5, 0, -12], 1.2, name="c"),
    "ConstantOrientation": lambda b: mb.ConstantOrientation(b["ball"], X.R, b["free"], X.R.T, name="c"),
    "NoSlip1D": lambda b: mb.NoSlip1D(b["ground"], POINT, [0, 3, 4], b["ball"], b["free"], name="c"),
    "ConstantCoordinate": lambda b: mb.ConstantCoordinate(b["pin"], 0, 0.4, name="c"),
    "ConstantSpeed": lambda b: mb.ConstantSpeed(b["free"], 4, 0.4, name="c"),
    "ConstantAcceleration": lambda b: mb.ConstantAcceleration(b["free"], 4, 0.4, name="c"),
    "PointOnPlaneContact": lambda b: mb.PointOnPlaneContact(b["ball"], X, b["free"], OTHER, name="c"),
    "SphereOnPlaneContact": lambda b: mb.SphereOnPlaneContact(b["ball"], X, b["free"], OTHER, 0.4, True, name="c"),
}
PARAMETERS = {
    "Rod": {"point1": (POINT, OTHER, "m"), "point2": (OTHER, POINT, "m"), "length": (0.7, 1.1, "m")},
    "BallConstraint": {"point1": (POINT, OTHER, "m"), "point2": (OTHER, POINT, "m")},
    "WeldConstraint": {"frame1": (X, X.inverse(), None), "frame2": (X.inverse(), X, None)},
    "PointInPlane": {"normal": ([0, 0.6, 0.8], [1, 0, 0], "1"), "height": (0.3, -0.2, "m"), "point": (OTHER, POINT, "m")},
    "PointOnLine": {"direction": ([0, 0.6, 0.8], [1, 0, 0], "1"), "point_on_line": (POINT, OTHER, "m"), "point": (OTHER, POINT, "m")},
    "ConstantAngle": {
        "base_axis": ([0, 0.6, 0.8], [1, 0, 0], "1"),
        "follower_axis": ([5 / 13, 0, -12 / 13], [0, 1, 0], "1"),
        "angle": (1.2, 2.1, "rad"),
    },
    "ConstantOrientation": {"base_rotation": (X.R, X.R.T, None), "follower_rotation": (X.R.T, X.R, None)},
    "NoSlip1D": {"contact_point": (POINT, OTHER, "m"), "direction": ([0, 0.6, 0.8], [1, 0, 0], "1")},
    "ConstantCoordinate": {"position": (0.4, -0.3, "rad")},
    "ConstantSpeed": {"speed": (0.4, -0.3, "m/s")},
    "ConstantAcceleration": {"acceleration": (0.4, -0.3, "m/s2")},
    "PointOnPlaneContact": {"plane_frame": (X, X.inverse(), None), "point": (OTHER, POINT, "m")},
    "SphereOnPlaneContact": {"plane_frame": (X, X.inverse(), None), "center": (OTHER, POINT, "m"), "radius": (0.4, 0.9, "m")},
}
EACH = [(kind, parameter) for kind, parameters in PARAMETERS.items() for parameter in parameters]


def same(actual, expected):
    if isinstance(expected, mb.Transform):
        return actual.isclose(expected, atol=1e-15)
    return np.allclose(actual, expected, rtol=0, atol=1e-15)


@pytest.mark.fast(27)
@pytest.mark.parametrize(("kind", "parameter"), EACH)
def test_parameters_have_the_given_values_and_can_be_set(system, bodies, kind, parameter):
    constraint = MADE[kind](bodies)
    given, another, unit = PARAMETERS[kind][parameter]

    def get(state):
        return getattr(constraint, parameter)(state)

    state = system.realize_topology()
    system.realize(state, Stage.ACCELERATION)
    before = constraint.position_errors(state).copy(), constraint.velocity_errors(state).copy(), matter_bias(system, state)
    assert same(get(state), given)
    assert getattr(constraint, f"set_{parameter}")(state, another) is constraint
    assert state.stage < Stage.INSTANCE
    assert same(get(state), another)
    system.realize(state, Stage.ACCELERATION)
    after = constraint.position_errors(state), constraint.velocity_errors(state), matter_bias(system, state)
    at_rest = kind == "NoSlip1D"  # where nothing moves no errors are seen
    assert at_rest or any(not np.allclose(a, b) for a, b in zip(before, after, strict=True))

    if unit is not None:
        variable = system.variable(state, f"c.{parameter}")
        assert variable.units == (unit,)
        assert_allclose(system.value(state, variable), another, atol=1e-15)
        system.set_value(state, f"c.{parameter}", given)
        assert same(get(state), given)

    assert same(getattr(constraint, f"default_{parameter}"), given)
    getattr(constraint, f"set_default_{parameter}")(another)
    with pytest.raises(StateError, match="topology"):
        system.realize(state, Stage.POSITION)
    assert same(getattr(constraint, f"default_{parameter}"), another)
    assert same(get(system.realize_topology()), another)


def matter_bias(system, state):
    return system.matter.constraint_bias(state).copy()


@pytest.mark.parametrize("kind", MADE)
def test_errors_and_multipliers_are_catalogued(system, bodies, kind):
    constraint = MADE[kind](bodies)
    state = system.realize_topology()
    state.u = np.random.default_rng(3).normal(size=len(state.u))
    system.realize(state, Stage.ACCELERATION)
    for name, value in (("position_error", constraint.position_errors(state)), ("velocity_error", constraint.velocity_errors(state))):
        if len(value):
            assert_allclose(system.value(state, system.variable(state, f"c.{name}")), value)
        else:
            with pytest.raises(UnknownNameError):
                system.variable(state, f"c.{name}")
    multiplier = system.variable(state, "c.multiplier")
    assert_allclose(system.value(state, multiplier), constraint.multipliers(state))
    assert len(multiplier.units) == constraint.equations.n
    assert system.variable(state, "c.enabled").type == "boolean"


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind != "ConstantAcceleration"])
def test_multipliers_times_velocity_errors_have_units_of_power(system, bodies, kind):
    MADE[kind](bodies)
    state = system.realize_topology()
    of_forces, of_errors = (system.variable(state, f"c.{name}").units for name in ("multiplier", "velocity_error"))
    for force, error in zip(of_forces, of_errors, strict=True):
        product = Counter(si_exponents(force))
        product.update(si_exponents(error))
        without_angles = {base: exponent for base, exponent in product.items() if exponent and base != "rad"}
        assert without_angles == si_exponents("W")


def test_a_constraint_is_enabled_and_disabled_by_its_variable(system, bodies):
    constraint = MADE["BallConstraint"](bodies)
    state = system.realize_topology()
    system.set_value(state, "c.enabled", False)
    assert constraint.is_disabled(state)
    constraint.enable(state)
    assert not constraint.is_disabled(state)
    constraint.set_disabled_by_default(True)
    assert constraint.is_disabled(system.realize_topology())


REFUSED = {
    "a body and itself": (lambda b: mb.Rod(b["free"], POINT, b["free"], OTHER, 0.7), "Rod: it is between 'free' and itself"),
    "no slip on itself": (
        lambda b: mb.NoSlip1D(b["ground"], POINT, [1, 0, 0], b["free"], b["free"]),
        "NoSlip1D: it is between 'free' and itself",
    ),
    "no body": (lambda b: mb.BallConstraint(b["free"], POINT, "ground", OTHER), "a constraint is between bodies, not str"),
    "zero normal": (
        lambda b: mb.PointInPlane(b["free"], [0, 0, 0], 0.1, b["pin"], OTHER),
        "PointInPlane: normal cannot be the zero vector: it has no direction",
    ),
    "zero axis": (lambda b: mb.ConstantAngle(b["free"], POINT, b["pin"], [0, 0, 0]), "follower_axis cannot be the zero vector"),
    "zero direction": (lambda b: mb.PointOnLine(b["free"], [0, 0, 0], POINT, b["pin"], OTHER), "direction cannot be the zero vector"),
    "no slip along nothing": (
        lambda b: mb.NoSlip1D(b["ground"], POINT, [0, 0, 0], b["free"], b["pin"]),
        "NoSlip1D: direction cannot be the zero vector",
    ),
    "angle of 0": (lambda b: mb.ConstantAngle(b["free"], POINT, b["pin"], OTHER, 0), "angle cannot be 0 rad: it must be greater than 0"),
    "angle of pi": (lambda b: mb.ConstantAngle(b["free"], POINT, b["pin"], OTHER, np.pi), "it must be less than 3.14159"),
    "length": (lambda b: mb.Rod(b["free"], POINT, b["pin"], OTHER, -1), "Rod: length cannot be -1 m: it must be greater than 0"),
    "radius": (lambda b: mb.SphereOnPlaneContact(b["free"], X, b["pin"], POINT, 0, True), "radius cannot be 0 m"),
    "point": (lambda b: mb.BallConstraint(b["free"], [1, 2], b["pin"], OTHER), r"point1 has shape \(3,\), but a value of shape \(2,\)"),
    "not finite": (lambda b: mb.ConstantSpeed(b["pin"], 0, np.nan), "ConstantSpeed: speed cannot be nan"),
    "no frame": (lambda b: mb.WeldConstraint(b["free"], np.eye(3), b["pin"], X), "frame1 is a Transform, not ndarray"),
    "no rotation": (lambda b: mb.ConstantOrientation(b["free"], 2 * np.eye(3), b["pin"], X.R), "ConstantOrientation: base_rotation"),
    "coordinate": (
        lambda b: mb.ConstantCoordinate(b["ball"], 4, 0.1),
        r"'ball' \(Ball\) has 4 coordinates, numbered from 0; 4 is not one of them",
    ),
    "speed": (lambda b: mb.ConstantSpeed(b["ball"], 3, 0.1), r"'ball' \(Ball\) has 3 speeds, numbered from 0; 3 is not one of them"),
    "negative": (lambda b: mb.ConstantAcceleration(b["ball"], -1, 0.1), "-1 is not one of them"),
    "speeds of Ground": (lambda b: mb.ConstantSpeed(b["ground"], 0, 0.1), "a mobilized body is needed, .* not Ground"),
    "arguments": (
        lambda b: mb.CoordinateCoupler(b["pin"].matter, functions.Linear([1, 2, 3]), [b["pin"]], [0]),
        "CoordinateCoupler: function 'Linear' has 2 arguments. 1 are given to it",
    ),
    "derivatives": (
        lambda b: mb.PrescribedMotion(b["pin"].matter, functions.Spline.fit([0, 1, 2], [0, 1, 0], degree=1), b["pin"], 0),
        "PrescribedMotion needs derivatives of order 2",
    ),
    "callable": (
        lambda b: mb.PrescribedMotion(b["pin"].matter, np.sin, b["pin"], 0),
        r"the function is a Function, not <ufunc 'sin'>. Write mb.Fun",
    ),
    "several values": (
        lambda b: mb.PrescribedMotion(b["pin"].matter, functions.Constant([1, 2]), b["pin"], 0),
        r"has values of shape \(2,\). One number is needed",
    ),
    "counts": (
        lambda b: mb.CoordinateCoupler(b["pin"].matter, functions.Linear([1, 2, 3]), [b["pin"]], [0, 1]),
        "1 bodies and 2 coordinates are given",
    ),
    "no speeds": (
        lambda b: mb.SpeedCoupler(b["pin"].matter, functions.Linear([1, 2]), [], [], [b["pin"]], [0]),
        "SpeedCoupler: it couples no speed",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_invalid_constraints_are_refused_and_not_added(matter, bodies, what):
    make, message = REFUSED[what]
    with pytest.raises(InputError, match=message):
        make(bodies)
    assert matter.constraints == []


def test_bodies_of_another_system_are_refused(bodies):
    other = mb.MatterSubsystem(mb.MultibodySystem("other"))
    with pytest.raises(InputError, match="body 'ground' belongs to System 'other', not to 'bench'"):
        mb.Rod(bodies["free"], POINT, other.ground, OTHER, 1)
    with pytest.raises(InputError, match="body 'pin' belongs to System 'bench', not to 'other'"):
        mb.CoordinateCoupler(other, functions.Linear([1, 2]), [bodies["pin"]], [0])


def test_names_are_unique_and_have_defaults(bodies):
    assert mb.ConstantSpeed(bodies["pin"], 0, 1.0).name == "constantspeed1"
    with pytest.raises(DuplicateNameError, match="the name 'pin' is taken"):
        mb.ConstantSpeed(bodies["pin"], 0, 1.0, name="pin")


def test_setters_refuse_the_same_values_as_constructors(system, bodies):
    rod = MADE["Rod"](bodies)
    state = system.realize_topology()
    with pytest.raises(InputError, match=r"c\.length cannot be 0 m: it must be greater than 0"):
        rod.set_length(state, 0)
    with pytest.raises(InputError, match=r"c\.point1 has shape \(3,\)"):
        rod.set_default_point1([1, 2])
    with pytest.raises(InputError, match=r"'c\.length' cannot be -1\.0 m"):
        system.set_value(state, "c.length", -1.0)


def test_a_direction_that_becomes_zero_during_a_run_is_an_error(system, bodies):
    MADE["PointInPlane"](bodies)
    state = system.realize_topology()
    system.set_value(state, "c.normal", [0, 0, 0])
    with pytest.raises(SingularMechanismError, match="constraint 'c': its equations are not finite"), np.errstate(all="ignore"):
        system.realize(state, Stage.ACCELERATION)


def test_accelerations_that_are_not_finite_are_explained_as_without_constraints(system, bodies):
    MADE["ConstantSpeed"](bodies)
    state = system.realize_topology()
    bodies["free"].set_u(state, [0, 0, 0, 1e200, 0, 0])
    bodies["ball"].set_u(state, [1e200, 1e200, 0])
    with pytest.raises(SingularMechanismError), np.errstate(all="ignore"):
        system.realize(state, Stage.ACCELERATION)


def test_the_fourth_coordinate_of_a_quaternion_does_not_exist_in_euler_angles(system, matter, bodies):
    mb.ConstantCoordinate(bodies["ball"], 3, 0.1, name="last")
    system.realize_topology()
    matter.set_uses_euler_angles_by_default(True)
    with pytest.raises(
        InputError, match=r"constraint 'last': 'ball' \(Ball\) has 3 coordinates in Euler angles, numbered from 0; 3 is not one of them"
    ):
        system.realize_topology()


def test_without_constraints_all_results_are_empty(system, matter):
    state = system.realize_topology()
    system.realize(state, Stage.ACCELERATION)
    assert matter.constraint_matrix(state).shape == (0, len(state.u))
    assert matter.multiply_by_constraint_matrix_transpose(state, []).tolist() == [0] * len(state.u)
    assert not matter.constraint_forces(state)[0].any()
    assert str(matter.analyze_constraints(state)) == "10 degrees of freedom; 0 constraint equations, 0 of them independent"
    assert_allclose(matter.quaternion_errors(state), [0, 0])
    for empty in ("multipliers", "constraint_position_errors", "constraint_velocity_errors", "constraint_acceleration_errors"):
        assert getattr(matter, empty)(state).shape == (0,)


@pytest.mark.slow
def test_vectors_of_another_length_are_refused(system, matter, bodies):
    MADE["BallConstraint"](bodies)
    state = system.realize_topology()
    system.realize(state, Stage.VELOCITY)
    with pytest.raises(InputError, match=r"a vector of multipliers has shape \(3,\), not \(2,\)"):
        matter.multiply_by_constraint_matrix_transpose(state, [1, 2])
    with pytest.raises(InputError, match=r"accelerations has shape \(10,\), not \(\)"):
        matter.multiply_by_constraint_matrix(state, 1)
