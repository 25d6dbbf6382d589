"""RigidBody, the mass that is carried, and MobilizedBody, a body with the mobilizer that connects it to its parent."""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mobod.errors import InputError
from mobod.matter.body_queries import Body
from mobod.matter.equations import MobilizerEquations
from mobod.matter.reactions import CarriedBody
from mobod.scalar.slot import Slot
from mobod.spatial import MassProperties, Transform
from mobod.system import Stage, State, Variable

if TYPE_CHECKING:
    from mobod.matter.subsystem import MatterSubsystem
    from mobod.matter.tree import Tree


class RigidBody:
    """What a mobilized body carries; one object may serve for several of them."""

    def __init__(self, mass_properties: MassProperties):
        if not isinstance(mass_properties, MassProperties):
            raise InputError(f"RigidBody takes MassProperties, not {type(mass_properties).__name__}.")
        self.mass_properties = mass_properties


class Ground(Body):
    """The inertial frame: body 0, with no mobilizer."""

    name = "ground"
    index = 0

    def __init__(self, matter: "MatterSubsystem"):
        self.matter = matter

    def X_GB(self, state: State) -> Transform:
        return Transform()

    def V_GB(self, state: State) -> np.ndarray:
        return np.zeros(6)

    def A_GB(self, state: State) -> np.ndarray:
        return np.zeros(6)

    def mass_center_station(self, state: State) -> np.ndarray:
        return np.zeros(3)


