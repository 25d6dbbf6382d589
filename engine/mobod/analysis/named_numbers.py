"""Numbers of a System that users name, for linear systems, equilibria, sensitivities, fits and sweeps."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from mobod.errors import InputError
from mobod.system import CatalogueVariable, Stage, State, System
from mobod.system.directional import source
from mobod.system.named_numbers import NamedNumber, checked_names, numbers_of


def named_numbers(system: System, state: State, names: Iterable[str], what: str) -> list[NamedNumber]:
    """The numbers of some variables, in order: all of 'free.q', the second of 'free.q[2]'. what: the argument, for messages.

    Raises UnknownNameError, InputError.
    """
    return numbers_of(system.variable(state, name) for name in checked_names(names, what))


def distinct_numbers(system: System, state: State, names: Iterable[str], what: str) -> list[NamedNumber]:
    """As `named_numbers`. Raises InputError also for a number that is named twice."""
    return [each for numbers in each_number(system, state, names, what) for each in numbers]


def each_number(system: System, state: State, names: Iterable[str], what: str) -> list[list[NamedNumber]]:
    """The numbers of each name. Raises InputError also for a number that is named twice."""
    found = [named_numbers(system, state, [name], what) for name in checked_names(names, what)]
    counts = Counter(each.name for numbers in found for each in numbers)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise InputError(f"{what}: '{min(twice)}' is given twice.")
    return found


def sources(system: System, state: State, names: Iterable[str], what: str) -> list[NamedNumber]:
    """Inputs and real parameters, or 'time'. Raises InputError for others."""
    found = numbers_of(source(system, state, name) for name in checked_names(names, what))
    for each in found:
        if each.variable.role == "state":
            raise InputError(f"{what}: '{each.name}' is a state. Give inputs and real parameters.")
    return found


def state_numbers(system: System, state: State) -> dict[int, NamedNumber]:
    """The numbers of q, u and z by their offsets."""
    found = numbers_of(each for each in system.variables(state) if each.role == "state")
    return {entry.offset: entry for entry in sorted(found, key=lambda entry: entry.offset)}


def check_parameter(number: NamedNumber, what: str) -> None:
    """Raise InputError unless it is a state, a real parameter or a real input that can be set in a State."""
    variable = number.variable
    if variable.role not in ("state", "parameter", "input"):
        raise InputError(f"{what}: '{number.name}' is computed. Give parameters, inputs, and states for their start values.")
    if variable.type != "real":
        raise InputError(f"{what}: '{number.name}' is {'a flag' if variable.type == 'boolean' else 'a whole number'}, without derivatives.")
    if variable.invalidates is not None and variable.invalidates <= Stage.MODEL:
        raise InputError(f"{what}: '{number.name}' decides which other variables there are.")


def set_numbers(system: System, state: State, numbers: Sequence[NamedNumber], values: Iterable[float]) -> None:
    """Set numbers of a State. Raises InputError for a value out of bounds."""
    arrays: dict[str, tuple[CatalogueVariable, np.ndarray]] = {}
    for number, value in zip(numbers, values, strict=True):
        variable = number.variable
        _, array = arrays.setdefault(variable.name, (variable, state.values[variable.slot.slice].copy()))
        array[number.entry] = value
    for name, (variable, array) in arrays.items():
        system.set_value(state, name, array.reshape(variable.slot.shape))
