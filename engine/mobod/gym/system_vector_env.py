"""SystemVectorEnv: many Systems side by side as a vector environment of Gymnasium."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, final

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from mobod.arguments.real_numbers import real_numbers
from mobod.ensembles import Ensemble
from mobod.ensembles.member import EnsembleMember
from mobod.errors import InputError
from mobod.gym.episodes import FAILURES, Episodes
from mobod.gym.pictures import EpisodePictures, checked_render_mode
from mobod.gym.randomized import Distribution
from mobod.gym.spaces import Bounds
from mobod.system import State, System

_RENDER_MODES = ["rgb_array"]


@final
class SystemVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` environments like SystemEnv, whose steps are taken side by side by an Ensemble. Their trajectories have the same bits.

    num_envs    the number of environments
    vectorized  whether reward, is_terminated and info are functions of all environments at once, which costs less than a call for each:
                reward(observations, actions, ensemble) -> (num_envs,), is_terminated(observations, ensemble) -> (num_envs,) booleans,
                info(observations, actions, ensemble) -> dict of arrays (num_envs, ...). Arrays have a row for each environment; what is
                returned for environments whose episode has just begun is not used
    threads     of the Ensemble; default: the number of cores
    render_mode "rgb_array": `render` returns a picture (480, 640, 3) of each environment
    simulation  options of the Simulation: accuracy, integrator, backend ...

    The other arguments are those of SystemEnv. The `run` that functions get is an EnsembleMember: time, terminated_by, state, and values by
    their names. An episode that has ended begins again with the next step, whose action is not used and whose reward is 0: Gymnasium's
    AutoresetMode.NEXT_STEP. With reset(seed=s), environment i has the seed s + i.

    Raises UnknownNameError with the nearest name; InputError for invalid bounds and steps.
    """

    metadata: dict[str, Any] = {"render_modes": _RENDER_MODES, "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 # VectorEnv declares it so

    def __init__(
        self,
        system: System,
        num_envs: int,
        *,
        actions: Mapping[str, Bounds],
        observations: Sequence[str],
        reward: Callable[[np.ndarray, np.ndarray, EnsembleMember], float] | Callable[[np.ndarray, np.ndarray, Ensemble], np.ndarray],
        step: float | None = None,
        fixed_step: float | None = None,
        frame_skip: int | None = None,
        start: Callable[[State, np.random.Generator], object] | None = None,
        randomize: Mapping[str, Distribution] | None = None,
        state: State | None = None,
        is_terminated: Callable[[np.ndarray, EnsembleMember], bool] | Callable[[np.ndarray, Ensemble], np.ndarray] | None = None,
        info: Callable[[np.ndarray, np.ndarray, Any], Mapping[str, object]] | None = None,
        duration: float | None = None,
        failure_reward: float | None = None,
        vectorized: bool = False,
        threads: int | None = None,
        render_mode: str | None = None,
        **simulation: Any,
    ) -> None:
        self._episodes = episodes = Episodes(
            "SystemVectorEnv",
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
        self.render_mode = checked_render_mode("SystemVectorEnv", render_mode)
        if self.render_mode == "human":
            raise InputError("SystemVectorEnv: render_mode='human' shows one environment: use SystemEnv, or 'rgb_array'.")
        self.metadata = {**type(self).metadata, "render_fps": max(1, round(1 / episodes.step))}
        self.num_envs, self._is_vectorized = num_envs, vectorized
        self.ensemble = Ensemble(system, episodes.state, n=num_envs, outputs=observations, threads=threads, step=fixed_step, **simulation)
        self.runs = [self.ensemble.member(number) for number in range(num_envs)]
        episodes.set_up(self.runs[0])
        self.single_action_space, self.single_observation_space = episodes.action_space, episodes.observation_space
        self.action_space, self.observation_space = (
            batch_space(each, num_envs) for each in (self.single_action_space, self.single_observation_space)
        )
        sizes = [each.slot.size for each in episodes.actions.variables]
        ends = np.cumsum(sizes).tolist()
        self._columns = {each.name: slice(end - size, end) for each, size, end in zip(episodes.actions.variables, sizes, ends, strict=True)}
        self._randoms: list[np.random.Generator | None] = [None] * num_envs
        self._is_over = np.zeros(num_envs, dtype=bool)
        self._pictures = [EpisodePictures(system) for _ in range(num_envs)] if self.render_mode == "rgb_array" else None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin all episodes, or those of options["reset_mask"]. options: {"state": a State} starts them there.

        Returns the observations, and {"time": s}.
        """
        seeds: Sequence[int | None] = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed or [None] * self.num_envs
        if len(seeds) != self.num_envs:
            raise InputError(f"SystemVectorEnv.reset: {len(seeds)} seeds were given for {self.num_envs} environments.")
        mask = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, dtype=bool)))
        if mask.dtype != bool or mask.shape != (self.num_envs,):
            raise InputError(f"SystemVectorEnv.reset: reset_mask must be {self.num_envs} booleans, not {mask!r}.")
        for number in np.flatnonzero(mask).tolist():
            if seeds[number] is not None:
                self._randoms[number] = seeding.np_random(seeds[number])[0]
        self._begin(mask, options)
        infos = {} if not mask.any() else {"time": np.where(mask, self.ensemble.time, 0.0), "_time": mask.copy()}
        return self.ensemble.observations, infos

    def _begin(self, mask: np.ndarray, options: Mapping[str, object] | None) -> None:
        """Begin episodes."""
        numbers, episodes = np.flatnonzero(mask).tolist(), self._episodes
        if episodes.has_own_start:
            self.ensemble.reset(numbers, [episodes.start(options, partial(self._random, number)) for number in numbers])
        else:
            values = self._drawn(mask)
            state = episodes.given_start(options) if options and "state" in options else None  # else the State of the ensemble
            self.ensemble.reset(mask, state, values)
        self._note_starts(mask)

    def _drawn(self, mask: np.ndarray) -> dict[str, np.ndarray]:
        """What episodes that begin draw, with a row for each of them."""
        random_start, numbers = self._episodes.random_start, mask.nonzero()[0].tolist()
        return random_start.draw_for([self._random(number) for number in numbers]) if random_start and numbers else {}

    def _note_starts(self, mask: np.ndarray) -> None:
        """Raise the error of a start that has failed."""
        is_failed = self.ensemble.is_failed
        for number in (is_failed & mask).nonzero()[0].tolist() if is_failed.any() else ():
            self.runs[number].raise_error()
        self._is_over[mask] = False

    def _random(self, number: int) -> np.random.Generator:
        """The generator of an environment."""
        random = self._randoms[number]
        if random is None:
            random = self._randoms[number] = seeding.np_random()[0]
        return random

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Set the actions (num_envs, ...) and advance by `step`.

        Returns observations, rewards, terminated, truncated, and {"time": s}, with what `info` adds.

        Raises InputError for actions of the wrong shape or beyond the bounds of the space.
        """
        episodes = self._episodes
        given = real_numbers(actions, "SystemVectorEnv: the actions")
        if given.shape != self.action_space.shape:
            raise InputError(f"SystemVectorEnv: actions of shape {given.shape} were given, and must have {self.action_space.shape}.")
        space, begins = episodes.action_space, self._is_over
        any_begins, going = bool(begins.any()), ~begins
        is_action, taken = (given >= space.low) & (given <= space.high), given
        if not is_action.all():
            for number in (going & ~is_action.all(axis=1)).nonzero()[0].tolist():
                episodes.checked_action(given[number])  # raises the error
            taken = np.where(going[:, None], given, space.low)
        if not any_begins:
            self.ensemble.step(episodes.step, self._inputs(taken))
        elif episodes.has_own_start:
            self.ensemble.step(episodes.step, self._inputs(taken), going)
            self._begin(begins.copy(), None)
        else:
            self.ensemble.step(episodes.step, self._inputs(taken), resets=begins, parameters=self._drawn(begins))
            self._note_starts(begins.copy())
        observations = self.ensemble.observations
        is_failed, time = self.ensemble.is_failed, self.ensemble.time
        steps = going & ~is_failed
        outcome = self._outcome_of_all if self._is_vectorized else self._outcome_of_each
        rewards, terminated, more = outcome(observations, given, steps)
        truncated = episodes.is_late(time) & steps
        infos: dict[str, object] = {"time": time, "_time": np.ones(self.num_envs, dtype=bool), **more}
        for number in is_failed.nonzero()[0].tolist():
            error = self.runs[number].error
            assert error is not None
            if episodes.failure_reward is None or not isinstance(error, FAILURES):
                raise error
            rewards[number], terminated[number] = episodes.failure_reward, True
            infos = self._add_info(infos, {"error": str(error)}, number)
        self._is_over = terminated | truncated
        return observations, rewards, terminated, truncated, infos

    def _outcome_of_each(
        self, observations: np.ndarray, actions: np.ndarray, steps: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, dict[str, object]]:
        """Rewards, terminated and infos by functions of one environment, for those that have taken a step."""
        episodes = self._episodes
        rewards, terminated, infos = np.zeros(self.num_envs), np.zeros(self.num_envs, dtype=bool), dict[str, object]()
        for number in np.flatnonzero(steps).tolist():
            run, observation = self.runs[number], observations[number].copy()
            if episodes.info is not None:
                infos = self._add_info(infos, dict(episodes.info(observation, actions[number], run)), number)
            rewards[number], terminated[number], _ = episodes.outcome(observation, actions[number], run)
        return rewards, terminated, infos

    def _outcome_of_all(
        self, observations: np.ndarray, actions: np.ndarray, steps: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, dict[str, object]]:
        """The same by functions of all environments."""
        episodes, ensemble, infos = self._episodes, self.ensemble, dict[str, object]()
        terminated = ensemble.has_ended
        if episodes.is_terminated is not None:
            terminated = terminated | self._of_all("is_terminated", episodes.is_terminated(observations, ensemble), bool)
        if episodes.info is not None:
            for name, values in episodes.info(observations, actions, ensemble).items():
                infos[name], infos[f"_{name}"] = np.array(values), steps.copy()
        rewards = self._of_all("reward", episodes.reward(observations, actions, ensemble), float)
        return np.where(steps, rewards, 0.0), terminated & steps, infos

    def _of_all(self, name: str, returned: object, kind: type) -> np.ndarray:
        """(num_envs,) what a function of all environments has returned. Raises InputError unless it has one number for each."""
        found = np.asarray(returned)
        if found.shape != (self.num_envs,) or (kind is bool and found.dtype != bool):
            what = "booleans" if kind is bool else "numbers"
            raise InputError(
                f"SystemVectorEnv: with vectorized=True {name} must return {self.num_envs} {what}, one for each environment, "
                f"not {found.dtype} of shape {found.shape}."
            )
        return found.astype(kind, copy=False)

    def _inputs(self, actions: np.ndarray) -> dict[str, np.ndarray]:
        """The values of each variable that actions set."""
        return {name: actions[:, columns] for name, columns in self._columns.items()}

    def render(self) -> tuple[np.ndarray, ...] | None:
        """With render_mode="rgb_array" a picture (480, 640, 3) uint8 of each environment, else None."""
        if self._pictures is None:
            return None
        return tuple(pictures.picture(run.state) for pictures, run in zip(self._pictures, self.runs, strict=True))

    def close_extras(self, **kwargs: object) -> None:
        """Free the memory of the runs."""
        self.ensemble.close()
