"""A System as an environment of Gymnasium."""

import sys
import types

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import EventError, InputError, IntegrationError, UnknownNameError

gymnasium = pytest.importorskip("gymnasium", reason="needs the package gymnasium (extra rl)")
from gymnasium.utils.env_checker import check_env  # noqa: E402 - only if there is gymnasium

from mobod.gym import SystemEnv, SystemVectorEnv  # noqa: E402 - it imports gymnasium
from mobod.gym.pictures import EpisodePictures  # noqa: E402 - the folder imports gymnasium


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


@pytest.mark.parametrize("integrator", ["velocity_level", "RK4", "SemiImplicitEuler"])
@pytest.mark.parametrize("duration_of_an_action", [{"step": 0.02}, {"frame_skip": 4}])
def test_actions_last_fixed_steps_of_every_integrator(integrator, duration_of_an_action):
    system, env = cart_pole(integrator=integrator, fixed_step=5e-3, **{"step": None, **duration_of_an_action})
    env.reset(seed=3)
    run = mb.Simulation(system, backend="interpreted", integrator=integrator, step=5e-3).start(env.run.state)
    for force in (3.0, -2.0, 5.0):
        observation, *_ = env.step(np.array([force]))
        run.set("motor.force", force)
        run.step(0.02)
        assert observation.tobytes() == run.variables("cart.q", "pole.q", "cart.u", "pole.u").get().tobytes()
    assert env.run.time == run.time


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ({"step": None}, "give step, s"),
        ({"frame_skip": 2}, "frame_skip counts fixed steps"),
        ({"fixed_step": 5e-3, "frame_skip": 4}, "either step, s, or frame_skip"),
        ({"fixed_step": 5e-3, "step": None}, "either step, s, or frame_skip"),
        ({"fixed_step": 5e-3, "step": None, "frame_skip": 2.5}, "positive whole number, not 2.5"),
        ({"fixed_step": 3e-3}, r"step, 0\.02 s, must be a whole number of fixed steps of 0\.003 s"),
        ({"fixed_step": 0.0}, "positive fixed_step"),
    ],
)
def test_steps_that_do_not_fit_are_refused(steps, message):
    with pytest.raises(InputError, match=message):
        cart_pole(integrator="RK4", **steps)


def test_start_values_and_parameters_are_drawn_for_each_episode():
    drawn = {"pole.q": (0.01, 0.05), "gravity.magnitude": lambda random: random.choice([5.0, 6.0])}
    _, env = cart_pole(start=None, randomize=drawn)
    found = []
    for seed in (1, 2, 1, None):
        env.reset(seed=seed)
        found.append((env.run["pole.q"].item(), env.run["gravity.magnitude"].item()))
    assert all(0.01 <= angle < 0.05 and gravity in (5.0, 6.0) for angle, gravity in found)
    assert found[0] == found[2]
    assert len({angle for angle, _ in found}) == 3
    # `start` changes what was drawn
    _, env = cart_pole(
        start=lambda state, random: state.system.set_value(state, "cart.q", 10 * state.system.value(state, "pole.q")), randomize=drawn
    )
    observation, _ = env.reset(seed=1)
    assert observation[0] == 10 * observation[1] == 10 * found[0][0]


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ({"pole.qq": (0, 1)}, "pole.q"),
        ({"pole.p_GB": (0, 1)}, "it is computed"),
        ({"pole.q": (1, 0)}, "not decrease"),
        ({"pole.q": (0, np.inf)}, "finite"),
        ({"pole.q": 3.0}, "lower, upper"),
        ({"gravity.magnitude": (-1, 1)}, "the least value is 0"),
    ],
)
def test_values_that_cannot_be_drawn_are_refused_by_name(drawn, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        cart_pole(randomize=drawn)


def test_what_a_function_adds_to_the_info():
    _, env = cart_pole(info=lambda observation, action, run: {"force": action[0], "late": run.time > 0.03})
    env.reset(seed=1)
    infos = [env.step(np.array([force]))[4] for force in (1.0, 2.0)]
    assert infos == [{"time": 0.02, "force": 1.0, "late": False}, {"time": 0.04, "force": 2.0, "late": True}]


def test_pictures_show_the_motion_at_one_scale(recwarn):  # the checker warns as above
    _, env = cart_pole(render_mode="rgb_array", start=None)
    check_env(env, skip_close_check=True)
    env.reset(seed=1)
    first = env.render()
    assert first.shape == (480, 640, 3)
    assert first.dtype == np.uint8
    assert_array_equal(env.render(), first)
    env.reset(options={"state": env.run.state})
    for _ in range(8):
        env.step(np.array([10.0]))
    later = env.render()
    painted = [(picture != 255).any(axis=2) for picture in (first, later)]
    assert all(0.005 < each.mean() < 0.5 for each in painted)  # neither empty nor covered
    assert (first != later).any(axis=2).mean() > 0.002  # the pole has turned
    assert env.metadata["render_fps"] == 50
    assert cart_pole()[1].render() is None


def ball_above(floor):
    system = mb.MultibodySystem("ball")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81, name="gravity")
    ball = mb.Translation(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="ball")
    ball.add_body_decoration(mb.Transform(), mb.decorations.Sphere(0.1, color=(1, 0, 0)))
    ball.set_default_q([0, 0, 0.3])
    if floor:
        half_space, ball_shape = mb.contact.HalfSpace(), mb.contact.Sphere(0.1)
        mb.RigidContact(matter.ground, half_space, ball, ball_shape, static_friction=0.5, dynamic_friction=0.5, name="floor")
    return system


