"""Users' elements with the annotations that users choose: mypy accepts them all. Checked by mypy, never run."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mobod as mb
from mobod.scalar import Array, Scalar, norm, where
from mobod.spatial import rotation_x


@dataclass(frozen=True)
class AnyMobilizer(mb.CustomEquations):
    nq = 1
    q_units = ("m",)

    def X_FM(self, q: Any) -> Any:
        return mb.Transform(p=[0, 0, q[0]])

    def q_dot(self, q: Any, u: Any) -> Any:
        return u


@dataclass(frozen=True)
class ArrayMobilizer(mb.CustomEquations):
    nq = 1
    q_units = ("rad",)

    def X_FM(self, q: np.ndarray) -> mb.Transform:
        angle: Scalar = where(q[0] > 0, q[0], -q[0])
        return mb.Transform(rotation_x(2 * np.sin(angle)), p=[0, 0, angle])

    def q_dot(self, q: Array, u: Array) -> np.ndarray:
        return u


@dataclass(frozen=True)
class FloatMobilizer(mb.CustomEquations):
    nq = 1
    q_units = ("m",)

    def X_FM(self, q: NDArray[np.float64]) -> mb.Transform:
        return mb.Transform(p=[0, 0, q[0]])

    def q_dot(self, q: NDArray[np.float64], u: NDArray[np.float64]) -> NDArray[np.float64]:
        return u


class AnyConstraint(mb.ConstraintEquations):
    def position_errors(self, motion: Any) -> Any:
        return np.array([norm(motion.X[0].p) - 1])


class ArrayConstraint(mb.ConstraintEquations):
    def position_errors(self, motion: mb.RelativeMotion) -> np.ndarray:
        return np.array([norm(motion.X[0].p) - 1, np.sqrt(norm(motion.q[0]))])


class AnyForce(mb.CustomForce):
    def calc_force(self, state: Any, body_forces: Any, mobility_forces: Any) -> None:
        mobility_forces[0] += 1

    def calc_potential_energy(self, state: Any) -> Any:
        return norm(state.q)


class ArrayForce(mb.CustomForce):
    def calc_force(self, state: mb.State, body_forces: np.ndarray, mobility_forces: np.ndarray) -> None:
        mobility_forces[0] += np.sin(state.time)

    def calc_potential_energy(self, state: mb.State) -> float:
        return float(np.linalg.norm(state.q))


class Bounce(mb.TriggeredEventHandler):
    def witness(self, state: mb.State) -> float:
        return float(state.q[0])

    def handle_event(self, state: Any, event: mb.EventActions) -> None:
        state.u = -state.u
        event.terminate_when(np.linalg.norm(state.u) > 3)


class Speeds(mb.measures.CustomMeasure):
    def calc_value(self, state: mb.State) -> np.ndarray:
        return state.u


def events(system: mb.MultibodySystem, body: mb.Pin) -> None:
    mb.TriggeredEventHandler.of(system, lambda state: np.linalg.norm(body.q(state)), lambda state, event: event.terminate())
    mb.TriggeredEventHandler.of(system, lambda state: body.q(state)[0], lambda state, event: body.set_u(state, -body.u(state)))
    mb.PeriodicEventReporter.of(system, 0.25, lambda state: print(f"{state.time:g} s: {body.q(state)[0]:.3f} rad"))
