"""Multipliers of bilateral and unilateral rows, redundant ones welcome: w = B^T y + a, y = B z, where

    w = 0 for equations,   z = clip(z - w, lower, upper) for the others

which for bounds of 0 and infinity is  w >= 0, z >= 0, w z = 0. Twin of fmu_src/native/complementarity.c: the same decisions, and the same
solutions to round-off.

B^T B is G M^-1 G^T of the rows and a is w without multipliers. A mechanism gives B as its inward sweep leaves it, D^(-1/2) E; from a mass
matrix it is L^-1 G^T (quadratic_program.py).

Rows are brought to unit length first, so that their units do not matter. The equations are factored (factor.py): redundant ones cost
nothing, and those that contradict each other are told. Then unilateral rows come and go (active_set.py). y is unique; multipliers are not
where rows that are held depend on each other, and one that is not needed is zero.

Source: Cottle, Pang & Stone, The Linear Complementarity Problem (1992), 1.5 and 3.1.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from mobod.errors import ComplementarityError, InfeasibleError, InputError
from mobod.numerics.active_set import ActiveSet, ContradictionError, TooManyStepsError, UnitRows, solve_active_set
from mobod.numerics.array_checks import checked_array, checked_bounds, checked_names
from mobod.numerics.factor import factor_rows

ADVICE = "Rows nearly depend on each other, or masses and lengths are of too different sizes."
_RANK = 1e-9  # length of what is left of a unit row that depends on others
_CONSISTENT = 1e-6  # equations that depend on each other may contradict each other by this, relative
_CERTIFIED = 1e-8  # what a solution may miss, relative
_ROUND_OFF = 2.0**-39  # eps^(3/4): a row that is shorter than the longest by this is zero
_SMALLEST = np.finfo(float).tiny  # its reciprocal is finite


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
    B, a = checked_array(B, "B", 2), checked_array(a, "a", 1)
    m = len(a)
    size = np.abs(a) if size is None else checked_array(size, "size", 1)
    if B.shape[1] != m or len(size) != m or not 0 <= n_equations <= m:
        raise InputError(f"B has shape {B.shape} and there are {len(size)} sizes and {n_equations} equations. a has {m} rows.")
    lower, upper = checked_bounds(lower, upper, m - n_equations)
    names = checked_names(names, n_equations, m - n_equations)
    found = solve_rows(B, a, size, n_equations, lower, upper, least_squares, names, {"B": B, "a": a, "lower": lower, "upper": upper})
    y, multipliers = found.active_set.y, found.multipliers
    solution = ComplementaritySolution(
        y=y,
        multipliers=multipliers,
        active=found.active,
        dependent=found.dependent,
        contradiction=found.contradiction,
        complementarity=found.complementarity(B.T @ (B @ multipliers) + a),
        n_steps=found.active_set.n_steps,
    )
    if not is_certified(solution.complementarity, 0.0):
        raise not_certified(m, solution.complementarity, 0.0, found.problem)
    return solution


@final
@dataclass(frozen=True)
class RowsFound:
    """What unilateral rows and equations came to, before the check.

    length     (m,)  of each row, 1 in `rows`
    missed     (m,)  of unit rows: what no multipliers can meet
    dependent  equations
    problem    for errors
    """

    rows: UnitRows
    length: np.ndarray
    active_set: ActiveSet
    missed: np.ndarray
    n_equations: int
    dependent: tuple[int, ...]
    problem: Mapping[str, Any]

    @property
    def multipliers(self) -> np.ndarray:
        return self.active_set.z / self.length

    @property
    def active(self) -> tuple[int, ...]:
        return tuple(sorted(row - self.n_equations for row in self.active_set.held if row >= self.n_equations))

    @property
    def contradiction(self) -> float:
        return self.relative(np.abs(self.missed))

    def complementarity(self, w: np.ndarray) -> float:
        """What z = clip(z - w, lower, upper) misses, from w of the rows as they were given."""
        z, rows = self.active_set.z, self.rows
        return self.relative(np.abs(z - np.clip(z - (w / self.length - self.missed), rows.lower, rows.upper)))

    def relative(self, of_rows: np.ndarray) -> float:
        scale = self.rows.scale(self.active_set.z, self.active_set.y)
        return float((of_rows / np.maximum(scale, _SMALLEST)).max(initial=0.0))


def solve_rows(
    B: np.ndarray,
    a: np.ndarray,
    size: np.ndarray,
    n_equations: int,
    lower: np.ndarray,
    upper: np.ndarray,
    least_squares: bool,
    names: Sequence[str],
    problem: Mapping[str, Any],
) -> RowsFound:
    """As solve_complementarity, without the check of what comes out."""
    length = np.sqrt((B**2).sum(axis=0))
    longest = length.max(initial=0.0)
    counts = length > max(_ROUND_OFF * longest, _SMALLEST)
    length = np.where(counts, length, longest if counts.any() else 1.0)
    free = np.full(n_equations, np.inf)
    lower, upper = (_scaled_bounds(np.concatenate(each), length) for each in ([-free, lower], [free, upper]))
    rows = UnitRows(np.where(counts, B / length, 0.0), a / length, np.abs(size) / length, lower, upper)

    equations = factor_rows(rows.B[:, :n_equations].T, _RANK)
    y = equations.solve(-rows.a[:n_equations])
    missed = np.zeros(len(a))
    missed[:n_equations] = equations.residual(y, -rows.a[:n_equations])
    scale = rows.size + np.linalg.norm(y) + rows.size[:n_equations].max(initial=0.0)
    too_much = np.flatnonzero(np.abs(missed) > _CONSISTENT * np.maximum(scale, _SMALLEST))
    if len(too_much) and not least_squares:
        raise InfeasibleError(_contradiction(names, too_much, abs(missed[too_much[0]]) * length[too_much[0]]), too_much.tolist(), problem)
    rows = replace(rows, a=rows.a - missed)

    try:
        found = solve_active_set(rows, tuple(equations.independent.tolist()), _RANK)
    except ContradictionError as error:
        raise InfeasibleError(_contradiction(names, error.rows, error.violation * length[error.rows[0]]), error.rows, problem) from None
    except TooManyStepsError:
        raise ComplementarityError(f"{len(a)} rows come and go without end. {ADVICE}", problem) from None
    skipped = list(found.skipped)
    missed[skipped] = rows.B[:, skipped].T @ found.y + rows.a[skipped]
    return RowsFound(rows, length, found, missed, n_equations, tuple(equations.dependent.tolist()), problem)


def _scaled_bounds(bound: np.ndarray, length: np.ndarray) -> np.ndarray:
    """A bound of the largest number is none, as infinity is."""
    is_none = np.abs(bound) >= np.finfo(float).max
    return np.where(is_none, np.copysign(np.inf, bound), np.where(is_none, 0.0, bound) * length)


def not_certified(m: int, complementarity: float, stationarity: float, problem: Mapping[str, Any]) -> ComplementarityError:
    return ComplementarityError(
        f"{m} rows: the solution misses them by {complementarity:.1e} and the balance of forces by {stationarity:.1e}, relative, where "
        f"{_CERTIFIED:g} is allowed. {ADVICE}",
        problem,
    )


def is_certified(complementarity: float, stationarity: float) -> bool:
    return max(complementarity, stationarity) <= _CERTIFIED


def _contradiction(names: Sequence[str], rows: Iterable[int], violation: float) -> str:
    quoted = [f"'{names[row]}'" for row in rows]
    if len(quoted) == 1:
        return (
            f"{quoted[0]} cannot be met: {violation:.3g} is missing, and no motion changes it. Leave it out or correct its right-hand side."
        )
    return (
        f"{', '.join(quoted[:-1])} and {quoted[-1]} contradict each other: {violation:.3g} of the first is missing. Leave one out or "
        "correct their right-hand sides."
    )
