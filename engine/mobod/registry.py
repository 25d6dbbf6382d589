"""Every built-in element by name, for model files and for tests of all elements.

Each folder's `__init__` lists its elements. Classes for users' own equations are not included.
"""

# Decision: docs/decisions/103-public-names.md

from types import ModuleType

from mobod import forces, functions, sensors
from mobod.contact import elements as contacts
from mobod.couplings import Coupling, kinds
from mobod.forces import CustomForce, Force
from mobod.functions import Function
from mobod.matter import Constraint, MobilizedBody, Motion, constraints, decorations, mobilizers, motions
from mobod.matter.bodies.decorations import Geometry
from mobod.matter.constraints import CustomConstraint
from mobod.matter.mobilizers import CustomMobilizer
from mobod.matter.motions import CustomMotion
from mobod.system import measures
from mobod.system.measures import Custom, CustomMeasure, Measure


def _elements(module: ModuleType, base: type, *users: type) -> dict[str, type]:
    """Public classes of a module that derive from the base, without the bases of users' own elements."""
    classes = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, base)]
    kinds = {each.__name__: each for each in classes if each is not base and each not in users}
    return dict(sorted(kinds.items()))


MOBILIZERS: dict[str, type[MobilizedBody]] = _elements(mobilizers, MobilizedBody, CustomMobilizer)
MOTIONS: dict[str, type[Motion]] = _elements(motions, Motion, CustomMotion)
CONSTRAINTS: dict[str, type[Constraint]] = _elements(constraints, Constraint, CustomConstraint)
COUPLINGS: dict[str, type[Coupling]] = _elements(kinds, Coupling)
FORCES: dict[str, type[Force]] = _elements(forces, Force, CustomForce) | _elements(contacts, Force)
FUNCTIONS: dict[str, type[Function]] = _elements(functions, Function)
MEASURES: dict[str, type[Measure]] = _elements(measures, Measure, Custom, CustomMeasure) | _elements(sensors, Measure)
DECORATIONS: dict[str, type[Geometry]] = _elements(decorations, Geometry)
