"""Bodies on height fields and triangle meshes: flat ones as half-spaces, valley edges by their closed form, rest by round-off."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.contact import (
    Box,
    Capsule,
    Cone,
    ContactShape,
    ConvexMesh,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    HeightField,
    RoundedBox,
    Sphere,
    TerrainMesh,
)
from mobod.spatial import Transform, to_quaternion
from tests.analytic.scenes_of_shapes import rotation

GRAVITY, STEP = 9.81, 0.005
FLAT = HeightField(np.zeros((9, 11)), (0.13, 0.11))
LYING = rotation("x", np.pi / 2)
WEDGE = ConvexMesh.hull_of([(x, y, z) for x in (-0.1, 0.1) for y in (-0.12, 0.12) for z in (-0.05, 0.05) if (x, z) != (0.1, 0.05)])


def on_ground(ground: ContactShape, shape: ContactShape, p, u, R=None, gravity=GRAVITY, friction=0.5, swapped=False):
    """(system, body, contact, State) of one body on ground."""
    system = mb.MultibodySystem("scene")
    matter = mb.MatterSubsystem(system)
    if gravity:
        mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=gravity)
    body = mb.Free(matter.ground, mb.MassProperties(1.3, [0, 0, 0], np.diag([0.004, 0.005, 0.006])), name="body")
    pair = (body, shape, matter.ground, ground) if swapped else (matter.ground, ground, body, shape)
    contact = mb.RigidContact(*pair, static_friction=friction, in_fixed_steps=True, name="contact")
    state = system.realize_topology()
    body.set_q(state, [*to_quaternion(np.eye(3) if R is None else R), *p])
    body.set_u(state, u)
    return system, body, contact, state


def run(system, state, until, backend="interpreted", step=STEP, **options):
    simulation = mb.Simulation(system, integrator="velocity_level", step=step, backend=backend)
    return simulation.run(state, until, **{"report_every": until} | options)


@pytest.mark.parametrize(
    ("shape", "z", "R"),
    [
        (Sphere(0.05), 0.05, np.eye(3)),
        (Box([0.1, 0.15, 0.05]), 0.05, np.eye(3)),
        (Capsule(0.05, 0.1), 0.05, LYING),
        (Cylinder(0.05, 0.05), 0.05, np.eye(3)),
        (Cylinder(0.05, 0.1), 0.05, LYING),
        (Cone(0.1, 0.05), 0.05, np.eye(3)),
        (Ellipsoid([0.1, 0.08, 0.05]), 0.05, np.eye(3)),
        (RoundedBox([0.1, 0.08, 0.05], 0.02), 0.07, np.eye(3)),
        (WEDGE, 0.05, np.eye(3)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ContactShape) else "",
)
@pytest.mark.parametrize("swapped", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.fast(4)
def test_shapes_move_over_flat_triangles_as_on_a_half_space(shape, z, R, swapped):
    found = []
    for ground in (HalfSpace(), FLAT, TerrainMesh(FLAT.vertices, FLAT.faces)):
        system, body, _, state = on_ground(ground, shape, [-0.2, 0.05, z], [0, 0, 0.3, 0.6, 0.2, 0], R, swapped=swapped)
        final = run(system, state, 0.25).final_state
        found.append([*body.q(final), *body.u(final)])
    # it passes two edges or more; loads of several points are redundant, and found by iteration
    assert_allclose(found[1:], [found[0]] * 2, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("degrees", "ratio"), [(10.0, 0.98914839500872), (1.0, 0.9998912108259937)])
def test_a_ball_that_rolls_into_a_valley_edge_loses_the_speed_of_its_closed_form(degrees, ratio):
    """v' = v (1 - (5/7) (1 - cos delta)); the numbers were computed elsewhere"""
    slope, radius, speed = np.radians(degrees) / 2, 0.05, 1.0
    x = 0.2 * np.arange(-3, 4)
    valley = HeightField(np.repeat(np.tan(slope) * np.abs(x)[:, None], 3, axis=1), 0.2)
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    ball = mb.Free(matter.ground, mb.MassProperties(1.3, [0, 0, 0], 0.4 * 1.3 * radius**2 * np.eye(3)), name="ball")
    mb.RigidContact(matter.ground, valley, ball, Sphere(radius), static_friction=5.0)
    state = system.realize_topology()
    along = np.array([np.cos(slope), 0, -np.sin(slope)])  # without gravity
    start = np.array([-0.3, 0.07, 0.3 * np.tan(slope) + radius / np.cos(slope)])
    ball.set_q(state, [1, 0, 0, 0, *start])
    ball.set_u(state, [0, speed / radius, 0, *(speed * along)])

    final = run(system, state, 0.32, step=5e-4).final_state

    assert ball.q(final)[4] > 0.0
    # friction acts at the middle of the step in which the edge lies, so that it slips by up to the overlap there
    _, turning, _, *velocity = ball.u(final)
    assert_allclose((5 * np.linalg.norm(velocity) + 2 * turning * radius) / 7, ratio * speed, rtol=1e-6)


