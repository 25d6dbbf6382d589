"""Values that connections carry, and the min and max that inputs declare."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from mobod.cosim import Master, Network, PythonComponent, Signal
from mobod.errors import MobodWarning

INPUT = '<ScalarVariable name="u" valueReference="2" causality="input">\n\t\t\t<Real start="0.75"'


def ramp():
    """From 0 in s; an array too."""
    return PythonComponent(lambda t, v: {"y": t, "p": [-t, t]}, outputs={"y": Signal(), "p": Signal(start=[0.0, 0.0])})


def sink(**bounds):
    component = PythonComponent(lambda t, v: v["u"], inputs=["u"], outputs=["y"])
    component.variables["u"] = replace(component.variables["u"], **bounds)
    return component


def test_an_fmu_that_is_given_a_value_out_of_its_range_is_named_once(fmus, described):
    network = Network()
    network.add(ramp(), "source")
    bounded = described(fmus["gain"], (INPUT, INPUT + ' min="-1" max="0.5"'), name="bounded.fmu")
    network.add(bounded, "plant")
    network.connect("source.y", "plant.u", gain=2.0)
    with Master(network, step=0.1).start() as run:
        expected = r"^co-simulation: the input 'plant\.u' was given 0\.6 by 'source\.y' at 0\.3 s, which is above its max, 0\.5\."
        with pytest.warns(MobodWarning, match=expected) as caught:
            results = run.until(1.0)
        assert len(caught) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run.until(2.0)
    assert results["plant.y"][-1] == pytest.approx(5.0)  # values are passed as they are


@pytest.mark.parametrize("options", [{}, {"input_order": 1}, {"algorithm": "newton"}, {"adaptive": 1e-3}])
def test_each_connection_is_named_whatever_the_algorithm(options):
    network = Network()
    network.add(ramp(), "source")
    network.add(sink(minimum=-0.25), "low")
    network.add(sink(maximum=0.45), "high")
    network.connect("source.p[1]", "low.u")
    network.connect("source.p[2]", "high.u")
    with pytest.warns(MobodWarning) as caught:
        Master(network, step=0.1, **options).run(until=1.0)
    texts = [str(each.message) for each in caught]
    assert len(texts) == 2
    assert "'low.u' was given" in texts[0]
    assert "which is below its min, -0.25" in texts[0]
    assert "'high.u' was given" in texts[1]
    assert "which is above its max, 0.45" in texts[1]


def test_round_off_values_within_and_outputs_that_are_not_recorded_give_no_warning():
    network = Network()
    network.add(PythonComponent(lambda t, v: 0.1 + 0.2, outputs=["y"]), "sum")
    network.add(sink(minimum=0.0, maximum=0.3), "sink")
    network.connect("sum.y", "sink.u")
    outside = Network()
    outside.add(ramp(), "source")
    outside.add(sink(maximum=0.5), "sink")
    outside.connect("source.y", "sink.u")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Master(network).run(until=0.1)
        assert np.max(Master(outside).run(until=1.0, outputs=["sink.y"])["sink.y"]) > 0.5
