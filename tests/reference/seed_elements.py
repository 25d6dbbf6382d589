"""The custom elements of seed 000, which some reference cases have."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

import mobod as mb
from mobod.scalar import norm


class Repulsion(mb.CustomForce):
    """strength r / |r|^3 between all pairs of body origins, Ground's too.

    sign  of its potential energy: 1 is right, -1 is what the seed and the reference data have
    """

    parameters = (mb.ForceParameter(name="strength", unit="N.m2", description="force at a distance of 1 m"),)

    def __init__(self, forces, *, strength=1.0, sign=1, name=None):
        self.sign = sign
        super().__init__(forces, {"strength": strength}, name=name)

    def pairs(self, state):
        for a, b in combinations([self.matter.ground, *self.matter.bodies], 2):
            yield a, b, b.X_GB(state).p - a.X_GB(state).p

    def calc_force(self, state, body_forces, mobility_forces):
        for a, b, r in self.pairs(state):
            force = self.parameter(state, "strength") * r / norm(r) ** 3
            body_forces[b.index, 3:] += force
            body_forces[a.index, 3:] -= force

    def calc_potential_energy(self, state):
        return self.sign * sum(self.parameter(state, "strength") / norm(r) for _, _, r in self.pairs(state))


@dataclass(frozen=True)
class DistanceEquations(mb.ConstraintEquations):
    """The constraint error |r| - distance, with r between the origins of two bodies."""

    distance: float

    position_units = ("m",)
    parameters = (mb.Parameter(name="distance", unit="m", description="distance of the origins", above=0.0),)

    def position_errors(self, motion):
        return np.array([norm(motion.X[1].p - motion.X[0].p) - self.distance])


@dataclass(frozen=True)
class DistanceEquationsOfTheSeed(mb.ConstraintEquations):
    """DistanceEquations with v . r as velocity error, which is |r| times the derivative of the position error."""

    distance: float

    position_units = ("m",)

    def position_errors(self, motion):
        return np.array([norm(motion.X[1].p - motion.X[0].p) - self.distance])

    def position_rates(self, motion):
        return np.array([(motion.V[1][3:] - motion.V[0][3:]) @ (motion.X[1].p - motion.X[0].p)])
