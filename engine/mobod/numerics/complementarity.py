"""Multipliers of bilateral and unilateral rows, which may be redundant: w = B^T y + a, y = B z, where

    w = 0 for equations,   z = clip(z - w, lower, upper) for the others

For bounds 0 and infinity this is  w >= 0, z >= 0, w z = 0. Method and sources: fmu_src/native/linear_algebra/complementarity.h
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import ComplementarityError, InfeasibleError, InputError, MobodError
from mobod.numerics.array_checks import checked_names, invalid_rows, shaped, shaped_bounds
from mobod.runtime.c_objects import CObject
from mobod.runtime.library import doubles, ffi, ints, reals_at, runtime, workspace

_ADVICE = "Rows nearly depend on each other, or masses and lengths are of too different sizes."


@final
@dataclass(frozen=True)
class ComplementaritySolution:
    """Solution for m rows in n dimensions, the equations first.

    y                (n,)  B z
    multipliers      (m,)  z
    active           unilateral rows that hold as equations; of dependent rows, only those that are needed
    dependent        equations that are combinations of the others; their multipliers are zero
    contradiction    relative contradiction between dependent rows
    complementarity  relative residual of the conditions at the top of this file
    n_steps          number of rows that were added to or removed from the active set
    """

    y: np.ndarray
    multipliers: np.ndarray
    active: tuple[int, ...]
    dependent: tuple[int, ...]
    contradiction: float
    complementarity: float
    n_steps: int


def solve_complementarity(
    B: ArrayLike,
    a: ArrayLike,
    n_equations: int = 0,
    *,
    size: ArrayLike | None = None,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = np.inf,
    least_squares: bool = False,
    names: Sequence[str] | None = None,
) -> ComplementaritySolution:
    """The multipliers of rows given by their columns B. The first `n_equations` are equations.

    B              (n, m)  B^T B = G M^-1 G^T
    a              (m,)    w of each row without multipliers
    size           (m,)    size of the numbers whose difference a is, to estimate its round-off; default: |a|
    lower, upper   () or (m - n_equations,)  bounds of the multipliers of unilateral rows; infinity and the
                   largest float mean no bound
    least_squares  contradictory equations are solved in the least-squares sense, each relative to its length, instead of raising an error
    names          (m,)    names of rows, for messages

    Raises InputError for wrong shapes and numbers that are not finite, InfeasibleError if rows contradict each other, ComplementarityError
    if round-off prevents a solution.
    """
    B, a = shaped(B, "B", 2), shaped(a, "a", 1)
    (n, _), m = B.shape, len(a)
    size = None if size is None else shaped(size, "size", 1)
    n_sizes = m if size is None else len(size)
    if B.shape[1] != m or n_sizes != m or not 0 <= n_equations <= m:
        raise InputError(f"B has shape {B.shape}, and {n_sizes} sizes and {n_equations} equations are given, but a has {m} rows.")
    lower, upper = shaped_bounds(lower, upper, m - n_equations)
    names = checked_names(names, n_equations, m - n_equations)

    library = runtime()
    reals, integers = workspace(library.mobod_complementarity_reals(n, m), library.mobod_complementarity_integers(n, m))
    rows = ffi.new("Complementarity *", {"reals": doubles(reals), "integers": ints(integers)})
    columns = np.ascontiguousarray(B.T)
    arrays = [ffi.NULL if each is None else doubles(each) for each in (columns, a, size, lower, upper)]
    outcome = library.mobod_solve_complementarity(rows, n, m, n_equations, *arrays, least_squares)
    if outcome != library.ROWS_SOLVED:
        problem = {"B": B, "a": a, "size": np.abs(a) if size is None else size, "lower": lower, "upper": upper}
        raise failure(outcome, rows, rows.complementarity, 0.0, names, problem)
    active, dependent = active_and_dependent(rows)
    return ComplementaritySolution(
        y=reals_at(rows.y, n),
        multipliers=reals_at(rows.multipliers, m),
        active=active,
        dependent=dependent,
        contradiction=rows.contradiction,
        complementarity=rows.complementarity,
        n_steps=rows.active_set.n_steps,
    )


def active_and_dependent(rows: CObject) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of a solved `Complementarity`: unilateral rows that hold as equations, and equations that are combinations of others."""
    k, equations, found = rows.n_equations, rows.equations, rows.active_set
    active = sorted(row - k for row in ffi.unpack(found.held, found.n_held) if row >= k)
    return tuple(active), tuple(ffi.unpack(equations.order, k)[equations.rank :])


def failure(
    outcome: int,
    rows: CObject,
    complementarity: float,
    stationarity: float,
    names: Sequence[str] | None,
    problem: Mapping[str, np.ndarray],
) -> MobodError:
    """The error for an outcome other than ROWS_SOLVED; `rows` is a `Complementarity`."""
    library = runtime()
    if outcome == library.ROWS_INVALID:
        return invalid_rows(problem)
    if outcome == library.ROWS_CONTRADICT:
        against = ffi.unpack(rows.against, rows.n_against)
        return InfeasibleError(
            contradiction_message([_quoted(names, row, rows.n_equations) for row in against], rows.violation), against, problem
        )
    if outcome == library.ROWS_CYCLING:
        return cycling_rows(rows.m, problem)
    return ComplementarityError(
        f"{rows.m} rows: the relative residual of the solution is {complementarity:.1e} for the rows and {stationarity:.1e} for the "
        "balance "
        f"of forces, and {library.mobod_largest_certified_residual():g} is allowed. {_ADVICE}",
        problem,
    )


def cycling_rows(m: int, problem: Mapping[str, np.ndarray]) -> ComplementarityError:
    """The error for ROWS_CYCLING."""
    return ComplementarityError(f"the active set of {m} rows cycles without end. {_ADVICE}", problem)


def _quoted(names: Sequence[str] | None, row: int, n_equations: int) -> str:
    if names is not None:
        return f"'{names[row]}'"
    return f"'equation {row}'" if row < n_equations else f"'unilateral row {row - n_equations}'"


def contradiction_message(quoted: Sequence[str], violation: float) -> str:
    """The message for ROWS_CONTRADICT."""
    if len(quoted) == 1:
        return (
            f"{quoted[0]} cannot be met: {violation:.3g} is missing, and no motion changes it. Leave it out or correct its right-hand side."
        )
    return (
        f"{', '.join(quoted[:-1])} and {quoted[-1]} contradict each other: {violation:.3g} of the first is missing. Leave one out or "
        "correct their right-hand sides."
    )
