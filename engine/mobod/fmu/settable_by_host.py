"""That event handlers in plain Python set nothing that is for the host of a Python FMU to set. Of recorded ones it is known beforehand."""

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.fmu.interface import FmuVariable, Settable
from mobod.system import State
from mobod.system.event_table import EventRow


@final
class SettableByHost:
    """What may be set at any time, which the host alone does.

    state  that handlers set; what lies in w behind its numbers no handler can set
    w      the numbers that the host sets
    """

    def __init__(self, state: State, rows: Sequence[FmuVariable], w: np.ndarray):
        self._state, self._w = state, w
        self._at = np.array([row.at for row in rows if row.settable is Settable.ANY_TIME and row.at < len(state.values)], dtype=np.intp)
        self._before = w[self._at]

    def note(self) -> None:
        """The host may have set something."""
        self._before = self._w[self._at]

    def check(self, row: EventRow) -> None:
        """After a handler. Raises InputError with the name of what it has set."""
        now = self._state.values[self._at]
        for number in np.flatnonzero(self._before != now)[:1]:
            offset = int(self._at[number])
            variable = next(each for each in self._state.system.variables(self._state) if offset in each.slot.offsets)
            name = variable.entry_names()[offset - variable.slot.offset]
            change = f"from {self._before[number]:g} to {now[number]:g} by {row.event.told}, which has recordable = False"
            raise InputError(
                f"variable '{name}' was set {change}; but in this FMU it is for the host alone to set. Have the handler say that it sets "
                f"it, sets=['{variable.name}'], and export again."
            )
