"""mobod compared with data/geometry/rolling_and_drilling.json: moments of friction, under error control and in fixed steps."""

import copy
from pathlib import Path

import pytest

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


def test_another_law_is_left_out_by_name(capsys):
    assert main([str(FILE), "--only", "disc_slides_and_spins[0]"]) == 1
    assert "not in mobod yet: a motion of the family disc_slides_and_spins" in capsys.readouterr().out