def pictures_of_balls(system, places):
    pictures, state = EpisodePictures(system), system.realize_topology()
    for place in places:
        system.set_value(state, "ball.q", place)
        yield pictures.picture(state).astype(float)


def test_lines_stay_on_the_floor_while_the_picture_follows_the_body():
    # the distance of lines is a power of ten, so 10 m are a whole number of them, and 0.037 m are not
    first, far, near = pictures_of_balls(ball_above(True), [[0, 0, 0.3], [10, -20, 0.3], [0.037, 0.0, 0.3]])
    gray = (np.ptp(first, axis=2) < 20) & (first.mean(axis=2) < 250)
    assert 0.005 < gray.mean() < 0.3  # thin lines
    assert gray.any(axis=0).mean() > 0.9  # from side to side
    assert np.abs(far - first).max() < 40  # edges of lines, by the round-off of places far away
    assert (np.abs(near - first).max(axis=2) > 20).mean() > 0.005
    without, moved = pictures_of_balls(ball_above(False), [[0, 0, 0.3], [0.037, 0.0, 0.3]])
    assert_array_equal(without, moved)  # only the ball, in the middle
    assert ((np.ptp(without, axis=2) < 20) & (without.mean(axis=2) < 250)).mean() < gray.mean() / 3


class Clip:
    """Stands for the class of moviepy, which writes the film."""

    written = ()

    def __init__(self, frames, fps):
        self.frames, self.fps = frames, fps

    def write_videofile(self, path, logger):
        Clip.written += ((self.frames, self.fps),)


@pytest.fixture
def films(monkeypatch):
    names = ["moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"]
    for name in names:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules[names[-1]].ImageSequenceClip = Clip
    monkeypatch.setattr(Clip, "written", ())


@pytest.mark.usefixtures("films")
def test_gymnasium_films_an_episode(tmp_path):
    _, env = cart_pole(render_mode="rgb_array")
    film = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "films"))
    film.reset(seed=1)
    for force in (10.0, -10.0, 10.0):
        film.step(np.array([force]))
    last = env.render()
    film.close()
    ((frames, fps),) = Clip.written
    assert fps == 50  # actions last 20 ms
    assert [frame.shape for frame in frames] == [(480, 640, 3)] * 4  # the start, and one for each action
    assert_array_equal(frames[-1], last)
    assert (frames[0] != last).any()


@pytest.mark.usefixtures("films")
def test_gymnasium_films_all_of_a_vector_environment(tmp_path):
    system, _ = cart_pole()
    rules = {"actions": {"motor.force": (-10, 10)}, "observations": ["pole.q"], "reward": lambda *_: 0.0, "step": 0.02}
    env = SystemVectorEnv(system, 2, **rules, render_mode="rgb_array", backend="interpreted")
    film = gymnasium.wrappers.vector.RecordVideo(env, str(tmp_path / "films"), video_length=10)
    film.reset(seed=1)
    film.step(np.array([[10.0], [-10.0]]))
    one, other = env.render()
    film.close()
    ((frames, _),) = Clip.written
    assert_array_equal(frames[-1], np.concatenate([one, other], axis=1))
    assert len(frames) == 2


def test_a_browser_shows_each_step(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    _, env = cart_pole(render_mode="human")
    env.reset(seed=1)
    env.step(np.zeros(1))
    assert len(opened) == 1
    env.close()
    with pytest.raises(InputError, match="'rgb_array', not 'ansi'"):
        cart_pole(render_mode="ansi")


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


@pytest.mark.parametrize("vectors", [(), (2,)], ids=["one", "several"])
def test_limits_that_contradict_a_motion_end_the_episode_with_the_reward_of_a_failure(vectors):
    system = mb.MultibodySystem("driven")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    body = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="body")
    body.set_limits(-1.0, 0.03)
    mb.ConstantSpeed(body, which=0, speed=1.0, name="drive")
    options = {
        "actions": {"gravity.magnitude": (0, 20)},
        "observations": ["body.q"],
        "reward": lambda *_: 0.0,
        "frame_skip": 4,
        "fixed_step": 5e-3,
        "integrator": "velocity_level",
        "backend": "interpreted",
    }
    kind = SystemVectorEnv if vectors else SystemEnv
    env = kind(system, *vectors, **options, failure_reward=-5.0)
    env.reset()
    action = np.full(env.action_space.shape, 9.81)
    rewards, ends, errors = [], [], []
    for _ in range(2):
        _, reward, terminated, _, info = env.step(action)
        rewards.append(np.ravel(reward)[0])
        ends.append(np.ravel(terminated)[0])
        errors.append(np.ravel(info.get("error"))[0])
    assert (rewards, ends) == ([0.0, -5.0], [False, True])
    assert errors[0] is None
    assert "'body.upper_limit' contradicts" in errors[1]
    env = kind(system, *vectors, **options)
    env.reset()
    env.step(action)
    with pytest.raises(EventError, match="contradicts"):
        env.step(action)


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


def test_a_start_that_is_no_state_is_refused():
    for options in ({}, {"start": None}):
        with pytest.raises(InputError, match=r"options\['state'\] takes a State, not .*System\.realize_topology"):
            cart_pole(**options)[1].reset(options={"state": np.zeros(4)})


def test_a_wrong_action_is_refused():
    _, env = cart_pole()
    env.reset()
    for action in ([11.0], [0.0, 0.0], [np.nan]):
        with pytest.raises(InputError, match="no action"):
            env.step(np.array(action))
