"""Simulation and Results: recorded values, unchanged objects, and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cli.models.model import apply_settings
from mobod.errors import (
    InputError,
    IntegrationError,
    StateError,
    UnknownNameError,
)
from mobod.runtime.integrators import METHODS
from mobod.system import Stage, Subsystem

STIFFNESS, MASS = 23.0, 1.7
COM = [0.2, -0.1, 0.3]
PROPERTIES = mb.MassProperties(MASS, COM, mb.Inertia.sphere(mass=MASS, radius=0.4).shifted(COM))


@pytest.fixture
def swing():
    """A mass on a spring, q = 0.6 at rest: q = 0.6 cos(w t). (system, state)"""
    system = mb.MultibodySystem("swing")
    matter = mb.MatterSubsystem(system)
    mass = mb.Slider(matter.ground, PROPERTIES, name="mass")
    mb.MobilityLinearSpring(mb.ForceSubsystem(system), mass, stiffness=STIFFNESS, name="spring")
    state = system.realize_topology()
    mass.set_q(state, 0.6)
    return system, state


@pytest.fixture
def tumbler():
    """A free body, turning. (system, state)"""
    system = mb.MultibodySystem("tumbler")
    matter = mb.MatterSubsystem(system)
    body = mb.Free(matter.ground, PROPERTIES, name="body")
    mb.MobilityForce(mb.ForceSubsystem(system), body, name="torque")
    state = system.realize_topology()
    body.set_u(state, [1.3, -0.6, 0.8, 0.5, -0.2, 0.9])
    return system, state


def exact(time):
    return 0.6 * np.cos(np.sqrt(STIFFNESS / MASS) * np.asarray(time))


# report times


@pytest.mark.parametrize(
    ("until", "every", "expected"),
    [
        (0.5, 0.1, [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        (0.25, 0.1, [0, 0.1, 0.2, 0.25]),
        (0.3, 0.1, [0, 0.1, 0.2, 0.3]),  # 3 * 0.1 is more than 0.3
        (0.2, 1.0, [0, 0.2]),
        (0.0, 0.1, [0]),
    ],
)
def test_reports_are_at_the_multiples_of_the_interval_and_at_the_end(swing, until, every, expected):
    system, state = swing
    results = mb.Simulation(system).run(state, until=until, report_every=every)
    assert_allclose(results.time, expected, rtol=1e-15)
    assert results.time[-1] == results.final_state.time == until
    assert len(results["mass.q"]) == len(expected)


def test_report_times_are_not_a_running_sum(swing):
    system, state = swing
    results = mb.Simulation(system).run(state, until=1.0, report_every=0.01)
    assert_array_equal(results.time[:-1], [k * 0.01 for k in range(100)])


def test_a_run_begins_at_the_time_of_the_state(swing):
    system, state = swing
    state.time = 2.5
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=3.0, report_every=0.25)
    assert_array_equal(results.time, [2.5, 2.75, 3.0])
    assert_allclose(results["mass.q"], exact(results.time - 2.5), atol=1e-7)  # 100 times the accuracy


def test_without_an_interval_each_step_is_reported(swing):
    system, state = swing
    results = mb.Simulation(system, accuracy=1e-6).run(state, until=1.0)
    assert len(results.time) == results.steps + 1
    assert (np.diff(results.time) > 0).all()
    assert (results.time[0], results.time[-1]) == (0, 1)
    assert results.evaluations >= results.steps


def test_reports_between_steps_are_as_accurate_as_the_steps(swing):
    """Dense output. The tolerance is 100 times the accuracy, for accumulated errors."""
    system, state = swing
    results = mb.Simulation(system, accuracy=1e-7).run(state, until=2.0, report_every=0.003)
    assert len(results.time) > 3 * results.steps
    assert_allclose(results["mass.q"], exact(results.time), atol=1e-5)


@pytest.mark.parametrize("integrator", METHODS)
def test_each_integrator_meets_the_accuracy(swing, integrator):
    system, state = swing
    results = mb.Simulation(system, accuracy=1e-6, integrator=integrator, backend="interpreted").run(state, until=1.0)
    assert (results.backend, results.integrator) == ("interpreted", integrator)
    assert_allclose(results["mass.q"][-1], exact(1.0), atol=1e-4)


def test_a_system_without_motion_can_be_run():
    system = mb.MultibodySystem("monument")
    matter = mb.MatterSubsystem(system)
    mb.Weld(matter.ground, PROPERTIES, X_PF=mb.Transform(p=[0.1, 0.2, 0.3]), name="statue")
    mb.Gravity(mb.ForceSubsystem(system), matter)
    results = mb.Simulation(system).run(system.realize_topology(), until=1.0, report_every=0.5)
    assert_array_equal(results.time, [0, 0.5, 1])
    assert_array_equal(results["statue.p_GB"], [[0.1, 0.2, 0.3]] * 3)


# States


def test_the_given_state_is_not_changed(tumbler):
    system, state = tumbler
    system.realize(state, Stage.REPORT)
    before = state.values.copy()
    mb.Simulation(system).run(state, until=0.5)
    assert_array_equal(state.values, before)
    assert state.stage == Stage.REPORT


def test_a_run_can_be_continued(tumbler):
    system, state = tumbler
    simulation = mb.Simulation(system, accuracy=1e-9)
    whole = simulation.run(state, until=1.0).final_state
    parts = simulation.run(simulation.run(state, until=0.4).final_state, until=1.0).final_state
    assert parts.time == 1
    assert_allclose(parts.y, whole.y, atol=1e-7)


def test_parameters_of_the_state_are_used_in_the_run(swing):
    system, state = swing
    (spring,) = system.subsystems[-1].elements
    spring.set_stiffness(state, 4 * STIFFNESS)
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=1.0, report_every=0.1)
    assert_allclose(results["mass.q"], exact(2 * results.time), atol=1e-7)
    assert_array_equal(results["spring.stiffness"], [4 * STIFFNESS] * 11)
    spring.disable(state)
    results = mb.Simulation(system).run(state, until=1.0)
    assert_allclose(results["mass.q"], 0.6, rtol=1e-15)


def test_a_state_of_another_system_is_refused(swing, tumbler):
    with pytest.raises(StateError, match="a State of System 'tumbler' was given to System 'swing'"):
        mb.Simulation(swing[0]).run(tumbler[1], until=1.0)


# results


def test_results_have_the_shapes_of_their_variables(tumbler):
    system, state = tumbler
    results = mb.Simulation(system, backend="interpreted").run(state, until=0.5, report_every=0.1)
    shapes = {
        "body.q": (6, 7),
        "body.u": (6, 6),
        "der(body.u)": (6, 6),
        "body.p_GB": (6, 3),
        "body.R_GB": (6, 9),
        "energy": (6,),
        "torque.force": (6,),
    }
    assert {name: results[name].shape for name in shapes} == shapes


def test_results_match_the_states_at_their_times(tumbler):
    system, state = tumbler
    results = mb.Simulation(system, backend="interpreted").run(state, until=0.5, report_every=0.25)
    again = state.copy()
    again.time, again.y = results.time[1], results.y[1]
    system.realize(again, Stage.ACCELERATION)
    body = system.matter.body("body")
    assert_array_equal(results["body.q"][1], body.q(again))
    assert_array_equal(results["body.R_GB"][1], body.X_GB(again).R.ravel())
    assert_array_equal(results["body.a_GB"][1], body.A_GB(again)[3:])
    assert_array_equal(results["energy"][1], system.energy(again))


def test_changing_results_does_not_change_the_run(swing):
    system, state = swing
    results = mb.Simulation(system, backend="interpreted").run(state, until=0.5, report_every=0.1)
    results["mass.q"][:] = 7.0
    results["energy"][:] = 7.0
    assert not (results["mass.q"] == 7).any()
    assert not (results["energy"] == 7).any()


def test_an_unknown_name_is_refused_with_the_nearest(swing):
    system, state = swing
    results = mb.Simulation(system, backend="interpreted").run(state, until=0.1)
    assert "mass.q" in results
    assert "mas.q" not in results
    with pytest.raises(UnknownNameError, match=r"no variable of System 'swing' is named 'mas\.q'\. Did you mean 'mass\.q'\?"):
        results["mas.q"]


def test_a_table_contains_the_named_variables_or_all_states_with_units(tumbler):
    system, state = tumbler
    results = mb.Simulation(system, backend="interpreted").run(state, until=0.5, report_every=0.1)
    assert list(results.table()) == ["body.q", "body.u"]
    table = results.table("energy", "body.p_GB")
    assert list(table) == ["energy", "body.p_GB"]
    assert table.units == {"energy": "J", "body.p_GB": "m"}


def test_a_csv_file_contains_every_number_exactly(tumbler, tmp_path):
    system, state = tumbler
    results = mb.Simulation(system, backend="interpreted").run(state, until=0.5, report_every=0.1)
    results.to_csv(tmp_path / "run.csv", "body.q", "energy")
    table = mb.Table.from_csv(tmp_path / "run.csv")
    assert_array_equal(table.time, results.time)
    assert_array_equal(table["body.q[3]"], results["body.q"][:, 2])
    assert_array_equal(table["energy"], results["energy"])


def test_progress_is_reported_until_the_end(swing):
    system, state = swing
    told = []
    mb.Simulation(system).run(state, until=2.0, progress=lambda time, until: told.append((time, until)))
    times = [time for time, _ in told]
    assert times == sorted(times)
    assert told[-1] == (2, 2)


# invalid arguments


@pytest.mark.parametrize("accuracy", [0.0, -1e-6, 1e-15, 0.2, np.nan, np.inf])
def test_an_accuracy_out_of_range_is_refused(swing, accuracy):
    with pytest.raises(InputError, match=r"the accuracy must be between 1e-14 and 0.1, not"):
        mb.Simulation(swing[0], accuracy=accuracy)


@pytest.mark.parametrize("until", [-0.1, np.nan, np.inf])
def test_an_end_out_of_range_is_refused(swing, until):
    with pytest.raises(InputError, match=rf"until must be finite and not before the start, 0 s, but it is {until!r}".replace("(", r"\(")):
        mb.Simulation(swing[0]).run(swing[1], until=until)


@pytest.mark.parametrize("every", [0.0, -0.1, np.nan, np.inf])
def test_a_report_interval_out_of_range_is_refused(swing, every):
    with pytest.raises(InputError, match="report_every must be positive, not"):
        mb.Simulation(swing[0]).run(swing[1], until=1.0, report_every=every)


@pytest.mark.parametrize("step", [0.0, -0.1, np.nan])
def test_a_step_bound_out_of_range_is_refused(swing, step):
    with pytest.raises(InputError, match="max_step must be positive, not"):
        mb.Simulation(swing[0], max_step=step)


def test_an_unknown_integrator_or_backend_is_refused_with_the_valid_names(swing):
    with pytest.raises(InputError, match=r"unknown integrator 'Euler'. Valid names: auto, RK23, RK45, DOP853, Rodas5P"):
        mb.Simulation(swing[0], integrator="Euler")
    with pytest.raises(InputError, match=r"unknown backend 'gpu'. Valid names: auto, compiled, interpreted"):
        mb.Simulation(swing[0], backend="gpu")


# failures during a run


class Hooked(Subsystem):
    """A force that only Python can compute: strength / q on the first speed."""

    strength = 0.0

    def __init__(self, system):
        super().__init__(system, "hooked")

    def realize_dynamics(self, state):
        slot = self.system.matter.tree(state.layout).slots.mobility_forces
        state.values[slot.offset] += self.strength / state.q[0]


def test_an_unbounded_force_stops_the_run_with_time_and_state(swing):
    """m q'' = -s / q from rest falls into q = 0 after sqrt(pi/2) q0 sqrt(m/s), where no step is small enough."""
    system, _ = swing
    hooked = Hooked(system)
    hooked.strength = -2.0
    state = system.realize_topology()
    system.subsystems[-2].elements[0].disable(state)
    state.q = [0.6]
    fall = np.sqrt(np.pi / 2) * 0.6 * np.sqrt(MASS / 2.0)
    with pytest.raises(
        IntegrationError, match=rf"the integration stopped at {fall:.3f}.* s: even a step of .* not accurate enough.*'mass\.[qu]'.*Rodas5P"
    ):
        mb.Simulation(system, accuracy=1e-8).run(state, until=2.0)


def test_overflow_stops_the_run_with_the_time(tumbler):
    system, state = tumbler
    (torque,) = system.subsystems[-1].elements
    torque.set_force(state, 1e170)
    with pytest.raises(IntegrationError, match=r"the integration stopped at .* s"):
        mb.Simulation(system).run(state, until=1.0)


@pytest.mark.parametrize("zero", [[0, 0, 0, 0, 1, 2, 3], np.zeros(7), [np.nan, 0, 0, 0, 1, 2, 3], [0, np.inf, 0, 0, 1, 2, 3]])
def test_a_quaternion_without_a_direction_is_refused_where_it_enters(tumbler, zero):
    """By the body, by the State, by name, in a run and in an ensemble, as a start value or on the way. Nothing is set."""
    system, state = tumbler
    body, whole = system.matter.body("body"), np.concatenate([zero, np.zeros(6)])
    before = state.copied_y()
    run = mb.Simulation(system, backend="interpreted").start(state)
    ensemble = mb.Ensemble(system, state, n=2, backend="interpreted")
    of_run, of_ensemble = run.state.y.copy(), ensemble.observations.copy()
    entries = {
        "body": lambda: body.set_q(state, zero),
        "default": lambda: body.set_default_q(zero),
        "State.q": lambda: setattr(state, "q", zero),
        "State.y": lambda: setattr(state, "y", whole),
        "name": lambda: system.set_value(state, "body.q", zero),
        "run": lambda: run.set("body.q", zero),
        "starts": lambda: mb.Ensemble(system, state, parameters={"body.q": [zero, before[:7]]}),
        "ensemble": lambda: ensemble.step(0.1, inputs={"body.q": [before[:7], zero]}),
        "reset": lambda: ensemble.reset([0], parameters={"body.q": [zero]}),
    }
    for enter in entries.values():
        with pytest.raises(InputError, match=r"quaternion is zero|finite"):
            enter()
    assert_array_equal(state.y, before)
    assert_array_equal(run.state.y, of_run)
    assert_array_equal(ensemble.observations, of_ensemble)


def test_entries_of_a_quaternion_that_are_set_one_by_one_must_not_all_be_zero(tumbler):
    system, state = tumbler
    system.set_value(state, "body.q[1]", 0.5)
    for entry in (2, 3, 4):
        system.set_value(state, f"body.q[{entry}]", 0.0)
    with pytest.raises(InputError, match=r"'body\.q\[1\]': the quaternion is zero, which is not a rotation"):
        system.set_value(state, "body.q[1]", 0.0)
    apply_settings(system, state, ["body.q[1]=0", "body.q[3]=2"])  # of a command: in any order
    assert_array_equal(system.matter.body("body").q(state)[:4], [0, 0, 2, 0])


def pulled_but_for(middle):
    """(system, state) of 2 kg under 1 N. The force is NaN for 0.02 s around the time `middle` (s)."""
    system = mb.MultibodySystem("gap")
    matter = mb.MatterSubsystem(system)
    mb.Slider(matter.ground, mb.MassProperties.point(2.0, [0, 0, 0]), name="slider")

    class Gap(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += 1.0 + 1e-30 * np.sqrt((state.time - middle) ** 2 - 0.01**2)

    Gap(mb.ForceSubsystem(system), name="gap")
    return system, system.realize_topology()


def test_reports_within_a_step_are_finite_if_its_ends_are():
    """DOP853 evaluates additional stages for its interpolation; here the force is NaN at one of them."""
    system, state = pulled_but_for(-5.0)
    times = mb.Simulation(system, backend="interpreted", max_step=1.0).run(state, until=9.0).time
    start = times[np.flatnonzero(np.abs(np.diff(times) - 1.0) < 1e-12)[0]]

    system, state = pulled_but_for(start + 0.2)
    results = mb.Simulation(system, backend="interpreted", max_step=1.0).run(state, until=9.0, report_every=0.35)
    assert_allclose(results["slider.q"], results.time**2 / 4, atol=1e-9)
