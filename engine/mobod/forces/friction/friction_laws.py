"""Laws of dry friction: pure functions of the speed of slip, smooth in the vector of slip.

s is the speed of slip, at least 0; `static` and `kinetic` are coefficients without unit, or, at joints, limits in N or N m; `viscous` is
such a coefficient for each m/s or rad/s. Every law is also given divided by s, where s = 0 is no special case: the friction is
-(law / s) times the slip, in one direction or two. A static value below the kinetic one counts as equal to it.

Sources: Armstrong-Helouvry, Dupont, Canudas de Wit, A survey of models, analysis tools and compensation methods for the control of machines
with friction, Automatica 30 (1994); Simbody 3.7, HuntCrossleyForce.cpp (`hollars`) and CompliantContactSubsystem.cpp (`step5`); Canudas de
Wit, Olsson, Astrom, Lischinsky, A new model for control of systems with friction, IEEE Transactions on Automatic Control 40 (1995) (LuGre).
"""

import numpy as np

from mobod.scalar import Array, Scalar, maximum, minimum, norm, where


def stribeck(s: Scalar, static: Scalar, kinetic: Scalar, stribeck_speed: Scalar) -> Scalar:
    """kinetic + (static - kinetic) exp(-(s / stribeck_speed)^2): from static at rest to kinetic; s of either sign."""
    return kinetic + maximum(static - kinetic, 0.0) * np.exp(-((s / stribeck_speed) ** 2))


def regularised_over_speed(
    s: Scalar, static: Scalar, kinetic: Scalar, viscous: Scalar, transition_speed: Scalar, stribeck_speed: Scalar
) -> Scalar:
    """stribeck(s) / sqrt(s^2 + transition_speed^2) + viscous: Coulomb's law with the square root in place of |s|; s of either sign."""
    return stribeck(s, static, kinetic, stribeck_speed) / np.sqrt(s * s + transition_speed * transition_speed) + viscous


def hollars_over_speed(s: Scalar, static: Scalar, kinetic: Scalar, viscous: Scalar, transition_speed: Scalar) -> Scalar:
    """min(r, 1) (kinetic + 2 (static - kinetic) / (1 + r^2)) / s + viscous, r = s / transition_speed; a kink at r = 1."""
    r = s / transition_speed
    return (kinetic + 2 * maximum(static - kinetic, 0.0) / (1 + r * r)) / maximum(s, transition_speed) + viscous


def step5_over_speed(s: Scalar, static: Scalar, kinetic: Scalar, viscous: Scalar, transition_speed: Scalar) -> Scalar:
    """By the step S of fifth order, r = s / transition_speed: static S(r) to r = 1, static to kinetic up to r = 3; over s; + viscous.

    It has two continuous derivatives.
    """
    r = s / transition_speed
    most = maximum(static, kinetic)
    rising = most * r * r * (10 + r * (6 * r - 15)) / transition_speed
    falling = (most - (most - kinetic) * step5(minimum((r - 1) / 2, 1.0))) / where(r < 1, 1.0, s)
    return where(r < 1, rising, falling) + viscous


def step5(x: Scalar) -> Scalar:
    """x^3 (10 - 15 x + 6 x^2), for x from 0 to 1: from 0 to 1 with two derivatives that vanish at both ends."""
    return x * x * x * (10 + x * (6 * x - 15))


def lugre(
    z: Array, slip: Array, static: Scalar, kinetic: Scalar, viscous: Scalar, stiffness: Scalar, damping: Scalar, stribeck_speed: Scalar
) -> tuple[Array, Array]:
    """(friction, z_dot): of bristles with the deflection z (n,), m or rad, that slip (n,), m/s or rad/s, bends; the friction opposes slip.

    z_dot = slip - stiffness |slip| z / g, g = stribeck(|slip|); friction = -(stiffness z + d z_dot + viscous slip). With
    d = damping / (1 + damping |slip| / (4 g)), which is below 4 g / |slip|, it is passive for all z and slips: it never gives more energy
    than slip has stored, stiffness z^2 / 2.

    stiffness of the bristles is in N/m or N m/rad, damping in N s/m or N m s/rad; in a contact both are for 1 N of normal force.
    Both have n entries where slip is a vector in a plane; z must lie in the plane. Where g = 0 there are no bristles.
    """
    s = norm(slip)
    g = stribeck(s, static, kinetic, stribeck_speed)
    rubs = g > 0
    safe_g = where(rubs, g, 1.0)
    z_dot = where(rubs, slip - z * (stiffness * s / safe_g), 0.0)
    passive_damping = damping / (1 + damping * s / (4 * safe_g))
    return -(where(rubs, stiffness * z + passive_damping * z_dot, 0.0) + viscous * slip), z_dot
