"""RigidBody, the mass properties of a body, and MobilizedBody, a body with the mobilizer that connects it to its parent."""

from abc import ABC, abstractmethod
from typing import Any, Literal, Protocol

import numpy as np

from mobod.errors import InputError, UnknownNameError
from mobod.matter.body_queries import Body
from mobod.matter.decorations import Decoration, Geometry
from mobod.matter.equations import MobilizerEquations, ReversedEquations
from mobod.matter.fitting import q_to_fit
from mobod.matter.limited_body import LimitedBody, LimitedBodyOwner
from mobod.matter.tree import Tree
from mobod.matter.tree_body import KnownMotion
from mobod.real_numbers import numbers_text, real_numbers
from mobod.scalar import is_recorded
from mobod.scalar.slot import Slot
from mobod.spatial import MassProperties, Transform
from mobod.spatial.checked import checked_array, checked_floats
from mobod.spatial.rotation import check_quaternion, checked_rotation
from mobod.system import Stage, State, Variable
from mobod.system.boundary import check_state
from mobod.system.named_arguments import NamedArguments
from mobod.system.variable import XYZ, rate_unit


class RigidBody(NamedArguments):
    """Mass properties of a mobilized body. Several mobilized bodies may share one RigidBody."""

    def __init__(self, mass_properties: MassProperties):
        if not isinstance(mass_properties, MassProperties):
            raise InputError(f"RigidBody takes MassProperties, not {type(mass_properties).__name__}.")
        self.mass_properties = mass_properties

    def _summary(self) -> str:
        return f"of {self.mass_properties.mass:g} kg, com = {numbers_text(self.mass_properties.com, 'm')}"


class MotionOfBody(KnownMotion, Protocol):
    """The interface of a Motion that its body uses."""

    @property
    def is_disabled_by_default(self) -> bool: ...

    def is_disabled(self, state: State) -> bool: ...

    def variables(self, tree: Tree) -> list[Variable]: ...


class MobilizedBodyOwner(LimitedBodyOwner, ABC):
    """The interface of a MatterSubsystem that its mobilized bodies use."""

    ground: "Ground"

    @property
    @abstractmethod
    def bodies(self) -> "list[MobilizedBody]":
        """All bodies except Ground, by index."""

    @abstractmethod
    def body(self, which: int | str) -> "MobilizedBody | Ground":
        """The body with this index or name."""

    @abstractmethod
    def checked(self, body: Any, what: str) -> "MobilizedBody | Ground":
        """Return the argument if it is a body of this subsystem; raise otherwise. `what` is the function that takes it, for the message."""

    @abstractmethod
    def adopt(self, body: "MobilizedBody", name: str | None) -> tuple[int, str]:
        """Add a body; returns its index and its name. See MatterSubsystem.adopt."""


class Ground(Body):
    """The inertial frame: body 0, without a mobilizer."""

    matter: MobilizedBodyOwner
    name = "ground"
    index = 0

    def _summary(self) -> str:
        return f"of System '{self.matter.system.name}'"

    def __init__(self, matter: MobilizedBodyOwner):
        self.matter = matter

    def X_GB(self, state: State) -> Transform:
        """The identity pose."""
        check_state(state, self.matter.system)
        return Transform()

    def V_GB(self, state: State) -> np.ndarray:
        """(6,) zeros."""
        check_state(state, self.matter.system)
        return np.zeros(6)

    def A_GB(self, state: State) -> np.ndarray:
        """(6,) zeros."""
        check_state(state, self.matter.system)
        return np.zeros(6)

    def mass_center_station(self, state: State) -> np.ndarray:
        """(3,) zeros: the origin of Ground."""
        check_state(state, self.matter.system)
        return np.zeros(3)


