"""The functions of quadratic_program.c and complementarity.c for arrays of NumPy; what lies behind what C writes must not change."""

import ctypes
from dataclasses import dataclass

import numpy as np

from mobod.native_sources import elementary_sources, native_sources
from mobod.runtime.compiler import build_library

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fvisibility=default")
SOLVED, INVALID, CONTRADICT, UNSETTLED, NOT_CERTIFIED, NOT_POSITIVE = range(6)
GUARD, INTEGER_GUARD = -123.25, -77

_reals, _integers = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int)


def _fields(*groups: tuple[object, str]) -> tuple[tuple[str, object], ...]:
    return tuple((name, kind) for kind, names in groups for name in names.split())


class Factors(ctypes.Structure):
    """As in factor.h."""

    _fields_ = _fields(
        (_reals, "reals"),
        (_integers, "order"),
        (ctypes.c_int, "m n rank n_dependent is_positive"),
        (_reals, "scale rows tau null null_tau norm work"),
    )


class UnitRows(ctypes.Structure):
    """As in active_set.h, and the next."""

    _fields_ = _fields((ctypes.c_int, "n m"), (_reals, "B a size lower upper"))


class ActiveSet(ctypes.Structure):
    _fields_ = _fields(
        (_reals, "reals"),
        (_integers, "integers"),
        (_reals, "z y"),
        (_integers, "held is_skipped against"),
        (ctypes.c_double, "violation"),
        (ctypes.c_int, "n_held n_against n_steps"),
        (_reals, "Q R d v r room bound at_edge z_before y_before excess"),
        (_integers, "held_before"),
    )


class Complementarity(ctypes.Structure):
    """As in complementarity.h."""

    _fields_ = _fields(
        (_reals, "reals"),
        (_integers, "integers"),
        (ctypes.c_int, "n m n_equations"),
        (_reals, "y multipliers"),
        (ctypes.c_double, "contradiction complementarity"),
        (_integers, "against"),
        (ctypes.c_int, "n_against"),
        (ctypes.c_double, "violation"),
        (Factors, "equations"),
        (ActiveSet, "active_set"),
        (UnitRows, "rows"),
        (_reals, "B a size lower upper length missed work"),
    )


class QuadraticProgram(ctypes.Structure):
    """As in quadratic_program.h."""

    _fields_ = _fields(
        (_reals, "reals"),
        (_integers, "integers"),
        (Complementarity, "rows"),
        (ctypes.c_double, "stationarity complementarity"),
        (_reals, "L B a size w"),
    )


@dataclass
class Outcome:
    """What C came to; arrays are copies. `active` and `dependent` as in the twin, ascending."""

    code: int
    u: np.ndarray  # or y
    multipliers: np.ndarray
    active: tuple[int, ...] = ()
    dependent: tuple[int, ...] = ()
    contradiction: float = 0.0
    stationarity: float = 0.0
    complementarity: float = 0.0
    n_steps: int = 0
    against: tuple[int, ...] = ()
    violation: float = 0.0


class ProgramsInC:
    def __init__(self) -> None:
        names = ["active_set", "complementarity", "quadratic_program", "factor"]
        files = [f"{name}.{ending}" for name in names for ending in "ch"]
        sources = elementary_sources() | {name: (native_sources() / name).read_text() for name in files}
        self.library = ctypes.CDLL(str(build_library("quadratic_program", sources, flags=STRICT)))
        for name in ("complementarity", "quadratic_program"):
            for what in ("reals", "integers"):
                getattr(self.library, f"{name}_{what}").restype = ctypes.c_size_t

    def solve_quadratic_program(self, M, u_star, J, b, n_equations=0, lower=None, upper=None, least_squares=False) -> Outcome:
        program, u = QuadraticProgram(), np.full(len(u_star) + 1, GUARD)
        sizes = len(u_star), len(b)
        guarded = self._workspace("quadratic_program", program, *sizes)
        arguments = [_pointer(each) for each in (M, u_star, J, b, lower, upper)]
        code = self.library.solve_quadratic_program(ctypes.byref(program), *sizes, n_equations, *arguments, int(least_squares), _pointer(u))
        outcome = _outcome(code, program.rows, u[:-1].copy())
        outcome.stationarity, outcome.complementarity = program.stationarity, program.complementarity
        assert (u[-1], *guarded()) == (GUARD, GUARD, INTEGER_GUARD)
        return outcome

    def solve_complementarity(self, B, a, n_equations=0, size=None, lower=None, upper=None, least_squares=False) -> Outcome:
        """B (n, m) as in the twin."""
        problem = Complementarity()
        guarded = self._workspace("complementarity", problem, *B.shape)
        arguments = [_pointer(each) for each in (np.ascontiguousarray(B.T), a, size, lower, upper)]
        code = self.library.solve_complementarity(ctypes.byref(problem), *B.shape, n_equations, *arguments, int(least_squares))
        outcome = _outcome(code, problem, _read(problem.y, len(B)) if code in (SOLVED, NOT_CERTIFIED) else np.full(len(B), np.nan))
        outcome.complementarity = problem.complementarity
        assert guarded() == (GUARD, INTEGER_GUARD)
        return outcome

    def _workspace(self, name, structure, n, m):
        """Sets the workspace, and returns what tells what lies behind it."""
        reals = np.full(getattr(self.library, f"{name}_reals")(n, m) + 1, GUARD)
        integers = np.full(getattr(self.library, f"{name}_integers")(n, m) + 1, INTEGER_GUARD, dtype=np.intc)
        structure.reals, structure.integers = reals.ctypes.data_as(_reals), integers.ctypes.data_as(_integers)
        return lambda: (reals[-1], integers[-1])


def _outcome(code, problem, u) -> Outcome:
    if code in (INVALID, NOT_POSITIVE, CONTRADICT):
        against = tuple(problem.against[: problem.n_against]) if code == CONTRADICT else ()
        return Outcome(code, u, np.full(problem.m, np.nan), against=against, violation=problem.violation)
    held, k, factors = problem.active_set.held[: problem.active_set.n_held], problem.n_equations, problem.equations
    return Outcome(
        code=code,
        u=u,
        multipliers=_read(problem.multipliers, problem.m),
        active=tuple(sorted(row - k for row in held if row >= k)),
        dependent=tuple(factors.order[factors.rank : k]),
        contradiction=problem.contradiction,
        n_steps=problem.active_set.n_steps,
    )


def _pointer(array: np.ndarray | None) -> object:
    if array is None:
        return None
    assert array.flags.c_contiguous
    assert array.dtype == float
    return array.ctypes.data_as(_reals)


def _read(pointer: object, n: int) -> np.ndarray:
    return np.array(pointer[:n])
