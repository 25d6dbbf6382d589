"""The interfaces of bodies that the tables of a tree use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.equations.motion_equations import PrescribedEquations


class NumberedBody(Protocol):
    """Ground, with index 0, or a mobilized body."""

    name: str
    index: int


class KnownMotion(Protocol):
    """The interface of a Motion that the tables of a tree use."""

    @property
    def equations(self) -> PrescribedEquations: ...


class ModalCoordinates(Protocol):
    """The modal coordinates of a flexible body, with a mass of the modes alone: without that of the body's frame.

    mass       (n, n)  no unit, relative to a modal mass of 1
    damping    (n, n)  1/s
    stiffness  (n,)    1/s^2: squares of angular frequencies
    scale      ()      kg^(1/2) m: to which errors of a modal coordinate are relative
    """

    @property
    def mass(self) -> np.ndarray: ...

    @property
    def damping(self) -> np.ndarray: ...

    @property
    def stiffness(self) -> np.ndarray: ...

    @property
    def scale(self) -> float: ...


@dataclass(frozen=True, kw_only=True)
class Rotor:
    """A rotor that turns with a mobilizer.

    speeds      of the mobilizer that it moves with: one, or the three of a Ball
    inertia     kg m^2, about its axis
    gear_ratio  angle of the rotor for each unit of the coordinate: no unit, or rad/m
    axis        in frame F on the parent, on which the rotor then acts; None: it does not
    """

    speeds: tuple[int, ...]
    inertia: float
    gear_ratio: float
    axis: tuple[float, float, float] | None = None


class DeformingInertia(Protocol):
    """See flexible.deforming_mass.DeformingMass."""

    @property
    def is_curved(self) -> bool: ...

    @property
    def arrays(self) -> tuple[np.ndarray, ...]: ...

    @property
    def kept(self) -> tuple[tuple[int, ...], ...]: ...

    @property
    def rates(self) -> tuple[tuple[int, ...], ...]: ...


class TreeBody(NumberedBody, Protocol):
    """The interface of a MobilizedBody that the tables of a tree use."""

    @property
    def parent(self) -> NumberedBody: ...

    @property
    def equations(self) -> MobilizerEquations: ...

    @property
    def nu(self) -> int: ...

    @property
    def motion(self) -> KnownMotion | None: ...

    @property
    def rotors(self) -> Sequence[Rotor]: ...

    @property
    def modes(self) -> ModalCoordinates | None:
        """Of a modal node."""

    @property
    def shapes(self) -> np.ndarray | None:
        """(6, n) of a frame that the modal coordinates of its parent, a modal node, move."""

    @property
    def second_shapes(self) -> np.ndarray | None:
        """(3, n, n) of such a frame with shapes of second order."""

    @property
    def deforming(self) -> DeformingInertia | None:
        """Of a frame of the mean axes that carries an inertia that follows the deformation."""

    @property
    def carries_mass(self) -> bool:
        """Whether it has mass by default."""
