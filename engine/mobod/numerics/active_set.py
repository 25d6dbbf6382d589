"""Multipliers z of rows w = B^T y + a, y = B z, each between its bounds: w >= 0 at the lower one, w <= 0 at the upper one, 0 between them.

Twin of fmu_src/native/active_set.c: the same decisions, and the same solutions to round-off.

This is the dual of: y of least norm with w >= 0 (or w = 0). The dual active-set method begins where no inequality is held. It takes the
row that is violated most and raises its multiplier, the multipliers of held rows following, until the row is met, and is held from then on;
a multiplier that reaches its bound on the way lets its row go. Each row that enters increases the dual objective, so that no set of held
rows comes twice; redundant rows and multipliers of zero do no harm. y is unique, and no matrix is ever regularised. A row that depends on
those that are held moves multipliers alone; where nothing bounds them, the rows contradict each other, and r is the proof.

QR of the columns of B that are held, instead of Cholesky's factor of B^T B, keeps the condition of B and does not square it. Columns come
by Gram-Schmidt with reorthogonalisation.

Source: Goldfarb & Idnani, A numerically stable dual method for solving strictly convex quadratic programs, Math. Prog. 27 (1983);
Daniel, Gragg, Kaufman & Stewart, Reorthogonalization and stable algorithms for updating the Gram-Schmidt QR factorization, Math.
Comp. 30 (1976); bounds as in Cottle, Pang & Stone, The Linear Complementarity Problem (1992), ch. 4.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import qr, solve_triangular

_MET = 1e-10  # a row that is violated by less counts as met
_PARALLEL = 1e-7  # a row that depends on others may contradict them by this, as round-off does
_STILL = 1e-12  # a multiplier that changes by less than this part of another stays
_CANCELLATION = 1e-4  # times _MET: 50 eps
_BEYOND = 1e-9  # a multiplier may lie beyond its bound by this part of the largest
_TIE = 1e-10  # of rows that are equal to this, the first is taken


@final
@dataclass(frozen=True)
class UnitRows:
    """Rows of unit length; those with bounds of -inf and inf are equations: held to the end, or never.

    B      (n, m)  their columns, of length 1 or 0
    a      (m,)
    size   (m,)    of the numbers that a is the difference of
    lower  (m,)    bounds of multipliers
    upper  (m,)
    """

    B: np.ndarray
    a: np.ndarray
    size: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def scale(self, z: np.ndarray, y: np.ndarray) -> np.ndarray:
        """(m,) the numbers to which round-off in w is relative: those of the row, of y, and of the rows that made y. Large multipliers of
        nearly dependent rows cancel in y, and leave their own round-off."""
        return self.size + np.linalg.norm(y) + self.size[z != 0].max(initial=0.0) + _CANCELLATION * np.abs(z).sum()


@final
@dataclass(frozen=True)
class Held:
    """B[:, rows] = Q R, for the rows that are held, in the order in which they came."""

    rows: tuple[int, ...]
    Q: np.ndarray
    R: np.ndarray

    def split(self, column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """d, v with column = Q d + v, v orthogonal to Q."""
        d = self.Q.T @ column
        v = column - self.Q @ d
        again = self.Q.T @ v
        return d + again, v - self.Q @ again

    def with_row(self, row: int, d: np.ndarray, v: np.ndarray) -> "Held":
        k, length = len(self.rows), np.linalg.norm(v)
        R = np.zeros((k + 1, k + 1))
        R[:k, :k], R[:k, k], R[k, k] = self.R, d, length
        return Held((*self.rows, row), np.column_stack([self.Q, v / length]), R)

    def without_row(self, row: int, B: np.ndarray) -> "Held":
        rows = tuple(each for each in self.rows if each != row)
        return hold(rows, B)


def hold(rows: tuple[int, ...], B: np.ndarray) -> Held:
    """`rows` must not depend on each other."""
    if not rows or not len(B):
        return Held((), np.zeros((len(B), 0)), np.zeros((0, 0)))
    Q, R = qr(B[:, list(rows)], mode="economic", check_finite=False)
    return Held(rows, Q, R)


@final
@dataclass(frozen=True)
class ActiveSet:
    """What the method came to.

    z        (m,)  multipliers
    y        (n,)  B z
    held     rows that are met as equations
    skipped  rows that depend on these, and contradict them by round-off
    n_steps  how many rows came or went
    """

    z: np.ndarray
    y: np.ndarray
    held: tuple[int, ...]
    skipped: tuple[int, ...]
    n_steps: int


class ContradictionError(Exception):
    """No y meets `rows`, of which the first is violated by `violation`: a combination of them says 0 >= something positive."""

    def __init__(self, rows: tuple[int, ...], violation: float):
        super().__init__(rows, violation)
        self.rows, self.violation = rows, violation


class TooManyStepsError(Exception):
    """Round-off lets rows come and go."""


def solve_active_set(rows: UnitRows, held: tuple[int, ...], rank_tolerance: float) -> ActiveSet:
    """From the independent equations, which are `held`; the length of what is left of a row that counts as dependent is `rank_tolerance`.

    Raises ContradictionError, TooManyStepsError.
    """
    return _Search(rows, held, rank_tolerance).run()


class _Search:
    def __init__(self, rows: UnitRows, held: tuple[int, ...], rank_tolerance: float):
        self.rows, self.rank_tolerance = rows, rank_tolerance
        self.is_equation = np.isinf(rows.lower) & np.isinf(rows.upper)
        self.z = np.clip(0.0, rows.lower, rows.upper)
        self.y = np.zeros(len(rows.B))
        self.held = hold(held, rows.B)
        self.refresh()
        self.n_steps = 0

    def run(self) -> ActiveSet:
        rows, skipped = self.rows, set[int]()
        while (entering := self.most_violated(skipped)) is not None:
            p, sign, violation = entering
            before = self.z.copy(), self.y.copy(), self.held
            obstacle = self.enter(p, sign)
            if obstacle is None:
                skipped.clear()
                self.refresh()
                continue
            if violation > _PARALLEL * rows.scale(*before[:2])[p]:
                others = np.array(self.held.rows, dtype=int)[np.abs(obstacle) > _MET]
                raise ContradictionError((p, *others.tolist()), violation)
            self.z, self.y, self.held = before
            skipped.add(p)
        return ActiveSet(self.z, self.y, self.held.rows, tuple(sorted(skipped)), self.n_steps)

    def most_violated(self, skipped: set[int]) -> tuple[int, int, float] | None:
        """Row, where its multiplier has to go, and by how much it is violated."""
        rows = self.rows
        w = rows.B.T @ self.y + rows.a
        up, down = np.where(self.z < rows.upper, -w, 0.0), np.where(self.z > rows.lower, w, 0.0)
        violation = np.maximum(up, down)
        violation[self.is_equation | (violation <= _MET * rows.scale(self.z, self.y))] = 0.0
        violation[[*self.held.rows, *skipped]] = 0.0
        largest = violation.max(initial=0.0)
        if largest == 0.0:
            return None
        p = int((violation >= (1 - _TIE) * largest).argmax())
        return p, 1 if up[p] > 0 else -1, violation[p]

    def enter(self, p: int, sign: int) -> np.ndarray | None:
        """Move the multiplier of row p until the row is met, or the multiplier is at its bound. Returns None, or, where neither can be,
        r (rows that are held) with B_p = B_held r.
        """
        rows, z = self.rows, self.z
        for _ in range(len(z) + 1):
            self.n_steps += 1
            if self.n_steps > 50 * (len(z) + 2):
                raise TooManyStepsError
            held = list(self.held.rows)
            d, v = self.held.split(rows.B[:, p])
            r = _solved(self.held.R, d)
            square = v @ v
            violation = max(0.0, -sign * (rows.B[:, p] @ self.y + rows.a[p]))

            # how far until the row is met, its multiplier at its bound, another one at its bound
            is_independent = len(held) < len(v) and square > self.rank_tolerance**2
            to_be_met = violation / square if is_independent else np.inf
            own = rows.upper[p] - z[p] if sign > 0 else z[p] - rows.lower[p]
            room, bound = self.room(held, -sign * r)
            step = min(to_be_met, own, room.min(initial=np.inf))
            if step == np.inf:
                return r
            is_met = to_be_met <= (1 + _TIE) * step
            if is_met:
                step = to_be_met

            z[held] -= sign * step * r
            z[p] += sign * step
            if is_independent:
                self.y = self.y + sign * step * v
            if is_met:
                self.held = self.held.with_row(p, d, v)
                return None
            if step == own:
                z[p] = rows.upper[p] if sign > 0 else rows.lower[p]
                return None
            first = min((row, i) for i, row in enumerate(held) if room[i] <= (1 + _TIE) * step)[1]
            z[held[first]] = bound[first]
            self.held = self.held.without_row(held[first], rows.B)
        raise TooManyStepsError

    def room(self, held: list[int], rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How far each multiplier that is held can go at its rate, and the bound that stops it."""
        bound = np.where(rate > 0, self.rows.upper[held], self.rows.lower[held])
        moves = (np.abs(rate) > _STILL) & ~np.isinf(bound)
        room = np.full(len(held), np.inf)
        room[moves] = np.maximum(0.0, (bound[moves] - self.z[held][moves]) / rate[moves])
        return room, bound

    def refresh(self) -> None:
        """y and z anew from the rows that are held and the multipliers at bounds, so that round-off does not add up."""
        rows, held = self.rows, list(self.held.rows)
        at_bound = self.z.copy()
        at_bound[held] = 0.0
        y_at_bound = rows.B @ at_bound
        along = _solved(self.held.R, -rows.a[held], transposed=True) - self.held.Q.T @ y_at_bound
        z_held = _solved(self.held.R, along)
        inside = np.clip(z_held, rows.lower[held], rows.upper[held])
        if (np.abs(z_held - inside) > _BEYOND * np.abs(z_held).max(initial=0.0)).any():
            return
        self.z[held] = inside
        self.y = y_at_bound + self.held.Q @ along


def _solved(R: np.ndarray, b: np.ndarray, transposed: bool = False) -> np.ndarray:
    return solve_triangular(R, b, trans="T" if transposed else "N", check_finite=False) if b.size else b
