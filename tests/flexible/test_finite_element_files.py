"""Matrices of CalculiX and Nastran: equal to those given as arrays, frequencies of CalculiX itself, errors that name the place."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg

import mobod as mb
from mobod.errors import InputError, MobodError, ModelFileError, UnknownNameError
from mobod.flexible.files.nastran_file import read_nastran
from tests.flexible.bodies import SECTION
from tests.flexible.frame_elements import beam


@pytest.fixture(scope="module")
def lattice():
    """(M, K, nodes) of 12 point masses with springs between neighbours, 3 freedoms each."""
    nodes = np.array([[x, y, z] for x in np.linspace(0, 1, 3) for y in (0, 0.3) for z in (0, 0.28)])
    M, K = np.diag(np.repeat(0.05 + 0.01 * np.arange(12), 3)), np.zeros((36, 36))
    for a in range(12):
        for b in range(a):
            d = nodes[a] - nodes[b]
            if d @ d < 0.75**2:
                row = np.zeros(36)
                row[3 * a : 3 * a + 3], row[3 * b : 3 * b + 3] = d, -d
                K += 2e5 * np.outer(row, row) / (d @ d)
    return M, K, nodes


def write_calculix(folder, M, K, nodes, *, dof=None, extra=""):
    """Node numbers 10, 20, ...; the sets LEFT and right."""
    numbers = 10 * (1 + np.arange(len(nodes)))
    for name, A in (("sti", K), ("mas", M)):
        lines = [f"{i + 1} {j + 1} {A[i, j]:.17e}" for j in range(len(A)) for i in range(j + 1)]
        (folder / f"bar.{name}").write_text("\n".join(lines) + "\n")
    freedoms = [f"{number}.{k}" for number in numbers for k in (1, 2, 3)] if dof is None else dof
    (folder / "bar.dof").write_text("\n".join(freedoms) + "\n")
    rows = [f"{number}, {x:.17g}, {y:.17g}, {z:.17g}" for number, (x, y, z) in zip(numbers, nodes, strict=True)]
    sets = ["*NSET, NSET=Left, GENERATE", "10, 40, 10", "*nset, nset=RIGHT", "90, 100,", "110", "120"]
    (folder / "bar.inp").write_text("\n".join(["** a comment", "*NODE, NSET=ALL", *rows, *sets, extra, "*STEP", "*END STEP", ""]))
    return folder / "bar.sti"


def test_calculix_gives_the_modal_data_of_its_matrices(lattice, tmp_path):
    path = write_calculix(tmp_path, *lattice)
    expected = mb.ModalData.from_matrices(*lattice, {"root": {"nodes": [0, 1, 2, 3]}, "tip": {"nodes": [8, 9, 10, 11]}}, inboard="root")
    for interfaces in ({"root": "LEFT", "tip": {"nodes": "right"}}, {"root": [10, 20, 30, 40], "tip": {"nodes": [90, 100, 110, 120]}}):
        found = mb.ModalData.read(path, interfaces, inboard="root")
        assert_allclose(found.frequencies, expected.frequencies, rtol=1e-9)
        assert_allclose(found.interfaces["tip"].X.p, expected.interfaces["tip"].X.p, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"dof": ["10.1"]}, ModelFileError, r"bar.mas|bar.sti: an entry is not in a matrix of 1 rows"),
        ({"dof": ["10.7"]}, ModelFileError, r"bar.dof, line 1: '10.7' is no node.direction"),
        ({"extra": "*TRANSFORM, NSET=LEFT"}, MobodError, r"bar.inp, line \d+: \*TRANSFORM is not read"),
        ({"extra": "*NODE\n5, x"}, ModelFileError, r"bar.inp, line \d+: '5, x' does not belong to \*NODE"),
    ],
)
def test_errors_of_calculix_files_name_the_place(change, error, words, lattice, tmp_path):
    path = write_calculix(tmp_path, *lattice, **change)
    with pytest.raises(error, match=words):
        mb.ModalData.read(path, {"root": "left"}, inboard="root")


def test_interfaces_that_are_not_in_the_file_are_named(lattice, tmp_path):
    path = write_calculix(tmp_path, *lattice)
    with pytest.raises(UnknownNameError, match="lefd"):
        mb.ModalData.read(path, {"root": "lefd"}, inboard="root")
    with pytest.raises(InputError, match="interface 'root' has the node 11, which has no freedoms in the file"):
        mb.ModalData.read(path, {"root": [10, 11, 20]}, inboard="root")
    held = [f"{number}.{k}" for number in 10 * (1 + np.arange(12)) for k in (1, 2, 3)][1:]
    M, K, nodes = lattice
    with pytest.raises(ModelFileError, match="node 10 has no freedom 1, so a support or an equation holds it"):
        mb.ModalData.read(write_calculix(tmp_path, M[1:, 1:], K[1:, 1:], nodes, dof=held), {"root": "left"}, inboard="root")
    (tmp_path / "bar.dof").unlink()
    with pytest.raises(ModelFileError, match=r"bar.dof cannot be read: .* must lie together"):
        mb.ModalData.read(path, {"root": "left"}, inboard="root")


def dmig(name, A, freedoms):
    """Cards of the lower triangle of a symmetric matrix, as Nastran punches them."""
    lines = [f"DMIG    {name:<8}{0:>8}{6:>8}{2:>8}{0:>8}{'':8}{'':8}{len(A):>8}"]
    for j, (node, direction) in enumerate(freedoms):
        lines.append(f"DMIG*   {name:<16}{node:>16}{direction:>16}{'':16}*")
        for i in range(j, len(A)):
            if A[i, j]:
                lines.append(f"*       {freedoms[i][0]:>16}{freedoms[i][1]:>16}{A[i, j]:>16.9E}".replace("E", "D"))
    return lines


def write_nastran(path, M, K, freedoms, nodes):
    grids = [f"GRID,{number},,{x:.9g},{y:.9g},{z:.9g}" for number, (x, y, z) in nodes.items()]
    path.write_text("\n".join(["$ a comment", *dmig("KAAX", K, freedoms), *dmig("MAAX", M, freedoms), *grids, ""]))
    return path


def test_nastran_gives_the_modal_data_of_its_matrices(lattice, tmp_path):
    """9 digits: the frequencies to 1e-7. Of solids rows of rotations are zeros."""
    M, K, nodes = beam(1.3, 2, **SECTION)
    numbers = [101, 307, 205]
    freedoms = [(number, k) for number in numbers for k in range(1, 7)]
    path = write_nastran(tmp_path / "beam.pch", M, K, freedoms, dict(zip(numbers, nodes, strict=True)))
    found = mb.ModalData.read(path, {"root": 101, "tip": 205}, inboard="root", modes=6)
    expected = mb.ModalData.from_matrices(M, K, nodes, {"root": 0, "tip": 2}, inboard="root", modes=6)
    assert_allclose(found.frequencies, expected.frequencies, rtol=1e-7)
    assert_allclose(found.interfaces["tip"].X.p, nodes[2], atol=1e-9)
    M, K, nodes = lattice
    wide = np.zeros((72, 72))
    at = np.ix_(*2 * [[6 * a + k for a in range(12) for k in range(3)]])
    of_grids = []
    for A in (M, K):
        wide[at] = A
        of_grids.append(wide.copy())
    freedoms = [(1 + a, k) for a in range(12) for k in range(1, 7)]
    path = write_nastran(tmp_path / "solid.pch", *of_grids, freedoms, {1 + a: p for a, p in enumerate(nodes)})
    assert read_nastran(path).M.shape == (36, 36)


def test_a_superelement_of_nastran_has_scalar_points_as_modes(tmp_path):
    """Craig and Bampton's reduction to two grids, with two scalar points."""
    M, K, nodes = beam(1.3, 3, **SECTION)
    boundary, inner = np.r_[0:6, 18:24], np.arange(6, 18)
    static = -np.linalg.solve(K[np.ix_(inner, inner)], K[np.ix_(inner, boundary)])
    modes = linalg.eigh(K[np.ix_(inner, inner)], M[np.ix_(inner, inner)])[1][:, :2]
    T = np.zeros((24, 14))
    T[boundary, :12], T[inner, :12], T[inner, 12:] = np.eye(12)[:, :12], static, modes
    reduced = [T.T @ A @ T for A in (M, K)]
    reduced = [np.where(np.abs(A) > 1e-12 * np.abs(A).max(), A, 0) for A in reduced]
    freedoms = [(number, k) for number in (11, 22) for k in range(1, 7)] + [(9001, 0), (9002, 0)]
    path = write_nastran(tmp_path / "beam.pch", *reduced, freedoms, {11: nodes[0], 22: nodes[3]})
    found = mb.ModalData.read(path, {"tip": 22, "root": 11}, inboard="root")
    expected = mb.ModalData.from_reduced(*reduced, {"root": nodes[0], "tip": nodes[3]}, inboard="root")
    assert_allclose(found.frequencies, expected.frequencies, rtol=1e-5)
    with pytest.raises(InputError, match="node 22 is no interface"):
        mb.ModalData.read(path, {"root": 11}, inboard="root")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("KAAX", "BAAX", "one DMIG matrix whose name begins with K, the stiffness, is needed"),
        ("GRID,1,,", "GRID,1,3,", "GRID 1 is in other axes than the basic ones"),
        ("               1               2", "               1               x", "cannot be read"),
        ("GRID,1,", "GRID,99,", "there is no position of node 1"),
    ],
)
def test_errors_of_nastran_files_say_what_is_wrong(old, new, words, tmp_path):
    M, K, nodes = beam(1.3, 1, **SECTION)
    path = write_nastran(tmp_path / "b.pch", M, K, [(a, k) for a in (1, 2) for k in range(1, 7)], {1: nodes[0], 2: nodes[1]})
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(MobodError, match=f"b.pch.*{words}"):
        mb.ModalData.read(path, {"root": 1, "tip": 2}, inboard="root")


