"""Simulation of a System in Python, assembly of closed loops, and recorded results."""

from mobod.simulate.assembly import Assembler
from mobod.simulate.assembly_conditions import AssemblyCondition, Marker, OrientationSensor, QValue
from mobod.simulate.comparison import Comparison
from mobod.simulate.results import Results
from mobod.simulate.simulation import Simulation
from mobod.simulate.stepped_run import SteppedRun
from mobod.simulate.table import Table

__all__ = [
    "Assembler",
    "AssemblyCondition",
    "Comparison",
    "Marker",
    "OrientationSensor",
    "QValue",
    "Results",
    "Simulation",
    "SteppedRun",
    "Table",
]
