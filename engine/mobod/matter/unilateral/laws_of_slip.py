"""The laws of dry friction of rows that slip: recorded functions."""

# Decision: docs/decisions/154-stribeck-at-contacts.md

import numpy as np

from mobod.scalar import Array, Scalar, clip, maximum, norm, where

CONE = 0.25  # cosine of 75 degrees: a slip that turns by more since its direction was set has ended, or its direction is set again


def remaining_slip(rates: Array, direction: Array) -> Scalar:
    """A witness that falls through zero where a slip ends, or has turned out of the cone around its direction.

    With one tangent it is the velocity along the direction.
    """
    along = direction @ rates
    return along if len(direction) == 1 else along - CONE * norm(rates)


def sliding(dynamic: Scalar, viscous: Scalar, rates: Array, direction: Array, rest: Scalar) -> tuple[Array, Scalar]:
    """(force of a slip per normal force, along the tangents; its size), from its velocity and its direction when that was last set."""
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

    Within the cone around `direction` it is that of the velocity, so that it does not matter when the direction was set. In the opposite
    cone the slip has ended within the step: there the direction goes on smoothly through the velocity zero, opposite to the velocity. A
    velocity below `rest` may be round-off: there `direction` counts.
    """
    along, speed = direction @ rates, norm(rates)
    unturned = _before_the_stop(rates, along, speed, direction)
    moved = unturned + where(speed < rest, rest - speed, 0.0) * direction
    length = norm(moved)
    moves = length > 0
    return where(moves, moved / where(moves, length, 1.0), direction), speed


def _before_the_stop(rates: Array, along: Scalar, speed: Scalar, direction: Array) -> Array:
    """The velocity, or in the opposite cone its opposite. Between both cones the part across the direction changes its sign smoothly."""
    if len(direction) == 1:
        return where(along < 0, 0.0 - rates, rates)
    length = where(speed > 0, speed, 1.0)
    across = clip(along / (CONE * length), -1.0, 1.0) * (rates - along * direction) / length
    between = speed * (np.sqrt(1.0 - across @ across) * direction + across)
    return where(along >= CONE * speed, rates, where(along <= 0.0 - CONE * speed, 0.0 - rates, between))
