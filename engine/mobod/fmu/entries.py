"""The numbers of a model as variables of an FMU, and their selection by name."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from mobod.errors import InputError
from mobod.system.named_numbers import NamedNumber, checked_names, found_variable
from mobod.system.variable import CatalogueVariable

_KINDS = {
    "parameter": "a parameter, which the FMU has in any case",
    "input": "an input, or a parameter of the FMU if it is not chosen",
    "state": "a state, which the FMU calculates",
    "derivative": "a derivative, which the FMU calculates",
    "output": "a result, which the FMU calculates",
}
_PLURALS = {"input": "the settable quantities and the parameters", "output": "the states, their derivatives and the results"}


@dataclass(frozen=True)
class ArrayEntry:
    """One entry of an array. number: its place in the order of rows, from 0"""

    name: str
    shape: tuple[int, ...]
    number: int

    @classmethod
    def of(cls, number: NamedNumber, name: str) -> "ArrayEntry | None":
        """name: of the array in the FMU; None for a single number"""
        slot = number.variable.slot
        return cls(name, slot.shape, number.entry) if slot.size > 1 else None


def start_array_name(number: NamedNumber) -> str:
    """'free.q_start' for 'free.q[1]'"""
    return f"{number.variable.name}_start"


def start_name(number: NamedNumber) -> str:
    """'free.q_start[1]' for 'free.q[1]'"""
    return f"{start_array_name(number)}{number.name.removeprefix(number.variable.name)}"


def choose(
    kind: str, names: Iterable[str], variables: Sequence[CatalogueVariable], allowed: tuple[str, ...], also: Collection[int] = ()
) -> set[str]:
    """The names of the selected numbers. A name can be a variable, which selects all its numbers, or a single entry.

    allowed  roles that may be selected
    also     offsets of numbers that may be selected with any role
    """
    catalogue = {each.name: each for each in variables}
    offered = [each.name for each in variables if each.role in allowed]
    chosen: set[str] = set()
    for name in checked_names(names, f"{kind}s"):
        variable = found_variable(catalogue, name, kind, offered)
        if variable.role not in allowed and not all(offset in also for offset in variable.slot.offsets):
            raise InputError(f"{kind} '{name}': it is {_KINDS[variable.role]}. {kind.capitalize()}s can be {_PLURALS[kind]}.")
        chosen.update(variable.entry_names())
    return chosen
