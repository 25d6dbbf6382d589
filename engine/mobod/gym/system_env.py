"""SystemEnv: a System as an environment of Gymnasium."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import gymnasium
import numpy as np

from mobod.errors import IntegrationError
from mobod.gym.episodes import Episodes
from mobod.gym.spaces import Bounds
from mobod.simulate import Simulation
from mobod.simulate.stepped_run import SteppedRun
from mobod.system import State, System


@final
class SystemEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """A System whose inputs are actions.

    system          the model
    actions         inputs and parameters that an action sets, each with its bounds: {"motor.force": (-10, 10)}. Actions are in their units
    observations    names of the variables that are observed: ["cart.q", "pole.q", "pole.u"]. The observation is one array of all numbers
    reward          a function (observation, action, run) -> number. `run` is the SteppedRun after the step
    step            s, the duration of an action
    start           a function (state, random) that changes the start of an episode; `random` is a numpy Generator, seeded by
                    reset(seed=...). Default: the episode starts from `state`
    state           a State of the System, which the episodes start from; default: the default State
    is_terminated   a function (observation, run) -> bool: whether the episode is over. An event that ends the run ends the episode too
    duration        s; longer episodes are truncated. Default: no limit
    failure_reward  the reward of a step that the integration cannot take, for instance because the motion diverges. The episode then ends,
                    `info["error"]` is the message, and the observation is that before the step. Default: the error is raised
    simulation      options of the Simulation: accuracy, integrator, backend ...

    Observations are not bounded, except by the bounds of their variables. `run` is the SteppedRun of the episode.

    Raises UnknownNameError with the nearest name; InputError for invalid bounds.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 # gymnasium.Env declares it so, and a ClassVar would change its kind

    def __init__(
        self,
        system: System,
        *,
        actions: Mapping[str, Bounds],
        observations: Sequence[str],
        reward: Callable[[np.ndarray, np.ndarray, SteppedRun], float],
        step: float,
        start: Callable[[State, np.random.Generator], object] | None = None,
        state: State | None = None,
        is_terminated: Callable[[np.ndarray, SteppedRun], bool] | None = None,
        duration: float | None = None,
        failure_reward: float | None = None,
        **simulation: Any,
    ) -> None:
        self._episodes = Episodes(
            "SystemEnv",
            system,
            actions,
            observations,
            reward=reward,
            step=step,
            start=start,
            state=state,
            is_terminated=is_terminated,
            duration=duration,
            failure_reward=failure_reward,
        )
        self.run: SteppedRun = Simulation(system, **simulation).start(self._episodes.state)
        self._episodes.set_up(self.run)
        self.action_space, self.observation_space = self._episodes.action_space, self._episodes.observation_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode. options: {"state": a State} starts it there. Returns the observation, and {"time": s}."""
        super().reset(seed=seed)
        self.run.reset(self._episodes.start(options, lambda: self.np_random))
        return self._episodes.observations.get(), {"time": self.run.time}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Set the action and advance by `step`. Returns observation, reward, terminated, truncated, and {"time": s}.

        Raises InputError for an action of the wrong shape or beyond the bounds of the space.
        """
        episodes, run = self._episodes, self.run
        action = episodes.checked_action(action)
        episodes.actions.set(action)
        try:
            run.step(episodes.step)
        except IntegrationError as error:
            if episodes.failure_reward is None:
                raise
            return episodes.observations.get(), float(episodes.failure_reward), True, False, {"time": run.time, "error": str(error)}
        observation = episodes.observations.get()
        return observation, *episodes.outcome(observation, action, run), {"time": run.time}

    def close(self) -> None:
        """Free the memory of the run."""
        self.run.close()
