"""Forces of drives in pages: arcs about the axes of joints, arrows along slides, and lines of tendons and gears."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.scene import make_scene
from mobod.spatial import rotation_x, rotation_y
from mobod.viewer.run_page import run_page
from tests.view.test_pages import data_of
from tests.view.tracks import decoded

LINK = mb.MassProperties(1.0, [0.3, 0, 0], mb.Inertia.box(mass=1.0, size=[0.6, 0.06, 0.06]).shifted([0.3, 0, 0]))
TURNED = mb.Transform(rotation_x(np.pi / 2) @ rotation_y(0.3), [0.1, 0.2, 0.3])


@pytest.fixture(scope="module")
def driven():
    """An arm in a tilted plane of a model whose z axis points up, with a drive of each kind; its Results."""
    system = mb.MultibodySystem("driven")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    upper = mb.Pin(matter.ground, LINK, X_PF=TURNED, name="upper")
    lower = mb.Universal(upper, LINK, X_PF=mb.Transform(p=[0.6, 0, 0]), name="lower")
    slide = mb.Slider(lower, mb.MassProperties.point(0.3, [0, 0, 0]), X_PF=mb.Transform(p=[0.6, 0, 0]), name="slide")
    screw = mb.Screw(upper, LINK, pitch=0.05, X_PF=mb.Transform(p=[0.2, 0.1, 0]), name="screw")
    mb.Servo(forces, upper, kp=30.0, kd=3.0, command=0.6, name="shoulder")
    mb.Servo(forces, lower, 1, kp=20.0, kd=1.0, command=-0.4, name="wrist")
    mb.MotorDC(forces, screw, torque_constant=0.05, resistance=1.0, gear_ratio=20.0, voltage=4.0, name="spindle")
    mb.Servo(forces, slide, kp=80.0, kd=4.0, command=0.1, name="pusher")
    mb.FixedTendon(forces, [upper, lower, lower], [0, 0, 1], [0.1, -0.08, 0.02], stiffness=500.0, name="cable")
    mb.GearPair(forces, upper, screw, ratio=-1.5, stiffness=50.0, name="gears")
    mb.SiteServo(forces, lower, mb.Transform(p=[0.5, 0.05, 0]), wrench=[0, 0, 0.2, 0, 1, 0], control="force", command=3.0, name="fan")
    return mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=0.4, report_every=0.1)


@pytest.fixture(scope="module")
def sets(driven):
    """Label -> list of (number of the body, points (frames, 3), vectors (frames, 3))."""
    data = data_of(run_page(driven))
    tracks = decoded(data["tracks"])
    units = {each["kind"]: each["unit"] for each in data["arrows"]}
    assert units == {"reaction": "N", "force": "N", "torque": "N.m"}
    return {
        each["label"]: [(arrow["body"], tracks[arrow["tracks"][:3]].T, tracks[arrow["tracks"][3:]].T) for arrow in each["arrows"]]
        for each in data["arrows"]
    }


def axes_of(driven, name, axis):
    """(points, directions) of an axis of frame M over the frames."""
    R, p = driven[f"{name}.R_GB"].reshape(-1, 3, 3), driven[f"{name}.p_GB"]
    return p, R @ np.asarray(axis, dtype=float)


def test_the_torque_of_a_drive_lies_along_the_axis_of_its_joint(driven, sets):
    ((body, points, vectors),) = sets["Torque shoulder"]
    force = driven["shoulder.force"]
    assert body == 1
    assert_allclose(points, np.tile(TURNED.p, (len(force), 1)), atol=1e-6)
    assert_allclose(vectors, force[:, None] * TURNED.R[:, 2], atol=1e-4 * np.abs(force).max())


def test_the_torque_about_an_axis_that_turns_with_the_body_follows_it(driven, sets):
    """The second axis of a Universal is y of its frame M."""
    ((_, points, vectors),) = sets["Torque wrist"]
    origin, axis = axes_of(driven, "lower", [0, 1, 0])
    force = driven["wrist.force"]
    assert_allclose(points, origin, atol=1e-5)
    assert_allclose(vectors, force[:, None] * axis, atol=1e-4 * np.abs(force).max())
    assert np.ptp(axis, axis=0).max() > 0.02


def test_the_force_on_a_slide_is_an_arrow_at_its_body(driven, sets):
    ((body, points, vectors),) = sets["Force pusher"]
    origin, axis = axes_of(driven, "slide", [1, 0, 0])
    force = driven["pusher.force"]
    assert body == 3
    assert_allclose(points, origin, atol=1e-5)
    assert_allclose(vectors, force[:, None] * axis, atol=1e-4 * np.abs(force).max())
    assert "Torque pusher" not in sets


def test_a_tendon_and_gears_have_an_arc_at_each_joint_that_they_act_on(driven, sets):
    tension, force = driven["cable.tension"], driven["gears.force"]
    sizes = [np.linalg.norm(vector, axis=1) for _, _, vector in sets["Torque cable"]]
    assert [body for body, _, _ in sets["Torque cable"]] == [1, 2, 2]
    for size, coefficient in zip(sizes, (0.1, 0.08, 0.02), strict=True):
        assert_allclose(size, coefficient * np.abs(tension), atol=1e-4 * np.abs(tension).max())
    assert [body for body, _, _ in sets["Torque gears"]] == [1, 4]
    assert_allclose(np.linalg.norm(sets["Torque gears"][1][2], axis=1), 1.5 * np.abs(force), atol=1e-3 * np.abs(force).max())
    lines = {(each.name, each.kind, each.body1, each.body2) for each in make_scene(driven.system, driven.final_state).connections}
    assert lines == {("cable", "line", 1, 2), ("gears", "line", 1, 4)}


def test_a_servo_of_a_site_is_drawn_there_with_its_couple(driven, sets):
    ((_, points, push),) = sets["Force fan"]
    ((_, places, couple),) = sets["Torque fan"]
    R, p = driven["lower.R_GB"].reshape(-1, 3, 3), driven["lower.p_GB"]
    site = p + R @ [0.5, 0.05, 0.0]
    assert_allclose(points, site, atol=1e-5)
    assert_allclose(places, site, atol=1e-5)
    assert_allclose(push, 3.0 * R[:, :, 1], atol=1e-4)
    assert_allclose(couple, 0.6 * R[:, :, 2], atol=1e-4)
