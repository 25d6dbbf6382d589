"""mobod compared with exactly known motions with stops, by check.py, and tests of the comparison."""

import copy
import json
from pathlib import Path

import pytest

import mobod as mb
from tests.reference.check import main
from tests.reference.exact_motions import compare_motion, read_motions
from tests.reference.stops import DATA, slotted_hinge

FILES = sorted(path.stem for path in DATA.glob("exact_*.json"))


def cases(name):
    return read_motions(DATA / f"{name}.json")


@pytest.mark.fast(5)
@pytest.mark.parametrize("name", FILES)
def test_check_accepts_it_and_it_agrees(name, capsys):
    if name == "exact_bouncing_ball":  # the others take 63 and 130 bounces
        reports = [compare_motion(case) for case in cases(name)[:2]]
        assert [report.trouble for report in reports] == [None] * 2
        assert all(report.ok for report in reports)
        return
    assert main([str(DATA / f"{name}.json")]) == 0
    assert "cases agree" in capsys.readouterr().out


def wrong(case, place):
    """The case with the number at this place changed by 1e-6 of its value, or a count by one."""
    case = copy.deepcopy(case)
    *way, last = place
    at = case["content"]
    for key in way:
        at = at[key]
    at[last] = at[last] * (1 + 1e-6) if isinstance(at[last], float) else 1 - at[last]
    return case


@pytest.mark.fast(10)
@pytest.mark.parametrize(
    ("name", "place", "quantity"),
    [
        ("exact_hinge_stop", ["t_impact"], "time of the impact"),
        ("exact_hinge_stop", ["impulse_e0"], "impulse"),
        ("exact_hinge_stop", ["rest_moment"], "moment at rest"),
        ("exact_bouncing_ball", ["impacts", 4], "impacts"),
        ("exact_two_wedge", ["events", 1, "v_plus", 0], "impact 1: speeds after"),
        ("exact_slotted_hinge_undamped_e0", ["events", 2, "t"], "event 2: time"),
        ("exact_slotted_hinge_undamped_e0", ["events", 1, "impulse"], "event 1: impulse"),
        ("exact_slotted_hinge_undamped_e0", ["events", 0, "engaged_after"], "event 0: held"),
        ("exact_slotted_hinge_undamped_e0", ["steps", 150, 1, 1], "states"),
        ("exact_slotted_hinge_undamped_e0", ["steps", 150, 3], "forces"),
        ("exact_slotted_hinge_undamped_e0", ["steps", 150, 2], "engagement"),
        ("exact_four_bar", ["phi", 250], "angles"),
    ],
)
def test_a_wrong_number_is_found(name, place, quantity):
    report = compare_motion(wrong(cases(name)[0], place))

    assert quantity in [each.quantity for each in report.compared if each.error > each.tolerance]


@pytest.mark.parametrize("name", FILES)
def test_unsupported_content_is_named(name):
    case = copy.deepcopy(cases(name)[0])
    case["content"]["friction"] = 0.3

    assert compare_motion(case).trouble.startswith("not in mobod yet: ")
    assert "with friction" in compare_motion(case).trouble


def test_an_unknown_motion_fails_with_its_content(tmp_path, capsys):
    path = tmp_path / "exact_gear.json"
    path.write_text(json.dumps({"teeth": 12, "note": "two wheels"}))

    assert main([str(path)]) == 1
    assert "FAILED exact_gear.json exact_gear: not in mobod yet: an exact motion with note, teeth" in capsys.readouterr().out


def test_the_restitution_of_the_file_is_used():
    """The first impacts with restitution 0.5 are known to eight digits."""
    case = copy.deepcopy(cases("exact_custom_joint_demo_e0")[0])
    content = case["content"]
    content["restitution"] = 0.5
    del content["steps"][60:]  # the motion is the same until the first impact
    del content["events"][:]
    assert compare_motion(case).ok

    system, _ = slotted_hinge(content["params"], 0.5)
    results = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=1.7)
    assert [event.time for event in results.events] == pytest.approx([0.63507491, 0.97749369, 1.44529549, 1.66200452], abs=2e-8)


def test_a_file_of_something_else_is_not_a_motion(tmp_path):
    (tmp_path / "other.json").write_text(json.dumps({"schema": "another"}))
    assert read_motions(Path(tmp_path / "other.json")) is None
