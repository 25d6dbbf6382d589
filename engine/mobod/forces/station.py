"""Stations: points fixed on bodies, Ground among them, at which forces act.

Forces are summed about the origins of the mobilizers' frames M (see matter/tree/kinematics.py), so a station is measured from there: its
arm, in Ground. r is p_MB in Ground, `station` (3,) in the body's frame.
"""

import numpy as np

from mobod.errors import InputError
from mobod.forces.force import ForceOwner, checked_forces
from mobod.matter import Ground, MobilizedBody, Tree
from mobod.scalar import Array, Slot
from mobod.spatial import cross


def checked_body(forces: ForceOwner, body: object, what: str) -> MobilizedBody | Ground:
    checked_forces(forces, what)
    if not isinstance(body, (MobilizedBody, Ground)):
        raise InputError(f"{what}: it acts on mobilized bodies or on matter.ground, not on {type(body).__name__}.")
    return forces.system.matter.attachable(body, what)


def frame(tree: Tree, body: MobilizedBody | Ground) -> list[Slot]:
    """R_GB and r of a body."""
    return [tree.slots.R_GB[body.index], tree.slots.r[body.index]]


def arm(R_GB: Array, r: Array, station: Array) -> Array:
    """(3,) m, from the origin of M to the station, in Ground."""
    return r + R_GB @ station


def force_at(arm: Array, force: Array) -> Array:
    """(6,) N m, N: a force, in Ground, about the origin of M."""
    return np.concatenate([cross(arm, force), force])


def velocity_at(arm: Array, V_GM: Array) -> Array:
    """(3,) m/s, of the station, in Ground."""
    return V_GM[3:] + cross(V_GM[:3], arm)
