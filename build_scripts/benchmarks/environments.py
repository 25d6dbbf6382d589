"""Steps of vector environments: what they cost beside the physics, and vector environments of Gymnasium and MuJoCo's rollout.

A cost is that of one environment and action. On one core it is processor time, in two threads it is elapsed time. Gymnasium steps its
environments in one thread. The cart-poles have the joints of its InvertedPendulum and the same steps: one of RK4, 20 ms. Its Ant is another
robot than the quadruped, with 8 motors for 12, and 5 steps of RK4 for 10 at velocity level: an action lasts 50 ms there, and 20 ms here.
MuJoCo's rollout has the same quadruped, with the settings of quadruped.py, and is called for each action. It has neither observations,
rewards nor resets.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from time import perf_counter, process_time
from typing import Any

import numpy as np

import mobod as mb
from benchmarks.harness import Bench, Columns, Measure, calls, case
from benchmarks.quadruped import example, model_in_mujoco

GROUP = "environments"
CORES = ("one core", "two threads")
_CARTS, _ROBOTS = 64, 16
_PHYSICS, _OF_GYMNASIUM, _ROLLOUT = "physics", "Gymnasium's", "MuJoCo's rollout"


def cart_pole() -> mb.MultibodySystem:
    system = mb.MultibodySystem("cart_pole")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    cart = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="cart")
    mb.Pin(cart, mb.MassProperties.point(mass=0.1, p=[0, 0.5, 0]), name="pole")
    mb.MobilityForce(forces, cart, name="motor")
    return system


@case(GROUP, f"{_CARTS} cart-poles, {{}}", *CORES, peers=(_PHYSICS, _OF_GYMNASIUM), needs=("gymnasium",))
def cart_poles(bench: Bench, cores: str) -> Columns:
    """With episodes that end where the pole has fallen by 0.2 rad, and begin again."""

    def ours() -> Any:
        from mobod.gym import SystemVectorEnv

        env = SystemVectorEnv(
            cart_pole(),
            _CARTS,
            actions={"motor.force": (-10, 10)},
            observations=["cart.q", "pole.q", "cart.u", "pole.u"],
            reward=lambda observations, actions, ensemble: 1.0 - 1e-3 * actions[:, 0] ** 2,
            is_terminated=lambda observations, ensemble: np.abs(observations[:, 1]) > 0.2,
            vectorized=True,
            randomize={"pole.q": (-0.05, 0.05)},
            threads=_threads(cores),
            integrator="RK4",
            fixed_step=0.02,
            frame_skip=1,
            backend="compiled",
        )
        env.reset(seed=1)
        return env

    def physics() -> Measure:
        ensemble, n = ours().ensemble, 100
        return calls(lambda: ensemble.run(until=n * 0.02), n * _CARTS, _clock(cores))

    def beside() -> Measure:
        steps, without_python = _steps(ours(), cores), physics()
        return lambda n: steps(50 * n) - without_python(n)

    return {
        "step": lambda: _steps(ours(), cores),
        _PHYSICS: physics,
        "beside it": beside,
        _OF_GYMNASIUM: lambda: _steps(_of_gymnasium("InvertedPendulum-v5", _CARTS, frame_skip=1), cores),
    }


@case(GROUP, f"{_ROBOTS} quadrupeds, {{}}", *CORES, peers=(_ROLLOUT, _OF_GYMNASIUM), needs=("gymnasium",))
def quadrupeds(bench: Bench, cores: str) -> Columns:
    """They trot by targets of their servos that depend on time."""
    robot = example("walking_robot")
    actions = cycle(_trot(robot))

    def ours() -> Measure:
        from mobod.gym import SystemVectorEnv

        rules = {**robot.rules(), "randomize": {"body.u": lambda random: random.uniform(-0.1, 0.1, 6)}}
        env = SystemVectorEnv(
            robot.quadruped(),
            _ROBOTS,
            reward=robot.reward,
            is_terminated=robot.has_fallen,
            vectorized=True,
            threads=_threads(cores),
            backend="compiled",
            **rules,
        )
        env.reset(seed=1)
        return _steps(env, cores, actions)

    return {
        "step": ours,
        _ROLLOUT: partial(_rollout, robot, actions, cores),
        _OF_GYMNASIUM: lambda: _steps(_of_gymnasium("Ant-v5", _ROBOTS), cores),
    }


def _threads(cores: str) -> int:
    return 2 if cores == "two threads" else 1


def _clock(cores: str) -> Callable[[], float]:
    return perf_counter if cores == "two threads" else process_time


def _of_gymnasium(name: str, n: int, **options: Any) -> Any:
    """Raises ImportError without MuJoCo."""
    import gymnasium
    import mujoco  # noqa: F401 # Gymnasium needs it, and has an error of its own

    env = gymnasium.make_vec(name, num_envs=n, vectorization_mode="sync", **options)
    env.reset(seed=1)
    return env


def _steps(env: Any, cores: str, actions: Iterator[np.ndarray] | None = None) -> Measure:
    """Steps of a vector environment. actions: default: drawn from its space"""
    env.action_space.seed(1)
    taken = cycle([env.action_space.sample() for _ in range(500)]) if actions is None else actions
    return calls(lambda: env.step(next(taken)), env.num_envs, _clock(cores))


def _trot(robot: Any) -> list[np.ndarray]:
    """(robots, 12) rad, the targets for each action of two strides."""
    found = []
    for phase in 2 * np.pi * robot.FREQUENCY * robot.ACTION * np.arange(round(2 / robot.FREQUENCY / robot.ACTION)):
        of_legs = phase + np.pi * np.array([0, 1, 1, 0])
        lift = 0.1 * np.maximum(np.sin(of_legs), 0.0)
        offsets = np.stack([0 * lift, 1.5 * lift + 0.1 * np.cos(of_legs), -3.0 * lift], axis=1)
        found.append(np.tile(robot.STANCE + offsets.reshape(-1), (_ROBOTS, 1)))
    return found


def _rollout(robot: Any, actions: Iterator[np.ndarray], cores: str) -> Measure:
    import mujoco
    import mujoco.rollout

    model = model_in_mujoco(stiffness=80.0, damping=1.0)
    model.opt.timestep = robot.STEP
    data = [mujoco.MjData(model) for _ in range(_threads(cores))]
    state = robot.quadruped().realize_topology()
    data[0].qpos[:] = [*state.q[4:7], *state.q[:4], *state.q[7:]]
    start = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data[0], start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    present, n_steps = np.tile(start, (_ROBOTS, 1)), round(robot.ACTION / robot.STEP)
    pool = mujoco.rollout.Rollout(nthread=len(data) if len(data) > 1 else 0)

    def step() -> None:
        control = np.repeat(next(actions)[:, None], n_steps, axis=1)
        states, _ = pool.rollout([model] * _ROBOTS, data, present, control)
        present[:] = states[:, -1]

    return calls(step, _ROBOTS, _clock(cores))
