"""A learner of linear policies: augmented random search (see 24_learning_to_walk.py).

Source: Mania, Guy, Recht, Simple random search of static linear policies is competitive for reinforcement learning, NeurIPS 2018,
algorithm 1, version V1-t. Observations are not normalised, because the features of the policy have sizes near 1.
"""

import numpy as np
from walking_robot import ACTION, has_fallen, quadruped, reward, rules, targets

from mobod.gym import SystemVectorEnv

GENERATIONS = 120
NOISE, RATE = 0.1, 0.05  # the size of the changes that are tried; of the steps, for returns of deviation 1


def candidates(weights: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """(2 n, ...) the weights changed along each of n directions, and against it."""
    both = weights + NOISE * np.stack([directions, -directions], axis=1)
    return both.reshape(-1, *weights.shape)


def improved(weights: np.ndarray, directions: np.ndarray, returns: np.ndarray) -> np.ndarray:
    """Weights after a step up the mean slope of the best half of the directions.

    returns  (2 n,) sums of rewards of the candidates
    """
    pairs = returns.reshape(-1, 2)
    best = np.argsort(-pairs.max(axis=1))[: (len(pairs) + 1) // 2]
    slope: np.ndarray = np.tensordot(pairs[best, 0] - pairs[best, 1], directions[best], axes=1) / len(best)
    return weights + RATE / max(pairs[best].std(), 1e-9) * slope


class Walkers:
    """Robots side by side, each with weights of its own."""

    def __init__(self, n: int, **options: object) -> None:
        self.n = n
        self._env = SystemVectorEnv(
            quadruped(), n, reward=reward, is_terminated=has_fallen, vectorized=True, failure_reward=-1.0, **rules(), **options
        )

    def walk(self, weights: np.ndarray, seeds: list[int], duration: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """An episode of each: (n,) the sums of rewards; (n,) m, the distances along x up to a fall; (n,) which ones have not fallen.

        weights  (n, 12, 12)
        duration s
        """
        observations, _ = self._env.reset(seed=seeds)
        total, distance, goes_on = np.zeros(self.n), np.zeros(self.n), np.ones(self.n, dtype=bool)
        for number in range(round(duration / ACTION)):
            times = np.full(self.n, number * ACTION)
            actions = targets(weights, times, observations[:, :7], observations[:, 7:])
            observations, rewards, terminated, _, _ = self._env.step(actions)
            total += rewards * goes_on
            goes_on &= ~terminated
            distance[goes_on] = observations[goes_on, 4]
            if not goes_on.any():
                break
        return total, distance, goes_on


def learn(weights: np.ndarray, generations: int, *, n_directions: int = 16, duration: float = 4.0) -> np.ndarray:
    """Weights after some steps. Both candidates of a direction have the same seed."""
    random, walkers = np.random.default_rng(0), Walkers(2 * n_directions)
    for generation in range(1, generations + 1):
        seeds = np.repeat(random.integers(1 << 30, size=n_directions), 2).tolist()
        directions = random.normal(size=(n_directions, *weights.shape))
        returns, _, walks = walkers.walk(candidates(weights, directions), seeds, duration)
        weights = improved(weights, directions, returns)
        if generation % 20 == 0:
            print(f"generation {generation}: mean return {returns.mean():.0f}, {walks.sum()} of {2 * n_directions} do not fall", flush=True)
    return weights
