"""Components with steps of their own, and runs at the pace of a clock."""

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.cosim import Checkpoint, Master, Network, PythonComponent, TableSource
from mobod.errors import InputError, UnknownNameError
from mobod.simulate.table import Table
from tests.cosim.algorithms.oscillator import displacement_coupling, largest_error


def logged(steps, derivatives):
    """An integrator of its input that logs its steps."""

    def update(t, h, v, x, rates):
        steps.append((round(t, 12), round(h, 12)))
        derivatives.append(float(rates["u"][0]))
        return x + h * v["u"] + h**2 / 2 * rates["u"][0] + h**3 / 6 * rates["u"][1]

    return PythonComponent(lambda t, v, x: x, update=update, state=0.0, inputs=["u"], outputs=["y"], input_order=2, is_direct=False)


def driven(own, order, until=1.0):
    steps, derivatives = [], []
    network = Network()
    network.add(PythonComponent(lambda t, v: 3 * t**2, outputs=["y"]), "source")
    network.add(logged(steps, derivatives), "sum")
    network.connect("source.y", "sum.u")
    results = Master(network, step=0.1, own_steps={"sum": own}, input_order=order).run(until=until)
    return results, steps, derivatives


def test_a_component_takes_several_steps_in_one_and_follows_its_inputs():
    results, steps, derivatives = driven(0.025, 2)
    assert steps[:5] == [(0.0, 0.025), (0.025, 0.025), (0.05, 0.025), (0.075, 0.025), (0.1, 0.025)]
    assert len(steps) == 40
    assert_allclose(derivatives[-4:], 6 * np.array([0.9, 0.925, 0.95, 0.975]), rtol=1e-9)  # of the parabola, from its fourth point on
    # from the third point on the parabola is the input itself
    assert_allclose(np.diff(results["sum.y"])[3:], np.diff(results.time**3)[3:], rtol=1e-9)


def test_a_component_steps_when_several_steps_have_passed_with_inputs_from_their_start():
    results, steps, _ = driven(0.3, 0)
    assert steps == [(0.0, 0.3), (0.3, 0.3), (0.6, 0.3)]
    # held at 0, 3 * 0.3^2 and 3 * 0.6^2, and shown at the end of its steps alone
    assert_allclose(results["sum.y"], np.repeat([0, 0, 0.081, 0.405], [3, 3, 3, 2]), atol=1e-14)


@pytest.mark.slow
def test_a_slow_and_a_quick_half_still_converge():
    found = []
    for step in (2e-3, 1e-3, 5e-4):
        master = Master(displacement_coupling(), step=step, own_steps={"left": 2 * step, "right": step / 2}, input_order=1)
        found.append(largest_error(Master.run(master, until=1.0)))
    assert found[0] > 1.7 * found[1] > 1.7**2 * found[2]
    assert found[2] < 0.02


def test_a_restored_slow_component_goes_on_with_the_same_bits():
    master = Master(displacement_coupling(), step=0.01, own_steps={"left": 0.03}, input_order=2)
    with master.start() as run:
        run.until(0.05)  # within a step of the slow half
        checkpoint = run.checkpoint()
        first = run.until(0.3)
    with master.start() as other:
        other.restore(Checkpoint.from_bytes(checkpoint.to_bytes()))
        again = other.until(0.3)
    for name in ("left.x", "right.x"):
        assert_array_equal(again[name], first[name])


def test_steps_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"that of 'left', 0\.015 s, is no multiple and no whole part of 0\.01 s"):
        Master(displacement_coupling(), own_steps={"left": 0.015}).run(until=0.1)
    with pytest.raises(UnknownNameError, match="Did you mean 'left'"):
        Master(displacement_coupling(), own_steps={"lefd": 0.02}).run(until=0.1)
    with pytest.raises(InputError, match="own_steps are for fixed steps"):
        Master(displacement_coupling(), own_steps={"left": 0.02}, adaptive=1e-3).run(until=0.1)


# pace ------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_keeps_the_pace_of_the_clock():
    with Master(displacement_coupling(), step=0.01).start() as run:
        began = time.perf_counter()
        run.until(0.5, pace=2.0)
        assert time.perf_counter() - began >= 0.25
        assert run.pacing is not None
        assert run.pacing.steps == 50
        run.until(0.6)
        assert run.pacing is None


def test_missed_deadlines_are_reported():
    network = Network()
    network.add(PythonComponent(lambda t, v: float(t < 0.25 or time.sleep(0.05) is None), outputs=["y"]), "slow")
    network.add(TableSource(Table(np.array([0.0, 1.0]), {"u": np.array([0.0, 1.0])})), "table")
    with Master(network, step=0.1).start() as run:
        run.until(0.5, pace=5.0)
        report = run.pacing
    assert report is not None
    assert report.steps == 5
    assert 2 <= report.missed <= 4
    assert report.worst > 0.02
    assert report.worst_at >= 0.3
    assert "steps were late, by up to" in str(report)
    with pytest.raises(InputError, match="the pace is a positive number"):
        Master(network).run(until=0.1, pace=-1.0)
