"""What a constraint is to the engine: errors of poses, velocities and accelerations, which it keeps at zero."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from mobod.matter.parameters import Parametrised
from mobod.spatial import Transform

if TYPE_CHECKING:
    from mobod.matter.equations.compliance import Compliance


@dataclass(frozen=True, kw_only=True)
class RelativeMotion:
    """What a constraint's errors depend on: time, followers as seen from the base, and constrained mobilizers.

    X         poses of the followers' frames in the base's
    V         (6,) each: their spatial velocities in the base, expressed there, angular first
    A         (6,) each: the derivatives of V in the base
    q u u_dot of the constrained mobilizers

    Position errors have t, X and q alone; velocity errors not A and u_dot.
    """

    t: Any
    X: tuple[Transform, ...]
    q: tuple[Any, ...]
    V: tuple[Any, ...] = ()
    u: tuple[Any, ...] = ()
    A: tuple[Any, ...] = ()
    u_dot: tuple[Any, ...] = ()


class ConstraintEquations(Parametrised):
    """Pure functions of a RelativeMotion, which can be recorded (see Parametrised).

    Position errors are differentiated twice for velocities and accelerations, velocity errors once; acceleration errors are linear in A
    and u_dot. The forces of a multiplier are the transpose of the error's derivative, in every case.
    """

    @property
    def position_units(self) -> tuple[str, ...]:
        """One for each position error."""
        return ()

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """One for each velocity error that is no rate of a position error."""
        return ()

    @property
    def acceleration_units(self) -> tuple[str, ...]:
        """One for each acceleration error that is no rate of a velocity error."""
        return ()

    @property
    def vectors_at(self) -> tuple[int, ...]:
        """First entries, among the position errors, of vectors: they are shown in the ancestor's frame instead of the base's."""
        return ()

    def opposite(self, row: int) -> int | None:
        """Of distances of a UnilateralConstraint: the row to the other side of the same value, which is not met together with this one."""
        return None

    @property
    def compliance(self) -> "Compliance | None":
        """Which rows give way; None: all are rigid. See CompliantEquations."""
        return None

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        """(number among the mobilizers, number of the coordinate) of each coordinate that the errors depend on."""
        return ()

    def position_errors(self, motion: RelativeMotion) -> Any:
        """(n_position,)"""
        return np.zeros(0)

    def position_rates(self, motion: RelativeMotion) -> Any:
        """(n_position,) rates of the position errors, linear in V and u; as it stands None, for the derivative of the position errors.

        Written only where they are to be others, such as a multiple of it: accelerations and forces follow them.
        """
        return None

    def constraint_forces(self, motion: RelativeMotion, multipliers: Any) -> tuple[Any, Any] | None:
        """G^T lambda as you derive it: (a force (6,) for each follower about its origin, in the base; (nu,) for each mobilizer), or None.

        It need not be written: forces are the transpose of the errors' derivative in every case. check_element compares it with that.
        """
        return None

    def velocity_errors(self, motion: RelativeMotion) -> Any:
        """(n_velocity,)"""
        return np.zeros(0)

    def acceleration_errors(self, motion: RelativeMotion) -> Any:
        """(n_acceleration,)"""
        return np.zeros(0)

    @final
    @property
    def gives_position_rates(self) -> bool:
        """Whether `position_rates` is written."""
        return type(self).position_rates is not ConstraintEquations.position_rates

    @final
    @property
    def n_position(self) -> int:
        """The number of position errors."""
        return len(self.position_units)

    @final
    @property
    def n_velocity(self) -> int:
        """The number of velocity errors that are not rates of position errors."""
        return len(self.velocity_units)

    @final
    @property
    def n_acceleration(self) -> int:
        """The number of acceleration errors that are not rates of others."""
        return len(self.acceleration_units)

    @final
    @property
    def n(self) -> int:
        """How many rows it makes: one for each error, of any level."""
        return self.n_position + self.n_velocity + self.n_acceleration