class MobilizedBody(CarriedBody):
    """A body and the mobilizer that grants it motion relative to its parent; subclasses say which motion.

    parent  Ground or another mobilized body
    body    what is carried
    X_PF    frame F of the mobilizer on the parent; default: the parent's own
    X_BM    frame M of the mobilizer on the body; default: the body's own
    name    default: 'body1', 'body2', ...
    """

    equations: ClassVar[MobilizerEquations]

    def __init__(
        self,
        parent: "MobilizedBody | Ground",
        body: RigidBody | MassProperties,
        X_PF: Transform | None = None,
        X_BM: Transform | None = None,
        *,
        name: str | None = None,
    ):
        if not isinstance(parent, (MobilizedBody, Ground)):
            raise InputError(
                f"the parent of a {type(self).__name__} is matter.ground or another mobilized body, not {type(parent).__name__}."
            )
        for frame, X in (("X_PF", X_PF), ("X_BM", X_BM)):
            if X is not None and not isinstance(X, Transform):
                raise InputError(
                    f"{type(self).__name__}: {frame} is a Transform, not {type(X).__name__}. "
                    "Write Transform(R, p) or Transform(p=[x, y, z])."
                )
        self.matter: MatterSubsystem = parent.matter
        self.parent = parent
        self.body = RigidBody(body) if isinstance(body, MassProperties) else body
        if not isinstance(self.body, RigidBody):
            raise InputError(f"{type(self).__name__}: the body is a RigidBody or MassProperties, not {type(body).__name__}.")
        self.X_PF = X_PF or Transform()
        self.X_BM = X_BM or Transform()
        self._default_q = np.array(self.equations.default_q)
        self.index: int
        self.name: str
        self.index, self.name = self.matter.adopt(self, name)

    # defaults
    @property
    def nq(self) -> int:
        return self.equations.nq

    @property
    def nu(self) -> int:
        return self.equations.nu

    @property
    def default_q(self) -> np.ndarray:
        """(nq,) coordinates in a new State."""
        return self._default_q.copy()

    def set_default_q(self, value: Any) -> None:
        """Topological: States made before raise when used."""
        self._default_q = self._vector(value, self.nq, "default_q")
        self.matter.invalidate_topology()

    # coordinates and speeds
    def q(self, state: State) -> np.ndarray:
        """(nq,) coordinates, in the units of the mobilizer; read-only."""
        return state.view(self._tree(state).q(self))

    def set_q(self, state: State, value: Any) -> None:
        """value (nq,), or a number for one coordinate."""
        state.write(self._tree(state).q(self), self._vector(value, self.nq, "q"), f"{self.name}.q", Stage.POSITION)

    def u(self, state: State) -> np.ndarray:
        """(nu,) speeds, in the units of the mobilizer; read-only."""
        return state.view(self._tree(state).u(self))

    def set_u(self, state: State, value: Any) -> None:
        """value (nu,), or a number for one speed."""
        state.write(self._tree(state).u(self), self._vector(value, self.nu, "u"), f"{self.name}.u", Stage.VELOCITY)

    def q_dot(self, state: State) -> np.ndarray:
        """(nq,) rates of the coordinates, from VELOCITY on."""
        tree = self._tree(state, Stage.VELOCITY, "q_dot")
        return state.view(tree.rate(tree.q(self)))

    def u_dot(self, state: State) -> np.ndarray:
        """(nu,) rates of the speeds, from ACCELERATION on."""
        tree = self._tree(state, Stage.ACCELERATION, "u_dot")
        return state.view(tree.rate(tree.u(self)))

    def q_dot_dot(self, state: State) -> np.ndarray:
        """(nq,) accelerations of the coordinates, from ACCELERATION on."""
        tree = self._tree(state, Stage.ACCELERATION, "q_dot_dot")
        state.cached(self.matter.q_dot_dot_entry)
        return state.view(tree.coordinates(tree.slots.q_dot_dot, self))

    # motion
    def X_GB(self, state: State) -> Transform:
        """Pose of the body in Ground, from POSITION on."""
        slots = self._tree(state, Stage.POSITION, "X_GB").slots
        return Transform.of(state.view(slots.R_GB[self.index]), state.view(slots.p_GB[self.index]))

    def X_FM(self, state: State) -> Transform:
        """Pose of the mobilizer's frame M in F, from POSITION on."""
        self._tree(state, Stage.POSITION, "X_FM")
        return self.equations.X_FM(self.q(state))

    def V_FM(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s: spatial velocity of M in F, expressed in F; from VELOCITY on."""
        self._tree(state, Stage.VELOCITY, "V_FM")
        return np.asarray(self.equations.H_FM(self.q(state)) @ self.u(state), dtype=float)

    def V_GB(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s: angular velocity of the body and velocity of its origin in Ground; from VELOCITY on."""
        return state.view(self._tree(state, Stage.VELOCITY, "V_GB").slots.V_GB[self.index])

    def A_GB(self, state: State) -> np.ndarray:
        """(6,) rad/s^2, m/s^2: angular acceleration of the body and acceleration of its origin in Ground; from ACCELERATION on."""
        return state.view(self._tree(state, Stage.ACCELERATION, "A_GB").slots.A_GB[self.index])

    def variables(self, tree: "Tree") -> list[Variable]:
        """What can be named: q, u, their rates, and the motion of the body."""
        slots = tree.slots
        q_units, u_units = self.equations.q_units, self.equations.u_units
        V_GB, A_GB = slots.V_GB[self.index], slots.A_GB[self.index]
        of_mobilizer, of_body = f"of mobilizer '{self.name}' ({type(self).__name__})", f"of body '{self.name}' in Ground"
        variables = []
        if self.nq:
            variables += self._coordinates(
                "q", tree.q(self), tree, q_units, f"generalized coordinates {of_mobilizer}", Stage.POSITION, Stage.VELOCITY
            )
        if self.nu:
            variables += self._coordinates(
                "u", tree.u(self), tree, u_units, f"generalized speeds {of_mobilizer}", Stage.VELOCITY, Stage.ACCELERATION
            )
        for name, slot, stage, unit, text in (
            ("p_GB", slots.p_GB[self.index], Stage.POSITION, "m", "position of the origin"),
            ("R_GB", slots.R_GB[self.index], Stage.POSITION, "1", "rotation, the axes as columns,"),
            ("w_GB", Slot(V_GB.offset, (3,)), Stage.VELOCITY, "rad/s", "angular velocity"),
            ("v_GB", Slot(V_GB.offset + 3, (3,)), Stage.VELOCITY, "m/s", "velocity of the origin"),
            ("alpha_GB", Slot(A_GB.offset, (3,)), Stage.ACCELERATION, "rad/s2", "angular acceleration"),
            ("a_GB", Slot(A_GB.offset + 3, (3,)), Stage.ACCELERATION, "m/s2", "acceleration of the origin"),
        ):
            full_name, description = f"{self.name}.{name}", f"{text} {of_body}"
            variables.append(Variable(name=full_name, slot=slot, stage=stage, role="output", units=(unit,), description=description))
        return variables

    def _coordinates(
        self, kind: str, slot: Slot, tree: "Tree", units: tuple[str, ...], description: str, invalidates: Stage, rate_stage: Stage
    ) -> list[Variable]:
        name = f"{self.name}.{kind}"
        rates = self._rate_units(units)
        return [
            Variable(name=name, slot=slot, stage=Stage.MODEL, role="state", units=units, description=description, invalidates=invalidates),
            Variable(
                name=f"der({name})", slot=tree.rate(slot), stage=rate_stage, role="derivative", units=rates, description=f"rates of {name}"
            ),
        ]

    @staticmethod
    def _rate_units(units: tuple[str, ...]) -> tuple[str, ...]:
        return tuple({"1": "1/s", "rad/s": "rad/s2", "m/s": "m/s2"}.get(unit, f"{unit}/s") for unit in units)

    def _tree(self, state: State, stage: Stage | None = None, what: str = "") -> "Tree":
        """The tables for this State, which must have reached `stage`."""
        state.check_belongs_to(self.matter.system)
        if stage is not None:
            state.require(stage, f"{what} of '{self.name}'", self.matter.index)
        return self.matter.tree(state.layout)

    def _vector(self, value: Any, n: int, what: str) -> np.ndarray:
        try:
            array = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError) as error:
            raise InputError(f"{self.name}.{what} takes numbers, not {value!r}.") from error
        if array.shape != (n,):
            raise InputError(
                f"{self.name}.{what} of a {type(self).__name__} has shape ({n},), but a value of shape {array.shape} was given."
            )
        if not np.isfinite(array).all():
            raise InputError(f"{self.name}.{what} cannot be {value}: not a finite number.")
        return array.copy()
