"""Fmi3Instance: an FMU for co-simulation by FMI 3.0 that runs, with its event mode."""

import ctypes
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf
from types import TracebackType
from typing import Protocol, Self, final

from mobod.cosim.exchange.direct import DirectVariable, StepOutcome
from mobod.cosim.fmu_batch import FmuBatch, Places
from mobod.cosim.saved_state import SavedState, check_can_save
from mobod.cosim.step_errors import SimulationEndedError, StepDiscardedError
from mobod.cosim.variable import Value
from mobod.cosim.varying_inputs import VaryingInputDerivatives, VaryingInputs
from mobod.errors import FmuError, UnknownNameError, UnsupportedError
from mobod.fmi.discarded_step import discard_message
from mobod.fmi.loaded_fmu import InputsWithinStep, LoadedFmu, is_discard
from mobod.fmi.message_file import MessageFile
from mobod.importer.discrete_states import MOST_ROUNDS, update_discrete_states
from mobod.importer.fmu_model import FmuModel
from mobod.importer.instance import FmuInstance
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable

ROUND_OFF = 1e-12  # relative, of two times that are meant to be equal


class FmuWithPlaces(Protocol):
    """The component of an FMU."""

    @property
    def fmu(self) -> FmuModel: ...

    @property
    def places(self) -> Places: ...

    @property
    def origin(self) -> str: ...

    def elements(self, values: Mapping[str, Value]) -> dict[str, list[Value]]: ...


