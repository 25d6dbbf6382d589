"""VariedNumber: one number of a System by the name that users give it, such as 'lower.q' or 'lower.p_GB[2]'."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.simulate.element_names import element_position, split_element
from mobod.system import CatalogueVariable, Stage, State, System


@final
@dataclass(frozen=True)
class VariedNumber:
    """name, unit; entry: its position in the variable, by rows."""

    name: str
    unit: str
    variable: CatalogueVariable
    entry: int

    @property
    def offset(self) -> int:
        """In State.values."""
        return self.variable.slot.offset + self.entry


def varied_numbers(system: System, state: State, names: Iterable[str], what: str) -> list[VariedNumber]:
    """The numbers of variables, in order: all of 'free.q', or the second of 'free.q[2]'. what: the argument, for messages.

    Raises UnknownNameError; InputError for a text instead of a list, an index that does not exist, and a number that is named twice.
    """
    if isinstance(names, str):
        raise InputError(f"{what} is a list of names. Write {what}=['{names}'].")
    known = {variable.name: variable for variable in system.variables(state)}
    found: list[VariedNumber] = []
    for name in names:
        element = split_element(name, known)
        variable = system.variable(state, name if element is None else element[0])
        entries = range(variable.slot.size)
        if element is not None:
            position = element_position(variable.name, element[1], variable.slot.shape)
            entries = range(position, position + 1)
        found += [VariedNumber(variable.entry_names()[i], variable.unit(i), variable, i) for i in entries]
    twice = {each.name for each in found if [other.name for other in found].count(each.name) > 1}
    if twice:
        raise InputError(f"{what}: '{min(twice)}' is given twice.")
    return found


def check_parameter(number: VariedNumber, what: str) -> None:
    """Raise InputError unless it is a state, a real parameter or a real input that can be set in a State."""
    variable = number.variable
    if variable.role not in ("state", "parameter", "input"):
        raise InputError(f"{what}: '{number.name}' is computed. Give parameters, inputs, and states for their start values.")
    if variable.type != "real":
        raise InputError(f"{what}: '{number.name}' is {'a flag' if variable.type == 'boolean' else 'a whole number'}, without derivatives.")
    if variable.invalidates is not None and variable.invalidates <= Stage.MODEL:
        raise InputError(f"{what}: '{number.name}' decides which other variables there are.")


def set_numbers(system: System, state: State, numbers: Iterable[VariedNumber], values: Iterable[float]) -> None:
    """Set numbers of a State. Raises InputError for a value out of bounds."""
    arrays: dict[str, np.ndarray] = {}
    for number, value in zip(numbers, values, strict=True):
        slot = number.variable.slot
        array = arrays.setdefault(number.variable.name, state.values[slot.slice].copy())
        array[number.entry] = value
    for name, array in arrays.items():
        system.set_value(state, name, array.reshape(system.variable(state, name).slot.shape))
