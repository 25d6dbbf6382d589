"""Episodes: what the environments of one System have in common."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, final

import numpy as np

from mobod.arguments.real_numbers import real_number, real_numbers
from mobod.errors import InputError
from mobod.gym.spaces import Bounds, action_space, observation_space
from mobod.simulate.run_variables import RunVariables
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_system


class EpisodeRun(Protocol):
    """The part of a SteppedRun that episodes use, which a run of an ensemble has too."""

    @property
    def time(self) -> float: ...
    @property
    def terminated_by(self) -> str | None: ...
    def variables(self, *names: str) -> RunVariables: ...


Reward = Callable[[np.ndarray, np.ndarray, Any], float]
Start = Callable[[State, np.random.Generator], object]
IsTerminated = Callable[[np.ndarray, Any], bool]


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
        step: float,
        start: Start | None,
        state: State | None,
        is_terminated: IsTerminated | None,
        duration: float | None,
        failure_reward: float | None,
    ) -> None:
        checked_system(system, name, System)
        self.step = real_number(step, f"{name}: step")
        self._duration = np.inf if duration is None else real_number(duration, f"{name}: duration")
        if not (0 < self.step < np.inf and self._duration > 0):
            raise InputError(f"{name}: step and duration must be positive, not {step!r} s and {duration!r} s.")
        self.state = system.realize_topology() if state is None else state.copy()
        check_state(self.state, system)
        if not actions or not observations or isinstance(observations, str):
            raise InputError(f"{name}: name one or more actions, each with its bounds, and one or more observations in a list.")
        self._name, self._reward, self._start, self._is_terminated, self.failure_reward = name, reward, start, is_terminated, failure_reward
        self._bounds, self._observed = actions, observations

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

    def start(self, options: Mapping[str, Any] | None, random: Callable[[], np.random.Generator]) -> State:
        """The start of an episode. random: returns the generator of its environment."""
        state: State = (options or {}).get("state", self.state)
        if self._start is None:
            return state
        state = state.copy()
        self._start(state, random())
        return state

    def outcome(self, observation: np.ndarray, action: np.ndarray, run: EpisodeRun) -> tuple[float, bool, bool]:
        """Reward, terminated, truncated of a step that was taken."""
        is_over = run.terminated_by is not None or (self._is_terminated is not None and bool(self._is_terminated(observation, run)))
        is_late = run.time - self.state.time >= self._duration * (1 - 1e-9)
        return float(self._reward(observation, action, run)), is_over, is_late
