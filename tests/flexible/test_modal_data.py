"""Reduction of finite elements to modal data, against closed forms; and what is refused."""

import re
from contextlib import nullcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import mobod as mb
from mobod.errors import InputError, MassPropertiesError, UnknownNameError, UnsupportedError
from mobod.flexible.invariants import RigidMotion, rigid_motions
from tests.flexible.bodies import SECTION, beam_modal
from tests.flexible.frame_elements import beam

LENGTH = 1.7
CANTILEVER = (1.8751040687119611, 4.694091132974175)  # roots of cos x cosh x = -1
FREE = (4.730040744862703, 7.853204624095838)  # of cos x cosh x = 1


def slender(elements=10, **changes):
    """(M, K, nodes) of a beam without shear and rotary inertia."""
    return beam(LENGTH, elements, **(SECTION | {"kappa": None, "rotary": False} | changes))


def bending(roots):
    """Hz, of both planes."""
    stiffness = [SECTION["E"] * I / (SECTION["rho"] * SECTION["A"]) for I in (SECTION["Iz"], SECTION["Iy"])]
    return np.sort([root**2 * np.sqrt(each) / LENGTH**2 / (2 * np.pi) for root in roots for each in stiffness])


@pytest.fixture(scope="module")
def modal():
    M, K, nodes = slender()
    return mb.ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 10}, inboard="start")


def test_clamped_and_free_frequencies_are_those_of_beams(modal):
    """10 elements, 12 shapes: the second root is 4e-4 too high, as the first of the free beam."""
    assert modal.n == 12
    assert_allclose(modal.frequencies[:4], bending(CANTILEVER), rtol=5e-4)
    assert_allclose(modal.free_frequencies[:2], bending(FREE)[:2], rtol=5e-4)


@pytest.mark.slow
def test_sparse_eigenvectors_give_the_shapes_of_dense_ones(monkeypatch):
    """426 unknowns: the iteration of eigsh ends at round-off of the shift."""
    M, K, nodes = slender(70)
    found = [mb.ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 70}, inboard="start", modes=5) for _ in range(1)]
    monkeypatch.setattr("mobod.flexible.reduction._DENSE", 1000)
    found.append(mb.ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 70}, inboard="start", modes=5))
    assert_allclose(found[0].frequencies, found[1].frequencies, rtol=1e-7)
    shapes = [np.abs(each.interfaces["end"].shapes) for each in found]
    assert_allclose(*shapes, atol=1e-5 * shapes[0].max())


def test_axial_and_torsional_frequencies_are_those_of_bars(modal):
    """The wave speeds' quarter lengths; linear elements and the static shapes: 1 % too high."""
    lowest = [
        np.sqrt(SECTION["E"] / SECTION["rho"]),
        np.sqrt(SECTION["G"] * SECTION["J"] / SECTION["rho"] / (SECTION["Iy"] + SECTION["Iz"])),
    ]
    for speed, entry in zip(lowest, (3, 0), strict=True):
        own = np.abs(modal.interfaces["end"].shapes[entry]) > 1e-3 * np.abs(modal.interfaces["end"].shapes[entry]).max()
        assert_allclose(modal.frequencies[own][0], speed / (4 * LENGTH), rtol=0.12)


def test_mass_and_inertia_are_those_of_the_beam(modal):
    mass = SECTION["rho"] * SECTION["A"] * LENGTH
    assert_allclose(modal.mass_properties.mass, mass, rtol=1e-12)
    assert_allclose(modal.mass_properties.com, [LENGTH / 2, 0, 0], atol=1e-12)
    polar = SECTION["rho"] * (SECTION["Iy"] + SECTION["Iz"]) * LENGTH
    assert_allclose(np.diag(modal.mass_properties.inertia), [polar, mass * LENGTH**2 / 3, mass * LENGTH**2 / 3], rtol=1e-9)


