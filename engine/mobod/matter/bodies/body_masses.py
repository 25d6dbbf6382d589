"""The masses of bodies, and how far they are from joints, by default values."""

from collections.abc import Iterable, Iterator
from math import sqrt
from typing import Any, final

import numpy as np

from mobod.matter.bodies.body import Ground, MobilizedBody

NEGLIGIBLE = 1e-6  # relative to the mean: a shorter distance is 0, or round-off of one
ENOUGH = 1e-3  # of the mass: bodies have an extent if at least this much of it does


@final
class BodyMasses:
    """Masses and distances of the bodies in their own frames.

    carried  kg, of each body and all bodies outward of it, by its index
    """

    def __init__(self, bodies: Iterable[MobilizedBody]):
        self.all = list(bodies)
        self.carried = {body.index: body.body.mass_properties.mass for body in self.all}
        for body in reversed(self.all):
            if not isinstance(body.parent, Ground):
                self.carried[body.parent.index] += self.carried[body.index]
        self.total = sum(body.body.mass_properties.mass for body in self.all)

    def mean_mass(self) -> tuple[float, str]:
        """The mass of the body to which a unit of mass belongs, on average."""
        squares = sum(body.body.mass_properties.mass**2 for body in self.all)
        if not self.total > 0:
            return 1.0, "1, because there are no masses"
        return squares / self.total, "the bodies' masses"

    def distances(self) -> Iterator[tuple[float, float]]:
        """(mass, distance): from a body's inboard joint to its mass, the root of the mean square; and to each of its outboard joints, with
        the mass that this joint carries.
        """
        for body in self.all:
            of_body, p = body.body.mass_properties, body.X_BM.p
            if of_body.mass > 0:
                square = np.trace(of_body.inertia) / (2 * of_body.mass) - 2 * of_body.com @ p + p @ p
                yield of_body.mass, sqrt(max(float(square), 0.0))
            if not isinstance(body.parent, Ground):
                yield self.carried[body.index], float(np.linalg.norm(body.X_PF.p - body.parent.X_BM.p))

    def extent(self) -> float:
        """m, the mean of the distances; 0 if hardly any of the mass has one."""
        length, mass = mean_distance(list(self.distances()))
        return length if mass > ENOUGH * self.total else 0.0

    def lightest(self, touched: list[Any]) -> float:
        """The least mass that the moving ones of some bodies carry; 0 if none moves."""
        masses = [self.carried[each.index] for each in touched if isinstance(each, MobilizedBody) and not isinstance(each, Ground)]
        return min(masses, default=0.0)


def mean_distance(distances: list[tuple[float, float]]) -> tuple[float, float]:
    """(the mean of distances weighted by mass; the mass that it has). Distances of round-off size do not count."""
    mass = sum(each for each, _ in distances)
    if not mass > 0:
        return 0.0, 0.0
    least = NEGLIGIBLE * sum(each * distance for each, distance in distances) / mass
    counted = [(each, distance) for each, distance in distances if distance > least]
    counted_mass = sum(each for each, _ in counted)
    return (sum(each * distance for each, distance in counted) / counted_mass, counted_mass) if counted_mass > 0 else (0.0, 0.0)
