"""Unilateral rows in compiled and interpreted runs: the same events, and the same errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import EventError
from tests.reference.stops import bouncing_ball, hinge_with_stop, particle_in_wedge, read, slotted_hinge

PARAMS = {"g": 9.8, "mass": 2.0, "com_dist": 0.5, "I_pivot": 0.7, "theta0": 0.1, "theta_max": 0.9}


def hinge(restitution):
    return hinge_with_stop(PARAMS, restitution)[0]


def wedge(restitution):
    return particle_in_wedge(40, [0.3, 0.25], [-1.0, -1.5], restitution)[0]


def slot(restitution):
    return slotted_hinge(read("exact_custom_joint_demo_e0")["params"], restitution)[0]


def ball(restitution):
    return bouncing_ball(1.0, 9.81, restitution)[0]


@pytest.mark.parametrize(
    ("system", "until"),
    [(hinge(0.0), 3.0), (hinge(0.4), 2.0), (wedge(0.0), 3.5), (slot(0.5), 1.6), (ball(0.3), 1.0)],
    ids=["hinge at rest", "hinge that bounces", "wedge", "slotted hinge", "ball"],
)
def test_every_event_is_the_same(system, until):
    vm, native = (
        mb.Simulation(system, accuracy=1e-10, integrator="RK45", backend=backend).run(system.realize_topology(), until)
        for backend in ("interpreted", "compiled")
    )

    assert len(vm.events) > 0
    assert [(each.name, each.direction) for each in native.events] == [(each.name, each.direction) for each in vm.events]
    assert_allclose([each.time for each in native.events], [each.time for each in vm.events], atol=1e-9)
    assert_allclose([each.y_before for each in native.events], [each.y_before for each in vm.events], atol=1e-8)
    assert_allclose([each.y_after for each in native.events], [each.y_after for each in vm.events], atol=1e-8)
    assert_allclose(native.final_state.y, vm.final_state.y, atol=1e-8)
    for constraint in system.matter.constraints:
        assert_allclose(constraint.is_held(native.final_state), constraint.is_held(vm.final_state))
        assert_allclose(constraint.impulses(native.final_state), constraint.impulses(vm.final_state), atol=1e-7)


@pytest.mark.parametrize("backend", ["interpreted", "compiled"])
def test_users_events_and_limits_act_in_one_run(backend):
    """A handler throws the hinge off its stop each second; an impulse by a handler is not hindered by what is held."""
    system, pin = hinge_with_stop(PARAMS)
    mb.PeriodicEventHandler.of(system, 1.0, lambda state, event: pin.set_u(state, pin.u(state) - 2.0), name="throw")
    rest = mb.ConstantSpeed(pin, 0, -1.5, name="speed", disabled=True)
    mb.PeriodicEventHandler.of(system, 2.5, lambda state, event: event.apply_impulse(rest), name="push")

    results = mb.Simulation(system, accuracy=1e-9, backend=backend).run(system.realize_topology(), 2.6)

    names = [event.name for event in results.events]
    assert names[:5] == ["throw", "push", "hinge.upper_limit", "throw", "hinge.upper_limit"]
    thrown = next(event for event in results.events if event.name == "throw" and event.time == 1.0)
    assert_allclose(thrown.y_after[1], -2.0, atol=1e-9)
    pushed = next(event for event in results.events if event.name == "push" and event.time == 2.5)
    assert_allclose(pushed.y_after[1], -1.5, atol=1e-9)
    assert pin.engaged(results.final_state) == [0]


@pytest.mark.parametrize("backend", ["interpreted", "compiled"])
def test_errors_are_the_same(backend):
    system, pin = hinge_with_stop(PARAMS)
    state = system.realize_topology()
    pin.set_q(state, 0.95)
    with pytest.raises(EventError, match=r"at 0 s 'hinge': coordinate 0 is 0.95 rad, 0.05 rad above its limit of 0.9 rad"):
        mb.Simulation(system, backend=backend).run(state, 1.0)

    system, pin = hinge_with_stop(PARAMS)
    mb.SteadyMotion(pin, 1.0)
    with pytest.raises(EventError, match=r"at 0\.8\d* s unilateral constraints have no impulses or forces: .*hinge.* cannot be met"):
        mb.Simulation(system, backend=backend).run(system.realize_topology(), 1.0)


def test_rest_for_a_thousand_seconds_neither_toggles_nor_drifts():
    system, pin = hinge_with_stop(PARAMS)

    results = mb.Simulation(system, accuracy=1e-10, backend="compiled").run(system.realize_topology(), 1000.0)

    assert len(results.events) == 1
    assert_allclose(pin.q(results.final_state), PARAMS["theta_max"], atol=1e-11)
    assert np.abs(results["hinge.q"][results.time > 1] - PARAMS["theta_max"]).max() <= 1e-11
