"""Methods of users' subclasses, and functions, that take other arguments than they are called with."""

import traceback
from dataclasses import dataclass

import numpy as np
import pytest

import mobod as mb
from mobod.errors import ArgumentsError


def force():
    class Backlash(mb.CustomForce):
        def calc_force(self, state, forces):
            pass


def energy():
    class Backlash(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            pass

        def calc_potential_energy(self):
            return 0.0


def hook():
    class Tank(mb.CustomSubsystem):
        def realize_velocity(self):
            pass


def measure():
    class Sum(mb.measures.CustomMeasure):
        def calc_value(self, state, time):
            return 0.0


def handler():
    class Kick(mb.PeriodicEventHandler):
        def handle_event(self, state):
            pass


def function():
    class Cam(mb.Function):
        def value(self, x, y):
            return x * y


def mobilizer():
    @dataclass(frozen=True)
    class Nut(mb.CustomEquations):
        nq = 1
        q_units = ("rad",)

        def X_FM(self):
            return mb.Transform()


def constraint():
    class OnSphere(mb.ConstraintEquations):
        def position_errors(self, X, V):
            return np.zeros(1)


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (
            force,
            "Backlash.calc_force takes (self, state, forces), but mobod calls it with (self, state, body_forces, mobility_forces). "
            "Write: def calc_force(self, state, body_forces, mobility_forces)",
        ),
        (energy, "Backlash.calc_potential_energy takes (self), but mobod calls it with (self, state)."),
        (hook, "Tank.realize_velocity takes (self), but mobod calls it with (self, state)."),
        (measure, "Sum.calc_value takes (self, state, time), but mobod calls it with (self, state)."),
        (handler, "Kick.handle_event takes (self, state), but mobod calls it with (self, state, event)."),
        (function, "Cam.value takes (self, x, y), but mobod calls it with (self, x)."),
        (mobilizer, "Nut.X_FM takes (self), but mobod calls it with (self, q)."),
        (constraint, "OnSphere.position_errors takes (self, X, V), but mobod calls it with (self, motion)."),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_method_with_other_arguments_is_refused_where_it_is_defined(define, message):
    with pytest.raises(ArgumentsError) as raised:
        define()
    assert message in str(raised.value)
    assert raised.value.__cause__ is None
    ours = [frame for frame in traceback.extract_tb(raised.tb) if "mobod" in frame.filename and "tests" not in frame.filename]
    assert len(ours) <= 6


def test_methods_with_more_arguments_that_have_defaults_and_with_others_names_are_accepted():
    class Spring(mb.CustomForce):
        def calc_force(self, s, F, f, factor=2.0):
            f[0] -= factor * s.q[0]

        def calc_potential_energy(self, *arguments):
            return arguments[0].q[0] ** 2

    system = mb.MultibodySystem("pendulum")
    mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="pin").set_default_q(0.7)
    Spring(mb.ForceSubsystem(system), name="spring")
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    np.testing.assert_allclose(state.u_dot, [-1.4], rtol=1e-14)  # N m, of a mass of 1 kg at 1 m
    assert system.potential_energy(state) == 0.7**2


def test_a_function_of_an_event_with_other_arguments_is_refused():
    system = mb.MultibodySystem("empty")
    with pytest.raises(
        ArgumentsError, match=r"PeriodicEventHandler.of: the function handle_event takes \(state\), but mobod calls it with"
    ):
        mb.PeriodicEventHandler.of(system, 0.1, lambda state: None)
    with pytest.raises(
        ArgumentsError, match=r"TriggeredEventHandler.of: the function witness takes \(\), but mobod calls it with \(state\)"
    ):
        mb.TriggeredEventHandler.of(system, lambda: 1.0, lambda state, event: None)
