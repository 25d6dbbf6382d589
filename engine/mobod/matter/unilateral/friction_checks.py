"""The coefficients of dry friction as users give them."""

from mobod.errors import InputError
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.matter.unilateral.friction import COEFFICIENTS, DYNAMIC, STATIC


def checked_coefficients(
    static: float | None, dynamic: float | None, viscous: float, equations: ConstraintEquations, what: str
) -> tuple[float, ...] | None:
    """(static, dynamic, viscous), or None without friction.

    dynamic  None: as static

    Raises InputError for a negative coefficient, for a static one below the dynamic one, and if the equations have no slips or slips are
    given without a coefficient.
    """
    n, n_slips = equations.n_position, equations.n_velocity
    if static is None:
        if dynamic is not None or viscous:
            raise InputError(f"{what}: it has a coefficient of friction of a slip. Give static_friction too.")
        if n_slips:
            raise InputError(f"{what}: {type(equations).__name__} has velocity errors, which are slips. Give static_friction.")
        return None
    if n_slips not in (n, 2 * n):
        raise InputError(
            f"{what}: with friction {type(equations).__name__} must have one or two velocity errors for each distance, the slips along the "
            f"tangents. It has {n_slips} for {n} distances."
        )
    given = (static, static if dynamic is None else dynamic, viscous)
    checked = tuple(float(each.checked(value, f"{what}: {each.name}")) for each, value in zip(COEFFICIENTS, given, strict=True))
    check_order(checked[0], checked[1], what)
    return checked


def check_order(static: float, dynamic: float, what: str) -> None:
    """Raise InputError if the coefficient at rest is below that of a slip."""
    if static < dynamic:
        raise InputError(
            f"{what}: {STATIC.name}, {static:g}, is below {DYNAMIC.name}, {dynamic:g}. Friction at rest is at least that of a slip: raise "
            f"{STATIC.name}, or leave {DYNAMIC.name} out."
        )
