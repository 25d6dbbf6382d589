"""Warnings of couplings that are unstable."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.cosim import Master, Network, PythonComponent
from mobod.errors import MobodError, MobodWarning, UnsupportedError
from tests.cosim.algorithms.oscillator import displacement_coupling, exact_half, force_coupling
from tests.cosim.algorithms.quarter_car import bonded_quarter_car, quarter_car
from tests.cosim.algorithms.test_adaptive_steps import bonded_oscillator

LIMIT = 0.1653  # s, of Jacobi with held inputs, by the spectral radius of runs


@pytest.mark.fast(1)
@pytest.mark.parametrize("step", [0.2, 0.3, 0.5])
def test_an_unstable_coupling_is_named_with_a_step_that_is_stable(step):
    with pytest.warns(MobodWarning, match=r"the coupling is unstable at steps of .* Steps of") as caught:
        Master(bonded_quarter_car(), step=step).run(until=60 * step)
    stable = float(str(caught[0].message).partition("Steps of ")[2].partition(" s")[0])
    assert 0.5 * LIMIT < stable < LIMIT
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        results = Master(bonded_quarter_car(), step=stable).run(until=100 * stable)
    assert np.abs(results["wheel.z"][-10:]).max() < 0.2 * np.abs(results["wheel.z"]).max()


def test_without_saved_states_the_step_is_estimated_from_the_recurrence(fmus):
    # x' = u, u = -8 x: held, the displacement is multiplied by 1 - 8 step in each step
    class Integrator:
        def __init__(self):
            self._model = PythonComponent(
                lambda t, v, x: x, update=lambda t, h, v, x: x + h * v["u"], state=1.0, inputs=["u"], outputs=["x"], is_direct=False
            )

        def __getattr__(self, name):
            return getattr(self._model, name)

        def instance(self, name):
            instance = self._model.instance(name)

            def save():
                raise UnsupportedError("it cannot")

            instance.save = save
            return instance

    network = Network()
    network.add(Integrator(), "tank")
    network.add(PythonComponent(lambda t, v: -8 * v["x"], inputs=["x"], outputs=["u"]), "valve")
    network.connect("tank.x", "valve.x")
    network.connect("valve.u", "tank.u")
    with pytest.warns(MobodWarning, match=r"Steps of 0\.13 s would be stable"):  # half of the limit, 2/8 s
        Master(network, step=0.4).run(until=16.0)


def test_a_run_that_overflows_says_why_too():
    with (
        np.errstate(all="ignore"),
        pytest.warns(MobodWarning, match=r"the coupling is unstable"),
        pytest.raises(MobodError, match=r"is (inf|nan|-inf)"),
    ):
        Master(bonded_quarter_car(), step=0.5).run(until=1500.0)


@pytest.mark.fast(1)
@pytest.mark.parametrize("step", [0.01, 0.05, 0.16])
def test_stable_couplings_and_motions_that_grow_by_themselves_give_no_warning(step):
    growing = Network()
    spring = PythonComponent(
        lambda t, v, x: x, update=lambda t, h, v, x: x * np.exp(2 * h), state=1e-3, inputs=["u"], outputs=["x"], is_direct=False
    )
    growing.add(spring, "source")
    growing.add(PythonComponent(lambda t, v: v["x"], inputs=["x"], outputs=["u"]), "echo")
    growing.connect("source.x", "echo.x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for network in (quarter_car(), bonded_quarter_car(), growing):
            for order in (0, 1):
                Master(network, step=step, input_order=order).run(until=60 * step)


def test_values_that_have_no_effect_on_themselves_are_not_judged():
    network = Network()
    network.add(PythonComponent(lambda t, v: (-3.0) ** round(10 * t), outputs=["y"]), "source")
    network.add(PythonComponent(lambda t, v: v["u"], inputs=["u"], outputs=["y"]), "sink")
    network.connect("source.y", "sink.u")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Master(network, step=0.1).run(until=4.0)


def test_slow_growth_just_beyond_the_limit_is_a_warning_with_a_stable_step():
    step = 1.01 * LIMIT
    with pytest.warns(MobodWarning, match=r"'body\.[zv]' grows because of the steps .* Steps of") as caught:
        Master(bonded_quarter_car(), step=step).run(until=100 * step)
    stable = float(str(caught[0].message).partition("Steps of ")[2].partition(" s")[0])
    assert 0.8 * LIMIT < stable < LIMIT


def test_an_undamped_coupling_grows_with_held_inputs_at_any_step():
    rate = np.log(1.003934) / 0.01  # 1/s, of the recurrence of the oscillator with displacements exchanged
    with pytest.warns(
        MobodWarning, match=r"grows because of the steps of 0\.01 s.* at any step. Take shorter ones, or use input_order"
    ) as caught:
        Master(displacement_coupling(), step=0.01).run(until=5.0)
    said = str(caught[0].message)
    whole, half = float(said.partition("s: by ")[2].split()[0]), float(said.partition("half the step by ")[2].rstrip(".").split(". ")[0])
    assert_allclose([whole, half], [rate, rate / 2], rtol=0.05)


def test_a_run_goes_on_with_the_same_bits_after_trials():
    with Master(force_coupling(), step=0.01).start() as run:
        with pytest.warns(MobodWarning, match="grows because of the steps"):
            run.until(2.0)
        parts = run.until(2.3)
    with pytest.warns(MobodWarning, match="grows because of the steps"):
        whole = Master(force_coupling(), step=0.01).run(until=2.3)
    assert_array_equal(parts["left.x"], whole["left.x"][200:])


def inverted_pendulum(stiffness):
    """x'' = 9 x, and a spring and a damper in the other component."""
    network = Network()
    plant = exact_half([[0, 1], [9, 0]], [[0], [1]], np.eye(2), [[0], [0]], [1e-4, 0], inputs=["u"], outputs=["x", "v"])
    network.add(plant, "plant")
    network.add(PythonComponent(lambda t, v: -stiffness * v["x"] - v["v"], inputs=["x", "v"], outputs=["u"]), "control")
    for source, target in (("plant.x", "control.x"), ("plant.v", "control.v"), ("control.u", "plant.u")):
        network.connect(source, target)
    return network


STABLE = {
    "displacements, one after another": (displacement_coupling, {"algorithm": "gauss-seidel", "step": 0.002}, 4.0),
    "displacements, lines": (displacement_coupling, {"input_order": 1, "step": 0.005}, 2.0),
    "displacements, repeated": (displacement_coupling, {"algorithm": "newton", "step": 0.02}, 4.0),
    "stiff oscillator, lines": (bonded_oscillator, {"input_order": 1, "step": 0.001}, 1.0),
    "quarter car near the limit": (bonded_quarter_car, {"step": 0.99 * LIMIT}, 100 * LIMIT),
    "quarter car": (quarter_car, {"step": 0.01}, 3.0),
    "pendulum that falls": (lambda: inverted_pendulum(4.0), {"step": 0.01}, 3.0),
    "pendulum that falls slowly": (lambda: inverted_pendulum(8.0), {"step": 0.01}, 3.0),
    "pendulum that is held": (lambda: inverted_pendulum(30.0), {"step": 0.01}, 3.0),
}


@pytest.mark.parametrize("case", STABLE)
@pytest.mark.fast(4)
def test_slow_growth_is_not_claimed_where_the_coupling_is_stable_or_the_motion_grows_by_itself(case):
    network, options, until = STABLE[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Master(network(), **options).run(until=until)
