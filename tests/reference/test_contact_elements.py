"""mobod compared with states of Simbody's forces of contact, and tests of the comparison."""

import copy
from pathlib import Path

import pytest

from tests.reference.check import main
from tests.reference.contact_elements import compare_element, read_elements

FILE = Path(__file__).parent / "data" / "contact" / "simbody_elements.json"
STATES = {state["name"]: state for state in read_elements(FILE)}
KINDS = list({(state["element"], state["pair"]): state["name"] for state in STATES.values()}.values())  # one of each


@pytest.mark.fast(14)
@pytest.mark.parametrize("name", STATES)
def test_every_state_agrees(name):
    report = compare_element(STATES[name])

    assert report.trouble is None
    assert len(report.compared) >= 2
    assert [each for each in report.compared if not each.error <= each.tolerance] == []


@pytest.mark.slow
def test_no_more_than_the_energy_of_a_force_that_is_cut_is_excluded():
    excluded = {name: report.excluded for name in STATES if (report := compare_element(STATES[name])).excluded}
    assert list(excluded.values()) == [["potential_energy"]]


@pytest.mark.parametrize("name", KINDS)
def test_a_force_off_by_ten_tolerances_is_found(name):
    state = copy.deepcopy(STATES[name])
    state["F_on_B2"][1][0] += 1e-4 * max(1e-9, *(abs(each) for row in state["F_on_B2"] for each in row))
    assert [each.quantity for each in compare_element(state).compared if each.error > each.tolerance] == ["F_on_B2"]


def test_an_unknown_pair_fails():
    state = copy.deepcopy(next(iter(STATES.values())))
    assert not compare_element(state | {"pair": "half_space-spoon"}).ok


@pytest.mark.slow
def test_the_file_is_read_by_the_command(capsys):
    assert main([str(FILE), "--only", next(iter(STATES))]) == 0
    assert "1 of 1 cases agree" in capsys.readouterr().out
