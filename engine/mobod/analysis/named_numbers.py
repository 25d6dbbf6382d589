"""NamedNumber: single numbers of a State by the names of users, such as 'free.q[2]'."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

from mobod.errors import InputError
from mobod.simulate.element_names import element_position, split_element
from mobod.system import CatalogueVariable, State, System
from mobod.system.directional import source


@final
@dataclass(frozen=True)
class NamedNumber:
    """One number of a State: its name, its unit, and its offset in State.values.

    variable  of which it is an entry; None: the time
    """

    name: str
    unit: str
    offset: int
    variable: CatalogueVariable | None


def named_numbers(system: System, state: State, names: Iterable[str], what: str) -> list[NamedNumber]:
    """The numbers of some variables, in order: all of 'free.q', the second of 'free.q[2]'. what: the argument, for messages.

    Raises UnknownNameError, InputError.
    """
    return [entry for name in _checked(names, what) for entry in _named(system, state, name)]


def sources(system: System, state: State, names: Iterable[str], what: str) -> list[NamedNumber]:
    """Inputs and real parameters, or 'time'. Raises InputError for others."""
    found: list[NamedNumber] = []
    for name in _checked(names, what):
        found += [NamedNumber("time", "s", state.layout.time.offset, None)] if name == "time" else _named(system, state, name)
    for entry in found:
        if entry.variable is not None:
            source(system, state, entry.variable.name)
            if entry.variable.role == "state":
                raise InputError(f"{what}: '{entry.name}' is a state. Give inputs and real parameters.")
    return found


def of_variables(variables: Iterable[CatalogueVariable]) -> list[NamedNumber]:
    """All numbers of these variables."""
    return [
        NamedNumber(name, variable.unit(i), variable.slot.offset + i, variable)
        for variable in variables
        for i, name in enumerate(variable.entry_names())
    ]


def state_numbers(system: System, state: State) -> dict[int, NamedNumber]:
    """The numbers of q, u and z by their offsets."""
    found = of_variables(each for each in system.variables(state) if each.role == "state")
    return {entry.offset: entry for entry in sorted(found, key=lambda entry: entry.offset)}


def _checked(names: Iterable[str], what: str) -> Iterable[str]:
    if isinstance(names, str):
        raise InputError(f"{what} is a list of names. Write {what}=['{names}'].")
    return names


def _named(system: System, state: State, name: Any) -> list[NamedNumber]:
    element = split_element(name, {each.name for each in system.variables(state)}) if isinstance(name, str) else None
    variable = system.variable(state, name if element is None else element[0])
    found = of_variables([variable])
    return found if element is None else [found[element_position(variable.name, element[1], variable.slot.shape)]]
