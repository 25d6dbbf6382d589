"""Mass, mass center and momentum of all bodies together; inertia of each with all that it carries.

Sums are over all bodies, in Ground. Where nothing has mass, the mass center is the Ground origin, at rest.
"""

import numpy as np

from mobod.matter.queries.queried_matter import QueriedMatter, checked_tree
from mobod.matter.tree.kinematics import symmetric
from mobod.spatial import cross_matrix
from mobod.system import Stage, State, check_state


def mass(matter: QueriedMatter, state: State) -> float:
    """Total mass, kg. Needs stage INSTANCE."""
    return float(_sum(matter, state, "total_mass"))


def mass_center(matter: QueriedMatter, state: State) -> np.ndarray:
    """(3,) m: the mass center. Needs stage POSITION."""
    return _sum(matter, state, "mass_center")


def mass_center_velocity(matter: QueriedMatter, state: State) -> np.ndarray:
    """(3,) m/s: velocity of the mass center. Needs stage VELOCITY."""
    return _sum(matter, state, "mass_center_velocity")


def mass_center_acceleration(matter: QueriedMatter, state: State) -> np.ndarray:
    """(3,) m/s^2: acceleration of the mass center. Needs stage ACCELERATION."""
    return _sum(matter, state, "mass_center_acceleration")


def momentum_about_ground_origin(matter: QueriedMatter, state: State) -> np.ndarray:
    """(6,) N m s, N s: angular momentum about the Ground origin, and momentum. Needs stage VELOCITY."""
    return _sum(matter, state, "momentum")


def central_momentum(matter: QueriedMatter, state: State) -> np.ndarray:
    """(6,) N m s, N s: angular momentum about the mass center, and momentum. Needs stage VELOCITY."""
    return _sum(matter, state, "central_momentum")


def composite_body_inertias(matter: QueriedMatter, state: State) -> np.ndarray:
    """(n_bodies, 6, 6) spatial inertias of each body and all its descendants, with all mobilizers locked. Needs stage POSITION.

    They are about the body's origin, expressed in Ground. That of Ground has all other bodies, about the Ground origin.
    """
    tree = checked_tree(matter, state, Stage.POSITION, "composite body inertias")
    slots, rotors = tree.slots, tree.rotors
    mass, mc, inertia, p_GM, p_GB = (state.view(slot) for slot in (slots.mass, slots.mc_G, slots.inertia_G, slots.p_GM, slots.p_GB))
    at_M = (_spatial_inertia(*each) for each in zip(mass, mc, inertia, strict=True))
    composite = np.array([_moved(each, p) for each, p in zip(at_M, p_GB - p_GM, strict=True)])
    for body in filter(rotors.spin, rotors.bodies):
        composite[body.parent.index, :3, :3] += symmetric(state.view(rotors.spin_inertia(body)))
    for body in reversed(matter.bodies):
        b, parent = body.index, body.parent.index
        composite[parent] += _moved(composite[b], p_GB[parent] - p_GB[b])
    return composite


def central_inertia(matter: QueriedMatter, state: State) -> np.ndarray:
    """(3, 3) kg m^2: inertia of all bodies about their common mass center, in Ground. Needs stage POSITION."""
    return _moved(composite_body_inertias(matter, state)[0], mass_center(matter, state))[:3, :3]


def _sum(matter: QueriedMatter, state: State, name: str) -> np.ndarray:
    check_state(state, matter.system)
    return state.cached(matter.cache_entry(name))


def _spatial_inertia(mass: float, mc: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """(6, 6) spatial inertia from mass, mass * mass center and inertia (6,) about the same point."""
    mcx = cross_matrix(mc)
    return np.block([[symmetric(inertia), mcx], [mcx.T, mass * np.eye(3)]])


def _moved(inertia: np.ndarray, p: np.ndarray) -> np.ndarray:
    """A spatial inertia (6, 6) about another point, at p from its own."""
    to_point = np.eye(6)  # maps velocities at that point to the own point: v - w x p
    to_point[3:, :3] = cross_matrix(p)
    return to_point.T @ inertia @ to_point
