"""What a UnilateralConstraint shows of its contacts and their friction: variables, and recorded functions."""

from collections.abc import Callable

import numpy as np

from mobod.matter.constraint_rows.constraint_variables import MULTIPLIER_UNITS
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.matter.unilateral.friction import ShownValue
from mobod.scalar import Array, Scalar, Slot, where
from mobod.system import Stage


def descriptions(of_rows: str) -> dict[str, str]:
    """What is shown of distances, by name."""
    return {
        "distance": f"distances {of_rows}",
        "force": f"forces {of_rows}, along the gradients of its distances",
        "engaged": f"1 for each row that is held at zero, or is compliant and in contact, else 0, {of_rows}",
        "impulse": f"impulses of the last impacts {of_rows}, along the gradients of its distances",
    }


def shown_of_friction(equations: ConstraintEquations) -> dict[str, ShownValue]:
    """What is shown of friction, by name."""
    n, size, stage = equations.n_position, equations.n_velocity, Stage.ACCELERATION
    units = tuple(MULTIPLIER_UNITS[unit.partition("/")[0]] for unit in equations.velocity_units)
    return {
        "mode": ShownValue(stage, (n,), ("1",), "modes (0 free, 1 stick, 2 slip)"),
        "friction_force": ShownValue(stage, (size,), units, "friction forces along the tangents"),
        "slip": ShownValue(stage, (size,), equations.velocity_units, "velocities along the tangents"),
        "friction_impulse": ShownValue(stage, (size,), tuple(f"{unit}.s" for unit in units), "impulses along the tangents"),
    }


def made_of_friction(
    n: int, modes: Slot, multipliers: Slot, rates: Slot, impulses: Slot
) -> dict[str, tuple[Callable[..., Array | Scalar], list[Slot]]]:
    """For each name: a function and the slots of its arguments; of n contacts, whose tangents follow the normals."""
    of_tangents = [Slot(each.offset + n, (each.size - n,)) for each in (multipliers, rates, impulses)]
    return {
        "mode": (same, [modes]),
        "friction_force": (negative, [of_tangents[0]]),
        "slip": (same, [of_tangents[1]]),
        "friction_impulse": (same, [of_tangents[2]]),
    }


def same(x: Array) -> Array:
    return x


def negative(x: Array) -> Array:
    return 0.0 - x


def engaged(is_held: Array, compliant_forces: Array) -> Array:
    """Whether each row is active, if some rows are compliant."""
    return np.array([where(force > 0, 1.0, held) for held, force in zip(list(is_held), list(compliant_forces), strict=True)])
