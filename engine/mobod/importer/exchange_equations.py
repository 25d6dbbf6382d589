"""FmuEquations: the equations of an FMU for model exchange, and its events, for the integrators of the C runtime and FMPy's CVODE."""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Protocol, final

import numpy as np

from mobod.importer.instance import FmuInstance


class InputsOverTime(Protocol):
    """Sets inputs to their values at a time (s)."""

    def update(self, time: float) -> None: ...


@final
class FmuEquations:
    """The equations of an initialized FMU, which begins continuous-time mode here unless it ends the simulation.

    n_states, n_indicators
    next_event     s   of its own time events; infinity if there is none
    last_event     s   at which an event was handled
    signs              of the indicators, since the last event
    needs_steps        whether it wants to know of each step
    has_ended          whether it has ended the simulation

    inputs: those that change with time; default: none
    """

    def __init__(self, fmu: FmuInstance, inputs: InputsOverTime | None, start: float) -> None:
        self._fmu = fmu
        self._inputs = inputs
        self.n_states, self.n_indicators = fmu.version.sizes(fmu, fmu.model.description)
        self.needs_steps = fmu.version.needs_steps(fmu.model.capabilities("model-exchange"))
        self._vector, self._z = ((ctypes.c_double * size)() for size in (self.n_states, self.n_indicators))
        self._numbers = np.frombuffer(memoryview(self._vector))  # the same memory: of states, rates or nominals
        self._at: tuple[float, bytes] | None = None  # of the indicators
        self.signs: list[bool] = []
        self.next_event, self.last_event = inf, start
        self.has_ended = not self._begin_continuous_time(start)

    @property
    def has_step_events(self) -> bool:
        """Whether there can be an event at the end of any step."""
        return self.needs_steps or self.n_indicators > 0

    def states(self) -> np.ndarray:
        return self._got("GetContinuousStates")

    def nominals(self) -> np.ndarray:
        """Of the states: the scales of their errors."""
        return np.array([abs(each) or 1.0 for each in self._got("GetNominalsOfContinuousStates")])  # some FMUs say 0

    def move(self, time: float, x: np.ndarray) -> None:
        # to see where an indicator comes from, the runtime also asks for it a little before the last event
        time = max(time, self.last_event)
        self._fmu.call("SetTime", time)
        if self._inputs is not None:
            self._inputs.update(time)
        if self.n_states:
            self._numbers[:] = x
            self._fmu.call("SetContinuousStates", self._vector, self.n_states)

    def rates(self, time: float, x: np.ndarray) -> np.ndarray:
        self.move(time, x)
        return self._got(self._fmu.version.rates)

    def indicators(self, time: float, x: np.ndarray) -> Sequence[float]:
        at = time, np.ravel(x).tobytes()
        if self._at != at:  # each indicator is asked for by itself
            self.move(time, x)
            self._fmu.call("GetEventIndicators", self._z, self.n_indicators)
            self._at = at
        return list(self._z)

    def handle_event(self, time: float, x: np.ndarray, set_inputs: Callable[[], object] | None = None) -> np.ndarray | None:
        """Handle an event. Returns the states after it, or None if the FMU ends the simulation.

        set_inputs  sets inputs that change at the event
        """
        self.move(time, x)
        self.last_event = time
        self._fmu.call("EnterEventMode")
        if set_inputs is not None:
            set_inputs()
        self.has_ended = not self._begin_continuous_time(time)
        return None if self.has_ended else self.states()

    def complete_step(self, time: float, x: np.ndarray) -> bool | None:
        """Tell the FMU that the integrator has completed a step. Returns whether it wants an event; None if it ends the simulation."""
        self.move(time, x)
        wants_event, self.has_ended = self._fmu.complete_step() if self.needs_steps else (False, False)
        return None if self.has_ended else wants_event

    def wants_event(self, time: float, x: np.ndarray) -> bool | None:
        """Whether there is an event at the end of this step; None if the FMU ends the simulation.

        The runtime finds indicators that come to zero. One that leaves zero after an event, where round-off decided its sign, is an event
        for the FMU too: its sign has changed since that event.
        """
        has_changed = self.signs != self._signs(time, x)
        wants = self.complete_step(time, x)
        return None if wants is None else wants or has_changed

    def memory(self) -> dict[str, object]:
        """What belongs to a saved state."""
        return {"next_event": self.next_event, "last_event": self.last_event, "signs": self.signs}

    def restart(self, time: float, x: np.ndarray, memory: Mapping[str, Any]) -> None:
        """Go on from a state that was restored, possibly before the last event."""
        self.next_event, self.last_event, self.signs = memory["next_event"], memory["last_event"], list(memory["signs"])
        self._at, self.has_ended = None, False
        self.move(time, x)

    def _begin_continuous_time(self, time: float) -> bool:
        """Finish an event and leave event mode. Returns False if the FMU ends the simulation."""
        next_event = self._fmu.update_discrete_states()
        self._at = None
        if next_event is None:
            return False
        self.next_event = next_event
        self._fmu.call("EnterContinuousTimeMode")
        self.signs = self._signs(time, self.states())
        return True

    def _got(self, function: str) -> np.ndarray:
        """What a function gives for each state."""
        if self.n_states:
            self._fmu.call(function, self._vector, self.n_states)
        return self._numbers.copy()

    def _signs(self, time: float, x: np.ndarray) -> list[bool]:
        return [each > 0 for each in self.indicators(time, x)] if self.n_indicators else []
