"""The numbers of a model, one by one, and their selection by name."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from mobod.errors import InputError, UnknownNameError
from mobod.fmu.exported_model import ExportedModel
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


@dataclass(frozen=True)
class Entry:
    """One number of a catalogue variable, with its name for users."""

    variable: CatalogueVariable
    name: str
    at: int
    unit: str
    array: ArrayEntry | None = None

    def start_name(self) -> str:
        """'free.q_start[1]' for 'free.q[1]'"""
        of_variable = self.variable.name
        return f"{of_variable}_start{self.name.removeprefix(of_variable)}"

    def start_array_name(self) -> str:
        """'free.q_start'"""
        return f"{self.variable.name}_start"


def entries_of(model: ExportedModel) -> list[Entry]:
    """All numbers of the catalogue. Entries of a derivative are named after the entries of its state."""
    states = {v.slot.offset + i: (v, i, name) for v in model.variables if v.role == "state" for i, name in enumerate(v.entry_names())}
    entries = []
    for variable in model.variables:
        first = variable.slot.offset
        if variable.role == "derivative":
            first_state = first - model.y_dot.offset + model.y.offset
            of_states = [states[first_state + i] for i in range(variable.slot.size)]
            named = [(f"der({name})", _entry_of_array(state, number, f"der({state.name})")) for state, number, name in of_states]
        else:
            named = [(name, _entry_of_array(variable, i, variable.name)) for i, name in enumerate(variable.entry_names())]
        entries += [Entry(variable, name, first + i, variable.unit(i), array) for i, (name, array) in enumerate(named)]
    return entries


def _entry_of_array(variable: CatalogueVariable, number: int, name: str) -> ArrayEntry | None:
    return ArrayEntry(name, variable.slot.shape, number) if variable.slot.size > 1 else None


def choose(kind: str, names: Iterable[str], entries: list[Entry], allowed: tuple[str, ...], also: Collection[int] = ()) -> set[str]:
    """The names of the selected entries. A name can be a variable, which selects all its entries, or a single entry.

    allowed  roles that may be selected
    also     offsets of entries that may be selected with any role
    """
    if isinstance(names, str):
        raise InputError(f"{kind}s: a list of names is needed, not one name. Write {kind}s=['{names}'].")
    named: dict[str, list[Entry]] = {}
    for entry in entries:
        for name in {entry.variable.name, entry.name}:
            named.setdefault(name, []).append(entry)
    chosen = set()
    for name in names:
        found = named.get(name)
        if not found:
            known = {known for e in entries if e.variable.role in allowed for known in (e.variable.name, e.name)}
            raise UnknownNameError(kind, name, known)
        role = found[0].variable.role
        if role not in allowed and not all(entry.at in also for entry in found):
            raise InputError(f"{kind} '{name}': it is {_KINDS[role]}. {kind.capitalize()}s can be {_PLURALS[kind]}.")
        chosen |= {entry.name for entry in found}
    return chosen
