"""Outputs that depend directly on inputs: what is passed and recorded at communication points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mobod.cosim import Master, Network, PythonComponent, Signal
from mobod.errors import UnknownNameError
from mobod.simulate.table import Table


def integrator(x=0.0):
    """x' = u, exact for an input that is held."""
    return PythonComponent(
        lambda t, v, state: state,
        update=lambda t, h, v, state: state + h * v["u"],
        state=x,
        inputs=["u"],
        outputs=["x"],
        is_direct=False,
    )


def gain(k):
    return PythonComponent(lambda t, v: k * v["u"], inputs=["u"], outputs=["y"])


def controlled(gains=(-2.0, 0.5)):
    """plant.x -> P-controllers in a chain -> plant.u, with the components added against the direction of the chain."""
    network = Network()
    names = [f"g{k}" for k in range(len(gains))]
    for name, k in reversed(list(zip(names, gains, strict=True))):
        network.add(gain(k), name)
    network.add(integrator(1.0), "plant")
    for before, after in zip(["plant.x", *(f"{name}.y" for name in names)], [*(f"{name}.u" for name in names), "plant.u"], strict=True):
        network.connect(before, after)
    return network


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
def test_values_pass_through_a_chain_of_controllers_at_each_communication_point(algorithm):
    """x' = -x with inputs held: x is multiplied by 1 - h in each step, without a delay from the controllers."""
    run = Master(controlled(), step=0.1, algorithm=algorithm).run(until=1.0)
    assert_allclose(run["plant.x"], 0.9 ** np.arange(11), rtol=1e-13)
    assert_array_equal(run["g0.y"], -2.0 * run["plant.x"])
    assert_array_equal(run["g1.y"], 0.5 * run["g0.y"])


def test_delayed_feed_through_costs_a_step_for_each_controller():
    run = Master(controlled(), step=0.1, feedthrough="delayed").run(until=1.0)
    x = [1.0]
    for k in range(10):
        x.append(x[-1] - 0.1 * x[max(k - 2, 0)])
    assert_allclose(run["plant.x"], x, rtol=1e-13)
    assert_array_equal(run["g0.y"][2:], -2.0 * run["plant.x"][1:-1])


def test_a_value_that_jumps_reaches_all_components_at_the_same_time():
    network = Network()
    network.add(Table(np.array([0.0, 0.25, 0.25, 1.0]), {"u": np.array([1.0, 1.0, 5.0, 5.0])}), "plan")
    network.add(gain(2.0), "first")
    network.add(gain(3.0), "second")
    network.connect("plan.u", "first.u")
    network.connect("first.y", "second.u")
    run = Master(network, step=0.25).run(until=1.0)
    assert_array_equal(run["second.y"], [6, 30, 30, 30, 30])


# calls -----------------------------------------------------------------------------------------------------------------------------------


class Watched:
    """A component that notes the calls of its instance."""

    def __init__(self, model, name, calls):
        self._model, self._name, self._calls = model, name, calls

    def __getattr__(self, name):
        return getattr(self._model, name)

    def instance(self, name):
        return WatchedInstance(self._model.instance(name), self._name, self._calls)


