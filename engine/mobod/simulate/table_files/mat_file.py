"""Tables as trajectories in MATLAB files, as Dymola (dsres.mat) and OpenModelica write and read them.

Such a file has six matrices. Aclass names the format: 'Atrajectory', '1.1', '', and 'binTrans' (one column for each variable in name,
description and dataInfo; one row for each quantity in data_1 and data_2) or 'binNormal', where all these are transposed. dataInfo has four
integers for each variable: the number of its data matrix, or 0 for the time; its place there from 1, negative if the variable has the
opposite sign; how it is interpolated; how it is extrapolated. The first quantity of a data matrix is the time. data_1 has parameters at two
times, data_2 has variables.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from os import PathLike

import numpy as np

from mobod.disk.whole_file import whole_file
from mobod.errors import InputError
from mobod.simulate.column import Column

_UNIT = re.compile(r"\[([^\[\]]*)\]$")  # at the end of a description: [rad], [rad|deg], [:#(type=Integer)]
_LARGEST_WHOLE = 2**53  # floats have all whole numbers up to this one


def write_mat(path: str | PathLike[str], time: np.ndarray, columns: Sequence[Column]) -> None:
    """Write flat columns. Parameters that do not change go to data_1.

    Raises WriteError; InputError for text, for integers that are no floats, and for names that end with a space.
    """
    from scipy.io import savemat

    tables = {1: [np.resize(time[[0, -1]], 2) if len(time) else np.zeros(2)], 2: [time]}
    infos = [(0, 1, 0, -1)]
    for column in columns:
        values = _floats(column)
        bits = values.view(np.int64)
        is_fixed = column.is_parameter and len(values) > 0 and bool((bits == bits[0]).all())
        number = 1 if is_fixed else 2
        tables[number].append(np.resize(values[:1], 2) if is_fixed else values)
        infos.append((number, len(tables[number]), 0, 0 if is_fixed else -1))
    described = [f"{each.description} [{each.unit}]".strip() if each.unit else each.description for each in columns]
    matrices = {
        "Aclass": _characters(["Atrajectory", "1.1", "", "binTrans"]),
        "name": _characters(["time", *map(_name, columns)]).T.copy(),
        "description": _characters(["time [s]", *described]).T.copy(),
        "dataInfo": np.array(infos, dtype=np.int32).T,
        **{f"data_{number}": np.array(rows) for number, rows in tables.items()},
    }
    with whole_file(path) as temporary:
        savemat(temporary, matrices, format="4", appendmat=False)


def read_mat(path: str | PathLike[str]) -> tuple[np.ndarray, list[Column]]:
    """Time and columns of one number a row. Raises InputError for a file that is not such a trajectory.

    Such files have version 4 of MATLAB's format. SciPy reads others by compiled code, in which a damaged file crashes the process.
    """
    from scipy.io import loadmat
    from scipy.io.matlab import matfile_version

    with open(path, "rb") as file:
        try:
            version, _ = matfile_version(file)
        except Exception as error:  # SciPy raises errors of many kinds for damaged files
            raise InputError(f"{path}: not a MATLAB file: {error}") from None
        if version != 0:
            raise InputError(
                f"{path}: a MATLAB file of version 5 or later. Results of Dymola and OpenModelica have version 4. In MATLAB, save them "
                "with '-v4'; in SciPy, with savemat(..., format='4')."
            )
        try:
            matrices = loadmat(file, chars_as_strings=False)
        except Exception as error:  # as above
            raise InputError(f"{path}: not a MATLAB file of version 4, or a damaged one: {error}") from None
    try:
        return _trajectory(matrices)
    except _NoTrajectoryError as error:
        raise InputError(f"{path}: not results as Dymola and OpenModelica write them: {error}.") from None


class _NoTrajectoryError(Exception):
    """The matrices are not a trajectory. The message says why."""


def _trajectory(matrices: Mapping[str, np.ndarray]) -> tuple[np.ndarray, list[Column]]:
    first, version, _, layout = (_rows(matrices, "Aclass") + [""] * 4)[:4]
    if first != "Atrajectory" or version != "1.1" or layout not in ("binTrans", "binNormal"):
        raise _NoTrajectoryError(f"Aclass is {first!r}, {version!r}, {layout!r}, not 'Atrajectory', '1.1', 'binTrans' or 'binNormal'")
    turn = np.transpose if layout == "binTrans" else np.asarray
    names, described = (_rows(matrices, key, turn) for key in ("name", "description"))
    infos = np.nan_to_num(turn(_matrix(matrices, "dataInfo"))).astype(int)  # some files have floats
    if infos.shape != (len(names), 4) or len(described) != len(names):
        raise _NoTrajectoryError(f"{len(names)} names have {len(described)} descriptions and dataInfo of shape {infos.shape}")
    if len(set(names)) != len(names):
        raise _NoTrajectoryError("two variables have the same name")
    data = {number: turn(_matrix(matrices, f"data_{number}")).astype(float) for number in sorted({1, 2} | set(infos[:, 0].tolist()) - {0})}
    if not data[2].shape[1]:
        raise _NoTrajectoryError("data_2 has 0 quantities, but the first one is the time")
    time = data[2][:, 0]
    columns = []
    for name, text, (number, place, *_) in zip(names, described, infos.tolist(), strict=True):
        if number == 0:
            continue  # the time
        if not 1 <= abs(place) <= data[number].shape[1]:
            raise _NoTrajectoryError(f"dataInfo of '{name}' is {number}, {place}, but data_{number} has {data[number].shape[1]} quantities")
        values = data[number][:, abs(place) - 1]
        if number == 1 and len(values) and len(time) != len(values):
            values = np.resize(values[:1], len(time))
        if len(values) != len(time):
            raise _NoTrajectoryError(f"'{name}' has {len(values)} values at {len(time)} times")
        unit = _UNIT.search(text.rstrip())
        columns.append(
            Column(
                name,
                -values if place < 0 else values.copy(),
                unit=(unit[1].partition(":#")[0].partition("|")[0] or None) if unit else None,
                description=text[: unit.start()].rstrip() if unit else text,
                is_parameter=number == 1,
            )
        )
    return time.copy(), columns


def _matrix(matrices: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    if name not in matrices:
        raise _NoTrajectoryError(f"it has no matrix '{name}'")
    matrix = matrices[name]
    is_text = matrix.dtype.kind == "U"
    # billions of empty rows have no bytes; data without times are possible
    is_wrongly_empty = not matrix.size and not name.startswith("data_")
    if matrix.ndim != 2 or is_text != (name in _TEXTS) or not (is_text or matrix.dtype.kind in "biuf") or is_wrongly_empty:
        raise _NoTrajectoryError(f"the matrix '{name}' has shape {matrix.shape} and type {matrix.dtype}")
    return matrix


_TEXTS = ("Aclass", "name", "description")


def _rows(matrices: Mapping[str, np.ndarray], name: str, turn: Callable[[np.ndarray], np.ndarray] = np.asarray) -> list[str]:
    """The texts of a matrix of characters. Texts are UTF-8, or else Latin-1."""
    texts = ["".join(row).rstrip(" \0") for row in turn(_matrix(matrices, name))]
    try:
        return [text.encode("latin-1").decode() for text in texts]
    except UnicodeError:
        return texts


def _characters(texts: Sequence[str]) -> np.ndarray:
    """A matrix of characters with a row for each text. SciPy writes Latin-1 only, so that each byte of UTF-8 becomes a character of it."""
    as_bytes = [text.encode().decode("latin-1") for text in texts]
    width = max(1, *map(len, as_bytes))
    return np.array([list(text.ljust(width)) for text in as_bytes])


def _name(column: Column) -> str:
    if not column.name or column.name != column.name.rstrip(" \0"):
        raise InputError(f"'{column.name}' cannot be a name in a .mat file: it is empty or ends with a space. Rename the column.")
    return column.name


def _floats(column: Column) -> np.ndarray:
    values = column.values
    if column.is_text:
        raise InputError(f"column '{column.name}' contains text, which results in a .mat file cannot. Leave it out by `Table.select`.")
    if values.dtype.kind in "iu" and len(values) and max(abs(int(values.min())), abs(int(values.max()))) > _LARGEST_WHOLE:
        raise InputError(f"column '{column.name}' contains integers above 2^53, which numbers in a .mat file cannot be. Leave it out.")
    return np.ascontiguousarray(values, dtype=float)