def bumps(seed=3, n=9, spacing=0.15):
    return HeightField(0.04 * np.random.default_rng(seed).random((n, n)), spacing)


def table(ground: HeightField, radius=0.03):
    """A table whose four legs end in balls, each of which touches one triangle of the field; (system, body, contacts, State)"""
    system = mb.MultibodySystem("table")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=GRAVITY)
    body = mb.Free(matter.ground, mb.MassProperties(7.0, [0.02, -0.01, 0.2], np.diag([0.8, 0.9, 0.4])), name="table")
    contacts = []
    h, d = np.array(ground.heights), ground.spacing[0]
    for i, j in ((1, 1), (6, 1), (1, 6), (6, 5)):  # the middle of the lower triangle of a cell
        corners = np.array([[(k - 4) * d, (m - 4) * d, h[k, m]] for k, m in ((i, j), (i + 1, j), (i + 1, j + 1))])
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        foot = corners.mean(axis=0) + radius * normal / np.linalg.norm(normal)
        pair = matter.ground, ground, body, Sphere(radius)
        contacts.append(mb.RigidContact(*pair, X_B2S2=Transform(p=foot), static_friction=0.9, name=f"foot{len(contacts)}"))
    return system, body, contacts, system.realize_topology()


def test_a_table_with_four_legs_rests_on_a_height_field():
    system, body, contacts, state = table(bumps())
    final = run(system, state, 10.0).final_state
    system.realize(final, mb.Stage.ACCELERATION)

    assert_allclose(body.q(final), [1, 0, 0, 0, 0, 0, 0], rtol=0, atol=1e-10)
    push = sum(
        (each.normal_force(final)[:, None] * each.contact_normal(final) + each.friction_force(final)).sum(axis=0) for each in contacts
    )
    assert_allclose(push, [0, 0, 7.0 * GRAVITY], rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize(
    "shape",
    [Sphere(0.07), Box([0.1, 0.12, 0.05]), Capsule(0.05, 0.1), Cylinder(0.07, 0.1), Cone(0.08, 0.1), Ellipsoid([0.06, 0.09, 0.12]), WEDGE],
    ids=lambda shape: type(shape).__name__,
)
def test_shapes_that_tumble_over_hills_do_not_sink_or_gain_energy(shape):
    ground = HeightField(0.08 * np.random.default_rng(3).random((25, 25)), 0.1)
    R = rotation("x", 0.4) @ rotation("y", 0.7)
    system, _, contact, state = on_ground(ground, shape, [0.03, 0.02, 0.25], [2, 1, -3, 0.5, 0.3, 0], R)

    results = run(system, state, 1.0, report_every=0.05)

    for each in results.states():
        system.realize(each, mb.Stage.POSITION)
        assert contact.distances(each).min() > -1e-5  # in one step of 5 ms, before it is corrected
    assert np.diff(results["energy"]).max() < 1e-3  # of 3.4 J; the weight acts at the middle of a step


def test_a_saved_run_over_hills_goes_on_with_the_same_bits():
    system, _, _, state = on_ground(bumps(), Box([0.1, 0.12, 0.05]), [0.03, 0.02, 0.13], [0, 0, 3, 0.5, 0.3, 0])
    middle = run(system, state, 0.4).final_state
    restored = mb.State.from_bytes(system, middle.to_bytes())
    assert_array_equal(run(system, restored, 0.8).final_state.y, run(system, middle, 0.8).final_state.y)