@pytest.mark.parametrize(
    ("entry", "load", "expected"),
    [
        (4, 3.0, lambda s: (4, 3.0 * LENGTH**3 / (3 * s["E"] * s["Iz"]), 2, 3.0 * LENGTH**2 / (2 * s["E"] * s["Iz"]))),
        (5, 3.0, lambda s: (5, 3.0 * LENGTH**3 / (3 * s["E"] * s["Iy"]), 1, -3.0 * LENGTH**2 / (2 * s["E"] * s["Iy"]))),
        (3, 1000.0, lambda s: (3, 1000.0 * LENGTH / (s["E"] * s["A"]), 0, 0.0)),
        (0, 0.7, lambda s: (0, 0.7 * LENGTH / (s["G"] * s["J"]), 3, 0.0)),
        (2, 0.7, lambda s: (2, 0.7 * LENGTH / (s["E"] * s["Iz"]), 4, 0.7 * LENGTH**2 / (2 * s["E"] * s["Iz"]))),
    ],
    ids=["force along y", "force along z", "force along x", "moment about x", "moment about z"],
)
def test_a_load_at_the_end_gives_the_deflection_of_beams(modal, entry, load, expected):
    """The static shapes of the interface are exact: 1e-9 is the condition of the matrices times round-off."""
    shapes = modal.interfaces["end"].shapes
    force = np.zeros(6)
    force[entry] = load
    deflection = shapes @ (shapes.T @ force / modal.stiffness)
    first, value, second, other = expected(SECTION)
    assert_allclose([deflection[first], deflection[second]], [value, other], rtol=1e-9, atol=1e-9 * abs(value))


def test_an_averaging_tie_on_one_node_of_a_solid_is_its_mean():
    """A brick of point masses and springs between all of them, whose end faces are interfaces."""
    solid = Lattice()
    for tie in ("rigid", "average"):
        interfaces = {"left": {"nodes": solid.left, "tie": tie}, "right": {"nodes": solid.right, "tie": tie}}
        modal = mb.ModalData.from_matrices(sparse.csc_array(solid.M), sparse.csc_array(solid.K), solid.nodes, interfaces, inboard="left")
        assert_allclose(modal.mass_properties.mass, solid.mass, rtol=1e-12)
        assert modal.flexibility_lost == 0
        # a force on the right face, against the whole system with the left face held in the same way
        force = np.array([3.0, -2.0, 1.0])
        assert_allclose(self_deflection(modal, force), solid.deflection(force, tie), rtol=1e-8)


def self_deflection(modal, force):
    shapes = modal.interfaces["right"].shapes
    return (shapes @ (shapes[3:].T @ force / modal.stiffness))[3:]


class Lattice:
    """3 x 2 x 2 point masses, with a spring between each two."""

    def __init__(self):
        rng = np.random.default_rng(1)
        self.nodes = np.array([[x, y, z] for x in (0.0, 0.4, 0.9) for y in (0.0, 0.3) for z in (0.0, 0.2)]) + 0.01 * rng.normal(
            size=(12, 3)
        )
        m = rng.uniform(0.1, 0.3, 12)
        self.mass, self.M, self.K = m.sum(), np.diag(np.repeat(m, 3)), np.zeros((36, 36))
        for a in range(12):
            for b in range(a):
                d = self.nodes[a] - self.nodes[b]
                row = np.zeros(36)
                row[3 * a : 3 * a + 3], row[3 * b : 3 * b + 3] = d, -d
                self.K += 1e4 * np.outer(row, row) / (d @ d) ** 1.5
        self.left, self.right = [0, 1, 2, 3], [8, 9, 10, 11]

    def deflection(self, force, tie):
        """The mean displacement of the right face, by Lagrange multipliers for what the ties require."""
        faces = [self.rigid_face(each) for each in (self.left, self.right)]
        if tie == "rigid":
            T = np.zeros((36, 12 + 6))
            T[12:24, :12] = np.eye(12)
            T[24:, 12:] = faces[1]
            K = T.T @ self.K @ T
            f = np.zeros(18)
            f[12:15] = force
            return np.linalg.solve(K, f)[12:15]
        mean = np.linalg.pinv(faces[0])
        B = np.zeros((6, 36))
        B[:, :12] = mean
        f = np.zeros(42)
        f[24:36] = np.linalg.pinv(faces[1])[:3].T @ force
        u = np.linalg.solve(np.block([[self.K, B.T], [B, np.zeros((6, 6))]]), f)[:36]
        return np.linalg.pinv(faces[1])[:3] @ u[24:]

    def rigid_face(self, numbers):
        middle = self.nodes[numbers].mean(axis=0)
        return np.vstack([np.hstack([np.eye(3), -cross(self.nodes[k] - middle)]) for k in numbers])


def cross(d):
    return np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])


