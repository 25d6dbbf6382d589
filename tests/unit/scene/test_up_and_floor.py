"""Which direction a scene shows upward, and where its floor is."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.scene import make_scene
from mobod.scene.placement import Placement, at_position
from mobod.spatial.rotation import rotation_x
from mobod.viewer.run_page import scene_of as page_scene
from mobod.viewer.scene_data import scene_data

CUBE = mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.4, 0.3, 0.2]))
DOWN = np.array([0.3, -0.5, -0.8]) / np.linalg.norm([0.3, -0.5, -0.8])


def cube(name="crate"):
    system = mb.MultibodySystem(name)
    matter = mb.MatterSubsystem(system)
    return system, matter, mb.ForceSubsystem(system), mb.Free(matter.ground, CUBE, name="cube")


def scene_of(system, state=None):
    return make_scene(system, state or system.realize_topology())


@pytest.mark.parametrize("down", [[0, 0, -1], [0, -1, 0], [1, 0, 0], DOWN], ids=["z", "y", "x", "general"])
@pytest.mark.parametrize(
    "make",
    [lambda *where, down: mb.Gravity(*where, down=down), lambda *where, down: mb.UniformGravity(*where, gravity=3.7 * np.array(down))],
)
def test_up_is_against_gravity(make, down):
    system, matter, forces, _ = cube()
    make(forces, matter, down=down)
    assert_allclose(scene_of(system).up, -np.array(down), atol=1e-15)


def test_an_up_direction_that_was_set_is_kept_whatever_the_gravity_also_in_a_file(tmp_path):
    system, matter, forces, _ = cube()
    mb.Gravity(forces, matter, down=[0, 0, -1])
    for up in ([0, 1, 0], [1, 0, 0]):
        system.set_up_direction(up)
        mb.save_model(system, tmp_path / "model.json")
        assert scene_of(system).up == scene_of(mb.load_model(tmp_path / "model.json")).up == tuple(up)


def test_up_follows_the_sum_of_what_acts_in_the_state():
    system, matter, forces, _ = cube()
    strong = mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=4.0, name="strong")
    wind = mb.UniformGravity(forces, matter, gravity=[3.0, 0, 0], name="wind")
    state = system.realize_topology()
    assert_allclose(scene_of(system, state).up, [-0.6, 0, 0.8], atol=1e-15)
    wind.disable(state)
    assert scene_of(system, state).up == (0, 0, 1)
    strong.set_magnitude(state, 0.0)  # it still says where down is
    wind.set_gravity(state, [0, 0, 0])
    assert scene_of(system, state).up == (0, 0, 1)


def test_without_gravity_up_is_y():
    system, matter, forces, _ = cube()
    assert scene_of(system).up == (0, 1, 0)
    mb.UniformGravity(forces, matter, gravity=[0, 0, -2.0], name="a")
    mb.UniformGravity(forces, matter, gravity=[0, 0, 2.0], name="b")  # they cancel
    assert scene_of(system).up == (0, 1, 0)


def resting(height, lean=0.0):
    """A cube above a half-space of Ground whose normal leans from z, and gravity along -z."""
    system, matter, forces, body = cube()
    mb.Gravity(forces, matter, down=[0, 0, -1])
    X = mb.Transform.of(rotation_x(lean), np.array([0, 0, height]))
    mb.RigidContact(
        matter.ground,
        mb.contact.HalfSpace(),
        body,
        mb.contact.Box([0.2, 0.15, 0.1]),
        X_B1S1=X,
        static_friction=0.4,
        dynamic_friction=0.3,
        name="floor",
    )
    body.set_default_q([1, 0, 0, 0, 0.3, 0.1, height + 0.7])
    return system, matter


def test_the_floor_of_pages_is_the_half_space_that_bodies_touch():
    system, matter = resting(-0.35)
    state = at_position(system, system.realize_topology())
    of_page = page_scene(system, state, Placement.of(matter, state))["scene"]  # for runs, States, live pages and programs
    of_file = scene_data(json.loads(scene_of(system).to_json()), [0, 0, 1], [[0, 0, 0]] * 2)["scene"]  # for result files of FMUs
    for scene in (of_page, of_file):
        assert scene["floor"] == pytest.approx(-0.35, abs=1e-15)
        assert scene["up"] == [0, 0, 1]


def test_a_slope_is_no_floor():
    assert scene_of(resting(-0.35, lean=0.2)[0]).floor is None


def arm(base=None, *, below=0.15):
    """Two links on a base, whose joint is 0.15 above Ground's origin; z is up."""
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1])
    link = mb.MassProperties(1.0, [0, 0, 0.2], mb.Inertia.box(mass=1.0, size=[0.1, 0.1, 0.4]).shifted([0, 0, 0.2]))
    waist = mb.Pin(matter.ground, link, X_PF=mb.Transform(p=[0, 0, 0.15]), name="waist")
    mb.Pin(waist, link, X_PF=mb.Transform.of(rotation_x(np.pi / 2), np.array([0, 0, 0.4])), name="elbow").set_default_q(2.5)
    if base is not None:
        foot = mb.Weld(matter.ground, CUBE, name="foot")
        foot.add_body_decoration(mb.Transform(p=[0, 0, 0.15 - below]), base)
    return system


def test_an_arm_stands_on_the_foot_of_its_base():
    assert scene_of(arm(mb.decorations.Box((0.2, 0.2, 0.1)))).floor == pytest.approx(-0.1, abs=1e-15)
    cylinder = mb.decorations.Cylinder(0.1, 0.3)  # its axis, y, lies
    assert scene_of(arm(cylinder)).floor == pytest.approx(-0.1, abs=1e-15)
    assert scene_of(arm()).floor == pytest.approx(0.15, abs=0.05)  # the symbol of the joint is the base
    assert scene_of(arm(mb.decorations.Box((0.2, 0.2, 0.1)), below=-0.2)).floor is None  # it hangs from its base


def test_a_hanging_pendulum_has_no_floor():
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0])
    mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -0.7, 0]), name="rod").set_default_q(2.9)
    assert scene_of(system).floor is None
