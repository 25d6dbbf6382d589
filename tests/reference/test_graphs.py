"""MultibodyGraphMaker makes the same graphs as Simbody, in the same order."""

import copy
from pathlib import Path

import pytest

import mobod as mb
from tests.reference import graphs
from tests.reference.cases import compare, read_cases

CASES = {case["name"]: case for case in read_cases(Path(__file__).parent / "data" / "graphmaker.json")}
RIGHT = [name for name in CASES if "upstream_wrong" not in CASES[name]]


@pytest.mark.parametrize("name", RIGHT)
def test_graphs_match_simbody(name):
    report = compare(CASES[name])

    assert report.ok
    assert {each.quantity for each in report.compared} == CASES[name]["result"].keys()


def test_a_joint_of_a_body_with_itself_is_an_error_though_simbody_takes_it():
    with pytest.raises(mb.MobodError, match="joint 'p1' connects body 'a' with itself"):
        graphs.made(CASES["self_joint"])
    assert compare(CASES["self_joint"]).excluded == ["result"]


@pytest.mark.parametrize("kind", ["mobilizers", "loop_constraints", "body_names", "joint_names"])
def test_any_different_entry_is_found(kind):
    names = [name for name in RIGHT if CASES[name]["result"].get(kind)]
    assert names
    for name in names:
        for number in range(len(CASES[name]["result"][kind])):
            case = copy.deepcopy(CASES[name])
            del case["result"][kind][number]
            assert [each.quantity for each in compare(case).compared if each.excess > 1] == [kind]


@pytest.mark.parametrize("key", ["joint", "type", "inboard", "outboard_master", "added_base", "slave", "reversed", "level", "fragments"])
def test_any_different_key_of_a_mobilizer_is_found(key):
    case = copy.deepcopy(CASES["four_bar_pins"])
    case["result"]["mobilizers"][1][key] = "another"
    assert [(each.quantity, each.error) for each in compare(case).compared if each.excess > 1] == [("mobilizers", 1)]


def test_an_error_on_only_one_side_is_found():
    ours_alone, theirs_alone = copy.deepcopy(CASES["negative_mass"]), copy.deepcopy(CASES["serial_chain"])
    ours_alone["result"] = CASES["serial_chain"]["result"]
    theirs_alone["result"] = {"exception": "no reason"}
    assert "body 'a': its mass must be" in compare(ours_alone).trouble
    assert not compare(theirs_alone).ok


def test_a_corrected_result_replaces_a_wrong_one():
    case = CASES["self_joint"] | {"result_corrected": {"exception": "a joint of a body with itself"}}
    assert [each.quantity for each in compare(case).compared] == ["exception"]
    case["result_corrected"] = case["result"]
    assert not compare(case).ok
