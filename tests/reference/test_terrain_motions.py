"""mobod compared with data/geometry/resting.json: balls that roll on terrain."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipk

from tests.reference.contact_motions import compare_contact_motion, read_contact_motions
from tests.reference.terrain_motions import FAMILIES

FILE = Path(__file__).parent / "data" / "geometry" / "resting.json"
CASES = {case["name"]: case for case in read_contact_motions(FILE) if case["family"] in FAMILIES}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_balls_on_terrain_agree(name):
    report = compare_contact_motion(CASES[name])
    assert (report.trouble, [each for each in report.compared if each.error > each.tolerance]) == (None, [])


@pytest.mark.parametrize("bowl", [(0.25, 0.1, 0.8), pytest.param((0.3, 0.05, 1.2), marks=pytest.mark.slow)])
def test_small_and_steep_bowls_are_taken(bowl):
    """Period by the elliptic integral of the pendulum with 7/5 of the mass; a field of fixed spacing ended outside of them."""
    R, r, angle = bowl
    period = 4 * ellipk(np.sin(angle / 2) ** 2) / np.sqrt(5 / 7 * 9.81 / (R - r))
    content = {"bowl_radius": R, "ball_radius": r, "amplitude_rad": angle, "period": period}
    report = compare_contact_motion({"name": "bowl", "family": "ball_in_bowl", "content": content})
    assert report.ok, (report.worst, report.trouble)
    report = compare_contact_motion({"name": "bowl", "family": "ball_in_bowl", "content": content | {"amplitude_rad": 1.5}})
    assert report.trouble == "not in mobod yet: a bowl in which a ball begins at 1.5 rad: a height field has no walls"