def test_reduced_matrices_give_the_same_body_as_full_ones():
    """A static reduction of the beam to its ends is exact for statics, and the mass that it leaves is that of cubic elements."""
    M, K, nodes = slender(1)
    full = mb.ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 1}, inboard="start")
    reduced = mb.ModalData.from_reduced(M, K, {"start": nodes[0], "end": nodes[1]}, inboard="start")
    assert_allclose(reduced.frequencies, full.frequencies, rtol=1e-9)
    assert_allclose(reduced.mass_properties.inertia, full.mass_properties.inertia, rtol=1e-9, atol=1e-12)
    assert_allclose(np.abs(reduced.interfaces["end"].shapes), np.abs(full.interfaces["end"].shapes), atol=1e-7)


def test_the_damping_matrix_is_reduced_with_the_others():
    M, K, nodes = slender(4)
    modal = mb.ModalData.from_matrices(M, K, nodes, {"start": 0, "end": 4}, inboard="start", D=0.002 * K, modes=5)
    assert_allclose(modal.damping, 0.002 * np.diag(modal.stiffness), atol=1e-9 * modal.stiffness.max())


def test_truncation_keeps_the_lowest_and_says_what_it_costs():
    modal = beam_modal(modes=4)
    assert modal.n == 4
    assert 0.9 < modal.flexibility_lost <= 1  # of the axial and torsional flexibility nothing is left
    assert "clamped and free, RK4 needs steps below" in modal.report()
    assert "flexibility lost" in modal.report()
    assert beam_modal(modes=None, below=40.0).n == int((beam_modal(modes=12).frequencies < 40).sum())


def test_a_free_body_has_the_damping_ratios_of_its_free_modes():
    """Of the whole System: a body without joints, by its linearised equations."""
    ratios = [0.01, 0.05, 0.02, 0.03]
    modal = beam_modal(modes=4, elements=4).with_free_damping(ratios)
    system = mb.MultibodySystem()
    mb.Free(mb.MatterSubsystem(system).ground, mb.FlexibleBody(modal), name="body")
    state = system.realize_topology()
    found = mb.forward_dynamics_derivatives(system, state)
    K, D = -found.by_q[6:, -4:], -found.by_u[6:, 6:]
    values = np.linalg.eigvals(np.block([[np.zeros((4, 4)), np.eye(4)], [-K, -D]]))
    values = values[np.argsort(np.abs(values))][::2]
    assert_allclose(-values.real / np.abs(values), ratios, rtol=1e-6)
    assert_allclose(np.abs(values) / (2 * np.pi), modal.free_frequencies, rtol=1e-6)
    with pytest.raises(InputError, match="One number, or 4, are needed"):
        modal.with_free_damping([0.1, 0.2])


def test_the_invariants_of_mass_points_are_their_sums():
    """T^T M T and T^T M Phi of lumped masses are the sums over them."""
    rng = np.random.default_rng(2)
    r, m, Phi = rng.normal(size=(7, 3)), rng.uniform(0.1, 1, 7), rng.normal(size=(7, 3, 4))
    T, M = rigid_motions(r, np.zeros(3), 3), np.repeat(m, 3)
    rigid = RigidMotion(T.T @ (M[:, None] * T))
    assert_allclose(rigid.mass, m.sum())
    assert_allclose(rigid.center, m @ r / m.sum())
    inertia = sum(each * (p @ p * np.eye(3) - np.outer(p, p)) for each, p in zip(m, r, strict=True))
    assert_allclose(rigid.mass_properties(np.zeros(3)).inertia, inertia)
    coupling = T.T @ (M[:, None] * Phi.reshape(21, 4))
    c = rigid.center
    expected = [np.einsum("k,kin->in", m, np.cross((r - c)[:, :, None], Phi, axisa=1, axisb=1, axisc=1)), np.einsum("k,kin->in", m, Phi)]
    assert_allclose(rigid.about_center(coupling), np.concatenate(expected))


def change(matrix, *entries):
    changed = matrix.copy()
    for i, j, value in entries:
        changed[i, j] = value
    return changed


def held(K, node):
    """The translations of a node on springs."""
    return change(K, *((i, i, K[i, i] * 2) for i in range(6 * node, 6 * node + 3)))


M4, K4, NODES4 = slender(4)
M1, K1, NODES1 = slender(1)
ENDS = {"start": 0, "end": 4}


