"""Contacts whose points are decided once a step: what they refuse, their variables, ensembles, files and pages."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.contact import Box, Capsule, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, Sphere, Torus
from mobod.contact.contact_pool import ContactPool
from mobod.errors import UnsupportedError
from tests.analytic.scenes_of_shapes import GRAVITY, STEP, Scene, box_on_box, rotation, tumbling

BOX = Box([0.1, 0.1, 0.1])
STEPS = {"integrator": "velocity_level", "step": STEP, "backend": "interpreted"}
HULL = ConvexMesh.hull_of(
    0.1 * np.array([[1, 1, 1], [-1, 1, 1], [1, -1, 1], [1, 1, -1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, -1]])
)


@pytest.fixture(scope="module")
def scene_and_state():
    return box_on_box()


@pytest.mark.parametrize(
    "act",
    [
        lambda system, state: mb.Simulation(system, accuracy=1e-6),
        lambda system, state: mb.Simulation(system, integrator="RK4", step=0.01),
        lambda system, state: mb.export_fmu(system, "none.fmu", state=state),
        lambda system, state: system.to_html("none.html", state=state),
    ],
)
def test_error_control_is_refused_by_name(act, scene_and_state):
    scene, state = scene_and_state
    with pytest.raises(
        UnsupportedError, match=r"contact 'floor_body0': a Box and a Box touch in fixed steps only. Use integrator='velocity_l"
    ):
        act(scene.system, state)


@pytest.mark.parametrize(
    "act",
    [
        lambda system, state, simulation: system.linearize(state),
        lambda system, state, simulation: system.modes(state),
        lambda system, state, simulation: mb.sensitivities(simulation, state, ["gravity.magnitude"], until=0.1),
        lambda system, state, simulation: mb.find_equilibrium(system, state),
        lambda system, state, simulation: mb.forward_dynamics_derivatives(system, state),
    ],
)
def test_derivatives_are_refused_by_name(act, scene_and_state):
    scene, state = scene_and_state
    simulation = mb.Simulation(scene.system, **STEPS)
    with pytest.raises(
        UnsupportedError, match=r": contact 'floor_body0': the points at which a Box and a Box touch are decided once a step"
    ):
        act(scene.system, state, simulation)


def test_a_set_makes_contacts_of_boxes_unless_it_skips_them():
    scene = Scene()
    for i in range(2):
        scene.add(BOX, [0, 0, i])
    scene.fix(HalfSpace(), [0, 0, 0], name="floor")
    with pytest.raises(UnsupportedError, match="no distance between a Box and a Box"):
        scene.shapes.pairs()
    assert len(scene.shapes.pairs(unsupported="skip")) == 2
    assert len(scene.shapes.pairs(in_fixed_steps=True)) == 3
    names = [each.name for each in scene.shapes.rigid(static_friction=0.5)]
    assert names == ["body0_body1", "floor_body0", "floor_body1"]
    other = Scene()
    for i in range(2):
        other.add(BOX, [0, 0, i])
    assert other.shapes.rigid(static_friction=0.5, unsupported="skip") == ()
    assert len(other.shapes.rigid(static_friction=0.5, unsupported="skip", in_fixed_steps=True)) == 1


def test_shapes_without_slots_stay_unsupported():
    scene = Scene()
    scene.floor()
    scene.add(Torus(0.1, 0.02), [0, 0, 1], inertia=np.eye(3))
    with pytest.raises(UnsupportedError, match="no distance between a Box and a Torus"):
        scene.begin()


def test_too_many_slots_are_refused_with_their_number():
    scene = Scene()
    for i in range(14):
        scene.add(BOX, [0, 0, i])
    for one, other in combinations(scene.bodies, 2):
        mb.RigidContact(one, BOX, other, BOX, name=f"{one.name}_{other.name}")
    with pytest.raises(UnsupportedError, match=r"91 pairs of shapes .* such as 'body0_body1', have 2184 rows, of 2184 rows .* may be 2000"):
        scene.system.realize_topology()


@pytest.mark.parametrize(
    ("shape", "height", "n_points"),
    [
        (Capsule(0.05, 0.1), 0.15, 1),
        (Cylinder(0.05, 0.1), 0.1, 8),
        (HULL, 0.1, 4),
        (Ellipsoid([0.1, 0.08, 0.05]), 0.05, 1),
    ],
)
def test_every_convex_shape_rests_on_a_box(shape, height, n_points):
    scene = Scene()
    scene.floor()
    scene.add(shape, [0, 0, height], inertia=np.diag([0.01, 0.02, 0.03]))
    results = scene.run(scene.begin(), 0.3)

    assert_allclose(scene.load("floor_body0", results.final_state), GRAVITY, rtol=1e-9)
    assert scene.largest_move(results.final_state) < 1e-9
    assert results["floor_body0.n_points"][-1] == n_points


def test_pairs_with_a_fixed_number_of_features_have_no_slots():
    scene = Scene()
    scene.fix(HalfSpace(), [0, 0, 0], name="floor")
    scene.add(BOX, [0, 0, 0.1])
    scene.add(Sphere(0.1), [0, 0, 0.3], inertia=np.eye(3))
    scene.begin()
    assert all(each.slots is None for each in scene.contacts.values())


def test_moments_of_friction_stop_a_spin_on_a_box():
    """A ball's patch does not resist a spin, a capsule that stands on its end has one point: it stops after 0.02 N/I * t = w."""
    scene = Scene()
    scene.floor()
    scene.add(Capsule(0.05, 0.1), [0, 0, 0.15], inertia=np.diag([0.01, 0.01, 0.004]), u=[0, 0, 5.0, 0, 0, 0])
    state = scene.begin(torsional_friction=0.002, rolling_friction=0.1)
    final = scene.run(state, 0.5, step=0.001).final_state
    assert_allclose(scene.bodies[0].u(final)[2], 5.0 - 0.002 * GRAVITY / 0.004 * 0.5, rtol=1e-6)


