"""FixedSteps: steps of equal size of all components, many of them in one call of C."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from time import perf_counter
from typing import Protocol, final

import numpy as np

from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.operations import Call, Operation, Pass, readings
from mobod.cosim.exchange.plan import Phase, Plan
from mobod.cosim.exchange.threads import ThreadChoice, usable_cores
from mobod.cosim.variable import Value

_DURATION = 0.02  # s, of a call of C: Ctrl-C acts between two calls
_MOST_STEPS = 8192  # of a call
_GROWTH = 16  # of the number of steps from one call to the next


class Results(Protocol):
    """What takes the rows."""

    def append(self, times: np.ndarray, rows: np.ndarray, objects: Mapping[int, Value]) -> None:
        """Add rows of the recorded variables as numbers, or one row with other objects, by the positions of their variables. times: s"""


@final
class FixedSteps:
    """Steps whose operations are those of C.

    operations  of a step
    recorded    variables of a row
    threads     the largest number of threads in which FMUs step at the same time; default: the number of cores. The bits do not depend on
                it

    is_between_steps  whether all instances are at one time
    taken             the number of complete steps of the last `take`
    calls             of `ComponentInstance.step` in complete steps so far, also where C calls the FMU

    It stores nothing between calls of `take` that is not an output of an instance.
    """

    def __init__(
        self,
        connections: Sequence[Connection],
        instances: Mapping[str, ComponentInstance],
        operations: Sequence[Operation],
        recorded: Sequence[ComponentVariable],
        threads: int | None = None,
    ) -> None:
        self._plan = plan = Plan(connections, instances)
        needed = readings(operations, connections, recorded)
        reads = [_read(plan, variables) for variables in needed.after]
        phases = [_phase(plan, operation, of) for operation, of in zip(operations, reads, strict=True)]
        places = [plan.place(each) for each in recorded]
        plan.close(phases, Phase(reads=_read(plan, needed.first)), places)
        self._places = np.array(places, dtype=int)
        self._objects = {k: place for k, place in enumerate(places) if place in plan.objects}
        self._count, self._duration = 0, 0.0  # of the last call: steps, and s of each
        beside = max((phase.n_beside for phase in phases), default=0)
        self._threads = ThreadChoice(min(beside, usable_cores() if threads is None else threads))
        self._pool: ThreadPoolExecutor | None = None
        self._n_members = len(instances)
        self.is_between_steps, self.taken, self.calls = True, 0, 0

    def begin(self, time: float, results: Results) -> None:
        """Read what the first step and its row need, and record the row at this time, s. Raises errors of components."""
        self._plan.read()
        self._record(results, np.array([time]), self._plan.numbers[self._places].reshape(1, -1))

    def take(self, times: np.ndarray, step: float, results: Results) -> None:
        """Take steps of equal size between these communication points (s), as many as take a short time, and record a row after each.

        Also after an error `taken` is the number of complete steps, and `results` has their rows. Raises errors of components.
        """
        count = min(len(times) - 1, self._next_count())
        rows, done, threaded = np.empty((count, len(self._places))), 0, self._threads.next()
        self.is_between_steps, self.taken = False, 0
        try:
            with self._plan.calling(), self._helping(threaded):
                start = perf_counter()
                done = self._plan.advance(times[:count], step, rows)
                self._duration = (perf_counter() - start) / count
        finally:
            self.is_between_steps, self.taken = done == count, done
            self.calls += done * self._n_members
            self._record(results, times[1 : done + 1], rows[:done])
        self._count = count
        self._threads.note(threaded, self._duration)

    def _next_count(self) -> int:
        """The number of steps of the next call; one if values are recorded that are no numbers in C."""
        if self._objects or not self._count:
            return 1
        return max(1, min(_MOST_STEPS, _GROWTH * self._count, int(_DURATION / max(self._duration, 1e-9))))

    def _record(self, results: Results, times: np.ndarray, rows: np.ndarray) -> None:
        results.append(times, rows, {k: self._plan.objects[place] for k, place in self._objects.items()})

    @contextmanager
    def _helping(self, wanted: bool) -> Iterator[None]:
        """Have other threads step members during a call of C."""
        self._plan.use_threads(wanted)
        if not wanted:
            yield
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads.most - 1, thread_name_prefix="mobod")
        helping = [self._pool.submit(self._plan.help) for _ in range(self._threads.most - 1)]
        try:
            yield
        finally:
            self._plan.end_help()
            wait(helping)


def _read(plan: Plan, variables: Sequence[ComponentVariable]) -> list[int]:
    """Numbers of transfers that read variables."""
    grouped: dict[str, list[ComponentVariable]] = {}
    for variable in variables:
        grouped.setdefault(variable.component.name, []).append(variable)
    return [number for name, of in grouped.items() for number in plan.read_from(name, of)]


def _phase(plan: Plan, operation: Operation, reads: Sequence[int]) -> Phase:
    """The phase of an operation. Of members that step the first ones are those that may step at the same time."""
    if isinstance(operation, Call):
        return Phase(reads=reads, call=operation.function)
    if isinstance(operation, Pass):
        grouped: dict[str, list[int]] = {}
        for k in operation.connections:
            grouped.setdefault(plan.connections[k].target.component.name, []).append(k)
        writes = [number for name, of in grouped.items() for number in plan.write_to(name, of)]
        return Phase(values=operation.connections, writes=writes, reads=reads)
    beside = [name for name in operation.names if plan.may_step_beside(name)]
    beside = beside if len(beside) > 1 else []
    steps = [plan.member(name) for name in (*beside, *(name for name in operation.names if name not in beside))]
    return Phase(steps=steps, reads=reads, n_beside=len(beside))
