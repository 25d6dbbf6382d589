"""OutputTable: the named numbers that the runs of an ensemble report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import InputError, UnknownNameError
from mobod.runtime.library import ffi, ints
from mobod.simulate.delays import delay_rows
from mobod.simulate.run_variables import SETTABLE
from mobod.simulate.sampling import calls_for, can_sample
from mobod.system import CatalogueVariable, State, System
from mobod.system.named_numbers import numbers_of, places_by_name
from mobod.system.number_names import array_of


@final
class OutputTable:
    """Variables, by their names, and how their numbers are computed.

    variables
    names        of the numbers, one after the other: 'lower.q', 'lower.p_GB[1]', ...
    in_c         `Outputs *` of member.h
    n_registers  size of the scratch memory for it
    is_in_c      whether C computes them; else a State must be realized for each row
    """

    def __init__(self, system: System, state: State, names: Sequence[str]):
        if isinstance(names, str):
            raise InputError(f"Ensemble: outputs are a list of names. Write outputs=['{names}'].")
        given = {name: system.variable(state, name) for name in names}
        self.variables: list[CatalogueVariable] = list({each.name: each for each in given.values()}.values())
        numbers = numbers_of(self.variables)
        self.names, self.units = [each.name for each in numbers], [each.unit for each in numbers]
        layout = state.layout
        at = [offset for each in self.variables for offset in each.slot.offsets]
        is_known = all(each.role in SETTABLE for each in self.variables)
        self.is_in_c = is_known or (can_sample(system, state) and not delay_rows(system, state))
        calls = [] if is_known or not self.is_in_c else calls_for(system, state, self.variables, at)
        self.n_registers = max((each.n_registers for each in calls), default=1)
        offsets, y = np.array(at, dtype=np.intc), layout.y
        is_state = ((offsets >= y.offset) & (offsets < y.offset + y.size)).astype(np.intc)
        self._kept = (calls, offsets, is_state, ffi.new("KernelCalls[]", [each.in_c for each in calls]))  # C uses them
        n_copied = layout.size if calls or not self.is_in_c else max([y.offset + y.size, *(offset + 1 for offset in at)])
        self.in_c = ffi.new("Outputs *", [len(at), ints(offsets), ints(is_state), len(calls), self._kept[-1], n_copied])
        ends = np.cumsum([each.slot.size for each in self.variables], dtype=int).tolist()
        columns = {name: (place, place + 1) for name, place in places_by_name(numbers).items()}
        columns |= {each.name: (end - each.slot.size, end) for each, end in zip(self.variables, ends, strict=True)}
        self.named = OutputNames(tuple(self.names), tuple(self.units), columns)

    def __len__(self) -> int:
        """The number of numbers."""
        return len(self.names)


@final
@dataclass(frozen=True)
class OutputNames:
    """The names of reported numbers, and where they are.

    names, units  of each number
    columns       of each name of a variable or of a number: its first column, and that after its last
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    columns: dict[str, tuple[int, int]]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def columns_of(self, name: str) -> int | slice:
        """The column of a single number, or the columns of a vector. Raises UnknownNameError for a name that is no output."""
        if name not in self.columns:
            raise UnknownNameError("output of the ensemble", name, list(dict.fromkeys([*self.names, *map(array_of, self.names)])))
        first, end = self.columns[name]
        return first if end == first + 1 else slice(first, end)
