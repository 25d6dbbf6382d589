"""Sequences of impacts at ever shorter intervals: the motion does not depend on the accuracy, or the results report ambiguous impacts."""

import re
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import EventError, InputError, IntegrationError, MobodWarning
from tests.laws.limited_mechanisms import gimbal_near_its_lock, particle_in_funnel

ACCURACIES = (1e-8, 1e-10, 1e-12)
ORDER = r"^at (0\.7\d+) s impacts of ('side\d\.contact'(?:, 'side\d\.contact')+) follow each other too fast to tell their order"


def simulation(system, accuracy, **options):
    return mb.Simulation(system, accuracy=accuracy, backend="interpreted", **options)


@pytest.mark.parametrize("seed", [pytest.param(24, marks=pytest.mark.slow), 28])
def test_the_end_of_bounces_between_two_limits_does_not_depend_on_the_accuracy(seed):
    """After infinitely many bounces both limits hold the body, microseconds after it was still fast."""
    finals = []
    for accuracy in ACCURACIES:
        system, state = gimbal_near_its_lock(seed)
        finals.append(simulation(system, accuracy).run(state, until=2.0).final_state.q)
    assert np.abs(np.abs(finals[0][[0, 2]]) - 0.6).max() < 1e-9
    # bounces end below 1e-6 of the largest speed, 20 rad/s; the middle angle may differ by this for a second
    assert_allclose(finals[1:], [finals[0]] * 2, atol=2e-5)


# found errors: at 1e-12 rad a coordinate at its limit was reported beyond it, and at 1e-8 rad a force was NaN
@pytest.mark.fast(1)
@pytest.mark.parametrize("seed", [10, 13, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40) if seed not in (10, 13))])
def test_a_run_near_gimbal_lock_completes_or_reports_the_singularity(seed):
    for accuracy in ACCURACIES[:: 2 if seed in (10, 13) else 1]:
        system, state = gimbal_near_its_lock(seed)
        try:
            results = simulation(system, accuracy, max_steps=100_000).run(state, until=2.0)
        except IntegrationError as error:
            assert "'body' (Gimbal): the middle angle q[1] = " in str(error)  # noqa: PT017 - a run may end, or raise this
        else:
            assert np.abs(results["body.q"][:, [0, 2]]).max() < 0.6 + 1e-9


# found error: the run blamed its start for the depth, 1.1 and 4.7 accuracies
@pytest.mark.parametrize(("seed", "accuracy"), [(23, 1e-8), (29, 1e-10)])
def test_an_impact_may_lie_beyond_its_limit_by_the_errors_of_steps(seed, accuracy):
    system, state = gimbal_near_its_lock(seed)
    with pytest.raises(IntegrationError, match="the middle angle"):
        simulation(system, accuracy).run(state, until=2.0)


# before it was mended, the message named only stiffness as the cause
def test_steps_that_round_off_shortens_near_gimbal_lock_report_the_singularity():
    system, state = gimbal_near_its_lock(15)
    with pytest.raises(IntegrationError, match=r"2000 steps were tried.*the middle angle q\[1\] = 1\.57") as caught:
        simulation(system, 1e-12, max_steps=2000).run(state, until=2.0)
    assert "larger accuracy value" not in str(caught.value)


def test_ambiguous_impacts_are_reported():
    finals = []
    for accuracy in ACCURACIES:
        system, state = particle_in_funnel(2)
        with pytest.warns(MobodWarning, match=ORDER):
            results = simulation(system, accuracy).run(state, until=1.5)
        for warning in results.warnings:
            time, names = re.match(ORDER, warning).groups()
            at = np.array([event.time for event in results.events])
            assert np.abs(at - float(time)).min() < 1e-8
            assert len(set(names.split(", "))) > 1
        finals.append(results.final_state.u)
    assert min(np.abs(one - other).max() for one, other in pairwise(finals)) > 0.1  # m/s: the order decides on the motion


def test_ambiguous_impacts_are_an_error_on_request():
    system, state = particle_in_funnel(2)
    with pytest.raises(EventError, match=ORDER):
        simulation(system, 1e-10, ambiguous_impacts="error").run(state, until=1.5)
    with pytest.raises(InputError, match="ambiguous_impacts must be one of 'warn', 'error', not 'ignore'"):
        simulation(system, 1e-10, ambiguous_impacts="ignore")


def test_a_known_order_of_impacts_causes_no_warning():
    system, state = gimbal_near_its_lock(28)
    assert simulation(system, 1e-8, ambiguous_impacts="error").run(state, until=0.5).warnings == ()
