"""Every built-in element by name, for model files and for tests of all elements.

Each folder's `__init__` lists its elements. Classes for users' own equations are not included.
"""

from types import ModuleType
from typing import Any

from mobod import couplings, forces, functions
from mobod.couplings import Coupling
from mobod.forces import CustomForce, Force
from mobod.functions import Function
from mobod.matter import Constraint, CustomConstraint, CustomMobilizer, MobilizedBody, Motion, constraints, decorations, mobilizers, motions
from mobod.matter.decorations import Geometry
from mobod.system import measures
from mobod.system.measures import Custom, Measure


def _elements(module: ModuleType, base: type, users: type | None = None) -> dict[str, Any]:
    """The public classes of a module that derive from `base`, except `users`, the class for users' own elements."""
    public = [getattr(module, name) for name in module.__all__]
    classes = [each for each in public if isinstance(each, type) and issubclass(each, base)]
    return {each.__name__: each for each in classes if each is not base and each is not users}


MOBILIZERS: dict[str, type[MobilizedBody]] = _elements(mobilizers, MobilizedBody, CustomMobilizer)
MOTIONS: dict[str, type[Motion]] = _elements(motions, Motion)
CONSTRAINTS: dict[str, type[Constraint]] = _elements(constraints, Constraint, CustomConstraint)
COUPLINGS: dict[str, type[Coupling]] = _elements(couplings, Coupling)
FORCES: dict[str, type[Force]] = _elements(forces, Force, CustomForce)
FUNCTIONS: dict[str, type[Function]] = _elements(functions, Function)
MEASURES: dict[str, type[Measure]] = _elements(measures, Measure, Custom)
DECORATIONS: dict[str, type[Geometry]] = _elements(decorations, Geometry)
