"""StartValues: what a user sets before a run, by name, from texts."""

import math
from typing import final

from mobod.errors import InputError
from mobod.importer.fmu_model import FmuModel
from mobod.importer.kinds import Value
from mobod.importer.variable import ForeignVariable
from mobod.system.number_names import entry_position, split_entry


@final
class StartValues:
    """Start values of an FMU that differ from its own.

    values  by name, lists of elements
    """

    def __init__(self, model: FmuModel) -> None:
        self.values: dict[str, list[Value]] = {}
        self._model = model

    def set(self, name: str, text: str) -> None:
        """Set a variable, or one element of an array as `name[2]`. An array takes numbers separated by commas.

        Raises UnknownNameError, and InputError for a variable that the FMU computes, a wrong type, a wrong number of elements, or a value
        out of its bounds.
        """
        variable, index = named_element(self._model, name)
        variable.check_start_is_open()
        shape = self._model.shape(variable, self.structure)
        if index is not None:
            elements = self._elements(variable, math.prod(shape))
            elements[position_of(self._model, variable, index, shape)] = variable.parsed(text)
        elif variable.is_array:
            elements = [variable.parsed(part.strip()) for part in text.split(",")]
            size = math.prod(shape)
            if len(elements) != size:
                raise InputError(f"'{variable}' has {size} elements, but was given {len(elements)}: {text}.")
        else:
            elements = [variable.parsed(text)]
        self.values[variable.name] = elements

    @property
    def structure(self) -> dict[str, Value]:
        """Values of structural parameters."""
        return {name: values[0] for name, values in self.values.items() if self._model.variables[name].causality == "structuralParameter"}

    def _elements(self, variable: ForeignVariable, size: int) -> list[Value]:
        """The present values of an array."""
        values = self.values.get(variable.name) or variable.start_values
        if values is None or len(values) != size:
            raise InputError(f"'{variable}' has no start value for each of its {size} elements. Set all of them: {variable}=1,2,3.")
        return list(values)


def named_element(model: FmuModel, name: str) -> tuple[ForeignVariable, str | None]:
    """The variable, and the index of an element if the name is `array[2]` or `array[1,2]`. Raises UnknownNameError."""
    array, index = split_entry(name, model.variables) or (name, None)
    return model.variable(array), index


def position_of(model: FmuModel, variable: ForeignVariable, index: str, shape: tuple[int, ...]) -> int:
    """The position of an element, by rows, from 0. Raises UnknownNameError if there is no such element."""
    return entry_position(f"variable of {model.path.name}", f"{variable}[{index}]", variable.name, index, shape)