@pytest.mark.parametrize(
    ("change_of", "error", "words"),
    [
        (
            {"K": np.triu(K4)},
            InputError,
            r"K is not symmetric: entries \(\d+, \d+\) and \(\d+, \d+\) are .*A triangle alone\? Pass K \+ K.T",
        ),
        ({"K": held(K4, 2)}, InputError, r"K has \d rigid modes, not 6: \|K T\| / \|K\| is .* Supports belong to the multibody model"),
        ({"K": change(K4, (3, 3, np.nan))}, InputError, "K has entries that are not finite"),
        ({"K": K4[:-6, :-6]}, InputError, r"M has shape \(30, 30\), but K has shape \(24, 24\)"),
        ({"K": 0 * K4}, InputError, "K has more than the six rigid motions without stiffness"),
        ({"M": -M4}, (InputError, MassPropertiesError), "must be positive"),
        ({"nodes": NODES4[:, :2]}, InputError, r"nodes has shape \(5, 2\)"),
        ({"nodes": NODES4[:4]}, InputError, "M has 30 freedoms for 4 nodes"),
        ({"interfaces": {"start": 0, "end": 9}}, InputError, "interface 'end': there is no node 9; they run from 0 to 4"),
        ({"interfaces": {"start": 0, "end": {"nodes": [4], "tie": "glue"}}}, InputError, "tie is 'rigid' or 'average', not 'glue'"),
        ({"interfaces": {"start": [0, 1], "end": 1}}, InputError, "node"),
        ({"interfaces": {"start": 0, "end": {"nodes": [4], "X": mb.Transform(p=[1700, 0, 0])}}}, InputError, "far outside the box"),
        ({"interfaces": {"start": 0, "modes": 4}}, InputError, "cannot be named 'modes'"),
        ({"inboard": "stat"}, UnknownNameError, "stat"),
        ({"below": 1e-3}, InputError, r"no mode lies below 0.001 Hz; the lowest is \d.* Hz. Raise below, or use a RigidBody"),
        ({"modes": 101}, UnsupportedError, "at most 100"),
        ({"frame": "mean"}, InputError, "with frame='mean' no interface carries the frame"),
        ({"frame": "nodal"}, InputError, "frame is 'inboard' or 'mean', not 'nodal'"),
        ({"inboard": None}, InputError, "inboard is the name of the interface that the frame of the body is on, not None"),
    ],
)
def test_what_is_no_free_elastic_body_is_refused(change_of, error, words):
    given = {"M": M4, "K": K4, "nodes": NODES4, "interfaces": ENDS, "inboard": "start"} | change_of
    with pytest.raises(error, match=words):
        mb.ModalData.from_matrices(given.pop("M"), given.pop("K"), given.pop("nodes"), given.pop("interfaces"), **given)


def test_the_inboard_interface_may_stand_on_springs():
    """Shapes vanish there: the springs change nothing."""
    free, supported = (mb.ModalData.from_matrices(M4, K, NODES4, ENDS, inboard="start", modes=6) for K in (K4, held(K4, 0)))
    assert_allclose(supported.frequencies, free.frequencies, rtol=1e-9)
    reduced = [mb.ModalData.from_reduced(M1, K, {"start": NODES1[0], "end": NODES1[1]}, inboard="start") for K in (K1, held(K1, 0))]
    assert_allclose(reduced[1].frequencies, reduced[0].frequencies, rtol=1e-9)
    with pytest.raises(InputError, match="Supports belong"):
        mb.ModalData.from_reduced(M1, held(K1, 0), {"start": NODES1[0], "end": NODES1[1]}, inboard="end")


def test_given_mass_properties_are_those_of_the_mass_matrix():
    """To 1e-3, each of them."""
    found = mb.ModalData.from_matrices(M4, K4, NODES4, ENDS, inboard="start", modes=4).mass_properties
    for factor, words in ((1.0005, None), (1.002, "gives the mass, kg, .*but mass_properties has")):
        given = mb.MassProperties(factor * found.mass, found.com, factor * found.inertia)
        with nullcontext() if words is None else pytest.raises(MassPropertiesError, match=words):
            mb.ModalData.from_matrices(M4, K4, NODES4, ENDS, inboard="start", modes=4, mass_properties=given)
    m, com, central = found.mass, found.com, found.inertia_about_com
    for other, turned, words in (
        (np.add(com, [0, 0.003, 0]), central, "mass center, m, .*but"),
        (com, 1.01 * central, "inertia about the mass center"),
    ):
        given = mb.MassProperties(m, other, mb.Inertia(turned).shifted(other, mass=m))
        with pytest.raises(MassPropertiesError, match=words):
            mb.ModalData.from_matrices(M4, K4, NODES4, ENDS, inboard="start", modes=4, mass_properties=given)


