"""Algebraic loops of networks: at the start and at each communication point."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import Checkpoint, Master, Network, PythonComponent, Signal
from mobod.errors import AlgebraicLoopError, InputError, MobodWarning, UnsupportedError
from mobod.simulate.table import Table
from tests.cosim.cut_pendulum import half, pendulum
from tests.cosim.signals.joined_bodies import joined

END = 0.4  # s
RAMP = Table(np.array([0.0, END]), {"push": np.array([3.0, 7.0])}, {"push": "N"})


def gain_loop(gain, offset=1.0, start=0.0):
    """y = gain y + offset, over two functions."""
    network = Network()
    signals = {"u": Signal(start=start)}
    network.add(PythonComponent(lambda t, v: gain * v["u"] + offset, inputs=signals, outputs=["y"]), "a")
    network.add(PythonComponent(lambda t, v: v["u"], inputs=signals, outputs=["y"]), "b")
    network.connect("a.y", "b.u")
    network.connect("b.y", "a.u")
    return network


def evaluations(run):
    """How often each loop was evaluated at the last communication point."""
    return [loop.evaluations for loop in run._signals.loops]


# linear ----------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.fast(3)
@pytest.mark.parametrize(
    ("kind", "ratio"),
    [("System", ratio) for ratio in (0.5, 1.0, 10.0)]
    + [("function", ratio) for ratio in (0.5, 0.9, 1.0, 1.5, 10.0)]
    + [(kind, 10.0) for kind in ("2.0", "3.0", "2.0 ME", "3.0 ME")],
)
def test_joined_bodies_of_any_mass_ratio_are_solved_by_one_iteration(kind, ratio, tmp_path):
    """load = -m2 F / (m1 + m2), at each communication point, for a push that grows; an exchange of values multiplies errors by m2 / m1."""
    m1, m2 = 2.0, 2.0 * ratio
    network = joined((m1, m2), kind, tmp_path)
    network.add(RAMP, "ramp")
    network.connect("ramp.push", "first.push" if kind == "function" else "first.push.force")
    load = "second.load" if kind == "function" else "second.body.motion.load"
    acceleration = "first.a" if kind == "function" else "first.body.a_GB[1]"
    with Master(network, step=0.1).start(outputs=[load, acceleration]) as run:
        found = run.until(END)
        assert evaluations(run) == [2]  # before and after the iteration
    push = 3.0 + 10.0 * found.time
    assert_allclose(found[load], -m2 * push / (m1 + m2), rtol=1e-12)
    assert_allclose(found[acceleration], push / (m1 + m2), rtol=1e-12)


def test_delayed_feed_through_multiplies_errors_of_a_loop_by_its_gain():
    """Zero stability: at a mass ratio of 1.5 the error grows, at 0.5 it decays, whatever the step."""
    for ratio in (1.5, 0.5):
        network = joined((2.0, 2.0 * ratio), "function")
        network.add(Table(np.array([0.0, 0.05, 0.05, 2.0]), {"push": np.array([3.0, 3.0, 4.0, 4.0])}), "jump")
        network.connect("jump.push", "first.push")
        with pytest.warns(MobodWarning, match="unstable") if ratio > 1 else nullcontext():
            found = Master(network, step=0.1, feedthrough="delayed").run(until=2.0)["second.load"]
        error = found + 4.0 * ratio / (1 + ratio)
        assert_allclose(error[9::2] / error[7:-2:2], -ratio, rtol=1e-6)


def test_the_gain_of_a_connection_is_part_of_the_loop():
    """The acceleration is passed as 0.3 a + 0.2: a = (F - m2 (0.3 a + 0.2)) / m1, in one iteration."""
    network = joined((2.0, 50.0), gain=0.3, offset=0.2)
    network.add(RAMP, "ramp")
    network.connect("ramp.push", "first.push.force")
    with Master(network, step=0.1).start(outputs=["first.body.a_GB[1]"]) as run:
        found = run.until(END)
        assert evaluations(run) == [2]
    assert_allclose(found["first.body.a_GB[1]"], (3.0 + 10.0 * found.time - 50.0 * 0.2) / (2.0 + 50.0 * 0.3), rtol=1e-12)


@pytest.mark.parametrize("end", ["source", "target"])
def test_small_values_are_solved_if_their_nominal_values_are_declared(end):
    """y = 1e-13 cos(1e13 y): far below the tolerance for values of size 1."""
    model = PythonComponent(lambda t, v: 1e-13 * np.cos(1e13 * v["u"]), inputs=["u"], outputs=["y"])
    name = {"source": "y", "target": "u"}[end]
    model.variables[name] = replace(model.variables[name], nominal=1e-13)
    found = Master(self_connected(model)).run(until=0.01)["a.y"]
    assert_allclose(found / 1e-13, 0.7390851332151607, rtol=1e-9)


@pytest.mark.parametrize("gain", [0.75, 0.99, -0.999, -2.0, 50.0, -1e6])
def test_a_loop_of_functions_is_solved_for_any_gain(gain):
    found = Master(gain_loop(gain)).run(until=0.02)["a.y"]
    assert_allclose(found, 1 / (1 - gain), rtol=1e-9, atol=1e-10)  # the tolerance of loops, times 1 / (1 - 0.99)


@pytest.mark.parametrize("offset", [1.0, 0.0])
@pytest.mark.parametrize("make", [lambda offset: gain_loop(1.0, offset), lambda offset: joined((2.0, 2.0), gain=-1.0, offset=offset)])
def test_a_gain_of_exactly_one_is_an_error_that_names_the_connections(make, offset):
    network = make(offset)
    with pytest.raises(AlgebraicLoopError, match=r"connections at 0 s .*is singular.*no solution or infinitely many: ") as caught:
        Master(network).start()
    assert all(str(connection) in str(caught.value) for connection in network.connections)


def test_a_loop_that_becomes_singular_in_a_run_is_an_error_with_its_time():
    network = gain_loop(-1.0)
    network.add(PythonComponent(lambda t, v: v["u"] * t / 0.3 + 1.0, inputs=["u"], outputs=["y"]), "later")
    network.connections.clear()
    network.connect("later.y", "b.u")
    network.connect("b.y", "later.u")
    with Master(network, step=0.1).start(outputs=["b.y"]) as run:
        with pytest.raises(AlgebraicLoopError, match=r"connections at 0\.3 s depend"):
            run.until(1.0)
        assert_allclose(run.recorded["b.y"], [1, 1.5, 3.0], rtol=1e-9)


def test_only_connections_of_the_loop_are_named():
    network = gain_loop(1.0)
    network.add(PythonComponent(lambda t, v: v["u"], inputs=["u"], outputs=["y"]), "after")
    network.connect("b.y", "after.u")
    with pytest.raises(AlgebraicLoopError) as caught:
        Master(network).start()
    assert "after" not in str(caught.value)


# not linear ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("start", "solution"), [(1.9, 2.0), (-0.6, -1.0)])
def test_of_two_solutions_the_one_near_the_start_values_is_found_and_followed(start, solution):
    """y = y^2 - 2 + t: the solutions 2 and -1 at the start move apart."""
    network = Network()
    network.add(PythonComponent(lambda t, v: v["u"] ** 2 - 2 - t, inputs={"u": Signal(start=start)}, outputs=["y"]), "square")
    network.connect("square.y", "square.u")
    found = Master(network, step=0.1).run(until=1.0)
    root = np.sqrt(9 / 4 + found.time)
    assert_allclose(found["square.y"], 0.5 + np.sign(solution) * root, rtol=1e-9)


def test_a_loop_without_a_solution_says_how_much_remains():
    network = Network()
    network.add(PythonComponent(lambda t, v: v["u"] + 1 + v["u"] ** 2, inputs=["u"], outputs=["y"]), "parabola")
    network.connect("parabola.y", "parabola.u")
    with pytest.raises(AlgebraicLoopError, match=r"parabola\.y -> parabola\.u"):
        Master(network).start()


# several variables -----------------------------------------------------------------------------------------------------------------------


def equal_rods():
    """A double pendulum of two equal rods, cut at its elbow: a plain exchange of values diverges."""
    halves = {("System", name): half(name, masses=(1.0, 1.0)) for name in ("upper", "lower")}
    return pendulum(halves, "System", "System").network


def angles(system, until):
    """rad: of both rods of the whole pendulum from the vertical, at the end."""
    run = mb.Simulation(system, accuracy=1e-12).run(system.realize_topology(), until=until)
    return np.cumsum([run["upper.q"][-1].item(), run["lower.q"][-1].item()])


def test_the_accelerations_of_a_cut_pendulum_are_those_of_the_whole_one():
    network, system = equal_rods(), half("whole", masses=(1.0, 1.0))
    state = system.realize_topology()
    exact = [system.value(state, name) for name in ("der(upper.u)", "der(lower.u)")]
    outputs = ["upper.der(upper.u)", "lower.der(lower.u)", "upper.elbow.a_GF", "lower.elbow.motion.u_dot"]
    with Master(network).start(outputs=outputs) as run:
        start = run.until(0.01)
    upper, lower = start["upper.der(upper.u)"][0], start["lower.der(lower.u)"][0]
    assert_allclose([upper, lower - upper], np.ravel(exact), rtol=1e-9)
    assert_allclose(start["upper.elbow.a_GF"], start["lower.elbow.motion.u_dot"], rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
def test_a_cut_pendulum_with_equal_rods_converges_to_the_whole_one(algorithm):
    """At order 1, since inputs are held in a step."""
    network, exact = equal_rods(), angles(half("whole", masses=(1.0, 1.0)), until=0.3)
    errors = []
    for step in (0.004, 0.002):
        run = Master(network, step=step, algorithm=algorithm, tolerance=1e-9).run(until=0.3)
        errors.append(np.array([run["upper.upper.q"][-1], run["lower.lower.q"][-1]]) - exact)
    assert_allclose(errors[0], 2 * errors[1], rtol=0.1)
    assert np.abs(2 * errors[1] - errors[0]).max() < 3e-4


@pytest.mark.slow
def test_a_cut_pendulum_stays_within_1e_6_of_the_whole_one_over_2_s(halves):
    """At order 3, with inputs that follow parabolas, and without repeating a step."""
    exact = angles(half("whole"), until=2.0)
    errors = []
    for step in (0.002, 0.001):
        master = pendulum(halves, "2.0", "2.0", algorithm="gauss-seidel", step=step, input_order=2)
        run = master.run(until=2.0, outputs=["upper.upper.q", "lower.lower.q"])
        errors.append(np.abs([run["upper.upper.q"][-1] - exact[0], run["lower.lower.q"][-1] - exact[1]]).max())
    assert errors[1] < 1e-6
    assert 6 < errors[0] / errors[1] < 10  # 8 at order 3


@pytest.mark.slow
def test_a_jacobian_is_kept_while_it_contracts(halves, monkeypatch):
    calls = []
    monkeypatch.setattr("mobod.fmi.loaded_fmu.LoadedFmu.observer", calls.append)
    pendulum(halves, "2.0", "2.0").run(until=0.5)
    derivatives = sum("GetDirectionalDerivative" in call for call in calls)
    columns = 4  # of the loop: the components in the plane
    assert columns < derivatives < 10 * columns  # at the start of the initialization and of the run, and few times in 50 steps


@pytest.mark.slow
def test_values_that_are_tried_are_no_events_of_fmus_for_model_exchange(halves, monkeypatch):
    """At each of 50 points an event for the new force, for the new motion, and for the new acceleration."""
    calls = []
    monkeypatch.setattr("mobod.fmi.loaded_fmu.LoadedFmu.observer", calls.append)
    with pendulum(halves, "2.0 ME", "2.0 ME").start() as run:
        calls.clear()
        run.until(0.5)
        assert evaluations(run)[0] > 2
    assert sum("EnterEventMode" in call for call in calls) == 3 * 50


# not all real ----------------------------------------------------------------------------------------------------------------------------


def relay(threshold):
    """A real loop x = 3 - 2 x - 3 s, and a switch s, which is on where x is above the threshold."""
    network = Network()
    boolean = Signal(start=False, kind="boolean")
    network.add(PythonComponent(lambda t, v: 3 - 2 * v["x"] - 3 * v["on"], inputs={"x": Signal(), "on": boolean}, outputs=["y"]), "plant")
    network.add(
        PythonComponent(lambda t, v: {"x": v["y"], "on": v["y"] > threshold}, inputs=["y"], outputs={"x": Signal(), "on": boolean}),
        "relay",
    )
    network.connect("plant.y", "relay.y")
    network.connect("relay.x", "plant.x")
    network.connect("relay.on", "plant.on")
    return network


@pytest.mark.parametrize(("threshold", "x", "on"), [(1.5, 1.0, False), (-0.5, 0.0, True)])
def test_real_values_are_solved_for_each_value_of_a_switch(threshold, x, on):
    found = Master(relay(threshold)).run(until=0.01)
    assert_allclose(found["relay.x"], [x, x], atol=1e-9)
    assert_array_equal(found["relay.on"], [on, on])


def test_a_switch_without_a_fitting_value_is_an_error():
    """On, x is 0, below the threshold; off, it is 1, above."""
    with pytest.raises(AlgebraicLoopError, match=r"still change after 100 rounds.*relay\.on -> plant\.on"):
        Master(relay(0.5)).start()


# derivatives that cannot be used ---------------------------------------------------------------------------------------------------------


class WithDerivative:
    """A function that says its derivative. held: its output is that of the last step, as FMI allows; fails: it has no derivative."""

    def __init__(self, gain, *, held=False, fails=False):
        self._model = PythonComponent(lambda t, v: gain * v["u"] + 1.0 + t, inputs=["u"], outputs=["y"])
        self.gain, self.held, self.fails = gain, held, fails

    def __getattr__(self, name):
        return getattr(self._model, name)

    @property
    def capabilities(self):
        return type(self._model.capabilities)(directional_derivatives=True, saves_state=True, saves_bytes=True)

    def instance(self, name):
        return InstanceWithDerivative(self._model.instance(name), self)


class InstanceWithDerivative:
    def __init__(self, instance, model):
        self._instance, self._model = instance, model
        self._output, self._in_steps = None, False

    def __getattr__(self, name):
        return getattr(self._instance, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def exit_initialization(self):
        self._output = self._instance.batch(["y"]).get()
        self._in_steps = True

    def step(self, time, step):
        self._instance.step(time, step)
        self._output = self._instance.batch(["y"]).get()

    def directional_derivative(self, unknowns, knowns, change):
        if self._model.fails:
            raise UnsupportedError("not in this mode.")
        return [self._model.gain * change[0]]

    def batch(self, names):
        names = list(names)
        inner = self._instance.batch(names)
        if names == ["y"] and self._model.held:
            return HeldBatch(self, inner)
        return inner


class HeldBatch:
    def __init__(self, instance, inner):
        self._of, self._inner = instance, inner

    def get(self):
        return list(self._of._output) if self._of._in_steps else self._inner.get()

    def get_finite(self, time=None):
        return self.get()


def self_connected(component):
    network = Network()
    network.add(component, "a")
    network.connect("a.y", "a.u")
    return network


def test_outputs_that_are_held_until_the_next_step_are_passed_as_they_are():
    """y at a step's end is 1 + t - 3 y of its start, although the derivative by the present input is -3."""
    found = Master(self_connected(WithDerivative(-3.0, held=True)), step=0.1).run(until=0.3)
    y = [0.25]
    for t in (0.1, 0.2, 0.3):
        y.append(1 + t - 3 * y[-1])
    assert_allclose(found["a.y"], y, rtol=1e-9)


