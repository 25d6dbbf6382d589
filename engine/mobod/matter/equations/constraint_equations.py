"""ConstraintEquations: errors of poses, velocities and accelerations, which the engine keeps at zero."""

# Decision: docs/decisions/054-unilateral-details.md

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, final

import numpy as np

from mobod.matter.parameters import Parametrised
from mobod.scalar import Array, Scalar
from mobod.spatial import Transform

if TYPE_CHECKING:
    from mobod.matter.equations.compliance import Compliance


@dataclass(frozen=True, kw_only=True)
class RelativeMotion:
    """The arguments of a constraint's errors: time, the motion of followers relative to the base, and constrained mobilizers.

    X         poses of the followers' frames in the base's
    V         (6,) each: spatial velocities of the followers in the base, expressed in the base, angular first
    A         (6,) each: the derivatives of V in the base
    q u u_dot of the constrained mobilizers

    Position errors depend on t, X and q only; velocity errors do not depend on A and u_dot.
    """

    t: Scalar
    X: tuple[Transform, ...]
    q: tuple[Array, ...]
    V: tuple[Array, ...] = ()
    u: tuple[Array, ...] = ()
    A: tuple[Array, ...] = ()
    u_dot: tuple[Array, ...] = ()


class ConstraintEquations(Parametrised):
    """Pure functions of a RelativeMotion, which can be recorded (see Parametrised).

    Position errors are differentiated twice for velocities and accelerations, velocity errors once. Acceleration errors are linear in A and
    u_dot. The force of a multiplier is always the transpose of the error's derivative.
    """

    @property
    def position_units(self) -> tuple[str, ...]:
        """The unit of each position error."""
        return ()

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """The unit of each velocity error that is not the rate of a position error."""
        return ()

    @property
    def acceleration_units(self) -> tuple[str, ...]:
        """The unit of each acceleration error that is not the rate of a velocity error."""
        return ()

    @property
    def vectors_at(self) -> tuple[int, ...]:
        """Indices of the first entries of vectors among the position errors. Vectors are reported in the ancestor's frame instead of the
        base's.
        """
        return ()

    def opposite(self, row: int) -> int | None:
        """Of a UnilateralConstraint: the row that bounds the same value on the other side, so that both cannot be active together; or
        None.
        """
        return None

    @property
    def friction_moments(self) -> tuple[str, ...]:
        """Of a UnilateralConstraint with friction: 'torsional_friction', 'rolling_friction', those of both that it has. For each there are
        further velocity errors after the slips: one for each distance, the spin about its normal; or two, the angular velocities along its
        tangents.
        """
        return ()

    @property
    def compliance(self) -> "Compliance | None":
        """The compliances of compliant rows; None: all rows are rigid. See CompliantEquations."""
        return None

    @property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        """(number of the mobilizer, number of the coordinate) of each coordinate that the errors depend on."""
        return ()

    @property
    def repeated(self) -> "Repeated | None":
        """The equal equations of which these consist; None: they are one. A recording holds one of them."""
        return None

    @property
    def n_decided(self) -> int:
        """How many numbers the runtime decides once a step, on which the errors depend, too. The base is Ground if there are any."""
        return 0

    def with_decided(self, values: Array) -> Self:
        """The same equations with the numbers that the runtime has decided, whose rates are 0; values (n_decided,) may be recorded."""
        return self

    def position_errors(self, motion: RelativeMotion) -> Array:
        """(n_position,) position errors, in the units `position_units`."""
        return np.zeros(0)

    def position_rates(self, motion: RelativeMotion) -> Array | None:
        """(n_position,) rates of the position errors, in their units/s, linear in V and u. Default None: their derivative.

        Override it only to use other rates, such as a multiple of the derivative. Accelerations and forces are derived from it.
        """
        return None

    def constraint_forces(self, motion: RelativeMotion, multipliers: Array) -> tuple[Sequence[Array], Sequence[Array]] | None:
        """Optional: G^T lambda, as derived by hand: (moment and force (6,), N m and N, on each follower about its origin, in the base;
        (nu,) N m or N for each mobilizer).

        The engine computes forces as the transpose of the errors' derivative in any case. check_element compares both.
        """
        return None

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        """(n_velocity,) velocity errors that are not rates of position errors, in the units `velocity_units`."""
        return np.zeros(0)

    def acceleration_errors(self, motion: RelativeMotion) -> Array:
        """(n_acceleration,) acceleration errors that are not rates of other errors, in the units `acceleration_units`."""
        return np.zeros(0)

    @final
    @property
    def gives_position_rates(self) -> bool:
        """Whether `position_rates` is overridden."""
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
        """Number of rows: one for each error of any level."""
        return self.n_position + self.n_velocity + self.n_acceleration


@final
@dataclass(frozen=True)
class Repeated:
    """Equal equations with the same parameters, each of which has its own decided numbers.

    one     the equations of one
    n       how many there are
    groups  how many rows of each group one has. The rows are group by group, and in a group equations by equations
    """

    one: ConstraintEquations
    n: int
    groups: tuple[int, ...]

    def rows(self, number: int) -> list[range]:
        """The rows of one of the equations, in each group."""
        found, first = [], 0
        for size in self.groups:
            found.append(range(first + size * number, first + size * (number + 1)))
            first += size * self.n
        return found
