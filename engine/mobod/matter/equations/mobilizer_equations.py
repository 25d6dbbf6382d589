"""MobilizerEquations: the motion of frame M on the body relative to frame F on the parent."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from mobod.matter.equations.orientation import NEAR_SINGULAR
from mobod.matter.parameters import Parametrised
from mobod.scalar import Array, Scalar
from mobod.scalar.derivative import jvp
from mobod.spatial import Transform, cross
from mobod.system.elements import Parameter
from mobod.system.variable import rate_unit

Rotation = Literal["none", "about z", "any"]


class MobilizerEquations(Parametrised, ABC):
    """The equations of a mobilizer: pure functions of its coordinates and speeds, which can be recorded (see Parametrised).

    A subclass gives the unit of each coordinate, and X_FM, H_FM and near. What is written here is that of speeds that are the rates of the
    coordinates, one by one; other mobilizers write their own.
    """

    @property
    def rotation(self) -> Rotation:
        """How M can turn in F."""
        return "any"

    @property
    @abstractmethod
    def q_units(self) -> tuple[str, ...]:
        """The unit of each coordinate."""

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.q_units)

    @property
    def nu(self) -> int:
        """Number of speeds."""
        return self.nq

    @property
    def u_units(self) -> tuple[str, ...]:
        """The unit of each speed."""
        return tuple(rate_unit(unit) for unit in self.q_units)

    @property
    def default_q(self) -> tuple[float, ...]:
        """(nq,) coordinates of a new mobilizer."""
        return (0.0,) * self.nq

    @property
    def speed_of(self) -> tuple[int | None, ...]:
        """For each coordinate the index of the speed that is its rate, or None if its rate is not a single speed."""
        return tuple(range(self.nq))

    @property
    def quaternion_at(self) -> int | None:
        """Index of the first of four coordinates that are a quaternion (w, x, y, z), or None."""
        return None

    @abstractmethod
    def X_FM(self, q: Array) -> Transform:
        """Pose of M in F, m; q (nq,) in `q_units`."""

    @abstractmethod
    def H_FM(self, q: Array) -> Array:
        """(6, nu): H with V_FM = H @ u, the spatial velocity of M in F, rad/s and m/s, expressed in F, angular first; q (nq,)."""

    def q_dot(self, q: Array, u: Array) -> Array:
        """(nq,) rates of the coordinates, in `q_units`/s; linear in u (nu,); q (nq,)."""
        return u

    @abstractmethod
    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        """(nq,) coordinates for a pose, in `q_units`. Exact if the pose can be reached, otherwise an approximation.

        Called with plain numbers only.

        q  (nq,) initial coordinates; entries that the pose does not determine keep these values
        """

    def in_euler_angles(self) -> "MobilizerEquations":
        """The same mobilizer with body-fixed x-y-z angles instead of a quaternion; itself if it has no quaternion."""
        return self

    def why_singular(self, q: np.ndarray) -> str:
        """A message if q is at or near a singularity of the coordinates, otherwise ''. Called with plain numbers only.

        Default: whether there are speeds that hardly move M in F, by the singular values of H_FM with columns of length 1.
        """
        H = np.array(self.H_FM(q), dtype=float)
        sizes = np.linalg.norm(H, axis=0)
        if not np.isfinite(H).all():
            return ""
        if (sizes > 0).all() and np.linalg.svd(H / sizes, compute_uv=False).min(initial=1.0) > NEAR_SINGULAR:
            return ""
        at = ", ".join(f"{each:.6g}" for each in q)
        return (
            f"at q = [{at}] there are speeds whose motions cancel, so that they do not move the body; start elsewhere, or use another joint"
        )

    def H_dot_u(self, q: Array, u: Array) -> Array:
        """(6,) rad/s^2, m/s^2: d/dt(H_FM) @ u, the part of the acceleration of M in F that is quadratic in u.

        Default: by differentiating the recorded H_FM.
        """
        parameters = self.parameter_values()
        still = [np.zeros(self.nu), np.zeros(self.n_parameters)]
        return jvp(lambda q, u, p: self.with_parameters(p).H_FM(q) @ u, [q, u, parameters], [self.q_dot(q, u), *still])[1]

    @final
    def q_dot_dot(self, q: Array, u: Array, u_dot: Array) -> Array:
        """(nq,) second time derivatives of the coordinates, in `q_units`/s^2; q (nq,), u and u_dot (nu,)."""
        directions = [self.q_dot(q, u), u_dot, np.zeros(self.n_parameters)]
        return jvp(lambda q, u, p: self.with_parameters(p).q_dot(q, u), [q, u, self.parameter_values()], directions)[1]


@final
@dataclass(frozen=True)
class ReversedEquations(MobilizerEquations):
    """A mobilizer with parent and child swapped: X_FM is the inverse of the forward mobilizer's pose, with the same q and u.

    If F0 and M0 are the frames of the forward mobilizer, F is M0 and M is F0.
    """

    forward: MobilizerEquations

    @property
    def nq(self) -> int:
        return self.forward.nq

    @property
    def nu(self) -> int:
        return self.forward.nu

    @property
    def q_units(self) -> tuple[str, ...]:
        return self.forward.q_units

    @property
    def u_units(self) -> tuple[str, ...]:
        return self.forward.u_units

    @property
    def default_q(self) -> tuple[float, ...]:
        return self.forward.default_q

    @property
    def speed_of(self) -> tuple[int | None, ...]:
        return self.forward.speed_of

    @property
    def quaternion_at(self) -> int | None:
        return self.forward.quaternion_at

    @property
    def rotation(self) -> Rotation:
        return self.forward.rotation

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.forward.parameters

    def X_FM(self, q: Array) -> Transform:
        return self.forward.X_FM(q).inverse()

    def H_FM(self, q: Array) -> Array:
        """The velocity of F0 in M0, expressed in M0, from that of M0 in F0 (the guide's section 14.1)."""
        X, H = self.forward.X_FM(q), self.forward.H_FM(q)
        moved = np.array([cross(column, X.p) for column in H[:3].T]).T.reshape(3, self.nu)
        return np.concatenate([-(X.R.T @ H[:3]), X.R.T @ (moved - H[3:])])

    def H_dot_u(self, q: Array, u: Array) -> Array:
        """The derivative of H_FM @ u = [-R^T w; R^T (w x p - v)] for constant u: R^T' = -R^T [w]x and p' = v.

        It uses the forward mobilizer's H_dot_u, which is zero for many mobilizers. Differentiating H_FM would need up to 50 % more
        operations.
        """
        X, V, H_dot_u = self.forward.X_FM(q), self.forward.H_FM(q) @ u, self.forward.H_dot_u(q, u)
        w, v, alpha, a = V[:3], V[3:], H_dot_u[:3], H_dot_u[3:]
        return np.concatenate([-(X.R.T @ alpha), X.R.T @ (cross(alpha, X.p) - a + cross(w, 2 * v - cross(w, X.p)))])

    def q_dot(self, q: Array, u: Array) -> Array:
        return self.forward.q_dot(q, u)

    def near(self, X_FM: Transform, q: np.ndarray) -> np.ndarray:
        return self.forward.near(X_FM.inverse(), q)

    def in_euler_angles(self) -> MobilizerEquations:
        return ReversedEquations(self.forward.in_euler_angles())

    def why_singular(self, q: np.ndarray) -> str:
        return self.forward.why_singular(q)

    def parameter_values(self) -> np.ndarray:
        return self.forward.parameter_values()

    def with_parameters(self, values: Sequence[Scalar] | Array) -> "ReversedEquations":
        return ReversedEquations(self.forward.with_parameters(values)) if self.parameters else self
