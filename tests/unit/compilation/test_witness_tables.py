"""The values computed within a step for witnesses: only those that witnesses read."""

import numpy as np
import pytest

import mobod as mb
from mobod.compilation.calls.liveness import LiveCall, live_sweeps, read_by
from mobod.compilation.calls.witness_sweeps import WitnessSweeps, shared_sums
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.native.native_run import open_native
from mobod.compilation.source.model_source import generate, start_values
from mobod.simulate.projection import project_start
from mobod.system.stage_sweeps import stage_sweeps
from tests.laws.limited_mechanisms import limited_tree

STAGES = [mb.Stage.TIME, mb.Stage.POSITION, mb.Stage.VELOCITY, mb.Stage.DYNAMICS, mb.Stage.ACCELERATION]
N_STAGES = len(mb.Stage)


def chain(witness, stage="acceleration", *, recordable=True):
    """A System of three pins and a slider, and its State; a run observes witness(state, bodies)."""
    system = mb.MultibodySystem("chain")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    bodies, parent = [], matter.ground
    for i, kind in enumerate([mb.Pin, mb.Pin, mb.Pin, mb.Slider, mb.Ball]):
        parent = kind(parent, mb.MassProperties(1.0, [0, -0.5, 0.1], np.diag([0.5, 0.3, 0.4])), mb.Transform(p=[0, -1, 0]), name=f"body{i}")
        bodies.append(parent)
    mb.TriggeredEventHandler.of(
        system, lambda state: witness(state, bodies), lambda state, actions: None, stage=stage, name="event", recordable=recordable
    )
    state = system.realize_topology()
    state.u = np.linspace(0.3, 1.1, len(state.u))
    return system, state


def calls(sweeps, first):
    """The number of calls at each stage, from `first` on in a table of sweeps."""
    return [sweeps[first + stage].n_calls if sweeps[first + stage] else 0 for stage in STAGES]


@pytest.mark.fast(1)
@pytest.mark.parametrize(
    ("witness", "expected"),
    [
        (lambda state, bodies: bodies[2].q(state)[0] - 9.0, [0, 0, 0, 0, 0]),
        (lambda state, bodies: bodies[0].X_GB(state).p[1] - 9.0, [0, 2, 0, 0, 0]),
        (lambda state, bodies: bodies[1].X_GB(state).p[1] - 9.0, [0, 3, 0, 0, 0]),
        (lambda state, bodies: bodies[1].V_GB(state)[4] - 9.0, [0, 2, 3, 0, 0]),
    ],
)
def test_only_calls_that_a_witness_needs_are_run(witness, expected):
    system, state = chain(witness)
    model = NativeModel(generate(system, state), "interpreted")
    events = model.table.events

    assert calls(events.before_one, 0) == expected
    assert calls(events.before_witnesses, mb.Stage.ACCELERATION * N_STAGES) == expected
    assert sum(calls(model.table.sweeps, 0)) > 20


@pytest.mark.fast(2)
@pytest.mark.parametrize(
    "make",
    [
        lambda: chain(lambda state, bodies: bodies[3].X_GB(state).p[1] - 9.0, "position"),
        lambda: chain(lambda state, bodies: bodies[3].V_GB(state)[4] - 99.0, "velocity"),
        lambda: chain(lambda state, bodies: bodies[1].A_GB(state)[4] - 9999.0, "acceleration"),
        lambda: limited_tree(2, with_rods=True),  # comes near a limit
    ],
)
def test_after_a_step_all_numbers_belong_to_its_end(make):
    system, state = make()
    project_start(system, state, 1e-8)
    model = NativeModel(generate(system, state), "interpreted")
    workspaces = [slot for handle, slot in state.layout.slots.items() if getattr(handle, "name", "") == "row_workspace"]
    compared = np.arange(model.table.scratch_at)  # behind it lie registers of programs
    compared = np.setdiff1d(compared, [offset for slot in workspaces for offset in slot.offsets])
    with open_native(model, start_values(state), 1e-6, constraint_tolerance=1e-8) as run:
        run.begin()
        for _ in range(12):
            _, times, *_ = run.run(1.0, report_times=None, most_steps=1, most_rows=1)
            after = run.values()
            run.rates(times[-1], after[state.layout.y.slice])  # realizes all stages
            np.testing.assert_array_equal(after[compared], run.values()[compared])


def test_sums_computed_for_a_witness_are_complete():
    system, _ = chain(lambda state, bodies: bodies[1].A_GB(state)[4] - 9999.0)
    forces, bodies = mb.ForceSubsystem(system, name="springs"), system.matter.bodies
    for a, b in [(0, 2), (1, 2), (0, 3)]:
        mb.TwoPointLinearSpring(forces, bodies[a], [0.1, 0, 0], bodies[b], [0, 0.2, 0], stiffness=3.0, rest_length=0.1)
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)
    sweeps = live_sweeps(stage_sweeps(system.realization_order, state.layout, []), state.layout.y_dot.offsets)
    sums = shared_sums(sweeps)
    assert sums

    def offsets(call):
        return {k for i in call.kind.live for k in call.call.outputs[i].offsets}

    of_witnesses = WitnessSweeps(sweeps)
    written = {stage: [(call, offsets(call)) for call in sweep.calls] for stage, sweep in sweeps.items()}
    for last, calls in written.items():
        for _, outputs in calls:
            needed = of_witnesses.before([min(outputs)], last)
            for each, all_calls in written.items():
                done = [id(call) for call in needed[each].calls] if each in needed else []
                begun = {k for call, outputs in all_calls if id(call) in done for k in outputs} & sums
                assert all(id(call) in done for call, outputs in all_calls if outputs & begun)


