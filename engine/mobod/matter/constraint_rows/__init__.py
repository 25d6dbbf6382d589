"""Constraints as rows: their tables, their kernels, and the steps that find multipliers."""
