"""MobilizedBody, a body with the mobilizer that connects it to its parent, and Ground."""

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import numbers_text, real_numbers
from mobod.errors import InputError
from mobod.matter.bodies import (
    drive_limits,
    fits,
    flexible_queries,
    limits_of_body,
    locks,
    mass_and_frames,
    parameters_of_body,
    reactions,
    rotors_of_body,
)
from mobod.matter.bodies.body_in_tree import given_frame, tree_of
from mobod.matter.bodies.body_queries import Body, BodyOwner
from mobod.matter.bodies.body_variables import MotionOfBody
from mobod.matter.bodies.decorations import Decoration, Geometry
from mobod.matter.bodies.flexible_body import FlexibleBody, carried_body, check_holds_parts
from mobod.matter.bodies.limits_of_coordinate import LimitsOfCoordinate
from mobod.matter.bodies.rigid_body import RigidBody
from mobod.matter.equations.fitting import q_to_fit
from mobod.matter.equations.mobilizer_equations import MobilizerEquations, ReversedEquations
from mobod.matter.tree.tree_body import DeformingInertia, ModalCoordinates, Rotor
from mobod.scalar import Slot, is_recorded
from mobod.spatial import MassProperties, Transform
from mobod.spatial.checked import checked_array
from mobod.spatial.rotation import check_quaternion
from mobod.system import Stage, State, check_state
from mobod.system.elements import Element, Given, Name, argument


class MobilizedBodyOwner(BodyOwner, ABC):
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
    def checked(self, body: object, what: str) -> "MobilizedBody | Ground":
        """Return the argument if it is a body of this subsystem; raise otherwise. `what` is the function that takes it, for the message."""

    @abstractmethod
    def adopt(self, body: "MobilizedBody", name: str | None) -> tuple[int, str]:
        """Add a body; returns its index and its name. See MatterSubsystem.adopt."""

    @abstractmethod
    def new_flexible_parts(self, body: "MobilizedBody") -> "flexible_queries.PartsOfBody[MobilizedBody] | None":
        """Add the modal node and the frames of a flexible body that has just been added; None for a rigid one."""


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
        """(6,) rad/s, m/s: zeros."""
        check_state(state, self.matter.system)
        return np.zeros(6)

    def A_GB(self, state: State) -> np.ndarray:
        """(6,) rad/s^2, m/s^2: zeros."""
        check_state(state, self.matter.system)
        return np.zeros(6)

    def mass_center_station(self, state: State) -> np.ndarray:
        """(3,) m, zeros: the origin of Ground."""
        check_state(state, self.matter.system)
        return np.zeros(3)


