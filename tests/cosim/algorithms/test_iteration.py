"""Steps that are repeated until inputs and outputs at their end agree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import Checkpoint, Master, Network, NewtonIteration, PythonComponent, WaveformIteration
from mobod.cosim.step_errors import NotConvergedError, StepDiscardedError
from mobod.errors import InputError, MobodError, UnknownNameError, UnsupportedError
from tests.cosim.algorithms.oscillator import displacement_coupling, force_coupling, largest_error
from tests.cosim.algorithms.quarter_car import errors, quarter_car
from tests.cosim.cut_pendulum import END, MOTION, add, half, rod

KNOWN = [6.5960e-3, 1.6575e-3, 4.1457e-4, 1.0365e-4]  # of two masses, with lines, for steps of 10, 5, 2.5 and 1.25 ms
STEPS = [1e-2, 5e-3, 2.5e-3, 1.25e-3]


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("algorithm", ["waveform", "newton"])
def test_the_converged_iteration_has_the_known_errors(algorithm, n):
    found = [largest_error(Master(displacement_coupling(), step=step, algorithm=algorithm).run(until=1.0)) for step in STEPS[:n]]
    assert_allclose(found, KNOWN[:n], rtol=2e-4)  # the tolerance of the iteration, 1e-8 in each of 800 steps


@pytest.mark.fast(1)
@pytest.mark.parametrize("network", [displacement_coupling, force_coupling])
def test_parabolas_give_the_third_order_and_both_iterations_the_same(network):
    found = {
        algorithm: [largest_error(Master(network(), step=step, algorithm=algorithm, input_order=2).run(until=1.0)) for step in STEPS[:2]]
        for algorithm in ("waveform", "newton")
    }
    assert_allclose(found["waveform"], found["newton"], rtol=2e-3)  # the tolerance of the iteration, 1e-8 in each of 200 steps
    assert np.all(np.log2(found["newton"][:-1]) - np.log2(found["newton"][1:]) > 2.9)


@pytest.mark.slow
def test_components_without_derivatives_of_inputs_get_the_mean_of_both_ends():
    found = [
        largest_error(Master(displacement_coupling(input_order=0), step=step, algorithm="waveform").run(until=1.0)) for step in STEPS[:2]
    ]
    assert np.all(np.log2(found[:-1]) - np.log2(found[1:]) > 1.95)
    assert found[0] < 2e-2


def loop(ratio):
    """A force accelerates two bodies that are cut apart. Acceleration and force between them depend on each other without delay."""
    network = Network()
    pushed = PythonComponent(lambda t, v: 3 + t * t - v["force"], inputs=["force"], outputs=["acceleration"])
    network.add(pushed, "first")
    network.add(PythonComponent(lambda t, v: ratio * v["acceleration"], inputs=["acceleration"], outputs=["force"]), "second")
    network.connect("first.acceleration", "second.acceleration")
    network.connect("second.force", "first.force")
    return network


@pytest.mark.parametrize("ratio", [0.5, 0.9, 1.5, 10])  # of the masses
def test_a_rigid_joint_is_solved_in_one_newton_iteration_a_step(ratio):
    with Master(loop(ratio), step=0.1, algorithm="newton").start() as run:
        results = run.until(0.5)
        # each step is taken twice, and in the first one once more for the Jacobian: both inputs are moved at once
        assert run.calls == 2 * (5 * 2 + 1)
    assert_allclose(results["second.force"], ratio / (1 + ratio) * (3 + results.time**2), rtol=1e-12)


@pytest.mark.slow
def test_the_cut_double_pendulum_moves_as_the_whole_one():
    matter = mb.MatterSubsystem(mb.MultibodySystem("whole"))
    mb.Gravity(mb.ForceSubsystem(matter.system), matter, down=[0, -1, 0], magnitude=9.8)
    upper = mb.Pin(matter.ground, rod(10.0), name="upper")
    upper.set_default_q(1.0)
    mb.Pin(upper, rod(1.0), END, name="lower").set_default_q(-1.4)
    whole = mb.Simulation(matter.system, accuracy=1e-11).run(matter.system.realize_topology(), until=1.0)
    exact = np.cumsum([whole["upper.q"][-1].item(), whole["lower.q"][-1].item()])

    network = Network()
    for name in ("upper", "lower"):
        add(network, {("System", name): half(name)}, "System", name)
    for output, follower in MOTION.items():
        network.connect_vectors(f"upper.{output}", f"lower.{follower}")
    network.connect_vectors("lower.elbow.motion.load", "upper.elbow.force")
    results = Master(network, step=0.001, algorithm="newton", input_order=2, tolerance=1e-10).run(until=1.0)
    assert_allclose([results["upper.upper.q"][-1], results["lower.lower.q"][-1]], exact, rtol=0, atol=1e-6)


def test_an_iteration_that_does_not_converge_is_taken_in_shorter_steps():
    # at 0.2 s the waveform iteration of the quarter car diverges, at a quarter of it it converges
    strict = WaveformIteration(most_iterations=8, tolerance=1e-6)
    long = Master(quarter_car(), step=0.2, algorithm=strict).run(until=0.2)
    assert np.abs(errors(long)[:, [0, 2]]).max() < 0.03
    with pytest.raises(NotConvergedError, match=r"after 1 iterations .* still changes by"):
        Master(loop_with_states(), step=0.1, algorithm=NewtonIteration(most_iterations=1, tolerance=1e-300)).run(until=1.0)


def loop_with_states():
    network = Network()
    for name in ("a", "b"):
        block = PythonComponent(
            lambda t, v, x: x, update=lambda t, h, v, x: x + h * np.cos(v["u"] + x), state=0.3, inputs=["u"], outputs=["y"]
        )
        network.add(block, name)
    network.connect("a.y", "b.u")
    network.connect("b.y", "a.u")
    return network


def test_a_discarded_step_is_taken_in_halves():
    steps = []

    def update(t, h, v, x):
        if h > 0.03:
            raise ValueError("too long")
        steps.append(h)
        return x + h * v["u"]

    network = Network()
    network.add(Discarding(update), "careful")
    network.add(PythonComponent(lambda t, v: 2.0, outputs=["y"]), "constant")
    network.connect("constant.y", "careful.u")
    results = Master(network, step=0.1, shorten_discarded=True).run(until=0.2)
    assert_allclose(results["careful.y"], [0.0, 0.2, 0.4], rtol=1e-14)
    assert_allclose(steps, [0.025] * 8)


class Discarding:
    """A component that discards steps for which its function raises ValueError."""

    def __init__(self, update):
        self._model = PythonComponent(lambda t, v, x: x, update=update, state=0.0, inputs=["u"], outputs=["y"])

    def __getattr__(self, name):
        return getattr(self._model, name)

    def instance(self, name):
        instance = self._model.instance(name)
        step = instance.step

        def careful(time, size):
            try:
                step(time, size)
            except MobodError as error:
                raise StepDiscardedError(str(error), None) from error

        instance.step = careful
        return instance


@pytest.mark.slow
def test_a_restored_iteration_goes_on_with_the_same_bits():
    master = Master(force_coupling(), step=0.01, algorithm="newton", input_order=2)
    with master.start() as run:
        run.until(0.1)
        checkpoint = run.checkpoint()
        first = run.until(0.3)
    with master.start() as other:
        other.restore(Checkpoint.from_bytes(checkpoint.to_bytes()))
        again = other.until(0.3)
    assert_array_equal(again["left.x"], first["left.x"])
    with Master(force_coupling(), step=0.01, input_order=1).start() as different:  # another algorithm starts as in a new run
        different.restore(checkpoint)
        assert len(different.until(0.2).time) == 11


def test_components_that_cannot_save_their_state_are_named(fmus):
    network = Network()
    network.add(fmus["gain"], "plain")
    with pytest.raises(UnsupportedError, match=r"algorithm 'newton' repeats steps, but these components .*: plain\."):
        Master(network, algorithm="newton").run(until=0.1)


def test_wrong_options_are_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'waveform'"):
        Master(displacement_coupling(), algorithm="wavefrom")
    with pytest.raises(InputError, match="a tolerance between 0 and 1"):
        NewtonIteration(tolerance=0.0)
    with pytest.raises(InputError, match="a WaveformIteration or a NewtonIteration"):
        Master(displacement_coupling(), algorithm=3)
