"""Algorithms whose course depends on values: arrays in, arrays out. Twins of C files in fmu_src/native."""

from mobod.numerics.factor import RowFactors, SemidefiniteFactors, factor_rows, factor_semidefinite, rank_tolerance

__all__ = ["RowFactors", "SemidefiniteFactors", "factor_rows", "factor_semidefinite", "rank_tolerance"]
