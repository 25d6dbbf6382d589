"""Instance: an FMU for co-simulation that runs, with its event mode if it has one."""

# Decision: docs/decisions/093-terminated-fmus.md

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import inf, nextafter
from types import TracebackType
from typing import Protocol, Self, final

from mobod.cosim.component_model import InputDerivatives
from mobod.cosim.exchange.direct import DirectVariable
from mobod.cosim.fmu_batch import FmuBatch
from mobod.cosim.fmu_entries import FmuEntries
from mobod.cosim.saved_state import HostMemory, SavedState, check_can_save
from mobod.cosim.step_errors import SimulationEndedError
from mobod.cosim.step_errors import StepDiscardedError as StepDiscardedError
from mobod.cosim.variable import Value
from mobod.cosim.varying_inputs import VaryingInputDerivatives, VaryingInputs
from mobod.errors import FmuError
from mobod.fmi.loaded_fmu import LoadedFmu
from mobod.fmi.loading import InputsWithinStep
from mobod.fmi.message_file import MessageFile
from mobod.importer.input_slopes import InputSlopes
from mobod.importer.instance import MOST_ROUNDS, FmuInstance
from mobod.importer.step_outcome import StepOutcome
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable

ROUND_OFF = 1e-12  # relative, of two times that are meant to be equal


class FmuWithEntries(Protocol):
    """An FMU of a network, or a FmuFile."""

    @property
    def entries(self) -> FmuEntries: ...