@pytest.mark.parametrize(("of_stiffness", "kind"), [(4, "stiffness"), (1, "mass")])
def test_a_matrix_of_nastran_in_turns_alone_that_is_zero_is_an_error(of_stiffness, kind, tmp_path):
    path = tmp_path / "zero.pch"
    K = f"DMIG,KAAX,0,6,2,0,,,9\nDMIG,KAAX,1,{of_stiffness},,1,{of_stiffness},{1.0 if of_stiffness == 1 else 0.0}\n"
    path.write_text(f"{K}DMIG,MAAX,0,6,2,0,,,9\nDMIG,MAAX,1,4,,1,4,0.0\nGRID,1,,0,0,0\n")
    with pytest.raises(ModelFileError, match=f"zero.pch: the {kind} has no entry in directions 0 to 3 that is not zero"):
        mb.ModalData.read(path, {"root": 1}, inboard="root")


DECK = """*NODE, NSET=ALL
{nodes}
*ELEMENT, TYPE=C3D8, ELSET=E
{elements}
*MATERIAL, NAME=AL
*ELASTIC
7e10, 0.33
*DENSITY
2700
*SOLID SECTION, ELSET=E, MATERIAL=AL
*STEP
*FREQUENCY{solver}
12
*END STEP
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
def test_calculix_finds_the_same_frequencies(tmp_path):
    """Of a free bar of 32 hexahedra: to the seven digits that it prints."""
    places = [(i, j, k) for i in range(9) for j in range(3) for k in range(3)]
    number = {place: n for n, place in enumerate(places, start=1)}
    nodes = "\n".join(f"{number[p]}, {0.05 * p[0]:.9g}, {0.015 * p[1]:.9g}, {0.01 * p[2]:.9g}" for p in places)
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = [[number[i + a, j + b, k + c] for a, b, c in corners] for i in range(8) for j in range(2) for k in range(2)]
    elements = "\n".join(", ".join(map(str, [n, *cell])) for n, cell in enumerate(cells, start=1))
    for name, solver in (("bar", ", SOLVER=MATRIXSTORAGE"), ("modes", "")):
        (tmp_path / f"{name}.inp").write_text(DECK.format(nodes=nodes, elements=elements, solver=solver))
        subprocess.run(["ccx", name], cwd=tmp_path, check=True, capture_output=True)
    lines = (tmp_path / "modes.dat").read_text().split("E I G E N V A L U E   O U T P U T")[1].splitlines()
    printed = [float(line.split()[3]) for line in lines if re.match(r"\s+\d+\s+\S+E[+-]\d+", line)][6:12]
    ends = {
        name: {"nodes": [number[i, j, k] for j in range(3) for k in range(3)], "tie": "average"} for name, i in (("root", 0), ("tip", 8))
    }
    found = mb.ModalData.read(tmp_path / "bar.sti", ends, frame="mean", modes=6)
    assert_allclose(found.frequencies, printed, rtol=1e-6)
