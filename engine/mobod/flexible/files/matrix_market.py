"""Matrix Market files of real numbers: dense ones and sparse ones, general or symmetric.

    %%MatrixMarket matrix coordinate real symmetric
    % a comment
    3 3 2               rows, columns, entries; of an 'array' rows, columns
    1 1 2.5             row and column, from 1 on, and the number; of an 'array' the numbers, column after column
    2 1 -1.0            of a symmetric matrix the lower triangle

A reader of its own, because SciPy's ends the program at some damaged files.

Source: Boisvert, Pozo, Remington, The Matrix Market exchange formats: initial design, NISTIR 5935 (1996).
"""

from pathlib import Path

import numpy as np
from scipy import sparse

from mobod.errors import ModelFileError

_MOST_ROWS = 10**7


def read_matrix_market(path: Path, name: str) -> np.ndarray | sparse.csc_array:
    """Raises ModelFileError. name: of the matrix, for messages"""

    def wrong(what: str) -> ModelFileError:
        return ModelFileError(f"{path}, '{name}': {what}.")

    try:
        lines = path.read_text(encoding="latin-1").splitlines()
    except OSError as error:
        raise wrong(f"it cannot be read: {error.strerror}") from None
    header = lines[0].lower().split() if lines else []
    if len(header) != 5 or header[:2] != ["%%matrixmarket", "matrix"]:
        raise wrong("it is no Matrix Market file: the first line is not '%%MatrixMarket matrix ...'")
    layout, kind, symmetry = header[2:]
    if layout not in ("coordinate", "array") or kind not in ("real", "integer") or symmetry not in ("general", "symmetric"):
        raise wrong(f"it is '{layout} {kind} {symmetry}'; 'coordinate' or 'array', 'real' or 'integer', 'general' or 'symmetric' are read")
    content = [line for line in lines[1:] if line.strip() and not line.startswith("%")]
    try:
        sizes = [int(each) for each in content[0].split()] if content else []
        numbers = np.array(" ".join(content[1:]).split(), dtype=float)
    except ValueError as error:
        raise wrong(f"it has a text where a number belongs: {error}") from None
    is_sparse, is_symmetric = layout == "coordinate", symmetry == "symmetric"
    if len(sizes) != (3 if is_sparse else 2) or min(sizes) < 0 or max(sizes[:2]) > _MOST_ROWS or (is_symmetric and sizes[0] != sizes[1]):
        raise wrong(f"its sizes are {sizes}")
    rows, columns = sizes[:2]
    if not is_sparse:
        lower = [(slice(j, None) if is_symmetric else slice(None), j) for j in range(columns)]
        count = rows * (rows + 1) // 2 if is_symmetric else rows * columns
        if numbers.size != count:
            raise wrong(f"it has {numbers.size} numbers, not {count}")
        return _dense(numbers, rows, columns, lower, is_symmetric=is_symmetric)
    if numbers.size != 3 * sizes[2]:
        raise wrong(f"it has {numbers.size} numbers, not 3 for each of {sizes[2]} entries")
    i, j, values = numbers.reshape(-1, 3).T
    if numbers.size and not ((i == np.round(i)) & (j == np.round(j)) & (i >= 1) & (j >= 1) & (i <= rows) & (j <= columns)).all():
        raise wrong(f"an entry is not in a matrix of {rows} rows and {columns} columns")
    i, j = i.astype(int) - 1, j.astype(int) - 1
    if is_symmetric:
        off = i != j
        i, j, values = np.concatenate([i, j[off]]), np.concatenate([j, i[off]]), np.concatenate([values, values[off]])
    return sparse.csc_array((values, (i, j)), shape=(rows, columns))


def _dense(numbers: np.ndarray, rows: int, columns: int, lower: list[tuple[slice, int]], *, is_symmetric: bool) -> np.ndarray:
    matrix, at = np.zeros((rows, columns)), 0
    for part, j in lower:
        size = matrix[part, j].size
        matrix[part, j] = numbers[at : at + size]
        at += size
    return np.tril(matrix) + np.tril(matrix, -1).T if is_symmetric else matrix
