"""Warnings of impacts whose order is unknown, and of impacts without collision."""

from collections.abc import Iterable

import numpy as np

from mobod.matter.unilateral.contact_events import AMBIGUOUS_AT, N_AMBIGUOUS, N_SLIDING, SLIDING_AT, Contact
from mobod.runtime.failure_words import ambiguous_impacts, sliding_impacts
from mobod.system import Layout, System


class NotedImpacts:
    """Reads which impacts of a run in C had an unknown order, and which had no collision.

    places  in w, of what `read` returns
    """

    def __init__(self, system: System, layout: Layout):
        self._contacts = [row for row in system.events.table(layout).rows if isinstance(row.event, Contact)]
        kinds = (N_AMBIGUOUS, AMBIGUOUS_AT, N_SLIDING, SLIDING_AT)
        self.places = np.array([row.memory[each].offset for row in self._contacts for each in kinds], dtype=np.intc)

    def read(self, values: np.ndarray) -> np.ndarray:
        """For each unilateral row: how often the order of impacts was unknown, and the last time of this; the same of impacts without
        collision.
        """
        return values[self.places]

    def messages(self, before: np.ndarray, now: np.ndarray) -> list[str]:
        """One for each time at which the order of impacts became unknown between two readings."""
        found = self._new(before, now, 0)
        return [f"at {time:.9g} s {ambiguous_impacts(names)} Compare with a run at another accuracy." for time, names in found]

    def sliding_messages(self, before: np.ndarray, now: np.ndarray) -> list[str]:
        """One for each time at which there was an impact without collision between two readings."""
        return [f"at {time:.9g} s {sliding_impacts(names)}" for time, names in self._new(before, now, 2)]

    def _new(self, before: np.ndarray, now: np.ndarray, first: int) -> Iterable[tuple[float, list[str]]]:
        """Times of impacts of a kind, and the names of their contacts. first: place of their number among the four of a contact"""
        if np.array_equal(before, now):
            return ()
        found: dict[float, list[str]] = {}
        for row, new, old in zip(self._contacts, now.reshape(-1, 4).tolist(), before.reshape(-1, 4).tolist(), strict=True):
            if new[first] > 0 and new[first : first + 2] != old[first : first + 2]:
                found.setdefault(new[first + 1], []).append(row.event.name)
        return found.items()
