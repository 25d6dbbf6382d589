"""Contacts of many shapes that share slots: what they hold, whose friction they have, what they refuse."""

import json

import jsonschema
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.contact import Box, ConvexMesh, HalfSpace, HeightField, Sphere, TerrainMesh
from mobod.contact.contact_pool import ContactPool
from mobod.contact.pool_equations import PooledSlot
from mobod.contact.slots import number_of_slots
from mobod.errors import EventError, InputError, ModelFileError, UnsupportedError
from tests.analytic.scenes_of_shapes import GRAVITY, STEP, Scene, box_on_box, rotation, tumbling

CUBE = Box([0.1, 0.1, 0.1])
HULL = ConvexMesh.hull_of(0.08 * np.concatenate([np.eye(3), -np.eye(3)]))
STEPS = {"integrator": "velocity_level", "step": STEP, "backend": "interpreted"}


def pool_of(scene):
    (pool,) = (each for each in scene.contacts.values() if isinstance(each, ContactPool))
    return pool


def test_a_pool_carries_a_box_as_its_own_contact_does():
    scene, state = box_on_box(slots=6)
    results = scene.run(state, 0.5)
    pool, final = pool_of(scene), results.final_state
    assert pool.n_points(final) == 4
    assert [each for each in pool.held_pairs(final) if each is not None] == [("floor", "body0")] * 4
    assert_allclose(pool.normal_force(final).sum(), GRAVITY, rtol=1e-9)
    assert scene.largest_move(final) < 1e-12  # round-off of 100 steps


def test_a_full_pool_is_an_error_that_names_the_number_needed():
    scene, state = box_on_box(slots=3)
    with pytest.raises(EventError, match=r"pool of contacts 'contactpool\d*' is full: it has 3 slots, and 4 points of contact are near"):
        scene.run(state, 0.1)


def test_turned_boxes_of_a_stack_have_slots_for_all_of_their_points():
    """Each lies on the one below with the eight corners of the octagon that both squares share."""
    pairs = [(shape, CUBE) for shape in (CUBE, HULL, Sphere(0.1))]
    scene = Scene()
    scene.floor()
    for i in range(14):
        scene.add(CUBE, [0, 0, 0.1 + 0.2 * i], rotation("z", np.pi / 4 * (i % 2)))
    state = scene.begin()
    pool = pool_of(scene)
    final = scene.run(state, 0.02).final_state
    assert pool.n_points(final) == 8 * 13 + 4 <= pool.slots
    assert pool.most_points(final) == 8 * 13 + 4
    assert [number_of_slots(*pair) for pair in pairs] == [8, 8, 1]


def test_points_that_bodies_cannot_reach_give_their_slots_to_others():
    """Two cubes lie on a floor 1 mm apart, within the margin of near shapes: eight points press, four cannot be reached."""
    scene = Scene()
    scene.floor()
    for k in range(2):
        scene.add(CUBE, [0.201 * k, 0, 0.1])
    state = scene.begin(slots=8)
    pool = pool_of(scene)
    final = scene.run(state, 0.1).final_state
    assert (pool.n_points(final), pool.most_points(final)) == (8, 12)
    assert scene.largest_move(final) < 1e-12


