"""Episodes: what the environments of one System have in common."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, SupportsFloat, final

import numpy as np

from mobod.arguments.real_numbers import real_number, real_numbers
from mobod.errors import ComplementarityError, EventError, InputError, IntegrationError, SingularMechanismError
from mobod.gym.randomized import Distribution, RandomStart
from mobod.gym.spaces import Bounds, action_space, observation_space
from mobod.simulate.run_variables import RunVariables
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_kind, checked_system


class EpisodeRun(Protocol):
    """The part of a SteppedRun that episodes use, which a run of an ensemble has too."""

    @property
    def time(self) -> float: ...
    @property
    def terminated_by(self) -> str | None: ...
    def variables(self, *names: str) -> RunVariables: ...


Reward = Callable[[np.ndarray, np.ndarray, Any], SupportsFloat]
Start = Callable[[State, np.random.Generator], object]
IsTerminated = Callable[[np.ndarray, Any], object]
Info = Callable[[np.ndarray, np.ndarray, Any], Mapping[str, object]]
FAILURES = (IntegrationError, EventError, SingularMechanismError, ComplementarityError)  # of the motion; other errors are always raised
_SAME = 1e-9  # relative: durations that differ by less are the same


@final
class Episodes:
    """The rules of episodes; the arguments are those of SystemEnv.

    step   s, the duration of an action
    state  which episodes start from
    """

    def __init__(
        self,
        name: str,
        system: System,
        actions: Mapping[str, Bounds],
        observations: Sequence[str],
        *,
        reward: Reward,
        step: float | None,
        fixed_step: float | None,
        frame_skip: int | None,
        start: Start | None,
        randomize: Mapping[str, Distribution] | None,
        state: State | None,
        is_terminated: IsTerminated | None,
        info: Info | None,
        duration: float | None,
        failure_reward: float | None,
    ) -> None:
        self.system = checked_system(system, name, System)
        self._name = name
        self.step = self._duration_of_an_action(step, fixed_step, frame_skip)
        self.duration = np.inf if duration is None else real_number(duration, f"{name}: duration")
        if not (0 < self.step < np.inf and self.duration > 0):
            raise InputError(f"{name}: step and duration must be positive, not {self.step!r} s and {duration!r} s.")
        self.state = system.realize_topology() if state is None else state.copy()
        check_state(self.state, system)
        if not actions or not observations or isinstance(observations, str):
            raise InputError(f"{name}: name one or more actions, each with its bounds, and one or more observations in a list.")
        self.reward, self.is_terminated, self.info, self.failure_reward = reward, is_terminated, info, failure_reward
        self._start, self._bounds, self._observed = start, actions, observations
        self.random_start = RandomStart(name, system, self.state, randomize or {})

    def _duration_of_an_action(self, step: float | None, fixed_step: float | None, frame_skip: int | None) -> float:
        """s"""
        name = self._name
        if fixed_step is None:
            if frame_skip is not None:
                raise InputError(f"{name}: frame_skip counts fixed steps. Give fixed_step, s, and an integrator with fixed steps.")
            if step is None:
                raise InputError(f"{name}: give step, s: the duration of an action.")
            return real_number(step, f"{name}: step")
        size = real_number(fixed_step, f"{name}: fixed_step")
        if (step is None) == (frame_skip is None) or not 0 < size < np.inf:
            what = "either step, s, or frame_skip, the number of fixed steps of an action"
            raise InputError(f"{name}: give a positive fixed_step, s, and {what}.")
        if step is None:
            if isinstance(frame_skip, bool) or not isinstance(frame_skip, (int, np.integer)) or frame_skip < 1:
                raise InputError(f"{name}: frame_skip must be a positive whole number, not {frame_skip!r}.")
            return int(frame_skip) * size
        duration = real_number(step, f"{name}: step")
        count = round(duration / size) if np.isfinite(duration) else 0
        if count < 1 or abs(count * size - duration) > _SAME * duration:
            raise InputError(f"{name}: step, {step!r} s, must be a whole number of fixed steps of {fixed_step!r} s.")
        return duration

    def set_up(self, run: EpisodeRun) -> None:
        """Make the spaces, by the variables of a run."""
        self.actions, self.observations = run.variables(*self._bounds), run.variables(*self._observed)
        self.action_space, self.observation_space = action_space(self.actions, self._bounds), observation_space(self.observations)

    def checked_action(self, action: object) -> np.ndarray:
        """The action as an array. Raises InputError for one of the wrong shape or beyond the bounds of the space."""
        numbers = real_numbers(action, f"{self._name}: the action").astype(np.float64)
        if not self.action_space.contains(numbers):
            raise InputError(f"{self._name}: {numbers.tolist()} is no action of {self.action_space}.")
        return numbers

    @property
    def has_own_start(self) -> bool:
        """Whether a function of the user changes the States that episodes start from."""
        return self._start is not None

    def given_start(self, options: Mapping[str, object] | None) -> State:
        """The State that an episode starts from before anything is drawn."""
        given = (options or {}).get("state", self.state)
        return checked_kind(given, State, f"{self._name}.reset: options['state']", "System.realize_topology() returns one.")

    def start(self, options: Mapping[str, object] | None, random: Callable[[], np.random.Generator]) -> State:
        """The start of an episode. random: returns the generator of its environment."""
        state = self.given_start(options)
        if self._start is None and not self.random_start:
            return state
        check_state(state, self.system)
        state = state.copy()
        if self.random_start:
            self.random_start.set(state, self.random_start.draw(random()))
        if self._start is not None:
            self._start(state, random())
        return state

    def outcome(self, observation: np.ndarray, action: np.ndarray, run: EpisodeRun) -> tuple[float, bool, bool]:
        """Reward, terminated, truncated of a step that was taken."""
        is_over = run.terminated_by is not None or (self.is_terminated is not None and bool(self.is_terminated(observation, run)))
        return float(self.reward(observation, action, run)), is_over, bool(self.is_late(run.time))

    def is_late(self, time: float | np.ndarray) -> bool | np.ndarray:
        """Whether episodes that have reached this time are truncated."""
        return time - self.state.time >= self.duration * (1 - _SAME)
