"""The inertia that follows the deformation, of meshes, of reduced matrices with points, and of points with rotary inertia."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import mobod as mb
from mobod import Stage
from mobod.cosim import FmuFile
from mobod.errors import InputError, UnsupportedError
from mobod.flexible.deforming_mass import DeformingMass
from mobod.flexible.interfaces import MassPoint, checked_ties, elimination_of_rigid_nodes
from mobod.flexible.reduction import from_full
from tests.equivalence.test_adjoints_of_sweeps import Transposed
from tests.flexible import test_dynamics
from tests.flexible.bodies import SECTION
from tests.flexible.flexible_tree import Tree
from tests.flexible.frame_elements import beam
from tests.flexible.test_modal_data import Lattice
from tests.flexible.test_runs import TURNING
from tests.fmu.stepped import start, walk


def lattice(M=None, modes=6):
    """(ModalData of a mesh of point masses, the same by its points)."""
    solid = Lattice()
    M = solid.M if M is None else M
    interfaces = {"left": {"nodes": solid.left}, "right": {"nodes": solid.right}}
    modal = mb.ModalData.from_matrices(M, solid.K, solid.nodes, interfaces, inboard="left", modes=modes)
    shapes = from_full(M, solid.K, solid.nodes, interfaces, "left", None, modes, None).shapes.reshape(12, 3, modal.n)
    masses = np.diag(M)[::3]
    points = [
        MassPoint(m, np.zeros((3, 3)), p, np.concatenate([np.zeros((3, modal.n)), each]))
        for m, p, each in zip(masses, solid.nodes, shapes, strict=True)
    ]
    return modal, replace(modal, points=tuple(points), moments=None)


def test_the_inertia_of_a_mesh_is_the_sum_over_its_nodes():
    modal, by_points = lattice()
    one, other = (mb.FlexibleBody(each, inertia="full").deforming_mass(np.zeros(3)) for each in (modal, by_points))
    for actual, expected in zip(one.arrays, other.arrays, strict=True):
        assert_allclose(actual, expected, atol=1e-12 * max(1.0, np.abs(expected).max()))


def test_a_consistent_mass_matrix_is_not_lumped():
    """The traces of the second moments are the modal mass, their axial parts the coupling: both come from M itself."""
    rng = np.random.default_rng(4)
    L = np.tril(rng.uniform(0.0, 0.1, (12, 12))) + np.diag(rng.uniform(0.2, 0.5, 12))
    modal, _ = lattice(np.kron(L @ L.T, np.eye(3)))
    Ct = modal.coupling[3:]
    traces = np.trace(modal.moments.second, axis1=2, axis2=3)
    assert_allclose(traces, np.eye(modal.n) - Ct.T @ Ct / modal.total_mass, atol=1e-11)
    first = modal.moments.first
    axial = np.stack([first[:, 1, 2] - first[:, 2, 1], first[:, 2, 0] - first[:, 0, 2], first[:, 0, 1] - first[:, 1, 0]])
    assert_allclose(axial, modal.coupling[:3], atol=1e-11)


def test_a_mesh_with_full_inertia_moves_as_its_points_of_second_order():
    """The two kernels: sums over points as polynomials, and point by point with vanishing shapes of second order."""
    modal, by_points = lattice(modes=4)
    curved = replace(by_points, points=tuple(replace(p, second=np.zeros((3, modal.n, modal.n))) for p in by_points.points))
    found = []
    for each in (modal, curved):
        system = mb.MultibodySystem()
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, vector=[0.3, -9.0, 2.0])
        body = mb.Free(matter.ground, mb.FlexibleBody(each, inertia="full"), name="body")
        mb.Weld(body.interface("right"), mb.MassProperties.point(0.2, [0.1, 0.2, 0.1]), name="load")
        state = system.realize_topology()
        rng = np.random.default_rng(3)
        body.set_u(state, rng.normal(size=6))
        body.set_eta(state, 0.02 * rng.normal(size=modal.n))
        body.set_eta_dot(state, rng.normal(size=modal.n))
        system.realize(state, Stage.ACCELERATION)
        found.append((state.u_dot.copy(), system.kinetic_energy(state), matter.momentum_about_ground_origin(state)))
    for actual, expected in zip(*found, strict=True):
        assert_allclose(actual, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def reduced_lattice():
    """(M, K, interfaces, points) of the mesh: its end faces, and inner freedoms relative to their static shapes."""
    solid = Lattice()
    ties = checked_ties({"left": {"nodes": solid.left}, "right": {"nodes": solid.right}}, solid.nodes, 3, "left")
    S = elimination_of_rigid_nodes(ties, solid.nodes, 3)[0].toarray()
    S = np.hstack([S[:, 12:], S[:, :12]])
    K = S.T @ solid.K @ S
    T = np.eye(24)
    T[12:, :12] = -np.linalg.solve(K[12:, 12:], K[12:, :12])
    S = S @ T
    points = np.diag(solid.M)[::3], solid.nodes, S.reshape(12, 3, 24)
    return S.T @ solid.M @ S, S.T @ solid.K @ S, {tie.name: tie.X for tie in ties}, points


def test_reduced_matrices_with_points_have_the_inertia_of_the_mesh():
    M, K, interfaces, points = reduced_lattice()
    modal = mb.ModalData.from_reduced(M, K, interfaces, inboard="left", modes=4, points=points)
    # signs of shapes are free: compare sizes
    one, other = (mb.FlexibleBody(each, inertia="full").deforming_mass(np.zeros(3)) for each in (modal, lattice(modes=4)[0]))
    for actual, expected in zip(one.arrays[1:], other.arrays[1:], strict=True):
        assert_allclose(np.abs(actual), np.abs(expected), rtol=0, atol=1e-9 * max(np.abs(expected).max(), 1.0))
    with pytest.raises(UnsupportedError, match="needs ModalData with mass points, from a whole mesh"):
        mb.FlexibleBody(mb.ModalData.from_reduced(M, K, interfaces, inboard="left", modes=4), inertia="full")


def test_a_slender_mesh_with_rotations_is_refused():
    """Sums of rows are more than the consistent masses, and a bent line of points has next to no inertia of its own about it."""
    M, K, nodes = beam(1.7, 6, **SECTION)
    modal = mb.ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 6}, inboard="start", modes=4)
    with pytest.raises(UnsupportedError, match="inertia='full' of these data is not positive"):
        mb.FlexibleBody(modal, inertia="full")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m, p, s: (2 * m, p, s), r"the points have a mass of \d.* kg with its center at .*; M has"),
        (lambda m, p, s: (m, p[:-1], s), r"masses \(N,\), positions \(N, 3\) and displacements \(N, 3, 24\)"),
        (lambda m, p, s: (-m, p, s), "must not be negative"),
    ],
)
def test_points_that_do_not_belong_to_the_matrices_are_refused(change, words):
    M, K, interfaces, points = reduced_lattice()
    with pytest.raises(InputError, match=words):
        mb.ModalData.from_reduced(M, K, interfaces, inboard="left", modes=4, points=change(*points))


def test_an_inertia_that_is_not_positive_is_refused():
    modal, _ = lattice(modes=4)
    wrong = replace(modal, moments=replace(modal.moments, second=-40 * modal.moments.second))
    with pytest.raises(UnsupportedError, match="inertia='full' of these data is not positive"):
        mb.FlexibleBody(wrong, inertia="full")


@pytest.mark.parametrize(
    "law",
    [
        test_dynamics.test_the_rate_of_energy_is_what_damping_takes,
        test_dynamics.test_kinetic_energy_is_that_of_the_mass_matrix,
        test_dynamics.test_reactions_balance_the_rate_of_momentum,
        test_dynamics.test_velocities_and_accelerations_are_rates,
        test_dynamics.test_inverse_dynamics_needs_no_forces_for_the_accelerations,
    ],
)
def test_points_with_rotary_inertia_obey(law, turning):
    law(turning)


@pytest.fixture(scope="module")
def turning():
    tree = Tree(5, points="turning")
    tree.system.realize(tree.state, Stage.ACCELERATION)
    return tree


def test_rotary_inertia_of_points_is_part_of_the_mass():
    tree = Tree(5, points="turning")
    inertia = DeformingMass.of_points(tree.modal[0].points, np.zeros(3), is_curved=False)
    Jr = sum(p.inertia for p in tree.modal[0].points)
    assert np.trace(Jr) > 0.1
    without = [replace(p, inertia=np.zeros((3, 3))) for p in tree.modal[0].points]
    assert_allclose(inertia.inertia - DeformingMass.of_points(without, np.zeros(3), is_curved=False).inertia, Jr, atol=1e-13)


def test_a_sparse_mesh_has_the_same_moments():
    solid = Lattice()
    interfaces = {"left": {"nodes": solid.left}, "right": {"nodes": solid.right}}
    M, K = sparse.csc_array(solid.M), sparse.csc_array(solid.K)
    modal = mb.ModalData.from_matrices(M, K, solid.nodes, interfaces, inboard="left", modes=4)
    assert_allclose(np.abs(modal.moments.first), np.abs(lattice(modes=4)[0].moments.first), atol=1e-9)


@pytest.fixture(scope="module", params=["straight", "curved"])
def tree(request):
    tree = Tree(6, points=request.param)
    tree.system.realize(tree.state, Stage.ACCELERATION)
    return tree


def test_adjoints_of_deforming_inertias_are_transposed_tangents(tree):
    transposed, rng = Transposed(tree.state), np.random.default_rng(9)
    names = ("linear_", "curved_", "point_", "deforming_")
    calls = [call for sweep in tree.state.layout.sweeps.values() for call in sweep.calls if call.kind.name.startswith(names)]
    assert len(calls) >= 6
    for call in calls:
        assert transposed.miss(call, rng) < 1e-13


@TURNING
def test_runs_in_lanes_have_the_bits_of_runs_alone(tree):
    states = []
    for k in range(3):
        state = tree.state.copy()
        state.u = 0.2 * tree.state.u * (1 + 0.1 * k)
        states.append(state)
    together = mb.Ensemble(tree.system, states, accuracy=1e-6).run(until=0.02)
    for k, state in enumerate(states):
        alone = mb.Simulation(tree.system, accuracy=1e-6).run(state, until=0.02)
        assert_array_equal(together.final_states[k].y, alone.final_state.y)


@pytest.mark.slow
@TURNING
def test_compiled_and_interpreted_runs_have_the_same_bits(tree):
    runs = [mb.Simulation(tree.system, accuracy=1e-6, backend=each).run(tree.state, until=0.05) for each in ("interpreted", "compiled")]
    assert_array_equal(runs[0].final_state.y, runs[1].final_state.y)


@pytest.mark.slow
@TURNING
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_an_fmu_of_a_beam_moves_as_the_run(tmp_path, version):
    system = mb.MultibodySystem("beam")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    steel = mb.Material(E=2.1e11, nu=0.3, density=7850)
    mb.Pin(matter.ground, mb.FlexibleBeam(1.0, mb.Section.circle(0.006), steel, modes=3), name="beam")
    state = system.realize_topology()
    path = mb.export_fmu(system, tmp_path / "beam.fmu", fmi_version=version, outputs=["beam.q", "beam.end.deflection"], state=state)
    results = mb.Simulation(system, accuracy=1e-8).run(state, until=0.1, report_every=0.05)
    with start(FmuFile(path), tolerance=1e-8) as instance:
        found = walk(instance, np.linspace(0, 0.1, 3), ["beam.q", "beam.end.deflection[6]"])
    expected = np.column_stack([results["beam.q"][1:].ravel(), results["beam.end.deflection"][1:, 5]])
    assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