@final
class Instance:
    """An instance of an FMU, with a folder of its own; a context manager that frees both. It is a `ComponentInstance`.

    If the FMU has event mode, it stops at its events, the event is iterated here, and the step goes on; discrete inputs and tunable
    parameters are set in event mode. Otherwise it handles its events inside its steps. It may return early: then the step goes on from
    there.

    Every call raises FmuError if the FMU returns a status worse than warning. The message names the instance, the function and the time,
    and ends with the FMU's own messages. Calls raise FmuCallError after a fatal error and after the instance was closed. Ctrl-C raises
    KeyboardInterrupt when the FMU has returned.

    log_file      as in LoadedFmu
    varies_inputs  whether inputs may have derivatives, which the FMU takes by intermediate updates if it has them
    fmu           the FMU's functions
    uses_events   whether it has event mode, and its events are iterated here
    next_event    s   of the FMU's own time events, which are handled here
    """

    def __init__(self, file: FmuWithEntries, name: str, log_file: MessageFile | None = None, *, varies_inputs: bool = False) -> None:
        self.file = file
        self.name = name
        self._entries = file.entries
        model = self._entries.fmu
        can_cut_steps = model.can("co-simulation", "canHandleVariableCommunicationStepSize")
        self.uses_events = can_cut_steps and model.can("co-simulation", "hasEventMode")
        within = None
        if varies_inputs and model.can("co-simulation", "providesIntermediateUpdate"):
            continuous = [each.reference for each in model.with_causality("input") if each.is_continuous]
            within = InputsWithinStep(continuous, self._update_inputs)
        self.fmu = FmuInstance(model, "co-simulation", name, with_events=self.uses_events, inputs_within=within, log_file=log_file)
        self.log = self.fmu.log
        self.fmi_version = self.fmu.fmi_version
        self._inputs = VaryingInputs(self.fmu, self._entries)
        self._start: dict[str, Value] = {}
        self._mode = "instantiated"
        self._may_return = False  # whether a state was saved, to which the master may return from later steps
        self.next_event = inf
        self._held: dict[str, list[Value]] = {}  # discrete inputs and parameters, as they were set last

    @property
    def time(self) -> float | None:
        """s, time of the instance; None before the experiment is set up."""
        return self.fmu.time

    @time.setter
    def time(self, time: float | None) -> None:
        self.fmu.time = time

    @property
    def is_alive(self) -> bool:
        """Whether it can be called: it was not closed, and no call failed fatally."""
        return self.fmu.is_alive

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """Set the start and stop time of the experiment (s), and the relative tolerance. None: no stop time, no tolerance."""
        self.fmu.set_up(start, stop, tolerance)

    def enter_initialization(self) -> None:
        self.fmu.begin_initialization()
        self._mode = "initialization"

    def exit_initialization(self) -> None:
        """Also handles the event at the start. Raises SimulationEndedError."""
        self.fmu.exit_initialization()
        self._mode = "step"
        if self.uses_events:
            self._finish_event(self.fmu.time or 0.0)

    def step(self, time: float, step: float, outcome: StepOutcome | None = None) -> None:
        """Advance from time to time + step (s). outcome: of the function for the whole step, if C has called it already

        Raises SimulationEndedError if the FMU ends the simulation before, StepDiscardedError if it can only take a shorter step.
        """
        varies = self._inputs.begin(time)
        end, now, rounds = time + step, time, 0
        allowed = ROUND_OFF * max(abs(end), step)
        while True:
            target = self.next_event if now < self.next_event < end - allowed else end
            size = step if now == time and target == end else step_between(now, target)
            reached, needs_event, ends = self.fmu.step(now, size, outcome, may_return=self._may_return)
            if ends:
                raise SimulationEndedError(self.name, reached, self.log)
            outcome = None
            is_before_target = needs_event and now < reached < target  # the rest is a step of its own, even if it is a round-off
            reached = target if abs(reached - target) <= allowed and not is_before_target else reached
            rounds = rounds + 1 if reached <= now else 0
            if rounds > MOST_ROUNDS:
                raise self.fmu.step_failure(f"failed: it returned {MOST_ROUNDS} times without progress in time")
            now = self.log.time = reached
            if needs_event or now >= self.next_event - allowed:
                self.fmu.call("EnterEventMode")
                self._finish_event(now)
            if now >= end:
                break
        if varies:
            self._inputs.update(end)
            self._inputs.end()

    finish_step = step  # what C has begun

    def batch(self, names: Iterable[str]) -> FmuBatch:
        """The variables with these names, to be read or written together repeatedly. Raises UnknownNameError."""
        return FmuBatch(self.fmu, self._entries, names, self._write if self.uses_events else None)

    def get(self, name: str) -> Value:
        return self.batch([name]).get()[0]

    def set(self, values: Mapping[str, Value]) -> None:
        if self._mode == "instantiated":
            self.fmu.set_start(self._entries.start_elements(values, self._start))
            self._start.update(values)
        else:
            self.batch(values).set(list(values.values()))

    def input_derivatives(self, names: Sequence[str]) -> InputDerivatives:
        if self._entries.fmu.can("co-simulation", "canInterpolateInputs"):
            return InputSlopes(self.fmu, [variable.reference for variable, _ in self._entries.of(names)])
        return VaryingInputDerivatives(self._inputs, names)

    def _update_inputs(self, time: float) -> None:
        self._inputs.update(time)

    def check_can_save(self, *, as_bytes: bool = False) -> None:
        """Raise UnsupportedError if the FMU cannot save its state (as bytes)."""
        check_can_save(self.fmu, as_bytes=as_bytes)

    def save(self) -> SavedState:
        self._may_return = True
        return SavedState.of(self)

    def saved(self, data: bytes, time: float) -> SavedState:
        """The state of the bytes of a saved state at this time (s)."""
        return SavedState.from_bytes(self, data, time)

    def memory(self) -> HostMemory:
        """What is known of the FMU beside its state."""
        return self._memory_of(self.next_event, dict(self._held))

    def read_memory(self, data: bytes, time: float) -> tuple[HostMemory, bytes]:
        """That of a state at this time (s) from its bytes, and the bytes of the FMU."""
        if not self.uses_events:
            return self.memory(), data
        head, _, state = data.partition(b"\n")
        known = json.loads(head)
        return self._memory_of(known["next_event"], known["held"]), state

    def _memory_of(self, next_event: float, held: Mapping[str, list[Value]]) -> HostMemory:
        def to_bytes() -> bytes:
            return json.dumps({"next_event": next_event, "held": held}).encode() + b"\n" if self.uses_events else b""

        return HostMemory(partial(self._remember, next_event, held), to_bytes)

    def _remember(self, next_event: float, held: Mapping[str, list[Value]]) -> None:
        self._mode, self.next_event, self._held = "step", next_event, dict(held)

    def directional_derivative(self, unknowns: Sequence[str], knowns: Sequence[str], change: Sequence[float]) -> list[float]:
        """The change of unknowns, to first order, for a change of knowns. Raises UnsupportedError."""
        return self._entries.directional_derivative(self.fmu, unknowns, knowns, change)

    def call(self, function: str, *arguments: object) -> None:
        """Call an FMI function of this instance and check its status."""
        self.fmu.call(function, *arguments)

    def check(self, function: str, status: int) -> None:
        """Raise the error of a call that C made, unless it returned ok or warning."""
        self.fmu.check(function, status)

    @property
    def loaded(self) -> LoadedFmu:
        return self.fmu.loaded

    def direct_variable(self, name: str) -> DirectVariable:
        """Where C finds a variable. Raises UnknownNameError."""
        ((variable, position),) = self._entries.of([name])
        assert variable.kind is not None  # networks have no others
        needs_event = self.uses_events and not (variable.causality == "input" and variable.is_continuous)
        size = self.fmu.size(variable)
        return DirectVariable(name, variable.causality, variable.kind, variable.reference, position, size, is_set_alone=not needs_event)

    def failure(self, function: str, what: str, time: float | None = None) -> FmuError:
        """The error of a function call, with the time (s; default: that of the instance) and the FMU's log messages."""
        return self.loaded.failure(function, what, time)

    def close(self) -> None:
        """Terminate unless an error occurred, free the instance and the library, and remove the folder. A second call does nothing."""
        self.fmu.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.fmu.__exit__(kind, error, traceback)

    def _finish_event(self, time: float) -> None:
        """Iterate the event in event mode, and go on to step mode. Raises SimulationEndedError."""
        next_event = self.fmu.update_discrete_states()
        if next_event is None:
            raise SimulationEndedError(self.name, time, self.log)
        self.next_event = next_event
        self.fmu.call("EnterStepMode")

    def _write(self, variables: Sequence[ForeignVariable], values: VariableValues, elements: Sequence[Value]) -> None:
        rows = values.rows(elements)
        discrete = [k for k, each in enumerate(variables) if not (each.causality == "input" and each.is_continuous)]
        new = {variables[k].name: rows[k] for k in discrete}
        if not (new and self._mode == "step"):
            values.set_elements(elements, always=True)
        elif any(self._held.get(name) != row for name, row in new.items()):
            self.fmu.call("EnterEventMode")
            values.set_elements(elements, always=True)
            self._finish_event(self.fmu.time or 0.0)
        else:
            smooth = [k for k in range(len(variables)) if k not in discrete]
            self.fmu.values([variables[k] for k in smooth]).set([rows[k] for k in smooth])
        self._held.update(new)


def step_between(time: float, end: float) -> float:
    """The size (s) of a step from time that ends at `end`: an FMU computes the end as time + size, which is rounded. Where no size gives
    the end exactly, the step ends after it: at an event an FMU returns early.
    """
    size = end - time
    if time + size < end:
        return nextafter(size, inf)
    shorter = nextafter(size, 0)
    return shorter if time + size > end == time + shorter else size
