"""mobod compared with the numbers of Simbody 3.7 in data/, within the tolerances of the README there."""

from functools import cache
from pathlib import Path

import pytest

from tests.reference.cases import compare, read_cases
from tests.reference.trajectories import NO_RESULTS

DATA = Path(__file__).parent / "data"
ELSEWHERE = ("graphmaker.json", "events.json", "gravity_cache.json")  # for test_graphs.py and test_logs.py
CASES = {case["name"]: case for path in sorted(DATA.glob("*.json")) if path.name not in ELSEWHERE for case in read_cases(path)}


@cache
def report_of(name):
    return compare(CASES[name])


@pytest.mark.fast(12)
@pytest.mark.parametrize("name", CASES)
def test_every_supported_output_agrees_with_simbody(name):
    report = report_of(name)

    assert report.trouble is None
    assert [each for each in report.compared if not each.error <= each.tolerance] == []
    assert report.not_compared == []


@pytest.mark.fast(12)
@pytest.mark.parametrize("name", CASES)
def test_every_output_of_a_file_is_compared(name):
    compared = {each.quantity for each in report_of(name).compared}
    corrected = CASES[name].get("upstream_wrong", ())  # for these the file has a corrected value under another key
    held = {
        f"{state['label']}: {output}"
        for state in CASES[name]["states"]
        for output in outputs_of(state)
        if output.split(".")[-1] not in corrected
    }
    held |= {f"trajectory.{key}" for key in CASES[name].get("trajectory", {}) if key not in NO_RESULTS}

    assert compared >= held
    assert len(held) >= 8


def outputs_of(state):
    """The keys of the README's schema, found independently of the code that compares."""
    for key, value in state["outputs"].items():
        if key == "bodies":
            yield from (f"bodies.{each}" for each in value[-1] if each != "body")
        elif key == "system":
            yield from (f"system.{each}" for each in value)
        else:
            yield key
