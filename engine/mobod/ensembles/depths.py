"""Warnings of runs of an ensemble in which compliant contacts are deep, as `Simulation.run` has them."""

from typing import final

import numpy as np

from mobod.ensembles.members import Members
from mobod.ensembles.starts import Starts
from mobod.simulate.depth_checks import (
    LARGEST_DEPTH,
    largest_depths,
    message_of_depth,
    messages_of_depths,
    offset_of_depth,
    pressed_contacts,
)
from mobod.system import State, System


def depths_at_ends(system: System, starts: Starts, ends: Starts) -> list[tuple[int, str]]:
    """(run, message), by runs; starts and ends: the States of all runs."""
    if not pressed_contacts(system):
        return []
    found = []
    for run in range(len(ends)):
        before, now = largest_depths(system, starts.state(run)), largest_depths(system, ends.state(run))
        found += [(run, message) for message in messages_of_depths(system, before, now)]
    return found


@final
class DepthsInSteps:
    """Compliant contacts of n runs that are stepped: one message for a contact and a run."""

    def __init__(self, system: System, state: State, n: int):
        self._contacts = pressed_contacts(system)
        at = [offset_of_depth(each, state.layout) for each in self._contacts]
        self._at = np.array([[each, each + 1] for each in at], dtype=np.intc).reshape(-1)
        self._has_warned = np.zeros((len(self._contacts), n), dtype=bool)

    def deep(self, members: Members, runs: np.ndarray) -> list[tuple[int, str]]:
        """(run, message) of contacts that have become too deep in these runs (m,)."""
        if not self._contacts:
            return []
        depths = members.get(0, self._has_warned.shape[1], self._at).reshape(-1, len(self._contacts), 2)
        found = []
        for i, contact in enumerate(self._contacts):
            new = runs[(depths[runs, i, 0] > LARGEST_DEPTH) & ~self._has_warned[i, runs]]
            self._has_warned[i, new] = True
            found += [(int(run), message_of_depth(contact.name, *depths[run, i].tolist())) for run in new]
        return found

    def begin(self, runs: np.ndarray) -> None:
        """These runs begin again."""
        self._has_warned[:, runs] = False
