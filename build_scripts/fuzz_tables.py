"""Readers of tables of results and inputs over time (fuzz.py). mobod is imported within functions: see fuzz_reader.py."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from fuzz_changes import changed_cells, changed_hdf5, changed_mat
from fuzz_reader import Read, reader, written


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
    yield written(getattr(table, {".csv": "to_csv", ".mat": "to_mat", ".h5": "to_hdf5"}[suffix]), suffix)
    if suffix == ".csv":
        yield b"time,a,text\n0,1,one\n1,2.5,two\n# ended: because\n"


def _results(suffix: str, *modules: str) -> dict[str, Any]:
    """A reader of results. modules: those whose branches are counted, besides mobod's"""
    return {
        "reads": "tables of results",
        "suffix": suffix,
        "modules": ("mobod.simulate", *modules),
        "examples": partial(_table_examples, suffix),
    }


@reader("csv", **_results(".csv"), change=changed_cells)
@reader("mat", **_results(".mat", "scipy.io"), change=changed_mat)
@reader("hdf5", **_results(".h5", "h5py"), change=changed_hdf5, needs="h5py")
def _table(folder: Path) -> Read:
    import mobod as mb

    return mb.Table.from_file


def _inputs_examples() -> Iterator[bytes]:
    yield b'"time", "u", "on"\n0, 1, true\n0.5, 2.5, false\n0.5, 3, 0\n1, -1e3, 1\n'


@reader(
    "inputs",
    reads="inputs of FMUs over time",
    suffix=".csv",
    modules=("mobod.importer",),
    examples=_inputs_examples,
    change=changed_cells,
)
def _inputs(folder: Path) -> Read:
    from mobod.importer.input_table import read_input_table

    return read_input_table
