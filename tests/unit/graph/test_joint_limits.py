"""Limits of joints in Systems built from lists are rigid, in both directions of a joint in the tree."""

from math import inf

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError, UnsupportedError
from mobod.forces import ForceSubsystem
from tests.unit.graph.test_builder import pendulum

BAR = mb.MassProperties(1.3, [0.4, 0.05, 0], mb.Inertia(np.diag([0.02, 0.3, 0.31])).shifted([0.4, 0.05, 0], mass=1.3))
END = mb.Transform(p=[0.8, 0, 0])


def fallen(system, until=3.0):
    """The final State, under gravity and some damping."""
    forces = ForceSubsystem(system, "field")
    mb.Gravity(forces, system.matter, down=[0, -1, 0], magnitude=9.8)
    mb.GlobalDamper(forces, system.matter, damping=0.7)
    results = mb.Simulation(system, accuracy=1e-8, backend="interpreted").run(system.realize_topology(), until=until)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    return results.final_state


def two_bars(limits, *, is_turned, **options):
    """A chain of two bars on Ground; the second joint's parent is the first bar or, if is_turned, the second bar."""
    builder = mb.MultibodyBuilder("bars")
    builder.add_body("one", BAR)
    builder.add_body("two", BAR)
    builder.add_joint("shoulder", mb.Pin, "ground", "one", limits=mb.CoordinateLimits(lower=-0.6, upper=inf))
    ends = ("two", "one", mb.Transform(), END) if is_turned else ("one", "two", END, mb.Transform())
    builder.add_joint("elbow", mb.Pin, *ends, limits=limits, **options)
    return builder


@pytest.mark.parametrize(
    ("is_turned", "lower", "upper", "rest"),
    [(False, -0.35, 2.0, -0.35), (True, -2.0, 0.35, 0.35)],  # turned around the coordinate is the opposite: it falls on the upper limit
)
def test_a_chain_falls_on_its_limits_also_with_a_reversed_joint(is_turned, lower, upper, rest):
    builder = two_bars(mb.CoordinateLimits(lower=lower, upper=upper, restitution=0.2), is_turned=is_turned)
    system = builder.build()
    elbow, shoulder = system.matter.body("elbow"), system.matter.body("shoulder")
    assert elbow.is_reversed == is_turned
    assert (elbow.limits[0].bounds(system.realize_topology()), shoulder.limits[0].bounds(system.realize_topology())) == (
        (lower, upper),
        (-0.6, inf),
    )

    state = fallen(system)

    assert_allclose(shoulder.q(state), [-0.6], atol=1e-9)  # what a run holds it to, with a margin
    assert_allclose(elbow.q(state), [rest], atol=1e-9)
    assert elbow.engaged(state).tolist() == [-np.sign(rest)]
    assert_allclose(np.abs(elbow.limit_force(state)), [1.3 * 9.8 * np.dot(BAR.com[:2], [np.cos(0.95), np.sin(0.95)])], rtol=1e-7)


def test_restitution_is_zero_by_default():
    system = two_bars(mb.CoordinateLimits(lower=-1, upper=1, restitution=0.4), is_turned=False).build()
    state = system.realize_topology()
    assert [system.matter.body(name).limits[0].restitution(state) for name in ("shoulder", "elbow")] == [0.0, 0.4]


@pytest.mark.parametrize(("lower", "upper", "start"), [(0.1, 2.0, 0.1), (-3.0, -0.2, -0.2), (-1.0, 1.0, 0.0)])
def test_a_joint_without_a_given_start_starts_at_its_nearest_limit(lower, upper, start):
    limits = mb.CoordinateLimits(lower=lower, upper=upper, stop_stiffness=10.0)
    assert two_bars(limits, is_turned=False).build().matter.body("elbow").default_q.tolist() == [start]
    for mode in ("stops", "ignore"):
        builder = mb.MultibodyBuilder()
        builder.add_body("one", BAR)
        builder.add_joint("pin", mb.Pin, "ground", "one", limits=limits)
        assert builder.build(limits=mode).matter.body("pin").default_q.tolist() == [0.0]


def test_a_given_start_outside_of_limits_is_an_error():
    limits = mb.CoordinateLimits(lower=0.1, upper=2.0)
    with pytest.raises(InputError, match=r"joint 'elbow': its default_q, -0.3 rad, is outside of its limits, from 0.1 to 2"):
        two_bars(limits, is_turned=False, default_q=-0.3).build()
    assert two_bars(limits, is_turned=False, default_q=0.3).build().matter.body("elbow").default_q.tolist() == [0.3]


