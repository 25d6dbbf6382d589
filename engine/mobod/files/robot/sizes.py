"""Sizes beyond which numbers of a robot file are mistakes."""

ABSURD = 1e12  # m, kg, kg m^2, ...: larger numbers are mistakes, and in sums of squares other numbers would lose all digits
