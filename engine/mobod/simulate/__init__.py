"""Simulation in Python, and what it records."""

from mobod.simulate.results import Results
from mobod.simulate.simulation import Simulation
from mobod.simulate.table import Table

__all__ = ["Results", "Simulation", "Table"]