def test_fourteen_boxes_share_slots_by_themselves():
    scene = Scene()
    scene.floor()
    for i in range(14):
        scene.add(CUBE, [0.3 * (i % 7), 0.3 * (i // 7), 0.1])
    state = scene.begin()
    pool = pool_of(scene)
    assert (pool.slots, len(scene.contacts)) == (8 * 14 + 8, 1)
    final = scene.run(state, 0.1).final_state
    assert pool.n_points(final) == 4 * 14
    assert scene.largest_move(final) < 1e-12


def test_rows_of_moments_count_where_slots_are_shared_by_themselves():
    """66 pairs of 8 points have 1584 rows, and with rolling friction 2640, of which 2000 are possible."""

    def made(**moments):
        matter = mb.MatterSubsystem(mb.MultibodySystem("boxes"))
        contacts = mb.ContactSet(matter)
        for i in range(12):
            contacts.add(mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name=f"b{i}"), CUBE, friction=0.5)
        return contacts.rigid(**moments)

    assert len(made()) == 66
    assert len(made(torsional_friction=0.01)) == 1
    assert isinstance(made(rolling_friction=0.01)[0], ContactPool)


def test_a_slot_has_the_friction_of_its_pair():
    """On a slope of 0.3 rad, tan 0.309, one cube has friction 0.5 and stays, the other 0.2 and slides by g (sin - mu cos) t^2 / 2."""
    angle, t = 0.3, 0.4
    scene = Scene(down=(np.sin(angle), 0.0, -np.cos(angle)))
    scene.shapes.add(scene.matter.ground, Box([5.0, 5.0, 0.5]), mb.Transform(p=[0, 0, -0.5]), friction=1.0, name="floor")
    for k, friction in enumerate((0.5, 0.2)):
        scene.add(CUBE, [0, k, 0.1])
        object.__setattr__(scene.shapes.shapes[-1], "friction", (friction, friction, 0.0))
    state = scene.begin(None, slots=10, combination=lambda one, other: min(one, other, key=lambda each: each.static_friction))
    final = scene.run(state, t, step=0.001).final_state
    sliding = GRAVITY * (np.sin(angle) - 0.2 * np.cos(angle)) * t**2 / 2
    assert_allclose([body.X_GB(final).p[0] for body in scene.bodies], [0.0, sliding], rtol=3e-3, atol=1e-9)  # first order, 400 steps


def test_half_spaces_and_joints_take_part():
    """An arm of 2 kg is held by a pin at one side of its center, and by a ball on the floor at the other, both 1 m away: each has half."""
    scene = Scene()
    scene.fix(HalfSpace(), [0, 0, 0], name="floor")
    arm = mb.Pin(
        scene.matter.ground,
        mb.MassProperties(2.0, [0, 0, 0], np.diag([0.1, 0.1, 0.1])),
        X_PF=mb.Transform.of(rotation("x", -np.pi / 2), np.array([0, 0, 0.1])),
        X_BM=mb.Transform.of(rotation("x", -np.pi / 2), np.array([-1.0, 0, 0])),
        name="arm",
    )
    scene.shapes.add(arm, Sphere(0.1), mb.Transform(p=[1.0, 0, 0]), name="tip")
    state = scene.begin(0.0, slots=2)
    final = scene.run(state, 0.1).final_state
    assert_allclose(pool_of(scene).normal_force(final).sum(), 2.0 * GRAVITY / 2, rtol=1e-9)


def test_shapes_that_tumble_move_as_with_contacts_of_their_own():
    finals = []
    for options in ({}, {"slots": 40}):
        scene, state = tumbling(3, **options)
        finals.append(scene.run(state, 0.4).final_state.y)
    assert_allclose(finals[1], finals[0], atol=1e-12)  # the frames of the shapes are those of their bodies


@pytest.mark.parametrize(
    "act",
    [
        lambda system, state: mb.Simulation(system, accuracy=1e-6),
        lambda system, state: system.linearize(state),
    ],
)
def test_error_control_and_derivatives_are_refused_by_name(act):
    scene, state = box_on_box(slots=4)
    with pytest.raises(UnsupportedError, match=r"contactpool\d*': .*shapes that share slots"):
        act(scene.system, state)


def test_a_number_of_slots_that_is_none_is_refused():
    for slots in (0, 1.5, True, np.int64(0)):
        with pytest.raises(InputError, match="slots is"):
            box_on_box(slots=slots)


def test_shapes_that_touch_at_the_start_are_excluded():
    scene = Scene()
    scene.floor()
    for k in range(3):
        scene.add(CUBE, [0.19 * k, 0, 0.1])
    state = scene.system.realize_topology()
    for body, (_, p, _) in zip(scene.bodies, scene.starts, strict=True):
        body.set_q(state, [1, 0, 0, 0, *p])
    with_floor = tuple(("ground", f"body{k}") for k in range(3))
    assert scene.shapes.exclude_touching(state) == (*with_floor, ("body0", "body1"), ("body1", "body2"))
    assert [(one.name, other.name) for one, other in scene.shapes.pairs_allowed()] == [("body0", "body2")]


def pool_of_all_kinds():
    """Three shapes in turned frames, with two kinds of friction and both moments; (system, pool)."""
    scene = Scene()
    scene.fix(HalfSpace(), [0, 0, 0], name="floor")
    bodies = [scene.add(CUBE, [0, 0.3 * k, 0.12]) for k in range(2)]
    tilted = mb.Transform.of(rotation("x", 0.3) @ rotation("y", 0.7), np.array([0.02, -0.03, 0.04]))
    scene.shapes.add(bodies[1], HULL, tilted, friction=0.8, name="hull")
    scene.begin(0.5, slots=30, restitution=0.2, stribeck_speed=0.1, torsional_friction=0.01, rolling_friction=0.004)
    pool = pool_of(scene)
    pool.tolerance = 2e-6
    return scene.system, pool


def test_a_model_file_keeps_a_pool_and_its_motion_to_the_bit(tmp_path):
    system, pool = pool_of_all_kinds()
    first = mb.save_model(system, tmp_path / "first.json")
    again = mb.load_model(first)
    (read,) = again.matter.constraints
    assert read.equations == pool.equations
    assert (read.name, read.slots, read.pairs, read.tolerance) == (pool.name, pool.slots, pool.pairs, pool.tolerance)
    assert first.read_bytes() == mb.save_model(again, tmp_path / "second.json").read_bytes()
    jsonschema.Draft202012Validator(mb.model_schema()).validate(json.loads(first.read_text()))
    ends = []
    for each in (system, again):
        state = each.realize_topology()
        state.q = [1, 0, 0, 0, 0, 0, 0.2, 1, 0, 0, 0, 0.02, 0.1, 0.45]
        ends.append(mb.Simulation(each, **STEPS).run(state, 0.3).final_state.y)
    assert_array_equal(ends[1], ends[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"slots": 0}, "/constraints/0/slots: a pool has at least one slot, not 0"),
        ({"pairs": [[0, 9, 0]]}, "/constraints/0/pairs/0: there is no number 9: valid numbers are 0 to 3"),
        ({"pairs": [[0, 1]]}, "/constraints/0/pairs/0: 3 numbers are needed, not 2"),
        ({"pairs": [[2, 3, 0]]}, "shapes 'body1' and 'hull' are on one body"),
        ({"pairs": []}, "no two shapes can touch"),
        ({"friction": [[0.1, 0.2, 0, 0, 0]]}, "/constraints/0/friction/0: .*0.1, is below that of a slip, 0.2"),
        ({"friction": [[0.1, 0.1, 0, -1, 0]]}, "/constraints/0/friction/0: torsional_friction.*-1"),
    ],
)
def test_errors_in_files_of_pools_name_the_place(tmp_path, change, message):
    system, _ = pool_of_all_kinds()
    path = mb.save_model(system, tmp_path / "pool.json")
    content = json.loads(path.read_text())
    content["constraints"][0] |= change
    path.write_text(json.dumps(content))
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(path)


