"""Constraints that the joints already satisfy change no impact with friction."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import Box, HalfSpace
from mobod.spatial import Transform, rotation_x

N, P = np.array([0.6, 0.0, 0.8]), np.array([0.1, 0.2, 0.3])  # normal of a plane of the body, and the point that is welded to it, m


def thrown_box(kind):
    """A box with a ball that is welded to it, and a constraint between both, which the weld satisfies up to round-off."""
    system = mb.MultibodySystem("thrown box")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    com = np.array([0.02, -0.05, 0.1])
    inertia = mb.Inertia.box(mass=1.3, size=[0.4, 0.3, 0.2]).shifted(com)
    box = mb.Free(matter.ground, mb.MassProperties(1.3, com, inertia), name="box")
    ball = mb.MassProperties(0.7, [0, 0, 0], mb.Inertia.sphere(mass=0.7, radius=0.1))
    ball = mb.Weld(box, ball, X_PF=Transform(rotation_x(0.7), P), name="ball")
    mb.RigidContact(matter.ground, HalfSpace(), box, Box((0.2, 0.15, 0.1)), static_friction=0.6, restitution=0.2, name="floor")
    if kind == "position":
        mb.PointInPlane(box, N, N @ P, ball, [0, 0, 0], name="held")
    elif kind == "velocity":
        mb.NoSlip1D(box, P, N, ball, box, name="held")
    state = system.realize_topology()
    q = np.array([0.9, 0.3, -0.2, 0.245])
    box.set_q(state, [*q / np.linalg.norm(q), 0, 0, 0.5])
    box.set_u(state, [1.0, -2.0, 0.5, 0.7, -0.4, -0.3])
    return system, state


@pytest.mark.parametrize("kind", ["position", "velocity"])
def test_a_satisfied_constraint_changes_no_impact_with_friction(kind):
    free, held = (mb.Simulation(*thrown[:1], backend="interpreted").run(thrown[1], 0.25) for thrown in map(thrown_box, ("none", kind)))
    assert free.events  # it has hit the floor
    assert_allclose(held.final_state.y, free.final_state.y, atol=1e-6)  # ten times the accuracy


@pytest.mark.parametrize("metre", [1.0, 1e3, 1e-3], ids=["m", "mm", "km"])
@pytest.mark.parametrize(("angle", "holds"), [(1e-11, True), (0.0, False)])
def test_a_rod_at_its_dead_point_is_a_row_of_round_off_in_all_units_or_in_none(angle, holds, metre):
    """A rod through the axis of a pin holds nothing; one that passes it at 2e-12 m holds the pin with a large force."""
    system = mb.MultibodySystem("dead point")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81 * metre)
    com, mass = np.array([0.2, -0.1, 0.05]), 1.3
    inertia = np.diag([0.2, 0.3, 0.4])
    crank = mb.Pin(matter.ground, mb.MassProperties(mass, com * metre, inertia * metre**2), name="crank")
    along, turned = np.array([np.cos(0.4), np.sin(0.4), 0]), np.array([np.cos(0.4 + angle), np.sin(0.4 + angle), 0])
    mb.Rod(crank, 0.3 * metre * along, matter.ground, -0.5 * metre * turned, 0.8 * metre, name="rod")
    state = system.realize_topology()
    system.realize(state, mb.Stage.ACCELERATION)

    falls = -mass * 9.81 * com[0] / inertia[2, 2]  # rad/s^2
    assert_allclose(state.u_dot, [0.0 if holds else falls], atol=1e-9 * abs(falls))
    assert np.any(system.matter.constraint_matrix(state)) == holds
