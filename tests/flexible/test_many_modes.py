"""Flexible bodies with many modes, whose matrices are multiplied and inverted by steps of the runtime instead of recorded code."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod import Stage
from mobod.errors import UnsupportedError
from mobod.flexible.interfaces import MassPoint
from mobod.laws.differences import rate_along_motion
from mobod.matter.dynamics.matrix_steps import MatrixProduct, SumInverse
from mobod.matter.tree import many_modes
from tests.equivalence.test_adjoints_of_sweeps import Transposed, procedures_of
from tests.flexible.bodies import SECTION, general_mass, random_frame, random_modal
from tests.flexible.frame_elements import beam

GRAVITY = [0.7, -9.3, 2.1]


def random_mesh(rng, n, interfaces):
    """Modal data with mass points, more than modes, whose inertia follows the deformation."""
    modal = random_modal(rng, n, interfaces)
    root = modal.interfaces["root"].X.p
    points = [
        MassPoint(
            rng.uniform(0.5, 1.5), np.zeros((3, 3)), root + 0.5 * rng.normal(size=3), np.concatenate([np.zeros((3, n)), shapes]), None
        )
        for shapes in rng.normal(size=(n + 7, 3, n)) / np.sqrt(n + 7)
    ]
    return replace(modal, points=tuple(points))


class ManyModesTree:
    """A flexible body with n modes on a pin, a rigid body and a second flexible body with half as many on its interfaces.

    between  called with the tree before it has a State
    """

    def __init__(self, n, inertia, seed=1, between=None):
        rng = np.random.default_rng(seed)
        self.system = mb.MultibodySystem("tree")
        self.matter = matter = mb.MatterSubsystem(self.system)
        mb.Gravity(mb.ForceSubsystem(self.system), matter, vector=GRAVITY)
        make = random_modal if inertia == "core" else random_mesh
        bodies = [
            mb.FlexibleBody(make(rng, k, names), damping_ratio=np.linspace(0.01, 0.1, k), inertia=inertia)
            for k, names in ((n, ["one", "other"]), (n // 2, ["end"]))
        ]
        self.base = mb.Pin(matter.ground, bodies[0], random_frame(rng), name="base")
        self.slider = mb.Slider(self.base.interface("one"), general_mass(rng), random_frame(rng), random_frame(rng), name="slider")
        self.arm = mb.Pin(self.base.interface("other"), bodies[1], random_frame(rng), name="arm")
        self.tip = mb.Weld(self.arm.interface("end"), general_mass(rng), random_frame(rng), name="tip")
        if between is not None:
            between(self)
        self.state = self.system.realize_topology()
        self.state.q = rng.normal(size=self.state.q.size) / np.sqrt(10 * n)
        self.state.u = rng.normal(size=self.state.u.size)
        self.rng = rng


def close(actual, expected, tolerance):
    assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


def numbers_of(n, inertia):
    """All that the operators and the derivatives of a tree give."""
    tree = ManyModesTree(n, inertia)
    matter, state, system = tree.matter, tree.state, tree.system
    system.realize(state, Stage.ACCELERATION)
    derivatives = mb.forward_dynamics_derivatives(system, state)
    return {
        "steps": sum(isinstance(call, (MatrixProduct, SumInverse)) for call in procedures_of(state)),
        "u_dot": state.u_dot.copy(),
        "M": matter.mass_matrix(state),
        "M^-1": matter.mass_matrix_inverse(state),
        "J": matter.system_jacobian(state),
        "bias": matter.bias_for_system_jacobian(state),
        "energies": [system.kinetic_energy(state), system.energy(state)],
        "momentum": matter.momentum_about_ground_origin(state),
        "reaction": tree.base.reaction_on_body_at_M(state),
        "forces": matter.inverse_dynamics(state, np.arange(float(state.u.size))),
        "accelerations": np.array([body.A_GB(state) for body in matter.bodies]),
        "by q": derivatives.by_q,
        "by u": derivatives.by_u,
    }


@pytest.mark.parametrize("inertia", ["core", "full"])
@pytest.mark.parametrize("n", [4, pytest.param(8, marks=pytest.mark.slow), pytest.param(12, marks=pytest.mark.slow)])
def test_steps_give_the_numbers_of_recorded_code(n, inertia, monkeypatch):
    recorded = numbers_of(n, inertia)
    monkeypatch.setattr(many_modes, "MOST_RECORDED", 0)
    by_steps = numbers_of(n, inertia)
    assert recorded.pop("steps") == 0
    assert by_steps.pop("steps") > 40
    for name, expected in recorded.items():
        assert_allclose(by_steps[name], expected, rtol=0, atol=1e-12 * np.abs(expected).max(), err_msg=name)


@pytest.fixture(scope="module", params=[(20, "core"), (26, "full")], ids=["core", "full"])
def tree(request):
    tree = ManyModesTree(*request.param)
    tree.system.realize(tree.state, Stage.ACCELERATION)
    return tree


def test_operators_agree_with_each_other(tree):
    matter, state, u_dot = tree.matter, tree.state, tree.state.u_dot
    M, J = matter.mass_matrix(state), matter.system_jacobian(state)
    close(M @ matter.mass_matrix_inverse(state), np.eye(len(M)), 1e-12)
    close(tree.system.kinetic_energy(state), state.u @ M @ state.u / 2, 1e-12)
    close(matter.inverse_dynamics(state, u_dot), np.zeros(len(M)), 1e-9)  # of elastic forces up to 1e3
    for body in matter.bodies:
        close(J[body.index] @ state.u, body.V_GB(state), 1e-12)
    F = tree.rng.normal(size=(matter.n_bodies, 6))
    close(matter.multiply_by_system_jacobian_transpose(state, F), np.einsum("bij,bi->j", J, F), 1e-12)


def test_the_rate_of_energy_is_the_power_of_damping(tree):
    s, lost = tree.state, 0.0
    for body in (tree.base, tree.arm):
        modal, rates = body.flexible.modal, body.eta_dot(s)
        ratios = np.linspace(0.01, 0.1, modal.n)
        lost += rates @ (modal.damping + np.diag(2 * ratios * np.sqrt(modal.stiffness))) @ rates
    close(rate_along_motion(tree.system, s, tree.system.energy), -lost, 1e-7)
    momentum = rate_along_motion(tree.system, s, tree.matter.momentum_about_ground_origin)
    weight = tree.matter.mass(s) * np.array(GRAVITY)
    F, p = tree.base.reaction_on_body_at_M(s), tree.base.X_GB(s).apply(tree.base.X_BM.p)
    of_reaction = np.concatenate([F[:3] + np.cross(p, F[3:]), F[3:]])
    close(of_reaction + np.concatenate([np.cross(tree.matter.mass_center(s), weight), weight]), momentum, 1e-7)


def test_tangents_are_derivatives(tree):
    """Along one direction of all coordinates and one of all speeds: central differences."""
    derivatives, d = mb.forward_dynamics_derivatives(tree.system, tree.state), 1e-5
    for name, matrix in (("q", derivatives.by_q), ("u", derivatives.by_u)):
        direction, found = tree.rng.normal(size=tree.state.q.size), []
        for sign in (1, -1):
            moved = tree.state.copy()
            setattr(moved, name, getattr(moved, name) + sign * d * direction)
            tree.system.realize(moved, Stage.ACCELERATION)
            found.append(moved.u_dot.copy())
        close((found[0] - found[1]) / (2 * d), matrix @ direction, 1e-6)


def test_adjoints_of_steps_are_transposed_tangents(tree):
    transposed, rng = Transposed(tree.state), np.random.default_rng(9)
    steps = procedures_of(tree.state)
    assert len(steps) > 40
    assert max(transposed.miss(step, rng) for step in steps) < 1e-13


def test_locked_modes_do_not_move(tree):
    state = tree.state.copy()
    tree.base.lock_modes(state)
    tree.system.realize(state, Stage.ACCELERATION)
    assert not tree.base.flexible.node.u_dot(state).any()
    known = tree.rng.normal(size=tree.base.flexible.modal.n)
    tree.base.unlock_modes(state)
    tree.base.flexible.node.lock_at(state, known, "acceleration")
    tree.system.realize(state, Stage.ACCELERATION)
    assert_allclose(tree.base.flexible.node.u_dot(state), known)
    missing = tree.matter.inverse_dynamics(state, state.u_dot)
    free = np.setdiff1d(np.arange(missing.size), 1 + np.arange(known.size))
    close(missing[free], np.zeros(free.size), 1e-9)


def add_rods(tree):
    mb.Rod(tree.arm.interface("end"), [0.1, 0.2, -0.1], tree.matter.ground, [1.0, 0.4, 0.2], 1.5, name="rod")
    mb.PointInPlane(tree.matter.ground, [0.2, 0.9, 0.4], 0.3, tree.tip, [0.1, -0.2, 0.3], name="plane")
    mb.ConstantSpeed(tree.base.flexible.node, 1, 0.4, name="speed of a mode")


def test_rows_through_interfaces_are_those_of_the_dense_matrices():
    tree = ManyModesTree(20, "core", between=add_rods)
    matter, state = tree.matter, tree.state
    tree.system.realize(state, Stage.ACCELERATION)
    G, M = matter.constraint_matrix(state), matter.mass_matrix(state)
    expected = G @ np.linalg.solve(M, G.T)
    assert_allclose(matter.projected_mass_matrix_inverse(state), expected, atol=1e-11 * np.abs(expected).max())
    close(matter.constraint_acceleration_errors(state), np.zeros(3), 1e-9)
    transposed, rng = Transposed(state), np.random.default_rng(9)
    assert max(transposed.miss(each, rng) for each in procedures_of(state)) < 1e-12


def test_all_ways_to_run_have_the_same_bits(tree):
    """Programs, compiled code and lanes."""
    states = []
    for k in range(3):
        state = tree.state.copy()
        state.u = 0.2 * tree.state.u * (1 + 0.1 * k)
        states.append(state)
    runs = [
        mb.Simulation(tree.system, accuracy=1e-6, backend=backend).run(states[0], until=0.02).final_state.y
        for backend in ("interpreted", "compiled")
    ]
    assert_array_equal(*runs)
    together = mb.Ensemble(tree.system, states, accuracy=1e-6).run(until=0.02)
    for member, state in zip(together.final_states, states, strict=True):
        alone = mb.Simulation(tree.system, accuracy=1e-6).run(state, until=0.02)
        assert_array_equal(member.y, alone.final_state.y)


def test_a_free_body_keeps_its_momentum():
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    rng = np.random.default_rng(3)
    modal = replace(random_mesh(rng, 24, ["end"]), damping=np.zeros((24, 24)))
    body = mb.Free(matter.ground, mb.FlexibleBody(modal, inertia="full"), name="body")
    mb.Weld(body.interface("end"), general_mass(rng), name="load")
    state = system.realize_topology()
    body.set_u(state, [2.0, -1.0, 1.5, 0.1, 0.2, -0.3])
    body.set_eta(state, 0.05 * rng.normal(size=24))
    body.set_eta_dot(state, 0.2 * rng.normal(size=24))
    final = mb.Simulation(system, accuracy=1e-11).run(state, until=0.2).final_state
    for each in (state, final):
        system.realize(each, Stage.VELOCITY)
    momenta = [matter.momentum_about_ground_origin(each) for each in (state, final)]
    assert_allclose(*momenta, rtol=0, atol=1e-11 * np.abs(momenta[0]).max())
    assert_allclose(system.energy(final), system.energy(state), rtol=1e-9)


def test_a_free_beam_has_the_frequencies_of_its_finite_elements():
    """30 of the 48 modes of eight elements, on a free joint."""
    M, K, nodes = beam(1.7, 8, **SECTION)
    modal = mb.ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 8}, inboard="start", modes=30)
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    mb.Free(matter.ground, mb.FlexibleBody(modal), name="beam")
    found = np.sort(system.modes(system.realize_topology()).frequencies_hz)[-30:]
    assert_allclose(found, modal.free_frequencies, rtol=1e-7)
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    expected = np.sqrt(squares[6:36]) / (2 * np.pi)
    assert_allclose(found[:11], expected[:11], rtol=1e-4)
    assert (found > expected * (1 - 1e-9)).all()  # fewer shapes are stiffer


def test_what_needs_recorded_code_or_has_too_many_modes_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(UnsupportedError, match="the modal data have 101 modes; a flexible body has at most 100"):
        mb.FlexibleBody(random_modal(rng, 101, ["end"]))
    modal = random_mesh(rng, 17, ["end"])
    curved = replace(modal, points=tuple(replace(each, second=np.zeros((3, 17, 17))) for each in modal.points))
    with pytest.raises(UnsupportedError, match="17 modes with shapes of second order; they are for at most 16 modes"):
        mb.FlexibleBody(curved, inertia="full", geometric_stiffening=True)
