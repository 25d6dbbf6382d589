"""Sweeps: many runs of a System or an FMU with different values of its parameters, inputs and start values."""

from mobod.sweeps.sweep import sweep
from mobod.sweeps.table import SweepTable

__all__ = ["SweepTable", "sweep"]
