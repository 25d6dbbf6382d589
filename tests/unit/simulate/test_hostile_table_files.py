"""Files of results that are cut off, damaged or made to harm: each is an error or a warning that names the place."""

import numpy as np
import pytest

import mobod as mb
from mobod.analysis.measurements import _read_csv
from mobod.errors import InputError
from mobod.importer.input_table import read_input_table
from mobod.simulate.table import Table

CUT = "time,x\n0.0,1.5\n1.0,2.25\n2.0,123"  # of 123.75


# CSV -------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "column"),
    [
        (Table.from_csv, lambda table: table["x"].tolist()),
        (_read_csv, lambda table: table["x"].tolist()),
        (read_input_table, lambda table: [float(text) for text in table.columns["x"]]),
    ],
    ids=["a table", "measurements", "inputs of an FMU"],
)
def test_a_last_row_without_a_line_end_is_a_warning_and_is_left_out_of_an_unfinished_file(tmp_path, read, column):
    path, unfinished = tmp_path / "run.csv", tmp_path / "run.csv.part"
    for each in (path, unfinished):
        each.write_text(CUT)
    message = r"line 4: the last row has no line end, so that its last cell, '123', may be cut off"
    with pytest.warns(mb.MobodWarning, match=rf"run\.csv, {message}\. It is used"):
        assert column(read(path)) == [1.5, 2.25, 123.0]
    with pytest.warns(mb.MobodWarning, match=rf"run\.csv\.part, {message}\. It is left out"):
        assert column(read(unfinished)) == [1.5, 2.25]
    for end in ("\n", "\r\n"):
        path.write_bytes((CUT + end).encode())
        assert column(read(path)) == [1.5, 2.25, 123.0]


def test_an_unfinished_file_is_read_whereever_it_was_cut(tmp_path):
    path = tmp_path / "run.csv.part"
    whole = 'time,"a,b"\n0.0,1.5\n1.0,-2.5e-3\n'
    for length in range(whole.index("\n") + 1, len(whole)):
        path.write_text(whole[:length])
        if whole[length - 1] == "\n":
            assert len(Table.from_file(path).time) == whole[:length].count("\n") - 1
        else:
            with pytest.warns(mb.MobodWarning, match=r"run\.csv\.part, line \d: the last row"):
                assert len(Table.from_file(path).time) == whole[:length].count("\n") - 1


# HDF5 ------------------------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def hdf5(tmp_path):
    """Writes a file of to_hdf5 with columns x and p, then changes it by a function of the open file."""
    h5py = pytest.importorskip("h5py", reason="HDF5 needs h5py, of the extra 'data'")

    def write(change):
        path = tmp_path / "run.h5"
        Table(np.arange(3.0), {"x": np.ones(3), "p": np.ones((3, 2)), "s": np.array(["a", "b", "c"], dtype=object)}).to_hdf5(path)
        with h5py.File(path, "r+") as file:
            change(h5py, file)
        return path

    return write


def replaced(key, **arguments):
    def change(h5py, file):
        del file[key]
        file.create_dataset(key, **arguments)

    return change


def linked(key, link):
    def change(h5py, file):
        del file[key]
        file[key] = link(h5py)

    return change


def virtual(h5py, file):
    del file["x"]
    layout = h5py.VirtualLayout((3,), dtype=float)
    layout[:] = h5py.VirtualSource("other.h5", "x", (3,))
    file.create_virtual_dataset("x", layout)


def grouped(h5py, file):
    del file["x"]
    file.create_group("x/y")


def references(h5py, file):
    del file["x"]
    file.create_dataset("x", data=[file.ref] * 3, dtype=h5py.ref_dtype)


def repeated_text(h5py, file):
    """A long text that many entries refer to, as HDF5 can, is here one compressed text of fixed length each."""
    del file["s"]
    file.create_dataset("s", shape=(3,), dtype=h5py.string_dtype(length=10**9), chunks=(1,), compression="gzip")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            replaced("x", shape=(3,), dtype=float, external=[("secret.bin", 0, 24)]),
            r"/x: its numbers are in other files, such as 'secret\.bin'",
        ),
        (linked("x", lambda h5py: h5py.ExternalLink("other.h5", "/x")), "/x: it is a link, which is not followed"),
        (linked("x", lambda h5py: h5py.SoftLink("/p")), "/x: it is a link"),
        (linked("time", lambda h5py: h5py.ExternalLink("other.h5", "/time")), "/time: it is a link"),
        (virtual, "/x: it is a virtual dataset"),
        (grouped, "/x: it is a group, not a dataset"),
        (references, "/x: its type is object"),
        (repeated_text, r"/s: it declares \d+ bytes"),
        (replaced("x", data=1.5), "/x: it has no rows"),
        (replaced("x", shape=None, dtype=float), "/x: it has no rows"),
        (replaced("x", data=np.ones(4)), r"/x: it has shape \(4,\), but there are 3 points in time"),
        (replaced("x", data=np.ones((3, 1, 1))), r"/x: it has shape \(3, 1, 1\)"),
        (replaced("x", data=np.ones(3, dtype=complex)), "/x: its type is complex128"),
        (replaced("x", shape=(3, 10**12), dtype=float, chunks=(1, 100)), r"/x: it declares 24\d+ bytes, but the file has"),
        (replaced("x", shape=(3, 2**61), dtype=float, chunks=(1, 100)), r"/x: it declares \d+ bytes, but the file has"),
        (lambda h5py, file: file.__delitem__("time"), "/time: there is no such dataset"),
        (replaced("time", data=np.array(0.0)), "/time: it has no rows"),
        (replaced("time", data=np.ones((3, 3))), r"/time: it has shape \(3, 3\)"),
        (replaced("time", data=["a", "b", "c"]), "/time: it has shape .* type object"),
        (replaced("time", shape=(10**12,), dtype=float, chunks=(100,)), "/time: it declares 8000000000000 bytes"),
        (lambda h5py, file: file["x"].attrs.__setitem__("units", 3), "/x: its attribute 'units' is no text"),
        (lambda h5py, file: file["x"].attrs.__setitem__("description", [1, 2]), "/x: its attribute 'description' is no text"),
        (
            lambda h5py, file: file["p"].attrs.__setitem__("component_names", ["a", "b"]),
            r"/p: it has shape \(3, 2\), 2 names .* and 0 units",
        ),
        (lambda h5py, file: file["p"].attrs.__setitem__("component_names", 1), "/p: its attribute 'component_names' is no list"),
    ],
)
def test_a_dataset_that_is_no_column_is_refused_by_its_path(hdf5, change, message):
    path = hdf5(change)
    with pytest.raises(InputError, match=rf"run\.h5, {message}"):
        Table.from_hdf5(path)


def test_texts_that_many_entries_share_are_limited(hdf5, monkeypatch):
    monkeypatch.setattr("mobod.simulate.table_files.unpacked_size.FREE", 10**4)
    monkeypatch.setattr("mobod.simulate.table_files.unpacked_size._RATIO", 0)
    with pytest.raises(InputError, match=r"/s: it declares 1\d{4} bytes"):
        Table.from_hdf5(hdf5(replaced("s", data=["a" * 4000, "b" * 4000, "c" * 4000])), "s")
