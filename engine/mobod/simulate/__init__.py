"""Simulation of a System in Python, assembly of closed loops, and recorded results.

A name is imported when it is first used: tables alone need little of the package.
"""

from typing import TYPE_CHECKING, Any

from mobod.late_imports import late_import

if TYPE_CHECKING:
    from mobod.simulate.assembly.assembly import Assembler
    from mobod.simulate.assembly.conditions import AssemblyCondition, Marker, OrientationSensor, QValue
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

_MODULES = {
    "Assembler": "mobod.simulate.assembly.assembly",
    "AssemblyCondition": "mobod.simulate.assembly.conditions",
    "Comparison": "mobod.simulate.comparison",
    "Marker": "mobod.simulate.assembly.conditions",
    "OrientationSensor": "mobod.simulate.assembly.conditions",
    "QValue": "mobod.simulate.assembly.conditions",
    "Results": "mobod.simulate.results",
    "Simulation": "mobod.simulate.simulation",
    "SteppedRun": "mobod.simulate.stepped_run",
    "Table": "mobod.simulate.table",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'mobod.simulate' has no attribute '{name}'", name=name)
    value = globals()[name] = late_import(f"{_MODULES[name]}:{name}")
    return value