def contacts():
    """The live sweeps of two balls on a floor, one beside a limit of a chain, and the offsets of some of their values."""
    system, _ = limited_tree(1, with_rods=True)
    matter = system.matter
    for i in range(2):
        ball = mb.Free(matter.ground, mb.MassProperties(0.2, [0, 0, 0], mb.Inertia.sphere(mass=0.2, radius=0.1)), name=f"ball{i}")
        floor, shape = mb.contact.HalfSpace(), mb.contact.Sphere(0.1)
        mb.RigidContact(matter.ground, floor, ball, shape, static_friction=0.5, restitution=0.2, name=f"floor{i}")
    state = system.realize_topology()
    return live_sweeps(stage_sweeps(system.realization_order, state.layout, []), state.layout.y_dot.offsets)


def calls_backwards(sweeps, read, last):
    """The calls and clears up to `last` on which the offsets depend, by searches from the last one to the first."""
    sums, wanted = shared_sums(sweeps), set(read)
    while True:
        used, begun, needed = set(wanted), set(), {}
        for stage in sorted((each for each in sweeps if mb.Stage.TIME <= each <= last), reverse=True):
            found = []
            for call in reversed(sweeps[stage].calls):
                is_live = isinstance(call, LiveCall)
                adds = call.kind.adds if is_live else set()
                slots = {i: call.call.outputs[i] for i in call.kind.live} if is_live else dict(enumerate(call.outputs))
                written = {i: set(slot.offsets) for i, slot in slots.items()}
                if used.isdisjoint(set().union(*written.values())):
                    continue
                found.append(call)
                begun |= set().union(*written.values()) & sums
                used -= set().union(*(offsets for i, offsets in written.items() if i not in adds))
                used |= read_by(call)
            clears = [(first, count) for first, count in sweeps[stage].clears if not used.isdisjoint(range(first, first + count))]
            used -= {offset for first, count in clears for offset in range(first, first + count)}
            if found or clears:
                needed[stage] = (clears, [id(call) for call in reversed(found)])
        if begun <= wanted:
            return needed
        wanted |= begun


def test_calls_before_witnesses_are_those_of_a_search_backwards():
    sweeps, random = contacts(), np.random.default_rng(3)
    of_witnesses = WitnessSweeps(sweeps)
    written = [slot.offset for sweep in sweeps.values() for call in sweep.calls if isinstance(call, LiveCall) for slot in call.call.outputs]

    for last in STAGES[1:]:
        for read in ([], [10**9], *(random.choice(written, size=2) for _ in range(3))):
            found = of_witnesses.before(read, last)
            assert {stage: (part.clears, [id(call) for call in part.calls]) for stage, part in found.items()} == calls_backwards(
                sweeps, read, last
            )


def ball_on_a_floor():
    """A System of a ball that falls on a floor, slides and rolls, and its State."""
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    ball = mb.Free(matter.ground, mb.MassProperties(0.2, [0, 0, 0], mb.Inertia.sphere(mass=0.2, radius=0.1)), name="ball")
    mb.RigidContact(matter.ground, mb.contact.HalfSpace(), ball, mb.contact.Sphere(0.1), static_friction=0.5, restitution=0.2, name="floor")
    state = system.realize_topology()
    state.q, state.u = [1, 0, 0, 0, 0, 0, 0.11], [0.2, 0, 0, 1.3, 0.4, 0]
    return system, state


def indexed(state):
    return bool(state.layout.native["interpreted"].table.events.before_one)


def test_steps_at_velocity_level_need_no_index_of_witnesses():
    """Only a run that finds the times of events makes it, and then moves as if there had been no other run before."""
    system, state = ball_on_a_floor()
    mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted").run(state.copy(), until=0.01)
    assert not indexed(state)

    later = mb.Simulation(system, backend="interpreted").run(state.copy(), until=0.1)
    assert indexed(state)

    system, state = ball_on_a_floor()
    first = mb.Simulation(system, backend="interpreted").run(state.copy(), until=0.1)
    assert indexed(state)
    assert len(first.events) > 0
    assert [later.steps, len(later.events)] == [first.steps, len(first.events)]
    assert np.array_equal(later.y, first.y)


def test_a_witness_far_from_zero_is_called_four_times_a_step():
    """Once at the end of a step and three times within it; more often only near zero."""
    calls = []

    def witness(state, bodies):
        calls.append(state.time)
        return bodies[0].q(state)[0] - 99.0

    system, state = chain(witness, "position", recordable=False)
    results = mb.Simulation(system, integrator="RK45", backend="interpreted").run(state, until=1.0, report_every=1.0)

    assert results.steps > 20
    assert len(calls) < 5 * results.steps  # beside those of the steps, some at the start


@pytest.mark.fast(3)
@pytest.mark.parametrize("limit", [0.4, 0.5 - 1e-9, 0.5 + 1e-9, 0.6])
def test_a_witness_whose_extremum_just_crosses_zero_is_detected(limit):
    """The slider moves as 0.5 sin(t) for any steps."""
    system = mb.MultibodySystem("oscillator")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    body = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="body")
    mb.MobilityLinearSpring(forces, body, stiffness=1.0, name="spring")
    mb.TriggeredEventHandler.of(system, lambda s: body.q(s)[0] - limit, lambda s, a: None, stage="position", name="top")
    state = system.realize_topology()
    body.set_u(state, 0.5)

    results = mb.Simulation(system, accuracy=1e-12, backend="interpreted").run(state, until=3.0)

    times = results.event_times("top")
    if limit < 0.5:
        np.testing.assert_allclose(times, [np.arcsin(2 * limit), np.pi - np.arcsin(2 * limit)], atol=1e-6)
    else:
        assert len(times) == 0
