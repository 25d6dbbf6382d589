"""Limits in an FMU: impacts and rest as in the Simulation, what a master can read and tune, and their memory in saved states."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import FmuFile
from mobod.errors import FmuError
from tests.fmu.stepped import start, walk, walked_thrice
from tests.laws.limited_mechanisms import particle_in_funnel
from tests.reference.stops import bouncing_ball, read, slotted_hinge

EXACT = read("exact_slotted_hinge_undamped_e0")
OUTPUTS = ["hinge.q", "hinge.u", *(f"hinge.limit_0.{name}" for name in ("engaged", "force", "distance", "impulse"))]
NAMES = ["hinge.q[1]", "hinge.q[2]", "hinge.u[1]", "hinge.u[2]", *OUTPUTS[2:]]


@pytest.fixture(scope="module")
def slotted(tmp_path_factory):
    system, _ = slotted_hinge(EXACT["params"])
    return FmuFile(mb.export_fmu(system, tmp_path_factory.mktemp("slotted") / "slotted.fmu", name="slotted", outputs=OUTPUTS))


@pytest.fixture(scope="module")
def ball(tmp_path_factory):
    system, _ = bouncing_ball(1.0, 9.81, 0.5)
    outputs = ["ball.q", "ball.u", "ball.limit.engaged", "ball.limit.force"]
    return FmuFile(mb.export_fmu(system, tmp_path_factory.mktemp("ball") / "ball.fmu", name="ball", outputs=outputs))


@pytest.mark.slow
def test_a_slotted_hinge_matches_the_exact_motion_through_impact_rest_and_release(slotted):
    times, states, engaged, forces = zip(*EXACT["steps"], strict=True)
    with start(slotted) as instance:
        rows = walk(instance, times, NAMES)

    assert_allclose(rows[:, :4], states[1:], atol=1e-8)
    assert_array_equal(rows[:, 4], engaged[1:])
    assert_allclose(rows[:, 5], forces[1:], atol=1e-8 * np.abs(forces).max())
    assert_allclose(rows[:, 6], 0.5 - np.abs(rows[:, 0]), atol=1e-12)


@pytest.mark.parametrize("saved_at", [0.4, 1.3])
def test_a_state_saved_before_impacts_or_at_rest_continues_with_the_same_bits(slotted, saved_at):
    times = np.linspace(0, 2.4, 25)
    middle = int(np.searchsorted(times, saved_at - 1e-9))
    first, again, elsewhere = walked_thrice(slotted, times, middle, NAMES)

    assert first[:, 7].max() > 1  # N s
    assert_array_equal(again, first)
    assert_array_equal(elsewhere, first)
    assert set(first[:, 4]) == {0.0, 1.0}  # it rests, and is released


def test_bounds_and_restitution_can_be_tuned_during_a_run(ball):
    names = ["ball.q", "ball.u", "ball.limit.engaged", "ball.limit.force"]
    with start(ball) as instance:
        before = walk(instance, [0.0, 0.4, 1.6], names)
        assert_allclose(before[-1], [0, 0, 1, 1.3 * 9.81], atol=1e-9)  # it rests
        instance.set({"ball.limit.lower": -1.0, "ball.limit.restitution": 1.0})  # the floor is lowered
        fallen = 1.6 + np.sqrt(2 / 9.81)
        after = walk(instance, [1.6, 1.8, fallen, fallen + 0.1], names)

    assert_allclose(after[0], [-9.81 * 0.2**2 / 2, -9.81 * 0.2, 0, 0], atol=1e-9)
    speed = np.sqrt(2 * 9.81)
    assert_allclose(after[-1, :2], [-1 + speed * 0.1 - 9.81 * 0.005, speed - 0.981], atol=1e-7)


def test_a_disabled_limit_is_released_and_enabling_a_violated_limit_is_an_error(ball):
    with start(ball) as instance:
        walk(instance, [0.0, 1.6], [])
        instance.set({"ball.limit.enabled": False})
        after = walk(instance, [1.6, 1.7], ["ball.q"])
        instance.set({"ball.limit.enabled": True})
        with pytest.raises(FmuError, match=r"ball\.lower_limit.*outside"):
            instance.step(1.7, 0.1)

    assert_allclose(after, [[-9.81 * 0.1**2 / 2]], atol=1e-9)


def test_a_start_outside_of_the_limits_is_an_error(ball):
    with pytest.raises(FmuError, match=r"ball\.lower_limit.*outside"):
        start(ball, ball__q_start=-0.1)


def test_a_python_fmu_enforces_limits_too(tmp_path):
    names = ["ball.q", "ball.u", "ball.limit.engaged", "ball.limit.force"]
    system, _ = bouncing_ball(1.0, 9.81, 0.5)
    file = FmuFile(mb.export_fmu(system, tmp_path / "plain.fmu", name="plain", kind="python", outputs=names))
    fallen, speed = 1.6 + np.sqrt(2 / 9.81), np.sqrt(2 * 9.81)
    with start(file) as instance:
        before = walk(instance, [0.0, 0.4, 1.6], names)
        instance.set({"ball.limit.lower": -1.0, "ball.limit.restitution": 1.0})
        after = walk(instance, [1.6, 1.8, fallen + 0.1], names)

    assert_allclose(before[-1], [0, 0, 1, 1.3 * 9.81], atol=1e-9)
    assert_allclose(after[0], [-9.81 * 0.2**2 / 2, -9.81 * 0.2, 0, 0], atol=1e-9)
    assert_allclose(after[-1, :2], [-1 + speed * 0.1 - 9.81 * 0.005, speed - 0.981], atol=1e-7)


def funnel(path, **options):
    system, state = particle_in_funnel(2)
    return FmuFile(mb.export_fmu(system, path, name="funnel", state=state, outputs=["particle.u"], **options))


ORDER = r"at time 0\.7\d+ s impacts of 'side\d\.contact'(, 'side\d\.contact')+ follow each other too fast to tell their order"


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"code": "interpreted"}, {"kind": "python"}], ids=["native", "python"])
def test_ambiguous_impacts_are_a_warning_in_the_log(options, tmp_path):
    with start(funnel(tmp_path / "funnel.fmu", **options)) as instance:
        walk(instance, [0.0, 0.6], [])
        assert "too fast" not in str(instance.log)
        walk(instance, [0.6, 0.9, 1.2], [])
        told = [line for line in str(instance.log).splitlines() if "too fast" in line]
    assert told
    for line in told:
        assert re.search(r"\[warning\] logStatusWarning: fmi2DoStep: " + ORDER, line)


@pytest.mark.slow
def test_ambiguous_impacts_fail_a_step_on_request(tmp_path):
    with start(funnel(tmp_path / "funnel.fmu", code="interpreted", ambiguous_impacts="error")) as instance:
        walk(instance, [0.0, 0.6], [])
        with pytest.raises(FmuError, match=ORDER):
            instance.step(0.6, 0.3)
