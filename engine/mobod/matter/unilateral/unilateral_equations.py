"""The equations of a UnilateralConstraint, with the parameters that it adds to those of the user."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.equations.further_parameters import CompliantEquations, FurtherParameters
from mobod.matter.unilateral.friction import COEFFICIENTS
from mobod.matter.unilateral.moments import MOMENTS
from mobod.scalar import Array, Scalar
from mobod.system.elements import Parameter

RESTITUTION: Parameter[float] = Parameter(
    name="restitution", unit="1", description="speed after an impact divided by that before (Newton)", least=0.0, greatest=1.0
)


@final
@dataclass(frozen=True)
class UnilateralEquations(FurtherParameters):
    """The distances are the position errors. Rigid rows have a restitution. The velocity errors are slips.

    friction  coefficients (static, dynamic, viscous), and the Stribeck speed if there is one; None: without friction
    moments   coefficients of the moments of friction, m, in the order of friction_moments

    Without both the coefficients are not those of all rows.
    """

    restitution: float
    friction: tuple[float, ...] | None = None
    moments: tuple[float, ...] = ()

    @property
    def distances(self) -> ConstraintEquations:
        """The equations as they were given."""
        return self.of.of if isinstance(self.of, CompliantEquations) else self.of

    @property
    def has_rigid_rows(self) -> bool:
        return self.compliance is None or len(self.compliance.rows) < self.n

    @property
    def velocity_units(self) -> tuple[str, ...]:
        return self.of.velocity_units

    @property
    def friction_moments(self) -> tuple[str, ...]:
        return self.distances.friction_moments

    def velocity_errors(self, motion: RelativeMotion) -> Array:
        return self.of.velocity_errors(motion)

    @property
    def further(self) -> tuple[Parameter, ...]:
        of_moments = [MOMENTS[name] for name, _ in zip(self.friction_moments, self.moments, strict=False)]
        return (*((RESTITUTION,) if self.has_rigid_rows else ()), *COEFFICIENTS[: len(self.friction or ())], *of_moments)

    @property
    def further_values(self) -> tuple[float, ...]:
        return (*((self.restitution,) if self.has_rigid_rows else ()), *(self.friction or ()), *self.moments)

    def replaced(self, of: ConstraintEquations, values: Sequence[Scalar] | Array) -> Self:
        restitution, others = (values[0], tuple(values[1:])) if self.has_rigid_rows else (0.0, tuple(values))
        n = len(self.friction or ())
        return type(self)(of, restitution, others[:n] or None, others[n:])