def test_limits_of_some_coordinates_keep_their_numbers():
    builder = mb.MultibodyBuilder()
    builder.add_body("one", BAR)
    sides = [None, mb.CoordinateLimits(lower=-0.2, upper=0.4), mb.CoordinateLimits(lower=-inf, upper=1.5)]
    builder.add_joint("table", mb.Planar, "ground", "one", limits=sides)
    table = builder.build().matter.body("table")
    assert {number: each.body is table for number, each in table.limits.items()} == {1: True, 2: True}
    state = table.matter.system.realize_topology()
    assert [each.bounds(state) for each in table.limits.values()] == [(-0.2, 0.4), (-inf, 1.5)]


def test_unsupported_limits_are_refused_with_their_joint():
    builder = mb.MultibodyBuilder()
    builder.add_body("one", BAR)
    builder.add_joint("hip", mb.Ball, "ground", "one", limits=[None, mb.CoordinateLimits(lower=-0.2, upper=0.4), None, None])
    with pytest.raises(UnsupportedError, match=r"joint 'hip' cannot be limited.*Ball is not one of its speeds.*limits='ignore'"):
        builder.build()


def test_a_joint_that_closes_a_loop_with_a_split_body_is_limited():
    """A four-bar whose last joint stops it."""
    builder = mb.MultibodyBuilder("four_bar")
    for name, length in {"crank": 0.4, "coupler": 1.1, "rocker": 0.9}.items():
        center = [length / 2, 0, 0]
        builder.add_body(name, mb.MassProperties(1.0, center, mb.Inertia(np.diag([0.01, 0.1, 0.1])).shifted(center, mass=1.0)))
    at = [mb.Transform(p=[x, 0, 0]) for x in (0.4, 1.2, 1.1, 0.9)]
    builder.add_joint("motor", mb.Pin, "ground", "crank", default_q=0.7)
    builder.add_joint("elbow", mb.Pin, "crank", "coupler", at[0], default_q=0.1)
    builder.add_joint("bearing", mb.Pin, "ground", "rocker", at[1], default_q=1.7)
    limits = mb.CoordinateLimits(lower=0.85, upper=3.0)  # free of it, it would come to 0.8
    builder.add_joint("last", mb.Pin, "coupler", "rocker", at[2], at[3], default_q=0.9, limits=limits, must_be_loop_joint=True)
    system = builder.build()
    mb.Gravity(ForceSubsystem(system, "field"), system.matter, down=[0, -1, 0], magnitude=9.8)
    mb.GlobalDamper(ForceSubsystem(system, "damping"), system.matter, damping=0.5)
    state = mb.Assembler(system, accuracy=1e-10).assemble(system.realize_topology())

    results = mb.Simulation(system, accuracy=1e-6, backend="interpreted").run(state, until=0.5, report_every=0.05)

    final = results.final_state
    system.realize(final, mb.Stage.ACCELERATION)
    assert [event.name for event in results.events] == ["last.lower_limit"]
    assert results["last.q"].min() > 0.85 - 1e-5  # ten times the accuracy, to which constraints hold
    assert results["last.q"][-1] < results["last.q"][0]
    assert np.abs(system.matter.constraint_position_errors(final)[:6]).max() < 1e-5


def test_limits_can_be_elastic_stops():
    system = pendulum(mb.CoordinateLimits(lower=-0.3, upper=0.5, stop_stiffness=400.0)).build(limits="stops")
    state = system.realize_topology()
    pin = system.matter.body("pin")
    for q, torque in ((0.1, 0.0), (0.6, -40.0), (-0.35, 20.0)):
        pin.set_q(state, q)
        system.realize(state, mb.Stage.ACCELERATION)
        assert_allclose(pin.u_dot(state), torque / (1.5 * 0.7**2), atol=1e-12)
    assert "pin_stop.q_high" in {variable.name for variable in system.variables(state)}


def test_stops_without_a_stiffness_are_refused_unless_limits_are_ignored():
    builder = pendulum(mb.CoordinateLimits(lower=-inf, upper=0.5))
    with pytest.raises(UnsupportedError, match=r"'pin' has limits from -inf to 0.5 rad.*stop_stiffness.*limits='ignore'"):
        builder.build(limits="stops")
    assert builder.build(limits="ignore").matter.constraints == []
    assert [subsystem.name for subsystem in builder.build(limits="ignore").subsystems if "stop" in subsystem.name] == []
