"""Elements as a user writes them, for the random mechanisms."""

from collections.abc import Callable
from typing import Any

import numpy as np

import mobod as mb
from mobod.scalar import norm
from mobod.spatial import rotation_z

__all__ = [
    "OwnDistance",
    "OwnDrag",
    "OwnFollower",
    "OwnHelix",
    "OwnUnrecordedDrag",
    "OwnWall",
    "ball_on",
    "coupling_joint",
    "height_mesh",
    "lattice",
]


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


def lattice(size: float, mass: float, stiffness: float, modes: int = 6) -> mb.ModalData:
    """A cuboid of 12 mass points with springs between neighbours, with the interfaces root, side and tip.

    size       m, its length along x
    mass       kg, of all points
    stiffness  N/m, of each spring
    """
    nodes = size * np.array([[x, y, z] for x in (0.0, 0.5, 1.0) for y in (0.0, 0.3) for z in (0.0, 0.4)])
    K = np.zeros((36, 36))
    for a in range(12):
        for b in range(a):
            d = (nodes[a] - nodes[b]) / size
            if d @ d < 0.6:
                row = np.zeros(36)
                row[3 * a : 3 * a + 3], row[3 * b : 3 * b + 3] = d, -d
                K += stiffness * np.outer(row, row) / (d @ d)
    groups = {"root": [0, 1, 2, 3], "side": [4, 5, 6, 7], "tip": [8, 9, 10, 11]}
    interfaces = {name: {"nodes": group} for name, group in groups.items()}
    return mb.ModalData.from_matrices(mass / 12 * np.eye(36), K, nodes, interfaces, inboard="root", modes=modes)


def height_mesh(heights: Any, spacing: float) -> mb.contact.TerrainMesh:
    """The triangles of a grid of heights, as a mesh."""
    z = np.asarray(heights)
    nx, ny = z.shape
    grid = np.array([[spacing * (i - (nx - 1) / 2), spacing * (j - (ny - 1) / 2), z[i, j]] for i in range(nx) for j in range(ny)])
    faces = []
    for i in range(nx - 1):
        for j in range(ny - 1):
            a, b, c, d = i * ny + j, (i + 1) * ny + j, (i + 1) * ny + j + 1, i * ny + j + 1
            faces += [[a, b, c], [a, c, d]]
    return mb.contact.TerrainMesh.of(grid, faces)
