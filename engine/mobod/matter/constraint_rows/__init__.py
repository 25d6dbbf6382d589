"""Constraints as rows: their tables, their kernels, and the procedures that find multipliers."""
