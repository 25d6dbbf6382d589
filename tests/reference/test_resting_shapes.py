"""mobod compared with data/geometry/resting.json: convex shapes that rest on each other, in fixed steps."""

import copy
from pathlib import Path

import pytest

from tests.reference.contact_motions import compare_contact_motion, read_contact_motions
from tests.reference.resting_shapes import FAMILIES

FILE = Path(__file__).parent / "data" / "geometry" / "resting.json"
CASES = {case["name"]: case for case in read_contact_motions(FILE) if case["family"] in FAMILIES}


@pytest.mark.parametrize("name", [each if each.endswith("[0]") else pytest.param(each, marks=pytest.mark.slow) for each in CASES])
def test_shapes_at_rest_agree(name):
    report = compare_contact_motion(CASES[name])
    assert (report.trouble, [each for each in report.compared if each.error > each.tolerance]) == (None, [])


def test_a_load_off_by_ten_tolerances_is_found():
    case = copy.deepcopy(CASES["pyramid_of_boxes[0]"])
    case["content"]["on_floor_each"] *= 1 + 1e-8
    wrong = [each.quantity for each in compare_contact_motion(case).compared if each.error > each.tolerance]
    assert wrong == ["of lower box 0", "of lower box 1"]
