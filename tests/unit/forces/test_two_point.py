"""Forces along the line between two points: closed forms, coincident points, and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import Stage
from mobod.errors import InputError, SingularMechanismError
from mobod.spatial import rotation_about

STATION1, STATION2 = np.array([0.3, -0.2, 0.5]), np.array([-0.4, 0.1, 0.25])
MASS = mb.MassProperties(1.3, [0.1, -0.2, 0.3], mb.Inertia.sphere(mass=1.3, radius=0.4).shifted([0.1, -0.2, 0.3]))

MAKE = {
    "spring": lambda forces, *ends, **more: mb.TwoPointLinearSpring(forces, *ends, stiffness=30.0, rest_length=0.7, name="it", **more),
    "damper": lambda forces, *ends, **more: mb.TwoPointLinearDamper(forces, *ends, damping=2.5, name="it", **more),
    "constant force": lambda forces, *ends, **more: mb.TwoPointConstantForce(forces, *ends, force=-4.5, name="it", **more),
}


@pytest.fixture
def bodies():
    """Two free bodies with tilted frames; bodies[0] is Ground."""
    system = mb.MultibodySystem("pair")
    matter = mb.MatterSubsystem(system)
    tilted = mb.Transform(rotation_about([1, -2, 0.5], 0.9), [0.2, 0.1, -0.3])
    one, two = (mb.Free(matter.ground, MASS, X_BM=tilted, name=name) for name in ("one", "two"))
    return [matter.ground, one, two]


@pytest.fixture
def forces(bodies):
    return mb.ForceSubsystem(bodies[0].matter.system)


def moving(forces, seed=3):
    rng = np.random.default_rng(seed)
    state = forces.system.realize_topology()
    state.q, state.u = rng.normal(size=14), rng.normal(size=12)
    forces.system.realize(state, Stage.VELOCITY)
    return state


def line(state, body1, body2):
    """Distance, unit vector from point 1 to 2, and the rate of the distance, from the bodies' poses and velocities."""
    points, velocities = [], []
    for body, station in ((body1, STATION1), (body2, STATION2)):
        X, V = body.X_GB(state), body.V_GB(state)
        points.append(X.apply(station))
        velocities.append(V[3:] + np.cross(V[:3], X.R @ station))
    p = points[1] - points[0]
    x = np.linalg.norm(p)
    return x, p / x, (velocities[1] - velocities[0]) @ p / x


@pytest.mark.parametrize(("first", "second"), [(1, 2), (0, 2), (1, 0)])
@pytest.mark.parametrize("kind", MAKE)
def test_equal_and_opposite_forces_act_on_the_points_along_their_line(bodies, forces, kind, first, second):
    force = MAKE[kind](forces, bodies[first], STATION1, bodies[second], STATION2)
    state = moving(forces)
    x, e, x_dot = line(state, bodies[first], bodies[second])
    apart = {"spring": -30.0 * (x - 0.7), "damper": -2.5 * x_dot, "constant force": -4.5}[kind]

    expected = np.zeros((3, 6))
    for index, station, f in ((first, STATION1, -apart * e), (second, STATION2, apart * e)):
        expected[index] = [*np.cross(bodies[index].X_GB(state).R @ station, f), *f]
    actual, generalized = force.calc_force_contribution(state)
    assert_allclose(actual, expected, rtol=0, atol=1e-13)  # some roundings of numbers of size 30
    assert not generalized.any()
    assert_allclose(force.calc_potential_energy_contribution(state), 15 * (x - 0.7) ** 2 if kind == "spring" else 0.0, rtol=1e-13)
    assert_allclose(force.calc_power_dissipation_contribution(state), 2.5 * x_dot**2 if kind == "damper" else 0.0, rtol=1e-13)


def test_the_length_of_a_spring_is_the_distance_of_its_points(bodies, forces):
    spring = MAKE["spring"](forces, bodies[1], STATION1, bodies[2], STATION2)
    state = moving(forces)
    assert_allclose(spring.length(state), line(state, bodies[1], bodies[2])[0], rtol=1e-14)


def test_a_mass_on_a_two_point_spring_oscillates_with_its_frequency():
    """Along the line through both points the spring is linear: q = L + a cos(sqrt(k/m) t)."""
    system = mb.MultibodySystem("oscillator")
    matter = mb.MatterSubsystem(system)
    mass = mb.Slider(matter.ground, mb.MassProperties.point(1.7, [0, 0, 0]), name="mass")
    mb.TwoPointLinearSpring(mb.ForceSubsystem(system), matter.ground, [0, 0, 0], mass, [0, 0, 0], stiffness=21.5, rest_length=0.6)
    state = system.realize_topology()
    mass.set_q(state, 0.85)
    results = mb.Simulation(system, accuracy=1e-10).run(state, until=2.0, report_every=0.1)
    assert_allclose(results["mass.q"], 0.6 + 0.25 * np.cos(np.sqrt(21.5 / 1.7) * results.time), atol=1e-8)  # 100 times the accuracy


# points that coincide


@pytest.fixture
def particle():
    """A moving body whose origin coincides with Ground's point (0.5, 0.25, -1)."""
    system = mb.MultibodySystem("particle")
    matter = mb.MatterSubsystem(system)
    body = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.sphere(mass=2.0, radius=0.3)), name="particle")
    body.set_default_q([1, 0, 0, 0, 0.5, 0.25, -1.0])
    return body


