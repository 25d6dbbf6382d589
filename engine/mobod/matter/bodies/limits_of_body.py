"""Limits of a mobilizer's coordinates, which a run keeps.

At a limit a coordinate stops, bounces, rests and is let go as it would be by a rigid, frictionless stop; one with a compliance is a
spring and a damper beyond it. A run begins with coordinates within their rigid limits: a start outside of them by more than its
tolerance is an error, and no one moves it. An Assembler respects rigid limits.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from mobod.errors import InputError
from mobod.matter.bodies.body_in_tree import BodyInTree
from mobod.matter.bodies.limits_of_coordinate import LimitsOfCoordinate
from mobod.real_numbers import real_numbers
from mobod.system import State
from mobod.system.boundary import check_state


class LimitedBody(BodyInTree, Protocol):
    """See MobilizedBody."""

    _limits: dict[int, LimitsOfCoordinate]


def set_limits(
    body: LimitedBody,
    lower: Any = -np.inf,
    upper: Any = np.inf,
    restitution: Any = 0.0,
    *,
    compliance: Any = 0.0,
    damping: Any = 0.0,
    coordinate: int | None = None,
) -> None:
    """Give coordinates bounds; topological.

    lower, upper  of one coordinate, or (nq,); infinite where there is none. In the unit of the coordinate
    restitution   between 0 and 1: speed after an impact as a part of that before it (Newton); one, or (nq,)
    compliance    m/N or rad/(N m): how far the limit gives way to a unit of force, as a spring without a preload; 0: it is rigid, with
                  impacts; one, or (nq,)
    damping       N s/m or N m s/rad: of limits that give way; one, or (nq,)
    coordinate    number of the coordinate, if the body has several and one number is given

    Raises InputError for bounds in the wrong order, a restitution out of its range or of limits that give way, a damping of rigid ones,
    and for making rigid limits give way later; UnsupportedError for coordinates whose rates are no speeds of their own, such as those
    of a Ball.
    """
    what = f"set_limits of '{body.name}'"
    if coordinate is None and body.nq != 1 and np.ndim(lower) == np.ndim(upper) == 0:
        raise InputError(f"{what}: it has {body.nq} coordinates. Give bounds for each, or say which one: coordinate=...")
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
    """(nq,) of each coordinate 1 at its lower limit, where a run holds it or that presses; -1 at its upper one, 0 where it is free."""
    return _of_limits(body, state, lambda limits: limits.engaged(state), 0)


def limit_force(body: LimitedBody, state: State) -> np.ndarray:
    """(nq,) generalized forces by limits, above 0 at a lower one, below 0 at an upper one; from ACCELERATION on."""
    return _of_limits(body, state, lambda limits: limits.force(state), 0.0)


def limit_impulse(body: LimitedBody, state: State) -> np.ndarray:
    """(nq,) impulses of the last impacts, with the signs of the forces."""
    return _of_limits(body, state, lambda limits: limits.impulse(state), 0.0)


def limit_distance(body: LimitedBody, state: State) -> np.ndarray:
    """(nq,) of each coordinate from its nearer limit, infinite where there is none; from POSITION on."""
    return _of_limits(body, state, lambda limits: limits.distance(state), np.inf)


# inside
def _limit(body: LimitedBody, coordinate: int, *given: Any) -> None:
    """given: lower, upper, restitution, compliance, damping."""
    if coordinate in body._limits:
        body._limits[coordinate].set_defaults(*given)
    else:
        body._limits[coordinate] = body.matter.new_limits(body, coordinate, *given)


def _each(body: LimitedBody, value: Any, what: str) -> list[float]:
    array = real_numbers(value, what)
    if array.shape not in ((), (body.nq,)):
        raise InputError(f"{what} is one number, or ({body.nq},), not of shape {array.shape}.")
    return [float(each) for each in np.broadcast_to(array, body.nq)]


def _of_limits(body: LimitedBody, state: State, quantity: Callable[[LimitsOfCoordinate], float], without: float) -> np.ndarray:
    """(nq,) a quantity of each coordinate's limits; `without`: of coordinates that have none."""
    check_state(state, body.matter.system)
    return np.array([quantity(body._limits[i]) if i in body._limits else without for i in range(body.nq)])
