"""Properties of every mobilizer: sizes, defaults, q and u fitted to a motion, parameters, both kinds of coordinates, direction."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

import mobod as mb
from mobod.errors import InputError, StateError
from mobod.matter.equations.fitting import q_to_fit
from mobod.spatial import from_quaternion
from mobod.system import Stage
from tests.laws.mechanisms import BOTH_WAYS, EQUATIONS, MOBILIZERS, random_frame, random_mass, random_mechanism, random_q

SIZES = {
    "Ball": (4, 3, 3),
    "BendStretch": (2, 2, 2),
    "Bushing": (6, 6, 6),
    "Cylinder": (2, 2, 2),
    "Ellipsoid": (4, 3, 3),
    "Free": (7, 6, 6),
    "FreeLine": (7, 6, 5),
    "Gimbal": (3, 3, 3),
    "LineOrientation": (4, 3, 2),
    "Pin": (1, 1, 1),
    "Planar": (3, 3, 3),
    "Screw": (1, 1, 1),
    "Slider": (1, 1, 1),
    "SphericalCoords": (3, 3, 3),
    "Translation": (3, 3, 3),
    "Universal": (2, 2, 2),
    "Weld": (0, 0, 0),
}
WITH_CLOSED_FORM = [name for name in EQUATIONS if not name.startswith("FunctionBased")]
MOVABLE = [name for name in BOTH_WAYS if not name.startswith("Weld")]
FORWARD, REVERSED = ([name for name in MOVABLE if name.endswith("reversed") == is_reversed] for is_reversed in (False, True))


@pytest.fixture
def rng():
    return np.random.default_rng(77)


@pytest.fixture
def matter():
    return mb.MatterSubsystem(mb.MultibodySystem("crane"))


def made(name, matter, rng):
    return BOTH_WAYS[name](matter.ground, random_mass(rng), random_frame(rng), random_frame(rng), name="arm")


def distance(X, Y):
    """The distance of two poses by the entries of R and p, which a fit minimizes."""
    return np.sqrt(np.sum((X.R - Y.R) ** 2) + np.sum((X.p - Y.p) ** 2))


@pytest.mark.parametrize("name", SIZES)
def test_nq_and_nu_are_right_in_both_modes(name, matter, rng):
    body = made(name, matter, rng)
    assert (body.nq, body.equations.in_euler_angles().nq, body.nu) == SIZES[name]
    assert len(body.equations.u_units) == body.nu
    for equations in (body.equations, body.equations.in_euler_angles()):
        assert len(equations.q_units) == len(equations.default_q) == len(equations.speed_of) == equations.nq


@pytest.mark.parametrize("name", [name for name in SIZES if name != "Ellipsoid"])
def test_the_frames_of_a_new_mobilizer_coincide(name, matter):
    body = MOBILIZERS[name](matter.ground, mb.MassProperties(1, [0, 0, 0], np.eye(3)))
    if name == "SphericalCoords":  # the offsets of the tables have it turned
        body = mb.SphericalCoords(matter.ground, mb.MassProperties(1, [0, 0, 0], np.eye(3)))
    assert body.default_transform.isclose(mb.Transform(), atol=0)


def test_a_new_ellipsoid_has_its_origin_at_the_top(matter):
    body = mb.Ellipsoid(matter.ground, mb.MassProperties(1, [0, 0, 0], np.eye(3)), radii=[0.4, 0.7, 1.1])
    assert body.default_transform.isclose(mb.Transform(p=[0, 0, 1.1]), atol=0)


# coordinates and speeds that fit a motion


@pytest.mark.parametrize("name", WITH_CLOSED_FORM)
def test_coordinates_of_a_reachable_pose_are_exact(name, rng):
    equations = EQUATIONS[name]
    for _ in range(20):
        wanted = equations.X_FM(random_q(equations, rng))
        near = equations.near(wanted, np.array(equations.default_q))
        assert equations.X_FM(near).isclose(wanted, atol=1e-14)


@pytest.mark.parametrize("name", MOVABLE)
def test_fitting_q_to_a_reachable_pose_is_exact(name, matter, rng):
    body = made(name, matter, rng)
    wanted = body.equations.X_FM(random_q(body.equations, rng))
    state = matter.system.realize_topology()
    body.set_q_to_fit_transform(state, wanted)
    matter.system.realize(state, Stage.POSITION)
    assert body.X_FM(state).isclose(wanted, atol=1e-12)

    body.set_default_transform(wanted)
    assert body.default_transform.isclose(wanted, atol=1e-12)


@pytest.mark.fast(3)
@pytest.mark.parametrize("name", FORWARD)
def test_no_search_finds_a_nearer_pose(name, rng):
    """For a pose that most mobilizers cannot reach. The searches here use only the poses, with random starts."""
    equations = EQUATIONS[name]
    wanted = mb.Transform(from_quaternion(rng.normal(size=4)), rng.normal(size=3))
    fitted = distance(equations.X_FM(q_to_fit(equations, np.array(equations.default_q), R=wanted.R, p=wanted.p)), wanted)
    starts = [random_q(equations, rng) for _ in range(3)]
    found = [minimize(lambda q: distance(equations.X_FM(q), wanted) ** 2, start, method="BFGS").fun for start in starts]
    assert fitted <= np.sqrt(min(found)) + 1e-6  # BFGS has its derivatives by differences


@pytest.mark.fast(4)
@pytest.mark.parametrize(("what", "name"), [*(("R", name) for name in FORWARD), *(("p", name) for name in REVERSED)])
def test_no_search_finds_a_nearer_rotation_or_position(what, name, rng):
    equations = EQUATIONS[name]
    wanted = mb.Transform(from_quaternion(rng.normal(size=4)), rng.normal(size=3))

    def missing(q):
        return np.sum((getattr(equations.X_FM(q), what) - getattr(wanted, what)) ** 2)

    fitted = q_to_fit(equations, np.array(equations.default_q), **{what: getattr(wanted, what)})
    found = [minimize(missing, random_q(equations, rng), method="BFGS").fun for _ in range(4)]
    assert np.sqrt(missing(fitted)) <= np.sqrt(min(found)) + 1e-6


def test_a_fit_of_the_position_keeps_the_rotation(matter, rng):
    body = made("Free", matter, rng)
    state = matter.system.realize_topology()
    q = random_q(body.equations, rng)
    body.set_q(state, q)
    before = body.equations.X_FM(q)
    body.set_q_to_fit_translation(state, [1.0, -2.0, 0.3])
    assert body.equations.X_FM(body.q(state)).isclose(mb.Transform(before.R, [1.0, -2.0, 0.3]), atol=1e-15)
    body.set_q_to_fit_rotation(state, np.eye(3))
    assert body.equations.X_FM(body.q(state)).isclose(mb.Transform(p=[1.0, -2.0, 0.3]), atol=1e-15)


@pytest.mark.parametrize("name", MOVABLE)
def test_fitting_u_to_a_velocity_is_exact_up_to_unreachable_components(name, matter, rng):
    body = made(name, matter, rng)
    state = matter.system.realize_topology()
    q, u, anything = random_q(body.equations, rng), rng.normal(size=body.nu), rng.normal(size=6)
    body.set_q(state, q)
    H = body.equations.H_FM(q)
    body.set_u_to_fit_velocity(state, H @ u)
    assert_allclose(body.u(state), u, atol=1e-12)

    for setter, rows in (("velocity", slice(0, 6)), ("angular_velocity", slice(0, 3)), ("linear_velocity", slice(3, 6))):
        getattr(body, f"set_u_to_fit_{setter}")(state, anything[rows])
        missing = H[rows] @ body.u(state) - anything[rows]
        assert_allclose(H[rows].T @ missing, np.zeros(body.nu), atol=1e-12)  # the normal equations of least squares


@pytest.mark.fast(37)
@pytest.mark.parametrize("name", MOVABLE)
def test_my_part_returns_the_mobilizers_part_of_an_array(name, matter, rng):
    mb.Free(matter.ground, random_mass(rng))
    body = made(name, matter, rng)
    mb.Pin(body, random_mass(rng))
    state = matter.system.realize_topology()
    q_before, q_like, u_like = state.q.copy(), state.q.copy(), np.zeros(len(state.u))
    body.my_part_q(state, q_like)[:] = q = random_q(body.equations, rng)
    body.my_part_u(state, u_like)[:] = u = rng.normal(size=body.nu)
    state.q, state.u = q_like, u_like
    assert_array_equal(body.q(state), q)
    assert_array_equal(body.u(state), u)
    assert np.count_nonzero(q_like - q_before) + np.count_nonzero(u_like) == body.nq + body.nu


# parameters


def test_parameters_can_be_set_in_a_state_or_by_default(matter, rng):
    body = mb.Ellipsoid(matter.ground, random_mass(rng), radii=[0.4, 0.7, 1.1], name="scapula")
    before = matter.system.realize_topology()
    body.set_radii(before, [1, 2, 3])
    matter.system.realize(before, Stage.POSITION)
    assert_array_equal(body.radii(before), [1, 2, 3])
    assert body.X_FM(before).isclose(mb.Transform(p=[0, 0, 3]), atol=0)
    assert_array_equal(body.default_radii, [0.4, 0.7, 1.1])

    body.set_default_radii([2, 2, 2])
    with pytest.raises(StateError, match="the topology of System 'crane' changed"):
        body.radii(before)
    assert_array_equal(body.radii(matter.system.realize_topology()), [2, 2, 2])


def test_offsets_of_spherical_coordinates_can_be_set_in_a_state_or_by_default(matter, rng):
    body = mb.SphericalCoords(matter.ground, random_mass(rng), azimuth_offset=0.3, zenith_offset=0.8, name="lamp")
    state = matter.system.realize_topology()
    body.set_q(state, [0.2, 0.4, 1.7])
    body.set_azimuth_offset(state, 1.1)
    body.set_zenith_offset(state, -0.6)
    assert (body.azimuth_offset(state), body.zenith_offset(state)) == (1.1, -0.6)
    assert (body.default_azimuth_offset, body.default_zenith_offset) == (0.3, 0.8)
    matter.system.realize(state, Stage.POSITION)
    azimuth, zenith = 1.3, -0.2
    direction = [np.cos(azimuth) * np.sin(zenith), np.sin(azimuth) * np.sin(zenith), np.cos(zenith)]
    assert_allclose(body.X_FM(state).p, 1.7 * np.array(direction), atol=1e-15)

    body.set_default_azimuth_offset(0.7)
    body.set_default_zenith_offset(0.9)
    new = matter.system.realize_topology()
    assert (body.azimuth_offset(new), body.zenith_offset(new)) == (0.7, 0.9)


@pytest.mark.parametrize(
    ("radii", "message"),
    [
        ([0.4, 0.0, 1.1], r"cannot be \[0\.4, 0\.0, 1\.1\] m: it must be greater than 0"),
        ([0.4, -0.7, 1.1], "it must be greater than 0"),
        ([0.4, 0.7], r"a value of shape \(2,\)"),
        ([0.4, np.nan, 1.1], "not a finite number"),
    ],
)
def test_invalid_radii_of_an_ellipsoid_are_refused(matter, rng, radii, message):
    with pytest.raises(InputError, match=f"Ellipsoid: radii .*{message}"):
        mb.Ellipsoid(matter.ground, random_mass(rng), radii=radii)
    body = mb.Ellipsoid(matter.ground, random_mass(rng), radii=[1, 2, 3], name="scapula")
    state = matter.system.realize_topology()
    for set_radii in (body.set_default_radii, lambda value: body.set_radii(state, value)):
        with pytest.raises(InputError, match=rf"scapula\.radii .*{message}"):
            set_radii(radii)
    assert_array_equal(body.radii(state), [1, 2, 3])


def test_the_radial_axis_must_be_z_or_x(matter, rng):
    with pytest.raises(InputError, match=r"SphericalCoords: radial_axis is 'y'\. It can be 'x', 'z'"):
        mb.SphericalCoords(matter.ground, random_mass(rng), radial_axis="y")


@pytest.mark.parametrize(("flag", "index"), [("azimuth_negated", 0), ("zenith_negated", 1), ("radial_negated", 2)])
def test_a_negated_coordinate_counts_backwards(matter, rng, flag, index):
    q = rng.normal(size=3)
    plain, negated = (mb.SphericalCoords(matter.ground, random_mass(rng), azimuth_offset=0.4, **{flag: on}) for on in (False, True))
    backwards = q * np.where(np.arange(3) == index, -1, 1)
    assert negated.equations.X_FM(q).isclose(plain.equations.X_FM(backwards), atol=1e-15)


# either kind of coordinates


@pytest.mark.slow
def test_a_state_in_euler_angles_has_the_same_motion(rng):
    mechanism = random_mechanism(51)
    state = mechanism.random_state(rng)
    system, matter = mechanism.system, mechanism.matter
    in_angles = matter.convert_to_euler_angles(state)
    back = matter.convert_to_quaternions(in_angles)
    for each in (state, in_angles, back):
        system.realize(each, Stage.ACCELERATION)
    assert len(in_angles.q) == len(state.q) - sum(body.equations.quaternion_at is not None for body in mechanism.bodies)
    assert len(back.q) == len(state.q)
    # poses and velocities differ by round-off, accelerations by that times the condition of M
    for other in (in_angles, back):
        assert_array_equal(other.u, state.u)
        for body in mechanism.bodies:
            assert body.X_GB(other).isclose(body.X_GB(state), atol=1e-12)
            assert_allclose(body.V_GB(other), body.V_GB(state), atol=1e-11 * max(1, np.abs(body.V_GB(state)).max()))
            assert_allclose(body.A_GB(other), body.A_GB(state), atol=1e-9 * max(1, np.abs(body.A_GB(state)).max()))


# direction


@pytest.mark.parametrize("name", MOBILIZERS)
@pytest.mark.fast(8)
def test_a_reversed_mobilizer_matches_exchanged_bodies(name, rng):
    """Two floating bodies: the first carries the second by the reversed mobilizer, or the second carries the first."""
    masses, X_PF, X_BM = (random_mass(rng), random_mass(rng)), random_frame(rng), random_frame(rng)
    systems, states, bodies = [], [], []
    for first in (0, 1):
        system = mb.MultibodySystem("pair")
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.3, -0.2, -1], magnitude=9.8)
        base = mb.Free(matter.ground, masses[first], name="base")
        frames = (X_BM, X_PF) if first else (X_PF, X_BM)
        carried = MOBILIZERS[name](base, masses[1 - first], *frames, reversed=not first, name="carried")
        systems.append(system)
        states.append(system.realize_topology())
        bodies.append((carried, base) if first else (base, carried))
    joints = [bodies[0][1], bodies[1][0]]
    q, u = random_q(joints[0].equations, rng), rng.normal(size=joints[0].nu)
    for joint, state in zip(joints, states, strict=True):
        joint.set_q(state, q)
        joint.set_u(state, u)
    base = bodies[0][0]
    base.set_q(states[0], random_q(base.equations, rng))
    base.set_u(states[0], rng.normal(size=6))
    systems[0].realize(states[0], Stage.ACCELERATION)
    other_base = bodies[1][1]
    other_base.set_q_to_fit_transform(states[1], bodies[0][1].X_GB(states[0]))
    other_base.set_u_to_fit_velocity(states[1], bodies[0][1].V_GB(states[0]))
    systems[1].realize(states[1], Stage.ACCELERATION)

    scale = max(1, np.abs(states[0].u_dot).max())
    for one, other in zip(*bodies, strict=True):
        assert one.X_GB(states[0]).isclose(other.X_GB(states[1]), atol=1e-12)
        assert_allclose(one.V_GB(states[0]), other.V_GB(states[1]), atol=1e-11)
        assert_allclose(one.A_GB(states[0]), other.A_GB(states[1]), atol=1e-10 * scale)
    assert_allclose(joints[0].u_dot(states[0]), joints[1].u_dot(states[1]), atol=1e-10 * scale)
    assert_allclose(systems[0].kinetic_energy(states[0]), systems[1].kinetic_energy(states[1]), rtol=1e-11)


@pytest.mark.fast(1)
@pytest.mark.parametrize("kind", [mb.Free, mb.FreeLine])
def test_a_spring_along_a_coordinate_works_in_euler_angles(kind, matter, rng):
    """There are three angles and four quaternion components, so that the position has another index."""
    body = kind(matter.ground, random_mass(rng), name="arm")
    mb.MobilityLinearSpring(mb.ForceSubsystem(matter.system), body, coordinate=6, stiffness=40.0, q_zero=0.1)
    mb.Slider(body, random_mass(rng)).set_default_q(7.7)  # the next number in q
    state = matter.system.realize_topology()
    body.set_q(state, [*rng.normal(size=6), 0.9])
    in_angles = matter.convert_to_euler_angles(state)
    for each in (state, in_angles):
        matter.system.realize(each, Stage.DYNAMICS)
        assert_allclose(matter.system.potential_energy(each), 40.0 * 0.8**2 / 2, rtol=1e-14)
        assert_allclose(body.my_part_u(each, matter.mobility_forces(each))[-1], -40.0 * 0.8, rtol=1e-14)
