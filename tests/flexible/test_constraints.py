"""Constraints, limits and contacts through the interfaces of flexible bodies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from mobod.laws.differences import rate_along_motion
from tests.equivalence.test_adjoints_of_sweeps import Transposed, procedures_of
from tests.flexible.bodies import beam_modal
from tests.flexible.flexible_tree import Tree

ROUND_OFF = 1e-10  # as in the laws of constraints: the rows' condition is up to 1e3


class Loop(Tree):
    """The tree with rows on interfaces, on what they carry, and on modal coordinates."""

    def add(self):
        matter = self.matter
        self.rod = mb.Rod(self.arm.interface("end"), [0.1, 0.2, -0.1], matter.ground, [1.0, 0.4, 0.2], 1.5, name="rod")
        self.ball = mb.PointInPlane(matter.ground, [0.2, 0.9, 0.4], 0.3, self.tip, [0.1, -0.2, 0.3], name="plane")
        self.coupler = mb.ConstantSpeed(self.base.flexible.node, 1, 0.4, name="speed of a mode")


@pytest.fixture(scope="module")
def loop():
    loop = Loop(2, between=Loop.add)
    loop.system.realize(loop.state, Stage.ACCELERATION)
    return loop


def close(actual, expected, tolerance=ROUND_OFF):
    assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


def test_the_elimination_gives_the_products_of_the_dense_matrices(loop):
    matter, state = loop.matter, loop.state
    G = matter.constraint_matrix(state)
    assert np.abs(G[:, 1:4]).max() > 0.1
    assert np.abs(G[:, 6:8]).max() > 0.01
    close(matter.projected_mass_matrix_inverse(state), G @ np.linalg.solve(matter.mass_matrix(state), G.T))


def test_the_constraint_matrix_is_the_derivative_of_velocity_errors(loop):
    matter, state = loop.matter, loop.state
    errors = matter.constraint_velocity_errors(state)
    close(matter.constraint_matrix(state) @ state.u, errors + np.array([0, 0, 0.4]))
    rates = rate_along_motion(loop.system, state, matter.constraint_position_errors)
    close(rates, errors[:2], 1e-8)


def test_accelerations_satisfy_the_constraints(loop):
    matter, state = loop.matter, loop.state
    assert np.abs(matter.multipliers(state)).min() > 1e-2
    close(matter.constraint_acceleration_errors(state), np.zeros(3))
    forces = matter.mass_matrix(state) @ state.u_dot + matter.constraint_matrix(state).T @ matter.multipliers(state)
    free = Tree(2)
    free.state.q, free.state.u = state.q, state.u
    free.system.realize(free.state, Stage.ACCELERATION)
    close(forces, free.matter.mass_matrix(free.state) @ free.state.u_dot)


def test_tangents_of_the_rows_are_derivatives(loop):
    found = mb.forward_dynamics_derivatives(loop.system, loop.state)
    d = 1e-5
    for k in range(loop.state.q.size):
        values = []
        for sign in (1, -1):
            moved = loop.state.copy()
            q = loop.state.q.copy()
            q[k] += sign * d
            moved.q = q
            loop.system.realize(moved, Stage.ACCELERATION)
            values.append(moved.u_dot.copy())
        close(found.by_q[:, k], (values[0] - values[1]) / (2 * d), 1e-6)  # central differences


def test_adjoints_are_transposed_tangents(loop):
    transposed, rng = Transposed(loop.state), np.random.default_rng(9)
    calls = [call for sweep in loop.state.layout.sweeps.values() for call in sweep.calls]
    modal = [call for call in calls if call in procedures_of(loop.state) or "modal" in call.kind.name or "interface" in call.kind.name]
    assert len(modal) > 20
    for call in modal:
        assert transposed.miss(call, rng) < 1e-13


def drop(make_touching):
    """A beam clamped at its start, horizontal, with gravity; what touches at its end is added by the function."""
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    beam = mb.Weld(matter.ground, mb.FlexibleBody(beam_modal(modes=4, elements=4), damping_ratio=0.1), name="beam")
    touching = make_touching(matter, beam)
    return system, beam, touching, system.realize_topology()


def test_a_beam_that_falls_on_a_stop_rests_on_it():
    """The end is stopped above its static deflection: at rest the stop carries the rest of the load."""

    def stop(matter, beam):
        shapes = matter.ground, mb.contact.HalfSpace(), beam.interface("end"), mb.contact.Sphere(0.01)
        return mb.RigidContact(*shapes, X_B1S1=mb.Transform(p=[0, 0, -0.002 - 0.01]), name="stop")

    system, beam, _contact, state = drop(stop)
    results = mb.Simulation(system, accuracy=1e-6).run(state, until=3.0)
    final = results.final_state
    system.realize(final, Stage.ACCELERATION)
    assert_allclose(beam.interface("end").deflection(final)[5], -0.002, atol=1e-6)
    shapes = beam.flexible.modal.interfaces["end"].shapes
    free = drop(lambda matter, beam: None)
    mb.deflect_at_rest(free[0], free[3])
    sag = free[1].interface("end").deflection(free[3])[5]
    force = (-0.002 - sag) / (shapes[5] ** 2 / beam.flexible.modal.stiffness).sum()
    assert sag < -0.002
    assert_allclose(-beam.reaction_on_body_at_M(final)[5], force - beam.flexible.modal.total_mass * 9.81, rtol=1e-4)
