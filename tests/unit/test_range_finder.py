"""RangeFinder: rays against what shapes contain, a closed form and its derivative, files, FMUs, and what is refused."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import measures
from mobod.errors import InputError, UnsupportedError
from mobod.sensors.rays import first_hit
from mobod.sensors.zones import inside

FAR = 10.0  # m
BOX = mb.contact.Box([0.3, 0.5, 0.2])
CORNERS = np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.5, 0.5) for z in (-0.2, 0.2)])
SHAPES = [mb.contact.Sphere(0.4), BOX, mb.contact.Capsule(0.2, 0.3), mb.contact.Cylinder(0.3, 0.4), mb.contact.Ellipsoid([0.2, 0.3, 0.5])]
PIN = mb.MassProperties(1.0, [0, 0, 0], 0.1 * np.eye(3))


def rays(n, seed):
    """From points around the origin, a third of them near it; half of them towards points near it."""
    rng = np.random.default_rng(seed)
    for number in range(n):
        p = rng.normal(size=3, scale=0.2 if number % 3 == 0 else 1.0)
        d = rng.normal(size=3) if number % 2 else rng.uniform(-0.3, 0.3, size=3) - p
        yield p, d / np.linalg.norm(d)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: type(shape).__name__)
def test_a_ray_goes_on_outside_up_to_its_hit_and_on_the_surface_there(shape):
    """If it begins inside, inside up to where it leaves. The other code that knows the shape is that of zones."""
    hits = {False: 0, True: 0}
    for p, d in rays(90, 3):
        distance = float(first_hit(shape, p, d, FAR))
        along = np.array([float(inside(shape, p + t * d)) >= 0 for t in np.linspace(0, min(distance, 3.0) - 1e-9, 40)])
        assert np.all(along == along[0])
        if distance < FAR:
            assert float(inside(shape, p + (distance - 1e-9) * d)) * float(inside(shape, p + (distance + 1e-9) * d)) < 0
            hits[bool(along[0])] += 1
    assert min(hits.values()) > 3


def _in_cone(shape, x):
    return abs(x[2]) <= shape.half_length and np.hypot(x[0], x[1]) <= shape.radius * (shape.half_length - x[2]) / (2 * shape.half_length)


def _in_rounded_box(shape, x):
    return np.linalg.norm(np.maximum(np.abs(x) - np.array(shape.half_lengths), 0)) <= shape.radius


@pytest.mark.parametrize(
    ("shape", "contains"), [(mb.contact.Cone(0.3, 0.4), _in_cone), (mb.contact.RoundedBox([0.2, 0.3, 0.1], 0.1), _in_rounded_box)]
)
def test_a_ray_hits_cones_and_rounded_boxes_where_they_begin_or_end(shape, contains):
    n_hits = 0
    for p, d in rays(90, 3):
        distance = float(first_hit(shape, p, d, FAR))
        along = [contains(shape, p + t * d) for t in np.linspace(0, min(distance, 3.0) - 1e-9, 40)]
        assert all(each == along[0] for each in along)
        if distance < FAR:
            n_hits += 1
            assert contains(shape, p + (distance - 1e-9) * d) != contains(shape, p + (distance + 1e-9) * d)
    assert n_hits > 20


def _over_terrain(terrain):
    """A finder on a body, and terrain on another one."""
    system = mb.MultibodySystem("flight")
    matter = mb.MatterSubsystem(system)
    mb.ForceSubsystem(system)
    craft, raft = (mb.Free(matter.ground, PIN, name=name) for name in ("craft", "raft"))
    contacts = mb.ContactSet(matter)
    contacts.add(raft, terrain, mb.Transform.of(mb.spatial.rotation_x(0.2), np.array([0.1, -0.2, 0.05])), name="land")
    contacts.add(matter.ground, mb.contact.Sphere(0.05), name="ball")
    finder = mb.RangeFinder(system, craft, contacts, station=[0.02, 0.01, -0.03], direction=[0.1, -0.2, -2.0], range=3.0, name="finder")
    return system, craft, raft, finder


def _pose(rng, p, size):
    q = np.array([1.0, *rng.normal(size=3, scale=0.3)])
    return [*(q / np.linalg.norm(q)), *(np.array(p) + rng.normal(size=3, scale=size))]


HILLS = mb.contact.HeightField(0.1 * np.random.default_rng(4).random((9, 7)), (0.3, 0.4))
LAND = [HILLS, mb.contact.TerrainMesh(HILLS.vertices, HILLS.faces)]


@pytest.mark.parametrize("terrain", LAND, ids=["field", "mesh"])
def test_a_ray_meets_the_triangles_of_terrain(terrain):
    system, craft, raft, finder = _over_terrain(terrain)
    state, rng, n_hits = system.realize_topology(), np.random.default_rng(6), 0
    corners = np.array(HILLS.vertices)[np.array(HILLS.faces)]
    for _ in range(25):
        craft.set_q(state, _pose(rng, [0, 0, 1.2], 0.3))
        raft.set_q(state, _pose(rng, [0, 0, 0], 0.1))
        system.realize(state, "position")
        X_GS = raft.X_GB(state) @ mb.Transform.of(mb.spatial.rotation_x(0.2), np.array([0.1, -0.2, 0.05]))
        X_SB = X_GS.inverse() @ craft.X_GB(state)
        p, d = X_SB.apply([0.02, 0.01, -0.03]), X_SB.R @ np.array([0.1, -0.2, -2.0]) / np.sqrt(4.05)
        M = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], np.broadcast_to(-d, (len(corners), 3))], axis=-1)
        u, v, t = np.linalg.solve(M, (p - corners[:, 0])[..., None])[..., 0].T
        met = t[(u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t < 3.0)]
        n_hits += len(met) > 0
        assert_allclose(finder.value(state), min(met, default=3.0), rtol=1e-12)
    assert 5 < n_hits < 25


def test_the_distance_of_terrain_has_derivatives_and_an_fmu_shows_it(tmp_path):
    system, craft, raft, finder = _over_terrain(HILLS)
    state, rng = system.realize_topology(), np.random.default_rng(7)
    craft.set_q(state, _pose(rng, [0, 0, 1.5], 0.05))
    raft.set_q(state, _pose(rng, [0, 0, 0], 0.1))
    craft.set_u(state, [0.3, -0.2, 0.1, 0.4, 0.2, -0.5])
    raft.set_u(state, [-0.1, 0.2, 0.3, 0.1, -0.3, 0.2])
    found = system.linearize(state, outputs=["finder.distance"])
    step, q = 1e-6, state.q.copy()
    differences = []
    for k in [*range(4, 7), *range(11, 14)]:
        ends = []
        for sign in (-1, 1):
            moved = state.copy()
            moved.q = q + sign * step * np.eye(14)[k]
            system.realize(moved, "position")
            ends.append(float(finder.value(moved)[0]))
        differences.append((ends[1] - ends[0]) / (2 * step))
    assert np.abs(differences).max() > 0.5
    names = list(found.states)
    columns = [names.index(f"{body}.q[{i}]") for body in ("craft", "raft") for i in range(5, 8)]
    assert_allclose(found.C[0, columns], differences, atol=1e-7)
    path = mb.export_fmu(system, tmp_path / "flight.fmu", outputs=["finder.distance"], state=state, code="interpreted", reference=False)
    results = fmpy.simulate_fmu(str(path), stop_time=0.1, output_interval=0.1)
    final = mb.Simulation(system, backend="interpreted").run(state, until=0.1).final_state
    system.realize(final, "position")
    assert_allclose(results["finder.distance"][-1], finder.value(final), rtol=1e-6)


def test_along_axes_and_edges_a_ray_hits_what_it_meets():
    """Directions with entries of 0, within and beside a box, a cylinder and a capsule."""
    z, x = np.array([0, 0, 1.0]), np.array([1.0, 0, 0])
    for shape, half in ((BOX, 0.2), (mb.contact.Cylinder(0.3, 0.2), 0.2), (mb.contact.Capsule(0.1, 0.1), 0.2)):
        assert_allclose(first_hit(shape, np.array([0, 0, -1.0]), z, FAR), 1.0 - half)
        assert first_hit(shape, np.array([0.31, 0, -1.0]), z, FAR) == FAR
        assert first_hit(shape, np.array([0, 0, 1.0]), z, FAR) == FAR
        assert first_hit(shape, np.array([-1.0, 0, half + 0.01]), x, FAR) == FAR
    assert_allclose(first_hit(mb.contact.HalfSpace(), np.array([0.3, 0.2, 0.7]), -z, FAR), 0.7)
    assert first_hit(mb.contact.HalfSpace(), np.array([0.3, 0.2, 0.7]), x, FAR) == FAR
    assert first_hit(mb.contact.HalfSpace(), np.array([0.3, 0.2, -0.7]), z, FAR) == FAR


def test_a_mesh_of_a_boxs_corners_is_hit_as_the_box():
    mesh = mb.contact.ConvexMesh(tuple(map(tuple, CORNERS.tolist())))
    for p, d in rays(60, 5):
        assert_allclose(first_hit(mesh, p, d, FAR), first_hit(BOX, p, d, FAR), rtol=1e-12)


def turning_eye(**options):
    """On a pin about y, 0.4 m before its axis, towards a wall at x = 3; z of the body is x of Ground when it stands at 0."""
    system = mb.MultibodySystem("lighthouse")
    matter = mb.MatterSubsystem(system)
    pin = mb.Pin(matter.ground, PIN, X_PF=mb.Transform(mb.spatial.rotation_x(-np.pi / 2)), name="pin")
    contacts = mb.ContactSet(matter)
    contacts.add(matter.ground, mb.contact.HalfSpace(), mb.contact.HalfSpace.frame([-1, 0, 0], [3, 0, 0]), name="wall")
    contacts.add(matter.ground, mb.contact.Sphere(0.5), mb.Transform(p=[0, 0, 2.0]), name="ball")
    contacts.add(pin, mb.contact.Sphere(0.1), mb.Transform(p=[0.6, 0, 0]), name="own")
    eye = mb.RangeFinder(system, pin, contacts, station=[0.4, 0, 0], direction=[2, 0, 0], range=5.0, name="eye", **options)
    return system, pin, contacts, eye


def test_the_distance_of_a_wall_and_its_rate_are_those_of_the_closed_form():
    """(3 - 0.4 cos q) / cos q, also by linearisation; beyond its range, no rate."""
    system, pin, _, eye = turning_eye()
    measures.Differentiate(system, eye, name="rate")
    state = system.realize_topology()
    for q in (0.3, -0.7, 2.5):
        pin.set_q(state, q)
        pin.set_u(state, 1.3)
        system.realize(state, mb.Stage.REPORT)
        seen = np.cos(q) > 0
        slope = 3 * np.sin(q) / np.cos(q) ** 2 if seen else 0.0
        assert_allclose(eye.value(state), [3 / np.cos(q) - 0.4 if seen else 5.0], rtol=1e-14)
        assert_allclose(system.value(state, "rate.value"), slope * 1.3, rtol=1e-13, atol=1e-15)
        linear = system.linearize(state, inputs=[], outputs=["eye.distance"])
        assert_allclose(linear.C, [[slope, 0.0]], rtol=1e-12, atol=1e-15)


def test_without_a_hit_it_shows_its_miss_and_no_more_than_its_cutoff_of_what_it_sees():
    """A wall at 2.6 m, which it no longer sees when it looks away; a change of the range does not change the miss."""
    system, pin, _, eye = turning_eye(miss=-1.0, cutoff=2.0)
    state = system.realize_topology()
    for q, cutoff, shown in ((0.0, 2.0, 2.0), (0.0, 0.0, 2.6), (0.0, 2.7, 2.6), (2.5, 2.0, -1.0), (2.5, 0.0, -1.0)):
        pin.set_q(state, q)
        eye.set_cutoff(state, cutoff)
        eye.set_range(state, 4.0 + cutoff)
        system.realize(state, mb.Stage.REPORT)
        assert_allclose(eye.value(state), [shown], rtol=1e-14)


def test_it_sees_a_ball_before_it_and_not_what_is_excluded():
    system, pin, contacts, eye = turning_eye()
    state = system.realize_topology()
    pin.set_q(state, -np.pi / 2)  # its x is z of Ground
    system.realize(state, mb.Stage.REPORT)
    assert_allclose(eye.value(state), [2.0 - 0.5 - 0.4])
    with pytest.raises(InputError, match="no shape that it could see from 'pin'"):
        mb.RangeFinder(system, pin, contacts, range=5.0, exclude=[system.matter.ground])


def test_it_is_an_output_of_an_fmu_and_lies_in_a_model_file(tmp_path):
    system, _, _, _ = turning_eye(miss=-1.0, cutoff=4.5)
    loaded = mb.load_model(mb.save_model(system, tmp_path / "eye.json"))
    assert mb.save_model(loaded, tmp_path / "again.json").read_bytes() == (tmp_path / "eye.json").read_bytes()
    results = []
    for each in (system, loaded):
        state = each.realize_topology()
        state.u = [2.0]
        results.append(mb.Simulation(each, backend="interpreted").run(state, until=1.0, report_every=0.05)["eye.distance"])
    assert results[0].tobytes() == results[1].tobytes()
    assert len(np.unique(results[0])) > 5
    mb.export_fmu(system, tmp_path / "eye.fmu", outputs=["eye.distance"], code="interpreted", reference=False)


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda system, pin, shapes: mb.RangeFinder(system, pin, shapes, range=0.0), InputError, "greater than 0"),
        (lambda system, pin, shapes: mb.RangeFinder(system, pin, shapes, range=1.0, miss=np.inf), InputError, "miss is inf"),
        (lambda system, pin, shapes: mb.RangeFinder(system, pin, mb.contact.Sphere(0.1), range=1.0), InputError, "a ContactSet, or a list"),
        (lambda system, pin, shapes: mb.RangeFinder(system, pin, shapes, direction=[0, 0, 0], range=1.0), InputError, "direction"),
        (lambda system, pin, shapes: mb.RangeFinder(system, "pin", shapes, range=1.0), InputError, "mobilized body or on matter.ground"),
    ],
)
def test_what_cannot_be_is_refused(make, kind, text):
    system, pin, shapes, _ = turning_eye()
    with pytest.raises(kind, match=text):
        make(system, pin, shapes)


def test_a_shape_that_no_ray_hits_is_refused_by_name():
    system, pin, shapes, _ = turning_eye()
    shapes.add(system.matter.ground, mb.contact.Torus(0.3, 0.1), name="ring")
    with pytest.raises(UnsupportedError, match="shape 'ring' on 'ground': a ray finds no Torus"):
        mb.RangeFinder(system, pin, shapes, range=1.0)
