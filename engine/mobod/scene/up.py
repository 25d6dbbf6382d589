"""Which direction a picture shows upward."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mobod.forces import Gravity, UniformGravity
from mobod.forces.subsystem import forces_of
from mobod.matter.bodies.decorations import Triple
from mobod.scene.placing import triple
from mobod.system import State, System

_DEFAULT: Triple = (0.0, 1.0, 0.0)
_NONE = 1e-9  # a sum that is smaller, relative to its terms, is none


def up_of(system: System, state: State) -> Triple:
    """A unit vector in Ground: the up direction that was set; else against the sum of all gravity that acts; else against gravity that is
    switched off or has the magnitude 0; else y.
    """
    named: Any = system
    if getattr(system, "has_up_direction", False):
        return triple(named.up_direction + 0.0)
    for fields in (list(_acting(system, state)), [_direction(each, state) for each in _gravities(system)]):
        total = np.sum(fields, axis=0) if fields else np.zeros(3)
        length = float(np.linalg.norm(total))
        if np.isfinite(length) and length > _NONE * sum(float(np.linalg.norm(each)) for each in fields):
            return triple(0.0 - total / length)
    return _DEFAULT


def _gravities(system: System) -> Iterator[Gravity | UniformGravity]:
    return (each for each in forces_of(system) if isinstance(each, (Gravity, UniformGravity)))


def _acting(system: System, state: State) -> Iterator[np.ndarray]:
    """(3,) m/s^2, of each"""
    for each in _gravities(system):
        if not each.is_disabled(state):
            yield each.gravity_vector(state) if isinstance(each, Gravity) else np.asarray(each.gravity(state))


def _direction(gravity: Gravity | UniformGravity, state: State) -> np.ndarray:
    """(3,) of any length"""
    return gravity.down_direction(state) if isinstance(gravity, Gravity) else np.asarray(gravity.gravity(state))
