"""ShapeDistance: closed forms and their derivatives, groups, a range, files, FMUs, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import measures
from mobod.errors import InputError, UnsupportedError

PIN = mb.MassProperties(1.0, [0, 0, 0], 0.1 * np.eye(3))
REACH = 0.7  # m, of the ball from the axis


def turning_ball():
    """A ball of radius 0.1 m that turns about z, a wall at x = 2 m and a post along z at (0.4, 1.1) m of radius 0.2 m."""
    system = mb.MultibodySystem("carousel")
    matter = mb.MatterSubsystem(system)
    pin = mb.Pin(matter.ground, PIN, name="pin")
    scene = mb.ContactSet(matter)
    ball = scene.add(pin, mb.contact.Sphere(0.1), mb.Transform(p=[REACH, 0, 0.05]), name="ball")
    wall = scene.add(matter.ground, mb.contact.HalfSpace(), mb.contact.HalfSpace.frame([-1, 0, 0], [2, 0, 0]), name="wall")
    post = scene.add(matter.ground, mb.contact.Capsule(0.2, 0.6), mb.Transform(p=[0.4, 1.1, 0]), name="post")
    mb.ShapeDistance(system, ball, wall, name="to_wall")
    nearest = mb.ShapeDistance(system, ball, [wall, post], range=0.9, name="nearest")
    measures.Differentiate(system, nearest, name="rate")
    return system, pin, (ball, wall, post)


def test_distances_and_their_rates_are_those_of_closed_forms():
    """Of a half-space 2 - r cos q - 0.1; of a post its axis's distance less both radii; the least of both, which has no rate beyond 0.9."""
    system, pin, _ = turning_ball()
    state, seen = system.realize_topology(), set()
    for q in (0.2, 0.9, 2.0, -0.4, -2.0):
        pin.set_q(state, q)
        pin.set_u(state, 1.3)
        system.realize(state, mb.Stage.REPORT)
        at, along = REACH * np.array([np.cos(q), np.sin(q)]), REACH * np.array([-np.sin(q), np.cos(q)])
        to_post = at - [0.4, 1.1]
        found = [(2 - at[0] - 0.1, -along[0]), (np.linalg.norm(to_post) - 0.3, to_post @ along / np.linalg.norm(to_post)), (0.9, 0.0)]
        least = min(range(3), key=lambda i: found[i][0])
        seen.add(least)
        assert_allclose(system.value(state, "to_wall.distance"), found[0][0], rtol=1e-14)
        assert_allclose(system.value(state, "nearest.distance"), found[least][0], rtol=1e-14)
        assert_allclose(system.value(state, "rate.value"), 1.3 * found[least][1], rtol=1e-13)
    assert seen == {1, 2}


def test_where_shapes_overlap_it_is_minus_the_depth():
    system, pin, _ = turning_ball()
    state = system.realize_topology()
    system.set_value(state, "nearest.range", 0.0)
    pin.set_q(state, np.arctan2(1.1, 0.4))
    system.realize(state, mb.Stage.POSITION)
    assert_allclose(system.value(state, "nearest.distance"), 0.0)
    system, pin, (ball, _, post) = turning_ball()
    inner = mb.ContactSet(system.matter).add(pin, mb.contact.Sphere(0.5), mb.Transform(p=[REACH, 0, 0]), name="inner")
    mb.ShapeDistance(system, [ball, inner], post, range=0.0, name="depth")
    state = system.realize_topology()
    pin.set_q(state, np.arctan2(1.1, 0.4))
    system.realize(state, mb.Stage.POSITION)
    assert_allclose(system.value(state, "depth.distance"), np.hypot(1.1, 0.4) - REACH - 0.7, rtol=1e-14)


def test_it_is_an_output_of_an_fmu_and_lies_in_a_model_file(tmp_path):
    system, _, _ = turning_ball()
    loaded = mb.load_model(mb.save_model(system, tmp_path / "model.json"))
    assert mb.save_model(loaded, tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    results = []
    for each in (system, loaded):
        state = each.realize_topology()
        state.u = [2.0]
        results.append(mb.Simulation(each, backend="interpreted").run(state, until=1.0, report_every=0.05)["nearest.distance"])
    assert results[0].tobytes() == results[1].tobytes()
    assert len(np.unique(results[0])) > 5
    mb.export_fmu(system, tmp_path / "model.fmu", outputs=["nearest.distance"], code="interpreted", reference=False)


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda system, shapes: mb.ShapeDistance(system, [], shapes[0]), InputError, "shapes is what `add` of a ContactSet returned"),
        (lambda system, shapes: mb.ShapeDistance(system, shapes[0], mb.contact.Sphere(0.1)), InputError, "others is what"),
        (lambda system, shapes: mb.ShapeDistance(system, shapes[0], shapes), InputError, "'ball' on 'pin' are the same shape"),
        (lambda system, shapes: mb.ShapeDistance(system, shapes[0], shapes[1], range=-1.0), InputError, "range"),
        (lambda system, shapes: mb.ShapeDistance(system, turning_ball()[2][0], shapes[1]), InputError, "shape 'ball'"),
    ],
)
def test_what_cannot_be_is_refused(make, kind, text):
    system, _, shapes = turning_ball()
    with pytest.raises(kind, match=text):
        make(system, shapes)


def test_a_pair_without_a_distance_is_refused_by_name():
    system, pin, _ = turning_ball()
    hills = mb.ContactSet(system.matter).add(system.matter.ground, mb.contact.HeightField(np.zeros((3, 3)), spacing=0.1), name="hills")
    box = mb.ContactSet(system.matter).add(pin, mb.contact.Box([0.1, 0.2, 0.3]), name="crate")
    with pytest.raises(UnsupportedError, match="'crate' on 'pin' and 'hills' on 'ground': contact: there is no distance between"):
        mb.ShapeDistance(system, box, hills)