@pytest.fixture
def ends(particle):
    return mb.ForceSubsystem(particle.matter.system), particle.matter.ground, [0.5, 0.25, -1.0], particle, [0, 0, 0]


def realized(particle, v, stage=Stage.ACCELERATION):
    state = particle.matter.system.realize_topology()
    particle.set_u(state, [0.2, -0.4, 0.3, *v])
    particle.matter.system.realize(state, stage)
    return state


def test_a_spring_of_zero_rest_length_has_no_force_at_zero_length(particle, ends):
    spring = mb.TwoPointLinearSpring(*ends, stiffness=30.0, rest_length=0.0)
    state = realized(particle, [1.0, -2.0, 0.5])
    assert not spring.calc_force_contribution(state)[0].any()
    assert_array_equal(particle.u_dot(state), np.zeros(6))


@pytest.mark.parametrize("as_text", [False, True], ids=["recorded", "as text"])
@pytest.mark.parametrize(
    "make",
    [
        lambda ends: mb.TwoPointLinearSpring(*ends, stiffness=30.0, rest_length=0.7, name="it"),
        lambda ends: mb.TwoPointConstantForce(*ends, force=-4.5, name="it"),
    ],
    ids=["spring", "constant force"],
)
def test_a_force_without_a_direction_is_an_error_by_name(particle, ends, make, as_text):
    force = make(ends)
    particle.matter.system.as_text = as_text
    message = rf"force 'it' \({type(force).__name__}\) is not finite at time 0 s\. Its two points coincide.*disable the force"
    with pytest.raises(SingularMechanismError, match=message):
        realized(particle, [1.0, -2.0, 0.5])
    state = realized(particle, [1.0, -2.0, 0.5], Stage.VELOCITY)
    with pytest.raises(SingularMechanismError, match=message):
        force.calc_force_contribution(state)

    force.disable(state)
    particle.matter.system.realize(state, Stage.ACCELERATION)
    assert not particle.u_dot(state).any()


def test_a_zero_force_needs_no_direction(particle, ends):
    mb.TwoPointLinearSpring(*ends, stiffness=0.0, rest_length=0.7)
    mb.TwoPointConstantForce(*ends, force=0.0)
    assert not particle.u_dot(realized(particle, [1.0, -2.0, 0.5])).any()


def test_a_damper_between_coincident_points_acts_along_their_velocity(particle, ends):
    """This is the limit from both sides: just before and after, the line has the direction of the velocity."""
    v = np.array([1.0, -2.0, 0.5])
    damper = mb.TwoPointLinearDamper(*ends, damping=2.5)
    state = realized(particle, v)
    assert_allclose(damper.calc_force_contribution(state)[0][1, 3:], -2.5 * v, rtol=1e-14)
    assert_allclose(damper.calc_power_dissipation_contribution(state), 2.5 * v @ v, rtol=1e-14)
    for sign in (-1, 1):
        particle.set_q(state, [1, 0, 0, 0, *(np.array([0.5, 0.25, -1.0]) + sign * 1e-6 * v)])
        particle.matter.system.realize(state, Stage.VELOCITY)
        assert_allclose(damper.calc_force_contribution(state)[0][1, 3:], -2.5 * v, rtol=1e-9)
    assert not damper.calc_force_contribution(realized(particle, [0, 0, 0]))[0].any()


# what is refused


@pytest.mark.parametrize("kind", MAKE)
def test_both_ends_on_one_body_are_refused(bodies, forces, kind):
    for body in bodies:
        with pytest.raises(InputError, match=f"both ends are on body '{body.name}'.* Give two bodies"):
            MAKE[kind](forces, body, STATION1, body, STATION2)
    assert forces.elements == []


@pytest.mark.parametrize("kind", MAKE)
def test_both_bodies_must_belong_to_the_system(bodies, forces, kind):
    with pytest.raises(InputError, match=r"it acts on mobilized bodies or on matter\.ground, not on str"):
        MAKE[kind](forces, "one", STATION1, bodies[2], STATION2)
    other = mb.MultibodySystem("other")
    stranger = mb.Free(mb.MatterSubsystem(other).ground, MASS, name="stranger")
    with pytest.raises(InputError, match="body 'stranger' belongs to System 'other', not to 'pair'"):
        MAKE[kind](forces, bodies[1], STATION1, stranger, STATION2)
    assert forces.elements == []


@pytest.mark.parametrize("station", [[1.0, 2.0], [1.0, 2.0, np.inf], "tip"], ids=["two numbers", "infinite", "text"])
@pytest.mark.parametrize("kind", MAKE)
def test_a_station_must_be_a_point(bodies, forces, kind, station):
    with pytest.raises(InputError, match=r"'it\.station2'"):
        MAKE[kind](forces, bodies[1], STATION1, bodies[2], station)
    assert forces.elements == []


def test_negative_parameters_are_refused_with_their_unit(bodies, forces):
    ends = (bodies[1], STATION1, bodies[2], STATION2)
    for make, message in (
        (lambda: mb.TwoPointLinearSpring(forces, *ends, stiffness=-1.0, rest_length=0.1, name="it"), r"'it.stiffness' cannot be -1.0 N/m"),
        (lambda: mb.TwoPointLinearSpring(forces, *ends, stiffness=1.0, rest_length=-0.1, name="it"), r"'it.rest_length' cannot be -0.1 m"),
        (lambda: mb.TwoPointLinearDamper(forces, *ends, damping=-2.0, name="it"), r"'it.damping' cannot be -2.0 N.s/m"),
    ):
        with pytest.raises(InputError, match=message):
            make()
