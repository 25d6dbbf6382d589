"""Runs of a sweep on several processes: of this machine, or of a Dask cluster."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from typing import final

import numpy as np

from mobod.child_python import python_environment, safe_environment
from mobod.errors import MobodError
from mobod.late_imports import needed_package
from mobod.sweeps.journal import Row
from mobod.sweeps.parent_watch import end_with_parent
from mobod.sweeps.runners import SystemTask, Task, run_rows

_SECONDS = 1.0  # of work in one message to a process
_MOST_ROWS = 1000  # in one message

Report = Callable[[Sequence[Row], Sequence[str]], None]
"""Called with finished rows, and with the names of the figures."""


@contextmanager
def executor_of(processes: int, cluster: str | None, *, here: bool = True) -> Iterator[Executor | None]:
    """Processes that make runs; None for this process.

    processes  on this machine
    cluster    address of a Dask scheduler, 'tcp://...'; None: this machine
    here       whether one process is this one

    Raises MobodError if a package is missing, or the scheduler does not answer.
    """
    if cluster is None:
        if processes == 1 and here:
            yield None
            return
        with _local_processes(processes) as executor:
            yield executor
        return
    distributed = needed_package("distributed", "a Dask cluster", "sweep")
    try:
        client = distributed.Client(cluster)
    except OSError as error:
        raise MobodError(
            f"the Dask scheduler '{cluster}' does not answer: {error}. Start it: dask scheduler; dask worker {cluster}"
        ) from error
    try:
        yield client.get_executor(pure=False, retries=5)  # a chunk whose worker has died is made by another one
    finally:
        client.close()


def _local_processes(n: int) -> Executor:
    """Processes that end with this one."""
    from loky import ProcessPoolExecutor

    with safe_environment():  # of loky's resource tracker, which starts here; `env` is that of the workers, which start later
        executor: Executor = ProcessPoolExecutor(
            max_workers=n, initializer=end_with_parent, initargs=(os.getpid(),), env=python_environment()
        )
    return executor


def run_all(task: Task, design: np.ndarray, missing: Sequence[int], processes: int, cluster: str | None, report: Report) -> None:
    """Make the missing runs (their numbers from 0) and report each as it finishes."""
    chunks = _Chunks(missing, processes, task.runs_together)
    while chunks.left:
        with executor_of(processes, cluster, here=isinstance(task, SystemTask)) as executor:  # an FMU may end its process
            if executor is None:
                _run_here(task, design, chunks, report)
            else:
                _run_in(executor, task, design, chunks, report)
        if chunks.crashed:
            _run_one_by_one(task, design, chunks.take_crashed(), report)


@final
class _Chunks:
    """The numbers of missing runs, divided into chunks of about a second.

    together  a chunk has at least so many runs, if each process gets one
    crashed   numbers of runs whose process has died
    """

    def __init__(self, missing: Sequence[int], processes: int, together: int) -> None:
        self._missing = list(missing)
        self._next = 0
        self._size = 1.0
        self._least = together if len(self._missing) >= together * processes else 1
        self._most = max(self._least, len(self._missing) / (4 * processes))
        self.crashed: list[int] = []

    @property
    def left(self) -> bool:
        return self._next < len(self._missing)

    def take(self) -> list[int]:
        """Numbers that follow one another."""
        first, chunk = self._next, [self._missing[self._next]]
        while len(chunk) < self._size and first + len(chunk) < len(self._missing) and self._missing[first + len(chunk)] == chunk[-1] + 1:
            chunk.append(self._missing[first + len(chunk)])
        self._next += len(chunk)
        return chunk

    def took(self, n: int, seconds: float) -> None:
        """Adapt the size to the speed."""
        wanted = n * _SECONDS / max(seconds, 1e-6)
        self._size = min(max(self._least, wanted), 4 * max(n, 1), self._most, _MOST_ROWS)

    def take_crashed(self) -> list[int]:
        crashed, self.crashed = sorted(self.crashed), []
        return crashed


def _run_here(task: Task, design: np.ndarray, chunks: _Chunks, report: Report) -> None:
    while chunks.left:
        numbers, started = chunks.take(), time.perf_counter()
        report(*run_rows(task, numbers[0], design[numbers].tolist()))
        chunks.took(len(numbers), time.perf_counter() - started)


def _run_in(executor: Executor, task: Task, design: np.ndarray, chunks: _Chunks, report: Report) -> None:
    """Keep the processes busy until no run is left, or a process has died: then the runs that were under way are in chunks.crashed."""
    running: dict[Future[tuple[list[Row], Sequence[str]]], tuple[list[int], float]] = {}
    n_workers = _n_workers(executor)
    try:
        while chunks.left or running:
            while chunks.left and len(running) < 2 * n_workers:
                numbers = chunks.take()
                future = executor.submit(run_rows, task, numbers[0], design[numbers].tolist())
                running[future] = (numbers, time.perf_counter())
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                numbers, started = running[future]
                rows, names = future.result()
                del running[future]
                report(rows, names)
                # two chunks wait for each process, so that half of the time is waiting
                chunks.took(len(numbers), (time.perf_counter() - started) / 2)
    except BrokenExecutor:
        for future, (numbers, _) in running.items():
            if future.done() and future.exception() is None:
                report(*future.result())
            else:
                chunks.crashed += numbers
    except BaseException:
        for future in running:
            future.cancel()
        raise


def _n_workers(executor: Executor) -> int:
    client = getattr(executor, "_client", None)  # of Dask
    if client is not None:
        return max(1, sum(client.nthreads().values()))
    return int(getattr(executor, "_max_workers", 1))


def _run_one_by_one(task: Task, design: np.ndarray, numbers: Sequence[int], report: Report) -> None:
    """Make runs each in a process of its own, since one of them ends its process. That one is a failed run."""
    for number in numbers:
        with _local_processes(1) as executor:
            try:
                report(*executor.submit(run_rows, task, number, [design[number].tolist()]).result())
            except BrokenExecutor:
                report([(number, [], "the process that made this run has died")], ())
