"""StepsInC: steps of equal size of all components, many of them in one call of C."""

# Decision: docs/decisions/136-exchange-in-c.md

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from time import perf_counter
from typing import final

import numpy as np

from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.operations import Call, OperationInC, Pass, readings
from mobod.cosim.exchange.plan import Phase, Plan
from mobod.cosim.exchange.threads import ThreadChoice
from mobod.cosim.recorder import Recorder
from mobod.runtime.cores import usable_cores

_DURATION = 0.02  # s, of a call of C: Ctrl-C acts between two calls
_MOST_STEPS = 8192  # of a call
_GROWTH = 16  # of the number of steps from one call to the next


@final
class StepsInC:
    """`Steps` of a run whose operations are those of C.

    operations  of a step
    recorded    variables of a row
    threads     the largest number of threads in which FMUs step at the same time; default: the number of cores. The bits do not depend on
                it

    It stores nothing between calls of `take` that is not an output of an instance.
    """

    def __init__(
        self,
        connections: Sequence[Connection],
        instances: Mapping[str, ComponentInstance],
        operations: Sequence[OperationInC],
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
        self.is_between_steps = True

    def begin(self, recorder: Recorder) -> None:
        """Read all outputs, and record the first row. Raises errors of components."""
        self._plan.read()
        self._record(recorder, self._plan.numbers[self._places].reshape(1, -1))

    def take(self, times: np.ndarray, step: float, recorder: Recorder) -> None:
        """Take steps of equal size from these communication points (s), as many as take a short time, and record a row after each.

        After an error, `recorder` has the rows of the complete steps, and `is_between_steps` says whether all instances are at one time.
        Raises errors of components.
        """
        count = min(len(times), self._next_count())
        rows, done, threaded = np.empty((count, len(self._places))), 0, self._threads.next()
        self.is_between_steps = False
        try:
            with self._plan, self._helping(threaded):
                start = perf_counter()
                done = self._plan.advance(times[:count], step, rows)
                self._duration = (perf_counter() - start) / count
        finally:
            self.is_between_steps = done == count
            self._record(recorder, rows[:done])
        self._count = count
        self._threads.note(threaded, self._duration)

    def _next_count(self) -> int:
        """The number of steps of the next call; one if values are recorded that are no numbers in C."""
        if self._objects or not self._count:
            return 1
        return max(1, min(_MOST_STEPS, _GROWTH * self._count, int(_DURATION / max(self._duration, 1e-9))))

    def _record(self, recorder: Recorder, rows: np.ndarray) -> None:
        recorder.append(rows, {k: self._plan.objects[place] for k, place in self._objects.items()})

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


def _phase(plan: Plan, operation: OperationInC, reads: Sequence[int]) -> Phase:
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
