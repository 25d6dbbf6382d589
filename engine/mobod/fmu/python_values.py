"""The variables of a Python FMU, got and set by value reference: what values.c is for a native one."""

from collections.abc import Sequence
from math import isfinite
from typing import final

import numpy as np

from mobod.errors import InputError, MobodError
from mobod.fmu.interface import Row, Settable
from mobod.scalar.slot import Slot
from mobod.system import State, System
from mobod.system.variable import VariableType

_A_TYPE = {"real": "a Real", "boolean": "a Boolean", "integer": "an Integer"}


@final
class PythonValues:
    """Numbers of a State, and the initial conditions.

    y_start      initial conditions
    has_changed  whether something was set since the last step
    """

    def __init__(self, system: System, state: State, rows: Sequence[Row]):
        self.y_start = np.array(state.y)
        self.is_before_start = True
        self.has_changed = False
        self._system = system
        self._state = state
        self._rows = rows
        self._variables = {offset: variable for variable in system.variables(state) for offset in variable.slot.offsets}

    def get(self, references: Sequence[int], of_type: VariableType) -> list[float]:
        """Computes what they refer to. Raises MobodError for a number that is not finite."""
        rows = [self._row(reference, of_type) for reference in references]
        values = [self._value(row) for row in rows]
        for row, value in zip(rows, values, strict=True):
            if not isfinite(value):
                raise MobodError(f"at time {self._state.time:.15g} s variable '{row.name}' is {value}.")
        return values

    def set(self, references: Sequence[int], values: Sequence[float], of_type: VariableType) -> None:
        """All of them, or none if one is refused."""
        rows = [self._row(reference, of_type) for reference in references]
        for row, value in zip(rows, values, strict=True):
            self._check_settable(row)
            if not isfinite(value):
                raise InputError(f"variable '{row.name}' cannot be set to {value}; give a finite number.")
            if row.minimum is not None and value < row.minimum:
                raise InputError(f"variable '{row.name}' cannot be set to {value:.15g}; the least value is {row.minimum:g}.")
            if row.maximum is not None and value > row.maximum:
                raise InputError(f"variable '{row.name}' cannot be set to {value:.15g}; the greatest value is {row.maximum:g}.")
        for row, value in zip(rows, values, strict=True):
            self._set(row, float(value))

    def name_of(self, offset: int) -> str:
        """Of a number of the State, as the user spells it."""
        variable = self._variables[offset]
        return variable.entry_names()[offset - variable.slot.offset]

    def _row(self, reference: int, of_type: VariableType) -> Row:
        if not 0 <= reference < len(self._rows):
            raise InputError(f"no variable has value reference {reference}; the last is {len(self._rows) - 1}.")
        row = self._rows[reference]
        if row.type != of_type:
            raise InputError(f"variable '{row.name}' is {_A_TYPE[row.type]}.")
        return row

    def _value(self, row: Row) -> float:
        state = self._state
        entry = row.at - state.layout.size
        if entry >= 0:
            return float(self.y_start[entry])
        variable = self._variables.get(row.at)
        if variable is not None and variable.entry is not None:
            self._system.realize(state, variable.entry.earliest)
            state.cached(variable.entry)
        else:
            self._system.realize(state, row.stage)
        return float(state.values[row.at])

    def _check_settable(self, row: Row) -> None:
        if row.settable is Settable.NEVER:
            raise InputError(f"variable '{row.name}' is computed by the model and cannot be set.")
        if row.settable is Settable.BEFORE_START and not self.is_before_start:
            raise InputError(f"variable '{row.name}' can only be set before initialization ends.")

    def _set(self, row: Row, value: float) -> None:
        state = self._state
        entry = row.at - state.layout.size
        if entry >= 0:
            self.y_start[entry] = value
            # until initialization ends the coordinates show their initial conditions
            state.write(Slot(state.layout.y.offset + entry, ()), value, row.name, row.invalidates)
            return
        # the same bits again change nothing; compared as bits, since 0 == -0
        if state.values[row.at : row.at + 1].tobytes() == np.float64(value).tobytes():
            return
        self.has_changed = True
        variable = self._variables[row.at]
        if variable.discrete is None:
            state.write(Slot(row.at, ()), value, row.name, row.invalidates)
            return
        array = state.values[variable.slot.slice].copy()
        array[row.at - variable.slot.offset] = value
        state.set(variable.discrete, array.reshape(variable.slot.shape))
