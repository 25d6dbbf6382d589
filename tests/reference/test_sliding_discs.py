"""mobod compared with data/geometry/rolling_and_drilling.json: a flat disc that slides and spins at once."""

import copy
from pathlib import Path

import pytest

from tests.reference.contact_motions import compare_contact_motion, read_contact_motions
from tests.reference.sliding_discs import FAMILIES

FILE = Path(__file__).parent / "data" / "geometry" / "rolling_and_drilling.json"
CASES = {case["name"]: case for case in read_contact_motions(FILE) if case["family"] in FAMILIES}


@pytest.mark.parametrize("name", [each if each == "contensou_disc[1]" else pytest.param(each, marks=pytest.mark.slow) for each in CASES])
def test_a_disc_has_the_force_and_the_moment_of_all_its_points(name):
    report = compare_contact_motion(CASES[name])
    assert report.ok, (report.trouble, report.worst)


def test_a_wrong_moment_of_a_disc_is_found():
    case = copy.deepcopy(CASES["contensou_disc[1]"])
    case["content"]["moment_over_mu_N_R"] *= 1.003
    assert [each.quantity for each in compare_contact_motion(case).compared if each.error > each.tolerance] == ["moment"]
