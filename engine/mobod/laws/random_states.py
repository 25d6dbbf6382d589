"""Random States for laws that hold everywhere."""

from functools import lru_cache

import numpy as np

from mobod.matter import MobilizerEquations, MultibodySystem
from mobod.scalar.array_function import ArrayFunction
from mobod.system import State, System

_TRIES = 1000


def random_q(equations: MobilizerEquations, rng: np.random.Generator) -> np.ndarray:
    """Random coordinates away from singularities, near which the condition of M and the rates of angles amplify round-off without bound.

    A quaternion gets a random length, since only its direction determines the rotation. If a mobilizer is near a singularity everywhere,
    its coordinates are unrestricted.
    """
    if not equations.nu:
        return rng.normal(size=equations.nq)
    for _ in range(_TRIES):
        q = rng.normal(size=equations.nq)
        H, *rates = _motion(equations)(q)
        if np.linalg.svd(H, compute_uv=False)[-1] > 0.25 and max(np.linalg.norm(rate) for rate in rates) < 4:
            break
    return q


@lru_cache(maxsize=256)
def _motion(equations: MobilizerEquations) -> ArrayFunction:
    """The function of q -> H_FM, and q_dot for each unit speed."""
    return ArrayFunction(lambda q: (equations.H_FM(q), *(equations.q_dot(q, unit) for unit in np.eye(equations.nu))))


def random_state(system: System, rng: np.random.Generator) -> State:
    """A State with random time, speeds and auxiliary variables; coordinates of bodies by random_q, others near their start values."""
    state = system.realize_topology()
    state.time = rng.uniform(0, 3)
    state.q = state.q + rng.normal(scale=0.3, size=len(state.q))
    if isinstance(system, MultibodySystem) and system.has_matter:
        for body in system.matter.bodies:
            body.set_q(state, random_q(body.equations_in(state), rng))
    state.u = rng.normal(size=len(state.u))
    state.z = state.z + rng.normal(size=len(state.z))
    return state
