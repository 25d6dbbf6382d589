"""FmuEntries: the numbers, truth values and texts of an FMU by name, an entry of an array as 'p[2]'."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import final

from mobod.cosim.variable import Value, entry_names
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.importer.fmu_model import FmuModel
from mobod.importer.instance import FmuInstance
from mobod.importer.variable import ForeignVariable

Place = tuple[ForeignVariable, int]


@final
class FmuEntries:
    """Where the entries are.

    fmu
    sizes   structural parameters that differ from their start values
    places  of each entry: the FMU's variable, and the position in it
    """

    def __init__(self, fmu: FmuModel, sizes: Mapping[str, int] | None = None) -> None:
        self.fmu = fmu
        self.sizes = dict(sizes or {})
        self.places: dict[str, Place] = {
            entry: (variable, position)
            for name, variable in fmu.variables.items()
            if variable.kind is not None
            for position, entry in enumerate(self.names_of(name, variable))
        }

    def shape(self, variable: ForeignVariable) -> tuple[int, ...]:
        return self.fmu.shape(variable, dict(self.sizes))

    def names_of(self, name: str, variable: ForeignVariable) -> list[str]:
        """The names of the entries of a variable with this name."""
        return entry_names(name, self.shape(variable)) if variable.is_array else [name]

    def of(self, names: Iterable[str]) -> list[Place]:
        """Raises UnknownNameError with the nearest name."""
        for name in names:
            UnknownNameError.check(f"variable of {self.fmu.path.name}", name, self.places)
        return [self.places[name] for name in names]

    def start_elements(self, values: Mapping[str, Value], before: Mapping[str, Value]) -> dict[str, list[Value]]:
        """Like `elements`, of the variables of these values, with the entries of them that were given before. Raises UnknownNameError."""
        variables = {variable for variable, _ in self.of(values)}
        return self.elements({name: value for name, value in {**before, **values}.items() if self.places[name][0] in variables})

    def elements(self, values: Mapping[str, Value]) -> dict[str, list[Value]]:
        """Values by the names of entries as lists of all elements of the FMU's variables. Entries that are not given have the FMU's start
        values. Raises InputError if it has none.
        """
        found: dict[str, list[Value]] = {}
        for name, value in values.items():
            variable, position = self.places[name]
            if variable.name not in found:
                size = math.prod(self.shape(variable))
                own = variable.start_values or []
                if len(own) != size and not all(entry in values for entry in self.names_of(variable.name, variable)):
                    raise InputError(f"'{variable}' of {self.fmu.path} has no start value for each of its {size} entries. Set all of them.")
                found[variable.name] = list(own) if len(own) == size else [value] * size
            found[variable.name][position] = value
        return found

    def directional_derivative(
        self, fmu: FmuInstance, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]
    ) -> list[float]:
        """The change of entries, to first order, for a change of others, by the FMU's own function. Raises UnsupportedError."""
        if not self.fmu.can(fmu.interface, "providesDirectionalDerivative"):
            raise UnsupportedError(f"FMU '{fmu.name}' ({self.fmu.path}) has no directional derivatives.")
        (results, of, _), (seeds, along, n) = (elements_of(fmu, self.of(names)) for names in (unknowns, knowns))
        seed = [0.0] * n
        for position, amount in zip(along, change, strict=True):
            seed[position] = amount
        found = fmu.directional_derivative(results, seeds, seed)
        return [found[position] for position in of]


def elements_of(fmu: FmuInstance, places: Sequence[Place]) -> tuple[list[ForeignVariable], list[int], int]:
    """The variables of some entries, each of them once; the positions of the entries among all their elements; and their number."""
    first: dict[ForeignVariable, int] = {}
    end = 0
    for variable, _ in places:
        if variable not in first:
            first[variable], end = end, end + fmu.size(variable)
    return list(first), [first[variable] + position for variable, position in places], end
