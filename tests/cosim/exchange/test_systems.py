"""Systems whose steps C takes: the bits, and the errors, are those of the steps that Python takes."""

import numpy as np
import pytest

import mobod as mb
from mobod.cosim import Master, Network, PythonComponent
from mobod.errors import InputError, MobodError
from mobod.simulate.stepped_run import SteppedRun
from tests.cosim.coupled_masses import CONNECTIONS, HALVES, half
from tests.equivalence.test_change_over import AtOnce

STEP = 1e-3  # s


@pytest.fixture
def in_python(monkeypatch):
    """A function after which Python takes the steps of Systems."""
    return lambda: monkeypatch.setattr(SteppedRun, "needs_no_python", False)


def masses(backend="interpreted", **options):
    network = Network()
    for name in HALVES:
        network.add(mb.Simulation(half(name, chain=2), backend=backend, **options), name)
    for source, target in CONNECTIONS:
        network.connect(source, target)
    return network


@pytest.mark.fast(1)
@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
@pytest.mark.parametrize("options", [{}, {"integrator": "RK4", "step": STEP}, {"integrator": "Rodas5P"}])
def test_steps_in_c_have_the_bits_of_steps_in_python(in_python, algorithm, options):
    outputs = ["left.mass.q", "right.link2.u", "left.link2.a_GB", "right.link1.p_GB"]
    master = Master(masses(**options), step=STEP, algorithm=algorithm)
    in_c = master.run(until=0.05, outputs=outputs)
    in_python()
    by_python = master.run(until=0.05, outputs=outputs)
    for name in outputs:
        assert in_c[name].tobytes() == by_python[name].tobytes()
    assert np.ptp(in_c["left.mass.q"]) > 1e-3


def test_a_step_of_many_integration_steps_is_finished(in_python):
    """A communication step of 2 s has more integration steps than one call of C takes."""
    network = Network()
    network.add(mb.Simulation(half("left"), max_step=5e-4, backend="interpreted"), "left")
    in_c = Master(network, step=2.0).run(until=4.0)
    in_python()
    by_python = Master(network, step=2.0).run(until=4.0)
    assert in_c["left.mass.q"].tobytes() == by_python["left.mass.q"].tobytes()


def test_systems_that_are_compiled_between_steps_in_c_keep_their_bits(monkeypatch):
    expected = Master(masses(), step=STEP).run(until=0.03, outputs=["left.mass.q", "right.link2.u"])
    laters = {}

    def later_of(system, state):
        if system.name not in laters:
            laters[system.name] = AtOnce(system, state, calls=2)
        return laters[system.name]

    monkeypatch.setattr("mobod.simulate.run_driver.compiled_later", later_of)
    monkeypatch.setattr("mobod.cosim.exchange.steps_in_c._MOST_STEPS", 3)
    found = Master(masses("auto"), step=STEP).run(until=0.03, outputs=["left.mass.q", "right.link2.u"])

    assert all(each.calls < 0 for each in laters.values())
    assert laters.keys() == HALVES.keys()
    for name in ("left.mass.q", "right.link2.u"):
        assert found[name].tobytes() == expected[name].tobytes()


@pytest.mark.parametrize("takes_steps", ["C", "Python"])
@pytest.mark.parametrize(("gain", "error", "message"), [(1.0, MobodError, "component 'left': "), (1e3, InputError, "neighbour.motion.q")])
def test_errors_name_the_component_or_the_variable(in_python, takes_steps, gain, error, message):
    """The neighbour moves away beyond all numbers: the forces are no numbers any more, or the position is infinite."""
    if takes_steps == "Python":
        in_python()
    network = Network()
    network.add(mb.Simulation(half("left"), backend="interpreted"), "left")
    network.add(PythonComponent(lambda t, v: {"y": 0.0 if t < 2.5 * STEP else 1e306}, outputs={"y": "m"}), "wild")
    network.connect("wild.y", "left.neighbour.motion.q", gain=gain)
    with Master(network, step=STEP).start() as run:
        with pytest.raises(error, match=message):
            run.until(2.0)
        assert 1 < len(run.recorded.time) < 200


@pytest.mark.slow
def test_a_closed_run_is_refused():
    run = Master(masses(), step=STEP).start()
    run.until(0.01)
    run.close()
    with pytest.raises(InputError, match="closed"):
        run.until(0.02)
