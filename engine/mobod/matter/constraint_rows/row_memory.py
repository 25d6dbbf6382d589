"""How much temporary memory the C runtime needs for constraint rows: RowWorkspace in fmu_src/native/constraints/rows.h."""

from collections.abc import Sequence

from mobod.matter.constraint_rows.row_pattern import RowPattern


def workspace_size(pattern: RowPattern, n_rows: int, n_joints: int, nu: int, column_counts: Sequence[int], *, has_friction: bool) -> int:
    """Size, in floats, of the C runtime's temporary memory; see rows.h and workspace_in in fmu_src/native.

    column_counts  how many speeds each part has
    """
    whole_numbers = 3 * n_rows + pattern.n_blocks  # each, or each two, in the memory of a float
    most_rows = max((part.n_rows for part in pattern.parts), default=0)
    slips = 2 * most_rows**2 + most_rows if has_friction else 0
    entries, factors = entries_size(pattern, column_counts), factors_size(pattern, column_counts)
    return 2 * n_rows * nu + 18 * n_joints + 7 * n_rows + 2 + 3 * nu + entries + whole_numbers + slips + factors


def entries_size(pattern: RowPattern, column_counts: Sequence[int]) -> int:
    """The memory for the matrix of a part, with its rows or its speeds as columns, or for the inverse of its sparse factors."""
    dense = [part.n_rows * max(part.n_rows, n) for part, n in zip(pattern.parts, column_counts, strict=True)]
    sparse = [each.size + each.tallest for part in pattern.parts if (each := part.elimination) is not None]
    return max([0, *dense, *sparse])


def factors_size(pattern: RowPattern, column_counts: Sequence[int]) -> int:
    """The memory for the factors of A of a part, or of G of all parts; see factor_reals and reals_of_G in fmu_src/native."""
    of_A, of_G = 0, 0
    for part, n in zip(pattern.parts, column_counts, strict=True):
        m, sparse = part.n_rows, 0 if part.elimination is None else part.elimination.size + 2 * part.n_rows
        of_A = max(of_A, 2 * m**2 + 7 * m, sparse)
        of_G += 2 + max(m * n + m**2 + 6 * m + n, sparse)
    return max(of_A, of_G)
