"""Modal data from files: round trips, equal data from each format, and errors that name the file and the field."""

import os
import re
from contextlib import suppress
from dataclasses import fields

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import io, linalg, sparse

import mobod as mb
from mobod.errors import InputError, ModelFileError, UnsupportedError
from mobod.flexible.files.fields import Fields, read_npz
from mobod.flexible.files.matlab_file import read_matlab
from mobod.flexible.files.matrix_market import read_matrix_market
from mobod.flexible.files.modal_file import modal_parts
from mobod.flexible.invariants import rigid_motions
from tests.flexible.bodies import SECTION, random_modal, random_points
from tests.flexible.frame_elements import beam
from tests.flexible.sid_text import sid_text

ELEMENTS = 6
INTERFACES = {"start": 0, "middle": 2, "end": ELEMENTS}


@pytest.fixture(scope="module")
def matrices():
    """(M, K, nodes) of a beam whose frame is off its axis."""
    M, K, nodes = beam(1.3, ELEMENTS, **SECTION)
    return M, K, nodes + np.array([0.2, -0.1, 0.3])


@pytest.fixture(scope="module")
def modal(matrices):
    return mb.ModalData.from_matrices(*matrices, INTERFACES, inboard="middle", modes=5)


def assert_same(found, wanted, exactly=False):
    """Shapes have no sign of their own; all else agrees to the round-off of eigenvectors."""
    signs = np.ones(wanted.n)
    if not exactly:
        signs = np.sign(np.sum(found.coupling * wanted.coupling, axis=0))
    compare = (
        assert_array_equal if exactly else (lambda a, b: assert_allclose(a, b, rtol=1e-7, atol=1e-9 * max(1.0, np.abs(b).max(initial=0))))
    )
    assert found.inboard == wanted.inboard
    assert list(found.interfaces) == list(wanted.interfaces)
    compare(found.stiffness, wanted.stiffness)
    compare(found.coupling * signs, wanted.coupling)
    compare(found.damping, wanted.damping)
    for name, each in wanted.interfaces.items():
        compare(found.interfaces[name].shapes * signs, each.shapes)
        compare(found.interfaces[name].X.p, each.X.p)
        compare(found.interfaces[name].X.R, each.X.R)
    compare(np.asarray(found.mass_properties.inertia), np.asarray(wanted.mass_properties.inertia))
    compare(found.mass_properties.com, wanted.mass_properties.com)


@pytest.mark.parametrize("kind", ["reduced", "points", "curved points", "beam", "surface"])
def test_written_modal_data_come_back_bit_by_bit(kind, tmp_path, matrices):
    rng = np.random.default_rng(3)
    made = {
        "reduced": lambda: random_modal(rng, 4, ["a", "wing tip"]),
        "points": lambda: random_points(rng, 3, ["a"], curved=False),
        "curved points": lambda: random_points(rng, 3, ["a"], curved=True),
        "beam": lambda: mb.FlexibleBeam(1.2, mb.Section.circle(0.02), mb.Material(E=7e10, nu=0.3, density=2700), modes=3, at=[0.4]).modal,
        "surface": lambda: mb.ModalData.from_matrices(*matrices, INTERFACES, inboard="end", modes=3, surface=[[0, 1, 4], [2, 1, 5]]),
    }[kind]()
    made.write(tmp_path / "body.npz")
    found = mb.ModalData.read(tmp_path / "body.npz")
    assert_same(found, made, exactly=True)
    assert (found.size, found.flexibility_lost) == (made.size, made.flexibility_lost)
    assert len(found.points) == len(made.points)
    for point, wanted in zip(found.points, made.points, strict=True):
        assert point.mass == wanted.mass
        for name in ("inertia", "p", "shapes", "second"):
            assert_array_equal(getattr(point, name), getattr(wanted, name))
    for each in ("vertices", "faces", "shapes") if made.surface else ():
        assert_array_equal(getattr(found.surface, each), getattr(made.surface, each))
    for each in ("first", "second") if made.moments else ():
        assert_array_equal(getattr(found.moments, each), getattr(made.moments, each))
    assert (found.surface is None, found.moments is None) == (made.surface is None, made.moments is None)


