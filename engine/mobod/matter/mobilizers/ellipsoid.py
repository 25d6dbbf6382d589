"""Ellipsoid: any rotation, with the origin of M on an ellipsoid."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.body import BodyLike, MobilizedBody, ParentLike
from mobod.matter.equations import MobilizerEquations, MobilizerParameter
from mobod.matter.orientation import ANGLES, QUATERNION, Orientation
from mobod.spatial import Transform, cross_matrix
from mobod.system import State

RADII = MobilizerParameter(name="radii", unit="m", description="half axes of the ellipsoid along x, y and z of F", shape=(3,), above=0.0)


@final
@dataclass(frozen=True)
class EllipsoidEquations(MobilizerEquations):
    """Any rotation of M in F; the origin of M is on an ellipsoid about that of F: at (rx nx, ry ny, rz nz), with n the z axis of M in F.

    q  (4,)  -      quaternion (w, x, y, z) of R_FM, which depends on its direction alone
       (3,)  rad    in Euler angles: body-fixed x-y-z instead
    u  (3,)  rad/s  angular velocity of M in F, expressed in F
    """

    radii: tuple[float, float, float]  # m
    orientation: Orientation = QUATERNION

    nu = 3
    u_units = ("rad/s", "rad/s", "rad/s")
    parameters = (RADII,)

    @property
    def nq(self) -> int:
        return self.orientation.n

    @property
    def q_units(self) -> tuple[str, ...]:
        return self.orientation.units

    @property
    def default_q(self) -> tuple[float, ...]:
        return self.orientation.default

    @property
    def speed_of(self) -> tuple[int | None, ...]:
        return (None,) * self.nq

    @property
    def quaternion_at(self) -> int | None:
        return 0 if self.orientation.is_quaternion else None

    def X_FM(self, q: Any) -> Transform:
        R = self.orientation.R(q)
        return Transform.of(R, np.array(self.radii) * R[:, 2])

    def H_FM(self, q: Any) -> np.ndarray:
        """From n_dot = w x n."""
        n = self.orientation.R(q)[:, 2]
        return np.concatenate([np.eye(3), -np.array(self.radii)[:, None] * cross_matrix(n)])

    def q_dot(self, q: Any, u: Any) -> np.ndarray:
        return self.orientation.q_dot(q, u)

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return self.orientation.near(X_FM.R)

    def in_euler_angles(self) -> "EllipsoidEquations":
        return EllipsoidEquations(self.radii, ANGLES)

    def why_singular(self, q: np.ndarray) -> str:
        return self.orientation.why_singular(q)


@final
class Ellipsoid(MobilizedBody):
    """A body that turns freely while it moves on an ellipsoid, such as a shoulder blade on the chest (see EllipsoidEquations).

    radii  (3,) m  half axes along x, y and z of F, each greater than 0
    """

    def __init__(
        self,
        parent: ParentLike,
        body: BodyLike,
        X_PF: Transform | None = None,
        X_BM: Transform | None = None,
        *,
        radii: Any,
        name: str | None = None,
        reversed: bool = False,
    ):
        x, y, z = RADII.checked(radii, "Ellipsoid: radii").tolist()
        self.equations = EllipsoidEquations((x, y, z))
        super().__init__(parent, body, X_PF, X_BM, name=name, reversed=reversed)

    @property
    def default_radii(self) -> np.ndarray:
        """(3,) m"""
        return self._default_parameter("radii")

    def set_default_radii(self, radii: Any) -> None:
        """Topological: States made before raise when used."""
        self._set_default_parameter("radii", radii)

    def radii(self, state: State) -> np.ndarray:
        """(3,) m"""
        return self._parameter(state, "radii")

    def set_radii(self, state: State, radii: Any) -> None:
        """Takes the State back before INSTANCE."""
        self._set_parameter(state, "radii", radii)
