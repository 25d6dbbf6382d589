"""Tests of the comparison with references: it finds differences, and reports what it could not compare."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

from tests.reference.cases import compare, read_cases
from tests.reference.check import main
from tests.reference.models import build
from tests.reference.quantities import QUANTITIES

DATA = Path(__file__).parent / "data"


def case_of(file, name):
    (case,) = [case for case in read_cases(DATA / file) if case["name"] == name]
    return case


OF_CONSTRAINTS = {"uerr", "udoterr", "multipliers", "G", "G_udot_bias", "constraint_forces"}
OF_CONSTRAINTS |= {"total_constraint_body_forces_G", "total_constraint_mobility_forces"}
OF_OTHERS = OF_CONSTRAINTS | {"zdot", "motion_forces"}


@pytest.fixture
def pin():
    return case_of("mob_Pin.json", "Pin_single")


@pytest.fixture
def folder(tmp_path):
    """Makes a folder with one file of the given cases."""

    def make(*cases):
        (tmp_path / "some.json").write_text(json.dumps({"schema": "simbody-ref/1", "cases": cases}))
        return str(tmp_path)

    return make


def add(value, amount):
    """The same nested lists and mappings with `amount` added to the last number."""
    if isinstance(value, dict):
        *others, last = value
        return {**{key: value[key] for key in others}, last: add(value[last], amount)}
    return [*value[:-1], add(value[-1], amount)] if isinstance(value, list) else value + amount


def numbers(value):
    if isinstance(value, (dict, list)):
        return [number for each in (value.values() if isinstance(value, dict) else value) for number in numbers(each)]
    return [value]


def test_a_case_passes_if_all_outputs_agree(pin):
    report = compare(pin)
    assert report.ok
    assert {each.quantity.removeprefix("random0: ") for each in report.compared if each.quantity.startswith("random0")} == (
        QUANTITIES.keys() - {"qerr"} - OF_OTHERS  # not outputs of a pin
    )


@pytest.mark.parametrize("key", sorted(QUANTITIES.keys() - OF_OTHERS))
def test_an_output_off_by_ten_tolerances_is_found(key):
    case = case_of("mob_Free.json", "Free_single")
    outputs = case["states"][1]["outputs"]
    holder, name = outputs, key
    if key.startswith("bodies."):
        holder, name = outputs["bodies"][1], key.removeprefix("bodies.")
    elif key.startswith("system."):
        holder, name = outputs["system"], key.removeprefix("system.")
    elif key == "inverse_dynamics":
        holder, name = outputs[key], "residual_mobility_forces"
    size = max(1.0, *(abs(number) for number in numbers(holder[name])))
    holder[name] = add(holder[name], 10 * QUANTITIES[key].tolerance * size)

    report = compare(case)
    assert not report.ok
    assert [each.quantity for each in report.compared if each.error > each.tolerance] == [f"random1: {key}"]
    assert report.worst.quantity == f"random1: {key}"


def test_a_wrong_rate_of_an_auxiliary_variable_is_found():
    """The z of a bushing has the rate damping u^2 while the angles are 0 and the body slides along x."""
    case = case_of("mob_Slider.json", "Slider_single")
    frame = {"p": [0.0, 0.0, 0.0], "R": np.eye(3).tolist()}
    case["model"]["bodies"][1] |= {"X_PF": frame, "X_BM": frame}
    bushing = {
        "type": "LinearBushing",
        "body1": 0,
        "body2": 1,
        "X_B1F": frame,
        "X_B2M": frame,
        "stiffness": [2.0] * 6,
        "damping": [0.7] * 6,
    }
    case["model"]["forces"] = [bushing]
    case["states"] = [case["states"][0] | {"q": [0.4], "u": [1.3], "z": [0.2], "outputs": {"zdot": [0.7 * 1.3**2]}}]
    assert compare(case).ok

    case["states"][0]["outputs"]["zdot"] = [0.7 * 1.3**2 * (1 + 10 * QUANTITIES["zdot"].tolerance)]
    assert [each.quantity for each in compare(case).compared if each.error > each.tolerance] == [f"{case['states'][0]['label']}: zdot"]


@pytest.mark.parametrize("key", sorted({"qerr", *OF_CONSTRAINTS}))
def test_an_output_of_a_constraint_off_by_ten_tolerances_is_found(key):
    case = case_of("constraints.json", "rod_ground_ancestor")
    outputs = case["states"][1]["outputs"]
    size = max(1.0, *(abs(number) for number in numbers(outputs[key])))
    outputs[key] = add(outputs[key], 10 * QUANTITIES[key].tolerance * size)

    assert [each.quantity for each in compare(case).compared if each.error > each.tolerance] == [f"projected: {key}"]


def test_a_wrong_force_of_a_motion_is_found():
    case = case_of("constraints.json", "motion_steady")
    assert compare(case).ok
    outputs = case["states"][0]["outputs"]
    size = max(abs(number) for number in numbers(outputs["motion_forces"]))
    outputs["motion_forces"] = add(outputs["motion_forces"], 10 * QUANTITIES["motion_forces"].tolerance * size)
    assert [each.quantity for each in compare(case).compared if each.error > each.tolerance] == ["raw: motion_forces"]


@pytest.mark.parametrize("wrong", [float("nan"), [0.5, 0.5], None], ids=["NaN", "another count", "null"])
def test_nan_or_a_wrong_size_never_agrees(pin, wrong):
    pin["states"][0]["outputs"]["kinetic_energy"] = wrong
    assert not compare(pin).ok


@pytest.mark.fast(1)
@pytest.mark.parametrize(("key", "tolerance"), [("q", 1.6e-9), ("u", 1.2e-8), ("energy", 1e-6)])
def test_a_trajectory_off_by_more_than_ten_times_its_own_error_is_found(key, tolerance):
    case = case_of("trajectories.json", "double_pendulum")
    assert compare(case).ok
    case["trajectory"][key] = add(case["trajectory"][key], 3 * tolerance)
    assert [each.quantity for each in compare(case).compared if each.error > each.tolerance] == [f"trajectory.{key}"]


def test_an_unsupported_output_fails_the_case_by_name(pin):
    pin["states"][1]["outputs"]["temperature"] = 293.15
    report = compare(pin)
    assert report.agrees
    assert not report.ok
    assert report.not_compared == ["temperature"]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"bodies": "Hinge"}, "mobilizer Hinge"),
        ({"forces": [{"type": "Wind"}]}, "force Wind"),
        ({"constraints": [{"type": "Rope"}]}, "constraint Rope"),
        ({"motions": [{"type": "Spiral", "body": 1}]}, "motion Spiral"),
    ],
)
def test_a_model_that_cannot_be_built_fails_with_the_reason(pin, change, word):
    if "bodies" in change:
        pin["model"]["bodies"][1]["mobilizer"]["type"] = change["bodies"]
    else:
        pin["model"] |= change
    report = compare(pin)
    assert not report.ok
    assert report.compared == []
    assert word in report.trouble


def test_an_error_of_mobod_fails_the_case(pin):
    pin["model"]["bodies"][1]["mass"] = -1.0
    report = compare(pin)
    assert not report.ok
    assert "MassPropertiesError" in report.trouble


def test_wrong_outputs_of_simbody_are_excluded_or_replaced_by_corrected_ones(pin):
    pin["upstream_wrong"] = ["potential_energy", "qdot", "A_GB"]
    for state in pin["states"]:
        outputs = state["outputs"]
        outputs["qdot_corrected"] = outputs["qdot"]
        outputs["qdot"] = outputs["potential_energy"] = [17.0]
        for body in outputs["bodies"]:
            body["A_GB"] = [[1, 2, 3], [4, 5, 6]]
    report = compare(pin)
    assert report.ok
    assert sorted(report.excluded) == ["bodies.A_GB", "potential_energy"]
    assert "random1: qdot_corrected" in [each.quantity for each in report.compared]

    pin["states"][1]["outputs"]["qdot_corrected"] = add(pin["states"][1]["outputs"]["qdot_corrected"], 1e-6)
    assert compare(pin).worst.quantity == "random1: qdot_corrected"


def test_check_prints_a_line_for_each_case_and_a_summary(folder, pin, capsys):
    other = copy.deepcopy(pin) | {"name": "windy"}
    other["model"]["forces"] = [{"type": "Wind"}]
    assert main([folder(pin, other)]) == 1
    first, second, summary = capsys.readouterr().out.splitlines()
    assert first.startswith("ok     some.json Pin_single: worst ")
    assert second.startswith("FAILED some.json windy: not in mobod yet: force Wind")
    assert summary == "1 of 2 cases agree"


def test_a_case_that_lacks_what_it_needs_fails_and_the_others_are_compared(folder, pin, capsys):
    graph = case_of("graphmaker.json", "four_bar_pins")
    broken = graph | {"name": "broken", "joints": [{"name": "a"}]}
    assert main([folder(broken, {"states": 3}, graph), "--json"]) == 1
    records = json.loads(capsys.readouterr().out)
    assert [(each["case"], each["ok"]) for each in records] == [
        ("broken", False),
        ("(a case without a name)", False),
        (graph["name"], True),
    ]
    assert records[0]["quantity"] == "the key 'type' is missing"


def test_a_contact_without_its_pair_is_named_with_the_missing_key(tmp_path, capsys):
    (tmp_path / "elements.json").write_text(json.dumps([{"element": "HuntCrossleyForce"}]))
    assert main([str(tmp_path / "elements.json"), "--json"]) == 1
    (record,) = json.loads(capsys.readouterr().out)
    assert (record["case"], record["quantity"]) == ("HuntCrossleyForce (no pair) [0]", "the key 'pair' is missing")


@pytest.mark.parametrize(
    ("content", "trouble"),
    [
        ("{", "JSONDecodeError: "),
        ('{"schema": "simbody-ref/1"}', "the key 'cases' is missing"),
        ('{"schema": "simbody-ref/1", "cases": 3}', "TypeError: 'int' object is not iterable"),
    ],
)
def test_a_file_that_cannot_be_read_fails_and_the_others_are_compared(folder, pin, tmp_path, capsys, content, trouble):
    (tmp_path / "a.json").write_text(content)
    assert main([folder(pin), "--json"]) == 1
    records = json.loads(capsys.readouterr().out)
    assert [(each["file"], each["case"], each["ok"]) for each in records] == [
        ("a.json", "(the whole file)", False),
        ("some.json", pin["name"], True),
    ]
    assert records[0]["quantity"].startswith(trouble)


def test_check_ends_with_0_when_everything_agrees(folder, pin):
    assert main([folder(pin)]) == 0


def test_check_can_compare_a_single_case(folder, pin, capsys):
    other = {**pin, "name": "other"}
    assert main([folder(pin, other), "--only", "other"]) == 0
    assert "Pin_single" not in capsys.readouterr().out


def test_check_writes_records(folder, pin, capsys):
    wrong = copy.deepcopy(pin) | {"name": "wrong"}
    wrong["states"][0]["outputs"]["udot"] = add(wrong["states"][0]["outputs"]["udot"], 0.5)
    incomplete = copy.deepcopy(pin) | {"name": "incomplete"}
    incomplete["states"][0]["outputs"]["temperature"] = 293.15
    assert main([folder(pin, wrong, incomplete), "--json"]) == 1

    right, wrong, incomplete = json.loads(capsys.readouterr().out)
    assert (right["file"], right["case"], right["ok"]) == ("some.json", "Pin_single", True)
    assert right["worst"] < 1e-12
    assert (wrong["ok"], wrong["quantity"]) == (False, "random0: udot")
    assert wrong["worst"] > 1e-2
    assert (incomplete["ok"], incomplete["worst"], incomplete["quantity"]) == (False, None, "not compared: temperature")


def test_a_file_without_a_schema_that_has_other_content_is_named(folder, pin, tmp_path, capsys):
    where = folder(pin)
    (tmp_path / "another.json").write_text('{"notes": [1, 2]}')
    assert main([where]) == 0
    assert "another.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"schema": "path-ref/1/spans", "cases": [{"name": "spans[0]"}]}, "path-ref/1/spans (paths, cables, muscles and .osim files)"),
        ({"schema": "tire-ref/1/laws", "cases": [{"name": "laws[0]"}]}, "tire-ref/1/laws (tires, roads and vehicles)"),
        ({"schema": "gears-ref/2", "cases": []}, "gears-ref/2"),
        ({"cases": [{"k": 1, "d": 2, "J": 3, "h": 4, "theta": 5, "begin": 6}]}, "implicit_steps (steps of one joint)"),
        ({"mjcf": "", "T": 1, "q": [], "u": [], "errors_q_u": {}}, "implicit_steps (a servo chain)"),
    ],
)
def test_a_schema_that_is_not_supported_fails_by_its_name(folder, pin, tmp_path, capsys, content, words):
    where = folder(pin)
    (tmp_path / "a.json").write_text(json.dumps(content))
    assert main([where]) == 1
    line, *_, summary = capsys.readouterr().out.splitlines()
    assert line.startswith(f"FAILED a.json (the whole file): the schema {words} is not supported yet")
    assert summary == "1 of 2 cases agree"


@pytest.mark.parametrize("arguments", [["no such folder"], [str(DATA), "--only", "no such case"]])
def test_an_empty_comparison_is_wrong_usage(arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


def test_a_disabled_force_applies_nothing(pin):
    assert compare(pin).ok
    disabled = copy.deepcopy(pin)
    disabled["model"]["forces"][0]["disabled"] = True
    extra = copy.deepcopy(disabled["model"]["forces"][0]) | {"g": 99.0, "disabled": True}
    pin["model"]["forces"].append(extra)

    assert not compare(disabled).ok
    model = build(pin)
    assert [force.is_disabled(model.state(pin["states"][1])) for force in model.forces] == [False, False, True]
    assert model.forces[2].calc_potential_energy_contribution(model.state(pin["states"][1])) == 0
