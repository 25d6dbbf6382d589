"""What a page shows of the features of a contact: numbers that follow from its forces. They can be recorded."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.contact.laws import ContactLaw
from mobod.scalar import Array, Scalar, Slot, where
from mobod.system import State

N_NUMBERS = 11
"""Of a feature: mode (0 free, 1 stick, 2 slip), coefficient of friction at rest, point (3) m in Ground, normal (3) from body 1 to body 2,
force (3) N on body 2."""
MODE, COEFFICIENT, POINT, NORMAL, FORCE = 0, 1, slice(2, 5), slice(5, 8), slice(8, 11)


@final
@dataclass(frozen=True)
class SeenRow:
    """A call of a sweep, whose result has the shape (n_features, N_NUMBERS). Needs stage ACCELERATION."""

    names: tuple[str, ...]
    function: Callable[..., Array]
    structure: tuple[object, ...]
    inputs: tuple[Slot, ...]

    def numbers(self, state: State) -> np.ndarray:
        """(n_features, N_NUMBERS) in a State."""
        return np.asarray(self.function(*self.structure, *(state.view(slot) for slot in self.inputs)), dtype=float)


def names_of_features(contact: str, features: Sequence[str]) -> tuple[str, ...]:
    """The name of the contact, with that of the feature if there are several."""
    return (contact,) if len(features) == 1 else tuple(f"{contact}.{each}" for each in features)


# ---- recorded functions ----


def rigid_features(modes: Array, coefficient: Scalar, points: Array, normals: Array, normal_forces: Array, frictions: Array) -> Array:
    """Of a RigidContact."""
    return _numbers(modes, coefficient, points, normals, normal_forces, frictions)


def compliant_features(
    law: ContactLaw, normal_forces: Array, frictions: Array, speeds: Array, points: Array, normals: Array, *numbers: Scalar
) -> Array:
    """Of a contact force: it sticks as long as its slip is no faster than the law's transition."""
    coefficient, at_rest = law.friction_at_rest(np.array(numbers))
    modes = np.array([where(f > 0, where(s > at_rest, 2.0, 1.0), 0.0) for f, s in zip(normal_forces, speeds, strict=True)])
    return _numbers(modes, coefficient, points, normals, normal_forces, frictions)


def _numbers(modes: Array, coefficient: Scalar, points: Array, normals: Array, normal_forces: Array, frictions: Array) -> Array:
    return np.array(
        [
            [mode, coefficient, *point, *normal, *(force * normal + friction)]
            for mode, point, normal, force, friction in zip(modes, points, normals, normal_forces, frictions, strict=True)
        ]
    )
