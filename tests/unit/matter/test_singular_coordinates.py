"""Mobilizers report the exact places where their coordinates are singular."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import SingularMechanismError
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.system import Stage
from tests.laws.mechanisms import EQUATIONS

NEAR, AWAY = 1e-4, 0.3
POINT = mb.MassProperties.point(1.0, [0, 0, 0])
SINGULAR = {
    "Gimbal": ([0.3, np.pi / 2, 0.2], 1, "middle angle"),
    "Bushing": ([0.3, -np.pi / 2, 0.2, 1, 2, 3], 1, "middle angle"),
    "BendStretch": ([0.3, 0.0], 1, "stretch"),
    "Ball in Euler angles": ([0.3, np.pi / 2, 0.2], 1, "middle angle"),
    "Free in Euler angles": ([0.3, 1.5 * np.pi, 0.2, 1, 2, 3], 1, "middle angle"),
    "Ellipsoid in Euler angles": ([0.3, np.pi / 2, 0.2], 1, "middle angle"),
    "LineOrientation in Euler angles": ([0.3, np.pi / 2, 0.2], 1, "middle angle"),
    "FreeLine in Euler angles": ([0.3, np.pi / 2, 0.2, 1, 2, 3], 1, "middle angle"),
}


@pytest.mark.parametrize("suffix", ["", " reversed"])
@pytest.mark.parametrize(("name", "at"), SINGULAR.items(), ids=SINGULAR)
def test_singularities_are_reported_only_at_and_near_them(name, at, suffix):
    first, *rest = name.split(" ", 1)
    equations = EQUATIONS[" ".join([first + suffix, *rest])]
    q, index, word = np.array(at[0]), at[1], at[2]
    for offset in (0, NEAR, -NEAR):
        assert word in equations.why_singular(q + offset * np.eye(len(q))[index])
    for offset in (AWAY, -AWAY):
        assert equations.why_singular(q + offset * np.eye(len(q))[index]) == ""


@pytest.mark.parametrize("suffix", ["", " reversed"])
@pytest.mark.parametrize("name", ["Ellipsoid", "LineOrientation", "FreeLine"])
def test_velocity_terms_at_singular_angles_are_those_of_the_quaternion(name, suffix):
    """The rates of the angles are infinite there, but H and its rate are functions of the rotation."""
    by_angles, by_quaternion = EQUATIONS[name + suffix + " in Euler angles"], EQUATIONS[name + suffix]
    q, u = np.array(SINGULAR[name + " in Euler angles"][0]), np.array([0.7, -1.3, 0.4, 0.2, -0.6])[: by_angles.nu]
    quaternion = by_quaternion.near(by_angles.X_FM(q), np.array(by_quaternion.default_q))
    differentiated = MobilizerEquations.H_dot_u(by_quaternion, quaternion, u)  # along the rates of the quaternion
    for equations, at in ((by_angles, q), (by_quaternion, quaternion)):
        assert_allclose(equations.H_dot_u(at, u), differentiated, atol=1e-14)  # round-off of 4 (rad/s)^2


@pytest.mark.parametrize("turned", ["Ball", "Free", "FreeLine"])
def test_a_linear_system_at_singular_angles_is_refused_by_name(turned):
    system = mb.MultibodySystem("top")
    matter = mb.MatterSubsystem(system)
    matter.set_uses_euler_angles_by_default(True)
    body = getattr(mb, turned)(matter.ground, mb.MassProperties(1.3, [0, 0, 0], np.diag([0.2, 0.3, 0.4])), name="top")
    for offset in (AWAY, 1e-6):  # near it the derivatives are large and right
        state = system.realize_topology()
        body.set_q(state, np.array(body.q(state)) + np.array([0.3, np.pi / 2 - offset, 0.2, 0, 0, 0])[: len(body.q(state))])
        assert np.isfinite(system.linearize(state).A).all()
    body.set_q(state, body.q(state) + np.eye(len(body.q(state)))[1] * offset)
    for analysis in (system.linearize, system.modes):
        with pytest.raises(SingularMechanismError, match=rf"the rates of the coordinates of mobilizer 'top' \({turned}\).*middle angle"):
            analysis(state)


@pytest.mark.parametrize("name", ["Ball", "Free", "Ellipsoid", "FreeLine", "Pin", "Universal", "Translation", "FunctionBased"])
def test_other_mobilizers_have_no_singularity(name):
    equations = EQUATIONS[name]
    assert equations.why_singular(np.full(equations.nq, np.pi / 2)) == ""


@pytest.mark.parametrize(
    ("options", "q", "word"),
    [
        ({}, [0.3, 0.8, 0.0], "radius"),
        ({}, [0.3, 0.0, 1.2], "zenith"),
        ({"zenith_offset": 0.8, "zenith_negated": True}, [0.3, 0.8, 1.2], "zenith"),
        ({"radial_axis": "x"}, [0.3, 0.0, 1.2], None),
        ({"zenith_offset": 0.8}, [0.3, 0.0, 1.2], None),
    ],
)
def test_a_point_mass_in_spherical_coordinates_is_singular_where_reported(options, q, word):
    """At the radius 0, and where the azimuth turns about the radial axis."""
    system = mb.MultibodySystem("lamp")
    body = mb.SphericalCoords(mb.MatterSubsystem(system).ground, POINT, name="lamp", **options)
    state = system.realize_topology()
    body.set_q(state, q)
    if word is None:
        system.realize(state, Stage.ACCELERATION)
        assert body.equations.why_singular(np.array(q)) == ""
        return
    with pytest.raises(SingularMechanismError, match=rf"mobilizer 'lamp' \(SphericalCoords\).*coordinates: the {word}"):
        system.realize(state, Stage.ACCELERATION)


def test_a_radius_along_x_is_singular_at_a_right_angle():
    """No double is exactly a right angle: a point mass keeps 1e-33 of its inertia there."""
    body = mb.SphericalCoords(mb.MatterSubsystem(mb.MultibodySystem()).ground, POINT, radial_axis="x")
    assert "zenith" in body.equations.why_singular(np.array([0.3, np.pi / 2, 1.2]))


def test_a_point_mass_without_stretch_is_named_with_its_coordinate():
    system = mb.MultibodySystem("crane")
    body = mb.BendStretch(mb.MatterSubsystem(system).ground, POINT, name="hook")
    with pytest.raises(SingularMechanismError, match=r"mobilizer 'hook' \(BendStretch\).*the stretch q\[1\] = 0 m is at or near 0"):
        system.realize(system.realize_topology(), Stage.ACCELERATION)
    state = system.realize_topology()
    body.set_q(state, [0.4, 0.9])
    system.realize(state, Stage.ACCELERATION)


def test_an_inertia_below_round_off_counts_as_zero():
    """A point mass off the origin of a Ball has no inertia about the line through both, but round-off leaves 1e-17 in its matrix."""
    system = mb.MultibodySystem("bell")
    body = mb.Ball(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.3, [0.31, -0.47, 0.83]), name="clapper")
    state = system.realize_topology()
    body.set_q(state, [0.3, -0.2, 0.9, 0.1])
    with pytest.raises(SingularMechanismError, match=r"mobilizer 'clapper' \(Ball\).*give them mass"):
        system.realize(state, Stage.ACCELERATION)


@pytest.mark.parametrize(("pitch", "is_singular"), [(np.pi / 2, True), (np.pi / 2 - NEAR, True), (np.pi / 2 - AWAY, False)])
def test_a_coupling_is_singular_where_its_speeds_depend_on_each_other(pitch, is_singular):
    system = mb.MultibodySystem("gimbal")
    mass = mb.MassProperties(1.3, [0.1, 0, 0], np.diag([0.2, 0.3, 0.3]))
    joint = mb.CouplingJoint(mb.GimbalCoupling(), mass, mb.MatterSubsystem(system).ground, name="joint")
    state = system.realize_topology()
    joint.set_q(state, [0.2, pitch, -0.5])
    reason = joint.equations_in(state).why_singular(joint.q(state))
    assert bool(reason) == is_singular
    if pitch == np.pi / 2:
        with pytest.raises(SingularMechanismError, match=r"That comes from its coordinates: at q = \[0.2, 1.5708, -0.5\] there are speeds"):
            system.realize(state, Stage.ACCELERATION)