class WatchedInstance:
    def __init__(self, instance, name, calls):
        self._instance, self._name, self._calls = instance, name, calls

    def __getattr__(self, name):
        return getattr(self._instance, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def step(self, time, step):
        self._calls.append(f"step {self._name}")
        self._instance.step(time, step)

    def batch(self, names):
        return WatchedBatch(self._instance.batch(names), self._name, self._calls)


class WatchedBatch:
    def __init__(self, batch, name, calls):
        self._batch, self._name, self._calls = batch, name, calls

    def get(self):
        self._calls.append(f"get {self._name}")
        return self._batch.get()

    def get_finite(self, time=None):
        self._calls.append(f"get {self._name}")
        return self._batch.get_finite(time)

    def set(self, values):
        self._calls.append(f"set {self._name}")
        self._batch.set(values)


def calls_of_a_step(network_of, **options):
    """The calls of the second step and the communication point at its end, without those that record."""
    calls = []
    network = network_of(calls)
    with Master(network, step=0.1, **options).start(outputs=[]) as run:
        run.until(0.1)
        calls.clear()
        run.until(0.2)
    return calls


def two_plants(calls):
    """Two integrators with two connections in each direction."""
    network = Network()
    for name in ("a", "b"):
        model = PythonComponent(
            lambda t, v, state: {"x": state, "v": -state},
            update=lambda t, h, v, state: state + h * (v["u"] + v["w"]),
            state=1.0,
            inputs=["u", "w"],
            outputs=["x", "v"],
            is_direct=False,
        )
        network.add(Watched(model, name, calls), name)
    for a, b in ("ab", "ba"):
        network.connect(f"{a}.x", f"{b}.u")
        network.connect(f"{a}.v", f"{b}.w")
    return network


def test_without_feed_through_each_component_is_read_and_set_once():
    assert calls_of_a_step(two_plants) == ["step a", "step b", "get a", "get b", "set b", "set a"]
    assert calls_of_a_step(two_plants, algorithm="gauss-seidel") == ["step a", "get a", "set b", "step b", "get b", "set a"]


def watched_chain(calls):
    network = controlled()
    for component in network.components.values():
        component.model = Watched(component.model, component.name, calls)
    return network


def test_a_chain_is_read_and_set_in_its_order():
    passed = ["get plant", "set g0", "get g0", "set g1", "get g1", "set plant"]
    assert calls_of_a_step(watched_chain) == ["step plant", "step g0", "step g1", *passed]


def test_gauss_seidel_passes_again_only_what_has_changed():
    """The plant steps first, then both controllers with its new value; only the value that goes back to the plant is left."""
    calls = calls_of_a_step(watched_chain, algorithm="gauss-seidel")
    assert calls == ["step plant", "get plant", "set g0", "step g0", "get g0", "set g1", "step g1", "get g1", "set plant"]


def test_a_controller_that_steps_before_its_plant_is_passed_again():
    calls = calls_of_a_step(watched_chain, algorithm="gauss-seidel", order=["g0", "g1", "plant"])
    forward = ["step g0", "get g0", "set g1", "step g1", "get g1", "set plant", "step plant"]
    assert calls == [*forward, "get plant", "set g0", "get g0", "set g1", "get g1", "set plant"]


@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
def test_delayed_feed_through_never_reads_an_output_after_an_input_was_set(algorithm):
    """FMI 2.0.5, section 4.2.4: outputs are not read after inputs were set without fmi2DoStep in between."""
    calls = []
    with Master(watched_chain(calls), step=0.1, algorithm=algorithm, feedthrough="delayed").start() as run:
        calls.clear()
        run.until(0.5)
    was_set = set()
    for call, name in (each.split() for each in calls):
        if call == "step":
            was_set.discard(name)
        elif call == "set":
            was_set.add(name)
        else:
            assert name not in was_set, f"get {name}"


# options and messages --------------------------------------------------------------------------------------------------------------------


def test_an_unknown_feedthrough_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'delayed'"):
        Master(controlled(), feedthrough="delay")


def test_a_changed_parameter_acts_on_what_is_recorded_next():
    network = Network()
    network.add(integrator(1.0), "plant")
    p = PythonComponent(lambda t, v: v["k"] * v["u"], inputs=["u"], outputs=["y"], parameters={"k": Signal(start=2.0)})
    network.add(p, "p")
    network.connect("plant.x", "p.u")
    network.connect("p.y", "plant.u")
    with Master(network, step=0.1).start() as run:
        run.until(0.1)
        run.set({"p.k": -3.0})
        found = run.until(0.3)
    assert_allclose(found["plant.x"], 1.2 * 0.7 ** np.arange(3), rtol=1e-13)
    assert_array_equal(found["p.y"], -3.0 * found["plant.x"])


def test_an_output_that_depends_on_an_undeclared_input_is_named_in_the_log(fmus, described, caplog):
    """pythonfmu's 4th variable, y, is declared to depend on nothing."""
    wrong = ("</Outputs>", '</Outputs><InitialUnknowns><Unknown index="4" dependencies=""/></InitialUnknowns>')
    network = Network()
    network.add(described(fmus["gain"], wrong), "late", start={"gain": 3.0})
    network.add(fmus["gain"], "early", start={"gain": 2.0, "u": 0.7})
    network.add(fmus["gain"], "last", start={"gain": 1.5})
    network.connect("late.y", "last.u")
    network.connect("early.y", "late.u")
    with caplog.at_level("WARNING", logger="mobod"):
        assert Master(network).run(until=0.01)["last.y"][0] == (0.7 * 2.0) * 3.0 * 1.5
    assert "depend on inputs, although their components do not declare it: late.y" in caplog.text
