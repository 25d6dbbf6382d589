"""Elements as a user writes them, for the random mechanisms."""

from collections.abc import Callable
from typing import Any

import numpy as np

import mobod as mb
from mobod.scalar import norm
from mobod.spatial import rotation_z

__all__ = ["OwnDistance", "OwnDrag", "OwnFollower", "OwnHelix", "OwnUnrecordedDrag", "OwnWall", "ball_on", "coupling_joint"]


class OwnDrag(mb.CustomForce):
    """A force against the velocity of a body's origin, proportional to its square."""

    body: mb.MobilizedBody = mb.argument("the body")
    factor: mb.Parameter[float] = mb.parameter("kg/m", "force at 1 m/s", least=0.0)

    def calc_force(self, state: Any, body_forces: np.ndarray, mobility_forces: np.ndarray) -> None:
        v = self.body.V_GB(state)[3:]
        body_forces[self.body.index, 3:] -= self.factor(state) * norm(v) * v


class OwnUnrecordedDrag(OwnDrag):
    """The same in plain Python."""

    recordable = False


class OwnFollower(mb.CustomForce):
    """A force on the origin of a body, as large as the first entry of a measure says."""

    body: mb.MobilizedBody = mb.argument("the body")
    measure: mb.measures.Measure = mb.argument("at stage POSITION or before")
    gain: mb.Parameter[float] = mb.parameter("N", "force for a measure of 1")

    def calc_force(self, state: Any, body_forces: np.ndarray, mobility_forces: np.ndarray) -> None:
        body_forces[self.body.index, 4] += self.gain(state) * np.ravel(self.measure.value(state))[0]


def ball_on(body: mb.MobilizedBody | mb.Ground, radius: float) -> mb.ContactSet:
    """A ball about the origin of a body, for sensors to see."""
    seen = mb.ContactSet(body.matter)
    seen.add(body, mb.contact.Sphere(radius))
    return seen


@mb.equations
class OwnHelix(mb.CustomEquations):
    """Rotation about z, with the origin of M on a helix."""

    pitch: float = mb.parameter("m/rad", "travel for each radian")
    radius: float = mb.parameter("m", "distance of the origin of M from the axis", default=0.0, least=0.0)

    q_units = ("rad",)

    def X_FM(self, q: Any) -> mb.Transform:
        R = rotation_z(q[0])
        return mb.Transform.of(R, R[:, 0] * self.radius + np.array([0, 0, self.pitch * q[0]]))


@mb.equations
class OwnDistance(mb.ConstraintEquations):
    """The origins of two bodies stay at a distance."""

    distance: float = mb.parameter("m", "distance of the origins", above=0.0)

    position_units = ("m",)

    def position_errors(self, motion: Any) -> Any:
        return np.array([norm(motion.X[1].p - motion.X[0].p) - self.distance])


@mb.equations
class OwnWall(mb.ConstraintEquations):
    """Height of the origin of a body above a plane of the other body."""

    height: float = mb.parameter("m", "of the plane along y")

    position_units = ("m",)

    def position_errors(self, motion: Any) -> Any:
        return np.array([motion.X[1].p[1] - self.height])


def coupling_joint(coupling: mb.Coupling) -> Callable[..., Any]:
    """What makes the joint of a new body, with the arguments of a mobilizer."""

    def make(parent: Any, body: Any, X_PF: mb.Transform, X_BM: mb.Transform, name: str) -> Any:
        return mb.CouplingJoint(coupling, body, parent, X_AC=X_BM, X_BD=X_PF, name=name)

    return make
