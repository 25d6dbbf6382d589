"""CustomMobilizer: a user's mobilizer, of which the pose of M in F is enough."""

from abc import ABC

import numpy as np

from mobod.errors import InputError
from mobod.matter.bodies.body import BodyLike, MobilizedBody, ParentLike
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.scalar import Array
from mobod.scalar.derivative import jvp
from mobod.spatial import Transform, quaternion_N
from mobod.system import CustomElement


class CustomEquations(MobilizerEquations, ABC):
    """Subclass it with the decorator `equations`, give `q_units`, and write `X_FM(q)`, a pure function. It is recorded; all else follows:

    has_quaternion  whether q begins with a quaternion (w, x, y, z); R_FM must then depend on its direction alone
    nu              nq, or one less with a quaternion
    q_dot           u; with a quaternion, the first three speeds are the angular velocity w_FM in F
    H_FM            by differentiating X_FM along q_dot for each speed
    nq, q_units     each follows from the other: a coordinate has the unit '1' if only `nq` is given
    near            none: poses are fitted numerically

    Each can be overridden; `q_dot` must be linear in u. Fields that are declared by `parameter` can be tuned.
    """

    has_quaternion = False

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        if type(self).q_units is CustomEquations.q_units:
            raise InputError(f"{type(self).__name__} has no coordinates. Give q_units, the unit of each, or nq, their number.")
        return len(self.q_units)

    @property
    def nu(self) -> int:
        """The number of speeds."""
        return self.nq - int(self.has_quaternion)

    @property
    def q_units(self) -> tuple[str, ...]:
        """The unit of each coordinate."""
        return ("1",) * self.nq

    @property
    def u_units(self) -> tuple[str, ...]:
        """The unit of each speed."""
        if self.has_quaternion:
            return ("rad/s",) * 3 + tuple(f"{unit}/s" for unit in self.q_units[4:])
        return super().u_units

    @property
    def default_q(self) -> tuple[float, ...]:
        """(nq,) coordinates in a new State."""
        return (float(self.has_quaternion),) + (0.0,) * (self.nq - 1)

    @property
    def speed_of(self) -> tuple[int | None, ...]:
        """For each coordinate the number of the speed that is its rate; None if none is."""
        return (None,) * 4 + tuple(range(3, self.nu)) if self.has_quaternion else tuple(range(self.nq))

    @property
    def quaternion_at(self) -> int | None:
        """The number of the first coordinate of a quaternion; None without one."""
        return 0 if self.has_quaternion else None

    def q_dot(self, q: Array, u: Array) -> Array:
        """(nq,) rates of the coordinates, in `q_units`/s, from q and u."""
        return np.concatenate([quaternion_N(q[:4]) @ u[:3], u[3:]]) if self.has_quaternion else u

    def H_FM(self, q: Array) -> Array:
        """(6, nu) maps u to the spatial velocity of M in F, rad/s and m/s, expressed in F; from the derivative of X_FM."""

        def pose(q: Array) -> tuple[Array, Array]:
            X = self.X_FM(q)
            return np.asarray(X.R), np.asarray(X.p)

        columns = []
        for e in np.eye(self.nu):
            (R, _), (R_dot, p_dot) = jvp(pose, [q], [self.q_dot(q, e)])
            W = R_dot @ R.T  # the cross matrix of the angular velocity
            columns.append(np.concatenate([np.array([W[2, 1], W[0, 2], W[1, 0]]), p_dot]))
        return np.array(columns).T.reshape(6, self.nu)

    def near(self, X_FM: Transform, q: Array) -> Array:
        """(nq,) coordinates, in `q_units`, whose pose comes nearest to X_FM, found from q."""
        return q


class CustomMobilizer(CustomElement, MobilizedBody):
    """A body that moves as its equations say (see CustomEquations).

    A subclass may have hooks for the stages, with variables and computed values of its own: see CustomElement.
    """

    def __init__(
        self,
        parent: ParentLike,
        body: BodyLike,
        equations: MobilizerEquations,
        X_PF: Transform | None = None,
        X_BM: Transform | None = None,
        *,
        name: str | None = None,
        reversed: bool = False,
    ):
        what = "CustomMobilizer" if name is None else f"CustomMobilizer '{name}'"
        if not isinstance(equations, MobilizerEquations):
            raise InputError(f"{what}: the equations are CustomEquations, not {type(equations).__name__}.")
        equations.check_recordable(what)
        try:
            hash(equations)
        except TypeError as error:
            raise InputError(f"{what}: {type(equations).__name__} has no hash. Make it a frozen dataclass of numbers.") from error
        self.equations = equations
        _check(equations, what)
        super().__init__(parent, body, X_PF, X_BM, name=name, reversed=reversed)
        self._start_hooks(self.matter.system, "mobilizer")

    @property
    def variable_names(self) -> list[str]:
        """The last parts of the names of its variables, which parameters and variables of your own cannot have."""
        of_body = ["q", "u", "p_GB", "R_GB", "w_GB", "v_GB", "alpha_GB", "a_GB", "reaction"]
        return [*of_body, *(parameter.name for parameter in self.equations.parameters)]


def _check(equations: MobilizerEquations, what: str) -> None:
    """Numbers that must agree, and a pose that is one."""
    for name, values, count in (
        ("q_units", equations.q_units, equations.nq),
        ("default_q", equations.default_q, equations.nq),
        ("speed_of", equations.speed_of, equations.nq),
        ("u_units", equations.u_units, equations.nu),
    ):
        if len(values) != count:
            raise InputError(f"{what}: {name} of {type(equations).__name__} has {len(values)} entries, not {count}.")
    q = np.array(equations.default_q)
    X = equations.X_FM(q)
    if not isinstance(X, Transform):
        raise InputError(f"{what}: X_FM of {type(equations).__name__} gives {type(X).__name__}, not a Transform.")
    deviation = float(np.abs(X.R @ X.R.T - np.eye(3)).max())
    if not deviation < 1e-9:
        raise InputError(f"{what}: X_FM of {type(equations).__name__} is not a pose at default_q: R R^T differs from 1 by {deviation:.3g}.")
    shapes = (np.shape(equations.q_dot(q, np.zeros(equations.nu))), np.shape(equations.H_FM(q)))
    if shapes != ((equations.nq,), (6, equations.nu)):
        raise InputError(
            f"{what}: q_dot and H_FM of {type(equations).__name__} have shapes {shapes[0]} and {shapes[1]}, not {(equations.nq,)} and "
            f"{(6, equations.nu)}."
        )
