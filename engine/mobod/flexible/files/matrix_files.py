"""Matrices of finite elements from files: .npz, Matrix Market, MATLAB."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
from scipy import sparse

from mobod.errors import InputError, ModelFileError
from mobod.flexible.files.fields import Fields, read_npz
from mobod.flexible.files.matlab_file import read_matlab
from mobod.flexible.files.matrix_market import read_matrix_market

MATRICES = ("M", "K", "D")
NAMES = (*MATRICES, "nodes", "surface")
_OF_SPARSE = ("data", "indices", "indptr")


@final
class MatrixFields:
    """M, K and, where the file has them, D, nodes and surface. path: of the file or folder, for messages"""

    def __init__(self, path: Path, found: Mapping[str, Any]):
        for name in ("M", "K"):
            if name not in found:
                raise ModelFileError(
                    f"{path}: there is no '{name}'. It has {', '.join(map(repr, sorted(found))) or 'nothing that is needed'}."
                )
        self.path, self.found = path, found


def matrices_of_npz(path: Path, arrays: Mapping[str, np.ndarray]) -> MatrixFields:
    """Dense arrays; or of a sparse matrix 'M.data', 'M.indices', 'M.indptr', the parts of a csr_array. Raises ModelFileError."""
    fields, found = Fields(path, arrays), {}
    for name in NAMES:
        if name in fields:
            found[name] = fields.whole_numbers(name, (-1, 3)) if name == "surface" else fields.numbers(name, (-1, -1))
        elif f"{name}.data" in fields:
            found[name] = _sparse(fields, name)
    return MatrixFields(path, found)


def _sparse(fields: Fields, name: str) -> sparse.csr_array:
    data, (indices, indptr) = (
        fields.numbers(f"{name}.data", (-1,)),
        (fields.whole_numbers(f"{name}.{part}", (-1,)) for part in _OF_SPARSE[1:]),
    )
    n = indptr.size - 1
    is_valid = n > 0 and indptr[0] == 0 and indptr[-1] == data.size == indices.size and (np.diff(indptr) >= 0).all()
    if not is_valid or (indices.size and (indices.min() < 0 or indices.max() >= n)):
        raise fields.error(f"{name}.indptr", f"and '{name}.indices' are not those of a square sparse matrix by rows")
    return sparse.csr_array((data, indices, indptr), shape=(n, n))


def matrices_of_mat(path: Path) -> MatrixFields:
    """Variables of a MATLAB file of version 4 to 7. Raises ModelFileError; UnsupportedError for version 7.3."""
    return MatrixFields(path, {name: _of_numbers(path, name, value) for name, value in read_matlab(path, NAMES).items()})


def _of_numbers(path: Path, name: str, value: object) -> Any:
    if sparse.issparse(value):
        try:
            checked = sparse.csc_array(value)
            checked.check_format(full_check=True)  # SciPy does not check what a file has
        except (ValueError, TypeError) as error:
            raise ModelFileError(f"{path}: '{name}' is a damaged sparse matrix: {error}") from None
        return checked
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu" or value.ndim != 2:
        raise ModelFileError(f"{path}: '{name}' is no matrix of real numbers.")
    if name != "surface":
        return value.astype(float)
    if (value != np.round(value)).any():
        raise ModelFileError(f"{path}: 'surface' has numbers that are not whole.")
    return value.astype(int)


def matrices_of_matrix_market(files: Mapping[str, str | PathLike[str]], path: Path) -> MatrixFields:
    """Matrix Market files by the names of the matrices, 'M' and 'K' at least. Raises ModelFileError."""
    unknown = set(files) - set(NAMES)
    if unknown:
        raise InputError(
            f"ModalData.read: files are named {', '.join(map(repr, NAMES))}, not {', '.join(map(repr, sorted(map(str, unknown))))}."
        )
    return MatrixFields(path, {name: _read_matrix(Path(file), name) for name, file in files.items()})


def _read_matrix(path: Path, name: str) -> Any:
    return _of_numbers(path, name, read_matrix_market(path, name))


def files_of_folder(folder: Path) -> dict[str, Path]:
    """M.mtx, K.mtx, and D.mtx, nodes.mtx, surface.mtx where they are."""
    return {name: folder / f"{name}.mtx" for name in NAMES if (folder / f"{name}.mtx").is_file()}


__all__ = ["MatrixFields", "files_of_folder", "matrices_of_mat", "matrices_of_matrix_market", "matrices_of_npz", "read_npz"]
