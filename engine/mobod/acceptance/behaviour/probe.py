"""Probe: an instance of an FMU under test. A call returns its status, and says before what is being called."""

import ctypes
import math
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self, final

from fmpy.fmi1 import FMICallException

from mobod.acceptance.behaviour.tested import Tested
from mobod.errors import FmuError
from mobod.fmi.fmu_log import DISCARD, FmuLog, status_name
from mobod.fmi.loading import Interface
from mobod.importer.fmi_calls import ExperimentArguments
from mobod.importer.kinds import Value
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable

OK, WARNING = 0, 1
ERROR, FATAL = 3, 4
MOST_ROUNDS = 1000  # of one event


@final
class Probe:
    """An instance; a context manager that frees it.

    interface, fmi_version, version
    component    its address
    log          its messages
    where        time or mode, for messages
    context      what is special about the calls, for messages
    next_event   s   next event of the FMU that is known, infinity if there is none
    reached      s   what the last step of FMI 3.0 returned as lastSuccessfulTime; None if there was none
    is_early         whether it returned early

    Raises FmuError if the FMU gives no instance.
    """

    def __init__(
        self,
        tested: Tested,
        interface: Interface,
        *,
        log: FmuLog | None = None,
        name: str | None = None,
        events: bool = False,
        early: bool = False,
    ) -> None:
        self.tested = tested
        self.interface: Interface = interface
        self.fmi_version, self.version = tested.fmi_version, tested.model.version
        self.log = log or FmuLog()
        self.where = "of a new instance"
        self.context = ""
        self.next_event = math.inf
        self.reached: float | None = None
        self.is_early = False
        self._library = tested.library(interface)
        self._prefix = f"fmi{self.fmi_version}"
        self._note = tested.monitor.note
        self._structure: dict[str, Value] = {}
        self._events = events or (self.fmi_version == "3" and interface == "co-simulation" and tested.has_clocks)
        self._early = early
        ending = "" if self.fmi_version == "2" else interface.title().replace("-", "")
        function = f"{self._prefix}Instantiate{ending}"
        self._note(function)
        description = tested.model.description
        self.component = self._library.instantiate(
            interface, name or tested.model.name, description.guid, self.log, events=self._events, early=early
        )
        if not self.component:
            raise FmuError(f"{function} returned no instance. {self.log}")

    # ------------------------------------------------------------------------------------------------------------------------ calls

    def status(self, function: str, *arguments: object) -> int:
        """Call a function, named without its prefix."""
        self._note(f"{self._prefix}{function} {self.where}{self.context}")
        status: int = self._library.functions[function](self.component, *arguments)
        return status

    def call(self, function: str, *arguments: object) -> None:
        """Call a function. Raises FmuError for a status worse than warning."""
        status = self.status(function, *arguments)
        if status not in (OK, WARNING):
            raise self.failure(function, f"returned {status_name(status)}") from FMICallException(function, status)

    def failure(self, function: str, what: str) -> FmuError:
        return FmuError(f"{self._prefix}{function} {self.where} {what}. {self.log}")

    def size(self, variable: ForeignVariable) -> int:
        """The number of elements."""
        return math.prod(self.tested.model.shape(variable, self._structure))

    def values(self, variables: Sequence[ForeignVariable]) -> VariableValues:
        return VariableValues(self, variables)

    def set(self, values: Mapping[ForeignVariable, Sequence[Value]]) -> None:
        self.values(list(values)).set(list(values.values()))

    def get(self, variable: ForeignVariable) -> list[Value]:
        return self.values([variable]).get()[0]

    # ----------------------------------------------------------------------------------------------------------------- initialization

    def enter_initialization(self, stop: float | None = None) -> None:
        """Set up the experiment and enter Initialization Mode.

        stop  s, default: the end of the experiment
        """
        experiment = self.tested.experiment
        tolerance = experiment.tolerance
        end = experiment.stop if stop is None else stop
        given = ExperimentArguments(tolerance is not None, tolerance or 0.0, experiment.start, True, end)
        self.version.set_up(self, given)
        self.version.enter_initialization(self, given)
        self.where = "in Initialization Mode"

    def exit_initialization(self) -> None:
        """Leave Initialization Mode: to be stepped in co-simulation, to Event Mode in model exchange."""
        self.call("ExitInitializationMode")
        self.where = f"at {self.tested.experiment.start:.12g} s"
        if self._events:
            self.update_discrete_states()
            self.call("EnterStepMode")

    def initialize(self, stop: float | None = None) -> None:
        self.enter_initialization(stop)
        self.exit_initialization()

    # ---------------------------------------------------------------------------------------------------------------- co-simulation

    def step(self, time: float, size: float) -> float | None:
        """A communication step. Returns the time at which the FMU ended the simulation (s), or None."""
        self.where = f"from {time:.12g} s"
        ended = self._step_2(time, size) if self.fmi_version == "2" else self._step_3(time, size)
        self.where = f"at {time + size:.12g} s"
        return ended

    def _step_2(self, time: float, size: float) -> float | None:
        status = self.status("DoStep", time, size, 1)
        if status in (OK, WARNING):
            return None
        if status == DISCARD:
            ended, reached = ctypes.c_int(0), ctypes.c_double(time)
            if self.status("GetBooleanStatus", 3, ctypes.byref(ended)) == OK and ended.value:
                clock = self.tested.clock
                if clock is not None:
                    reached.value = float(self.get(clock)[0])
                elif self.status("GetRealStatus", 2, ctypes.byref(reached)) != OK:
                    return time
                return reached.value if time <= reached.value <= time + size else time
        raise self.failure("DoStep", f"returned {status_name(status)}") from FMICallException("fmi2DoStep", status)

    def _step_3(self, time: float, size: float) -> float | None:
        needs_event, ends, early = (ctypes.c_bool() for _ in range(3))
        reached = ctypes.c_double(time)
        flags = [ctypes.byref(each) for each in (needs_event, ends, early)]
        self.call("DoStep", time, size, True, *flags, ctypes.byref(reached))
        if ends.value:
            return min(max(reached.value, time), time + size)
        if early.value and not self._early:
            raise self.failure("DoStep", f"returned early at {reached.value:.12g} s, although the importer does not allow that")
        if needs_event.value and not self._events:
            raise self.failure("DoStep", "asks for event mode, which the importer does not use")
        self.reached = reached.value
        self.is_early = early.value
        if self._events and (needs_event.value or reached.value >= self.next_event):
            self.call("EnterEventMode")
            if self.update_discrete_states():
                return reached.value
            self.call("EnterStepMode")
        return None

    # --------------------------------------------------------------------------------------------------------------- event mode

    def update_discrete_states(self) -> bool:
        """Update discrete states until they stay. Returns whether the FMU ends the simulation."""
        for _ in range(MOST_ROUNDS):
            needs_more, ends, next_event = self.version.update_discrete_states(self)
            if ends or not needs_more:
                self.next_event = next_event
                return ends
        raise self.failure("UpdateDiscreteStates", f"does not come to an end: after {MOST_ROUNDS} updates it wants another")

    # ------------------------------------------------------------------------------------------------------------------- the end

    def free(self) -> None:
        if self.component:
            self._note(f"{self._prefix}FreeInstance {self.where}{self.context}")
            self._library.functions["FreeInstance"](self.component)
            self.component = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        status = error.__cause__.status if isinstance(error, FmuError) and isinstance(error.__cause__, FMICallException) else OK
        if status != FATAL:  # after which no call is allowed
            self.free()
