"""Systems as a vector environment of Gymnasium."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.errors import InputError, IntegrationError
from tests.ensembles.models import Root, swing

gymnasium = pytest.importorskip("gymnasium", reason="needs the package gymnasium (extra rl)")
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402 - only if there is gymnasium

from mobod.gym import SystemEnv, SystemVectorEnv  # noqa: E402 - it imports gymnasium


def cart_pole():
    system = mb.MultibodySystem("cart_pole")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    cart = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="cart")
    pole = mb.Pin(cart, mb.MassProperties.point(mass=0.1, p=[0, 0.5, 0]), name="pole")
    mb.MobilityForce(forces, cart, name="motor")
    return system, {
        "actions": {"motor.force": (-10, 10)},
        "observations": ["cart.q", "pole.q", "pole.u", "pole.p_GB"],
        "reward": lambda observation, action, run: 1.0 - 1e-3 * action[0] ** 2 - 1e-3 * run.time - abs(run["cart.u"][0]),
        "step": 0.02,
        "start": lambda state, random: pole.set_q(state, random.uniform(-0.1, 0.1)),
        "is_terminated": lambda observation, run: abs(observation[1]) > 0.2,
        "duration": 0.5,
    }


def assert_same_infos(found, expected):
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        assert_array_equal(found[key], values)


@pytest.mark.fast(1)
@pytest.mark.parametrize("threads", [1, 2])
def test_trajectories_have_the_bits_of_separate_environments(threads):
    system, rules = cart_pole()
    many = SystemVectorEnv(system, 5, threads=threads, **rules)
    single = SyncVectorEnv([lambda: SystemEnv(system, **rules)] * 5)
    assert many.single_action_space == single.single_action_space
    assert many.observation_space == single.observation_space
    assert many.action_space == single.action_space
    (found, info), (expected, expected_info) = (env.reset(seed=7) for env in (many, single))
    assert found.tobytes() == expected.tobytes()
    assert_same_infos(info, expected_info)
    random, ends = np.random.default_rng(0), np.zeros(2)
    for _ in range(60):
        actions = random.uniform(-10, 10, size=(5, 1))
        found, expected = many.step(actions), single.step(actions)
        for one, other in zip(found[:4], expected[:4], strict=True):
            assert one.tobytes() == other.tobytes()
        assert_same_infos(found[4], expected[4])
        ends += found[2].sum(), found[3].sum()
    assert (ends > 0).all()  # episodes have ended in both ways, and begun again
    many.close()
    single.close()


@pytest.mark.fast(1)
@pytest.mark.parametrize("fixed", [{}, {"integrator": "velocity_level", "fixed_step": 5e-3}, {"integrator": "RK4", "fixed_step": 5e-3}])
def test_functions_of_all_environments_give_what_functions_of_one_give(fixed):
    system, rules = cart_pole()
    drawn = {"pole.q": (-0.1, 0.1), "gravity.magnitude": lambda random: random.uniform(8, 10)}
    rules |= {"start": None, "randomize": drawn, **fixed}
    of_one = {
        "reward": lambda observation, action, run: 1.0 - 1e-3 * action[0] ** 2 - run.time,
        "is_terminated": lambda observation, run: abs(observation[1]) > 0.2,
        "info": lambda observation, action, run: {"height": observation[4], "square": action**2},
    }
    of_all = {
        "reward": lambda observations, actions, ensemble: 1.0 - 1e-3 * actions[:, 0] ** 2 - ensemble.time,
        "is_terminated": lambda observations, ensemble: np.abs(observations[:, 1]) > 0.2,
        "info": lambda observations, actions, ensemble: {"height": observations[:, 4], "square": actions**2},
        "vectorized": True,
    }
    many, single = SystemVectorEnv(system, 4, **{**rules, **of_all}), SystemVectorEnv(system, 4, **{**rules, **of_one})
    alone = SyncVectorEnv([lambda: SystemEnv(system, **{**rules, **of_one})] * 4)
    starts = [env.reset(seed=3) for env in (many, single, alone)]
    assert starts[0][0].tobytes() == starts[1][0].tobytes() == starts[2][0].tobytes()
    random, ends = np.random.default_rng(0), np.zeros(2)
    for _ in range(40):
        actions = random.uniform(-10, 10, size=(4, 1))
        found, expected, separate = (env.step(actions) for env in (many, single, alone))
        for one, other, third in zip(found[:4], expected[:4], separate[:4], strict=True):
            assert one.tobytes() == other.tobytes() == third.tobytes()
        assert_same_infos(expected[4], separate[4])
        took = expected[4].get("_height", np.zeros(4, dtype=bool))
        assert_array_equal(found[4]["_height"], took)
        for name in ("height", "square"):
            if took.any():
                assert_array_equal(found[4][name][took], expected[4][name][took])
        ends += found[2].sum(), found[3].sum()
    assert (ends > 0).all()


def test_functions_of_all_environments_must_return_a_number_for_each():
    system, rules = cart_pole()
    wrong = {"reward": lambda observations, actions, ensemble: 1.0, "is_terminated": None, "vectorized": True, "start": None}
    env = SystemVectorEnv(system, 3, **{**rules, **wrong})
    env.reset(seed=1)
    with pytest.raises(InputError, match=r"reward must return 3 numbers, one for each environment, not float64 of shape \(\)"):
        env.step(np.zeros((3, 1)))


def test_a_picture_of_each_environment():
    system, rules = cart_pole()
    env = SystemVectorEnv(system, 2, **{**rules, "start": None, "randomize": {"pole.q": (-1.0, 1.0)}}, render_mode="rgb_array")
    env.reset(seed=1)
    one, other = env.render()
    assert one.shape == other.shape == (480, 640, 3)
    assert (one != other).any()
    with pytest.raises(InputError, match="shows one environment"):
        SystemVectorEnv(system, 2, **rules, render_mode="human")


def test_gymnasium_can_use_it():
    system, rules = cart_pole()
    env = SystemVectorEnv(system, 3, **rules)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(gymnasium.wrappers.vector.ClipReward(env, -1, 1))
    observations, _ = wrapped.reset(seed=[1, 2, 1])
    assert observations in env.observation_space
    assert observations[0].tolist() == observations[2].tolist() != observations[1].tolist()
    finished = 0
    for _ in range(40):
        observations, rewards, terminated, truncated, info = wrapped.step(env.action_space.sample())
        assert observations in env.observation_space
        assert rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == bool
        finished += info.get("_episode", np.zeros(3)).sum()
    assert finished > 0


def test_some_environments_are_reset_by_a_mask_to_a_state():
    system, rules = cart_pole()
    env = SystemVectorEnv(system, 3, **{**rules, "start": None})
    env.reset()
    for _ in range(3):
        before = env.step(np.full((3, 1), 2.0))[0]
    state = system.realize_topology()
    system.set_value(state, "pole.q", 0.05)
    observations, info = env.reset(options={"reset_mask": np.array([False, True, False]), "state": state})
    assert observations[1][1] == 0.05
    assert_array_equal(observations[[0, 2]], before[[0, 2]])
    assert info["_time"].tolist() == [False, True, False]


def test_a_failed_step_ends_the_episode_of_its_environment_or_is_raised():
    system = swing(Root)
    rules = {
        "actions": {"gravity.magnitude": (0.1, 20)},
        "observations": ["pin.q"],
        "reward": lambda observation, action, run: 1.0,
        "step": 0.1,
        "start": lambda state, random: system.set_value(state, "pin.u", random.choice([0.1, 5.0])),
    }
    env = SystemVectorEnv(system, 6, failure_reward=-100.0, **rules)
    single = SyncVectorEnv([lambda: SystemEnv(system, failure_reward=-100.0, **rules)] * 6)
    env.reset(seed=2)
    single.reset(seed=2)
    rewards = []
    for _ in range(8):
        found, expected = (each.step(np.full((6, 1), 9.81)) for each in (env, single))
        for one, other in zip(found[:4], expected[:4], strict=True):
            assert one.tobytes() == other.tobytes()
        messages = [(message or "").split(": ", 1)[-1] for message in found[4].get("error", [])]
        assert messages == [(message or "").split(": ", 1)[-1] for message in expected[4].get("error", [])]
        rewards += found[1].tolist()
    assert {-100.0, 0.0, 1.0} == set(rewards)
    env = SystemVectorEnv(system, 6, **rules)
    env.reset(seed=2)
    env.step(np.full((6, 1), 9.81))
    env.step(np.full((6, 1), 9.81))
    with pytest.raises(IntegrationError, match=r"stopped at 0\.2"):
        env.step(np.full((6, 1), 9.81))


def test_wrong_actions_seeds_and_masks_are_refused():
    system, rules = cart_pole()
    env = SystemVectorEnv(system, 2, **rules)
    env.reset()
    with pytest.raises(InputError, match=r"shape \(2,\) were given, and must have \(2, 1\)"):
        env.step(np.zeros(2))
    with pytest.raises(InputError, match="no action"):
        env.step(np.array([[0.0], [11.0]]))
    with pytest.raises(InputError, match="3 seeds were given for 2"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(InputError, match="reset_mask must be 2 booleans"):
        env.reset(options={"reset_mask": np.array([1, 0])})
