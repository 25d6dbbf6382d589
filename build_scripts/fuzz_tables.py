"""Readers of tables of results and inputs over time (fuzz.py). mobod is imported within functions: see fuzz_reader.py."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz_changes import changed_cells, changed_hdf5, changed_mat
from fuzz_reader import Read, Reader


def _table_examples(suffix: str) -> Iterator[bytes]:
    import numpy as np

    import mobod as mb
    from mobod.simulate.column import Column

    time = np.array([0.0, 0.1, 0.25])
    columns = [
        Column("a.q", np.array([1.0, -2.5, np.nan]), unit="rad", description="an angle"),
        Column("mass", np.array([2.0, 2.0, 2.0]), unit="kg", is_parameter=True),
    ]
    table = mb.Table._of(time, columns)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"table{suffix}"
        getattr(table, {".csv": "to_csv", ".mat": "to_mat", ".h5": "to_hdf5"}[suffix])(path)
        yield path.read_bytes()
    if suffix == ".csv":
        yield b"time,a,text\n0,1,one\n1,2.5,two\n# ended: because\n"


def _table(folder: Path) -> Read:
    import mobod as mb

    return mb.Table.from_file


def _inputs_examples() -> Iterator[bytes]:
    yield b'"time", "u", "on"\n0, 1, true\n0.5, 2.5, false\n0.5, 3, 0\n1, -1e3, 1\n'


def _inputs(folder: Path) -> Read:
    from mobod.importer.input_table import read_input_table

    return read_input_table


READERS = {
    "csv": Reader(
        reads="tables of results",
        suffix=".csv",
        modules=("mobod.simulate",),
        examples=lambda: _table_examples(".csv"),
        prepare=_table,
        change=changed_cells,
    ),
    "mat": Reader(
        reads="tables of results",
        suffix=".mat",
        modules=("mobod.simulate", "scipy.io"),
        examples=lambda: _table_examples(".mat"),
        change=changed_mat,
        prepare=_table,
    ),
    "hdf5": Reader(
        reads="tables of results",
        suffix=".h5",
        modules=("mobod.simulate", "h5py"),
        examples=lambda: _table_examples(".h5"),
        change=changed_hdf5,
        prepare=_table,
        needs="h5py",
    ),
    "inputs": Reader(
        reads="inputs of FMUs over time",
        suffix=".csv",
        modules=("mobod.importer",),
        examples=_inputs_examples,
        prepare=_inputs,
        change=changed_cells,
    ),
}
