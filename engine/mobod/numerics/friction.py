"""Multipliers of rows with Coulomb friction: w = B^T y + C z + a, y = B z, where

    equations:  w = 0
    boxes:      z = clip(z - w, lower, upper), such as dry friction in joints
    contacts:   z_n >= 0, w_n >= 0, z_n w_n = 0;   |z_t| <= mu z_n, and z_t = -mu z_n w_t / |w_t| if w_t is not 0

A contact is three rows: its normal n and two tangents t. A moment, against spin or rolling, is a contact whose n is that of the contact
before it. Method and sources: fmu_src/native/friction_solver/friction_program.h
"""

# Decision: docs/decisions/159-slow-slips-of-redundant-contacts.md

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import ComplementarityError, InfeasibleError, InputError, MobodError
from mobod.numerics.array_checks import invalid_rows, not_finite, shaped
from mobod.numerics.complementarity import contradiction_message, cycling_rows
from mobod.runtime.c_objects import CObject
from mobod.runtime.library import doubles, ffi, ints, reals_at, runtime, workspace

_MODES: tuple[Literal["open", "stick", "slip"], ...] = ("open", "stick", "slip")
_MOST_NAMED = 3  # contacts in a message


@final
@dataclass(frozen=True)
class FrictionSolution:
    """Solution for m rows in n dimensions: k equations, b boxes, then three rows for each of c contacts.

    y                  (n,)  B z
    multipliers        (m,)  z
    w                  (m,)  B^T y + C z + a
    modes              (c,)  what each contact does: "open", "stick" or "slip"
    residual           relative residual of the conditions at the top of this file
    contact_residuals  (c,)  the part of each contact in it
    contradiction      relative contradiction between dependent equations
    rounds             0: the start was a solution; 1: Newton's method found it; more: rounds of the other methods
    newton_steps       of all rounds
    iterations         of ADMM
    sweeps             of Gauss-Seidel
    """

    y: np.ndarray
    multipliers: np.ndarray
    w: np.ndarray
    modes: tuple[Literal["open", "stick", "slip"], ...]
    residual: float
    contact_residuals: np.ndarray
    contradiction: float
    rounds: int
    newton_steps: int
    iterations: int
    sweeps: int


