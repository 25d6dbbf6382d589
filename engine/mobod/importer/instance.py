"""FmuInstance: an instance of an FMU of any version, initialized with start values, stepped, and terminated and freed at the end."""

import ctypes
import math
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self, final

from mobod.errors import FmuError
from mobod.fmi.loaded_fmu import LoadedFmu, is_discard
from mobod.fmi.loading import InputsWithinStep, Interface
from mobod.fmi.message_file import MessageFile
from mobod.importer.fmi_calls import ExperimentArguments
from mobod.importer.fmu_model import FmuModel
from mobod.importer.kinds import Value
from mobod.importer.step_outcome import StepDiscardedError, StepEnd, StepOutcome, discard_message
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable

MOST_ROUNDS = 1000  # of one event, and events without progress in time


@final
class FmuInstance:
    """An instance of an FMU. A context manager that terminates and frees it.

    model, interface
    name              for messages; default: that of the model
    with_events, inputs_within, log_file
                      as in LoadedFmu
    fmi_version       first digit of the version whose functions are called: "2" for an FMU of FMI 1.0
    version           the calls that differ between versions
    loaded            the library
    log               its messages

    Every call raises FmuError if the FMU returns a status worse than warning, with the FMU's own messages.
    """

    def __init__(
        self,
        model: FmuModel,
        interface: Interface,
        name: str | None = None,
        *,
        with_events: bool = False,
        inputs_within: InputsWithinStep | None = None,
        log_file: MessageFile | None = None,
    ) -> None:
        self.model = model
        self.version = model.version
        self.interface = interface
        self.name = name or model.name
        self.with_events = with_events
        self.loaded = LoadedFmu(
            model.archive,
            model.description,
            self.version.loading,
            interface,
            self.name,
            with_events=with_events,
            inputs_within=inputs_within,
            log_file=log_file,
        )
        self.log = self.loaded.log
        self.fmi_version = self.version.loading.digit
        self._prefix = f"fmi{self.fmi_version}"
        self._spelled: dict[str, str] = {}  # names of functions with their prefix
        self._experiment = ExperimentArguments(False, 0.0, 0.0, False, 0.0)
        self._start_of_inputs: dict[str, Sequence[Value]] = {}
        self._structure: dict[str, Value] = {}  # structural parameters that were set
        self._runs = False  # whether it is initialized and no call failed

    @property
    def time(self) -> float | None:
        """s, for messages"""
        return self.log.time

    @time.setter
    def time(self, time: float | None) -> None:
        self.log.time = time

    @property
    def is_alive(self) -> bool:
        """Whether it can be called: it was not closed, and no call failed fatally."""
        return self.loaded.is_alive

    def size(self, variable: ForeignVariable) -> int:
        """The number of elements."""
        return math.prod(self.model.shape(variable, self._structure))

    def values(self, variables: Sequence[ForeignVariable]) -> VariableValues:
        return VariableValues(self, variables)

    # --------------------------------------------------------------------------------------------------------------- initialization

    def initialize(self, start: float, stop: float | None, tolerance: float | None, values: Mapping[str, Sequence[Value]]) -> None:
        """Set start values and initialize.

        start, stop  s  of the experiment; stop None: no end
        tolerance       relative; None: the FMU's own
        values          start values by name, as lists of elements
        """
        self.enter_initialization(start, stop, tolerance, values)
        self.exit_initialization()

    def enter_initialization(
        self, start: float, stop: float | None, tolerance: float | None, values: Mapping[str, Sequence[Value]]
    ) -> None:
        """Set start values and enter initialization mode. The arguments are those of `initialize`."""
        self.set_up(start, stop, tolerance)
        self.set_start(values)
        self.begin_initialization()

    def set_up(self, start: float, stop: float | None, tolerance: float | None) -> None:
        """Set up the experiment."""
        self.time = start
        self._experiment = ExperimentArguments(tolerance is not None, tolerance or 0.0, start, stop is not None, stop or 0.0)
        self.version.set_up(self, self._experiment)

    def set_start(self, values: Mapping[str, Sequence[Value]]) -> None:
        """Set start values before initialization mode; those of inputs are set when it begins, if the version has one."""
        variables = [self.model.variable(name) for name in values]
        structural = [each for each in variables if each.causality == "structuralParameter"]
        if structural:
            self.call("EnterConfigurationMode")
            self._set(structural, values)
            self.call("ExitConfigurationMode")
            self._structure |= {each.name: values[each.name][0] for each in structural}
        inputs = [each for each in variables if each.causality == "input" and self.version.has_initialization_mode]
        self._set([each for each in variables if each not in structural and each not in inputs], values)
        self._start_of_inputs |= {each.name: values[each.name] for each in inputs}

    def begin_initialization(self) -> None:
        """Enter initialization mode."""
        self.version.enter_initialization(self, self._experiment)
        self._set([self.model.variable(name) for name in self._start_of_inputs], self._start_of_inputs)

    def exit_initialization(self) -> None:
        self.call("ExitInitializationMode")
        self._runs = True

    def _set(self, variables: Sequence[ForeignVariable], values: Mapping[str, Sequence[Value]]) -> None:
        self.values(variables).set([values[each.name] for each in variables])

    # --------------------------------------------------------------------------------------------------------------------- co-simulation

    def step(self, time: float, step: float, outcome: StepOutcome | None = None, *, may_return: bool = False) -> StepEnd:
        """Step from time to time + step (s), from which on the caller sets `time`.

        outcome     of the function, if C has called it already
        may_return  whether a state may be restored from before the step

        Raises StepDiscardedError if the FMU can only take a shorter step.
        """
        self.log.time = time
        try:
            if outcome is None:
                outcome = self.version.do_step(self, time, step, may_return=may_return)
            else:
                self.check(f"{self._prefix}DoStep", outcome.status)
        except FmuError as error:
            if not is_discard(error):
                raise
            return self._after_discard(time, time + step, error)
        if not (outcome.ends or outcome.is_early):
            return time + step, outcome.needs_event, False
        if not (outcome.ends or self.with_events):
            raise self.step_failure(f"returned early, at {outcome.reached:.12g} s, which it was not allowed to")
        reached = min(max(outcome.reached, time), time + step)
        if outcome.ends:
            self.time = reached
        return reached, outcome.needs_event, outcome.ends

    def step_failure(self, what: str) -> FmuError:
        """The error of a step, with what its function did."""
        return self.failure(f"{self._prefix}DoStep", what)

    def _after_discard(self, start: float, end: float, error: FmuError) -> StepEnd:
        """How a step from start to end (s) ended that was discarded. The time is that of the FMU's independent variable if it has one; else
        how far it says that it came; else the start.
        """
        runs = self._runs
        has_ended, reached = self.version.after_discard(self, start, end)
        if not has_ended:
            raise StepDiscardedError(str(self.step_failure(discard_message(start, end, reached))), reached) from error
        clock = next(iter(self.model.with_causality("independent")), None)
        if clock is not None:
            reached = float(self.values([clock]).get_elements()[0])
            reached = reached if start <= reached <= end else None
        self._runs = runs
        self.time = start if reached is None else reached
        return self.time, False, True

    # ------------------------------------------------------------------------------------------------------- events and model exchange

    def update_discrete_states(self) -> float | None:
        """Update discrete states in event mode until they stay.

        Returns the time of the next event (s), infinity if there is none; None if the FMU ends the simulation.
        """
        for _ in range(MOST_ROUNDS):
            needs_more, ends, next_event = self.version.update_discrete_states(self)
            if ends:
                return None
            if not needs_more:
                return next_event
        raise self.failure("an event", f"does not come to an end: after {MOST_ROUNDS} updates it still wants another")

    def complete_step(self) -> tuple[bool, bool]:
        """Tell it that a step of the integrator is complete. Returns whether it wants an event, and whether it ends the simulation."""
        wants_event, ends = self.version.boolean(), self.version.boolean()
        self.call("CompletedIntegratorStep", True, ctypes.byref(wants_event), ctypes.byref(ends))
        return bool(wants_event.value), bool(ends.value)

    def directional_derivative(
        self, unknowns: Sequence[ForeignVariable], knowns: Sequence[ForeignVariable], seeds: Sequence[float]
    ) -> list[float]:
        """The change of the elements of unknowns, to first order, for a change of those of knowns."""
        found = (ctypes.c_double * sum(self.size(each) for each in unknowns))()
        seed = (ctypes.c_double * len(seeds))(*seeds)
        references = [(ctypes.c_uint * len(each))(*(variable.reference for variable in each)) for each in (unknowns, knowns)]
        counted = self.version.counted
        self.call("GetDirectionalDerivative", references[0], len(unknowns), references[1], len(knowns), *counted(seed), *counted(found))
        return list(found)

    # ------------------------------------------------------------------------------------------------------------------- saved states

    def save(self) -> ctypes.c_void_p:
        """The present state. It belongs to the FMU until `free`."""
        state = ctypes.c_void_p()
        self.call(self.version.of_state.get, ctypes.byref(state))
        return state

    def restore(self, state: ctypes.c_void_p, time: float | None) -> None:
        """Return to a state between two steps, at this time (s)."""
        self.call(self.version.of_state.set, state)
        self.time = time
        self._runs = True

    def free(self, state: ctypes.c_void_p) -> None:
        self.call(self.version.of_state.free, ctypes.byref(state))

    def bytes_of(self, state: ctypes.c_void_p) -> bytes:
        of_state, size = self.version.of_state, ctypes.c_size_t()
        self.call(of_state.size, state, ctypes.byref(size))
        buffer = (of_state.byte * size.value)()
        self.call(of_state.write, state, buffer, size.value)
        return bytes(memoryview(buffer))

    def state_of(self, data: bytes) -> ctypes.c_void_p:
        """The state of its bytes."""
        of_state, state = self.version.of_state, ctypes.c_void_p()
        self.call(of_state.read, (of_state.byte * len(data)).from_buffer_copy(data), len(data), ctypes.byref(state))
        return state

    # -------------------------------------------------------------------------------------------------------------------------- calls

    def call(self, function: str, *arguments: object) -> None:
        """Call a function by its name, with or without fmi2 or fmi3."""
        spelled = self._spelled.get(function)
        if spelled is None:
            spelled = self._spelled[function] = function if function.startswith("fmi") else self._prefix + function
        try:
            self.loaded.call(spelled, *arguments)
        except FmuError as error:
            self._runs = self._runs and is_discard(error)
            raise

    def check(self, function: str, status: int) -> None:
        """Raise the error of a call that C made, unless it returned ok or warning."""
        try:
            self.loaded.check_status(function, status)
        except FmuError as error:
            self._runs = self._runs and is_discard(error)
            raise

    def failure(self, function: str, what: str) -> FmuError:
        return self.loaded.failure(function, what)

    def close(self) -> None:
        """Terminate unless an error occurred, free the instance and the library, and remove the folder. A second call does nothing."""
        try:
            if self._runs:
                self._runs = False
                self.call("Terminate")
        finally:
            self.loaded.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._runs = self._runs and error is None  # an error of Terminate would hide it
        self.close()