@pytest.mark.slow
def test_compiled_runs_have_the_bits_of_interpreted_ones():
    scene, state = tumbling(4, slots=60)
    finals = [scene.run(state.copy(), 0.5, backend=backend).final_state.y for backend in ("interpreted", "compiled")]
    assert_array_equal(finals[1], finals[0])


def test_a_page_draws_its_shapes_and_the_forces_of_its_slots(tmp_path):
    scene, state = box_on_box(slots=6)
    results = scene.run(state, 0.1)
    pool, final = pool_of(scene), results.final_state
    row = pool.seen_row(final.layout)
    numbers = row.numbers(final)
    assert numbers.shape == (6, 11)
    assert_allclose(numbers[:, 8:11].sum(axis=0), [0, 0, GRAVITY], atol=1e-8)
    ((_, one), (_, other)) = ((body.name, shape) for body, _, shape in pool.placed_pairs(final)[0])
    assert (type(one), type(other)) == (Box, Box)


def fallen(sets, together):
    """(sets, 6) velocities of cubes that fall on a floor beside each other: in one System with a pool each, or each cube in a System of
    its own. sets: (slots, coefficients) of each pool
    """
    start, found = [1, 0, 0, 0, 0, 0, 0.11], []
    for numbers in [range(len(sets))] if together else [[k] for k in range(len(sets))]:
        scene = Scene()
        cubes = [mb.Free(scene.matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.diag([0.01] * 3)), name=f"cube{k}") for k in numbers]
        for cube, k in zip(cubes, numbers, strict=True):
            contacts, (slots, coefficients) = mb.ContactSet(scene.matter), sets[k]
            contacts.add(scene.matter.ground, HalfSpace(), name=f"floor{k}")
            contacts.add(cube, CUBE, name=f"shape{k}")
            contacts.rigid(slots=slots, **coefficients)
        state = scene.system.realize_topology()
        for cube, k in zip(cubes, numbers, strict=True):
            cube.set_q(state, np.add(start, [0, 0, 0, 0, k, 0, 0]))
            cube.set_u(state, [0.5, 1.0, 0.3, 0.4, 0, 0])
        final = mb.Simulation(scene.system, **STEPS).run(state, 0.1).final_state
        found += [cube.u(final) for cube in cubes]
    return np.array(found)


