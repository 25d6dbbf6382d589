"""InputMotion: as another model says, by inputs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.equations.motion_equations import Level, PrescribedEquations, checked_level
from mobod.matter.motion import Motion, checked_body
from mobod.scalar import Array, Scalar, is_recorded, normalized
from mobod.spatial.rotation import check_quaternion
from mobod.system import Stage, State, check_state
from mobod.system.elements import Parameter
from mobod.system.variable import rate_unit


@final
@dataclass(frozen=True)
class InputEquations(PrescribedEquations):
    """Coordinates, speeds and accelerations that are inputs, each whatever the others are; below the level there are none."""

    level: Level
    q_units: tuple[str, ...]
    u_units: tuple[str, ...]
    quaternion_at: int | None
    q: tuple[float, ...]
    u: tuple[float, ...]
    u_dot: tuple[float, ...]

    invalidates: ClassVar[Mapping[str, Stage]] = {"q": Stage.POSITION, "u": Stage.VELOCITY, "u_dot": Stage.VELOCITY}

    @property
    def parameters(self) -> tuple[Parameter[float | np.ndarray], ...]:
        of_units = {"q": self.q_units, "u": self.u_units, "u_dot": tuple(map(rate_unit, self.u_units))}
        texts = {"q": "generalized coordinates", "u": "generalized speeds", "u_dot": "rates of the generalized speeds"}
        return tuple(
            Parameter(name=name, unit=of_units[name], description=texts[name], shape=(len(of_units[name]),), is_input=True)
            for name in INPUTS[self.level]
        )

    def value(self, t: Scalar) -> Array:
        match self.level:
            case "position":
                return self._unit_q()
            case "velocity":
                return np.array(self.u)
        return np.array(self.u_dot)

    def first_derivative(self, t: Scalar) -> Array:
        return np.array(self.u if self.level == "position" else self.u_dot)

    def second_derivative(self, t: Scalar) -> Array:
        return np.array(self.u_dot)

    def _unit_q(self) -> Array:
        """(nq,) with a quaternion of unit length: a master may interpolate its entries."""
        q, at = np.array(self.q), self.quaternion_at
        return q if at is None else np.concatenate([q[:at], normalized(q[at : at + 4]), q[at + 4 :]])


@final
class InputMotion(Motion):
    """Coordinates, speeds and accelerations are inputs: of another model, whose motion the body follows.

    level  'position': q, u and u_dot are inputs; 'velocity': u and u_dot; 'acceleration': u_dot
    q      (nq,)  start values; default: the coordinates of the body in a new State, as they are now
    u      (nu,)  default: 0
    u_dot  (nu,)  default: 0

    q, u and u_dot are taken as they are given: u should be the rate of q, and u_dot that of u. Those of a body 'base' are the inputs
    'base.motion.q', 'base.motion.u' and 'base.motion.u_dot'; the output 'base.motion.load' is what the body exerts on whatever moves it.
    A quaternion may have any length but zero.
    """

    equations: InputEquations

    def __init__(
        self,
        body: MobilizedBody,
        *,
        level: Level = "position",
        q: ArrayLike | None = None,
        u: ArrayLike | None = None,
        u_dot: ArrayLike | None = None,
        disabled: bool = False,
    ):
        self.body = checked_body(body, "InputMotion: body")
        self._level = level
        self.given = {"q": q, "u": u, "u_dot": u_dot, "disabled": bool(disabled)}
        self.__post_init__()
        del self.given

    def make_equations(self) -> InputEquations:
        """With the start values that were given, or the default ones."""
        body, given = self.body, {name: self.given[name] for name in ("q", "u", "u_dot")}
        what, zero = f"InputMotion of '{body.name}'", np.zeros(body.nu)
        known = INPUTS[checked_level(self._level, what)]
        for name, value in given.items():
            if value is not None and name not in known:
                raise InputError(f"{what}: at level '{self._level}' it has no {name}. Its inputs are {', '.join(known)}.")
        defaults = {"q": body.default_q, "u": zero, "u_dot": zero}
        start = {name: defaults[name] if value is None else value for name, value in given.items()}
        values = [tuple(np.ravel(start[name]).tolist()) if name in known else () for name in given]
        of_body = body.equations
        made = InputEquations(self._level, of_body.q_units, of_body.u_units, of_body.quaternion_at, *values).checked(what)
        _check_quaternion(made, made.q, f"{what}: q")
        return made

    def model_arguments(self) -> Mapping[str, Any]:
        """See Declared."""
        return {"level": self._level, **{name: getattr(self.equations, name) for name in INPUTS[self._level]}}

    def q(self, state: State) -> np.ndarray:
        """(nq,) rad or m: the given coordinates. At any stage."""
        return np.asarray(self.parameter(state, "q"))

    def set_q(self, state: State, q: ArrayLike) -> Self:
        """(nq,) rad or m: give coordinates. Takes the State back before POSITION. Returns the motion."""
        _check_quaternion(self.equations, q, f"{self.name}.q")
        self.set_parameter(state, "q", q)
        return self

    def u(self, state: State) -> np.ndarray:
        """(nu,) rad/s or m/s: the given speeds. At any stage."""
        return np.asarray(self.parameter(state, "u"))

    def set_u(self, state: State, u: ArrayLike) -> Self:
        """(nu,) rad/s or m/s: give speeds. Takes the State back before VELOCITY. Returns the motion."""
        self.set_parameter(state, "u", u)
        return self

    def u_dot(self, state: State) -> np.ndarray:
        """(nu,) rad/s^2 or m/s^2: the given accelerations. At any stage."""
        return np.asarray(self.parameter(state, "u_dot"))

    def set_u_dot(self, state: State, u_dot: ArrayLike) -> Self:
        """(nu,) rad/s^2 or m/s^2: give accelerations. Takes the State back before VELOCITY. Returns the motion."""
        self.set_parameter(state, "u_dot", u_dot)
        return self

    def load(self, state: State) -> np.ndarray:
        """(nu,) N or N m, what the body exerts along its speeds on whatever moves it; from ACCELERATION on."""
        check_state(state, self.body.matter.system)
        return self.body.my_part_u(state, state.cached(self.body.matter.motion_loads_entry)).copy()


INPUTS: dict[Level, tuple[str, ...]] = {"position": ("q", "u", "u_dot"), "velocity": ("u", "u_dot"), "acceleration": ("u_dot",)}


def _check_quaternion(equations: InputEquations, q: ArrayLike, what: str) -> None:
    """Raise InputError for a quaternion that has no direction."""
    at = equations.quaternion_at
    if at is None or is_recorded(q) or np.shape(q) != (len(equations.q_units),):
        return
    check_quaternion(np.asarray(q, dtype=float)[at : at + 4], what)
