"""A quadruped learns to walk, in some minutes. Its walk becomes a film (needs moviepy); it and its policy become FMUs, which FMPy steps."""

from time import process_time

import gymnasium
import numpy as np
from walking_fmus import start_values, walk_of_fmus, write_fmus
from walking_learner import GENERATIONS, Walkers, learn
from walking_robot import ACTION, quadruped, rules, targets

import mobod as mb
from mobod.gym import SystemEnv

UNSEEN = [2_000_000_000 + number for number in range(10)]  # the learner draws smaller seeds


def filmed_walk(weights: np.ndarray, seed: int, duration: float) -> tuple[np.ndarray, mb.State]:
    """(n, 3) m, places of the body, and the start. Writes film/walk-episode-0.mp4."""
    env = SystemEnv(quadruped(), reward=lambda *_: 0.0, render_mode="rgb_array", **rules())
    film = gymnasium.wrappers.RecordVideo(env, "film", name_prefix="walk")
    observation, _ = film.reset(seed=seed)
    start, places = env.run.state, []
    for number in range(round(duration / ACTION)):
        observation, *_ = film.step(targets(weights, number * ACTION, observation[:7], observation[7:]))
        places.append(observation[4:7])
    film.close()
    return np.array(places), start


if __name__ == "__main__":
    begins = process_time()
    weights = learn(np.zeros((12, 12)), GENERATIONS)
    print(f"learned in {process_time() - begins:.0f} s of processor time")
    np.savetxt("weights.csv", weights, delimiter=",")

    duration = 10.0
    _, distances, walks = Walkers(len(UNSEEN)).walk(np.tile(weights, (len(UNSEEN), 1, 1)), UNSEEN, duration)
    print(f"{(walks & (distances > 0.3 * duration)).sum()} of {len(UNSEEN)} unseen seeds walk at 0.3 m/s or more for {duration:g} s")
    print("m along x:", *(f"{each:.2f}" for each in np.sort(distances)))

    places, start = filmed_walk(weights, UNSEEN[0], duration)
    write_fmus(weights)
    apart = np.abs(walk_of_fmus(start_values(start), duration) - places).max()
    print(f"the film shows {places[-1, 0]:.2f} m; the FMUs go the same way, within {apart:.0e} m")
