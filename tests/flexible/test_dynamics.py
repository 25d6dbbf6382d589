"""Forward dynamics of trees with flexible bodies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import Stage
from mobod.laws.differences import rate_along_motion
from tests.flexible.bodies import beam_modal, general_mass, random_frame, random_modal
from tests.flexible.flexible_tree import GRAVITY, Tree

ROUND_OFF = 1e-11  # as in tests/laws/test_operators.py
DIFFERENCES = 1e-8  # of 6th order with steps of 2e-3 s, at frequencies up to 30 1/s


@pytest.fixture(
    scope="module",
    params=[(0, 1), (1, -1), (2, 1, None, "straight"), (3, -1, None, "curved")],
    ids=["tree 0", "tree 1, reversed", "points", "curved"],
)
def tree(request):
    tree = Tree(*request.param)
    tree.system.realize(tree.state, Stage.ACCELERATION)
    return tree


def test_accelerations_match_mass_points(tree):
    """Differences of 6th order: 1e-10 of the largest."""
    expected = tree.points().u_dot(tree.state.q, tree.state.u)
    assert_allclose(tree.state.u_dot, expected, rtol=0, atol=3e-10 * np.abs(expected).max())


def test_the_mass_matrix_matches_mass_points(tree):
    """Complex steps: round-off."""
    expected = tree.points().mass_matrix(tree.state.q)
    assert_allclose(tree.matter.mass_matrix(tree.state), expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_interfaces_have_the_poses_of_their_shapes(tree):
    tree.positions(tree.state.q)
    for name, (R, p) in tree.poses.items():
        X = tree.matter.body(name).X_GB(tree.state)
        assert_allclose(X.R, R, atol=1e-14)
        assert_allclose(X.p, p, atol=1e-14)


def close(actual, expected, tolerance=ROUND_OFF):
    assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


# operators


def test_the_inverse_of_the_mass_matrix_is_its_inverse(tree):
    close(tree.matter.mass_matrix(tree.state) @ tree.matter.mass_matrix_inverse(tree.state), np.eye(8), 1e-12)


def test_inverse_dynamics_needs_no_forces_for_the_accelerations(tree):
    close(tree.matter.inverse_dynamics(tree.state, tree.state.u_dot), np.zeros(8))
    u_dot = np.arange(8.0) - 3
    expected = tree.matter.mass_matrix(tree.state) @ (u_dot - tree.state.u_dot)
    close(tree.matter.inverse_dynamics(tree.state, u_dot), expected)


def test_the_jacobian_gives_velocities_and_accelerations(tree):
    matter, state = tree.matter, tree.state
    J, bias = matter.system_jacobian(state), matter.bias_for_system_jacobian(state)
    for body in matter.bodies:
        close(J[body.index] @ state.u, body.V_GB(state))
        close(J[body.index] @ state.u_dot + bias[body.index], body.A_GB(state))
    F = np.random.default_rng(3).normal(size=(matter.n_bodies, 6))
    close(matter.multiply_by_system_jacobian_transpose(state, F), np.einsum("bij,bi->j", J, F))


def test_velocities_and_accelerations_are_rates(tree):
    for name in ("base.one", "base.mean_axes", "arm.end", "tip"):
        body = tree.matter.body(name)
        close(rate_along_motion(tree.system, tree.state, lambda s, b=body: b.X_GB(s).p), body.V_GB(tree.state)[3:], DIFFERENCES)
        close(rate_along_motion(tree.system, tree.state, body.V_GB), body.A_GB(tree.state), DIFFERENCES)


def test_velocities_across_interfaces_are_those_of_their_bodies(tree):
    end, arm = tree.arm.interface("end"), tree.arm
    close(np.concatenate([end.X_FM(tree.state).R @ np.eye(3)[0], end.X_FM(tree.state).p])[:3], end.X_AB(tree.state, arm).R[:, 0])
    relative = rate_along_motion(tree.system, tree.state, lambda s: end.X_FM(s).p)
    close(end.V_FM(tree.state)[3:], relative, DIFFERENCES)


# energy and momentum


def test_the_rate_of_energy_is_what_damping_takes(tree):
    s = tree.state
    lost = sum(s_dot @ D @ s_dot for D, s_dot in ((tree.points().damping, s.u),))
    assert lost > 1
    close(rate_along_motion(tree.system, s, tree.system.energy), -lost, DIFFERENCES * 10)


def test_kinetic_energy_is_that_of_the_mass_matrix(tree):
    close(tree.system.kinetic_energy(tree.state), tree.state.u @ tree.matter.mass_matrix(tree.state) @ tree.state.u / 2)


def test_elastic_energy_is_that_of_the_modes(tree):
    eta = tree.base.eta(tree.state)
    close(tree.base.elastic_energy(tree.state), tree.modal[0].stiffness @ eta**2 / 2)


def test_mass_center_and_momentum_match_mass_points(tree):
    points, matter, state = tree.points(), tree.matter, tree.state
    masses, J = points.masses(state.q).reshape(-1, 3)[:, 0], points.jacobian(state.q)
    p, v = np.concatenate([p for p, _ in tree.positions(state.q)]), (state.u @ J).reshape(-1, 3)
    close(matter.mass(state), masses.sum())
    close(matter.mass_center(state), masses @ p / masses.sum())
    close(matter.mass_center_velocity(state), masses @ v / masses.sum())
    close(matter.momentum_about_ground_origin(state), np.concatenate([masses @ np.cross(p, v), masses @ v]))


def test_reactions_balance_the_rate_of_momentum(tree):
    matter, state = tree.matter, tree.state
    rate = rate_along_motion(tree.system, state, matter.momentum_about_ground_origin)
    weight = matter.mass(state) * GRAVITY
    F, p = tree.base.reaction_on_body_at_M(state), tree.base.X_GB(state).apply(tree.base.X_BM.p)
    of_reaction = np.concatenate([F[:3] + np.cross(p, F[3:]), F[3:]])
    close(of_reaction + np.concatenate([np.cross(matter.mass_center(state), weight), weight]), rate, DIFFERENCES)
    close(matter.mass_center_acceleration(state), rate[3:] / matter.mass(state), DIFFERENCES)


def test_mass_properties_follow_the_deformation(tree):
    state, body = tree.state, tree.base
    modal, core = tree.modal[0], body.flexible.core
    assert_allclose(body.mass_properties(state).mass, sum(p.mass for p in modal.points) or modal.mass_properties.mass)
    close(body.mass_center_location_in_ground(state), core.X_GB(state).p)
    composite = tree.matter.composite_body_inertias(state)[0]
    close(composite[3:, 3:], tree.matter.mass(state) * np.eye(3))


# special cases


def test_a_free_body_deforms_in_gravity_as_without():
    """The equivalence principle: uniform gravity accelerates a free body and all its points alike."""
    rng = np.random.default_rng(8)
    modal, rates = random_modal(rng, 4, ["end"]), []
    q, u = rng.normal(size=11) * 0.3, rng.normal(size=10)
    q[:4] = [0.5, -0.5, 0.1, 0.7]
    for strength in (0.0, 9.81):
        system = mb.MultibodySystem()
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.3, -0.4, 0.5], magnitude=strength)
        body = mb.Free(matter.ground, mb.FlexibleBody(modal), name="body")
        state = system.realize_topology()
        state.q, state.u = q, u
        system.realize(state, Stage.ACCELERATION)
        rates.append(body.flexible.node.u_dot(state).copy())
    assert_allclose(*rates, rtol=0, atol=1e-12 * np.abs(rates[0]).max())


def rigid_and_flexible(flexible, rigid, X_BN):
    """The accelerations of a pin with the body and a child on its interface, for both."""
    result = []
    for body in (flexible, rigid):
        rng = np.random.default_rng(5)
        system = mb.MultibodySystem()
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, vector=GRAVITY)
        X_PF, mass, X_PF_child = random_frame(rng), general_mass(rng), random_frame(rng)
        root = flexible.modal.interfaces["root"].X
        base = mb.Universal(matter.ground, body, X_PF, root, name="base")
        on_interface = body is flexible
        X_child = X_PF_child if on_interface else X_BN @ X_PF_child
        child = mb.Ball(base.interface("end") if on_interface else base, mass, X_child, name="child")
        state = system.realize_topology()
        base.set_q(state, [0.4, -0.7])
        base.set_u(state, [1.1, -0.6])
        child.set_u(state, [0.3, 0.5, -0.9])
        if on_interface and flexible.modal.n:
            base.lock_modes(state)
        system.realize(state, Stage.ACCELERATION)
        result.append(np.concatenate([base.u_dot(state), child.u_dot(state), base.reaction_on_body_at_M(state)]))
    return result


@pytest.mark.parametrize("n", [0, 3], ids=["without modes", "with locked modes"])
def test_a_flexible_body_whose_modes_do_not_move_is_rigid(n):
    modal = random_modal(np.random.default_rng(4), n, ["end"])
    one, other = rigid_and_flexible(mb.FlexibleBody(modal), mb.RigidBody(modal.mass_properties), modal.interfaces["end"].X)
    assert_allclose(one, other, rtol=0, atol=1e-13 * np.abs(other).max())


def test_locked_modes_keep_their_deformation_and_unlock():
    rng = np.random.default_rng(6)
    modal = random_modal(rng, 3, ["end"])
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    body = mb.Pin(matter.ground, mb.FlexibleBody(modal), name="body")
    state = system.realize_topology()
    body.set_eta(state, [0.1, -0.2, 0.3])
    body.set_eta_dot(state, [1.0, 2.0, 3.0])
    body.set_u(state, 0.8)
    body.lock_modes(state)
    system.realize(state, Stage.ACCELERATION)
    assert_allclose(body.eta(state), [0.1, -0.2, 0.3])
    assert not body.eta_dot(state).any()
    assert not body.flexible.node.u_dot(state).any()
    assert body.q_dot(state) == 0.8
    body.unlock_modes(state)
    system.realize(state, Stage.ACCELERATION)
    assert np.abs(body.flexible.node.u_dot(state)).max() > 1


def test_the_free_frequencies_do_not_depend_on_the_inboard_interface():
    """Linearised: those of the free body, of the whole set of shapes, from either end."""
    found = [beam_modal(modes=None, elements=4, inboard=end).free_frequencies for end in ("start", "end")]
    assert_allclose(*found, rtol=1e-9)
