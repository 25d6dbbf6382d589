"""What is computed within a step for witnesses: what they read, and nothing else."""

import numpy as np
import pytest

import mobod as mb
from mobod.compilation.model_source import generate
from mobod.compilation.native import NativeModel
from mobod.compilation.witness_sweeps import is_linear
from mobod.scalar.slot import Slot

STAGES = [mb.Stage.TIME, mb.Stage.POSITION, mb.Stage.VELOCITY, mb.Stage.DYNAMICS, mb.Stage.ACCELERATION]
N_STAGES = len(mb.Stage)


def chain(witness, stage="acceleration"):
    """A System of three pins and a slider, and its State; witness(state, bodies) is looked at."""
    system = mb.MultibodySystem("chain")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    bodies, parent = [], matter.ground
    for i, kind in enumerate([mb.Pin, mb.Pin, mb.Pin, mb.Slider, mb.Ball]):
        parent = kind(parent, mb.MassProperties.point(1.0, [0, -0.5, 0.1]), mb.Transform(p=[0, -1, 0]), name=f"body{i}")
        bodies.append(parent)
    mb.TriggeredEventHandler.of(system, lambda state: witness(state, bodies), lambda state, actions: None, stage=stage, name="event")
    state = system.realize_topology()
    state.u = np.linspace(0.3, 1.1, len(state.u))
    return system, state


def rows(sweeps, first):
    """At each stage the number of rows of what lies from `first` on in a table of sweeps."""
    return [sweeps[first + stage].n_rows if sweeps[first + stage] else 0 for stage in STAGES]


@pytest.mark.parametrize(
    ("witness", "expected"),
    [
        (lambda state, bodies: bodies[2].q(state)[0] - 9.0, [0, 0, 0, 0, 0]),
        (lambda state, bodies: bodies[0].X_GB(state).p[1] - 9.0, [0, 2, 0, 0, 0]),
        (lambda state, bodies: bodies[1].X_GB(state).p[1] - 9.0, [0, 3, 0, 0, 0]),
        (lambda state, bodies: bodies[1].V_GB(state)[4] - 9.0, [0, 2, 3, 0, 0]),
    ],
)
def test_only_rows_that_a_witness_depends_on_are_done(witness, expected):
    system, state = chain(witness)
    model = NativeModel(generate(system, state), "interpreted")
    events = model.table.events

    assert rows(events.before_one, 0) == expected
    assert rows(events.before_witnesses, mb.Stage.ACCELERATION * N_STAGES) == expected
    assert sum(rows(model.table.sweeps, 0)) > 20


@pytest.mark.parametrize(
    ("witness", "expected"),
    [
        (lambda state, bodies: 2.0 * bodies[2].q(state)[0] - bodies[1].u(state)[0] + state.time - 9.0, True),
        (lambda state, bodies: bodies[2].q(state)[0] ** 2 - 9.0, False),
        (lambda state, bodies: abs(bodies[2].q(state)[0]) - 9.0, False),
        (lambda state, bodies: bodies[2].q(state)[0] * bodies[0].u(state)[0] - 9.0, False),
        (lambda state, bodies: bodies[0].X_GB(state).p[1] - 9.0, False),
        (lambda state, bodies: bodies[4].q(state)[1] - 9.0, False),  # of a quaternion, which is normalised
    ],
)
def test_a_witness_is_linear_if_its_rate_does_not_depend_on_what_changes(witness, expected):
    system, state = chain(witness)
    (row,) = system.events.table(state.layout).witnesses.rows
    assert is_linear(row, state.layout) is expected


def test_what_a_parameter_multiplies_is_linear():
    system, state = chain(lambda state, bodies: state.system.value(state, "gravity.magnitude") * bodies[0].q(state)[0] - 99.0)
    (row,) = system.events.table(state.layout).witnesses.rows
    assert Slot(state.layout.q.offset, (1,)) in row.inputs
    assert is_linear(row, state.layout)


@pytest.mark.parametrize("limit", [0.4, 0.5 - 1e-9, 0.5 + 1e-9, 0.6])
def test_a_linear_witness_is_seen_where_its_extremum_just_crosses_zero(limit):
    """The slider moves as 0.5 sin(t), whatever the steps."""
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