@final
class Fmi3Instance:
    """A `ComponentInstance`.

    If the FMU has event mode, it stops at its events, the event is iterated here, and the step goes on; discrete inputs and tunable
    parameters are set in event mode. Otherwise it handles its events inside its steps. It may return early: then the step goes on from
    there.

    varies_inputs  whether inputs may have derivatives, which the FMU takes by intermediate updates
    log_file       as in LoadedFmu
    """

    fmi_version = "3"

    def __init__(self, model: FmuWithPlaces, name: str, *, varies_inputs: bool = False, log_file: MessageFile | None = None) -> None:
        self.name = name
        self.origin = model.origin
        self.promises = model.fmu.capabilities("co-simulation")
        self._model = model
        self._has_events = self.promises.get("hasEventMode") is True
        self._cuts_steps = self.promises.get("canHandleVariableCommunicationStepSize") is True
        continuous = [each for each in model.fmu.variables.values() if each.causality == "input" and each.is_continuous]
        within = InputsWithinStep([each.reference for each in continuous], self._update_inputs) if varies_inputs else None
        with_events = self._has_events and self._cuts_steps
        self._fmu = FmuInstance(model.fmu, "co-simulation", name, with_events=with_events, inputs_within=within, log_file=log_file)
        self._inputs = VaryingInputs(self._fmu, model.places)
        self._start: dict[str, Value] = {}
        self._experiment: tuple[float, float | None, float | None] = (0.0, None, None)
        self._mode = "instantiated"
        self._may_return = False  # whether a state was saved, to which the master may return from later steps
        self._next_event = inf  # s, of the FMU's own time events
        self._held: dict[str, list[Value]] = {}  # discrete inputs and parameters, as they were set last

    @property
    def time(self) -> float | None:
        """s"""
        return self._fmu.time

    @time.setter
    def time(self, time: float | None) -> None:
        self._fmu.time = time

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
        self._fmu.exit_initialization()
        self._mode = "step"
        if self._uses_events:
            self._finish_event(self._experiment[0])

    def step(self, time: float, step: float) -> None:
        self._fmu.time = time
        if self._inputs.begin(time):
            self._step(time, step, None)
            self._inputs.update(time + step)
            self._inputs.end()
        else:
            self._step(time, step, None)

    def finish_step(self, time: float, step: float, outcome: StepOutcome) -> None:
        """Like `step` with held inputs, after C has called the function for the whole step."""
        self._fmu.time = time
        self._step(time, step, outcome)

    def input_derivatives(self, names: Sequence[str]) -> VaryingInputDerivatives:
        return VaryingInputDerivatives(self._inputs, names)

    def _update_inputs(self, time: float) -> None:
        self._inputs.update(time)

    def _step(self, time: float, step: float, outcome: StepOutcome | None) -> None:
        end, now, rounds = time + step, time, 0
        allowed = ROUND_OFF * max(abs(end), step)
        while True:
            target = self._next_event if self._uses_events and now < self._next_event < end - allowed else end
            size = step if (now, target) == (time, end) else target - now
            reached, needs_event = self._judged(now, size, self._do_step(now, size) if outcome is None else outcome)
            outcome = None
            reached = target if abs(reached - target) <= allowed else reached
            rounds = rounds + 1 if reached <= now else 0
            if rounds > MOST_ROUNDS:
                raise self._fmu.failure("fmi3DoStep", f"failed: it returned {MOST_ROUNDS} times without progress in time")
            now = self._fmu.time = reached
            if needs_event or (self._uses_events and now >= self._next_event - allowed):
                self._fmu.call("EnterEventMode")
                self._finish_event(now)
            if now >= end:
                return

    def batch(self, names: Iterable[str]) -> FmuBatch:
        return FmuBatch(self._fmu, names, self._model.places, self._write)

    def set(self, values: Mapping[str, Value]) -> None:
        if self._mode == "instantiated":
            self._start.update(values)
        else:
            self.batch(values).set(list(values.values()))

    def check_can_save(self, *, as_bytes: bool = False) -> None:
        check_can_save(self, as_bytes=as_bytes)

    def save(self) -> "SavedFmi3":
        self._may_return = True
        return SavedFmi3(self, SavedState.of(self), self._next_event, self._held)

    def saved(self, data: bytes, time: float) -> "SavedFmi3":
        head, _, state = data.partition(b"\n")
        known = json.loads(head)
        return SavedFmi3(self, SavedState.from_bytes(self, state, time), known["next_event"], known["held"])

    def restore(self, state: ctypes.c_void_p, time: float | None) -> None:
        """Restore a state between two steps, at this time (s); `SavedState` holds such a state."""
        self._fmu.call("SetFMUState", state)
        self._fmu.time = time
        self._mode = "step"

    def remember(self, next_event: float, held: Mapping[str, list[Value]]) -> None:
        """Take what was known of the FMU in a restored state."""
        self._next_event, self._held = next_event, dict(held)

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        if self.promises.get("providesDirectionalDerivatives") is not True:
            raise UnsupportedError(f"FMU '{self.name}' ({self.origin}) has no directional derivatives.")
        return directional_derivative(self._fmu, self._model.places, unknowns, knowns, change)

    def call(self, function: str, *arguments: object) -> None:
        self._fmu.call(function, *arguments)

    def __enter__(self) -> Self:
        self._fmu.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._fmu.__exit__(kind, error, traceback)

    @property
    def loaded(self) -> LoadedFmu:
        return self._fmu.loaded

    @property
    def next_event(self) -> float:
        """s, of the FMU's own time events that its master handles"""
        return self._next_event if self._uses_events else inf

    def direct_variable(self, name: str) -> DirectVariable:
        """Where C finds a variable. Raises UnknownNameError."""
        if name not in self._model.places:
            raise UnknownNameError(f"variable of {self._model.fmu.path.name}", name, self._model.places)
        variable, position = self._model.places[name]
        assert variable.kind is not None  # networks have no others
        needs_event = self._uses_events and not (variable.causality == "input" and variable.is_continuous)
        size = self._fmu.size(variable)
        return DirectVariable(name, variable.causality, variable.kind, variable.reference, position, size, is_set_alone=not needs_event)

    def check(self, function: str, status: int) -> None:
        self._fmu.check(function, status)

    def failure(self, function: str, what: str) -> FmuError:
        return self._fmu.failure(function, what)

    @property
    def _uses_events(self) -> bool:
        return self._has_events and self._cuts_steps

    def _do_step(self, now: float, step: float) -> StepOutcome:
        needs_event, ends, is_early = ctypes.c_bool(), ctypes.c_bool(), ctypes.c_bool()
        reached = ctypes.c_double(now)
        said = [ctypes.byref(each) for each in (needs_event, ends, is_early, reached)]
        with self._discarding(now, step):
            self._fmu.call("DoStep", now, step, not self._may_return, *said)
        return StepOutcome(0, needs_event.value, ends.value, is_early.value, reached.value)

    @contextmanager
    def _discarding(self, now: float, step: float) -> Iterator[None]:
        """Raises StepDiscardedError for an error of DoStep that is the status discard."""
        try:
            yield
        except FmuError as error:
            if not is_discard(error):
                raise
            message = discard_message(now, now + step, None)
            raise StepDiscardedError(str(self._fmu.failure("fmi3DoStep", message)), None) from error

    def _judged(self, now: float, step: float, outcome: StepOutcome) -> tuple[float, bool]:
        """Returns the time that was reached, s, and whether the FMU stopped at an event."""
        with self._discarding(now, step):
            self._fmu.check("fmi3DoStep", outcome.status)
        time = min(max(outcome.reached, now), now + step)
        if outcome.ends:
            self._fmu.time = time
            raise SimulationEndedError(self.name, time, self._fmu.log)
        if outcome.is_early and not self._uses_events:
            raise self._fmu.failure("fmi3DoStep", f"returned early, at {outcome.reached:.12g} s, which it was not allowed to")
        return time if outcome.is_early else now + step, outcome.needs_event

    def _finish_event(self, time: float) -> None:
        """Iterate the event in event mode, and go on to step mode. Raises SimulationEndedError."""
        next_event = update_discrete_states(self._fmu)
        if next_event is None:
            raise SimulationEndedError(self.name, time, self._fmu.log)
        self._next_event = next_event
        self._fmu.call("EnterStepMode")

    def _write(self, variables: Sequence[ForeignVariable], values: VariableValues, rows: list[list[Value]]) -> None:
        discrete = [k for k, each in enumerate(variables) if not (each.causality == "input" and each.is_continuous)]
        new = {variables[k].name: list(rows[k]) for k in discrete}
        if not (new and self._mode == "step" and self._uses_events):
            values.set(rows, always=True)
        elif any(self._held.get(name) != elements for name, elements in new.items()):
            self._fmu.call("EnterEventMode")
            values.set(rows, always=True)
            self._finish_event(self._fmu.time or 0.0)
        else:
            smooth = [k for k in range(len(variables)) if k not in discrete]
            self._fmu.values([variables[k] for k in smooth]).set([rows[k] for k in smooth])
        self._held.update(new)


