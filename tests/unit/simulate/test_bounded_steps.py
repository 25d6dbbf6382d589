"""Steps of bounded work: what exceeds their counts goes on and is counted; a run that never exceeds them is not changed."""

import warnings

import numpy as np
import pytest
from benchmarks.fixed_steps import boxes
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.compilation.calls.operation_counts import OperationCounts, StepOperations
from mobod.errors import InputError, IntegrationError, UnsupportedError
from mobod.simulate.bounded_steps import BOUNDED, Leftovers, largest_work
from tests.ensembles.models import four_bar

NOTHING = Leftovers(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def started(system, state, integrator, step, *, bounded=True):
    return mb.Simulation(system, integrator=integrator, step=step, bounded=bounded, backend="interpreted").start(state)


def walked(run, step, n):
    """The numbers of overruns, and the largest of the other numbers of the leftovers, in n steps."""
    rows = []
    for _ in range(n):
        run.step(step)
        rows.append(list(vars(run.leftovers).values()))
    return np.array(rows)[:, 0], np.max(np.array(rows)[:, 1:], axis=0)


def falling_balls():
    """Ten balls that reach the floor at ten times, all within a step of 50 ms."""
    system = mb.MultibodySystem("balls")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=9.81, name="gravity")
    for i in range(10):
        ball = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name=f"ball{i}")
        ball.set_limits(0.0, np.inf, 0.5)
        ball.set_default_q([0.1 + 0.005 * i])
    return system


@pytest.mark.parametrize("integrator", ["RK4", "SemiImplicitEuler"])
def test_many_impacts_in_one_step_are_late_counted_and_come_to_rest(integrator):
    system, step = falling_balls(), 0.05
    with started(system, system.realize_topology(), integrator, step) as run:
        overruns, largest = walked(run, step, 40)
        heights = [run[f"ball{i}.q"][0] for i in range(10)]
        speeds = [run[f"ball{i}.u"][0] for i in range(10)]
    assert overruns[-1] > 0
    assert 0 < largest[0] <= step  # an event is late by less than the step in which it occurs
    assert_array_equal(overruns[-20:], overruns[-1])  # it has caught up: from then on nothing is left
    assert np.max(np.abs(heights)) < 1e-12
    assert np.max(np.abs(speeds)) < 1e-12


@pytest.mark.parametrize(("integrator", "by"), [("RK4", 2.5), ("SemiImplicitEuler", 2.5), ("velocity_level", 1.0)])
def test_a_loop_far_from_assembled_is_assembled_over_several_steps(integrator, by):
    (system, state), step = four_bar(), 1e-3
    with started(system, state, integrator, step) as run, warnings.catch_warnings():
        warnings.simplefilter("ignore", mb.MobodWarning)  # the start that was set is changed
        walked(run, step, 5)
        assert run.leftovers == NOTHING
        run.set("coupler.q", run["coupler.q"] + by)
        run.step(step)
        first = run.leftovers
        overruns, _ = walked(run, step, 8)
        assert first.overrun > 0
        assert run.leftovers.length == 0.0
        assert overruns[-1] == overruns[-3]


def test_without_bounds_such_a_loop_is_refused():
    system, state = four_bar()
    with started(system, state, "RK4", 1e-3, bounded=False) as run:
        run.set("coupler.q", run["coupler.q"] + 2.5)
        with pytest.raises(IntegrationError, match="joint"):
            run.step(1e-3)


def thrown_boxes(seed):
    system = boxes(5)
    state = system.realize_topology()
    state.u = 2.0 * np.random.default_rng(seed).normal(size=len(state.u))
    return system, state


def test_friction_that_does_not_converge_leaves_its_residual_and_goes_on():
    system, state = thrown_boxes(1)
    with started(system, state, "velocity_level", 5e-3) as run:
        overruns, largest = walked(run, 5e-3, 200)
    assert overruns[-1] > 0
    assert 0 < largest[-1] < 1e-2  # relative: the best multipliers of the first methods are near a solution
    assert_array_equal(overruns[-50:], overruns[-1])


@pytest.mark.parametrize("integrator", ["velocity_level", "RK4"])
def test_the_largest_work_of_a_step_counts_the_methods_of_friction(integrator):
    """Up to 172 Newton steps a problem, each with an elimination of its rows."""
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    body = mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1)), name="ball")
    mb.RigidContact(matter.ground, mb.contact.HalfSpace(), body, mb.contact.Sphere(0.1), static_friction=0.5)
    nothing = StepOperations(OperationCounts(), OperationCounts(), 0, 0)

    work = largest_work(system, system.realize_topology().layout, nothing, integrator)

    assert work.n_rows == 3
    assert work.operations >= work.solutions * 172 * (3**3 + 6 * 3**2)


@pytest.mark.parametrize("integrator", BOUNDED)
def test_a_run_that_never_exceeds_the_counts_has_the_bits_of_one_without_bounds(integrator):
    def pendulum_with_a_stop():
        system = mb.MultibodySystem("stop")
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
        arm = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[1, 0, 0]), name="arm")
        arm.set_limits(-2.0, 2.0, 0.8)
        return system, system.realize_topology()

    cases = [(*four_bar(), 1e-3), (*pendulum_with_a_stop(), 1e-3), *([(*thrown_boxes(0), 5e-3)] if integrator == "velocity_level" else [])]
    for system, state, step in cases:
        ends = []
        for bounded in (False, True):
            with started(system, state, integrator, step, bounded=bounded) as run:
                walked(run, step, 150)
                assert run.leftovers == NOTHING
                ends.append(run.state.y)
        assert_array_equal(*ends)


def test_what_is_left_is_part_of_a_saved_state():
    system, step = falling_balls(), 0.05
    with started(system, system.realize_topology(), "RK4", step) as run:
        walked(run, step, 4)
        saved, left = run.save(), run.leftovers
        assert left.overrun > 0
        walked(run, step, 10)
        end = run.state.y, run.leftovers
        run.restore(saved)
        assert run.leftovers == left
        walked(run, step, 10)
        assert_array_equal(run.state.y, end[0])
        assert run.leftovers == end[1]
        run.reset(system.realize_topology())
        assert run.leftovers == NOTHING


def test_whole_runs_are_bounded_too():
    system = falling_balls()
    options = {"integrator": "RK4", "step": 0.05, "backend": "interpreted"}
    state = system.realize_topology()
    bounded = mb.Simulation(system, bounded=True, **options).run(state, until=1.0)
    free = mb.Simulation(system, **options).run(state, until=1.0)
    assert bounded.evaluations < free.evaluations / 2


@pytest.mark.parametrize("integrator", ["auto", "RK45", "Rodas5P"])
def test_integrators_with_error_control_are_refused_by_name(integrator):
    with pytest.raises(InputError, match=f"'{integrator}'.*'RK4', 'SemiImplicitEuler', 'RK3', 'velocity_level'"):
        mb.Simulation(falling_balls(), integrator=integrator, bounded=True)


def test_a_word_in_place_of_true_is_refused():
    with pytest.raises(InputError, match="bounded must be True or False, not 'yes'"):
        mb.Simulation(falling_balls(), integrator="RK4", step=1e-3, bounded="yes")


def test_what_is_iterated_in_each_evaluation_is_refused_by_name():
    system = mb.MultibodySystem("friction")
    matter = mb.MatterSubsystem(system)
    arm = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[1, 0, 0]), name="arm")
    mb.RigidJointFriction(arm, load=mb.BearingLoad(friction=0.1, radius=0.05), name="bearing")
    with pytest.raises(UnsupportedError, match="'arm'"):
        started(system, system.realize_topology(), "RK4", 1e-3)
