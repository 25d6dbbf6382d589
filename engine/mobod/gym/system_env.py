"""SystemEnv: a System as an environment of Gymnasium."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import gymnasium
import numpy as np

from mobod.gym.episodes import FAILURES, Episodes
from mobod.gym.pictures import RENDER_MODES, EpisodePictures, EpisodeWindow, checked_render_mode
from mobod.gym.randomized import Distribution
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
    fixed_step      s, the step of an integrator with fixed steps, which is an option of the Simulation: integrator="velocity_level", "RK4"
    frame_skip      the number of fixed steps of an action, in place of `step`
    start           a function (state, random) that changes the start of an episode; `random` is a numpy Generator, seeded by
                    reset(seed=...). Default: the episode starts from `state`
    randomize       states and parameters that are drawn at the start of each episode, before `start`: bounds, between which all values are
                    equally likely, or a function of the Generator: {"pole.q": (-0.1, 0.1), "gravity.magnitude": lambda r: r.normal(9.8, 1)}
    state           a State of the System, which the episodes start from; default: the default State
    is_terminated   a function (observation, run) -> bool: whether the episode is over. An event that ends the run ends the episode too
    info            a function (observation, action, run) -> dict, which is added to the info of a step
    duration        s; longer episodes are truncated. Default: no limit
    failure_reward  the reward of a step that cannot be taken, for instance because the motion diverges, or limits contradict a motion. The
                    episode then ends, `info["error"]` is the message, and the observation is that before the step. Default: the error is
                    raised
    render_mode     "human": a browser shows each step (extra `view`); "rgb_array": `render` returns a picture (480, 640, 3)
    simulation      options of the Simulation: accuracy, integrator, backend ...

    Observations are not bounded, except by the bounds of their variables. `run` is the SteppedRun of the episode.

    Raises UnknownNameError with the nearest name; InputError for invalid bounds and steps.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES}  # noqa: RUF012 # gymnasium.Env declares it so, and a ClassVar would change its kind

    def __init__(
        self,
        system: System,
        *,
        actions: Mapping[str, Bounds],
        observations: Sequence[str],
        reward: Callable[[np.ndarray, np.ndarray, SteppedRun], float],
        step: float | None = None,
        fixed_step: float | None = None,
        frame_skip: int | None = None,
        start: Callable[[State, np.random.Generator], object] | None = None,
        randomize: Mapping[str, Distribution] | None = None,
        state: State | None = None,
        is_terminated: Callable[[np.ndarray, SteppedRun], bool] | None = None,
        info: Callable[[np.ndarray, np.ndarray, SteppedRun], Mapping[str, object]] | None = None,
        duration: float | None = None,
        failure_reward: float | None = None,
        render_mode: str | None = None,
        **simulation: Any,
    ) -> None:
        self._episodes = Episodes(
            "SystemEnv",
            system,
            actions,
            observations,
            reward=reward,
            step=step,
            fixed_step=fixed_step,
            frame_skip=frame_skip,
            start=start,
            randomize=randomize,
            state=state,
            is_terminated=is_terminated,
            info=info,
            duration=duration,
            failure_reward=failure_reward,
        )
        self.render_mode = checked_render_mode("SystemEnv", render_mode)
        self.metadata = {**type(self).metadata, "render_fps": max(1, round(1 / self._episodes.step))}
        self.run: SteppedRun = Simulation(system, step=fixed_step, **simulation).start(self._episodes.state)
        self._episodes.set_up(self.run)
        self.action_space, self.observation_space = self._episodes.action_space, self._episodes.observation_space
        self._pictures = EpisodePictures(system) if self.render_mode == "rgb_array" else None
        self._window = EpisodeWindow(system) if self.render_mode == "human" else None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode. options: {"state": a State} starts it there. Returns the observation, and {"time": s}."""
        super().reset(seed=seed)
        self.run.reset(self._episodes.start(options, lambda: self.np_random))
        self._show()
        return self._episodes.observations.get(), {"time": self.run.time}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Set the action and advance by `step`. Returns observation, reward, terminated, truncated, and {"time": s}, with what `info` adds.

        Raises InputError for an action of the wrong shape or beyond the bounds of the space.
        """
        episodes, run = self._episodes, self.run
        action = episodes.checked_action(action)
        episodes.actions.set(action)
        try:
            run.step(episodes.step)
        except FAILURES as error:
            if episodes.failure_reward is None:
                raise
            return episodes.observations.get(), float(episodes.failure_reward), True, False, {"time": run.time, "error": str(error)}
        self._show()
        observation = episodes.observations.get()
        more = {} if episodes.info is None else episodes.info(observation, action, run)
        return observation, *episodes.outcome(observation, action, run), {"time": run.time, **more}

    def _show(self) -> None:
        if self._window is not None:
            self._window.show(self.run.state)

    def render(self) -> np.ndarray | None:
        """With render_mode="rgb_array" a picture (480, 640, 3) uint8 of the present State, else None."""
        return None if self._pictures is None else self._pictures.picture(self.run.state)

    def close(self) -> None:
        """Free the memory of the run, and end the page in the browser."""
        self.run.close()
        if self._window is not None:
            self._window.close()
