"""mobod against runs of ArtiSynth, and the comparison itself."""

import copy
from pathlib import Path

import pytest

from tests.reference.artisynth_runs import compare_run, read_run

DATA = Path(__file__).parent / "data" / "couplings"
RUNS = {path.stem: path for path in sorted(DATA.glob("*.json")) if read_run(path) is not None}


@pytest.mark.parametrize("name", RUNS)
def test_every_step_is_that_of_artisynth(name):
    (run,) = read_run(RUNS[name])
    report = compare_run(run)

    assert report.trouble is None
    assert [each for each in report.compared if not each.error <= each.tolerance] == []
    assert len(report.compared) == 7


@pytest.fixture
def short():
    """The first steps of a run in which a limit is engaged."""
    (run,) = read_run(RUNS["two_wedge_40deg_in1_h0.01"])
    run["steps"] = run["steps"][:4]
    return copy.deepcopy(run)


@pytest.mark.parametrize(
    ("place", "key", "quantity", "amount"),
    [
        ("bodies", "p", "bodies", 1e-8),
        ("bodies", "v", "bodies", 1e-8),
        ("con", "coords", "coordinates", 1e-8),
        ("con", "velGD", "velocities of joints", 1e-8),
        ("con", "E", "engagement", 1),
        ("con", "cnt", "counters", 1),
        ("con", "mult", "multipliers", 1e-7),
        ("con", "dist", "distances", 1e-8),
    ],
)
def test_a_number_that_is_off_is_found(short, place, key, quantity, amount):
    assert compare_run(short).ok
    short["steps"][3][place][0][key][0] += amount

    assert [each.quantity for each in compare_run(short).compared if each.error > each.tolerance] == [quantity]


def test_a_coupling_that_is_not_there_is_named(short):
    short["connectors"][0]["coupling"] = "GearCoupling"

    assert compare_run(short).trouble == "not in mobod yet: coupling GearCoupling"
