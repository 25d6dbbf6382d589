"""DrivingInputs: inputs of a System as functions of time, from a table."""

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.simulate.run_variables import check_settable
from mobod.system import State
from mobod.system.named_numbers import NamedNumber
from mobod.system.system import checked_value

_ROUND_OFF = 1e-12  # relative, of a slope that does not change


@final
class DrivingInputs:
    """Values over time. A real input is interpolated linearly, any other is held until the next row. Before the first row and after the
    last one, they have its values. A time that occurs twice is a jump.

    numbers  the inputs
    kinks    (k,) s  times at which a slope or a value changes, where a step must end

    Raises InputError for values that are missing, not finite or out of bounds, and for times that decrease.
    """

    def __init__(self, state: State, numbers: list[NamedNumber], time: np.ndarray, values: Sequence[np.ndarray]) -> None:
        """time: (m,) s; values: (m,) of each number"""
        self.numbers = numbers
        self._time = time = np.asarray(time, dtype=float)
        if len(time) == 0 or not np.isfinite(time).all() or (np.diff(time) < 0).any():
            raise InputError("inputs: the times must be finite and must not decrease.")
        self._values = np.array(values).reshape(len(numbers), len(time)).T
        self._is_linear = np.array([number.variable.type == "real" for number in numbers], dtype=bool)
        for number, column in zip(numbers, self._values.T, strict=True):
            check_settable(number.variable)
            if not np.isfinite(column).all():
                row = int(np.flatnonzero(~np.isfinite(column))[0])
                raise InputError(f"inputs: '{number.name}' has no value at {time[row]:.9g} s. Inputs need one in each row.")
            for extreme in (column.min(), column.max()):
                whole = state.values[number.variable.slot.slice].copy()
                whole[number.entry] = extreme
                checked_value(number.variable, whole.reshape(number.variable.slot.shape))
        self.at = np.array([number.offset for number in numbers], dtype=np.intc)
        self.stages = np.array([int(number.variable.invalidates or 0) for number in numbers], dtype=np.intc)
        self.kinks = self._find_kinks()

    def _find_kinks(self) -> np.ndarray:
        time, values = self._time, self._values
        step = np.diff(time)[:, None]
        with np.errstate(all="ignore"):
            slopes = np.where(self._is_linear, np.diff(values, axis=0) / step, 0.0)
        changes = np.ones(len(time), dtype=bool)
        size = np.abs(values).max(axis=0, initial=0.0)
        for row in range(1, len(time) - 1):
            bend = np.abs(slopes[row] - slopes[row - 1]) * max(step[row, 0], step[row - 1, 0])
            holds = self._is_linear | (values[row] == values[row - 1])
            changes[row] = not (bool((bend <= _ROUND_OFF * size).all()) and bool(holds.all()))  # NaN at a jump is a change
        return np.unique(time[changes])

    def ramps(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """The values at a time, after a jump there, and their rates from then on."""
        row = int(np.searchsorted(self._time, time, side="right")) - 1
        if row < 0 or row == len(self._time) - 1:
            return self._values[max(row, 0)].copy(), np.zeros(len(self.numbers))
        rates = np.where(self._is_linear, (self._values[row + 1] - self._values[row]) / (self._time[row + 1] - self._time[row]), 0.0)
        return self._values[row] + rates * (time - self._time[row]), rates
