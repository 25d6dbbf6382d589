"""Warnings of impacts whose order is unknown."""

import numpy as np

from mobod.matter.unilateral.contact_events import AMBIGUOUS_AT, N_AMBIGUOUS, Contact
from mobod.runtime.failure_words import ambiguous_impacts
from mobod.system import Layout, System


class AmbiguousImpacts:
    """Reads which impacts of a run in C had an unknown order.

    places  in w, of what `read` returns
    """

    def __init__(self, system: System, layout: Layout):
        self._contacts = [row for row in system.events.table(layout).rows if isinstance(row.event, Contact)]
        entries = [row.memory[each].offset for row in self._contacts for each in (N_AMBIGUOUS, AMBIGUOUS_AT)]
        self.places = np.array(entries, dtype=np.intc)

    def read(self, values: np.ndarray) -> np.ndarray:
        """For each unilateral row: how often the order of impacts was unknown, and the last time of this."""
        return values[self.places]

    def messages(self, before: np.ndarray, now: np.ndarray) -> list[str]:
        """One for each time at which the order of impacts became unknown between two readings."""
        if np.array_equal(before, now):
            return []
        found: dict[float, list[str]] = {}
        for row, new, old in zip(self._contacts, now.reshape(-1, 2).tolist(), before.reshape(-1, 2).tolist(), strict=True):
            if new[0] > 0 and new != old:
                found.setdefault(new[1], []).append(row.event.name)
        return [f"at {time:.9g} s {ambiguous_impacts(names)} Compare with a run at another accuracy." for time, names in found.items()]
