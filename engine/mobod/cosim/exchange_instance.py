"""ExchangeInstance: an FMU for model exchange that runs as a component, integrated by the C runtime."""

import ctypes
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf
from types import TracebackType
from typing import Any, Self, final

import numpy as np

from mobod.cosim.exchange_system import CHANGES, STATES, exchange_system
from mobod.cosim.fmi3_instance import FmuWithPlaces, directional_derivative
from mobod.cosim.fmu_batch import FmuBatch
from mobod.cosim.saved_state import SavedState, check_can_save
from mobod.cosim.step_errors import SimulationEndedError, StepDiscardedError
from mobod.cosim.variable import Value
from mobod.cosim.varying_inputs import VaryingInputDerivatives, VaryingInputs
from mobod.errors import FmuError, IntegrationError, MobodError, UnsupportedError
from mobod.fmi.message_file import MessageFile
from mobod.importer.discrete_states import MOST_ROUNDS, update_discrete_states
from mobod.importer.instance import FmuInstance
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
    """

    def __init__(self, model: FmuWithPlaces, name: str, log_file: MessageFile | None = None) -> None:
        self.name = name
        self.origin = model.origin
        self.promises = model.fmu.capabilities("model-exchange")
        self._model = model
        self._fmu = FmuInstance(model.fmu, "model-exchange", name, log_file=log_file)
        self._inputs = VaryingInputs(self._fmu, model.places)
        self.fmi_version = self._fmu.fmi_version
        self._start: dict[str, Value] = {}
        self._experiment: tuple[float, float | None, float | None] = (0.0, None, None)
        self._mode = "instantiated"
        self._equations: FmuEquations | None = None
        self._run: SteppedRun | None = None
        self._set_last: dict[str, list[Value]] = {}  # inputs and parameters
        self._changes = 0
        self._is_trying = False

    @property
    def time(self) -> float | None:
        """s"""
        return self._fmu.time if self._run is None else self._run.time

    @property
    def is_alive(self) -> bool:
        return self._fmu.is_alive

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        self._experiment = start, stop, tolerance
        self._fmu.time = start

    def enter_initialization(self) -> None:
        self._fmu.enter_initialization(*self._experiment, self._model.elements(self._start))
        self._mode = "initialization"

    def exit_initialization(self) -> None:
        """Also handles the event at the start. Raises SimulationEndedError."""
        start, _, tolerance = self._experiment
        self._fmu.exit_initialization()
        next_event = update_discrete_states(self._fmu)
        if next_event is None:
            raise SimulationEndedError(self.name, start, self._fmu.log)
        self._fmu.call("EnterContinuousTimeMode")
        equations = self._equations = FmuEquations(self._fmu, self._inputs, start, next_event)
        system = exchange_system(equations, equations.states())
        state = system.realize_topology()
        state.time = start
        accuracy = DEFAULT_ACCURACY if tolerance is None else tolerance
        self._run = Simulation(system, accuracy, backend="interpreted").start(state, report_every=inf)
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
            self._fmu.time = run.time
            if run.terminated_by is not None:
                raise SimulationEndedError(self.name, run.time, self._fmu.log)
            if equations.next_event <= run.time:
                rounds = rounds + 1 if run.time <= before else 0
                self._handle_event(None)
            if rounds > MOST_ROUNDS:
                raise self._fmu.failure("an event", f"comes {MOST_ROUNDS} times without progress in time")
        equations.move(run.time, run[STATES])

    def batch(self, names: Iterable[str]) -> FmuBatch:
        return FmuBatch(self._fmu, names, self._model.places, self._write)

    def set(self, values: Mapping[str, Value]) -> None:
        if self._mode == "instantiated":
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
        check_can_save(self, as_bytes=as_bytes)

    def save(self) -> "SavedExchange":
        run, equations = self._started()
        return SavedExchange(self, SavedState.of(self), run.save(), {**equations.memory(), "set_last": dict(self._set_last)})

    def saved(self, data: bytes, time: float) -> "SavedExchange":
        run, _ = self._started()
        head, _, rest = data.partition(b"\n")
        known = json.loads(head)
        of_run, of_fmu = rest[: known["size"]], rest[known["size"] :]
        start, size, count = known["grid"]
        saved = SavedRun(time, run, of_run, {}, known["events"], (start, size, count))
        return SavedExchange(self, SavedState.from_bytes(self, of_fmu, time), saved, known["memory"])

    def restore(self, state: ctypes.c_void_p, time: float | None) -> None:
        """Restore a state of the FMU between two steps, at this time (s); `SavedState` holds such a state."""
        self._fmu.call("SetFMUstate" if self.fmi_version == "2" else "SetFMUState", state)
        self._fmu.time = time

    def remember(self, saved: SavedRun, memory: Mapping[str, Any]) -> None:
        """Take the states of the run that belong to a restored FMU."""
        run, equations = self._started()
        run.restore(saved)
        self._set_last = dict(memory["set_last"])
        equations.restart(run.time, run[STATES], memory)

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        if not any(self.promises.get(each) is True for each in ("providesDirectionalDerivative", "providesDirectionalDerivatives")):
            raise UnsupportedError(f"FMU '{self.name}' ({self.origin}) has no directional derivatives.")
        return directional_derivative(self._fmu, self._model.places, unknowns, knowns, change)

    def call(self, function: str, *arguments: object) -> None:
        self._fmu.call(function, *arguments)

    def __enter__(self) -> Self:
        self._fmu.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._run is not None:
            self._run.close()
        self._fmu.__exit__(kind, error, traceback)

    def _started(self) -> "tuple[SteppedRun, FmuEquations]":
        if self._run is None or self._equations is None:
            raise MobodError(f"component '{self.name}' was not initialized.")
        return self._run, self._equations

    def _write(self, variables: Sequence[ForeignVariable], values: VariableValues, rows: list[list[Value]]) -> None:
        new = {variable.name: list(row) for variable, row in zip(variables, rows, strict=True)}
        if self._mode != "continuous time":
            values.set(rows, always=True)
        elif self._is_trying and all(each.causality == "input" and each.is_continuous for each in variables):
            values.set(rows, always=True)
            return
        elif any(self._set_last.get(name) != elements for name, elements in new.items()):
            self._handle_event((values, rows))
        self._set_last.update(new)

    def _handle_event(self, inputs: tuple[VariableValues, list[list[Value]]] | None) -> None:
        """Handle an event between steps of the run, at which inputs may change. Raises SimulationEndedError."""
        run, equations = self._started()
        x = equations.handle_event(run.time, run[STATES], inputs)
        if x is None:
            raise SimulationEndedError(self.name, run.time, self._fmu.log)
        self._changes += 1
        run.set(CHANGES, float(self._changes))
        if equations.n_states and (x != run[STATES]).any():
            run.set(STATES, x)


@final
class FmuEquations:
    """The equations of an FMU in continuous-time mode, whose nominal values are the scales of its states."""

    def __init__(self, fmu: FmuInstance, inputs: VaryingInputs, start: float, next_event: float) -> None:
        self._fmu = fmu
        self._inputs = inputs
        self.next_event = next_event
        self.has_ended = False
        self.last_event = start  # s
        description, capabilities = fmu.model.description, fmu.model.capabilities("model-exchange")
        if fmu.fmi_version == "2":
            self.n_states, self.n_indicators = description.numberOfContinuousStates, description.numberOfEventIndicators
            self._needs_steps = capabilities.get("completedIntegratorStepNotNeeded") is not True
        else:
            self.n_states, self.n_indicators = self._count("GetNumberOfContinuousStates"), self._count("GetNumberOfEventIndicators")
            self._needs_steps = capabilities.get("needsCompletedIntegratorStep") is True
        self.has_step_events = self._needs_steps or self.n_indicators > 0
        self._rates_of = "GetDerivatives" if fmu.fmi_version == "2" else "GetContinuousStateDerivatives"
        self._x, self._z = (ctypes.c_double * self.n_states)(), (ctypes.c_double * self.n_indicators)()
        self.nominals = np.ones(self.n_states)
        if self.n_states:
            fmu.call("GetNominalsOfContinuousStates", self._x, self.n_states)
            self.nominals = np.array([abs(each) or 1.0 for each in self._x])  # some FMUs say 0
        self._at: tuple[float, bytes] | None = None  # of the indicators
        self.signs = self._signs(start, self.states())  # of the indicators, since the last event

    def states(self) -> np.ndarray:
        if self.n_states:
            self._fmu.call("GetContinuousStates", self._x, self.n_states)
        return np.array(self._x)

    def move(self, time: float, x: np.ndarray) -> None:
        # to see where an indicator comes from, the runtime also asks for it a little before the last event
        time = max(time, self.last_event)
        self._fmu.call("SetTime", time)
        self._inputs.update(time)
        if self.n_states:
            self._x[:] = np.ravel(x).tolist()
            self._fmu.call("SetContinuousStates", self._x, self.n_states)

    def memory(self) -> dict[str, object]:
        """What belongs to a saved state."""
        return {"next_event": self.next_event, "last_event": self.last_event, "signs": self.signs}

    def restart(self, time: float, x: np.ndarray, memory: Mapping[str, Any]) -> None:
        """Go on from a state that was restored, possibly before the last event."""
        self.next_event, self.last_event, self.signs = memory["next_event"], memory["last_event"], list(memory["signs"])
        self._at, self.has_ended = None, False
        self.move(time, x)

    def rates(self, time: float, x: np.ndarray) -> np.ndarray:
        self.move(time, x)
        rates = (ctypes.c_double * self.n_states)()
        self._fmu.call(self._rates_of, rates, self.n_states)
        return np.array(rates)

    def indicators(self, time: float, x: np.ndarray) -> Sequence[float]:
        at = time, np.ravel(x).tobytes()
        if self._at != at:  # each indicator is asked for by itself
            self.move(time, x)
            self._fmu.call("GetEventIndicators", self._z, self.n_indicators)
            self._at = at
        return list(self._z)

    def handle_event(self, time: float, x: np.ndarray, inputs: tuple[VariableValues, list[list[Value]]] | None = None) -> np.ndarray | None:
        """Handle an event, at which inputs may change. Returns the states after it, or None if the FMU ends the simulation."""
        self.move(time, x)
        self.last_event = time
        self._fmu.call("EnterEventMode")
        if inputs is not None:
            values, rows = inputs
            values.set(rows, always=True)
        next_event = update_discrete_states(self._fmu)
        self._at = None
        self.has_ended = next_event is None
        if next_event is None:
            return None
        self.next_event = next_event
        self._fmu.call("EnterContinuousTimeMode")
        x = self.states()
        self.signs = self._signs(time, x)
        return x

    def wants_event(self, time: float, x: np.ndarray) -> bool | None:
        """Whether there is an event at the end of this step; None if the FMU ends the simulation.

        The runtime finds indicators that come to zero. One that leaves zero after an event, where round-off decided its sign, is an event
        for the FMU too: its sign has changed since that event.
        """
        has_changed = self.signs != self._signs(time, x)
        self.move(time, x)
        if not self._needs_steps:
            return has_changed
        of_version = ctypes.c_int if self._fmu.fmi_version == "2" else ctypes.c_bool
        wants, ends = of_version(), of_version()
        self._fmu.call("CompletedIntegratorStep", True, ctypes.byref(wants), ctypes.byref(ends))
        self.has_ended = bool(ends.value)
        return None if ends.value else bool(wants.value) or has_changed

    def _signs(self, time: float, x: np.ndarray) -> list[bool]:
        return [each > 0 for each in self.indicators(time, x)] if self.n_indicators else []

    def _count(self, function: str) -> int:
        number = ctypes.c_size_t()
        self._fmu.call(function, ctypes.byref(number))
        return number.value


@final
class SavedExchange:
    """A state of an ExchangeInstance: that of the FMU and that of the run."""

    def __init__(self, instance: ExchangeInstance, state: SavedState, run: SavedRun, memory: Mapping[str, object]) -> None:
        self._instance, self._state, self._run, self._memory = instance, state, run, memory

    def restore(self) -> None:
        self._state.restore()
        self._instance.remember(self._run, self._memory)

    def to_bytes(self) -> bytes:
        head = {"size": len(self._run.data), "events": self._run.n_events, "grid": self._run.grid, "memory": self._memory}
        return json.dumps(head).encode() + b"\n" + self._run.data + self._state.to_bytes()

    def free(self) -> None:
        self._state.free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


def _cause(error: BaseException) -> BaseException:
    """The error of the FMU that is the cause of one of the run; else the error."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, FmuError):
            return cause
        cause = cause.__cause__
    return error
