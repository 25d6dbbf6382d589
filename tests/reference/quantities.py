"""Each output of a `simbody-ref/1` state: mobod's value, and its tolerance.

Tolerances are those of the data's README. It has none for some outputs: those that follow from poses and speeds have the tolerance of
speeds, those that follow from accelerations that of accelerations. Reactions of a free body are round-off, which needs a least scale.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import mobod as mb
from tests.reference import constraints
from tests.reference.models import Model

POSE, SPEED, ACCELERATION, ENERGY = 1e-13, 1e-12, 1e-9, 1e-12


@dataclass(frozen=True)
class Quantity:
    """One output key.

    ours         (model, state, value in the file) -> numbers; the value only determines what to compute
    tolerance    of the largest difference, relative to the scale
    least_scale  the scale is the largest number of the file's value, but at least this; 0: errors are purely relative
    theirs       (model, value in the file) -> the numbers, in mobod's order
    """

    ours: Callable[[Model, mb.State, Any], Any]
    tolerance: float
    least_scale: float
    theirs: Callable[[Model, Any], Any] = lambda model, value: value

    def error(self, model: Model, state: mb.State, value: Any) -> float:
        return relative_error(self.ours(model, state, value), self.theirs(model, value), self.least_scale)


def relative_error(ours: Any, theirs: Any, least_scale: float) -> float:
    """The largest difference divided by the scale; infinite for different sizes and for NaN."""
    a, b = np.asarray(ours, dtype=float).ravel(), np.asarray(theirs, dtype=float).ravel()
    if a.size != b.size:
        return np.inf
    difference = np.abs(a - b).max(initial=0.0)
    if difference == 0:
        return 0.0
    scale = max(np.abs(b).max(), least_scale)
    return float(difference / scale) if np.isfinite(difference) and scale > 0 else np.inf


def flat_outputs(outputs: dict[str, Any]) -> dict[str, Any]:
    """The outputs with 'system' and 'bodies' opened: 'system.mass', 'bodies.V_GB'; of the bodies a list over those that have the key."""
    flat = {key: value for key, value in outputs.items() if key not in ("bodies", "system")}
    flat |= {f"system.{key}": value for key, value in outputs.get("system", {}).items()}
    for body in outputs.get("bodies", []):
        for key in body.keys() - {"body"}:
            flat.setdefault(f"bodies.{key}", []).append(body[key])
    return flat


# mobod's values


def _of_bodies(name: str, *, with_ground: bool) -> Callable[[Model, mb.State, Any], Any]:
    return lambda model, state, _: [getattr(body, name)(state) for body in model.bodies[0 if with_ground else 1 :]]


def _poses_of_bodies(name: str, *, with_ground: bool) -> Callable[[Model, mb.State, Any], Any]:
    return lambda model, state, _: [_entries(X.R, X.p) for X in _of_bodies(name, with_ground=with_ground)(model, state, None)]


def _energy_of_each_force(model: Model, state: mb.State, _: Any) -> list[float]:
    return [model.force_subsystem.potential_energy_of(state, force) for force in model.forces]


def _missing_forces(model: Model, state: mb.State, value: Any) -> np.ndarray:
    return model.matter.inverse_dynamics(state, _speeds(model, value["known_udot"]))


def _generalized_body_forces(model: Model, state: mb.State, _: Any) -> np.ndarray:
    return model.matter.multiply_by_system_jacobian_transpose(state, model.matter.body_forces(state))


def _of_system(name: str) -> Callable[[Model, mb.State, Any], Any]:
    return lambda model, state, _: getattr(model.matter, name)(state)


# values of a file


def _entries(R: Any, p: Any) -> np.ndarray:
    return np.concatenate([np.ravel(R), p])


def _poses(model: Model, value: Any) -> list[np.ndarray]:
    return [_entries(X["R"], X["p"]) for X in value]


def _coordinates(model: Model, value: Any) -> np.ndarray:
    return np.array(value, dtype=float)[model.q_order]


def _speeds(model: Model, value: Any) -> np.ndarray:
    return np.array(value, dtype=float)[model.u_order]


def _matrix(model: Model, value: Any) -> np.ndarray:
    order = np.array(model.u_order, dtype=int)
    return np.array(value, dtype=float).reshape(len(order), len(order))[np.ix_(order, order)]


def _residual(model: Model, value: Any) -> np.ndarray:
    return _speeds(model, value["residual_mobility_forces"])


QUANTITIES = {
    "qdot": Quantity(lambda model, state, _: state.q_dot, SPEED, 1, _coordinates),
    "udot": Quantity(lambda model, state, _: state.u_dot, ACCELERATION, 0, _speeds),
    "qdotdot": Quantity(
        lambda model, state, _: np.concatenate([body.q_dot_dot(state) for body in model.bodies[1:]]), ACCELERATION, 0, _coordinates
    ),
    "zdot": Quantity(lambda model, state, _: state.z_dot, ACCELERATION, 0),
    "kinetic_energy": Quantity(lambda model, state, _: model.system.kinetic_energy(state), ENERGY, 0),
    "potential_energy": Quantity(lambda model, state, _: model.system.potential_energy(state), ENERGY, 0),
    "pe_by_force": Quantity(_energy_of_each_force, ENERGY, 0),
    "bodies.X_GB": Quantity(_poses_of_bodies("X_GB", with_ground=True), POSE, 1, _poses),
    "bodies.V_GB": Quantity(_of_bodies("V_GB", with_ground=True), SPEED, 1),
    "bodies.A_GB": Quantity(_of_bodies("A_GB", with_ground=True), ACCELERATION, 0),
    "bodies.X_FM": Quantity(_poses_of_bodies("X_FM", with_ground=False), POSE, 1, _poses),
    "bodies.V_FM": Quantity(_of_bodies("V_FM", with_ground=False), SPEED, 1),
    "bodies.reaction_on_body_at_M_in_G": Quantity(_of_bodies("reaction_on_body_at_M", with_ground=False), ACCELERATION, 1),
    "bodies.reaction_on_parent_at_F_in_G": Quantity(_of_bodies("reaction_on_parent_at_F", with_ground=False), ACCELERATION, 1),
    "system.mass": Quantity(_of_system("mass"), ENERGY, 0),
    "system.com": Quantity(_of_system("mass_center"), POSE, 1),
    "system.com_velocity": Quantity(_of_system("mass_center_velocity"), SPEED, 1),
    "system.com_acceleration": Quantity(_of_system("mass_center_acceleration"), ACCELERATION, 0),
    "system.momentum_about_ground_origin": Quantity(_of_system("momentum_about_ground_origin"), SPEED, 1),
    "system.central_momentum": Quantity(_of_system("central_momentum"), SPEED, 1),
    "M": Quantity(lambda model, state, _: model.matter.mass_matrix(state), SPEED, 0, _matrix),
    "applied_body_forces_G": Quantity(lambda model, state, _: model.matter.body_forces(state), SPEED, 0),
    "applied_mobility_forces": Quantity(lambda model, state, _: model.matter.mobility_forces(state), SPEED, 0, _speeds),
    "Jt_applied_body_forces": Quantity(_generalized_body_forces, SPEED, 0, _speeds),
    "Jdot_u": Quantity(_of_system("bias_for_system_jacobian"), ACCELERATION, 0),
    "inverse_dynamics": Quantity(_missing_forces, ACCELERATION, 0, _residual),
    "qerr": Quantity(constraints.position_errors, SPEED, 1),
    "uerr": Quantity(lambda model, state, _: model.matter.constraint_velocity_errors(state), SPEED, 1),
    "udoterr": Quantity(lambda model, state, _: model.matter.constraint_acceleration_errors(state), ACCELERATION, 1),
    "multipliers": Quantity(lambda model, state, _: model.matter.multipliers(state), ACCELERATION, 0),
    "G": Quantity(lambda model, state, _: model.matter.constraint_matrix(state), SPEED, 0, constraints.matrix_of_file),
    "G_udot_bias": Quantity(lambda model, state, _: model.matter.constraint_bias(state), ACCELERATION, 0),
    "constraint_forces": Quantity(constraints.forces_of_each, ACCELERATION, 0, constraints.forces_of_file),
    "motion_forces": Quantity(lambda model, state, _: -model.matter.motion_forces(state), ACCELERATION, 0, _speeds),
    "total_constraint_body_forces_G": Quantity(
        lambda model, state, _: model.matter.constraint_forces(state)[0], ACCELERATION, 0, lambda model, value: np.ravel(value)
    ),
    "total_constraint_mobility_forces": Quantity(
        lambda model, state, _: model.matter.constraint_forces(state)[1], ACCELERATION, 0, _speeds
    ),
}
