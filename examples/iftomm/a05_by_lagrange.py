"""The data of A05, and its solution without mobod."""

from math import cos, pi, radians, sin

import numpy as np
from scipy.integrate import solve_ivp

G, DENSITY, WIDTH, BALL, HINGE, START = 9.81, 3000.0, 0.01, 5.0, 0.05, radians(30)  # SI
ROD, SLIDER = DENSITY * WIDTH**2, DENSITY * 0.1**3  # kg
STIFFNESS, DAMPING, LENGTH = 8e5, 4e4, 0.5  # N/m, N s/m, m
# kg m^2, moments of inertia of a rod about its mass center: along and across it
ALONG, ACROSS = ROD / 6 * WIDTH**2, ROD / 12 * (1 + WIDTH**2)


def by_lagrange(times: np.ndarray) -> np.ndarray:
    """The height s in m, without mobod: two equations, for s and for the angle a of the rods below the horizontal; the angular momentum
    about
    the shaft is constant.
    """

    def spin(a: float) -> tuple[float, float]:
        """The moment of inertia about the shaft, and its derivative with respect to a."""
        rod, ball, slender = HINGE + cos(a) / 2, HINGE + cos(a), ACROSS - ALONG
        still = SLIDER * 0.1**2 / 6 + ALONG
        inertia = still + 2 * (ROD * rod**2 + BALL * ball**2 + ALONG + slender * cos(a) ** 2)
        return inertia, -2 * sin(a) * (ROD * rod + 2 * BALL * ball + 2 * slender * cos(a))

    def rates(_: float, y: np.ndarray) -> list[float]:
        s, a, ds, da = y
        d = np.array([cos(a), 2 - sin(a) - 2 * s]) / 2  # from the slider's end of a spring to its other end
        length = float(np.hypot(*d))
        by_s, by_a = -d[1] / length, -(d[0] * sin(a) + d[1] * cos(a)) / (2 * length)
        pull = STIFFNESS * (length - LENGTH) + DAMPING * (by_s * ds + by_a * da)
        inertia, slope = spin(a)
        moment = slope * (momentum / inertia) ** 2 / 2 + 2 * G * (ROD / 2 + BALL) * cos(a) - 2 * pull * by_a
        return [ds, da, -G - 2 * pull * by_s / SLIDER, moment / (2 * (ACROSS + ROD / 4 + BALL))]

    momentum = 2 * pi * spin(START)[0]
    solution = solve_ivp(rates, (times[0], times[-1]), [0.5, START, 0, 0], "Radau", times, rtol=1e-9, atol=1e-11)
    return np.array(solution.y[0])
