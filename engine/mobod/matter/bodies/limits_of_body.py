"""Limits of a mobilizer's coordinates, which a run keeps.

A rigid limit acts as a rigid, frictionless stop: the coordinate bounces, rests and separates. A compliant limit acts as a spring and a
damper beyond the bound. A run raises an error if a coordinate starts outside its rigid limits by more than its tolerance; it does not
move the coordinate. An Assembler respects rigid limits.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.matter.bodies.body_in_tree import BodyInTree
from mobod.matter.bodies.limits_of_coordinate import LimitsOfCoordinate
from mobod.system import State, check_state


class LimitedBody(BodyInTree, Protocol):
    """See MobilizedBody."""

    _limits: dict[int, LimitsOfCoordinate]


def set_limits(
    body: LimitedBody,
    lower: ArrayLike = -np.inf,
    upper: ArrayLike = np.inf,
    restitution: ArrayLike = 0.0,
    *,
    compliance: ArrayLike = 0.0,
    damping: ArrayLike = 0.0,
    coordinate: int | None = None,
) -> None:
    """Set bounds of coordinates. Topological.

    lower, upper  of one coordinate, or (nq,), in the unit of the coordinate; infinite: no bound
    restitution   between 0 and 1: speed after an impact divided by the speed before it (Newton); one, or (nq,)
    compliance    m/N or rad/(N m): displacement of the limit per unit of force, as of a spring without preload; 0: rigid, with impacts;
                  one, or (nq,)
    damping       N s/m or N m s/rad: of compliant limits; one, or (nq,)
    coordinate    number of the coordinate, if the body has several and single numbers are given

    Raises InputError for bounds in the wrong order, a restitution out of range or of compliant limits, a damping of rigid limits, and
    for making existing rigid limits compliant. Raises UnsupportedError for coordinates whose rates are not speeds, such as those of a
    Ball.
    """
    what = f"set_limits of '{body.name}'"
    if coordinate is None and body.nq != 1 and np.ndim(lower) == np.ndim(upper) == 0:
        raise InputError(f"{what}: it has {body.nq} coordinates. Give bounds for each, or choose one by coordinate=...")
    if coordinate is None:
        named = (
            ("lower", lower),
            ("upper", upper),
            ("restitution", restitution),
            ("compliance", compliance),
            ("damping", damping),
        )
        given = [_each(body, value, f"{what}: {name}") for name, value in named]
        for i, values in enumerate(zip(*given, strict=True)):
            if i in body._limits or np.isfinite(values[:2]).any() or np.isnan(values[:2]).any():
                _limit(body, i, *values)
    else:
        _limit(body, coordinate, lower, upper, restitution, compliance, damping)


def engaged(body: LimitedBody, state: State) -> np.ndarray:
    """(nq,) 1 if the coordinate is active at its lower limit, -1 at its upper limit, otherwise 0. A compliant limit is active if it has
    a force.
    """
    return _of_limits(body, state, lambda limits: limits.engaged(state), 0)


def limit_force(body: LimitedBody, state: State) -> np.ndarray:
    """(nq,) N m or N: generalized forces of limits, positive at a lower limit, negative at an upper one. Needs stage ACCELERATION."""
    return _of_limits(body, state, lambda limits: limits.force(state), 0.0)


def limit_impulse(body: LimitedBody, state: State) -> np.ndarray:
    """(nq,) N m s or N s: impulses of the last impacts, with the signs of the forces."""
    return _of_limits(body, state, lambda limits: limits.impulse(state), 0.0)


def limit_distance(body: LimitedBody, state: State) -> np.ndarray:
    """(nq,) rad or m: distance of each coordinate from its nearer limit; infinite without limits. Needs stage POSITION."""
    return _of_limits(body, state, lambda limits: limits.distance(state), np.inf)


# inside
def _limit(body: LimitedBody, coordinate: int, *given: Any) -> None:
    """Set or make the limits of a coordinate. given: lower, upper, restitution, compliance, damping."""
    if coordinate in body._limits:
        body._limits[coordinate].set_defaults(*given)
    else:
        body._limits[coordinate] = body.matter.new_limits(body, coordinate, *given)


def _each(body: LimitedBody, value: ArrayLike, what: str) -> list[float]:
    array = real_numbers(value, what)
    if array.shape not in ((), (body.nq,)):
        raise InputError(f"{what} is one number, or ({body.nq},), not of shape {array.shape}.")
    return [float(each) for each in np.broadcast_to(array, body.nq)]


def _of_limits(body: LimitedBody, state: State, quantity: Callable[[LimitsOfCoordinate], float], without: float) -> np.ndarray:
    """(nq,) a quantity of each coordinate's limits; `without`: of coordinates that have none."""
    check_state(state, body.matter.system)
    return np.array([quantity(body._limits[i]) if i in body._limits else without for i in range(body.nq)])
