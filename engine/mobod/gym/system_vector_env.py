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
from mobod.errors import InputError, IntegrationError
from mobod.gym.episodes import Episodes
from mobod.gym.spaces import Bounds
from mobod.system import State, System


@final
class SystemVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` environments like SystemEnv, whose steps are taken side by side by an Ensemble. Their trajectories have the same bits.

    num_envs    the number of environments
    threads     of the Ensemble; default: the number of cores
    simulation  options of the Simulation: accuracy, integrator, backend ...

    The other arguments are those of SystemEnv. The `run` that functions get is an EnsembleMember: time, terminated_by, state, and values by
    their names. An episode that has ended begins again with the next step, whose action is not used and whose reward is 0: Gymnasium's
    AutoresetMode.NEXT_STEP. With reset(seed=s), environment i has the seed s + i.

    Raises UnknownNameError with the nearest name; InputError for invalid bounds.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 # VectorEnv declares it so

    def __init__(
        self,
        system: System,
        num_envs: int,
        *,
        actions: Mapping[str, Bounds],
        observations: Sequence[str],
        reward: Callable[[np.ndarray, np.ndarray, EnsembleMember], float],
        step: float,
        start: Callable[[State, np.random.Generator], object] | None = None,
        state: State | None = None,
        is_terminated: Callable[[np.ndarray, EnsembleMember], bool] | None = None,
        duration: float | None = None,
        failure_reward: float | None = None,
        threads: int | None = None,
        **simulation: Any,
    ) -> None:
        self._episodes = episodes = Episodes(
            "SystemVectorEnv",
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
        self.num_envs = num_envs
        self.ensemble = Ensemble(system, episodes.state, n=num_envs, outputs=observations, threads=threads, **simulation)
        self.runs = [self.ensemble.member(number) for number in range(num_envs)]
        episodes.set_up(self.runs[0])
        self.single_action_space, self.single_observation_space = episodes.action_space, episodes.observation_space
        self.action_space, self.observation_space = (
            batch_space(each, num_envs) for each in (self.single_action_space, self.single_observation_space)
        )
        self._columns = [(each.name, each.slot.size) for each in episodes.actions.variables]
        self._randoms: list[np.random.Generator | None] = [None] * num_envs
        self._is_over = np.zeros(num_envs, dtype=bool)

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
        infos: dict[str, object] = {}
        for number in np.flatnonzero(mask).tolist():
            infos = self._add_info(infos, {"time": self.runs[number].time}, number)
        return self.ensemble.observations, infos

    def _begin(self, mask: np.ndarray, options: dict[str, Any] | None) -> None:
        """Begin episodes."""
        numbers = np.flatnonzero(mask).tolist()
        self.ensemble.reset(numbers, [self._episodes.start(options, partial(self._random, number)) for number in numbers])
        for number in numbers:
            self.runs[number].raise_error()
        self._is_over[mask] = False

    def _random(self, number: int) -> np.random.Generator:
        """The generator of an environment."""
        random = self._randoms[number]
        if random is None:
            random = self._randoms[number] = seeding.np_random()[0]
        return random

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Set the actions (num_envs, ...) and advance by `step`. Returns observations, rewards, terminated, truncated, and {"time": s}.

        Raises InputError for actions of the wrong shape or beyond the bounds of the space.
        """
        episodes = self._episodes
        given = real_numbers(actions, "SystemVectorEnv: the actions").astype(np.float64)
        if given.shape != self.action_space.shape:
            raise InputError(f"SystemVectorEnv: actions of shape {given.shape} were given, and must have {self.action_space.shape}.")
        going, begins = ~self._is_over, self._is_over.copy()
        for number in np.flatnonzero(going).tolist():
            episodes.checked_action(given[number])
        self.ensemble.step(episodes.step, self._inputs(np.where(going[:, None], given, episodes.action_space.low)), going)
        if begins.any():
            self._begin(begins, None)
        observations = self.ensemble.observations
        rewards, terminated, truncated = np.zeros(self.num_envs), np.zeros(self.num_envs, dtype=bool), np.zeros(self.num_envs, dtype=bool)
        infos: dict[str, object] = {}
        for number, run in enumerate(self.runs):
            info: dict[str, object] = {"time": run.time}
            if run.error is not None:
                if episodes.failure_reward is None or not isinstance(run.error, IntegrationError):
                    raise run.error
                rewards[number], terminated[number] = episodes.failure_reward, True
                info["error"] = str(run.error)
            elif going[number]:
                outcome = episodes.outcome(observations[number].copy(), given[number], run)
                rewards[number], terminated[number], truncated[number] = outcome
            infos = self._add_info(infos, info, number)
        self._is_over = terminated | truncated
        return observations, rewards, terminated, truncated, infos

    def _inputs(self, actions: np.ndarray) -> dict[str, np.ndarray]:
        """The values of each variable that actions set."""
        ends = np.cumsum([size for _, size in self._columns])
        return {name: actions[:, end - size : end] for (name, size), end in zip(self._columns, ends, strict=True)}

    def close_extras(self, **kwargs: object) -> None:
        """Free the memory of the runs."""
        self.ensemble.close()
