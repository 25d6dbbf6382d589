"""Checks of the equations and the bodies of a UnilateralConstraint."""

from collections.abc import Sequence

from mobod.errors import InputError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import Body, check_constrains
from mobod.matter.equations.constraint_equations import ConstraintEquations


def check_distances(equations: ConstraintEquations, bodies: Sequence[Body], mobilizers: Sequence[MobilizedBody], what: str) -> None:
    """Raise InputError for equations that are no distances, and for bodies that these cannot be between."""
    check_constrains(equations, bodies, mobilizers, what)
    if not equations.n_position or equations.n_acceleration or equations.gives_position_rates:
        raise InputError(
            f"{what}: {type(equations).__name__} must have position errors, which are the distances, and no position_rates and no "
            "acceleration errors."
        )
    if equations.vectors_at:
        raise InputError(f"{what}: {type(equations).__name__} has vectors among its errors; distances are scalars.")
    if len(set(bodies)) == 1:
        raise InputError(f"{what}: '{bodies[0].name}' does not move relative to itself. Give a second body as well, or Ground.")
