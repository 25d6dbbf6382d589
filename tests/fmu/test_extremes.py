"""Extremes and samples in an FMU: they equal the closed form for any communication points, and are part of saved states."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import measures
from tests.unit.simulate.test_extremes import X0, extremes_until, motion, oscillator, started

OUTPUTS = ["highest.value", "highest.time", "slowest.value", "strongest.value", "held.value", "x.value"]


@pytest.fixture(scope="module")
def model():
    system, slider, operands = oscillator()
    measures.Maximum(system, operands["x"], name="highest")
    measures.Minimum(system, operands["v"], name="slowest")
    measures.MaxAbs(system, operands["a"], name="strongest")
    measures.SampleAndHold(system, operands["x"], 0.3, name="held")
    return system, started(system, slider)


@pytest.fixture(scope="module")
def fmu(model, tmp_path_factory):
    system, state = model
    return mb.export_fmu(system, tmp_path_factory.mktemp("oscillator") / "oscillator.fmu", outputs=OUTPUTS, state=state)


@pytest.mark.fast("1.0")
@pytest.mark.parametrize("interval", [0.13, 1.0])
def test_extremes_and_samples_match_the_closed_form_at_any_communication_points(fmu, interval):
    run = fmpy.simulate_fmu(str(fmu), stop_time=3.0, output_interval=interval, relative_tolerance=1e-10, output=OUTPUTS)
    for t, highest, at, slowest, strongest, held, x in zip(run["time"], *(run[name] for name in OUTPUTS), strict=True):
        times, values = extremes_until(t, 0) if t else (np.zeros(1), np.array([X0]))
        # accuracy 1e-10 over some tens of steps, of sizes up to 9
        assert_allclose([highest, x], [values.max(), motion(t)], atol=1e-8)
        assert_allclose(at, times[values.argmax()], atol=1e-8)
        if t:
            assert_allclose(slowest, extremes_until(t, 1)[1].min(), atol=1e-8)
            accelerations = extremes_until(t, 2)[1]
            assert_allclose(strongest, accelerations[np.abs(accelerations).argmax()], atol=1e-7)
        assert_allclose(held, motion(0.3 * np.floor(t / 0.3 + 1e-9)), atol=1e-8)


def test_a_saved_state_contains_the_memory_bit_for_bit(fmu):
    network = mb.Network()
    network.add(fmu, "it")
    with mb.Master(network, step=0.07, tolerance=1e-8).start() as run:
        run.until(0.7)  # after the highest value, before the next samples
        checkpoint = run.checkpoint()
        straight_on = run.until(2.1)
        run.restore(checkpoint)
        resumed = run.until(2.1)
    for name in straight_on:
        assert resumed[name].tobytes() == straight_on[name].tobytes()


def test_internal_events_are_not_shown(fmu):
    names = [variable.name for variable in fmpy.read_model_description(str(fmu)).modelVariables]
    assert {"highest.value", "highest.time", "held.value"} <= set(names)
    assert not [name for name in names if "observation" in name or "turn" in name or "sampl" in name]
