"""SystemEnv: a System as an environment of Gymnasium, for reinforcement learning. Needs the extra `rl`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import numpy as np

from mobod.errors import InputError, IntegrationError, MobodError
from mobod.real_numbers import real_number, real_numbers
from mobod.simulate import Simulation
from mobod.simulate.run_variables import RunVariables
from mobod.simulate.stepped_run import SteppedRun
from mobod.system import CatalogueVariable, State, System
from mobod.system.boundary import check_state, checked_system

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as missing:
    raise MobodError("mobod.gym needs the package gymnasium. Install it: python -m pip install 'mobod[rl]'") from missing

Bounds = tuple[Any, Any]


@final
class SystemEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """A System whose inputs are actions.

    system
    actions       inputs and parameters that an action sets, each with its bounds: {"motor.force": (-10, 10)}. Actions are in their units
    observations  names of the variables that are observed: ["cart.q", "pole.q", "pole.u"]. The observation is one array of all numbers
    reward        a function (observation, action, run) -> number. `run` is the SteppedRun after the step
    step          s, the duration of an action
    start         a function (state, random) that changes the start of an episode; `random` is a numpy Generator, seeded by reset(seed=...).
                  Default: the episode starts from `state`
    state         a State of the System, which the episodes start from; default: the default State
    is_terminated a function (observation, run) -> bool: whether the episode is over. An event that ends the run ends the episode too
    duration      s; longer episodes are truncated. Default: no limit
    failure_reward
                  the reward of a step that the integration cannot take, for instance because the motion diverges. The episode then ends,
                  `info["error"]` is the message, and the observation is that before the step. Default: the error is raised
    simulation    options of the Simulation: accuracy, integrator, backend ...

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
        checked_system(system, "SystemEnv", System)
        self._step = real_number(step, "SystemEnv: step")
        self._duration = np.inf if duration is None else real_number(duration, "SystemEnv: duration")
        if not (0 < self._step < np.inf and self._duration > 0):
            raise InputError(f"SystemEnv: step and duration must be positive, not {step!r} s and {duration!r} s.")
        self._state = system.realize_topology() if state is None else state.copy()
        check_state(self._state, system)
        if not actions or not observations or isinstance(observations, str):
            raise InputError("SystemEnv: name one or more actions, each with its bounds, and one or more observations in a list.")
        self._reward, self._start, self._is_terminated, self._failure_reward = reward, start, is_terminated, failure_reward
        self.run: SteppedRun = Simulation(system, **simulation).start(self._state)
        self._actions, self._observations = self.run.variables(*actions), self.run.variables(*observations)
        self.action_space = _action_space(self._actions, actions)
        self.observation_space = _observation_space(self._observations)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode. options: {"state": a State} starts it there. Returns the observation, and {"time": s}."""
        super().reset(seed=seed)
        state: State = (options or {}).get("state", self._state)
        if self._start is not None:
            state = state.copy()
            self._start(state, self.np_random)
        self.run.reset(state)
        return self._observations.get(), {"time": self.run.time}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Set the action and advance by `step`. Returns observation, reward, terminated, truncated, and {"time": s}.

        Raises InputError for an action of the wrong shape or beyond the bounds of the space.
        """
        action = real_numbers(action, "SystemEnv: the action").astype(np.float64)
        if not self.action_space.contains(action):
            raise InputError(f"SystemEnv: {action.tolist()} is no action of {self.action_space}.")
        self._actions.set(action)
        run = self.run
        try:
            run.step(self._step)
        except IntegrationError as error:
            if self._failure_reward is None:
                raise
            return self._observations.get(), float(self._failure_reward), True, False, {"time": run.time, "error": str(error)}
        observation = self._observations.get()
        is_over = run.terminated_by is not None or (self._is_terminated is not None and bool(self._is_terminated(observation, run)))
        is_late = run.time - self._state.time >= self._duration * (1 - 1e-9)
        return observation, float(self._reward(observation, action, run)), is_over, is_late, {"time": run.time}

    def close(self) -> None:
        """Free the memory of the run."""
        self.run.close()


def _action_space(handle: RunVariables, bounds: Mapping[str, Bounds]) -> spaces.Box:
    pairs = [(each, _pair(each, bounds[each.name])) for each in handle.variables]
    low, high = (np.concatenate([np.broadcast_to(pair[side], each.slot.shape).reshape(-1) for each, pair in pairs]) for side in (0, 1))
    return spaces.Box(low, high, dtype=np.float64)


def _pair(variable: CatalogueVariable, bounds: Bounds) -> list[np.ndarray]:
    """The bounds of an action. Raises InputError if they are not finite, in the wrong order, or beyond those of the variable."""
    name = variable.name
    if variable.role not in ("input", "parameter"):
        raise InputError(f"SystemEnv: '{name}' cannot be an action. Inputs and parameters can.")
    try:
        low, high = (real_numbers(each, f"SystemEnv: the bounds of '{name}'") for each in bounds)
        np.broadcast_shapes(low.shape, high.shape, variable.slot.shape)
    except (TypeError, ValueError) as error:
        raise InputError(f"SystemEnv: '{name}' needs two bounds, (lower, upper), not {bounds!r}.") from error
    if not (np.isfinite(low).all() and np.isfinite(high).all() and (low < high).all()):
        raise InputError(f"SystemEnv: the bounds of '{name}' must be finite and increase, not {bounds!r}.")
    least, greatest = (
        (-np.inf if variable.minimum is None else variable.minimum),
        (np.inf if variable.maximum is None else variable.maximum),
    )
    if (low < least).any() or (high > greatest).any():
        raise InputError(f"SystemEnv: '{name}' is limited to {least:g} ... {greatest:g}, so {bounds!r} are no bounds for it.")
    return [low, high]


def _observation_space(handle: RunVariables) -> spaces.Box:
    return spaces.Box(handle.least, handle.greatest, dtype=np.float64)