def test_a_file_has_every_field_of_modal_data(tmp_path, modal):
    """So that a new field is not lost without a word."""
    modal.write(tmp_path / "body.npz")
    parts = modal_parts(Fields(tmp_path / "body.npz", read_npz(tmp_path / "body.npz")))
    assert set(parts) == {each.name for each in fields(mb.ModalData)}


def write(folder, kind, matrices):
    """The path of these matrices in a file of a kind."""
    if kind == "folder":
        for name, each in matrices.items():
            io.mmwrite(folder / f"{name}.mtx", sparse.coo_array(each) if name in "MKD" else np.asarray(each), precision=17)
        return folder
    path = folder / f"body.{kind.split()[-1]}"
    if kind == "sparse npz":
        parts = {
            f"{name}.{part}": getattr(sparse.csr_array(matrices[name]), part) for name in "MK" for part in ("data", "indices", "indptr")
        }
        np.savez(path, **parts, **{name: each for name, each in matrices.items() if name not in "MK"})
    elif kind == "npz":
        np.savez(path, **matrices)
    else:
        io.savemat(
            path, {name: sparse.csc_matrix(each) if name in "MK" and kind == "sparse mat" else each for name, each in matrices.items()}
        )
    return path


@pytest.mark.parametrize("kind", ["npz", "sparse npz", "mat", "sparse mat", "folder"])
def test_matrices_from_a_file_give_the_modal_data_of_the_matrices(kind, tmp_path, matrices, modal):
    M, K, nodes = matrices
    D = 1e-4 * K
    path = write(tmp_path, kind, {"M": M, "K": K, "D": D, "nodes": nodes, "surface": np.array([[0, 1, 2]])})
    found = mb.ModalData.read(path, INTERFACES, inboard="middle", modes=5)
    assert_same(found, mb.ModalData.from_matrices(M, K, nodes, INTERFACES, inboard="middle", modes=5, D=D))
    assert_allclose(found.surface.vertices, nodes[:3], rtol=1e-15)
    assert_allclose(found.frequencies, modal.frequencies, rtol=1e-9)


def test_nodes_may_be_given_beside_matrix_market_files(tmp_path, matrices, modal):
    write(tmp_path, "folder", {"M": matrices[0], "K": matrices[1]})
    files = {"M": tmp_path / "M.mtx", "K": tmp_path / "K.mtx"}
    assert_same(mb.ModalData.read(files, INTERFACES, inboard="middle", modes=5, nodes=matrices[2]), modal)


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("is_sparse", [True, False])
@pytest.mark.parametrize("kind", ["real", "integer"])
def test_matrix_market_files_of_scipy_are_read_as_they_were(symmetry, is_sparse, kind, tmp_path):
    rng = np.random.default_rng(5)
    A = np.round(9 * rng.normal(size=(4, 4))) if kind == "integer" else rng.normal(size=(4, 4))
    A = A + A.T if symmetry == "symmetric" else A
    A[1, 2] = A[2, 1] = 0
    A = A.astype(int) if kind == "integer" else A
    io.mmwrite(tmp_path / "A.mtx", sparse.coo_array(A) if is_sparse else A, comment="a comment", precision=17, symmetry=symmetry)
    found = read_matrix_market(tmp_path / "A.mtx", "A")
    assert sparse.issparse(found) == is_sparse
    assert_array_equal(found.toarray() if is_sparse else found, A)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is no Matrix Market file"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "it is 'coordinate complex general'"),
        ("%%MatrixMarket matrix array real general\n2 2\n1 2 3\n", "it has 3 numbers, not 4"),
        ("%%MatrixMarket matrix array real general\n2 2\n1 2 3 x\n", "it has a text where a number belongs"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 99999999999\n1 1 1\n", "it has 3 numbers, not 3 for each of 99999999999"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", "its sizes are"),
        ("%%MatrixMarket matrix array real general\n99999999 99999999\n1\n", "its sizes are"),
    ],
)
def test_errors_of_matrix_market_files_say_what_is_wrong(text, words, tmp_path):
    (tmp_path / "K.mtx").write_text(text)
    with pytest.raises(ModelFileError, match=f"K.mtx, 'K': {words}"):
        read_matrix_market(tmp_path / "K.mtx", "K")


