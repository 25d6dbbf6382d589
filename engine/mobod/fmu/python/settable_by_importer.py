"""Checks that event handlers in plain Python set no variable that only the importer of a Python FMU may set.

For recorded handlers this is known in advance.
"""

# Decision: docs/decisions/171-start-values-of-states.md

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.fmu.variables import FmuVariable, Settable
from mobod.system import State
from mobod.system.events.table import EventRow


@final
class SettableByImporter:
    """The variables that only the importer may set.

    state  the State that handlers set; numbers of w beyond the State's cannot be set by handlers
    w      the numbers that the importer sets
    """

    def __init__(self, state: State, rows: Sequence[FmuVariable], w: np.ndarray):
        self._state, self._w = state, w
        self._at = np.array([row.at for row in rows if row.settable is Settable.ANY_TIME and row.at < len(state.values)], dtype=np.intp)
        self._before = w[self._at]

    def note(self) -> None:
        """Note the present values, after the importer may have set some."""
        self._before = self._w[self._at]

    def check(self, row: EventRow) -> None:
        """Called after a handler. Raises InputError with the name of the variable that the handler must not set."""
        now = self._state.values[self._at]
        for number in np.flatnonzero(self._before != now)[:1]:
            offset = int(self._at[number])
            variable = next(each for each in self._state.system.variables(self._state) if offset in each.slot.offsets)
            name = variable.entry_names()[offset - variable.slot.offset]
            change = f"from {self._before[number]:g} to {now[number]:g} by {row.event.title}, which has recordable = False"
            raise InputError(
                f"variable '{name}' was set {change}, but in this FMU only the host may set it. Declare that the handler sets "
                f"it, sets=['{variable.name}'], and export again."
            )
