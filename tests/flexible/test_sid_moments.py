"""SID files with terms of first order: the inertia that follows the deformation, and geometric stiffness that is left out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import ModelFileError
from mobod.flexible.deforming_mass import SecondMoments
from tests.flexible.sid_text import _fortran, series

N, COUNT = 4, 9


@pytest.fixture(scope="module")
def points():
    """(masses, positions, shapes (9, 3, 4), rotations (9, 3, 4) of the nodes)"""
    rng = np.random.default_rng(8)
    return rng.uniform(0.2, 0.6, COUNT), rng.normal(size=(COUNT, 3)), 0.3 * rng.normal(size=(COUNT, 3, N)), rng.normal(size=(COUNT, 3, N))


def text(points, *, without=(), extra=None):
    """A file with the sums over mass points; extra: added to terms of first order by name."""
    m, r, Phi, Psi = points
    J0 = sum(k * (p @ p * np.eye(3) - np.outer(p, p)) for k, p in zip(m, r, strict=True))
    A, S = np.einsum("k,ka,kbi->iab", m, r, Phi), np.einsum("k,kai,kbj->ijab", m, Phi, Phi)
    Ct = np.einsum("k,kai->ia", m, Phi)
    zero = {"mdCM": (m @ r)[:, None], "J": J0, "Ct": Ct, "Cr": np.cross(r[:, :, None], Phi, axis=1).transpose(2, 1, 0) @ m}
    zero |= {"Me": np.einsum("ijaa->ij", S), "Oe": np.zeros((N, 6)), "Ke": np.diag([30.0, 50.0, 70.0, 90.0])}
    J1 = np.array([2 * np.trace(a) * np.eye(3) - a - a.T for a in A]).transpose(1, 2, 0)
    Cr1 = np.array([[[m @ np.cross(Phi[:, :, k], Phi[:, :, i])[:, c] for k in range(N)] for c in range(3)] for i in range(N)])
    Oe1 = np.zeros((N, 6, N))
    for i in range(N):
        for j in range(N):
            s, trace = (S[i, j] + S[i, j].T) / 2, np.trace(S[i, j])
            Oe1[i, :, j] = [s[0, 0] - trace, s[1, 1] - trace, s[2, 2] - trace, 2 * s[0, 1], 2 * s[1, 2], 2 * s[2, 0]]
    first = {"J": J1, "Cr": Cr1, "Oe": Oe1}
    for name, change in (extra or {}).items():
        first[name] = first.get(name, 0) + change
    lines = [
        f"{COUNT} {N} Geo_Stiff= no",
        "part",
        "new modal",
        "refmod",
        f"mass = {_fortran(m.sum())}",
        f"nelastq = {N}",
        "end refmod",
        "frame",
    ]
    for k in range(COUNT):
        lines += [f"new node = {k + 1}", *series("origin", r[k][:, None], N), "end origin"]
        lines += [*series("phi", Phi[k], N), "end phi", *series("psi", Psi[k], N), "end psi", "end node"]
    lines.append("end frame")
    for name, matrix in zero.items():
        lines += series(name, matrix, N)
        if name in first and name not in without:
            lines += [f"m1( {i + 1}, {j + 1}, {k + 1}) = {_fortran(value)}" for (i, j, k), value in np.ndenumerate(first[name])]
        lines.append(f"end {name}")
    return "\n".join([*lines, "end modal", "end part", ""])


@pytest.mark.parametrize("frame", ["inboard", "mean"])
def test_terms_of_first_order_give_the_moments_of_the_mass_points(frame, points, tmp_path):
    """Of shapes relative to a node that moves and turns, or to the mean axes."""
    m, r, Phi, Psi = points
    (tmp_path / "body.sid").write_text(text(points))
    nodes = {"a": 3, "b": 7, "c": 5}
    modal = mb.ModalData.read(tmp_path / "body.sid", nodes, **({"frame": "mean"} if frame == "mean" else {"inboard": "a"}))
    p = r[2] if frame == "inboard" else np.zeros(3)
    if frame == "inboard":
        removed = np.concatenate([Psi[2], Phi[2]])
    else:
        turned = np.array([-mb.spatial.cross_matrix(each) for each in r])
        T = np.concatenate([turned, np.tile(np.eye(3), (COUNT, 1, 1))], axis=2)
        weighted = np.einsum("k,kap,kaq->pq", m, T, T)
        removed = np.linalg.solve(weighted, np.einsum("k,kap,kai->pi", m, T, Phi))
    relative = Phi - removed[3:] - np.cross(removed[:3].T[None], (r - p)[:, None]).transpose(0, 2, 1)
    # the modal basis, by the displacements of three nodes
    at = [number - 1 for number in nodes.values()]
    moved = np.concatenate([each.shapes[3:] for each in modal.interfaces.values()])
    V = np.linalg.lstsq(relative[at].reshape(-1, N), moved, rcond=None)[0]
    shapes = relative @ V
    com = m @ r / m.sum()
    expected = SecondMoments.of_fields(np.diag(m), r - com, shapes - np.einsum("k,kai->ai", m, shapes) / m.sum())
    assert_allclose(modal.moments.first, expected.first, atol=1e-11)
    assert_allclose(modal.moments.second, expected.second, atol=1e-11)
    mb.FlexibleBody(modal, inertia="full")


def test_files_without_the_terms_have_constant_inertia(points, tmp_path):
    (tmp_path / "body.sid").write_text(text(points, without=["Oe"]))
    modal = mb.ModalData.read(tmp_path / "body.sid", inboard="node1")
    with pytest.raises(mb.errors.UnsupportedError, match="SID file with the terms of first order of J, Cr and Oe"):
        mb.FlexibleBody(modal, inertia="full")


@pytest.mark.parametrize("name", ["Oe", "Cr", "Ct"])
def test_geometric_stiffness_is_left_out_with_a_warning(name, points, tmp_path):
    stiff = np.einsum("ij,c->icj", np.diag([3.0, 2.0, 1.0, 4.0]), np.ones({"Oe": 6}.get(name, 3)))
    (tmp_path / "body.sid").write_text(text(points, extra={name: stiff}, without=["Oe"] if name == "Ct" else ()))
    with pytest.warns(mb.MobodWarning, match=r"body.sid: its geometric stiffness.*is left out"):
        modal = mb.ModalData.read(tmp_path / "body.sid", inboard="node1")
    assert modal.moments is None


def test_a_term_of_first_order_beyond_its_matrix_is_an_error(points, tmp_path):
    (tmp_path / "body.sid").write_text(text(points).replace("m1( 1, 6, 1)", "m1( 1, 7, 1)"))
    with pytest.raises(ModelFileError, match=r"body.sid, line \d+: the entry \(1, 7, 1\)"):
        mb.ModalData.read(tmp_path / "body.sid", inboard="node1")
