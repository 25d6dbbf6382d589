"""Sizes beyond which numbers of a robot file are mistakes."""

ABSURD = 1e12  # m, kg, kg m^2, ...: larger numbers are mistakes, and in sums of squares other numbers would lose all digits
FARTHEST = 1e10  # m: how far a ray of a range finder without a bound goes
