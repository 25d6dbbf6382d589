"""MuJoCo's soft constraints as springs and dampers.

A row obeys a1 + d (b v + k r) = (1 - d) a0, with b and k of solref and the impedance d(r) of solimp. Its softness is relative to the
effective mass m of the row: a load rests at the depth of a spring of stiffness K = m d k / (1 - d) with a damper m d b / (1 - d).

Source: MuJoCo's documentation, chapter Computation, section Constraint model.
"""

from typing import NamedTuple

import numpy as np

GRAVITY = 9.81  # m/s^2 or rad/s^2: the load of the depth in findings
_LEAST, _MOST = 1e-4, 0.9999  # of impedances, as in MuJoCo
_SMALL = 1e-15


class Softness(NamedTuple):
    """For each kg or kg m^2 of effective mass: stiffness, 1/s^2, and damping, 1/s, at the depth, m or rad, under its own weight."""

    stiffness: float
    damping: float
    depth: float

    @property
    def dissipation(self) -> float:
        """s/m or s/rad of the law stiffness x (1 + dissipation x_dot), which has this damping at this depth."""
        return self.damping / (self.stiffness * self.depth)


def impedance(solimp: np.ndarray, depth: float) -> float:
    """d(r) of MuJoCo's solimp = (d0, dwidth, width, midpoint, power)."""
    d0, dwidth = np.clip(solimp[:2], _LEAST, _MOST)
    width, midpoint, power = max(float(solimp[2]), 0.0), float(np.clip(solimp[3], _LEAST, _MOST)), max(float(solimp[4]), 1.0)
    if d0 == dwidth or width <= _SMALL:
        return float((d0 + dwidth) / 2)
    x = min(abs(depth) / width, 1.0)
    y = x**power / midpoint ** (power - 1) if x <= midpoint else 1 - (1 - x) ** power / (1 - midpoint) ** (power - 1)
    return float(d0 + y * (dwidth - d0))


def softness(solref: np.ndarray, solimp: np.ndarray) -> Softness:
    """Of a row under its own weight: the depth is found by bisection, since the impedance grows with it."""
    dmax = float(np.clip(solimp[1], _LEAST, _MOST))

    def of(depth: float) -> tuple[float, float]:
        d = impedance(solimp, depth)
        if solref[0] > 0:
            time, ratio = float(solref[0]), float(solref[1])
            k, b = d / (dmax * time * ratio) ** 2, 2 / (dmax * time)
        else:
            k, b = -float(solref[0]) * d / dmax**2, -float(solref[1]) / dmax
        return d * k / (1 - d), d * b / (1 - d)

    low, high = 0.0, 1e3
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if of(middle)[0] * middle < GRAVITY else (low, middle)
    stiffness, damping = of(high)
    return Softness(stiffness, damping, high)
