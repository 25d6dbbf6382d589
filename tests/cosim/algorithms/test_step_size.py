"""Adaptive runs whose error does not fall with the step, and those that pass a jump."""

import warnings

import numpy as np
import pytest

from mobod.cosim import EnergyResidual, Master, Network, PredictorCorrector, PythonComponent, Richardson
from mobod.errors import MobodWarning, StepSizeError

CONTROLS = [Richardson(tolerance=1e-4), PredictorCorrector(tolerance=1e-4), EnergyResidual(tolerance=1e-4, absolute=1e-14)]


def mass():
    """1 kg that a force moves from 0.1 m, with 1 m/s."""
    return PythonComponent(
        lambda t, v, s: {"x": s[0], "v": s[1]},
        update=lambda t, h, v, s: [s[0] + h * s[1] + h**2 / 2 * v["force"], s[1] + h * v["force"]],
        state=[0.1, 1.0],
        inputs=["force"],
        outputs=["x", "v"],
        is_direct=False,
    )


def differentiating():
    """A spring and a damper, whose rate is that of the positions of two steps, divided by the present step."""
    return PythonComponent(
        lambda t, v, s: -30 * v["x"] - 4 * s[1],
        update=lambda t, h, v, s: [v["x"], (v["x"] - s[0]) / h],
        state=[0.1, 0.0],
        inputs=["x", "v"],
        outputs=["force"],
    )


def switching():
    """A force whose sign changes in each step."""
    return PythonComponent(
        lambda t, v, s: s, update=lambda t, h, v, s: -s, state=1.0, inputs=["x", "v"], outputs=["force"], is_direct=False
    )


def jumping():
    """A spring whose rest position jumps at a time that is no communication point."""
    return PythonComponent(lambda t, v: -30 * (v["x"] - (1.0 if t > 0.0123456 else 0.0)), inputs=["x", "v"], outputs=["force"])


def oscillation(t, x, v):
    """x and v of a mass of 1 kg on a spring of 30 N/m after t."""
    w = np.sqrt(30.0)
    return x * np.cos(w * t) + v / w * np.sin(w * t), v * np.cos(w * t) - w * x * np.sin(w * t)


def driven(force):
    network = Network()
    network.add(force, "drive")
    network.add(mass(), "mass")
    network.connect("mass.x", "drive.x")
    network.bond(network.connect("drive.force", "mass.force"), network.connect("mass.v", "drive.v"))
    return network


@pytest.mark.fast(4)
@pytest.mark.parametrize("force", [differentiating, switching])
@pytest.mark.parametrize("control", CONTROLS, ids=lambda each: each.name)
def test_a_run_whose_error_does_not_fall_with_the_step_ends_and_says_where(control, force):
    expected = {
        "Richardson": r"the coupling error of '(drive\.force|mass\.[xv])'",
        "predictor and corrector": r"the error of the input of 'drive\.force -> mass\.force'",
        "energy residual": r"the power residual of the bond 'drive\.force\|mass\.v'",
    }
    with Master(driven(force()), step=0.01, adaptive=control).start() as run:
        with pytest.raises(StepSizeError, match=rf"co-simulation at \S+ s: {expected[control.name]}.*smallest step of 1e-08 s") as caught:
            run.until(1.0)
        assert "it does not fall with the step as it should" in str(caught.value)
        assert "at one of" in str(caught.value)
        assert 100 <= len(run.recorded.time) < 2000


@pytest.mark.parametrize("kind", [type(each) for each in CONTROLS])
def test_a_jump_is_passed(kind):
    control = kind(tolerance=1e-4, largest=2e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = Master(driven(jumping()), step=0.002, adaptive=control).run(until=0.1)
    steps = np.diff(results.time)
    assert steps.max() > 4 * steps.min()
    x, v = oscillation(0.0123456, 0.1, 1.0)
    exact = 1 + oscillation(0.1 - 0.0123456, x - 1, v)[0]
    # without repeated steps the force comes up to a step late, and changes the speed by 30 m/s2 times 2 ms, for 88 ms
    assert abs(results["mass.x"][-1] - exact) < (1e-3 if control.repeats_steps else 30 * 2e-3 * 0.088)


def test_a_smallest_step_that_is_given_is_one_with_which_the_run_goes_on():
    control = PredictorCorrector(tolerance=1e-4, smallest=1e-3)
    with pytest.warns(MobodWarning, match=r"'drive\.force -> mass\.force', .* at the smallest step of 0\.001 s"):
        results = Master(driven(differentiating()), step=0.01, adaptive=control).run(until=0.5)
    assert results.time[-1] == 0.5
    assert np.diff(results.time)[:-2].min() >= 0.999e-3


def test_an_error_that_falls_but_not_enough_is_told_from_one_that_does_not_fall():
    network = Network()  # a force that changes within 1e-9 s
    network.add(PythonComponent(lambda t, v: 1e9 * t * v["x"], inputs=["x"], outputs=["force"]), "drive")
    network.add(mass(), "mass")
    network.connect("mass.x", "drive.x")
    network.connect("drive.force", "mass.force")
    with pytest.raises(StepSizeError, match=r"at one of .* falls with the step, but not enough: allow a smaller step"):
        Master(network, step=0.01, input_order=0, adaptive=PredictorCorrector(tolerance=1e-9)).run(until=1.0)