@final
class SavedFmi3:
    """A state of an Fmi3Instance, with what the instance knows of the FMU."""

    def __init__(self, instance: Fmi3Instance, state: SavedState, next_event: float, held: Mapping[str, list[Value]]) -> None:
        self._instance = instance
        self._state = state
        self._next_event = next_event
        self._held = dict(held)

    def restore(self) -> None:
        self._state.restore()
        self._instance.remember(self._next_event, self._held)

    def to_bytes(self) -> bytes:
        return json.dumps({"next_event": self._next_event, "held": self._held}).encode() + b"\n" + self._state.to_bytes()

    def free(self) -> None:
        self._state.free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()


def directional_derivative(
    fmu: FmuInstance, places: Places, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]
) -> list[float]:
    """The change of entries of variables for a change of others, by the FMU's own function."""
    of, along = ([places[name][0] for name in names] for names in (unknowns, knowns))
    results, seeds = list(dict.fromkeys(of)), list(dict.fromkeys(along))
    first_of, size = _first_places(fmu, results)
    first_along, n = _first_places(fmu, seeds)
    seed, found = (ctypes.c_double * n)(), (ctypes.c_double * size)()
    for name, amount in zip(knowns, change, strict=True):
        variable, position = places[name]
        seed[first_along[variable] + position] = amount
    references = [(ctypes.c_uint * len(each))(*(variable.reference for variable in each)) for each in (results, seeds)]
    counts = (seed, found) if fmu.fmi_version == "2" else (seed, n, found, size)
    fmu.call("GetDirectionalDerivative", references[0], len(results), references[1], len(seeds), *counts)
    return [found[first_of[places[name][0]] + places[name][1]] for name in unknowns]


def _first_places(fmu: FmuInstance, variables: Sequence[ForeignVariable]) -> tuple[dict[ForeignVariable, int], int]:
    places, end = {}, 0
    for variable in variables:
        places[variable] = end
        end += fmu.size(variable)
    return places, end
