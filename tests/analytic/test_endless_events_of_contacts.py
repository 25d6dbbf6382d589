"""Events of one contact that follow each other so fast that time hardly advances end the run by its name; bounces that die out do not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import EventError


def between_stops(gap, restitution=1.0):
    """A body that moves at 1 m/s between two stops."""
    system = mb.MultibodySystem("rattle")
    matter = mb.MatterSubsystem(system)
    body = mb.Slider(matter.ground, mb.MassProperties.point(mass=2.0, p=[0, 0, 0]), name="pin")
    body.set_limits(lower=0.0, upper=gap, restitution=restitution)
    body.set_default_q(0.3 * gap)
    state = system.realize_topology()
    body.set_u(state, 1.0)
    return system, state


def test_events_of_a_stop_that_have_no_end_are_an_error_that_names_it():
    gap, start = 1e-7, 0.5
    system, state = between_stops(gap)
    state.time = start

    with pytest.raises(EventError, match=r"at (0\.500\d*) s contact 'pin.*' chatters: .* time hardly advances") as error:
        mb.Simulation(system, backend="interpreted").run(state, until=1.0)

    after = float(str(error.value).split()[1]) - start
    assert_allclose(after, 500 * 2 * gap, rtol=0.01)  # the event 501 of one stop


@pytest.mark.parametrize("options", [{"time_scale": 1e-3}, {}], ids=["small times", "few events"])
def test_events_that_are_fast_for_a_reason_go_on(options):
    gap = 1e-6 if options else 1e-4
    system, state = between_stops(gap)
    state.time = 0.5

    results = mb.Simulation(system, backend="interpreted", **options).run(state, until=0.5 + 1200 * gap)

    assert len(results.events) >= 1190
    assert_allclose(np.abs(results["pin.u"][-1]), 1, rtol=1e-9)


def test_bounces_that_die_out_come_to_rest():
    """In 0.4 ms are a thousand bounces of each stop, with 0.999 of the speed each: v = v0 / (1 + v0 t (1 - e) / (e gap))."""
    gap, restitution, start, duration = 1e-7, 0.999, 0.5, 2e-3
    system, state = between_stops(gap, restitution)
    state.time = start

    final = mb.Simulation(system, backend="interpreted").run(state, until=start + duration).final_state

    expected = 1 / (1 + duration * (1 - restitution) / (restitution * gap))
    assert_allclose(abs(system.matter.body("pin").u(final)), expected, rtol=2e-3)  # of one bounce