def test_pools_of_different_sizes_act_each_on_its_own_bodies():
    turning = {"static_friction": 0.3, "torsional_friction": 0.02, "rolling_friction": 0.01}
    sets = [(5, turning), (9, {"static_friction": 0.6, "restitution": 0.4}), (4, {"static_friction": 0.1})]
    # round-off of twenty steps; another lever of a force would be of the order of 1
    assert_allclose(fallen(sets, True), fallen(sets, False), rtol=0, atol=1e-9)


def hills(kind):
    """Terrain of 0.6 m about the origin, that rises and falls by 20 mm."""
    x = 0.15 * np.arange(-2, 3)
    heights = 0.02 * np.sin(9 * x)[:, None] * np.cos(7 * x)[None, :]
    if kind is HeightField:
        return HeightField(heights, spacing=0.15)
    vertices = [[a, b, heights[i, k]] for i, a in enumerate(x) for k, b in enumerate(x)]
    corners = [5 * i + k for i in range(4) for k in range(4)]
    return TerrainMesh(vertices, [face for at in corners for face in ([at, at + 5, at + 6], [at, at + 6, at + 1])])


@pytest.mark.parametrize("kind", [HeightField, TerrainMesh])
def test_shapes_on_terrain_move_in_a_pool_as_with_contacts_of_their_own(kind):
    finals = []
    for options in ({}, {"slots": 16}):
        scene = Scene()
        scene.fix(hills(kind), [0, 0, 0], name="hills")
        scene.add(CUBE, [0.02, 0.01, 0.13], u=[0.5, 1.0, 0.3, 0.4, 0, 0])
        state = scene.begin(**options)
        finals.append(scene.run(state, 0.2).final_state)
    assert_allclose(finals[1].y, finals[0].y, rtol=0, atol=1e-9)  # round-off of forty steps
    assert pool_of(scene).n_points(finals[1]) > 0


