"""Laws of the normal force of contacts: pure functions of the depth x, m, positive where bodies overlap, and of its rate.

Every law gives (force, energy, loss): the normal force, N, at least 0; the potential energy, J; and the power that the law turns into heat,
W, at least 0, so that force x_dot = d(energy)/dt + loss. A force that is cut to 0 although the bodies overlap gives nothing back: there
the energy that is released is loss.

Sources: Hunt, Crossley, Coefficient of restitution interpreted as damping in vibroimpact, J. Applied Mechanics 42 (1975); Johnson, Contact
Mechanics (1985), section 4.2 (Hertz, also of ellipses); Simbody 3.7, HuntCrossleyForce.cpp and CompliantContactSubsystem.cpp.
"""

# Decision: docs/decisions/149-contact-laws.md

from math import pi

import numpy as np

from mobod.scalar import Array, Scalar, maximum, norm, where

HERTZ_DISSIPATION = 1.5  # Simbody's coefficient c stands for a factor 1 + (3/2) c x_dot, so that slow impacts have the restitution 1 - c v
AGM_STEPS = 6  # digits double: round-off is reached for ratios of axes up to 1e3
NEWTON_STEPS = 5


def hunt_crossley(elastic: Scalar, energy: Scalar, dissipation: Scalar, x_dot: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """elastic (1 + dissipation x_dot), which never pulls; elastic: the force at rest, N, 0 where there is no overlap; dissipation: s/m.

    With any elastic force that depends on x alone, an impact at speed v in ends at speed e v, where
    a (1 + e) = ln((1 + a) / (1 - e a)), a = dissipation v.
    """
    factor = maximum(1 + dissipation * x_dot, 0.0)
    return elastic * factor, energy, elastic * (factor - 1) * x_dot


def kelvin_voigt(x: Scalar, x_dot: Scalar, stiffness: Scalar, damping: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """stiffness x + damping x_dot while x > 0, which never pulls; damping: N s/m. It jumps to damping x_dot where contact begins."""
    depth = maximum(x, 0.0)
    elastic = stiffness * depth
    force = where(x > 0, maximum(elastic + damping * x_dot, 0.0), 0.0)
    return force, elastic * depth / 2, (force - elastic) * x_dot


def linear(x: Scalar, stiffness: Scalar) -> tuple[Scalar, Scalar]:
    """(elastic force, energy): stiffness x; stiffness: N/m."""
    depth = maximum(x, 0.0)
    return stiffness * depth, stiffness * depth * depth / 2


def hertz(x: Scalar, modulus: Scalar, radius: Scalar) -> tuple[Scalar, Scalar]:
    """(elastic force, energy): (4/3) modulus sqrt(radius) x^(3/2), of spheres; modulus: Pa; radius: m, of both together."""
    depth = maximum(x, 0.0)
    overlaps = x > 0
    force = where(overlaps, 4 / 3 * modulus * np.sqrt(where(overlaps, radius * depth, 1.0)) * depth, 0.0)
    return force, 2 / 5 * force * depth


def hertz_of_ellipse(x: Scalar, modulus: Scalar, most: Scalar, least: Scalar) -> tuple[Scalar, Scalar]:
    """(elastic force, energy) by the largest and the least relative curvature, 1/m, both above 0: the patch is an ellipse."""
    force, energy = hertz(x, modulus, 2 / (most + least))
    factor = ellipse_factor(most / least)
    return factor * force, factor * energy


def ellipse_factor(ratio: Scalar) -> Scalar:
    """pi k sqrt(E) / (2 K^(3/2)), with the complete elliptic integrals of m = 1 - 1/k^2, k the ratio of the axes of the patch; 1 at 1.

    ratio  of the curvatures, at least 1; (E - K/k^2) k^2 / (K - E) determines k, found by Newton's method from k = ratio^0.636.
    The relative error is below 1e-14 up to a ratio of 1e5.
    """
    log_ratio = np.log(ratio)
    log_k = 0.636 * log_ratio
    for _ in range(NEWTON_STEPS):
        k = np.exp(log_k)
        K, D = elliptic_integrals(1 / k)
        B = K - D  # (E - K/k^2) / m
        m = 1 - 1 / (k * k)
        C = where(m > 1e-6, (D - B) / where(m > 1e-6, m, 1.0), pi / 16)  # in the slope only
        log_k = log_k - (2 * log_k + np.log(B / D) - log_ratio) / (2 - D / B + C * (1 / B + 1 / D))
    k = np.exp(log_k)
    K, D = elliptic_integrals(1 / k)
    E = K - (1 - 1 / (k * k)) * D
    return pi * k * np.sqrt(E) / (2 * K * np.sqrt(K))


def elliptic_integrals(complement: Scalar) -> tuple[Scalar, Scalar]:
    """(K, D) of m = 1 - complement^2: K(m), and D(m) = (K - E) / m without cancellation, by the arithmetic-geometric mean.

    Source: Abramowitz, Stegun, Handbook of Mathematical Functions (1964), 17.6.
    """
    a, b, c = (1 + complement) / 2, np.sqrt(complement), (1 - complement) / 2
    c_square = (1 - complement) / (1 + complement) / 4  # c^2 / m
    total, weight = 0.5 + c_square, 2.0
    for _ in range(AGM_STEPS - 1):
        a, b = (a + b) / 2, np.sqrt(a * b)
        c_square = c_square * (c / (4 * a)) ** 2
        c = c * c / (4 * a)
        total, weight = total + weight * c_square, 2 * weight
    K = pi / (2 * a)
    return K, K * total


def eigenvalues(curvature: Array) -> tuple[Scalar, Scalar]:
    """(largest, least) of a symmetric (2, 2)."""
    mean = (curvature[0, 0] + curvature[1, 1]) / 2
    spread = norm(np.array([(curvature[0, 0] - curvature[1, 1]) / 2, curvature[0, 1]]))
    return mean + spread, mean - spread


def smooth_hertz(
    x: Scalar, x_dot: Scalar, modulus: Scalar, radius: Scalar, dissipation: Scalar, constant: Scalar, smoothing: Scalar, release: Scalar
) -> tuple[Scalar, Scalar]:
    """(force, elastic force), N, of a law that is smooth for all depths, also below 0: hertz with x^2 + constant in place of x^2,
    faded out by (1 + tanh(smoothing x)) / 2, and Hunt and Crossley's factor, faded out by (1 + tanh(release (x_dot + r))) / 2,
    r = 2 / (3 dissipation).

    Source: Serrancoli, Falisse et al., Subject-exoskeleton contact model calibration leads to accurate interaction force predictions,
    IEEE TNSRE 27 (2019); Simbody 3.7, SmoothSphereHalfSpaceForce.cpp, whose modulus^(2/3) is half of the stiffness^(2/3).
    """
    spread = x * x + constant
    elastic = 4 / 3 * modulus * np.sqrt(radius) * np.sqrt(spread) * np.sqrt(np.sqrt(spread)) * (1 + np.tanh(smoothing * x)) / 2
    dissipative = dissipation > 0
    rate = x_dot + 2 / (3 * where(dissipative, dissipation, 1.0))
    fade = where(dissipative, (1 + np.tanh(release * rate)) / 2, 1.0)
    return elastic * (1 + HERTZ_DISSIPATION * dissipation * x_dot) * fade, elastic
