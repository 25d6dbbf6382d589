"""Long steps of high order between which constraints hold: reports, events and derivatives are as accurate as the ends of steps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.ensembles.alone import assert_same_as_alone

LENGTH, RADIUS = 1.0, 0.4  # m, of the bars, and of the gyration of a bar about its end
ACCURACY = 1e-10


def parallelograms(n=2, *, stop=None):
    """n + 1 equal cranks in a row, each coupled with the next one by a bar of the same length as the distance of their pins. All bars are
    in line in the course of the motion.
    """
    system = mb.MultibodySystem("parallelograms")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    inertia = np.diag([0.01, RADIUS**2, RADIUS**2])
    bar = mb.MassProperties(1.0, [LENGTH / 3, 0, 0], inertia)
    cranks = [mb.Pin(matter.ground, bar, X_PF=mb.Transform(p=[i * LENGTH, 0, 0]), name=f"crank{i}") for i in range(n + 1)]
    for i in range(n):
        coupler = mb.Pin(cranks[i], bar, X_PF=mb.Transform(p=[LENGTH, 0, 0]), name=f"coupler{i}")
        mb.PointOnLine(cranks[i + 1], [0, 0, 1], [LENGTH, 0, 0], coupler, [LENGTH, 0, 0], name=f"loop{i}")
    if stop is not None:
        cranks[n].set_limits(stop, np.inf, 0.5)
    state = system.realize_topology()
    for each in matter.bodies:
        sign = 1 if each.name.startswith("crank") else -1  # couplers stay level
        each.set_q(state, sign * 0.8)
        each.set_u(state, sign * -1.0)
    return system, state


def exact_speed(n, angles):
    """Of the cranks at these angles, from their energy: n + 1 cranks turn, and n couplers move on circles."""
    inertia = (n + 1) * RADIUS**2 + n * LENGTH**2
    moment = 9.81 * ((n + 1) * LENGTH / 3 + n * LENGTH)
    return np.sqrt(1.0 + 2 * moment / inertia * (np.sin(0.8) - np.sin(angles)))


@pytest.mark.parametrize("integrator", ["auto", "DOP853"])
def test_reports_within_steps_that_pass_bars_in_line_are_as_accurate_as_the_steps(integrator):
    n = 2
    system, state = parallelograms(n)
    results = mb.Simulation(system, ACCURACY, integrator=integrator, backend="interpreted").run(state, 0.6, report_every=0.003)

    assert results.integrator == "DOP853"
    assert results.steps < len(results.time) / 5  # most reports are within steps
    angles, speeds = (np.stack([results[f"crank{i}.{kind}"] for i in range(n + 1)], axis=1) for kind in "qu")
    assert angles.min() < 0 < angles.max()  # they have passed the line
    assert_allclose(angles, angles[:, :1].repeat(n + 1, axis=1), rtol=0, atol=100 * ACCURACY)
    assert_allclose(np.abs(speeds), exact_speed(n, angles), rtol=100 * ACCURACY)  # reports at the line were 1e-6 off
    assert not results.warnings


def test_an_event_within_a_long_step_is_found_where_its_witness_is_zero():
    system, state = parallelograms(stop=-0.3)
    results = mb.Simulation(system, ACCURACY, backend="interpreted").run(state, 0.6, report_every=0.6)
    impact = results.events[0]

    assert results.integrator == "DOP853"
    angle, speed = impact.y_before[2], impact.y_before[state.layout.n_q + 2]
    assert_allclose(angle, -0.3, rtol=0, atol=10 * ACCURACY)
    assert_allclose(-speed, exact_speed(2, angle), rtol=100 * ACCURACY)


def test_dop853_needs_less_than_six_tenths_of_the_evaluations_with_a_closed_loop():
    system, state = parallelograms()
    fine, coarse = (
        mb.Simulation(system, ACCURACY, integrator=each, backend="interpreted").run(state, 1.0).evaluations for each in ("auto", "RK45")
    )
    assert fine < 0.6 * coarse


@pytest.mark.parametrize("stop", [None, -0.3])
def test_runs_side_by_side_have_the_bits_of_runs_alone(stop):
    system, state = parallelograms(stop=stop)
    names = [each.name for each in system.variables(state) if each.role == "state" or each.name.endswith("multiplier")]
    starts = [state.copy() for _ in range(3)]
    for factor, each in zip((0.9, 1.0, 1.2), starts, strict=True):
        each.u = factor * np.array(state.u)

    assert_same_as_alone(system, starts, 0.5, 0.01, names, accuracy=ACCURACY)
