"""mobod compared with data/geometry/impacts.json: rows of balls by both laws of impacts, and a block that rocks."""

import copy
from pathlib import Path

import pytest

from tests.reference.check import main
from tests.reference.contact_motions import compare_contact_motion, read_contact_motions
from tests.reference.impact_motions import SCHEMES

FILE = Path(__file__).parent / "data" / "geometry" / "impacts.json"
CASES = {case["name"]: case for case in read_contact_motions(FILE)}
QUICK = ["chain_of_balls[0]", "chain_of_balls[1]", "chain_of_balls[7]", "chain_of_balls[8]", "rocking_block[0]"]


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in CASES if name not in QUICK)])
def test_impacts_at_one_time_agree(name):
    report = compare_contact_motion(CASES[name])

    assert (report.trouble, [each for each in report.compared if each.error > each.tolerance]) == (None, [])


def test_a_speed_off_by_ten_tolerances_is_found():
    case = copy.deepcopy(CASES["chain_of_balls[1]"])
    case["content"]["sequential"][0] += 1e-8  # of 0.8

    wrong = [each.quantity for each in compare_contact_motion(case).compared if each.error > each.tolerance]

    assert wrong == [f"speeds, sequential, {scheme}" for scheme in SCHEMES]


def test_the_command_reads_the_file(capsys):
    assert main([str(FILE), "--only", "rocking_block[0]"]) == 0
    assert "1 of 1 cases agree" in capsys.readouterr().out
