"""FixedTimeStepper: TimeStepper with fixed steps at velocity level, for Python FMUs."""

from typing import final

import numpy as np

from mobod.simulate.velocity_level.fixed_steps import FixedSteps, count_steps
from mobod.simulate.velocity_level.run import checked_matter, tell_if_moved
from mobod.simulate.velocity_level.stepper import VelocityLevelStepper
from mobod.system import Stage, State, System


@final
class FixedTimeStepper:
    """Moves a State on, of which the owner may change anything between two calls. All that is remembered lies in the State."""

    terminated_by: None = None

    def __init__(self, system: System, state: State, steps: FixedSteps, constraint_tolerance: float):
        self._system, self._state, self._steps = system, state, steps
        self._stepper = VelocityLevelStepper(system, checked_matter(system, state), state, steps, constraint_tolerance)

    @property
    def goes_on(self) -> bool:
        """Whether the State is where a step left it."""
        self._system.realize(self._state, Stage.VELOCITY)
        return self._stepper.goes_on

    def begin(self) -> None:
        q = np.array(self._state.q)
        self._stepper.begin()
        tell_if_moved(self._system, self._state, q)

    def resume(self, *, was_set: bool) -> None:
        """Go on where the last call ended; was_set: something was set meanwhile."""
        if was_set:
            self.begin()

    def happen(self) -> bool:
        """There are no events."""
        return False

    def step_to(self, until: float) -> None:
        """Go on to `until`, reached exactly."""
        start = self._state.time
        self._stepper.take(start, until, 1, count_steps(start, until, self._steps.size))

    def end(self) -> None:
        """There are no events."""
