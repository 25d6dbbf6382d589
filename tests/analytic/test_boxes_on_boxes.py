"""Boxes and capsules that lie on each other, whose points of contact are decided once a step: closed forms, and round-off alone at rest."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.contact import Box, Capsule
from mobod.errors import EventError
from tests.analytic.scenes_of_shapes import GRAVITY, STEP, Scene, box_on_box, inertia_of_box, pyramid, rotation, tumbling, wall

ANGLE = 0.3  # rad, of slopes


def test_a_box_rests_on_a_slope_just_below_its_angle_of_friction():
    scene, state = box_on_box(ANGLE, np.tan(ANGLE) + 1e-3)

    final = scene.run(state, 10.0).final_state

    assert scene.largest_move(final) < 1e-13  # 2,000 steps
    assert_allclose(scene.load("floor_body0", final), GRAVITY * np.cos(ANGLE), rtol=1e-12)
    assert_allclose(
        scene.contacts["floor_body0"].friction_force(final).sum(axis=0), [-GRAVITY * np.sin(ANGLE), 0, 0], rtol=1e-12, atol=1e-12
    )


def test_a_box_slides_on_a_slope_just_above_its_angle_of_friction():
    friction = np.tan(ANGLE) - 1e-3
    scene, state = box_on_box(ANGLE, friction)

    final = scene.run(state, 2.0).final_state

    acceleration = GRAVITY * (np.sin(ANGLE) - friction * np.cos(ANGLE))
    assert_allclose(scene.bodies[0].q(final)[4:], [acceleration * 2.0**2 / 2, 0, 0.1], rtol=1e-6, atol=1e-9)  # solutions are iterated


def test_a_box_over_an_edge_has_the_loads_of_levers():
    scene = Scene()
    scene.fix(Box([0.5, 0.4, 0.1]), [-0.5, 0, -0.1], name="table")  # its edge is at x = 0
    scene.add(Box([0.2, 0.1, 0.1]), [-0.05, 0, 0.1], mass=2.0)
    final = scene.run(scene.begin(), 1.0).final_state

    contact = scene.contacts["table_body0"]
    at_edge = np.isclose(contact.contact_point(final)[:, 0], 0, atol=1e-9) & (contact.distances(final) < 1)
    forces = contact.normal_force(final)
    assert_allclose([forces[at_edge].sum(), forces[~at_edge].sum()], [15.696, 3.924], rtol=1e-9)
    assert scene.largest_move(final) < 1e-12


@pytest.mark.parametrize("backend", ["interpreted", pytest.param("compiled", marks=pytest.mark.slow)])
def test_boxes_of_a_pyramid_carry_half_of_the_one_above(backend):
    scene, state = pyramid(2)

    final = scene.run(state, 0.5, backend=backend).final_state

    assert scene.largest_move(final) < 1e-13
    expected = {"floor_body0": 1.5, "floor_body1": 1.5, "body0_body2": 0.5, "body1_body2": 0.5, "floor_body2": 0, "body0_body1": 0}
    assert_allclose([scene.load(name, final) / GRAVITY for name in expected], [*expected.values()], rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_a_pyramid_of_ten_boxes_rests_for_ten_seconds():
    scene, state = pyramid(4)
    final = scene.run(state, 10.0, backend="compiled").final_state
    assert scene.largest_move(final) < 1e-12
    assert_allclose(sum(scene.load(f"floor_body{i}", final) for i in range(4)), 10 * GRAVITY, rtol=1e-9)


@pytest.mark.slow
def test_bricks_of_a_wall_rest_for_ten_seconds():
    scene, state = wall(5, 6)
    assert len(scene.bodies) == 32
    final = scene.run(state, 10.0, backend="compiled").final_state
    assert scene.largest_move(final) < 1e-12
    weight = GRAVITY * sum(20 * shape.shape.half_lengths[0] / 2 for shape in scene.shapes.shapes if shape.name != "floor")
    assert_allclose(sum(scene.load(f"floor_body{i}", final) for i in range(6)), weight, rtol=1e-9)


@pytest.mark.slow
def test_a_ball_in_a_groove_and_a_box_on_bars_rest_for_ten_seconds():
    scene = Scene()
    for side in (-1, 1):
        R = rotation("y", -side * 0.6)
        scene.fix(Box([0.3, 1.0, 0.1]), R @ np.array([side * 0.3, 0, -0.1]), R, name=f"wall{side}")
    for x in (2.0, 2.3):
        scene.fix(Capsule(0.05, 0.5), [x, 0, 0], rotation("x", np.pi / 2), name=f"bar{x}")
    scene.add(mb.contact.Sphere(0.1), [0, 0, 0.1 / np.cos(0.6)], inertia=0.004 * np.eye(3))
    scene.add(Box([0.3, 0.1, 0.05]), [2.1, 0, 0.1])
    final = scene.run(scene.begin(), 10.0).final_state
    assert scene.largest_move(final) < 1e-6


def test_a_capsule_between_two_walls_has_the_loads_of_their_angle():
    angle, radius = 0.6, 0.05
    scene = Scene()
    for side in (-1, 1):
        R = rotation("y", -side * angle)
        scene.fix(Box([0.3, 1.0, 0.1]), R @ np.array([side * 0.3, 0, -0.1]), R, name=f"wall{side}")
    scene.add(Capsule(radius, 0.2), [0, 0, radius / np.cos(angle)], rotation("x", np.pi / 2), inertia=np.diag([0.01, 0.01, 0.002]))
    final = scene.run(scene.begin(friction=0.0), 1.0).final_state

    loads = [scene.load(f"wall{side}_body0", final) for side in (-1, 1)]
    assert_allclose(loads, GRAVITY / (2 * np.cos(angle)), rtol=1e-9)
    assert scene.largest_move(final) < 1e-9


def test_a_box_on_two_bars_shares_its_weight_by_the_levers():
    scene = Scene()
    for x in (0.0, 0.3):
        scene.fix(Capsule(0.05, 0.5), [x, 0, 0], rotation("x", np.pi / 2), name=f"bar{x}")
    scene.add(Box([0.3, 0.1, 0.05]), [0.1, 0, 0.1])
    final = scene.run(scene.begin(), 1.0).final_state

    assert_allclose([scene.load(f"bar{x}_body0", final) for x in (0.0, 0.3)], [GRAVITY * 2 / 3, GRAVITY / 3], rtol=1e-6)
    assert scene.largest_move(final) < 1e-6


def test_a_box_that_lands_neither_sinks_in_nor_gains_energy():
    scene, state = box_on_box(gap=0.2, friction=0.3)
    scene.bodies[0].set_q(state, [*mb.spatial.to_quaternion(rotation("x", 0.4) @ rotation("y", 0.7)), 0, 0, 0.4])
    scene.bodies[0].set_u(state, [2.0, -1.0, 0.5, 0.4, 0.2, -1.0])
    results = scene.run(state, 1.5, report_every=STEP)

    q, u = results["body0.q"], results["body0.u"]
    energies = GRAVITY * q[:, 6] + (u[:, 3:] ** 2).sum(axis=1) / 2 + inertia_of_box(1.0, [0.1] * 3)[0, 0] * (u[:, :3] ** 2).sum(axis=1) / 2
    assert results["floor_body0.distance"].min() > -1.1e-4  # m, the tolerance of contacts is 0.1 mm
    assert np.diff(energies).max() < 1e-3  # J of 4.6
    assert_allclose(scene.load("floor_body0", results.final_state), GRAVITY, rtol=1e-6)


def test_a_restitution_throws_a_box_back():
    scene, state = box_on_box(gap=0.0, friction=0.0, restitution=0.5)
    scene.bodies[0].set_q(state, [1, 0, 0, 0, 0, 0, 0.1 + 1e-3])
    scene.bodies[0].set_u(state, [0, 0, 0, 0, 0, -2.0])
    final = scene.run(state, 2 * STEP).final_state
    assert_allclose(scene.bodies[0].u(final)[5], 1.0, atol=3 * STEP * GRAVITY)


@pytest.mark.parametrize("options", [{}, {"impacts": "sequential"}, {"constraints_at": "begin"}])
@pytest.mark.fast(1)
def test_dominoes_fall_in_their_order(options):
    scene = Scene()
    scene.floor()
    half = np.array([0.01, 0.03, 0.06])
    for i in range(5):
        scene.add(Box(half), [0.07 * i, 0, half[2]], mass=0.2, u=[0, 4.0, 0, 0.24, 0, 0] if i == 0 else None)
    results = scene.run(scene.begin(friction=0.4), 0.8, step=0.002, report_every=0.01, **options)

    falls = []
    for body in scene.bodies:
        q = results[f"{body.name}.q"]
        falls.append(np.argmax(2 * np.arctan2(q[:, 2], q[:, 0]) > 0.5))  # rad, where it has lost its balance
    assert falls[0] > 0
    assert all(before < after for before, after in pairwise(falls))


@pytest.mark.slow
def test_interpreted_and_compiled_runs_have_the_same_bits():
    scene, state = tumbling(3)
    interpreted = scene.run(state, 1.0, report_every=0.1)
    compiled = scene.run(state, 1.0, report_every=0.1, backend="compiled")
    for body in scene.bodies:
        assert_array_equal(interpreted[f"{body.name}.q"], compiled[f"{body.name}.q"])
    assert_array_equal(interpreted["floor_body0.normal_force"], compiled["floor_body0.normal_force"])


def test_a_run_goes_on_from_a_saved_state_with_the_same_bits():
    scene, state = box_on_box(gap=0.1)
    scene.bodies[0].set_u(state, [1.0, 2.0, 3.0, 1.0, 0.3, 0.2])
    whole = mb.Simulation(scene.system, integrator="velocity_level", step=STEP, backend="interpreted").start(state)
    whole.step_to(0.6)
    middle = mb.State.from_bytes(scene.system, whole.state.to_bytes())
    whole.step_to(1.0)

    again = mb.Simulation(scene.system, integrator="velocity_level", step=STEP, backend="interpreted").start(middle)
    again.step_to(1.0)

    assert_array_equal(again.state.y, whole.state.y)


def test_a_state_that_was_set_has_new_points():
    """Far from each other the shapes have no points; where they were set to touch, they have."""
    scene, state = box_on_box(gap=0.5)
    final = scene.run(state, 0.01).final_state
    contact = scene.contacts["floor_body0"]
    assert contact.slots.n == 8
    assert np.all(contact.distances(final) > 1e300)
    scene.bodies[0].set_q(final, [1, 0, 0, 0, 0.2, 0.1, 0.1])
    scene.bodies[0].set_u(final, np.zeros(6))
    rested = scene.run(final, 0.5).final_state
    assert_allclose(scene.load("floor_body0", rested), GRAVITY, rtol=1e-12)
    assert_allclose(scene.bodies[0].q(rested)[4:], [0.2, 0.1, 0.1], atol=1e-12)


def test_shapes_that_overlap_at_the_start_are_an_error_with_the_depth():
    scene, state = box_on_box(gap=-0.02)
    with pytest.raises(EventError, match=r"contact 'floor_body0.point_0' overlaps: its distance is -0.02 m"):
        scene.run(state, 0.1)


def test_results_show_the_points():
    scene, state = box_on_box()
    results = scene.run(state, 0.1)
    assert results["floor_body0.n_points"][-1] == 4
    assert results["floor_body0.distance"].shape == (2, 8)
    points, impulses = (results[f"floor_body0.{name}"][-1].reshape(8, 3) for name in ("contact_point", "contact_impulse"))
    assert_allclose(np.abs(points[:4]), [[0.1, 0.1, 0]] * 4, atol=1e-12)
    assert_array_equal(points[4:], np.zeros((4, 3)))
    assert_allclose(impulses.sum(axis=0), [0, 0, GRAVITY * STEP], atol=1e-12)


def test_a_capsule_in_the_groove_of_two_others_has_two_points_on_each():
    """Parallel capsules touch along a line: by slots its two ends carry the load."""
    radius = 0.05
    scene = Scene()
    for side in (-1, 1):
        scene.fix(Capsule(radius, 0.3), [side * radius, 0, 0], rotation("x", np.pi / 2), name=f"log{side}")
    height = radius * np.sqrt(3)
    scene.add(Capsule(radius, 0.2), [0, 0.02, height], rotation("x", np.pi / 2), inertia=np.diag([0.01, 0.01, 0.002]))
    final = scene.run(scene.begin(friction=0.0, in_fixed_steps=True), 1.0).final_state

    for side in (-1, 1):
        contact = scene.contacts[f"log{side}_body0"]
        assert_allclose(contact.normal_force(final), [GRAVITY / (4 * np.cos(np.pi / 6))] * 2, rtol=1e-9)
        assert_allclose(np.sort(contact.contact_point(final)[:, 1]), [-0.18, 0.22], atol=1e-9)
    assert scene.largest_move(final) < 1e-9


def test_a_capsule_slides_along_another_and_falls_off_its_end():
    """Crosswise, without friction: a constant speed up to the end, then over the round end, without a jump."""
    scene = Scene()
    scene.fix(Capsule(0.05, 0.3), [0, 0, 0], rotation("y", np.pi / 2), name="bar")
    scene.add(Capsule(0.05, 0.1), [0.2, 0, 0.1], rotation("x", np.pi / 2), inertia=np.diag([0.01, 0.01, 0.002]), u=[0, 0, 0, 0.5, 0, 0])
    results = scene.run(scene.begin(friction=0.0, in_fixed_steps=True), 0.4, step=1e-3, report_every=1e-3)

    q, u = results["body0.q"], results["body0.u"]
    on_bar = q[:, 4] < 0.3
    assert_allclose(u[on_bar][:, [3, 5]], [[0.5, 0.0]] * on_bar.sum(), atol=1e-9)
    energies = GRAVITY * q[:, 6] + (u[:, 3:] ** 2).sum(axis=1) / 2
    assert np.ptp(energies) < 2e-3  # J of 1.1, of steps of first order on the round end
    assert np.abs(np.diff(u[:, 5])).max() < 1.1 * GRAVITY * 1e-3  # m/s in a step: no impact
    assert q[-1, 6] < 0.09


@pytest.mark.parametrize(
    ("shape", "inertia"),
    [(mb.contact.Cylinder(0.1, 0.15), 0.5), (Capsule(0.1, 0.15), 0.45), (mb.contact.Ellipsoid([0.1, 0.1, 0.15]), 0.4)],
)
def test_round_shapes_roll_down_a_box_by_the_closed_form(shape, inertia):
    """Their points move on the surfaces within a step; the slots have the centers of curvature. Steps of 5 ms, 66 ms for a radian."""
    scene = Scene(down=(np.sin(0.2), 0.0, -np.cos(0.2)))
    scene.floor()
    scene.add(shape, [0, 0, 0.1], rotation("x", np.pi / 2), inertia=np.diag([0.01, 0.01, inertia * 0.01]))
    final = scene.run(scene.begin(0.5, in_fixed_steps=True), 1.0).final_state

    u = scene.bodies[0].u(final)
    assert_allclose(u[3], GRAVITY * np.sin(0.2) / (1 + inertia), rtol=1e-9)
    assert_allclose(0.1 * u[1], u[3], rtol=1e-9)
    assert_allclose(scene.bodies[0].q(final)[6], 0.1, atol=1e-9)
