"""Linear equations and quadratic programs with redundant rows: Python interfaces of C files in fmu_src/native, which compute everything."""

from mobod.numerics.complementarity import ComplementaritySolution, solve_complementarity
from mobod.numerics.factor import Factors, distance_of_errors, factor_rows, factor_semidefinite, rank_tolerance, rank_tolerance_at_distance
from mobod.numerics.friction import FrictionSolution, friction_residual, solve_friction
from mobod.numerics.quadratic_program import QuadraticSolution, solve_quadratic_program

__all__ = [
    "ComplementaritySolution",
    "Factors",
    "FrictionSolution",
    "QuadraticSolution",
    "distance_of_errors",
    "factor_rows",
    "factor_semidefinite",
    "friction_residual",
    "rank_tolerance",
    "rank_tolerance_at_distance",
    "solve_complementarity",
    "solve_friction",
    "solve_quadratic_program",
]
