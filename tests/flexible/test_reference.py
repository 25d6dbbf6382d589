"""Flexible bodies against reference numbers (tests/reference/data/flexible): closed forms, mass points, motions of other programs."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from tests.flexible.reference_bodies import FOLDER, cases
from tests.reference.flexible_bodies import KINDS, compare_flexible, read_flexible
from tests.reference.flexible_points import free_flight

QUICK = {"invariants": 4, "chains": 2, "free_body": 1, "beam_frequencies": 4, "statics": 6, "rotating_beam": 2, "satellite": 1}
CASES = [
    pytest.param(case, id=case["name"], marks=[] if i < QUICK.get(kind, 0) else pytest.mark.slow)
    for kind in KINDS
    for i, case in enumerate(read_flexible(FOLDER / f"{kind}.json"))
]


@pytest.mark.parametrize("case", CASES)
def test_flexible_bodies_have_the_numbers_of_the_reference(case):
    """Tolerances and sources: README of the data, and the readers' docstrings."""
    report = compare_flexible(case)
    assert report.ok, (report.worst, report.not_compared, report.trouble)
    assert report.compared


@pytest.mark.parametrize(
    ("kind", "number", "key", "factor"),
    [
        ("chains", 0, "u_dot", 1 + 1e-8),
        ("invariants", 1, "bias", 1 + 1e-11),
        ("beam_frequencies", 2, "beta_L", 1.003),
        ("statics", 1, "rot_y", -1.0),
        ("statics", 4, "P", 1.003),
        ("rotating_beam", 1, "lag", 1.003),
        ("satellite", 0, "clamped", 1.0003),
    ],
)
def test_a_wrong_number_of_a_flexible_body_is_found(kind, number, key, factor):
    case = copy.deepcopy(read_flexible(FOLDER / f"{kind}.json")[number])
    case["content"][key] = (np.array(case["content"][key]) * factor).tolist()
    wrong = [each.quantity for each in compare_flexible(case).compared if each.error > each.tolerance]
    assert wrong
    assert key in wrong or kind == "beam_frequencies"


def test_what_no_reader_knows_of_flexible_bodies_is_named():
    for kind, content, words in (
        ("statics", {"load": "pressure"}, "statics of a beam under 'pressure'"),
        ("beam_frequencies", {"kind": "bending, Euler-Bernoulli", "ends": "clamped_sprung", "beta_L": [1.0]}, "'clamped_sprung'"),
        ("plates", {}, "flexible bodies of the kind plates"),
    ):
        report = compare_flexible({"name": "new", "kind": kind, "content": content})
        assert words in report.trouble


def test_a_motion_may_be_given_from_a_later_time_on():
    """The last third of a file is a file, too: runs begin at 0."""
    (case,) = read_flexible(FOLDER / "four_bar.json")
    content = copy.deepcopy(case["content"])
    content["times"], content["xy"] = content["times"][5:7], content["xy"][5:7]
    assert compare_flexible(case | {"content": content}).ok


def test_free_flight_keeps_momentum_to_round_off():
    """1 s at the smallest error that steps of order 8 reach, of momentum about the mass center too: 1e-13 of its size."""
    (case,) = (each for each in cases("free_body") if not any(each["gravity"]))
    system, _body, state, _W = free_flight(case)
    final = mb.Simulation(system, accuracy=1e-14, integrator="DOP853").run(state, until=1.0).final_state
    for each in (state, final):
        system.realize(each, Stage.VELOCITY)
    before, after = (system.matter.momentum_about_ground_origin(each) for each in (state, final))
    assert_allclose(after, before, rtol=0, atol=1e-13 * np.abs(before).max())
