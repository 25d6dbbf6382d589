"""Reference files with logs: of events, and of the number of evaluations of gravity."""

from pathlib import Path

import pytest

from tests.reference.cases import compare, read_cases

DATA = Path(__file__).parent / "data"
EVENTS = read_cases(DATA / "events.json")
(GRAVITY,) = read_cases(DATA / "gravity_cache.json")


@pytest.mark.fast("1_pendulum_zero_crossings", "2_pendulum_zero_crossings", "3_pendulum_zero_crossings", "4_scheduled_order")
@pytest.mark.parametrize("case", EVENTS, ids=[f"{i}_{case['name']}" for i, case in enumerate(EVENTS)])
def test_events_occur_at_the_expected_times_and_in_order(case):
    report = compare(case)
    assert report.trouble is None
    assert [(each.quantity, each.error) for each in report.compared if not each.error <= each.tolerance] == []
    assert len(report.compared) == (1 if case["name"] == "scheduled_order" else 2)


def test_evaluation_counts_and_cache_validity_match_the_reference_log():
    report = compare(GRAVITY)
    assert report.trouble is None
    assert [each.quantity for each in report.compared if each.error] == []
    assert len(report.compared) == len(GRAVITY["log"]) >= 30


@pytest.mark.slow
def test_a_missed_or_late_crossing_is_found():
    (pendulum, *_) = (case for case in EVENTS if case["name"] == "pendulum_zero_crossings")
    more = {**pendulum, "name": "bouncing_mass"}  # which has other times
    assert compare(more).agrees  # only the number of events is taken from the file
    (order,) = (case for case in EVENTS if case["name"] == "scheduled_order")
    assert not compare({**order, "log": order["log"][::-1]}).agrees
    wrong = [dict(entry) for entry in GRAVITY["log"]]
    wrong[2]["num_evaluations"] += 1
    assert [each.quantity for each in compare({**GRAVITY, "log": wrong}).compared if each.error] == ["log[2]: getPotentialEnergy"]
