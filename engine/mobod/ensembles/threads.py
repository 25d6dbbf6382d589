"""Threads: parts of the work of an ensemble side by side."""

# Decision: docs/decisions/188-threads-that-pay.md

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import final

from mobod.ensembles.group import SlotGroup

WORTH = 2e-4  # s of work, below which one more thread costs about as much as it saves
_PATIENCE = 0.1  # s, in which Ctrl-C acts


@final
class Threads:
    """Does tasks side by side: one in the calling thread, the others in threads that stay for the next tasks.

    most  the largest number of threads
    """

    def __init__(self, most: int):
        self.most = most
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0  # a process that was forked has the pool, but not its threads

    def number_for(self, work: float) -> int:
        """The number of threads that pay for work of this duration in one thread, s."""
        return 1 + int(min(work / WORTH, self.most - 1))

    def do(self, tasks: Sequence[Callable[[], None]], groups: Sequence[SlotGroup]) -> None:
        """Do at most `most` tasks. An exception in the calling thread, such as Ctrl-C, ends the work of the groups soon."""
        if len(tasks) == 1:
            tasks[0]()
            return
        pool = self._opened()
        futures = [pool.submit(task) for task in tasks[1:]]
        try:
            tasks[0]()
            while wait(futures, timeout=_PATIENCE).not_done:
                pass  # a signal that another thread gets does not end a wait
        except BaseException:
            for group in groups:
                group.is_stopped = True
            wait(futures)
            raise
        for future in futures:
            future.result()

    def _opened(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.most - 1), os.getpid()
        return self._pool
