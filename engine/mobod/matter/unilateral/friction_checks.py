"""The coefficients of dry friction as users give them."""

from collections.abc import Sequence

from mobod.errors import InputError
from mobod.matter.equations.constraint_equations import ConstraintEquations
from mobod.matter.unilateral.friction import COEFFICIENTS, DYNAMIC, STATIC
from mobod.matter.unilateral.moments import MOMENTS, SIZES
from mobod.system.elements import Parameter


def checked_coefficients(
    static: float | None, dynamic: float | None, viscous: float, stribeck_speed: float | None, equations: ConstraintEquations, what: str
) -> tuple[float, ...] | None:
    """(static, dynamic, viscous), and the Stribeck speed if it is given; or None without friction.

    dynamic         None: as static
    stribeck_speed  None: friction falls from static to dynamic at once

    Raises InputError for a negative coefficient, for a static one below the dynamic one, and if the equations have no slips or slips are
    given without a coefficient.
    """
    n, n_slips = equations.n_position, slips_of(equations)
    if static is None:
        if dynamic is not None or viscous or stribeck_speed is not None:
            raise InputError(f"{what}: it has a coefficient or a speed of friction of a slip. Give static_friction too.")
        if n_slips:
            raise InputError(f"{what}: {type(equations).__name__} has velocity errors, which are slips. Give static_friction.")
        return None
    if n_slips not in (n, 2 * n):
        raise InputError(
            f"{what}: with friction {type(equations).__name__} must have one or two velocity errors for each distance, the slips along the "
            f"tangents. It has {n_slips} for {n} distances."
        )
    given = (static, static if dynamic is None else dynamic, viscous, *(() if stribeck_speed is None else (stribeck_speed,)))
    checked = tuple(float(each.checked(value, f"{what}: {each.name}")) for each, value in zip(COEFFICIENTS, given, strict=False))
    check_order(checked[0], checked[1], what)
    return checked


def slips_of(equations: ConstraintEquations) -> int:
    """The number of velocity errors that are slips, not angular velocities of moments of friction."""
    return equations.n_velocity - equations.n_position * sum(SIZES[name] for name in equations.friction_moments)


def checked_moments(given: Sequence[float], equations: ConstraintEquations, what: str) -> tuple[float, ...]:
    """The coefficients of the moments of friction, m. Raises InputError for a negative one, and if there are not as many as moments."""
    names = equations.friction_moments
    if len(given) != len(names):
        raise InputError(
            f"{what}: moment_friction has {len(given)} coefficients, but {type(equations).__name__} has {len(names)} moments of friction "
            f"({', '.join(names) or 'none'}). Give one for each."
        )
    return tuple(float(MOMENTS[name].checked(value, f"{what}: {name}")) for name, value in zip(names, given, strict=True))


def checked_changes(given: Sequence[float | None], parameters: Sequence[Parameter[float]], owner: str) -> dict[str, float]:
    """By name those of the coefficients and the Stribeck speed that are given, in the order of COEFFICIENTS; of a constraint with these
    parameters.

    Raises InputError for an invalid number, for a static one below the dynamic one, and for a Stribeck speed without a parameter.
    """
    if given[-1] is not None and len(parameters) < len(COEFFICIENTS):
        raise InputError(f"'{owner}' has no law of Stribeck. Make it with stribeck_speed; 0 m/s means that friction falls at once.")
    pairs = zip(parameters, given, strict=False)
    checked = {each.name: float(each.checked(value, f"{owner}.{each.name}")) for each, value in pairs if value is not None}
    check_order(checked[STATIC.name], checked[DYNAMIC.name], f"'{owner}'")
    return checked


def check_order(static: float, dynamic: float, what: str) -> None:
    """Raise InputError if the coefficient at rest is below that of a slip."""
    if static < dynamic:
        raise InputError(
            f"{what}: {STATIC.name}, {static:g}, is below {DYNAMIC.name}, {dynamic:g}. Friction at rest is at least that of a slip: raise "
            f"{STATIC.name}, or leave {DYNAMIC.name} out."
        )