@pytest.mark.parametrize("fails", [False, True])
def test_derivatives_that_fail_are_not_asked_for_again(fails):
    found = Master(self_connected(WithDerivative(-3.0, fails=fails)), step=0.1).run(until=0.3)
    assert_allclose(found["a.y"], (1 + found.time) / 4, rtol=1e-9)


# checkpoints -----------------------------------------------------------------------------------------------------------------------------


def drifting():
    """A loop of functions that is solved in several iterations at each point, from what the points before have shown."""
    network = Network()
    network.add(PythonComponent(lambda t, v: np.cos(3 * v["u"] * (1 + t)) - 2 * v["w"], inputs=["u", "w"], outputs=["y"]), "a")
    network.add(PythonComponent(lambda t, v: 1.5 * v["u"] + 0.1 * v["u"] ** 2, inputs=["u"], outputs=["y"]), "b")
    network.connect("a.y", "b.u")
    network.connect("b.y", "a.w")
    network.connect("b.y", "a.u")
    return network


@pytest.mark.fast(1)
@pytest.mark.parametrize("make", [drifting, equal_rods])
def test_a_restored_run_with_loops_goes_on_with_the_same_bits(make):
    master = Master(make(), step=0.01)
    with master.start() as run:
        run.until(0.1)
        checkpoint = Checkpoint.from_bytes(run.checkpoint().to_bytes())
        first = run.until(0.2)
        run.restore(checkpoint)
        again = run.until(0.2)
    with master.start() as other:
        other.restore(checkpoint)
        elsewhere = other.until(0.2)
    for name in first.columns:
        assert_array_equal(again[name], first[name])
        assert_array_equal(elsewhere[name], first[name])


def test_a_checkpoint_with_damaged_loops_is_refused():
    with Master(drifting()).start() as run:
        run.until(0.1)
        checkpoint = run.checkpoint()
        for damage in ({"x": [1.0]}, {"changes": [["a"]]}):
            damaged = [{**loop, **damage} for loop in checkpoint.loops]
            with pytest.raises(InputError, match=r"the loop of a\.y -> b\.u, .* is damaged"):
                run.restore(
                    Checkpoint(checkpoint.components, checkpoint.time, checkpoint.origin, checkpoint.done, checkpoint.step, damaged)
                )
