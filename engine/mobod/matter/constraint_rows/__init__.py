"""Constraints as rows: their tables, their recorded functions, and the procedures that find multipliers."""
