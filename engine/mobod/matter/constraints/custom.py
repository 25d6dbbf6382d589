"""CustomConstraint: a user's constraint, of which the error is enough."""

from collections.abc import Sequence

from mobod.errors import InputError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import Body, check_constrains, outmost_common_ancestor
from mobod.matter.constraint import Constraint
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.system import CustomElement


class CustomConstraint(CustomElement, Constraint):
    """Errors of the motion of bodies in the frame of their ancestor, and of mobilizers (see ConstraintEquations).

    equations   a frozen dataclass: `position_units` and `position_errors(motion)`, or those of velocities or accelerations; the motion's
                X, V and A are of the bodies in their ancestor, expressed there, q, u and u_dot of the mobilizers
    bodies      constrained bodies; Ground may be one of them
    mobilizers  bodies whose coordinates or speeds are constrained

    A subclass may have hooks for the stages, with variables and computed values of its own: see CustomElement.
    """

    _base_does_not_follow = False  # the ancestor may be one of the bodies

    def __init__(
        self,
        equations: ConstraintEquations,
        bodies: Sequence[Body] = (),
        mobilizers: Sequence[MobilizedBody] = (),
        *,
        name: str | None = None,
        disabled: bool = False,
    ):
        what = "CustomConstraint" if name is None else f"CustomConstraint '{name}'"
        check_constrains(equations, bodies, mobilizers, what)
        if not equations.n:
            raise InputError(f"{what}: {type(equations).__name__} has no errors. Set position_units, velocity_units or acceleration_units.")
        ancestor = outmost_common_ancestor(bodies) if bodies else mobilizers[0].matter.ground
        self._begin(equations, ancestor, tuple(bodies), tuple(mobilizers), name=name, disabled=disabled)
        self._start_hooks(self.matter.system, "constraint")

    @property
    def variable_names(self) -> list[str]:
        """The last parts of the names of its variables, which parameters and variables of your own cannot have."""
        own = [parameter.name for parameter in self.equations.parameters]
        return ["enabled", "position_error", "velocity_error", "multiplier", *own]
