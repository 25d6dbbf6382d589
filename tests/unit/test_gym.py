"""A System as an environment of Gymnasium."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import InputError, IntegrationError, UnknownNameError

gymnasium = pytest.importorskip("gymnasium", reason="needs the package gymnasium (extra rl)")
from gymnasium.utils.env_checker import check_env  # noqa: E402 - only if there is gymnasium

from mobod.gym import SystemEnv  # noqa: E402 - it imports gymnasium


def cart_pole(**more):
    system = mb.MultibodySystem("cart_pole")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    cart = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="cart")
    pole = mb.Pin(cart, mb.MassProperties.point(mass=0.1, p=[0, 0.5, 0]), name="pole")
    mb.MobilityForce(forces, cart, name="motor")
    options = {
        "actions": {"motor.force": (-10, 10)},
        "observations": ["cart.q", "pole.q", "cart.u", "pole.u"],
        "reward": lambda observation, action, run: 1.0 - 1e-3 * action[0] ** 2,
        "step": 0.02,
        "start": lambda state, random: pole.set_q(state, random.uniform(-0.05, 0.05)),
        "is_terminated": lambda observation, run: abs(observation[1]) > 0.2,
        "duration": 10.0,
        "backend": "interpreted",
    }
    return system, SystemEnv(system, **{**options, **more})


def test_gymnasiums_own_checker_finds_nothing(recwarn):
    _, env = cart_pole()
    check_env(env, skip_render_check=True, skip_close_check=True)
    # it recommends bounds for observations, which states do not have, and actions between -1 and 1, which are not forces in N
    recommended = ("precision", "infinity", "normalized space")
    assert [str(each.message) for each in recwarn if not any(text in str(each.message) for text in recommended)] == []


def test_an_episode_is_a_stepped_run():
    system, env = cart_pole()
    observation, info = env.reset(seed=3)
    assert info == {"time": 0.0}
    assert abs(observation[1]) <= 0.05
    state = system.realize_topology()
    system.set_value(state, "pole.q", observation[1])
    run = mb.Simulation(system, backend="interpreted").start(state)
    for number in range(10):
        force = 3.0 * np.sin(number)
        observation, reward, terminated, truncated, info = env.step(np.array([force]))
        run.set("motor.force", force)
        run.step(0.02)
        assert_array_equal(observation, run.variables("cart.q", "pole.q", "cart.u", "pole.u").get())
        assert reward == 1.0 - 1e-3 * force**2
        assert info == {"time": run.time}
        assert not truncated
    assert not terminated


def test_the_seed_decides_the_start():
    _, env = cart_pole()
    starts = [env.reset(seed=seed)[0][1] for seed in (1, 2, 1)]
    assert starts[0] == starts[2] != starts[1]
    assert env.reset()[0][1] != starts[0]  # without a seed the generator goes on


def test_an_episode_ends_by_its_condition_its_duration_or_an_event():
    _, env = cart_pole(duration=0.1)
    env.reset(seed=0)
    ends = [env.step(np.zeros(1))[2:4] for _ in range(5)]
    assert ends == [(False, False)] * 4 + [(False, True)]
    _, env = cart_pole(start=lambda state, random: state.system.set_value(state, "pole.q", 0.19))
    env.reset()
    while not (result := env.step(np.zeros(1)))[2]:
        pass
    assert 0.2 < result[0][1] < 0.25
    system = mb.MultibodySystem("falling")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=9.81, name="gravity")
    ball = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="ball")
    ball.set_default_q(1.0)
    mb.TriggeredEventHandler.of(system, lambda s: ball.q(s)[0], lambda s, event: event.terminate_when(True), name="floor")
    env = SystemEnv(
        system,
        actions={"gravity.magnitude": (1, 20)},
        observations=["ball.q"],
        reward=lambda observation, action, run: float(run.terminated_by is not None),
        step=0.1,
        backend="interpreted",
    )
    env.reset()
    rewards, is_over = [], False
    while not is_over:
        _, reward, is_over, _, info = env.step(np.array([9.81]))
        rewards.append(reward)
    assert rewards == [0.0] * 4 + [1.0]
    assert_allclose(info["time"], np.sqrt(2 / 9.81), atol=1e-6)


def test_a_failed_step_is_raised_or_ends_the_episode_with_its_reward():
    class Repulsion(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += 1e3 * (1 + body.q(state)[0] ** 2) * (1 + body.u(state)[0] ** 2)

    system = mb.MultibodySystem("unstable")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    body = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="body")
    Repulsion(forces, name="repulsion")
    mb.MobilityForce(forces, body, name="motor")
    options = {
        "actions": {"motor.force": (-1, 1)},
        "observations": ["body.q"],
        "reward": lambda *_: 0.0,
        "step": 1.0,
        "backend": "interpreted",
    }
    env = SystemEnv(system, **options)
    env.reset()
    with pytest.raises(IntegrationError):
        env.step(np.zeros(1))
    env = SystemEnv(system, **options, failure_reward=-100.0)
    start, _ = env.reset()
    observation, reward, is_over, _, info = env.step(np.zeros(1))
    assert_array_equal(observation, start)
    assert (reward, is_over) == (-100.0, True)
    assert "stopped" in info["error"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"actions": {"motor.froce": (-1, 1)}}, "motor.force"),
        ({"actions": {"motor.force": (1, -1)}}, "increase"),
        ({"actions": {"motor.force": (-np.inf, 1)}}, "finite"),
        ({"actions": {"motor.force": 3}}, "two bounds"),
        ({"actions": {"cart.q": (-1, 1)}}, "cannot be an action"),
        ({"actions": {"gravity.magnitude": (-1, 1)}}, "limited to 0"),
        ({"observations": "cart.q"}, "in a list"),
        ({"step": 0.0}, "positive"),
    ],
)
def test_wrong_descriptions_are_refused_by_name(wrong, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        cart_pole(**wrong)


def test_a_wrong_action_is_refused():
    _, env = cart_pole()
    env.reset()
    for action in ([11.0], [0.0, 0.0], [np.nan]):
        with pytest.raises(InputError, match="no action"):
            env.step(np.array(action))
