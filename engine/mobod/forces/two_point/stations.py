"""Forces along the line between two stations, of body 1 and of body 2."""

from abc import ABC
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.forces.force import Force, ForceOwner
from mobod.forces.station import arm, checked_body, force_at
from mobod.matter import Ground, MobilizedBody, Tree
from mobod.scalar import Array, Slot
from mobod.scalar.sweep import Constants
from mobod.system import State
from mobod.system.elements import VectorParameter, argument, parameter

NO_DIRECTION = "Its two points coincide, so that the line between them has no direction. Keep them apart, or disable the force there."


@final
@dataclass(frozen=True)
class BodyPair:
    """The two bodies, either of which may be Ground."""

    body1: MobilizedBody | Ground
    body2: MobilizedBody | Ground

    @classmethod
    def checked(cls, forces: ForceOwner, body1: Any, body2: Any, what: str) -> "BodyPair":
        pair = cls(checked_body(forces, body1, what), checked_body(forces, body2, what))
        if body1 is body2:
            raise InputError(
                f"{what}: both ends are on body '{body1.name}', where nothing acts between them. Give two bodies; one may be Ground."
            )
        return pair

    def poses(self, tree: Tree) -> list[Slot]:
        """R_GB, r and p_GM of body 1, then of body 2."""
        return [slot for b in self._indices for slot in (tree.slots.R_GB[b], tree.slots.r[b], tree.slots.p_GM[b])]

    def speeds(self, tree: Tree) -> list[Slot]:
        """V_GM of body 1 and of body 2."""
        return [tree.slots.V_GM[b] for b in self._indices]

    def sums(self, tree: Tree) -> list[Slot]:
        """Where forces on body 1 and on body 2 are added."""
        return [tree.slots.body_forces[b] for b in self._indices]

    @property
    def _indices(self) -> tuple[int, int]:
        return self.body1.index, self.body2.index

    def distance(self, state: State, station1: ArrayLike, station2: ArrayLike) -> float:
        """m, from POSITION on."""
        X1, X2 = self.body1.X_GB(state), self.body2.X_GB(state)
        return float(np.linalg.norm(X2.apply(station2) - X1.apply(station1)))


class TwoPointForce(Force, ABC):
    """A force between a station of body 1 and one of body 2; subclasses say what it is."""

    body1: MobilizedBody | Ground = argument("a body, or Ground", kw_only=False)
    station1: VectorParameter = parameter("m", "where it acts on '{element.body1.name}', in the body's frame", shape=(3,), kw_only=False)
    set_station1, default_station1, set_default_station1 = station1.accessors
    body2: MobilizedBody | Ground = argument("another body, or Ground", kw_only=False)
    station2: VectorParameter = parameter("m", "where it acts on '{element.body2.name}', in the body's frame", shape=(3,), kw_only=False)
    set_station2, default_station2, set_default_station2 = station2.accessors

    def __post_init__(self) -> None:
        self._pair = BodyPair.checked(self.forces, self.body1, self.body2, type(self).__name__)
        super().__post_init__()


def fixed_motion(tree: Tree) -> Constants:
    """Ground's, which recordings fold; of the other bodies' nothing, so that the number of kinds does not grow with the tree."""
    s = tree.slots
    fixed = {offset: 0.0 for slot in (s.r[0], s.p_GM[0], s.V_GM[0]) for offset in range(slot.offset, slot.offset + slot.size)}
    return fixed | dict(zip(range(s.R_GB[0].offset, s.R_GB[0].offset + 9), np.eye(3).ravel().tolist(), strict=True))


def span(
    station1: Array, station2: Array, R_GB1: Array, r1: Array, p_GM1: Array, R_GB2: Array, r2: Array, p_GM2: Array
) -> tuple[Array, Array, Array]:
    """The arms of both stations, and the vector from the first to the second, (3,) m, in Ground."""
    arm1, arm2 = arm(R_GB1, r1, station1), arm(R_GB2, r2, station2)
    return arm1, arm2, p_GM2 - p_GM1 + arm2 - arm1


def opposed(arm1: Array, arm2: Array, force: Array) -> tuple[Array, Array]:
    """The spatial forces on body 1 and body 2, where `force` acts on body 2's station and its opposite on body 1's."""
    return force_at(arm1, -force), force_at(arm2, force)