def solve_friction(
    B: ArrayLike,
    a: ArrayLike,
    n_equations: int = 0,
    *,
    lower: ArrayLike = (),
    upper: ArrayLike = (),
    friction: ArrayLike = (),
    moments: ArrayLike = (),
    start: ArrayLike | None = None,
    size: ArrayLike | None = None,
    compliance: ArrayLike | None = None,
    slip: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> FrictionSolution:
    """The multipliers of equations, boxes and contacts with friction, given by the columns B of their rows, in this order.

    B             (n, m)  B^T B = G M^-1 G^T. A contact has three columns: its normal and two tangents, of orthonormal directions
    a             (m,)    w of each row without multipliers
    lower, upper  (b,)    bounds of the multipliers of boxes; infinity and the largest float mean no bound
    friction      (c,)    coefficient of each contact
    moments       (c,)    whether it is a moment: its first column is 0, and z_n in its law is that of the last contact before it that is
                          no moment. A contact has at most two. Default: none is
    start         (m,)    multipliers from which the search starts; default: 0. A problem may have several solutions
    size          (m,)    size of the numbers whose difference a is, to estimate its round-off; default: |a|
    compliance    (m,)    diagonal of C; default: 0
    slip          (c, 2)  direction, along its tangents, in which a contact slips: z_t = -mu z_n slip, whatever w_t is. (0, 0): none
    names         (k + b + c,)  names of equations, boxes and contacts, for messages

    Raises InputError for wrong shapes, numbers that are not finite, negative coefficients and compliances; InfeasibleError if equations
    contradict each other or a contact that they hold; ComplementarityError if no solution was found. There may be none.
    """
    problem = _checked(B, a, n_equations, lower, upper, friction, moments, size, compliance, slip)
    names = _checked_names(names, problem)
    begin = None if start is None else _of_rows(start, "start", problem.m)
    if begin is not None and not np.isfinite(begin).all():
        raise not_finite(begin, "start")

    library = runtime()
    reals, integers = problem.workspace()
    program = ffi.new("FrictionProgram *", {"reals": doubles(reals), "integers": ints(integers)})
    before, after = problem.pointers()
    outcome = library.mobod_solve_friction_program(program, *before, ffi.NULL if begin is None else doubles(begin), *after)
    if outcome != library.ROWS_SOLVED:
        raise _failure(outcome, program, problem, names)
    return FrictionSolution(
        y=reals_at(program.y, problem.n),
        multipliers=reals_at(program.multipliers, problem.m),
        w=reals_at(program.w, problem.m),
        modes=tuple(_MODES[mode] for mode in ffi.unpack(program.modes, problem.n_contacts)),
        residual=program.residual,
        contact_residuals=reals_at(program.contact_residuals, problem.n_contacts),
        contradiction=program.contradiction,
        rounds=program.rounds,
        newton_steps=program.newton_steps,
        iterations=program.iterations,
        sweeps=program.sweeps,
    )


def friction_residual(
    B: ArrayLike,
    a: ArrayLike,
    multipliers: ArrayLike,
    n_equations: int = 0,
    *,
    lower: ArrayLike = (),
    upper: ArrayLike = (),
    friction: ArrayLike = (),
    moments: ArrayLike = (),
    size: ArrayLike | None = None,
    compliance: ArrayLike | None = None,
    slip: ArrayLike | None = None,
) -> float:
    """The relative residual of multipliers (m,) in the problem of solve_friction: the natural map of rows of unit length.

    Raises InputError as solve_friction does.
    """
    problem = _checked(B, a, n_equations, lower, upper, friction, moments, size, compliance, slip)
    z = _of_rows(multipliers, "multipliers", problem.m)
    for what, array in {**problem.arrays, "multipliers": z}.items():
        if what not in ("lower", "upper") and array is not None and not np.isfinite(array).all():
            raise not_finite(array, what)
    reals, integers = problem.workspace()
    program = ffi.new("FrictionProgram *", {"reals": doubles(reals), "integers": ints(integers)})
    before, after = problem.pointers()
    residual: float = runtime().mobod_friction_residual(program, *before, *after, doubles(z))
    return residual


@dataclass(frozen=True)
class _FrictionProblem:
    """The arguments of the functions above, with the shapes that C expects. `arrays` has the names of the arguments."""

    n: int
    m: int
    n_equations: int
    n_boxes: int
    n_contacts: int
    is_moment: np.ndarray | None
    arrays: dict[str, np.ndarray | None]

    def workspace(self) -> tuple[np.ndarray, np.ndarray]:
        """The memory of C."""
        library, sizes = runtime(), (self.n, self.m, self.n_contacts)
        return workspace(library.mobod_friction_program_reals(*sizes), library.mobod_friction_program_integers(*sizes))

    def pointers(self) -> tuple[list[int | CObject], list[CObject]]:
        """The arguments in C, up to those that all functions share; then compliance and slip."""
        of_arrays = [ffi.NULL if each is None else doubles(each) for each in self.arrays.values()]
        of_moments = ffi.NULL if self.is_moment is None else ints(self.is_moment)
        return [self.n, self.m, self.n_equations, self.n_boxes, *of_arrays[:-2], of_moments], of_arrays[-2:]


def _checked(
    B: ArrayLike,
    a: ArrayLike,
    n_equations: int,
    lower: ArrayLike,
    upper: ArrayLike,
    friction: ArrayLike,
    moments: ArrayLike,
    size: ArrayLike | None,
    compliance: ArrayLike | None,
    slip: ArrayLike | None,
) -> _FrictionProblem:
    columns, a, mu = shaped(B, "B", 2), shaped(a, "a", 1), shaped(friction, "friction", 1)
    lower, upper = shaped(lower, "lower", 1), shaped(upper, "upper", 1)
    (n, m), b, c = columns.shape, len(lower), len(mu)
    if len(a) != m or len(upper) != b or n_equations < 0 or m != n_equations + b + 3 * c:
        raise InputError(
            f"B has shape {columns.shape} and a has {len(a)} rows, but there are {n_equations} equations, {b} lower and {len(upper)} upper "
            f"bounds of boxes, and {c} contacts with 3 rows each."
        )
    directions = None if slip is None else shaped(slip, "slip", 2)
    if directions is not None and directions.shape != (c, 2):
        raise InputError(f"slip has shape {directions.shape}. For {c} contacts it must be ({c}, 2).")
    arrays = {
        "B": np.ascontiguousarray(columns.T),
        "a": a,
        "size": None if size is None else _of_rows(size, "size", m),
        "lower": lower,
        "upper": upper,
        "friction": mu,
        "compliance": None if compliance is None else _of_rows(compliance, "compliance", m),
        "slip": directions,
    }
    return _FrictionProblem(n, m, n_equations, b, c, _checked_moments(moments, c, columns[:, n_equations + b :: 3]), arrays)


def _checked_moments(moments: ArrayLike, c: int, normals: np.ndarray) -> np.ndarray | None:
    """(c,) whether each contact is a moment; None: none is. normals (n, c): the first column of each."""
    given = np.asarray(moments, dtype=bool)
    if not given.any():
        return None
    if given.shape != (c,) or given[0] or (given[:-2] & given[1:-1] & given[2:]).any() or normals[:, given].any():
        raise InputError(
            f"moments is {given.tolist()}. It has one entry for each of {c} contacts, the first of which is no moment; no three of them "
            "follow each other, and their first columns in B are 0."
        )
    return np.ascontiguousarray(given, dtype=np.intc)


def _of_rows(array: ArrayLike, what: str, m: int) -> np.ndarray:
    checked = shaped(array, what, 1)
    if len(checked) != m:
        raise InputError(f"{what} has {len(checked)} entries, but there are {m} rows.")
    return checked


def _checked_names(names: Sequence[str] | None, problem: _FrictionProblem) -> Sequence[str]:
    k, b, c = problem.n_equations, problem.n_boxes, problem.n_contacts
    if names is None:
        return [*(f"equation {i}" for i in range(k)), *(f"box {i}" for i in range(b)), *(f"contact {i}" for i in range(c))]
    if len(names) != k + b + c:
        raise InputError(f"there are {len(names)} names for {k} equations, {b} boxes and {c} contacts.")
    return names


def _failure(outcome: int, program: CObject, problem: _FrictionProblem, names: Sequence[str]) -> MobodError:
    """The error for an outcome other than ROWS_SOLVED."""
    library, first = runtime(), problem.n_equations + problem.n_boxes
    arrays = {name: array for name, array in problem.arrays.items() if array is not None}
    if outcome == library.ROWS_INVALID:
        for name in ("friction", "compliance"):
            for i in np.flatnonzero(arrays.get(name, np.zeros(0)) < 0):
                return InputError(f"entry {i} of {name} is {arrays[name][i]:g}. It must not be negative.")
        return invalid_rows(arrays)
    if outcome == library.ROWS_CONTRADICT:
        against = ffi.unpack(program.against, program.n_against)
        rows = [names[row if row < first else first + (row - first) // 3] for row in against]
        return InfeasibleError(contradiction_message([f"'{row}'" for row in rows], program.violation), against, arrays)
    if outcome == library.ROWS_CYCLING:
        return cycling_rows(problem.m, arrays)
    residuals = reals_at(program.contact_residuals, problem.n_contacts)
    limit = library.mobod_largest_certified_residual()
    worst = [i for i in np.argsort(-residuals, kind="stable")[:_MOST_NAMED] if residuals[i] > limit]
    quoted = ", ".join(f"'{names[first + i]}'" for i in worst)
    where = f", largest at {quoted}" if worst else ""
    return ComplementarityError(
        f"no solution of {problem.m} rows with friction was found: the relative residual of the best multipliers is {program.residual:.1e}"
        f"{where}, and {limit:g} is allowed. There may be no solution. Lower the friction, or make contacts compliant.",
        arrays,
    )
