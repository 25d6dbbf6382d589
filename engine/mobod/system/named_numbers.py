"""NamedNumber: single numbers of a State by the names of users, such as 'free.q[2]'."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import final

from mobod.errors import InputError, UnknownNameError
from mobod.system.number_names import entry_position, spellings, split_entry
from mobod.system.variable import CatalogueVariable


@final
@dataclass(frozen=True)
class NamedNumber:
    """One number of a State.

    variable  an array or a single number of the catalogue
    entry     the place in the variable, by rows, from 0
    name, unit
    """

    variable: CatalogueVariable
    entry: int
    name: str
    unit: str

    @property
    def offset(self) -> int:
        """In State.values."""
        return self.variable.slot.offset + self.entry


def found_variable(
    catalogue: Mapping[str, CatalogueVariable], name: object, thing: str, offered: Iterable[str] | None = None
) -> CatalogueVariable:
    """The variable with this name; for the name of an entry a variable of this one number, whose `array` is the whole one.

    offered  names of which the error offers the nearest; default: all

    Raises UnknownNameError with the nearest name.
    """
    if isinstance(name, str):
        if name in catalogue:
            return catalogue[name]
        if (entry := split_entry(name, catalogue)) is not None:
            array = catalogue[entry[0]]
            return array.entry_of(entry_position(thing, name, *entry, array.slot.shape))
    raise UnknownNameError(thing, name, catalogue if offered is None else offered)


def numbers_of(variables: Iterable[CatalogueVariable]) -> list[NamedNumber]:
    """All numbers of these variables. That of a single entry has the whole array as its variable."""
    found: list[NamedNumber] = []
    for each in variables:
        array = each if each.array is None else each.array
        first = each.slot.offset - array.slot.offset
        found += [NamedNumber(array, first + i, name, each.unit(i)) for i, name in enumerate(each.entry_names())]
    return found


def checked_names(names: Iterable[str], what: str) -> Iterable[str]:
    """The names. Raises InputError for one name instead of a list. what: the argument, for the message"""
    if isinstance(names, str):
        raise InputError(f"{what} is a list of names. Write {what}=['{names}'].")
    return names


def places_by_name(numbers: Iterable[NamedNumber]) -> dict[str, int]:
    """The place in the list for each name that a number has: 'der(free.q[2])' and 'der(free.q)[2]'."""
    places: dict[str, int] = {}
    for place, number in enumerate(numbers):
        for name in spellings(number.variable.name, number.entry, number.variable.slot.shape):
            places.setdefault(name, place)
    return places
