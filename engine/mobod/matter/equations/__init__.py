"""Equations of mobilizers, constraints and motions, with their parameters."""
