"""TimeStepper: a State that goes on in time, with events and delays. The loop of runs by SciPy's methods."""

from typing import Protocol, final

import numpy as np
from scipy.integrate import DenseOutput

from mobod.simulate.delays import DelayRecorder
from mobod.simulate.event_runtime import EventRuntime
from mobod.simulate.run import Run
from mobod.simulate.vm import Stepper
from mobod.system import NEVER, State, System


class Listener(Protocol):
    """Hears of every step."""

    def wants_inside(self, until: float) -> float:
        """s, the time whose step must be known from within."""

    def step_taken(self, interpolant: DenseOutput | None) -> None:
        """Before anything happens at its end; the interpolant is there if the step went to the time that is wanted, or past it."""

    def step_done(self, *, has_changed: bool) -> None:
        """has_changed: whether event handlers changed y or its rate"""


@final
class TimeStepper:
    """Moves a State on: integrates, ends steps where events happen, has handlers called, and records what delays are read from.

    state     its quaternions at unit length; the owner may change it between two calls
    accuracy, constraint_tolerance, method, max_step
              see Stepper
    run       where calls of handlers and reporters are noted; None: reporters are left out

    All that is remembered lies in the State and in `memory`. A call that raises leaves the State anywhere.
    """

    def __init__(
        self,
        system: System,
        state: State,
        *,
        accuracy: float,
        constraint_tolerance: float,
        method: str,
        max_step: float = np.inf,
        run: Run | None = None,
    ):
        self._system, self._state = system, state
        self._events = (
            EventRuntime(system, state, run, accuracy=accuracy, constraint_tolerance=constraint_tolerance) if system.has_events else None
        )
        self._delays = DelayRecorder(system, state, accuracy)
        self._accuracy, self._constraint_tolerance, self._method, self._max_step = accuracy, constraint_tolerance, method, max_step
        self._stepper: Stepper | None = None
        self._recalled: tuple[float, np.ndarray] | None = None  # what the stepper is to go on with
        self._is_stale = False  # the stepper has not seen yet what was set

    @property
    def time(self) -> float:
        """s, at the end of the last step."""
        return self._state.time if self._stepper is None else self._stepper.time

    @property
    def y(self) -> np.ndarray:
        """At the end of the last step."""
        return np.array(self._state.y) if self._stepper is None else self._stepper.y

    @property
    def is_terminated(self) -> bool:
        """Whether an event has ended the run."""
        return self.terminated_by is not None

    @property
    def terminated_by(self) -> str | None:
        """The name of the event that has ended the run."""
        return None if self._events is None else self._events.terminated_by

    @property
    def steps(self) -> int:
        return 0 if self._stepper is None else self._stepper.steps

    @property
    def evaluations(self) -> int:
        return 0 if self._stepper is None else self._stepper.evaluations

    # what lies outside of the State
    @property
    def memory(self) -> tuple[float, np.ndarray] | None:
        """See Stepper.memory; None before the first step."""
        return self._recalled if self._recalled is not None or self._stepper is None else self._stepper.memory

    def recall(self, memory: tuple[float, np.ndarray] | None) -> None:
        """The State is what one was that had this memory."""
        if memory is None:
            self._stepper = None
        self._recalled, self._is_stale = memory, False

    # a run
    def begin(self) -> None:
        """Initialize, or go on where another run ended."""
        if self._events is None:
            self._delays.begin()
        else:
            self._events.begin(self._delays.begin)

    def resume(self, *, was_set: bool) -> None:
        """Go on where the last call ended; was_set: something was set meanwhile."""
        self._is_stale = self._is_stale or was_set
        if self._events is None:
            self._delays.begin()
        else:
            self._is_stale |= self._events.resume(self._delays.begin, decides=was_set)

    def happen(self) -> bool:
        """After `begin` or `resume`: have everything happen that is due now; whether handlers changed y or its rate."""
        if self._events is None or not self._events.happen(is_end_of_step=False):
            return False
        self._delays.begin()
        self._is_stale = True
        return True

    def step_to(self, until: float, listener: Listener | None = None) -> None:
        """Go on to `until`, reached exactly, or to where an event ends the run; after `happen`."""
        state, events, delays = self._state, self._events, self._delays
        if state.time == until:
            return
        stepper = self._stepper_to(until)
        target = until
        while not (stepper.is_done or self.is_terminated):
            if target == until and delays.pass_stop():
                stepper.restart()
                if events is not None:
                    events.look_again()
                if stepper.time == until:
                    if listener is not None:
                        listener.step_taken(None)
                    break
            limit = min(until, target, delays.next_stop(stepper.time), NEVER if events is None else events.next_time())
            is_always_wanted = delays or (events is not None and events.has_witnesses)
            wanted = -np.inf if is_always_wanted else np.inf if listener is None else listener.wants_inside(until)
            interpolant = stepper.step(wanted, limit)
            target = until
            if events is not None and events.has_witnesses and interpolant is not None:
                better = events.end_of_step(stepper.start, stepper.time, stepper.y, stepper.n_parts, stepper.inside(interpolant))
                if better is not None:
                    stepper.take_back()
                    target = better
                    continue
            if delays and interpolant is not None:
                state.move_to(stepper.time, stepper.y)
                delays.advance(stepper.start, interpolant)
            if listener is not None:
                listener.step_taken(interpolant)
            has_changed = False
            if events is not None:
                state.move_to(stepper.time, stepper.y)
                has_changed = events.happen()
            if listener is not None:
                listener.step_done(has_changed=has_changed)
            if has_changed:
                delays.begin()
                stepper.restart()
        if not (state.time == stepper.time and np.array_equal(state.y, stepper.y)):
            state.move_to(stepper.time, stepper.y)

    def end(self) -> None:
        """Termination handlers."""
        if self._events is not None:
            self._events.end()

    def _stepper_to(self, until: float) -> Stepper:
        """At the State as it is now, on its way to `until`."""
        state = self._state
        if self._stepper is None:
            time, y = state.time, np.array(state.y)
            self._stepper = Stepper(
                self._system,
                state,
                until,
                accuracy=self._accuracy,
                method=self._method,
                constraint_tolerance=self._constraint_tolerance,
                max_step=min(self._max_step, self._delays.longest_step),
            )
            state.move_to(time, y)
            self._is_stale = self._is_stale and self._recalled is not None
        else:
            self._stepper.head_for(until)
        if self._recalled is not None:
            self._stepper.restart(self._recalled)
            self._recalled = None
        if self._is_stale:
            self._stepper.restart()
            self._is_stale = False
        return self._stepper