MATLAB = [{"format": "4"}, {"format": "5"}, {"format": "5", "do_compression": True}]


@pytest.mark.parametrize("options", MATLAB, ids=["4", "5", "7"])
def test_matlab_files_of_scipy_are_read_as_they_were(options, tmp_path):
    rng = np.random.default_rng(5)
    A = sparse.random_array((4, 3), density=0.5, rng=rng, format="csc")
    dense = {f"x{k}": (100 * rng.normal(size=(2, 3))).astype(kind) for k, kind in enumerate(("f8", "f4", "i4", "i2", "u1"))}
    others = {
        "text": "words",
        "complex": np.array([[1j]]),
        "empty": np.zeros((0, 3)),
        **({} if options["format"] == "4" else {"s": {"a": 1}}),
    }
    io.savemat(tmp_path / "A.mat", {"A": sparse.csc_matrix(A), **dense, **others}, **options)
    found = read_matlab(tmp_path / "A.mat", ("A", *dense, "empty", "nothing"))
    assert_array_equal(found["A"].toarray(), A.toarray())
    for name, each in dense.items():
        assert_array_equal(found[name], each)
    assert set(found) == {"A", *dense, "empty"}
    with pytest.raises(ModelFileError, match=r"A.mat, 'complex': it is no matrix of real numbers"):
        read_matlab(tmp_path / "A.mat", ("complex",))


@pytest.mark.parametrize("options", MATLAB, ids=["4", "5", "7"])
def test_damaged_matlab_files_raise_errors_of_mobod_alone(options, tmp_path):
    """Bytes that are changed, left out, added or cut off at random, and big sizes: SciPy's reader may end the program at these."""
    rng = np.random.default_rng(11)
    path = tmp_path / "A.mat"
    io.savemat(path, {"M": sparse.csc_matrix(np.diag([1.0, 2.0, 3.0])), "K": np.eye(3)}, **options)
    whole = path.read_bytes()
    for number in range(300):
        at, count = int(rng.integers(len(whole))), int(rng.integers(1, 9))
        added = b"\xff\xff\xff\x7f" if number % 3 == 0 else rng.integers(0, 256, int(rng.integers(0, 9)), dtype=np.uint8).tobytes()
        path.write_bytes(whole[:at] + added + whole[at + count :] * int(rng.integers(5) > 0))
        with suppress(mb.errors.MobodError):
            for each in read_matlab(path, ("M", "K")).values():
                if sparse.issparse(each):
                    each.check_format(full_check=True)


@pytest.mark.parametrize("kind", ["npz", "sparse npz", "folder"])
def test_damaged_files_raise_errors_of_mobod_alone(kind, tmp_path, matrices):
    """Bytes that are changed, left out, added or cut off at random."""
    rng = np.random.default_rng(11)
    path = write(tmp_path, kind, {"M": matrices[0], "K": matrices[1], "nodes": matrices[2]})
    file = path / "M.mtx" if kind == "folder" else path
    whole = file.read_bytes()
    for _ in range(30):
        at, count = int(rng.integers(len(whole))), int(rng.integers(1, 9))
        added = rng.integers(0, 256, int(rng.integers(0, 9)), dtype=np.uint8).tobytes()
        file.write_bytes(whole[:at] + added + whole[at + count :] * int(rng.integers(5) > 0))
        with suppress(mb.errors.MobodError):
            mb.ModalData.read(path, INTERFACES, inboard="middle", modes=3)


