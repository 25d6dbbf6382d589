"""A run ends after max_steps attempted steps, and reports the time that it reached."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import EventError, InputError, IntegrationError
from mobod.runtime.integrators import AUTO, METHODS
from tests.unit.simulate.event_systems import GRAVITY, RESTITUTION, bouncing_mass, oscillator


def stiff_oscillator():
    """A mass of 1 kg on a spring of 1e18 N/m, deflected by 1 um: 600,000 periods in 4 ms."""
    system = mb.MultibodySystem("stiff")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="slider")
    mb.MobilityLinearSpring(forces, slider, stiffness=1e18)
    slider.set_default_q(1e-6)
    return system


@pytest.mark.parametrize("integrator", [AUTO, *METHODS])
def test_a_much_too_stiff_spring_ends_a_run_with_an_error(integrator):
    system = stiff_oscillator()
    # of a point on a spring nothing says how large a deflection is
    simulation = mb.Simulation(system, integrator=integrator, backend="interpreted", max_steps=500, length_scale=1e-6)
    state = system.realize_topology()
    with pytest.raises(
        IntegrationError, match=r"500 steps were tried.*of 'slider\.[qu]' is the largest.*in this run.*max_steps="
    ) as caught:
        simulation.run(state, until=4e-3)
    reached, next_step = (float(re.search(pattern, str(caught.value))[1]) for pattern in (r"stopped at (\S+) s:", r"would be (\S+) s"))
    # at most 500 steps; each method needs several steps in a period of 6.3e-9 s
    assert 0 < reached < 500 * 6.3e-9
    assert 0 < next_step < 6.3e-9
    assert state.time == 0


def test_each_report_restarts_the_count():
    system, state, slider = oscillator()
    simulation = mb.Simulation(system, 1e-9, backend="interpreted", max_steps=30)
    results = simulation.run(state, until=40.0, report_every=1.0)
    assert results.steps > 60
    assert_allclose(slider.q(results.final_state)[0], np.sin(40.0 - 0.7), atol=1e-6)  # 1000 times the accuracy of a step
    with pytest.raises(IntegrationError, match="30 steps were tried"):
        simulation.run(state, until=40.0)


def test_steps_shortened_by_events_count_too():
    system, state, _ = oscillator()
    mb.PeriodicEventReporter.of(system, 1e-7, lambda state: None, name="all the time")
    state = system.realize_topology()
    with pytest.raises(IntegrationError, match=r"stopped at 5e-06 s: 50 steps were tried, .* since the last report"):
        mb.Simulation(system, backend="interpreted", max_steps=50).run(state, until=1.0, report_every=0.5)


@pytest.mark.parametrize("number", [0, -3, 2.5, np.nan, np.inf, 2**31, "9", True])
def test_an_invalid_number_of_steps_is_refused(number):
    with pytest.raises(InputError, match="max_steps must be a whole number from 1 to 2147483647, not"):
        mb.Simulation(stiff_oscillator(), max_steps=number)


def test_fixed_steps_have_no_limit():
    with pytest.raises(InputError, match=r"integrator='velocity_level' takes a number of steps that follows from the duration"):
        mb.Simulation(stiff_oscillator(), integrator="velocity_level", step=1e-3, max_steps=10)


@pytest.mark.parametrize("height", [5e-324, 1.5e-323, 1e-322, 1e-320, 1e-310, 1e-200])
def test_a_mass_bounces_from_heights_that_have_few_digits_left(height):
    """Below 2e-308 the round-off of numbers is absolute, and so is that of witnesses."""
    system, state, ball = bouncing_mass(stop_at=3)
    ball.set_q(state, height)
    results = mb.Simulation(system, backend="interpreted").run(state, until=1.0)
    assert results.terminated_by == "bounce"
    assert results.steps < 20
    first = np.sqrt(height) * np.sqrt(2 / GRAVITY)
    end = first * (1 + 2 * RESTITUTION + 2 * RESTITUTION**2)
    # round-off of 40 times the smallest number, relative to the height
    assert_allclose(results.final_state.time, end, rtol=40 * 5e-324 / height + 1e-6 if height > 1e-322 else 3)


def test_a_mass_that_leaves_the_floor_only_by_round_off_chatters():
    system, state, ball = bouncing_mass()
    ball.set_q(state, 5e-324)
    with pytest.raises(EventError, match=r"at .* s event 'bounce' chatters: it occurred again, .* s after the last time"):
        mb.Simulation(system, backend="interpreted").run(state, until=1.0)
