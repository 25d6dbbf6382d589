"""Parameters of an element that its equations have in parts: a rotation as a quaternion, a frame as a quaternion and an origin."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, final

import numpy as np

from mobod.errors import InputError
from mobod.scalar import Array
from mobod.spatial import Transform, from_quaternion, to_quaternion
from mobod.spatial.rotation import checked_rotation
from mobod.system.elements.accessed import Accessed, TunedElement
from mobod.system.elements.field import REQUIRED
from mobod.system.state.state import State

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Composed(Accessed[T]):
    """A parameter of an element that is made of several parameters of its equations.

    parts        the names of these
    description  for help()
    """

    parts: tuple[str, ...]
    description: str
    part_shapes: ClassVar[tuple[tuple[int, ...], ...]]

    @property
    def text(self) -> str:
        return self.description

    @abstractmethod
    def split(self, value: object, what: str) -> tuple[np.ndarray, ...]:
        """The values of the parts; raises InputError if `what` cannot have the value."""

    @abstractmethod
    def joined(self, *parts: Array) -> T:
        """The value of these parts."""

    def read(self, element: TunedElement, state: State) -> T:
        return self.joined(*(element.parameter(state, part) for part in self.parts))

    def put(self, element: TunedElement, state: State, value: object) -> None:
        for part, part_value in zip(self.parts, self.split(value, self._of(element)), strict=True):
            element.set_parameter(state, part, part_value)

    def default_of(self, element: TunedElement) -> T:
        return self.joined(*(element.default_parameter(part) for part in self.parts))

    def put_default(self, element: TunedElement, value: object) -> None:
        for part, part_value in zip(self.parts, self.split(value, self._of(element)), strict=True):
            element.set_default_parameter(part, part_value)

    def _of(self, element: TunedElement) -> str:
        return f"{element.name}.{self.name}"


@final
@dataclass(frozen=True, kw_only=True)
class RotationParameter(Composed[np.ndarray]):
    """A rotation, (3, 3), kept as a quaternion."""

    part_shapes = ((4,),)

    def split(self, value: object, what: str) -> tuple[np.ndarray, ...]:
        return (to_quaternion(checked_rotation(value, what)),)

    def joined(self, *parts: Array) -> Array:
        return from_quaternion(parts[0])


@final
@dataclass(frozen=True, kw_only=True)
class FrameParameter(Composed[Transform]):
    """A Transform, kept as a quaternion and a position."""

    part_shapes = ((4,), (3,))

    def split(self, value: object, what: str) -> tuple[np.ndarray, ...]:
        X = checked_frame(value, what)
        return to_quaternion(X.R), X.p

    def joined(self, *parts: Array) -> Transform:
        return Transform(from_quaternion(parts[0]), parts[1])


def rotation_of(part: str, description: str, *, kw_only: bool = True) -> Any:
    """Declare a RotationParameter; part: the equations' parameter that is its quaternion."""
    return RotationParameter(parts=(part,), description=description, default=REQUIRED, kw_only=kw_only)


def frame_of(orientation: str, origin: str, description: str, *, kw_only: bool = True) -> Any:
    """Declare a FrameParameter; orientation, origin: the equations' parameters that are its quaternion and its position."""
    return FrameParameter(parts=(orientation, origin), description=description, default=REQUIRED, kw_only=kw_only)


def checked_frame(X: object, what: str) -> Transform:
    """Raises InputError unless it is a Transform."""
    if not isinstance(X, Transform):
        raise InputError(f"{what} is a Transform, not {type(X).__name__}. Write Transform(R, p) or Transform(p=[x, y, z]).")
    return X
