"""The laws of dry friction of rows that slip: recorded functions."""

import numpy as np

from mobod.scalar import Array, Scalar, maximum, minimum, norm, where

_TURNED = 10.0  # from 1 - cos(angle) = 0.1 on, the speed at rest counts in full


def remaining_slip(rates: Array, direction: Array, rest: Array | Scalar) -> Scalar:
    """A witness that falls through zero where a slip ends: its velocity along the direction of the last event.

    A slip that has turned since then need not pass through zero; it ends where it is slower than `rest`.
    """
    along, speed = direction @ rates, norm(rates)
    turned = where(speed > 0, 1.0 - along / where(speed > 0, speed, 1.0), 0.0)
    return minimum(along, speed - rest * minimum(_TURNED * turned, 1.0))


def sliding(dynamic: Scalar, viscous: Scalar, rates: Array, direction: Array, rest: Scalar) -> tuple[Array, Scalar]:
    """(force of a slip per normal force, along the tangents; its size), from the velocity and its direction at the last event."""
    unit, speed = direction_of_slip(rates, direction, rest)
    size = dynamic + viscous * speed
    return 0.0 - size * unit, size


def sliding_by_stribeck(
    static: Scalar, dynamic: Scalar, viscous: Scalar, stribeck_speed: Scalar, rates: Array, direction: Array, rest: Scalar
) -> tuple[Array, Scalar]:
    """The same with the law of Stribeck; of a joint (force of a slip; its size)."""
    unit, speed = direction_of_slip(rates, direction, rest)
    size = dynamic + maximum(static - dynamic, 0.0) * share_at_rest(speed, stribeck_speed) + viscous * speed
    return 0.0 - size * unit, size


def share_at_rest(speed: Scalar, stribeck_speed: Scalar) -> Scalar:
    """exp(-(speed / stribeck_speed)^2): how much friction at rest counts in a slip; 0 without a Stribeck speed."""
    falls = stribeck_speed > 0
    ratio = speed / where(falls, stribeck_speed, 1.0)
    return where(falls, np.exp(0.0 - ratio * ratio), 0.0)


def direction_of_slip(rates: Array, direction: Array, rest: Scalar) -> tuple[Array, Scalar]:
    """(direction of a slip, to which its friction is opposite; its speed).

    Where the velocity has turned by more than a right angle since the last event, the slip has ended within the step: there the direction
    goes on smoothly, with the velocity mirrored at the plane normal to the direction at the event. A velocity below `rest` may be
    round-off: there the direction at the event counts.
    """
    along, speed = direction @ rates, norm(rates)
    beyond = rates - along * direction
    mirrored = where(along < 0, 0.0 - along, along) * direction + beyond
    moved = mirrored + where(speed < rest, rest - speed, 0.0) * direction
    length = norm(moved)
    moves = length > 0
    return where(moves, moved / where(moves, length, 1.0), direction), speed
