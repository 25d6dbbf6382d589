"""The parts of the example that learns to walk: the learner, the policy as a System and as an FMU, the robots. The whole is slow."""

import ast
import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb

pytest.importorskip("gymnasium", reason="needs the package gymnasium (extra rl)")

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("walking_robot", "walking_learner", "walking_fmus", "24_learning_to_walk")


@pytest.fixture(scope="module")
def modules():
    """The files of the example, by their names."""
    sys.path.insert(0, str(ROOT / "examples"))
    yield {name: importlib.import_module(name) for name in PARTS}
    sys.path.remove(str(ROOT / "examples"))


def observations(n):
    """Of n bodies that lean by up to 20 degrees, on their way."""
    random = np.random.default_rng(3)
    vector = random.uniform(-0.17, 0.17, (n, 3))
    q = np.concatenate([np.sqrt(1 - (vector**2).sum(axis=1, keepdims=True)), vector, random.normal(size=(n, 3))], axis=1)
    return q, random.normal(size=(n, 6))


def test_a_step_of_the_search_goes_up_the_slope_of_linear_returns(modules):
    learner, random = modules["walking_learner"], np.random.default_rng(5)
    weights, slope, directions = random.normal(size=(2, 3)), random.normal(size=(2, 3)), random.normal(size=(6, 2, 3))
    returns = np.array([(slope * each).sum() for each in learner.candidates(weights, directions)])
    found = learner.improved(weights, directions, returns)
    # of a linear function the difference of a pair is 2 noise (slope . direction), and its better one is the mean and half of that
    along = np.einsum("ij,kij->k", slope, directions)
    best = np.argsort(-np.abs(along))[:3]
    both = (slope * weights).sum() + learner.NOISE * np.stack([along[best], -along[best]])
    change = sum(2 * learner.NOISE * along[k] * directions[k] for k in best) / 3
    assert_allclose(found, weights + learner.RATE / both.std() * change, rtol=1e-12)
    assert (slope * (found - weights)).sum() > 0


def test_the_policy_as_a_system_is_the_policy(modules):
    robot, random = modules["walking_robot"], np.random.default_rng(7)
    weights = random.normal(size=(12, 12))
    system = robot.policy(weights)
    state = system.realize_topology()
    for number, (q, u) in enumerate(zip(*observations(3), strict=True)):
        state.time = 0.13 * number
        system.set_value(state, "q.value", q)
        system.set_value(state, "u.value", u)
        system.realize(state, mb.Stage.TIME)
        expected = robot.targets(weights, state.time, q, u)
        assert_allclose(system.value(state, "targets.value"), expected, rtol=0, atol=1e-14)  # rad; round-off of sums of 12 products
        assert (np.abs(expected - robot.STANCE) < robot.REACH).all()
    times, (q, u) = 0.13 * np.arange(3), observations(3)
    rows = robot.targets(np.tile(weights, (3, 1, 1)), times, q, u)
    assert rows[-1].tobytes() == expected.tobytes()  # of many robots: a row each


def test_the_fmu_of_the_policy_is_the_policy(modules, tmp_path, monkeypatch):
    robot, fmus = modules["walking_robot"], modules["walking_fmus"]
    monkeypatch.chdir(tmp_path)
    weights = np.random.default_rng(9).normal(size=(12, 12))
    mb.export_fmu(robot.policy(weights), "policy.fmu", inputs=["q.value", "u.value"], outputs=["targets.value"], code="interpreted")
    policy = fmus.Slave("policy.fmu", {})
    for number, (q, u) in enumerate(zip(*observations(4), strict=True)):
        policy.set(fmus.entries("q.value", 7) + fmus.entries("u.value", 6), [*q, *u])
        found = policy.get(fmus.entries("targets.value", 12))
        assert_allclose(found, robot.targets(weights, number * robot.ACTION, q, u), rtol=0, atol=1e-14)
        policy.step(number * robot.ACTION, robot.ACTION)


def test_robots_without_weights_stand_and_returns_end_with_a_fall(modules, monkeypatch):
    learner, robot = modules["walking_learner"], modules["walking_robot"]
    falls = np.array([np.inf, 0.09])  # s
    monkeypatch.setattr(
        learner, "has_fallen", lambda observations, ensemble: robot.has_fallen(observations, ensemble) | (ensemble.time > falls)
    )
    walkers = learner.Walkers(2, backend="interpreted", threads=1)
    returns, distances, walks = walkers.walk(np.zeros((2, 12, 12)), [4, 5], 0.2)
    assert walks.tolist() == [True, False]
    assert (np.abs(distances) < 0.05).all()
    # an action gives less than 1, and about 0.4 to a robot that stands; the start has a speed
    assert 1.0 < returns[0] < 10.0
    assert 0.0 < returns[1] < 5.0


def test_a_robot_has_fallen_if_it_is_low_or_leans(modules):
    robot = modules["walking_robot"]
    stands, low, leans = np.tile([1.0, 0.1, 0, 0.3, 0, 0, 0.33, *np.zeros(6)], (3, 1))
    low[6], leans[2] = 0.15, -0.4
    assert robot.has_fallen(np.array([stands, low, leans]), None).tolist() == [False, True, True]


def test_the_tutorial_shows_the_code_of_the_example():
    def definitions(text):
        return {ast.dump(node) for node in ast.parse(text).body}

    source = set().union(*(definitions((ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")) for name in PARTS))
    page = (ROOT / "docs" / "tutorials" / "learning_to_walk.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)\n```", page, re.DOTALL)
    assert len(blocks) == 10
    assert [block for block in blocks if not definitions(block) <= source] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2_000_000_000])
def test_the_start_values_of_the_fmu_are_those_that_the_episode_has_drawn(modules, seed):
    from mobod.gym import SystemEnv

    robot, fmus = modules["walking_robot"], modules["walking_fmus"]
    env = SystemEnv(robot.quadruped(), reward=lambda *_: 0.0, **robot.rules(), backend="interpreted")
    env.reset(seed=seed)
    values = fmus.start_values(env.run.state)
    assert values["push.force"] == env.run["push.force"]
    assert [values[f"body.u_start[{k}]"] for k in range(1, 7)] == env.run["body.u"].tolist()
    assert len(values) == 3 + 3 + 6 + 8
