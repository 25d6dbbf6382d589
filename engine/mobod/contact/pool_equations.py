"""The equations of contacts that share slots: of one slot, whose pair of bodies the runtime chooses, and the parameters of all pairs."""

# Decision: docs/decisions/208-shared-slots.md

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from mobod.contact.contact_equations import FRAME, slips_and_turns
from mobod.contact.shapes import ContactShape
from mobod.contact.slot_equations import SLOT_SIZE, proximities_of_slots
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion, Repeated
from mobod.matter.unilateral.friction import DYNAMIC, STATIC, STRIBECK, VISCOUS
from mobod.matter.unilateral.moments import MOMENTS, SIZES
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform
from mobod.system.elements import Parameter


@final
@dataclass(frozen=True)
class PooledSlot(ConstraintEquations):
    """Of one slot, whose points and axes are in the frames of the two bodies. Without parameters, so that all pools share its recording."""

    moments: tuple[str, ...] = ()
    slot: Any = field(default=None, compare=False)

    @property
    def position_units(self) -> tuple[str, ...]:
        return ("m",)

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return ("m/s",) * 2 + ("rad/s",) * sum(SIZES[name] for name in self.moments)

    @property
    def friction_moments(self) -> tuple[str, ...]:
        return self.moments

    @property
    def n_decided(self) -> int:
        return SLOT_SIZE

    def parameter_values(self) -> np.ndarray:
        return np.zeros(0)

    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        return self

    def with_decided(self, values: Array) -> Self:
        return replace(self, slot=values)

    def position_errors(self, motion: RelativeMotion) -> Array:
        return np.array([each.gap for each in proximities_of_slots([self._numbers], *motion.X)])

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        return slips_and_turns(list(proximities_of_slots([self._numbers], *motion.X)), motion, self.moments)

    @property
    def _numbers(self) -> Array:
        return np.zeros(SLOT_SIZE) if self.slot is None else self.slot


@final
@dataclass(frozen=True)
class PooledShape:
    """A shape of a pool.

    frame  (7,) quaternion and origin on its body
    """

    name: str
    shape: ContactShape
    frame: tuple[float, ...]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        own = () if self.shape.has_table else self.shape.parameters
        return tuple(
            replace(each, name=f"{self.name}_{each.name}", description=f"{each.description} of shape '{self.name}'")
            for each in (*own, *FRAME)
        )

    @property
    def n_of_shape(self) -> int:
        """How many of its parameters are those of the shape."""
        return 0 if self.shape.has_table else self.shape.n_parameters

    def parameter_values(self) -> np.ndarray:
        return np.append(self.shape.parameter_values() if self.n_of_shape else np.zeros(0), self.frame)

    def with_parameters(self, values: Sequence[float]) -> "PooledShape":
        n = self.n_of_shape
        return PooledShape(self.name, self.shape.with_parameters(values[:n]) if n else self.shape, tuple(values[n:]))


@final
@dataclass(frozen=True)
class PoolEquations(ConstraintEquations):
    """Of all slots.

    friction  static, dynamic and viscous coefficients of n kinds of pairs, then those of `moments`: (3 to 5, n)
    stribeck  m/s; None: friction falls at once
    moments   see ConstraintEquations.friction_moments
    """

    n_slots: int
    shapes: tuple[PooledShape, ...]
    friction: tuple[tuple[float, ...], ...]
    stribeck: float | None = None
    moments: tuple[str, ...] = ()

    @property
    def position_units(self) -> tuple[str, ...]:
        return ("m",) * self.n_slots

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return ("m/s",) * (2 * self.n_slots) + ("rad/s",) * (sum(SIZES[name] for name in self.moments) * self.n_slots)

    @property
    def friction_moments(self) -> tuple[str, ...]:
        return self.moments

    @property
    def repeated(self) -> Repeated:
        return Repeated(PooledSlot(self.moments), self.n_slots, (1, 2, *(SIZES[name] for name in self.moments)))

    @property
    def n_decided(self) -> int:
        return self.n_slots * SLOT_SIZE

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        kinds = (STATIC, DYNAMIC, VISCOUS, *(MOMENTS[name] for name in self.moments))
        of_friction = [replace(each, shape=(self.n_kinds,)) for each in kinds]
        return (
            *of_friction,
            *(() if self.stribeck is None else (STRIBECK,)),
            *(each for shape in self.shapes for each in shape.parameters),
        )

    @property
    def n_kinds(self) -> int:
        """The number of kinds of pairs by their friction."""
        return len(self.friction[0])

    def parameter_values(self) -> np.ndarray:
        stribeck = [] if self.stribeck is None else [self.stribeck]
        return np.concatenate([np.ravel(self.friction), stribeck, *(shape.parameter_values() for shape in self.shapes)])

    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        numbers: list[Any] = list(values)
        n, size = self.n_kinds, len(self.friction)
        friction = tuple(tuple(numbers[k * n : (k + 1) * n]) for k in range(size))
        at, stribeck = size * n, None
        if self.stribeck is not None:
            at, stribeck = at + 1, numbers[at]
        shapes = []
        for shape in self.shapes:
            end = at + shape.n_of_shape + 7
            shapes.append(shape.with_parameters(numbers[at:end]))
            at = end
        return replace(self, friction=friction, stribeck=stribeck, shapes=tuple(shapes))

    def checked(self, owner: str) -> Self:
        """The same equations: shapes, frames and coefficients are checked when they are made."""
        return self

    def position_errors(self, motion: RelativeMotion) -> Array:
        raise NotImplementedError("the slots of a pool are evaluated one by one")

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        raise NotImplementedError("the slots of a pool are evaluated one by one")


def pooled_geometry(slot: PooledSlot, numbers: Array, R1: Array, p1: Array, R2: Array, p2: Array) -> tuple[Array, Array, Array]:
    """(point (1, 3), normal (1, 3), tangents (2, 3)) in Ground."""
    (each,) = proximities_of_slots([numbers], Transform.of(R1, p1), Transform.of(R2, p2))
    return np.array([each.point]), np.array([each.normal]), each.tangents
