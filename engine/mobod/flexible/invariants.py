"""The inertia of a flexible body: of its rigid motion, and what couples it with the modes."""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.spatial import Inertia, MassProperties, cross_matrix


@final
@dataclass(frozen=True, eq=False)
class RigidMotion:
    """T^T M T of the six rigid motions about an origin, such as the inboard interface, angular first.

    matrix  (6, 6): [[J0, [mc0]x], [-[mc0]x, mass]]
    """

    matrix: np.ndarray

    @property
    def mass(self) -> float:
        return float(np.trace(self.matrix[3:, 3:]) / 3)

    @property
    def center(self) -> np.ndarray:
        """(3,) m from the origin to the mass center."""
        F = self.matrix[:3, 3:] / self.mass
        return np.array([F[2, 1] - F[1, 2], F[0, 2] - F[2, 0], F[1, 0] - F[0, 1]]) / 2

    def mass_properties(self, p: np.ndarray) -> MassProperties:
        """In the body's frame; p (3,) m: the origin in it. Raises MassPropertiesError for what is no inertia of a body."""
        c = cross_matrix(self.center)
        central = self.matrix[:3, :3] + self.mass * (c @ c)
        com = p + self.center
        x = cross_matrix(com)
        inertia = (central + central.T) / 2 - self.mass * (x @ x)
        return MassProperties(self.mass, com, Inertia(inertia))

    def about_center(self, coupling: np.ndarray) -> np.ndarray:
        """(6, n) T^T M Phi about the mass center, from that about the origin."""
        return np.concatenate([coupling[:3] - cross_matrix(self.center) @ coupling[3:], coupling[3:]])


def rigid_motions(nodes: np.ndarray, origin: ArrayLike, freedoms: int) -> np.ndarray:
    """(freedoms N, 6) displacements of the nodes for a rotation about, then a translation of, the origin."""
    T = np.zeros((len(nodes), freedoms, 6))
    T[:, :3, :3] = [-cross_matrix(d) for d in nodes - np.asarray(origin)]
    T[:, :3, 3:] = np.eye(3)
    if freedoms == 6:
        T[:, 3:, :3] = np.eye(3)
    return T.reshape(-1, 6)
