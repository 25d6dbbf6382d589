"""mobod compared with the motions with friction of data/contact/closed_forms.json, event-driven and in fixed steps."""

import copy
from math import pi
from pathlib import Path

import pytest

import mobod as mb
from tests.reference import contact_models as models
from tests.reference.check import main
from tests.reference.contact_motions import FAMILIES, compare_contact_motion, error_of, read_contact_motions, rod_with_tip_speed

FILE = Path(__file__).parent / "data" / "contact" / "closed_forms.json"
CASES = {case["name"]: case for case in read_contact_motions(FILE)}


def content(name):
    return CASES[name]["content"]


@pytest.mark.fast(4)
@pytest.mark.parametrize("family", dict.fromkeys(case["family"] for case in CASES.values()))
def test_every_motion_agrees(family):
    reports = [compare_contact_motion(case) for case in CASES.values() if case["family"] == family]

    assert reports
    assert [(each.name, each.trouble, each.worst) for each in reports if not each.ok] == []


@pytest.mark.parametrize(
    ("name", "key", "quantity"),
    [
        ("incline[2]", "acceleration_down", "acceleration"),
        ("sliding_block[0]", "stop_time", "time of the stop"),
        ("ball[0]", "distance", "distance"),
        ("brick[1]", "normal", "normal force"),
        ("impact_rod[0]", "newton", "impulse"),
    ],
)
def test_a_number_off_by_ten_tolerances_is_found(name, key, quantity):
    case = copy.deepcopy(CASES[name])
    given = case["content"]
    if key == "newton":
        given[key]["impulse"][0] *= 1 + 1e-8
    else:
        given[key] *= 1 + 1e-8

    assert quantity in [each.quantity for each in compare_contact_motion(case).compared if each.error > each.tolerance]


def test_small_motions_and_motions_that_end_at_rest_are_compared_relative_to_their_size():
    turns = [{"t": 0.1 * pi, "x": -0.44e-3}, {"t": 0.2 * pi, "x": 0.38e-3}, {"t": 0.3 * pi, "x": -0.32e-3}]
    small = {"mass": 1.0, "stiffness": 100.0, "friction": 3e-3, "x0": 0.5e-3, "turns": turns}  # turns later, too
    held = {"mass": 1.0, "stiffness": 100.0, "friction": 3.0, "x0": 0.02, "turns": []}
    v, w, time = 2.0, -50.0, 2 * 7.0 / (7 * 0.3 * 9.81)  # 5 v + 2 R w = 0: the ball does not roll on
    backspin = {"mu": 0.3, "radius": 0.1, "gravity": 9.81, "v0": v, "w0": w, "time_of_rolling": time, "distance": v / 2 * time}
    backspin |= {"speed_rolling": 0.0, "spin_rolling": 0.0}

    found = FAMILIES["oscillator"](small)
    assert all(error_of(*found[f"turn {i}: x"][:2]) < 1e-9 and error_of(*found[f"turn {i}: time"][:2]) < 1e-9 for i in range(3))
    for family, case in (("oscillator", held), ("ball", backspin)):
        assert compare_contact_motion({"name": family, "family": family, "content": case}).ok


def test_unsupported_content_is_named():
    assert "a motion of the family rope" in compare_contact_motion(CASES["ball[0]"] | {"family": "rope"}).trouble
    spinning = CASES["ball[0]"] | {"content": content("ball[0]") | {"spin_friction": 0.1}}
    assert compare_contact_motion(spinning).trouble == "not in mobod yet: a ball with spin_friction"


def test_the_command_reads_the_file(capsys):
    assert main([str(FILE), "--only", "incline[0]"]) == 0
    assert "1 of 1 cases agree" in capsys.readouterr().out


# ---- fixed steps: the error of rows at the beginning halves with the step ----


def in_fixed_steps(start, until, step, place):
    return mb.Simulation(start.system, integrator="velocity_level", step=step, constraints_at=place).run(start, until).final_state


def block(step, place):
    case = content("sliding_block[2]")
    viscous = case["viscous"] / (case["mass"] * case["gravity"])
    start, moving, *_ = models.block_on_plane(case["mass"], case["gravity"], case["v0"], case["mu_k"], case["mu_k"], viscous=viscous)
    return moving.q(in_fixed_steps(start, 1.5 * case["stop_time"], step, place))[0] - case["stop_distance"]


def ball(step, place):
    case = content("ball[0]")
    start, moving, _ = models.ball_on_plane(1.5, case["radius"], case["gravity"], case["mu"], (case["w0"], case["v0"], 0.0))
    until = 1.5 * case["time_of_rolling"]
    return moving.q(in_fixed_steps(start, until, step, place))[4] - case["distance"] - 0.5 * case["time_of_rolling"] * case["speed_rolling"]


def oscillator(step, place):
    case = content("oscillator[0]")
    start, slider, _ = models.mass_on_spring(case)
    (t1, x1), (t2, x2) = ([turn["t"], turn["x"]] for turn in case["turns"][:2])
    return slider.q(in_fixed_steps(start, (t1 + t2) / 2, step, place))[0] - (x1 + x2) / 2


def rod(step, place):
    case = content("rod[3]")
    start, moving, _ = rod_with_tip_speed(case, case["theta0"], case["rate0"], case["v_tip0"])
    return moving.q(in_fixed_steps(start, case["t"], step, place))[0] - case["theta"]


@pytest.mark.slow
@pytest.mark.parametrize("error", [block, ball, oscillator, rod])
def test_fixed_steps_are_of_first_order(error):
    coarse, fine = (abs(error(step, "begin")) for step in (2e-3, 2.5e-4))

    assert coarse < 2e-2
    assert 4.5 < coarse / fine < 14
    assert abs(error(2e-3, "middle")) < 1e-4  # of second order, except the times at which slips stop and begin
