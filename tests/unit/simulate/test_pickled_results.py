"""Results and States as pickles, which is how processes pass them."""

import multiprocessing
import pickle
from copy import deepcopy

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb


def pendulum(length, *, torque=None):
    """A pendulum with a delay. torque: a function of the angle, of a class that pickle cannot name, and there is a handler."""
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0, -length, 0]), name="pin")
    pin.set_default_q(0.7)
    mb.UniformGravity(forces, matter, gravity=[0, -9.81, 0])
    mb.measures.Delay(system, mb.measures.Time(system), 0.03, name="late")
    if torque is not None:
        add_unnamed(system, forces, pin, torque)
    return system


def add_unnamed(system, forces, pin, torque):
    class Torque(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += torque(pin.q(state)[0])

    Torque(forces, name="torque")
    mb.PeriodicEventHandler.of(system, 0.05, lambda state, event: pin.set_u(state, -0.5 * pin.u(state)), name="kick")


def run(length, **options):
    system = pendulum(length, **options)
    return mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=0.12, report_every=0.02)


def assert_same(one, other):
    assert one.names == other.names
    for name in one.names:
        assert_array_equal(one[name], other[name], err_msg=name)
    assert [str(event) for event in one.events] == [str(event) for event in other.events]


@pytest.mark.parametrize("options", [{}, {"torque": lambda q: -0.4 * np.sin(q)}], ids=["named", "by value"])
def test_results_from_a_pickle_have_the_same_values_of_all_variables(options):
    results = run(0.9, **options)
    again = pickle.loads(pickle.dumps(results))
    assert_same(results, again)
    assert again.final_state.system is again.system
    assert repr(again) == repr(results)


@pytest.mark.slow  # a process that imports everything
def test_results_that_another_process_returns_have_the_same_values():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (returned,) = pool.map(run, [0.9])
    assert_same(run(0.9), returned)


def test_a_state_and_its_system_stay_together_in_a_pickle():
    results = run(0.9)
    system, state, again = pickle.loads(pickle.dumps((results.system, results.final_state, results)))
    assert state.system is again.system is again.final_state.system is system
    assert state.time == results.final_state.time
    assert_array_equal(state.q, results.final_state.q)
    system.realize(state, mb.Stage.ACCELERATION)  # and can be used


def test_a_copy_of_results_is_independent():
    results = run(0.9)
    copy = deepcopy(results)
    assert_same(results, copy)
    assert copy.final_state.system is copy.system is not results.system


def test_results_of_an_ensemble_come_back_with_their_states():
    system = pendulum(0.9, torque=lambda q: -0.4 * np.sin(q))
    states = [system.realize_topology() for _ in range(2)]
    system.set_value(states[1], "pin.q", 0.3)
    results = mb.Ensemble(system, states, outputs=["pin.q", "pin.p_GB"], backend="interpreted").run(0.1, 0.05)
    again = pickle.loads(pickle.dumps(results))
    for name in ("pin.q", "pin.p_GB", "pin.p_GB[2]"):
        assert_array_equal(again[name], results[name])
    assert again.names == results.names
    assert_array_equal(again.final_states[1].q, results.final_states[1].q)