class MobilizedBody(LimitedBody):
    """A body with the mobilizer that connects it to its parent. Each subclass is a type of mobilizer.

    parent    Ground or another mobilized body
    body      mass properties of the body
    X_PF      pose of the mobilizer's frame F on the parent; default: the identity
    X_BM      pose of the mobilizer's frame M on the body; default: the identity
    name      default: 'body1', 'body2', ...
    reversed  True: the coordinates measure F in M instead of M in F, as if parent and child were swapped
    """

    matter: MobilizedBodyOwner
    parent: "MobilizedBody | Ground"
    motion: MotionOfBody | None

    def __init__(
        self,
        parent: "ParentLike",
        body: "BodyLike",
        X_PF: Transform | None = None,
        X_BM: Transform | None = None,
        *,
        name: str | None = None,
        reversed: bool = False,
    ):
        if not isinstance(parent, (MobilizedBody, Ground)):
            raise InputError(
                f"the parent of a {type(self).__name__} is matter.ground or another mobilized body, not {type(parent).__name__}."
            )
        self.matter = parent.matter
        self.parent = parent
        self.body = RigidBody(body) if isinstance(body, MassProperties) else body
        if not isinstance(self.body, RigidBody):
            raise InputError(f"{type(self).__name__}: the body is a RigidBody or MassProperties, not {type(body).__name__}.")
        self.X_PF = self._frame(X_PF, "X_PF")
        self.X_BM = self._frame(X_BM, "X_BM")
        self.is_reversed = bool(reversed)
        if self.is_reversed:
            self.equations = ReversedEquations(self.equations)
        self._default_q = np.array(self.equations.default_q)
        self.decorations: list[Decoration] = []
        self.motion = None  # set by Motion
        self._limits = {}
        self.index: int
        self.name: str
        self.index, self.name = self.matter.adopt(self, name)

    def _summary(self) -> str:
        q = f", default q = {numbers_text(self._default_q, self.equations.q_units)}" if self.nq else ""
        return f"on {self.parent.name}{', reversed' if self.is_reversed else ''}{q}"

    # # default values: setting one is topological, so existing States become unusable
    @property
    def nq(self) -> int:
        """Number of coordinates in a State that uses quaternions."""
        return self.equations.nq

    @property
    def nu(self) -> int:
        """Number of speeds."""
        return self.equations.nu

    @property
    def default_q(self) -> np.ndarray:
        """(nq,) coordinates in a new State."""
        return self._default_q.copy()

    def set_default_q(self, value: Any) -> None:
        """Set the coordinates of new States: (nq,), or a number for a single coordinate. Topological."""
        default_q, at = self._vector(value, self.nq, "default_q"), self.equations.quaternion_at
        if at is not None:
            check_quaternion(default_q[at : at + 4], f"{self.name}.default_q")
        self._default_q = default_q
        self.matter.invalidate_topology()

    @property
    def default_transform(self) -> Transform:
        """X_FM in a new State."""
        return self.equations.X_FM(self._default_q)

    def set_default_transform(self, X_FM: Transform) -> None:
        """Set default_q so that M is as close as possible to a pose in F. Topological."""
        X_FM = self._frame(X_FM, "X_FM")
        self.set_default_q(q_to_fit(self.equations, self._default_q, R=X_FM.R, p=X_FM.p))

    def set_default_inboard_frame(self, X_PF: Transform) -> None:
        """Set the default pose of frame F on the parent. Topological."""
        self.X_PF = self._frame(X_PF, "X_PF")
        self.matter.invalidate_topology()

    def set_default_outboard_frame(self, X_BM: Transform) -> None:
        """Set the default pose of frame M on the body. Topological."""
        self.X_BM = self._frame(X_BM, "X_BM")
        self.matter.invalidate_topology()

    # # decorations: shapes to draw; nothing depends on them
    def add_body_decoration(self, X_BD: Transform, geometry: Geometry) -> None:
        """Add a shape that moves with the body, at X_BD in its frame."""
        self._decorate("body", X_BD, geometry)

    def add_outboard_decoration(self, X_MD: Transform, geometry: Geometry) -> None:
        """Add a shape that moves with the body, at X_MD in the mobilizer's frame M."""
        self._decorate("outboard", X_MD, geometry)

    def add_inboard_decoration(self, X_FD: Transform, geometry: Geometry) -> None:
        """Add a shape that moves with the parent, at X_FD in the mobilizer's frame F."""
        self._decorate("inboard", X_FD, geometry)

    # coordinates and speeds
    def q(self, state: State) -> np.ndarray:
        """(nq,) coordinates, in the units of the mobilizer; read-only."""
        slot = self._tree(state).q(self)
        return state.view(slot)

    def set_q(self, state: State, value: Any) -> None:
        """Set the coordinates: (nq,), or a number for a single coordinate. Invalidates stage POSITION."""
        self._write(state, self._tree(state).q(self), value, "q", Stage.POSITION)

    def u(self, state: State) -> np.ndarray:
        """(nu,) speeds, in the units of the mobilizer; read-only."""
        slot = self._tree(state).u(self)
        return state.view(slot)

    def set_u(self, state: State, value: Any) -> None:
        """Set the speeds: (nu,), or a number for a single speed. Invalidates stage VELOCITY."""
        self._write(state, self._tree(state).u(self), value, "u", Stage.VELOCITY)

    def q_dot(self, state: State) -> np.ndarray:
        """(nq,) rates of the coordinates. Needs stage VELOCITY."""
        tree = self._tree(state, Stage.VELOCITY, "q_dot")
        return state.view(tree.rate(tree.q(self)))

    def u_dot(self, state: State) -> np.ndarray:
        """(nu,) rates of the speeds. Needs stage ACCELERATION."""
        tree = self._tree(state, Stage.ACCELERATION, "u_dot")
        return state.view(tree.rate(tree.u(self)))

    def q_dot_dot(self, state: State) -> np.ndarray:
        """(nq,) second time derivatives of the coordinates. Needs stage ACCELERATION."""
        tree = self._tree(state, Stage.ACCELERATION, "q_dot_dot")
        state.cached(self.matter.q_dot_dot_entry)
        return state.view(tree.coordinates(tree.slots.q_dot_dot, self))

    def my_part_q(self, state: State, q_like: np.ndarray) -> np.ndarray:
        """The part of an array (nq of the System,) that belongs to this mobilizer, as a writable view."""
        return self._part(q_like, state, "q")

    def my_part_u(self, state: State, u_like: np.ndarray) -> np.ndarray:
        """The part of an array (nu of the System,) that belongs to this mobilizer, as a writable view."""
        return self._part(u_like, state, "u")

    # coordinates and speeds to fit a motion
    def set_q_to_fit_transform(self, state: State, X_FM: Transform) -> None:
        """Set q so that M is as close as possible to a pose in F: least squares of the entries of R and p (m)."""
        X_FM = self._frame(X_FM, "X_FM")
        self._fit_q(state, R=X_FM.R, p=X_FM.p)

    def set_q_to_fit_rotation(self, state: State, R_FM: Any) -> None:
        """Set q so that the rotation of M in F is as close as possible to R_FM (3, 3). Coordinates that do not affect it change as little
        as possible.
        """
        self._fit_q(state, R=checked_rotation(R_FM, f"{self.name}: R_FM"))

    def set_q_to_fit_translation(self, state: State, p_FM: Any) -> None:
        """Set q so that the position of M in F is as close as possible to p_FM (3,) m. Coordinates that do not affect it change as little
        as possible.
        """
        self._fit_q(state, p=checked_floats(p_FM, (3,), f"{self.name}: p_FM"))

    def set_u_to_fit_velocity(self, state: State, V_FM: Any) -> None:
        """Set u so that the velocity of M in F is as close as possible (least squares) to V_FM (6,) rad/s, m/s, expressed in F."""
        self._fit_u(state, slice(0, 6), V_FM, "V_FM")

    def set_u_to_fit_angular_velocity(self, state: State, w_FM: Any) -> None:
        """Set u so that the angular velocity of M in F is as close as possible to w_FM (3,) rad/s. Speeds that do not affect it stay the
        same.
        """
        self._fit_u(state, slice(0, 3), w_FM, "w_FM")

    def set_u_to_fit_linear_velocity(self, state: State, v_FM: Any) -> None:
        """Set u so that the velocity of M's origin in F is as close as possible to v_FM (3,) m/s. Speeds that do not affect it stay the
        same.
        """
        self._fit_u(state, slice(3, 6), v_FM, "v_FM")

    # motion
    def X_GB(self, state: State) -> Transform:
        """Pose of the body in Ground. Needs stage POSITION."""
        R_GB, p_GB = self._tree(state, Stage.POSITION, "X_GB").poses[self.index]
        return Transform.of(state.view(R_GB), state.view(p_GB))

    def X_FM(self, state: State) -> Transform:
        """Pose of the mobilizer's frame M in F. Needs stage POSITION."""
        self._tree(state, Stage.POSITION, "X_FM")
        return self.equations_in(state).X_FM(self.q(state))

    def V_FM(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s: spatial velocity of M in F, expressed in F. Needs stage VELOCITY."""
        self._tree(state, Stage.VELOCITY, "V_FM")
        return np.asarray(self.equations_in(state).H_FM(self.q(state)) @ self.u(state), dtype=float)

    def V_GB(self, state: State) -> np.ndarray:
        """(6,) rad/s, m/s: angular velocity of the body and velocity of its origin in Ground. Needs stage VELOCITY."""
        slot = self._tree(state, Stage.VELOCITY, "V_GB").velocities[self.index]
        return state.view(slot)

    def A_GB(self, state: State) -> np.ndarray:
        """(6,) rad/s^2, m/s^2: angular acceleration of the body and acceleration of its origin in Ground. Needs stage ACCELERATION."""
        slot = self._tree(state, Stage.ACCELERATION, "A_GB").slots.A_GB[self.index]
        return state.view(slot)

    def variables(self, tree: Tree) -> list[Variable]:
        """The catalogued variables: q, u, their rates, and the motion of the body."""
        slots = tree.slots
        equations = tree.equations(self)
        q_units, u_units = equations.q_units, equations.u_units
        V_GB, A_GB = slots.V_GB[self.index], slots.A_GB[self.index]
        of_mobilizer, of_body = f"of mobilizer '{self.name}' ({type(self).__name__})", f"of body '{self.name}' in Ground"
        variables = []
        if q_units:
            variables += self._coordinates(
                "q", tree.q(self), tree, q_units, f"generalized coordinates {of_mobilizer}", Stage.POSITION, Stage.VELOCITY
            )
        if u_units:
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
            components = XYZ if slot.shape == (3,) else ()
            variables.append(
                Variable(
                    name=full_name, slot=slot, stage=stage, role="output", units=(unit,), description=description, components=components
                )
            )
        for parameter in equations.parameters:
            variables.append(
                Variable(
                    name=f"{self.name}.{parameter.name}",
                    slot=tree.parameter(self, parameter.name),
                    stage=Stage.MODEL,
                    role="parameter",
                    units=(parameter.unit,),
                    description=f"{parameter.description} {of_mobilizer}",
                    invalidates=Stage.INSTANCE,
                )
            )
        if tree.prescription.concerns(self):
            variables += self.lock_variables(tree)
        if self.motion is not None:
            variables += self.motion.variables(tree)
        return variables

    def _coordinates(
        self, kind: str, slot: Slot, tree: Tree, units: tuple[str, ...], description: str, invalidates: Stage, rate_stage: Stage
    ) -> list[Variable]:
        name = f"{self.name}.{kind}"
        rates = tuple(map(rate_unit, units))
        return [
            Variable(name=name, slot=slot, stage=Stage.MODEL, role="state", units=units, description=description, invalidates=invalidates),
            Variable(
                name=f"der({name})", slot=tree.rate(slot), stage=rate_stage, role="derivative", units=rates, description=f"rates of {name}"
            ),
        ]

    # the mobilizer's parameters
    def equations_in(self, state: State) -> MobilizerEquations:
        """The equations with the parameter values of the State."""
        tree = self._tree(state)
        return tree.equations(self).with_parameters(state.view(tree.parameters(self)))

    def _parameter(self, state: State, name: str) -> Any:
        slot = self._tree(state).parameter(self, name)
        return state.view(slot).copy()[()]

    def _set_parameter(self, state: State, name: str, value: Any) -> None:
        slot = self._tree(state).parameter(self, name)
        state.write(slot, self._checked_parameter(name, value), f"{self.name}.{name}", Stage.INSTANCE)

    def _default_parameter(self, name: str) -> Any:
        return self._parameter_array(name, self.equations.parameter_values()).copy()[()]

    def _set_default_parameter(self, name: str, value: Any) -> None:
        values = self.equations.parameter_values()
        self._parameter_array(name, values)[...] = self._checked_parameter(name, value)
        self.equations = self.equations.with_parameters(values.tolist())
        self.matter.invalidate_topology()

    def _parameter_array(self, name: str, values: np.ndarray) -> np.ndarray:
        """The view of one parameter in the array of all parameters."""
        start = 0
        for parameter in self.equations.parameters:
            if parameter.name == name:
                return values[start : start + parameter.size].reshape(parameter.shape)
            start += parameter.size
        raise UnknownNameError(f"parameter of '{self.name}'", name, [parameter.name for parameter in self.equations.parameters])

    def _checked_parameter(self, name: str, value: Any) -> np.ndarray:
        parameter = next(each for each in self.equations.parameters if each.name == name)
        return parameter.checked(value, f"{self.name}.{name}")

    # # called by MatterSubsystem
    def check_supported(self) -> None:
        """Raise UnsupportedError if a System cannot handle the mobilizer's options. Called at TOPOLOGY."""

    # # internal
    def _fit_q(self, state: State, *, R: np.ndarray | None = None, p: np.ndarray | None = None) -> None:
        self.set_q(state, q_to_fit(self.equations_in(state), self.q(state), R=R, p=p))

    def _fit_u(self, state: State, rows: slice, velocity: Any, what: str) -> None:
        wanted = checked_floats(velocity, (rows.stop - rows.start,), f"{self.name}: {what}")
        H = self.equations_in(state).H_FM(self.q(state))[rows].astype(float)
        u = self.u(state)
        self.set_u(state, u + np.linalg.lstsq(H, wanted - H @ u, rcond=1e-12)[0])

    def _part(self, array: Any, state: State, kind: Literal["q", "u"]) -> np.ndarray:
        tree = self._tree(state)
        whole, part = (tree.all_q, tree.q(self)) if kind == "q" else (tree.all_u, tree.u(self))
        if not isinstance(array, np.ndarray) or array.shape != whole.shape:
            given = f"an array of shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise InputError(f"my_part_{kind} of '{self.name}' takes an array of shape {whole.shape}, not {given}.")
        start = part.offset - whole.offset
        return array[start : start + part.size]

    def _decorate(self, frame: Literal["body", "outboard", "inboard"], X: Transform, geometry: Geometry) -> None:
        self.decorations.append(Decoration(frame, self._frame(X, f"{frame} decoration"), geometry))

    def _frame(self, X: Transform | None, what: str) -> Transform:
        if X is not None and not isinstance(X, Transform):
            raise InputError(
                f"{type(self).__name__}: {what} is a Transform, not {type(X).__name__}. Write Transform(R, p) or Transform(p=[x, y, z])."
            )
        return X or Transform()

    def _tree(self, state: State, stage: Stage | None = None, what: str = "") -> Tree:
        """The tables for this State, which must have reached `stage`."""
        check_state(state, self.matter.system)
        if stage is not None:
            state.require(stage, f"{what} of '{self.name}'", self.matter.index)
        return self.matter.tree(state.layout)

    def _write(self, state: State, slot: Slot, value: Any, what: str, invalidates: Stage) -> None:
        if state.is_recorded or not state.write_usual(slot, value, invalidates):
            state.write(slot, self._vector(value, slot.size, what), f"{self.name}.{what}", invalidates)

    def _vector(self, value: Any, n: int, what: str) -> np.ndarray:
        if is_recorded(value):
            return checked_array(np.atleast_1d(np.asarray(value)), (n,), f"{self.name}.{what}")
        array = np.atleast_1d(real_numbers(value, f"{self.name}.{what}"))
        if array.shape != (n,):
            raise InputError(
                f"{self.name}.{what} of a {type(self).__name__} has shape ({n},), but a value of shape {array.shape} was given."
            )
        if not np.isfinite(array).all():
            raise InputError(f"{self.name}.{what} cannot be {value}: not a finite number.")
        return array.copy()


ParentLike = MobilizedBody | Ground
BodyLike = RigidBody | MassProperties
