"""mobod compared with data/geometry/resting.json: balls that roll on terrain."""

from pathlib import Path

import pytest

from tests.reference.contact_motions import compare_contact_motion, read_contact_motions
from tests.reference.terrain_motions import FAMILIES

FILE = Path(__file__).parent / "data" / "geometry" / "resting.json"
CASES = {case["name"]: case for case in read_contact_motions(FILE) if case["family"] in FAMILIES}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_balls_on_terrain_agree(name):
    report = compare_contact_motion(CASES[name])
    assert (report.trouble, [each for each in report.compared if each.error > each.tolerance]) == (None, [])
