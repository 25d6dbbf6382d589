"""mobod compared with data/geometry/rolling_and_drilling.json: moments of friction, under error control and in fixed steps."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import HalfSpace, Sphere
from tests.reference.check import main
from tests.reference.contact_motions import compare_contact_motion, read_contact_motions
from tests.reference.turning_motions import FAMILIES

FILE = Path(__file__).parent / "data" / "geometry" / "rolling_and_drilling.json"
CASES = {case["name"]: case for case in read_contact_motions(FILE) if case["family"] in FAMILIES}
QUICK = {"disc_spins_flat[0]", "ball_drills[0]", "ball_on_slope_with_rolling_friction[1]", "ball_on_slope_with_rolling_friction[3]"}


@pytest.mark.parametrize("name", [each if each in QUICK else pytest.param(each, marks=pytest.mark.slow) for each in CASES])
def test_bodies_that_spin_and_roll_agree(name):
    report = compare_contact_motion(CASES[name])

    assert (report.trouble, [each for each in report.compared if each.error > each.tolerance]) == (None, [])


def test_an_acceleration_off_by_ten_tolerances_is_found():
    case = copy.deepcopy(CASES["ball_on_slope_with_rolling_friction[2]"])
    case["content"]["acceleration"] += 1e-6  # of 8.7 rad/s^2, over 0.2 s

    wrong = [each.quantity for each in compare_contact_motion(case).compared if each.error > each.tolerance]

    assert wrong == ["speeds, error control", "speeds, fixed steps"]


@pytest.mark.slow
def test_a_disc_of_dry_points_stops_to_slide_and_to_spin_at_once_with_the_known_ratio():
    """v / (R w) at the end of an evenly loaded disc (disc_slides_and_spins): from points, without a moment of friction."""
    (case,) = json.loads(FILE.read_text(encoding="utf-8"))["disc_slides_and_spins"]["cases"]
    system, disc = disc_of_points(80, radius=0.1, mass=1.0)
    state = system.realize_topology()
    disc.set_u(state, [5.0, 0.5, 0.0])

    speeds = np.array(mb.Simulation(system, 1e-8, integrator="Rodas5P", backend="interpreted").run(state, 0.4)["disc.u"])

    at = np.argmax(np.hypot(speeds[:, 1], speeds[:, 2]) < 1e-3)  # of 0.5 m/s, and far above the speed of transition
    ratio = np.hypot(*speeds[at, 1:]) / (0.1 * speeds[at, 0])
    assert_allclose(ratio, case["limit_of_v_over_R_w"], rtol=0.02)  # 80 points for the area: 1 %; the limit: 1 %


def disc_of_points(n, radius, mass):
    """(system, disc) of a disc on points with equal loads, in equal parts of its area, with friction that is nearly rigid."""
    system = mb.MultibodySystem("disc")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    inertia = mb.Inertia.cylinder(mass=mass, radius=radius, length=1e-3, axis="z")
    disc = mb.Planar(matter.ground, mb.MassProperties(mass, [0, 0, 0], inertia), name="disc")
    numbers, golden = np.arange(n), np.pi * (3 - np.sqrt(5))
    points = radius * np.sqrt((numbers + 0.5) / n) * np.array([np.cos(golden * numbers), np.sin(golden * numbers)])
    points -= points.mean(axis=1, keepdims=True)
    points *= np.sqrt(0.5 * radius**2 / (points**2).sum(axis=0).mean())
    material = mb.ContactMaterial(1e5, 0.0, 0.3)
    depth = mass * 9.81 / n / (0.5 * material.stiffness)  # of two equal surfaces
    for i, point in enumerate(points.T):
        at = mb.Transform(p=[*point, 1e-3 - depth])
        shapes = matter.ground, HalfSpace(), disc, Sphere(1e-3)
        law = {"normal": "linear", "friction": "stribeck", "transition_speed": 1e-5}
        mb.CompliantContact(forces, *shapes, X_B2S2=at, material1=material, name=f"point{i}", **law)
    return system, disc


def test_another_law_is_left_out_by_name(tmp_path, capsys):
    data = json.loads(FILE.read_text(encoding="utf-8"))
    (tmp_path / "other.json").write_text(json.dumps({"ring_of_springs": data["ball_drills"]}))
    assert main([str(tmp_path / "other.json"), "--only", "ring_of_springs[0]"]) == 1
    assert "not in mobod yet: a motion of the family ring_of_springs" in capsys.readouterr().out
