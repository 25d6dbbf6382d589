"""WholeRuns: runs of an ensemble from their starts to one end, in threads."""

from functools import partial
from queue import Empty, SimpleQueue
from typing import final

import numpy as np

from mobod.ensembles.group import Runs, SlotGroup
from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.slots import SharedByRuns
from mobod.ensembles.starts import Starts
from mobod.ensembles.threads import Threads
from mobod.simulate.simulation import inner_points
from mobod.simulate.step_options import StepOptions
from mobod.simulate.velocity_level.fixed_steps import count_steps
from mobod.simulate.velocity_level.run import steps_in

MOST_SLOTS = 64  # simulations of a thread


@final
class WholeRuns:
    """Makes runs. The simulations in C stay for the next runs."""

    def __init__(self, shared: SharedByRuns, threads: Threads):
        self._shared, self._threads = shared, threads
        self._groups: list[SlotGroup] = []
        self._groups_for: tuple[OutputTable, int] | None = None

    def run(
        self, starts: Starts, until: float, time: np.ndarray, steps_of_row: int, table: OutputTable, *, reads_ends: bool = False
    ) -> Runs:
        """Make a run from each start, with rows of the outputs at these times, which `report_times` returns.

        reads_ends  whether the outputs are also read at the ends, after the events there; only if C computes them
        """
        n = len(starts)
        runs = Runs(starts, until, time[1:-1].copy(), steps_of_row, np.full((n, len(time), len(table)), np.nan), starts.copy())
        runs.at_end = np.full((n, len(table)), np.nan) if reads_ends else None
        n_threads = 1 if self._shared.calls_python or not table.is_in_c else min(self._threads.most, n)
        size = max(1, min(MOST_SLOTS, -(-n // n_threads)))
        chunks: SimpleQueue[range] = SimpleQueue()
        for first in range(0, n, size):
            chunks.put(range(first, min(first + size, n)))
        if self._groups_for is None or self._groups_for[0] is not table or self._groups_for[1] < size:
            self.close()
            self._groups_for = table, size
        while len(self._groups) < n_threads:
            self._groups.append(SlotGroup(self._shared, self._groups_for[1], table))
        try:
            self._threads.do([partial(_work, group, runs, chunks) for group in self._groups[:n_threads]], self._groups)
        except BaseException:
            self.close()  # their simulations are somewhere in a run
            raise
        return runs

    def close(self) -> None:
        """Free the memory in C. It is taken again on the next use."""
        for group in self._groups:
            group.close()
        self._groups, self._groups_for = [], None


def report_times(options: StepOptions, start: float, until: float, every: float | None) -> tuple[np.ndarray, int]:
    """The report times, with the start and the end, and the number of steps at velocity level from one to the next.

    every  s; None: the start and the end alone
    """
    if until == start:
        return np.array([start]), 1
    steps = options.fixed_steps
    if steps is None:
        return np.array([start, *([] if every is None else inner_points(start, until, every)), until]), 1
    n = count_steps(start, until, steps.size)
    of_row = n if every is None else steps_in(every, steps.size)
    return np.array([start, *(start + k * steps.size for k in range(of_row, n, of_row)), until]), of_row


def _work(group: SlotGroup, runs: Runs, chunks: "SimpleQueue[range]") -> None:
    """Make runs until none is left."""
    while not group.is_stopped:
        try:
            numbers = chunks.get_nowait()
        except Empty:
            return
        group.run(runs, numbers)
