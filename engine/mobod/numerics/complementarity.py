"""Multipliers of bilateral and unilateral rows, redundant ones welcome: w = B^T y + a, y = B z, where

    w = 0 for equations,   z = clip(z - w, lower, upper) for the others

which for bounds of 0 and infinity is  w >= 0, z >= 0, w z = 0. The method and its sources stand in fmu_src/native/complementarity.h.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.errors import ComplementarityError, InfeasibleError, InputError, MobodError
from mobod.numerics.array_checks import checked_names, invalid_rows, shaped, shaped_bounds
from mobod.runtime.library import doubles, ffi, ints, reals_at, runtime, workspace

_ADVICE = "Rows nearly depend on each other, or masses and lengths are of too different sizes."


@final
@dataclass(frozen=True)
class ComplementaritySolution:
    """Of m rows in n dimensions, the equations first.

    y                (n,)  B z
    multipliers      (m,)  z
    active           unilateral rows that are met as equations; of rows that depend on each other, those that were needed
    dependent        equations that are combinations of the others; their multipliers are zero
    contradiction    by how much dependent rows contradict each other, relative
    complementarity  what rows and multipliers miss of the conditions at the top of this file, relative
    n_steps          how many rows came or went
    """

    y: np.ndarray
    multipliers: np.ndarray
    active: tuple[int, ...]
    dependent: tuple[int, ...]
    contradiction: float
    complementarity: float
    n_steps: int


def solve_complementarity(
    B: Any,
    a: Any,
    n_equations: int = 0,
    *,
    size: Any = None,
    lower: Any = 0.0,
    upper: Any = np.inf,
    least_squares: bool = False,
    names: Sequence[str] | None = None,
) -> ComplementaritySolution:
    """The multipliers of rows that are given by their columns B, the first `n_equations` of them equations.

    B              (n, m)  B^T B = G M^-1 G^T
    a              (m,)    w of each row without multipliers
    size           (m,)    of the numbers that a is the difference of, as a guess at its round-off; |a| if left out
    lower, upper   () or (m - n_equations,)  bounds of the multipliers of unilateral rows; infinity and the
                   largest number are none
    least_squares  equations that contradict each other are met as well as they can be, each relative to its length, and are no error
    names          (m,)    of rows, for messages

    Raises InputError for wrong shapes and what is not finite, InfeasibleError where rows contradict each other, ComplementarityError where
    round-off got the better of the method.
    """
    B, a = shaped(B, "B", 2), shaped(a, "a", 1)
    (n, _), m = B.shape, len(a)
    size = None if size is None else shaped(size, "size", 1)
    n_sizes = m if size is None else len(size)
    if B.shape[1] != m or n_sizes != m or not 0 <= n_equations <= m:
        raise InputError(f"B has shape {B.shape} and there are {n_sizes} sizes and {n_equations} equations. a has {m} rows.")
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


def active_and_dependent(rows: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Of a solved `Complementarity`: unilateral rows that are met as equations, and equations that are combinations of the others."""
    k, equations, found = rows.n_equations, rows.equations, rows.active_set
    active = sorted(row - k for row in ffi.unpack(found.held, found.n_held) if row >= k)
    return tuple(active), tuple(ffi.unpack(equations.order, k)[equations.rank :])


def failure(
    outcome: int,
    rows: Any,
    complementarity: float,
    stationarity: float,
    names: Sequence[str] | None,
    problem: Mapping[str, np.ndarray],
) -> MobodError:
    """The words for an outcome other than ROWS_SOLVED; `rows` is a `Complementarity`."""
    library = runtime()
    if outcome == library.ROWS_INVALID:
        return invalid_rows(problem)
    if outcome == library.ROWS_CONTRADICT:
        against = ffi.unpack(rows.against, rows.n_against)
        return InfeasibleError(_contradiction([_quoted(names, row, rows.n_equations) for row in against], rows.violation), against, problem)
    if outcome == library.ROWS_CYCLING:
        return ComplementarityError(f"{rows.m} rows come and go without end. {_ADVICE}", problem)
    return ComplementarityError(
        f"{rows.m} rows: the solution misses them by {complementarity:.1e} and the balance of forces by {stationarity:.1e}, relative, "
        f"where {library.mobod_largest_certified_residual():g} is allowed. {_ADVICE}",
        problem,
    )


def _quoted(names: Sequence[str] | None, row: int, n_equations: int) -> str:
    if names is not None:
        return f"'{names[row]}'"
    return f"'equation {row}'" if row < n_equations else f"'unilateral row {row - n_equations}'"


def _contradiction(quoted: Sequence[str], violation: float) -> str:
    if len(quoted) == 1:
        return (
            f"{quoted[0]} cannot be met: {violation:.3g} is missing, and no motion changes it. Leave it out or correct its right-hand side."
        )
    return (
        f"{', '.join(quoted[:-1])} and {quoted[-1]} contradict each other: {violation:.3g} of the first is missing. Leave one out or "
        "correct their right-hand sides."
    )
