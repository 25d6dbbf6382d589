"""Warnings of couplings that are unstable."""

import warnings

import numpy as np
import pytest

from mobod.cosim import Master, Network, PythonComponent
from mobod.errors import MobodError, MobodWarning, UnsupportedError
from tests.cosim.algorithms.quarter_car import bonded_quarter_car, quarter_car

LIMIT = 0.1653  # s, of Jacobi with held inputs, by the spectral radius of runs


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