def test_an_impossible_inertia_is_refused():
    """A node with a moment of inertia about one axis alone."""
    with pytest.raises(MassPropertiesError, match=r"ModalData: M, for rigid motions .*not the inertia of a rigid body"):
        mb.ModalData.from_matrices(change(M4, (15, 15, 50.0)), K4, NODES4, ENDS, inboard="start")


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (lambda: mb.Transform(np.eye(3) + 0.01), "R is not a rotation"),
        (lambda: mb.Transform(np.diag([1.0, 1, -1])), "R is a reflection, not a rotation"),
        (lambda: np.eye(4), "interface 'end': X is a Transform, not ndarray"),
    ],
)
def test_interfaces_without_a_right_rotation_are_refused(X, words):
    with pytest.raises(InputError, match=words):
        mb.ModalData.from_matrices(M4, K4, NODES4, {"start": 0, "end": {"nodes": [4], "X": X()}}, inboard="start")


@pytest.mark.parametrize("tie", ["rigid", "average"])
def test_interfaces_on_the_same_nodes_are_refused(tie):
    solid = Lattice()
    interfaces = {
        "left": {"nodes": solid.left},
        "right": {"nodes": solid.right, "tie": tie},
        "again": {"nodes": solid.right, "tie": "average"},
    }
    with pytest.raises(InputError, match="the motion of interface 'again' follows from that of 'left', 'right'"):
        mb.ModalData.from_matrices(solid.M, solid.K, solid.nodes, interfaces, inboard="left")


def test_dependent_modes_are_left_out_and_named():
    """Reduced matrices with a mode twice, and a sum of modes, give the body that they give without."""
    rng = np.random.default_rng(4)
    M, K, nodes = slender(2)
    order = [*range(6), *range(12, 18), *range(6, 12)]
    M, K = M[np.ix_(order, order)], K[np.ix_(order, order)]
    inner = rng.normal(size=(6, 3))
    T = np.zeros((18, 15))
    T[:12, :12], T[12:, 12:] = np.eye(12), inner
    T[12:, :12] = -np.linalg.solve(K[12:, 12:], K[12:, :12])
    ends = {"start": nodes[0], "end": nodes[2]}
    whole = mb.ModalData.from_reduced(T.T @ M @ T, T.T @ K @ T, ends, inboard="start")
    more = np.column_stack([T[:, :14], T[:, 13], T[:, 14], T[:, 12] - 2 * T[:, 14]])
    with pytest.warns(mb.MobodWarning, match="of the 5 modes after the interfaces, these depend on others and are left out: 3, 5"):
        found = mb.ModalData.from_reduced(more.T @ M @ more, more.T @ K @ more, ends, inboard="start")
    assert_allclose(found.frequencies, whole.frequencies, rtol=1e-7)


def test_an_interface_on_nodes_without_rotation_is_refused():
    solid = Lattice()
    for tie in ("rigid", "average"):
        interfaces = {"left": {"nodes": solid.left}, "right": {"nodes": [8, 9], "tie": tie}}
        with pytest.raises(InputError, match=r"interface 'right' .*line"):
            mb.ModalData.from_matrices(solid.M, solid.K, solid.nodes, interfaces, inboard="left")


def test_what_a_flexible_body_cannot_have_yet_is_refused():
    modal = beam_modal(elements=4, modes=3)
    for given, words in (
        ({"inertia": "full"}, "full"),
        ({"geometric_stiffening": True}, "geometric_stiffening"),
        ({"damping_ratio": [0.1]}, "shape"),
    ):
        with pytest.raises((UnsupportedError, InputError), match=words):
            mb.FlexibleBody(modal, **given)
    with pytest.raises(InputError, match="ModalData"):
        mb.FlexibleBody(3.0)
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    words = "'wing' has X_BM at [0.5, 0.0, 0.0], which is no interface of the flexible body. Its interfaces: 'start'"
    with pytest.raises(InputError, match=re.escape(words)):
        mb.Pin(matter.ground, mb.FlexibleBody(modal), X_BM=mb.Transform(p=[0.5, 0, 0]), name="wing")