def test_reduced_matrices_need_no_nodes(tmp_path, matrices):
    """Of three nodes of a beam, with their six freedoms: a reduced model as other programs write it."""
    M, K, nodes = beam(1.3, 2, **SECTION)
    poses = {"a": nodes[0], "b": nodes[1], "c": nodes[2]}
    path = write(tmp_path, "mat", {"M": M, "K": K})
    assert_same(mb.ModalData.read(path, poses, inboard="a"), mb.ModalData.from_reduced(M, K, poses, inboard="a"))


def free_modes(M, K, n):
    return linalg.eigh(K, M)[1][:, 6 : 6 + n]


def test_sid_of_free_modes_gives_the_modal_data_of_the_same_shapes(tmp_path, matrices):
    """All 36 free modes of the mesh span what its reduction with all nodes as interfaces spans; the lowest clamped modes agree, to 1e-6 of
    the file's 16 digits and the condition of M. The inboard node is the second one, at no special place."""
    M, K, nodes = matrices
    T = rigid_motions(nodes, np.zeros(3), 6)
    path = tmp_path / "beam.SID_FEM"
    path.write_text(sid_text(M, K, nodes, T, free_modes(M, K, len(M) - 6), [0, 2, ELEMENTS]))
    names = {"start": 1, "middle": 3, "end": ELEMENTS + 1}
    found = mb.ModalData.read(path, names, inboard="middle", modes=5)
    every = {name: INTERFACES.get(name, k) for k, name in enumerate(["start", "n1", "middle", "n3", "n4", "n5", "end"])}
    wanted = mb.ModalData.from_matrices(M, K, nodes, every, inboard="middle", modes=5)
    assert_allclose(found.frequencies, wanted.frequencies, rtol=1e-6)
    signs = np.sign(np.sum(found.coupling * wanted.coupling, axis=0))
    assert_allclose(found.coupling * signs, wanted.coupling, atol=1e-6)
    for name in names:
        assert_allclose(found.interfaces[name].shapes * signs, wanted.interfaces[name].shapes, atol=1e-5)
    assert_allclose(np.asarray(found.mass_properties.inertia), np.asarray(wanted.mass_properties.inertia), rtol=1e-9, atol=1e-12)
    assert list(mb.ModalData.read(path, inboard="node1", below=200.0).interfaces) == ["node1", "node3", "node7"]