def test_runs_of_an_ensemble_have_the_bits_of_single_runs():
    scene, state = tumbling(2)
    states = []
    for i in range(3):
        own = state.copy()
        scene.bodies[0].set_u(own, [0.1 * i, 1, 2, 0.3, 0, 0])
        states.append(own)
    results = mb.Ensemble(scene.system, states, threads=1, **STEPS).run(0.6)
    for own, final in zip(states, results.final_states, strict=True):
        assert_array_equal(final.y, mb.Simulation(scene.system, **STEPS).run(own, 0.6).final_state.y)


def test_a_size_that_was_set_moves_the_points():
    scene, state = box_on_box()
    scene.contacts["floor_body0"].set_parameter(state, "half_lengths2", [0.1, 0.2, 0.1])
    final = scene.run(state, 0.1).final_state
    points = scene.contacts["floor_body0"].contact_point(final)[:4]
    assert_allclose(np.sort(np.abs(points[:, :2]).ravel()), [0.1] * 4 + [0.2] * 4, atol=1e-12)


def test_a_disabled_contact_has_no_points():
    scene, state = box_on_box()
    scene.contacts["floor_body0"].disable(state)
    results = scene.run(state, 0.1)
    assert results["floor_body0.n_points"][-1] == 0
    assert_allclose(scene.bodies[0].q(results.final_state)[6], 0.1 - GRAVITY * 0.1**2 / 2, rtol=0.1)


def test_a_model_file_keeps_the_contact(tmp_path):
    scene, _ = box_on_box(0.3, 0.2)
    scene.bodies[0].set_default_q([1, 0, 0, 0, 0, 0, 0.1])
    loaded = mb.load_model(mb.save_model(scene.system, tmp_path / "boxes.json"))
    finals = [mb.Simulation(each, **STEPS).run(each.realize_topology(), 0.2).final_state for each in (scene.system, loaded)]
    assert_array_equal(finals[1].y, finals[0].y)
    assert finals[0].y[4] > 0.01  # m, it slides


# ---- a box and a capsule, which can have fixed features ----


def capsule_on_floor(**options):
    """(scene, State) of a capsule that lies on a box."""
    scene = Scene()
    scene.floor()
    scene.add(Capsule(0.05, 0.1), [0, 0, 0.05], rotation("x", np.pi / 2), inertia=np.diag([0.01, 0.01, 0.002]))
    return scene, scene.begin(**options)


@pytest.mark.parametrize(
    "act",
    [lambda system, state: mb.Simulation(system, accuracy=1e-6), lambda system, state: system.linearize(state)],
    ids=["run", "linearize"],
)
@pytest.mark.fast(1)
def test_a_refusal_says_how_a_box_and_a_capsule_touch_under_error_control_and_what_it_says_works(act):
    scene, state = capsule_on_floor()
    with pytest.raises(UnsupportedError, match=r"'floor_body0'.*a Box and a Capsule.*[uU]se .*in_fixed_steps=False for this contact"):
        act(scene.system, state)
    assert scene.contacts["floor_body0"].n_features == 2

    scene, state = capsule_on_floor(in_fixed_steps=False)
    act(scene.system, state)
    results = mb.Simulation(scene.system, accuracy=1e-6, backend="interpreted").run(state, 0.1)
    scene.system.realize(results.final_state, mb.Stage.POSITION)
    assert scene.contacts["floor_body0"].n_features == 22
    assert scene.largest_move(results.final_state) < 1e-12


def test_a_saved_model_keeps_exact_rows(tmp_path):
    scene, _ = capsule_on_floor(in_fixed_steps=False)
    (contact,) = mb.load_model(mb.save_model(scene.system, tmp_path / "capsule.json")).matter.constraints
    assert contact.in_fixed_steps is False
    assert contact.feature_names == scene.contacts["floor_body0"].feature_names


def test_compliant_contacts_and_pools_do_not_take_the_exact_rows():
    scene = Scene()
    scene.floor()
    scene.add(Capsule(0.05, 0.1), [0, 0, 0.05], inertia=np.eye(3))
    with pytest.raises(UnsupportedError, match="no distance between a Box and a Capsule"):
        scene.shapes.pairs()
    assert len(scene.shapes.pairs(exact_rows=True)) == 1
    (pool,) = scene.shapes.rigid(static_friction=0.5, in_fixed_steps=False, slots=4)
    assert isinstance(pool, ContactPool)
