"""Steps that are one call of C: the same numbers, times, histories and errors as those that Python prepares and ends."""

from math import inf, nan

import numpy as np
import pytest

import mobod as mb
from mobod.errors import InputError, IntegrationError

OPTIONS = [{"integrator": "SemiImplicitEuler", "step": 1e-3}, {}, {"integrator": "RK4", "step": 0.7e-3}]


def two_runs(report_every=None, **options):
    """Runs of two pins with a motor: one whose equal steps are calls of C alone, and one whose steps Python prepares and ends."""
    system = mb.MultibodySystem("arm")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.1, -1, 0], magnitude=9.81)
    bar = mb.MassProperties(1.3, [0.1, -0.4, 0], np.diag([0.4, 0.3, 0.5]))
    upper = mb.Pin(matter.ground, bar, name="upper")
    mb.Pin(upper, bar, X_PF=mb.Transform(p=[0, -0.8, 0]), name="lower")
    mb.MobilityForce(forces, upper, name="motor")
    state = system.realize_topology()
    state.q = [0.4, -1.1]
    simulation = mb.Simulation(system, backend="interpreted", **options)
    alone, prepared = simulation.start(state, report_every=report_every), simulation.start(state, report_every=report_every)
    prepared._begin_step = lambda *_: -1
    return alone, prepared


def numbers(run):
    return run.time, run.steps, run.evaluations, run.state.y.tobytes(), run["motor.force"].tobytes()


def steps_of(run):
    """Steps of equal and other sizes, with all that can be done between them. Gives the numbers after each."""
    for _ in range(3):
        run.step(2e-3)
        yield numbers(run)
    run.set("motor.force", 3.0)
    run.step(2e-3)
    yield numbers(run)
    saved = run.save()
    run.step(2e-3)
    run.set("upper.u", -0.7)
    run.step(2e-3)
    yield numbers(run)
    run.step_to(run.time + 1.3e-3)
    for duration in (2e-3, 2e-3, 1e-3, 1e-3):
        run.step(duration)
        yield numbers(run)
    run.restore(saved)
    for _ in range(2):
        run.step(2e-3)
        yield numbers(run)
    for wrong in (0.0, -2e-3, inf, nan):
        with pytest.raises(InputError, match="duration must be positive"):
            run.step(wrong)
    yield numbers(run)
    start = run.state
    run.reset(start)
    for _ in range(2):
        run.step(2e-3)
        yield numbers(run)


@pytest.mark.parametrize("report_every", [None, inf, 5e-3])
@pytest.mark.parametrize("options", OPTIONS)
def test_steps_have_the_numbers_and_the_history_of_steps_that_python_prepares(options, report_every):
    alone, prepared = two_runs(report_every, **options)
    calls = []
    step = alone._begin_step
    alone._begin_step = lambda *arguments: calls.append(step(*arguments)) or calls[-1]

    for one, other in zip(steps_of(alone), steps_of(prepared), strict=True):
        assert one == other

    assert calls.count(0) >= 8  # and are taken by C alone
    if report_every != inf:
        one, other = alone.history(), prepared.history()
        assert one.time.tobytes() == other.time.tobytes()
        assert one.y.tobytes() == other.y.tobytes()
        assert one["motor.force"].tobytes() == other["motor.force"].tobytes()


def test_a_step_that_fails_is_undone_and_named():
    for run in two_runs():
        run.step(1e-3)
        run.step(1e-3)
        before = numbers(run)
        run.set("motor.force", 1e308)

        for _ in range(2):
            with pytest.raises(IntegrationError, match=r"the integration stopped at 0.00\d* s"):
                run.step(1e-3)

        assert numbers(run)[0] == before[0]
        assert numbers(run)[3] == before[3]
        run.set("motor.force", 0.0)
        run.step(1e-3)
        assert run.time == pytest.approx(3e-3, rel=1e-15)


def test_a_step_of_many_integration_steps_goes_on_until_its_end():
    run, other = two_runs(integrator="RK4", step=1e-4)
    for _ in range(2):
        run.step(0.5)  # 5000 integration steps, of which a call of C takes 2000
        other.step(0.5)

        assert numbers(run) == numbers(other)


def test_a_run_that_was_ended_or_closed_takes_no_step():
    run, _ = two_runs(**OPTIONS[0])
    run.step(1e-3)
    run.end()
    with pytest.raises(InputError, match=r"run.end\(\) was called"):
        run.step(1e-3)
    run.close()
    with pytest.raises(InputError, match="the run was closed"):
        run.step(1e-3)