class MobilizedBody(Body, Element):
    """A body with the mobilizer that connects it to its parent. Each subclass is a type of mobilizer.

    parent    Ground or another mobilized body
    body      MassProperties, a RigidBody, which bodies may share, or a FlexibleBody
    X_PF      pose of frame F in the parent's frame; default: the same frame
    X_BM      pose of frame M in the body's frame; default: the same frame; of a FlexibleBody that of its inboard interface, if it has one
    name      default: 'body1', 'body2', ...
    reversed  True: the coordinates measure F in M instead of M in F, as if parent and child were swapped
    """

    parent: "MobilizedBody | Ground" = argument("Ground or another mobilized body", kw_only=False)
    body: "Given[RigidBody | FlexibleBody, BodyLike]" = argument(
        "MassProperties, a RigidBody, which bodies may share, or a FlexibleBody", kw_only=False
    )
    X_PF: Given[Transform, Transform | None] = argument(
        "pose of frame F in the parent's frame; default: the same frame", default=None, kw_only=False
    )
    X_BM: Given[Transform, Transform | None] = argument(
        "pose of frame M in the body's frame; default: the same frame", default=None, kw_only=False
    )
    name: Name = argument("default: 'body1', 'body2', ...", default=None, is_kept=False)
    reversed: bool = argument("coordinates as if parent and child were swapped: they measure F in M", default=False, is_kept=False)

    def __post_init__(self) -> None:
        """Subclasses make their equations first, then call this one, which adds the body to its matter."""
        parent = self.parent
        if not isinstance(parent, (MobilizedBody, Ground)):
            raise InputError(
                f"the parent of a {type(self).__name__} is matter.ground or another mobilized body, not {type(parent).__name__}."
            )
        flexible_queries.check_attachable(parent, type(self).__name__)
        self.matter: MobilizedBodyOwner = parent.matter
        self.body = carried_body(self.body, type(self).__name__)
        self.X_PF = given_frame(self, self.X_PF, "X_PF")
        given_frame(self, self.X_BM, "X_BM")
        self.equations: MobilizerEquations  # those of the default parameters, with quaternions
        owner = f"{type(self).__name__} {self.given['name'] or ''!r}"
        if not self.is_part:
            check_holds_parts(parent, owner)
        self.X_BM = self.body.frame_of_mobilizer(self.X_BM, owner, self.equations.nu)
        self.is_reversed = bool(self.given["reversed"])
        if self.is_reversed:
            self.equations = ReversedEquations(self.equations)
        self._default_q = np.array(self.equations.default_q)
        self.decorations: list[Decoration] = []
        self.motion: MotionOfBody | None = None  # set by Motion
        self._is_lockable_by_default = False
        self._limits: dict[int, LimitsOfCoordinate] = {}
        self.rotors: tuple[Rotor, ...] = ()  # set by set_rotor_inertia
        self.index, self.name = self.matter.adopt(self, self.given["name"])
        self.flexible: flexible_queries.PartsOfBody[MobilizedBody] | None = self.matter.new_flexible_parts(self)

    def _summary(self) -> str:
        q = f", default q = {numbers_text(self._default_q, self.equations.q_units)}" if self.nq else ""
        return f"on {self.parent.name}{', reversed' if self.is_reversed else ''}{q}"

    modes: ModalCoordinates | None = None  # see tree_body.TreeBody
    shapes: np.ndarray | None = None
    second_shapes: np.ndarray | None = None
    deforming: DeformingInertia | None = None

    @property
    def carries_mass(self) -> bool:
        """Whether it has mass in new States. A flexible body has it in a frame of its own."""
        return self.body.mass_properties.mass > 0

    @property
    def is_part(self) -> bool:
        """Whether it was made with a flexible body: its modal node, or a frame on it."""
        return self.modes is not None or self.shapes is not None

    @property
    def names_of_coordinates(self) -> tuple[str, str]:
        """The names of its coordinates and its speeds in results and FMUs."""
        return f"{self.name}.q", f"{self.name}.u"

    @property
    def owner_of_parameters(self) -> str:
        """The name that its parameters follow in results and FMUs."""
        return self.name

    # default values: setting one is topological, so existing States become unusable
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
        """(nq,) rad or m, entries of quaternions without unit: coordinates in a new State."""
        return self._default_q.copy()

    def set_default_q(self, value: ArrayLike) -> None:
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
        X_FM = given_frame(self, X_FM, "X_FM")
        self.set_default_q(q_to_fit(self.equations, self._default_q, R=X_FM.R, p=X_FM.p))

    def set_default_inboard_frame(self, X_PF: Transform) -> None:
        """Set the default pose of frame F on the parent. Topological."""
        self.X_PF = given_frame(self, X_PF, "X_PF")
        self.matter.invalidate_topology()

    def set_default_outboard_frame(self, X_BM: Transform) -> None:
        """Set the default pose of frame M on the body. Topological."""
        X_BM = given_frame(self, X_BM, "X_BM")
        mass_and_frames.check_outboard_frame(self, X_BM)
        self.X_BM = X_BM
        self.matter.invalidate_topology()

    # decorations: shapes to draw; nothing depends on them
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
        """(nq,) rad or m, of quaternions no unit: coordinates; read-only. At any stage."""
        slot = self._tree(state).q(self)
        return state.view(slot)

    def set_q(self, state: State, value: ArrayLike) -> None:
        """Set the coordinates: (nq,) rad or m, or a number for a single coordinate. Invalidates stage POSITION."""
        self._write(state, self._tree(state).q(self), value, "q", Stage.POSITION)

    def u(self, state: State) -> np.ndarray:
        """(nu,) rad/s or m/s: speeds; read-only. At any stage."""
        slot = self._tree(state).u(self)
        return state.view(slot)

    def set_u(self, state: State, value: ArrayLike) -> None:
        """Set the speeds: (nu,) rad/s or m/s, or a number for a single speed. Invalidates stage VELOCITY."""
        self._write(state, self._tree(state).u(self), value, "u", Stage.VELOCITY)

    def q_dot(self, state: State) -> np.ndarray:
        """(nq,) rad/s or m/s: rates of the coordinates. Needs stage VELOCITY."""
        tree = self._tree(state, Stage.VELOCITY, "q_dot")
        return state.view(tree.rate(tree.q(self)))

    def u_dot(self, state: State) -> np.ndarray:
        """(nu,) rad/s^2 or m/s^2: rates of the speeds. Needs stage ACCELERATION."""
        tree = self._tree(state, Stage.ACCELERATION, "u_dot")
        return state.view(tree.rate(tree.u(self)))

    def q_dot_dot(self, state: State) -> np.ndarray:
        """(nq,) rad/s^2 or m/s^2: second time derivatives of the coordinates. Needs stage ACCELERATION."""
        tree = self._tree(state, Stage.ACCELERATION, "q_dot_dot")
        state.cached(self.matter.q_dot_dot_entry)
        return state.view(tree.coordinates(tree.slots.q_dot_dot, self))

    def my_part_q(self, state: State, q_like: np.ndarray) -> np.ndarray:
        """(nq,) the part of the array q_like (nq of the System,) that belongs to this mobilizer, in its units, as a writable view."""
        return self._part(q_like, state, "q")

    def my_part_u(self, state: State, u_like: np.ndarray) -> np.ndarray:
        """(nu,) the part of the array u_like (nu of the System,) that belongs to this mobilizer, in its units, as a writable view."""
        return self._part(u_like, state, "u")

    # coordinates and speeds to fit a motion: functions of fits.py as methods; those of other files follow
    set_q_to_fit_transform = fits.set_q_to_fit_transform
    set_q_to_fit_rotation = fits.set_q_to_fit_rotation
    set_q_to_fit_translation = fits.set_q_to_fit_translation
    set_u_to_fit_velocity = fits.set_u_to_fit_velocity
    set_u_to_fit_angular_velocity = fits.set_u_to_fit_angular_velocity
    set_u_to_fit_linear_velocity = fits.set_u_to_fit_linear_velocity

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

    # mass and frames in a State
    mass_center_station = mass_and_frames.mass_center_station
    mass_properties = mass_and_frames.mass_properties
    set_mass_properties = mass_and_frames.set_mass_properties
    inboard_frame = mass_and_frames.inboard_frame
    set_inboard_frame = mass_and_frames.set_inboard_frame
    outboard_frame = mass_and_frames.outboard_frame
    set_outboard_frame = mass_and_frames.set_outboard_frame

    eta = flexible_queries.eta
    set_eta = flexible_queries.set_eta
    eta_dot = flexible_queries.eta_dot
    set_eta_dot = flexible_queries.set_eta_dot
    elastic_energy = flexible_queries.elastic_energy
    deflection = flexible_queries.deflection
    lock_modes = flexible_queries.lock_modes
    unlock_modes = flexible_queries.unlock_modes

    def interface(self, name: str) -> "MobilizedBody":
        """An interface of a flexible body, as a body: parent of mobilizers; argument of constraints, forces, contacts and measures.

        Raises UnknownNameError for one that it does not have, InputError for a rigid body.
        """
        flexible_queries.parts_of(self)
        assert self.flexible is not None
        return self.flexible.interface(name)

    # locks
    @property
    def is_lockable_by_default(self) -> bool:
        """Whether the body can be locked in new States without a change of their variables."""
        return self._is_lockable_by_default

    def set_lockable_by_default(self, is_lockable: bool) -> None:
        """Topological: States made before raise when used."""
        self._is_lockable_by_default = bool(is_lockable)
        self.matter.invalidate_topology()

    lock = locks.lock
    lock_at = locks.lock_at
    unlock = locks.unlock
    is_locked = locks.is_locked
    lock_level = locks.lock_level
    lock_value = locks.lock_value

    # limits of coordinates
    @property
    def limits(self) -> dict[int, LimitsOfCoordinate]:
        """The limits of each limited coordinate, by the coordinate's number."""
        return dict(self._limits)

    set_limits = limits_of_body.set_limits
    engaged = limits_of_body.engaged
    limit_force = limits_of_body.limit_force
    limit_impulse = limits_of_body.limit_impulse
    limit_distance = limits_of_body.limit_distance

    set_rotor_inertia = rotors_of_body.set_rotor_inertia
    rotor_inertia = rotors_of_body.rotor_inertia

    set_drive_limit = drive_limits.set_drive_limit

    # reactions
    reaction_on_body_at_M = reactions.reaction_on_body_at_M
    reaction_on_body_at_origin = reactions.reaction_on_body_at_origin
    reaction_on_parent_at_F = reactions.reaction_on_parent_at_F
    reaction_on_parent_at_origin = reactions.reaction_on_parent_at_origin

    # the mobilizer's parameters
    equations_in = parameters_of_body.equations_in
    parameter = parameters_of_body.parameter
    set_parameter = parameters_of_body.set_parameter
    default_parameter = parameters_of_body.default_parameter
    set_default_parameter = parameters_of_body.set_default_parameter

    # called by MatterSubsystem
    def check_supported(self) -> None:
        """Raise UnsupportedError if a System cannot handle the mobilizer's options. Called at TOPOLOGY."""

    # inside
    _tree = tree_of

    def _part(self, array: object, state: State, kind: Literal["q", "u"]) -> np.ndarray:
        tree = self._tree(state)
        whole, part = (tree.all_q, tree.q(self)) if kind == "q" else (tree.all_u, tree.u(self))
        if not isinstance(array, np.ndarray) or array.shape != whole.shape:
            given = f"an array of shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise InputError(f"my_part_{kind} of '{self.name}' takes an array of shape {whole.shape}, not {given}.")
        start = part.offset - whole.offset
        return array[start : start + part.size]

    def _decorate(self, frame: Literal["body", "outboard", "inboard"], X: Transform, geometry: Geometry) -> None:
        self.decorations.append(Decoration(frame, given_frame(self, X, f"{frame} decoration"), geometry))

    def _write(self, state: State, slot: Slot, value: ArrayLike, what: str, invalidates: Stage) -> None:
        if state.is_recorded or not state.write_usual(slot, value, invalidates):
            state.write(slot, self._vector(value, slot.size, what), f"{self.name}.{what}", invalidates)

    def _vector(self, value: object, n: int, what: str) -> np.ndarray:
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
BodyLike = RigidBody | FlexibleBody | MassProperties