def test_sid_keeps_damping_and_a_frame_on_the_body(tmp_path, matrices):
    M, K, nodes = matrices
    T, shapes = rigid_motions(nodes, np.zeros(3), 6), free_modes(M, K, 6)
    D = np.diag(np.arange(1.0, 7.0))
    path = tmp_path / "beam.sid"
    turned = [
        "AP",
        "order = 0",
        "nrow = 3",
        "ncol = 3",
        "nq = 6",
        "nqn = 0",
        "structure = 3",
        "m0( 1, 2) = -1.0",
        "m0(2,1) = 1.0D+0",
        "m0( 3 3) = 1.0",
        "end AP",
    ]
    path.write_text(sid_text(M, K, nodes, T, shapes, [0, 6], D).replace("end node", "\n".join([*turned, "end node"])))
    found = mb.ModalData.read(path, inboard="node1")
    assert_allclose(found.interfaces["node7"].X.R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    # which no choice of shapes changes; to the digits of the condition of K
    assert_allclose(linalg.eigvalsh(found.damping, np.diag(found.stiffness)), linalg.eigvalsh(D, shapes.T @ K @ shapes), rtol=1e-6)


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("field", ["stiffness", "K"])
def test_no_file_runs_code(field, tmp_path, modal, matrices):
    sprung = tmp_path / "sprung"
    trap = np.array([Trap(sprung)], dtype=object)
    if field == "K":
        np.savez(tmp_path / "bad.npz", M=matrices[0], K=trap, allow_pickle=True)
    else:
        modal.write(tmp_path / "good.npz")
        with np.load(tmp_path / "good.npz") as good:
            np.savez(tmp_path / "bad.npz", **(dict(good) | {field: trap}))
    with pytest.raises(ModelFileError, match=f"bad.npz: '{field}' is damaged, or has Python objects, which could run code"):
        mb.ModalData.read(tmp_path / "bad.npz")
    assert not sprung.exists()


BROKEN_MODAL = {
    "format": ("anything", "'format' is not 'mobod modal data'"),
    "version": (2, "'version' is 2, and this mobod reads 1"),
    "interfaces": (np.array(["a", "b", "c"]), "'interfaces': no interface is named 'middle'"),
    "stiffness": (np.array([1.0, 2.0, -3.0, 4.0, 5.0]), "'stiffness' must be positive and not decreasing"),
    "shapes": (np.zeros((3, 6, 4)), r"'shapes' has shape \(3, 6, 4\), not \(3, 6, 5\)"),
    "R": (np.ones((3, 3, 3)), "'R' has a matrix that is no rotation"),
    "mass": (-1.0, "'mass' is -1; it must be positive"),
    "inertia": (np.diag([1.0, 1.0, 9.0]), "'mass', 'com', 'inertia': "),
    "coupling": (np.full((6, 5), 30.0), "'coupling' is too large for the mass"),
    "damping": (np.diag([1.0, 1.0, 1.0, 1.0, -2.0]), "'damping' has a negative eigenvalue"),
    "size": (np.nan, "'size' has numbers that are not finite"),
}


@pytest.mark.parametrize("field", BROKEN_MODAL)
def test_errors_of_written_modal_data_name_the_file_and_the_field(field, tmp_path, modal):
    value, words = BROKEN_MODAL[field]
    modal.write(tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as good:
        np.savez(tmp_path / "bad.npz", **(dict(good) | {field: value}))
    with pytest.raises(ModelFileError, match=f"bad.npz: {words}"):
        mb.ModalData.read(tmp_path / "bad.npz")


def test_a_missing_field_is_named(tmp_path, modal):
    modal.write(tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as good:
        np.savez(tmp_path / "bad.npz", **{name: each for name, each in good.items() if name != "coupling"})
    with pytest.raises(ModelFileError, match=r"bad.npz: there is no 'coupling'. The file has 'R', 'com', 'damping'"):
        mb.ModalData.read(tmp_path / "bad.npz")


def changed(matrices, name):
    M, K, nodes = (np.array(each) for each in matrices)
    if name == "asymmetric":
        K[2, 8] *= 3
    elif name == "negative mass":
        M[12, 12] = -5.0
    elif name == "negative stiffness":
        of_mode = M @ free_modes(M, K, 1)[:, 0]
        K = K - 1e9 * np.outer(of_mode, of_mode)  # rigid motions keep no stiffness
    elif name == "not square":
        K = K[:, :-1]
    elif name == "nodes":
        nodes = nodes[:, :2]
    elif name == "freedoms":
        nodes = nodes[:-1]
    elif name == "nan":
        M[1, 1] = np.nan
    return {"M": M, "K": K, "nodes": nodes}


@pytest.mark.parametrize("kind", ["npz", "folder"])
@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("asymmetric", r"K is not symmetric: entries \(2, 8\) and \(8, 2\)"),
        ("negative mass", "M"),
        ("negative stiffness", "K"),
        ("not square", "K"),
        ("nodes", "nodes"),
        ("freedoms", "M has 42 freedoms for 6 nodes"),
        ("nan", "M"),
    ],
)
def test_matrices_that_are_none_of_a_body_are_refused_by_file_and_name(kind, what, words, tmp_path, matrices):
    path = write(tmp_path, kind, changed(matrices, what))
    with pytest.raises(ModelFileError, match=f"^{re.escape(str(tmp_path))}.*{words}"):
        mb.ModalData.read(path, INTERFACES, inboard="middle", modes=3)


def test_what_is_no_file_of_its_kind_is_refused(tmp_path, matrices):
    for suffix in ("npz", "mat", "sid"):
        (tmp_path / f"bad.{suffix}").write_bytes(b"%PDF-1.7 not a model")
        with pytest.raises(ModelFileError, match=f"bad.{suffix}"):
            mb.ModalData.read(tmp_path / f"bad.{suffix}", INTERFACES, inboard="middle")
    (tmp_path / "M.mtx").write_text("%%MatrixMarket matrix coordinate real general\n3 3 1\n9 9 1.0\n")
    with pytest.raises(ModelFileError, match=r"M.mtx, 'M': an entry is not in a matrix of 3 rows and 3 columns"):
        mb.ModalData.read({"M": tmp_path / "M.mtx", "K": tmp_path / "M.mtx"}, INTERFACES, inboard="middle")
    (tmp_path / "hdf.mat").write_bytes(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(64))
    with pytest.raises(UnsupportedError, match=r"hdf.mat is a MATLAB file of version 7.3"):
        mb.ModalData.read(tmp_path / "hdf.mat", INTERFACES, inboard="middle")
    with pytest.raises(ModelFileError, match=r"none.npz: there is no such file"):
        mb.ModalData.read(tmp_path / "none.npz")
    (tmp_path / "body.txt").touch()
    with pytest.raises(InputError, match=r"files end with .npz, .mat, .sti"):
        mb.ModalData.read(tmp_path / "body.txt")


def test_arguments_that_a_file_has_already_are_refused(tmp_path, modal, matrices):
    modal.write(tmp_path / "good.npz")
    with pytest.raises(InputError, match=r"has modal data already. Leave out inboard, modes"):
        mb.ModalData.read(tmp_path / "good.npz", inboard="end", modes=3)
    path = write(tmp_path, "mat", {"M": matrices[0], "K": matrices[1], "nodes": matrices[2]})
    with pytest.raises(InputError, match=r"has nodes already"):
        mb.ModalData.read(path, INTERFACES, inboard="end", nodes=matrices[2])
    with pytest.raises(InputError, match=r"has matrices. Give interfaces"):
        mb.ModalData.read(path)
    with pytest.raises(InputError, match=r"written to .npz files"):
        modal.write(tmp_path / "body.mat")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("nelastq = 6", "nelastq = 7", "'psi' of node 1 has 3 rows and 6 columns, not 3 and 7"),
        ("nelastq = 6", "", "there is no 'nelastq'"),
        ("mass = ", "mass = -", "'mass' is -"),
        ("Ke\norder", "Kx\norder", "there is no 'Ke'"),
        ("new node = 7", "new node = 1", "line [0-9]+: node 1 is there twice"),
        ("m0( 1, 1) = ", "m0( 9, 1) = ", r"line [0-9]+: the entry \(9, 1\) is not in a matrix of 3 rows"),
        ("m0( 1, 1) = ", "m0( 1, 1) = x", "line [0-9]+: 'x"),
        ("structure = 3", "structure = 9", "line [0-9]+: structure is 9"),
        ("nrow = 3", "nrow = 99999999", "line [0-9]+: 99999999 is not from 0 to 2000"),
        ("nrow = 3", f"nrow = {'9' * 5000}", "line [0-9]+: 99999999999999999999 is not from 0 to 2000"),
        ("nelastq = 6", f"nelastq = {'9' * 5000}", "line [0-9]+: 99999999999999999999 is not from 0 to 2000"),
        ("new node = 7", f"new node = {'7' * 5000}", "line [0-9]+: 77777777777777777777... is no number of a node"),
        ("m0( 1, 1) = ", f"m0( {'1' * 5000}, 1) = ", "line [0-9]+: 11111111111111111111 is not from 0 to 2000"),
    ],
)
def test_errors_of_sid_files_name_the_place(old, new, words, tmp_path, matrices):
    M, K, nodes = matrices
    text = sid_text(M, K, nodes, rigid_motions(nodes, np.zeros(3), 6), free_modes(M, K, 6), [0, 6])
    assert old in text
    (tmp_path / "bad.sid").write_text(text.replace(old, new, 1))
    with pytest.raises(ModelFileError, match=f"bad.sid.*{words}"):
        mb.ModalData.read(tmp_path / "bad.sid", inboard="node1")
