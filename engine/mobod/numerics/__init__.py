"""Algorithms whose course depends on values: arrays in, arrays out. Twins of C files in fmu_src/native."""

from mobod.numerics.complementarity import ComplementaritySolution, solve_complementarity
from mobod.numerics.factor import (
    RowFactors,
    SemidefiniteFactors,
    distance_of_errors,
    factor_rows,
    factor_semidefinite,
    rank_tolerance,
    rank_tolerance_beside,
)
from mobod.numerics.quadratic_program import QuadraticSolution, solve_quadratic_program

__all__ = [
    "ComplementaritySolution",
    "QuadraticSolution",
    "RowFactors",
    "SemidefiniteFactors",
    "distance_of_errors",
    "factor_rows",
    "factor_semidefinite",
    "rank_tolerance",
    "rank_tolerance_beside",
    "solve_complementarity",
    "solve_quadratic_program",
]
