"""ExchangeInstance: an FMU for model exchange that runs as a component, integrated by the C runtime."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import inf
from types import TracebackType
from typing import Any, Self, final

from mobod.cosim.exchange_system import CHANGES, STATES, exchange_system
from mobod.cosim.fmu_batch import FmuBatch
from mobod.cosim.fmu_entries import FmuEntries
from mobod.cosim.saved_state import HostMemory, SavedState, check_can_save
from mobod.cosim.step_errors import SimulationEndedError, StepDiscardedError
from mobod.cosim.variable import Value
from mobod.cosim.varying_inputs import VaryingInputDerivatives, VaryingInputs
from mobod.errors import FmuError, IntegrationError, MobodError
from mobod.fmi.message_file import MessageFile
from mobod.importer.exchange_equations import FmuEquations
from mobod.importer.instance import MOST_ROUNDS, FmuInstance
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable
from mobod.runtime.integrators import DEFAULT_ACCURACY
from mobod.simulate.saved_run import SavedRun
from mobod.simulate.simulation import Simulation
from mobod.simulate.stepped_run import SteppedRun


@final
class ExchangeInstance:
    """A `ComponentInstance`.

    Jumps of inputs at the start of a step are events of the FMU. Within it they are held, or follow their derivatives. State events,
    time events and step events occur within the step, where the runtime finds them.

    log_file  as in LoadedFmu
    fmu       its functions
    """

    def __init__(self, entries: FmuEntries, name: str, log_file: MessageFile | None = None) -> None:
        self.name = name
        self._entries = entries
        self.fmu = FmuInstance(entries.fmu, "model-exchange", name, log_file=log_file)
        self._inputs = VaryingInputs(self.fmu, entries)
        self._start: dict[str, Value] = {}
        self._accuracy = DEFAULT_ACCURACY
        self._mode = "instantiated"
        self._equations: FmuEquations | None = None
        self._run: SteppedRun | None = None
        self._set_last: dict[str, list[Value]] = {}  # inputs and parameters
        self._changes = 0
        self._is_trying = False

    @property
    def time(self) -> float | None:
        """s"""
        return self.fmu.time if self._run is None else self._run.time

    @property
    def is_alive(self) -> bool:
        return self.fmu.is_alive

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        self.fmu.set_up(start, stop, tolerance)
        self._accuracy = DEFAULT_ACCURACY if tolerance is None else tolerance

    def enter_initialization(self) -> None:
        self.fmu.begin_initialization()
        self._mode = "initialization"

    def exit_initialization(self) -> None:
        """Also handles the event at the start. Raises SimulationEndedError."""
        start = self.fmu.time or 0.0
        self.fmu.exit_initialization()
        equations = self._equations = FmuEquations(self.fmu, self._inputs, start)
        if equations.has_ended:
            raise SimulationEndedError(self.name, start, self.fmu.log)
        system = exchange_system(equations, equations.states())
        state = system.realize_topology()
        state.time = start
        self._run = Simulation(system, self._accuracy, backend="interpreted").start(state, report_every=inf)
        self._mode = "continuous time"

    def step(self, time: float, step: float) -> None:
        varies = self._inputs.begin(time)
        self._step(time, step)
        if varies:
            self._set_last |= {
                each.name: list(row) for each, row in zip(self._inputs.variables, self._inputs.values(time + step), strict=True)
            }
            self._inputs.end()

    def input_derivatives(self, names: Sequence[str]) -> VaryingInputDerivatives:
        return VaryingInputDerivatives(self._inputs, names)

    def _step(self, time: float, step: float) -> None:
        run, equations = self._started()
        end, rounds = time + step, 0
        while run.time < end:
            before = run.time
            # the run knows its next event from the last one that it handled itself; stop there if an event since then has changed it
            try:
                run.step_to(min(end, max(equations.next_event, before)) if equations.next_event > before else end)
            except IntegrationError as error:
                raise StepDiscardedError(f"component '{self.name}': {error}", None) from error
            except MobodError as error:
                raise _cause(error) from None
            self.fmu.time = run.time
            if run.terminated_by is not None:
                raise SimulationEndedError(self.name, run.time, self.fmu.log)
            if equations.next_event <= run.time:
                rounds = rounds + 1 if run.time <= before else 0
                self._handle_event(None)
            if rounds > MOST_ROUNDS:
                raise self.fmu.failure("an event", f"comes {MOST_ROUNDS} times without progress in time")
        equations.move(run.time, run[STATES])

    def batch(self, names: Iterable[str]) -> FmuBatch:
        return FmuBatch(self.fmu, self._entries, names, self._write)

    def set(self, values: Mapping[str, Value]) -> None:
        if self._mode == "instantiated":
            self.fmu.set_start(self._entries.start_elements(values, self._start))
            self._start.update(values)
        else:
            self.batch(values).set(list(values.values()))

    @contextmanager
    def trying(self) -> Iterator[None]:
        self._is_trying = True
        try:
            yield
        finally:
            self._is_trying = False

    def check_can_save(self, *, as_bytes: bool = False) -> None:
        check_can_save(self.fmu, as_bytes=as_bytes)

    def save(self) -> SavedState:
        return SavedState.of(self)

    def saved(self, data: bytes, time: float) -> SavedState:
        return SavedState.from_bytes(self, data, time)

    def memory(self) -> HostMemory:
        """What belongs to the present state of the FMU: that of the run, and of the equations."""
        run, equations = self._started()
        return self._memory_of(run.save(), {**equations.memory(), "set_last": dict(self._set_last)})

    def read_memory(self, data: bytes, time: float) -> tuple[HostMemory, bytes]:
        """That of a state at this time (s) from its bytes, and the bytes of the FMU."""
        run, _ = self._started()
        head, _, rest = data.partition(b"\n")
        known = json.loads(head)
        of_run, of_fmu = rest[: known["size"]], rest[known["size"] :]
        start, size, count = known["grid"]
        return self._memory_of(SavedRun(time, run, of_run, {}, known["events"], (start, size, count)), known["memory"]), of_fmu

    def _memory_of(self, run: SavedRun, of_equations: Mapping[str, Any]) -> HostMemory:
        def to_bytes() -> bytes:
            head = {"size": len(run.data), "events": run.n_events, "grid": run.grid, "memory": of_equations}
            return json.dumps(head).encode() + b"\n" + run.data

        return HostMemory(partial(self._remember, run, of_equations), to_bytes)

    def _remember(self, saved: SavedRun, of_equations: Mapping[str, Any]) -> None:
        run, equations = self._started()
        run.restore(saved)
        self._set_last = dict(of_equations["set_last"])
        equations.restart(run.time, run[STATES], of_equations)

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        return self._entries.directional_derivative(self.fmu, unknowns, knowns, change)

    def __enter__(self) -> Self:
        self.fmu.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._run is not None:
            self._run.close()
        self.fmu.__exit__(kind, error, traceback)

    def _started(self) -> "tuple[SteppedRun, FmuEquations]":
        if self._run is None or self._equations is None:
            raise MobodError(f"component '{self.name}' was not initialized.")
        return self._run, self._equations

    def _write(self, variables: Sequence[ForeignVariable], values: VariableValues, elements: Sequence[Value]) -> None:
        set_values = partial(values.set_elements, elements, always=True)
        new = dict(zip((each.name for each in variables), values.rows(elements), strict=True))
        if self._mode != "continuous time":
            set_values()
        elif self._is_trying and all(each.causality == "input" and each.is_continuous for each in variables):
            set_values()
            return
        elif any(self._set_last.get(name) != row for name, row in new.items()):
            self._handle_event(set_values)
        self._set_last.update(new)

    def _handle_event(self, set_inputs: Callable[[], object] | None) -> None:
        """Handle an event between steps of the run, at which inputs may change. Raises SimulationEndedError."""
        run, equations = self._started()
        x = equations.handle_event(run.time, run[STATES], set_inputs)
        if x is None:
            raise SimulationEndedError(self.name, run.time, self.fmu.log)
        self._changes += 1
        run.set(CHANGES, float(self._changes))
        if equations.n_states and (x != run[STATES]).any():
            run.set(STATES, x)


def _cause(error: BaseException) -> BaseException:
    """The error of the FMU that is the cause of one of the run; else the error."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, FmuError):
            return cause
        cause = cause.__cause__
    return error