def test_shapes_that_touch_terrain_at_the_start_are_excluded():
    scene = Scene()
    scene.fix(hills(HeightField), [0, 0, 0], name="hills")
    scene.add(CUBE, [0, 0, 0.1])
    scene.add(CUBE, [0, 0, 0.5])
    state = scene.system.realize_topology()
    for body, (_, p, _) in zip(scene.bodies, scene.starts, strict=True):
        body.set_q(state, [1, 0, 0, 0, *p])
    assert scene.shapes.exclude_touching(state) == (("ground", "body0"),)


@pytest.mark.parametrize("given", [lambda pool: pool, lambda pool: pool.name])
def test_touch_sums_the_forces_of_the_slots_that_hold_points_of_a_body(given):
    scene, zone = Scene(), Box([0.1, 0.1, 0.05])
    scene.fix(hills(HeightField), [0, 0, -3], name="hills")  # whose pair is the first one
    scene.floor()
    for i in range(2):
        scene.add(CUBE, [0, 0, 0.1 + 0.2 * i])
    scene.add(CUBE, [1.0, 0, 0.1], mass=3.0)
    (pool,) = scene.shapes.rigid(static_friction=0.5, slots=16)
    low, high, other = scene.bodies
    touches = {
        "all": mb.Touch(scene.system, given(pool), name="all"),
        "low": mb.Touch(scene.system, [given(pool)], low, name="low"),
        "sole": mb.Touch(scene.system, given(pool), low, zone=zone, frame=mb.Transform(p=[0, 0, -0.1]), name="sole"),
        "high": mb.Touch(scene.system, given(pool), high, name="high"),
        "other": mb.Touch(scene.system, given(pool), other, name="other"),
    }
    state = scene.system.realize_topology()
    for body, (_, p, _) in zip(scene.bodies, scene.starts, strict=True):
        body.set_q(state, [1, 0, 0, 0, *p])
    final = mb.Simulation(scene.system, **STEPS).run(state, until=0.2).final_state
    scene.system.realize(final, mb.Stage.ACCELERATION)
    wanted = {"all": 6.0, "low": 3.0, "sole": 2.0, "high": 1.0, "other": 3.0}
    for name, touch in touches.items():
        assert_allclose(touch.value(final), wanted[name] * GRAVITY, rtol=1e-6, err_msg=name)


def test_calls_of_free_slots_are_left_out_and_leave_their_results():
    """A ball that bounces off: the slot that it had shows what a slot shows that never held a point."""
    scene = Scene()
    scene.floor()
    ball = scene.add(Sphere(0.1), [0, 0, 0.11], inertia=0.004 * np.eye(3), u=[1.0, 2.0, 3.0, 0.2, 0.1, -3.0])
    state = scene.begin(slots=3, restitution=0.9)
    near = scene.run(state, 0.01).final_state
    final = mb.Simulation(scene.system, **STEPS).run(near, 0.2).final_state
    scene.system.realize(final, mb.Stage.ACCELERATION)
    pool = pool_of(scene)
    assert (pool.n_points(near), pool.n_points(final)) == (1, 0)
    assert ball.X_GB(final).p[2] > 0.3
    for shown in (pool.position_errors, pool.contact_point, pool.contact_normal, pool.friction_force, pool.slip_speed):
        assert_array_equal(shown(final)[0], shown(final)[2])


@pytest.mark.slow  # by the NumPy code of the elements
def test_free_slots_are_evaluated_once(monkeypatch):
    evaluated, errors = [], PooledSlot.position_errors

    def counted(slot, motion):
        evaluated.append(not np.any(slot.slot))
        return errors(slot, motion)

    scene, state = box_on_box(slots=6)
    scene.system.as_text = True
    monkeypatch.setattr(PooledSlot, "position_errors", counted)
    counts = []
    for n_steps in (1, 1, 3):  # the first run records, too
        evaluated.clear()
        mb.Simulation(scene.system, integrator="velocity_level", step=STEP).run(state, n_steps * STEP)
        counts.append((evaluated.count(True), evaluated.count(False)))
    assert counts[2][0] == counts[1][0]
    assert counts[2][1] > counts[1][1] + 4 * 2  # four corners, in each step more than once
