"""Reports within the step in which a slip stops are as accurate as its end, though errors have any direction at that speed."""

import numpy as np
import pytest

import mobod as mb
from mobod.contact import Box, HalfSpace
from mobod.runtime.integrators import METHODS

G, MU, SIZES = 9.81, 0.4, np.array([0.4, 0.2, 0.1])


def block(angle):
    """(system, body) a block on a plane whose gravity is turned by the angle, rad."""
    system = mb.MultibodySystem("incline")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[np.sin(angle), 0, -np.cos(angle)], magnitude=G)
    body = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=SIZES)), name="block")
    body.set_default_q([1, 0, 0, 0, 0, 0, SIZES[2] / 2])
    mb.RigidContact(matter.ground, HalfSpace(), body, Box(SIZES / 2), static_friction=0.5, dynamic_friction=MU, name="contact")
    return system, body


CASES = [("DOP853", 0.3, 2.0, 1e-8), ("DOP853", 0.2722511982, 3.0579532858, 1e-10), ("DOP853", 0.45, 1.0, 1e-9), ("RK45", 0.3, 2.0, 1e-8)]
OTHERS = [(m, 0.25, 2.7, 10.0**-k) for m in METHODS for k in range(6, 11)]


# found error: turns of 7,700 accuracies
@pytest.mark.parametrize(
    ("method", "angle", "speed", "accuracy"), CASES + [pytest.param(*case, marks=pytest.mark.slow) for case in OTHERS if case not in CASES]
)
def test_reports_of_a_straight_slip_show_no_turn(method, angle, speed, accuracy):
    system, body = block(angle)
    state = system.realize_topology()
    body.set_u(state, [0, 0, 0, -speed, 0, 0])
    stop = speed / (G * (MU * np.cos(angle) + np.sin(angle)))

    results = mb.Simulation(system, integrator=method, accuracy=accuracy, backend="interpreted").run(state, stop * 1.1, stop / 400)

    exact = -speed * np.maximum(1 - results.time / stop, 0)
    found = results["block.u"]
    assert np.abs(found[:, :3]).max() < 10 * accuracy
    assert np.abs(found[:, 3] - exact).max() < 10 * accuracy
    assert np.abs(found[:, 4:]).max() < 10 * accuracy


# found error: 5e5 in place of 0, since the derivative of a direction grows as 1 / speed
@pytest.mark.parametrize("accuracy", [1e-8, pytest.param(1e-10, marks=pytest.mark.slow)])
def test_derivatives_of_reports_of_a_straight_slip_show_no_turn(accuracy):
    angle, speed = 0.35, 2.4
    system, body = block(angle)
    state = system.realize_topology()
    body.set_u(state, [0, 0, 0, -speed, 0, 0])
    stop = speed / (G * (MU * np.cos(angle) + np.sin(angle)))
    names, mu = [f"block.u[{k}]" for k in range(1, 7)], "contact.dynamic_friction"

    simulation = mb.Simulation(system, integrator="DOP853", accuracy=accuracy, backend="interpreted")
    found = mb.sensitivities(simulation, state, [mu], names, until=stop * 1.02, report_every=stop / 200)

    assert found.method.startswith("tangents of the steps")
    along = G * np.cos(angle) * stop * np.arange(200) / 200
    for k, name in enumerate(names):
        assert np.abs(found[name, mu][:200] - (along if k == 3 else 0)).max() < 1e-6


def turning(integrator, accuracy, **options):
    system, body = block(0.3)
    state = system.realize_topology()
    body.set_u(state, [0, 0, 0.7, -2.0, 0, 0])
    results = mb.Simulation(system, integrator=integrator, accuracy=accuracy, backend="interpreted", **options).run(state, 0.32, 0.002)
    return results["block.u"]


@pytest.mark.slow
def test_reports_of_a_slip_that_turns_until_it_stops():
    exact = turning("RK45", 1e-12, max_step=2e-3)
    for method in METHODS:
        for accuracy in (1e-6, 1e-8):
            assert np.abs(turning(method, accuracy) - exact).max() < 10 * accuracy, method
