"""Walls of bricks in fixed steps at velocity level: statically indeterminate contacts, at rest and struck."""

import numpy as np
import pytest
from benchmarks.fixed_steps import wall
from numpy.testing import assert_allclose

import mobod as mb
from mobod.contact import HalfSpace, Sphere
from mobod.spatial import Transform


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "until"), [(5, 10.0), (11, 2.0)])
def test_bricks_of_a_wall_do_not_move(rows, until):
    """15 bricks, and 66: round-off of their places, of up to 2 m, is 4e-16 m; what each step leaves of the speeds does not add up."""
    system = wall(rows)
    start = system.realize_topology()

    final = _in_steps(system).run(start, until, report_every=until).final_state

    assert_allclose(final.q, start.q, rtol=0, atol=1e-14)


@pytest.mark.slow
def test_a_wall_that_a_ball_strikes_loses_energy_and_runs_on():
    """21 bricks; the one in the middle is pushed out, others slip, part and fall. Contacts have no restitution."""
    system = wall(6)
    brick = next(body for body in system.matter.bodies if body.name == "brick3_1")
    ball = mb.Free(system.matter.ground, mb.MassProperties(0.5, [0, 0, 0], mb.Inertia.sphere(mass=0.5, radius=0.05)), name="ball")
    front = Transform.of(np.array([[1, 0, 0], [0, 0, -1.0], [0, 1, 0]]), np.array([0, -0.05, 0]))
    for body, place in ((system.matter.ground, Transform()), (brick, front)):
        mb.RigidContact(body, HalfSpace(), ball, Sphere(0.05), X_B1S1=place, static_friction=0.6, dynamic_friction=0.5)
    start = system.realize_topology()
    ball.set_q(start, [1, 0, 0, 0, 0.53, -0.12, 0.35])
    ball.set_u(start, [0, 0, 0, 0, 2.0, 0])

    final = _in_steps(system).run(start, 0.4, report_every=0.4).final_state

    for state in (start, final):
        system.realize(state, mb.Stage.VELOCITY)
    assert system.energy(final) < system.energy(start)
    assert 0.01 < brick.q(final)[5] < 0.3  # m, how far it moved, with less than the speed of the ball


def _in_steps(system):
    return mb.Simulation(system, integrator="velocity_level", step=1e-3, backend="interpreted")
