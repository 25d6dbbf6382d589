"""MaximalCoordinateSimulation: ArtiSynth's integrators."""

# Decision: docs/decisions/062-maximal-coordinates.md

from collections.abc import Sequence
from typing import Any, Literal, final, get_args

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError
from mobod.maximal.body import MaximalBody
from mobod.maximal.constraint_solve import SystemRow, position_right_side, solve_rows, system_rows, velocity_right_side
from mobod.maximal.joint import MaximalJoint, RowMaker
from mobod.spatial.checked import checked_floats, checked_size

Integrator = Literal[
    "BackwardEuler",
    "ConstrainedBackwardEuler",
    "ConstrainedForwardEuler",
    "ForwardEuler",
    "FullBackwardEuler",
    "RungeKutta4",
    "SymplecticEuler",
    "Trapezoidal",
]
Stabilization = Literal["GlobalMass", "GlobalStiffness", "None"]

DEFAULT_TOLERANCE = 1e-4  # m if the model has no extent; rad
_FULL_RESIDUAL, _FULL_ITERATIONS = 1e-8, 5


@final
class MaximalCoordinateSimulation:
    """Fixed-step simulation of bodies in maximal coordinates by the rules of ArtiSynth. Its results agree with ArtiSynth's to round-off.

    Use it for comparison with ArtiSynth and for ArtiSynth's models. A System with mobilizers is faster and far more accurate. The
    simulation changes the bodies and joints that it is given.

    joints                 every MaximalJoint first, then every MaximalCoordinateCoupling
    step                   s
    gravity                (3,)  m/s^2, in world axes
    frame_damping          N s/m, and rotary_damping N m s: on every dynamic body, at its origin, in world axes
    integrator             see Integrator; the names are those of ArtiSynth
    stabilization          metric of the position correction: the mass, for both that have one (see the README); or no correction
    penetration_tolerance  m; default: 1e-4 of half the diagonal of the box around connector frames and mass centers
    rotary_tolerance       rad

    Source: ArtiSynth's MechSystemSolver and RigidBodyCoupling; Lloyd, Stavness, Fels, ArtiSynth (2012).
    """

    def __init__(
        self,
        bodies: Sequence[MaximalBody],
        joints: Sequence[RowMaker] = (),
        *,
        step: float = 0.01,
        gravity: ArrayLike = (0.0, 0.0, -9.8),
        frame_damping: float = 0.0,
        rotary_damping: float = 0.0,
        integrator: Integrator = "ConstrainedBackwardEuler",
        stabilization: Stabilization = "GlobalMass",
        penetration_tolerance: float | None = None,
        rotary_tolerance: float = DEFAULT_TOLERANCE,
    ):
        what = "MaximalCoordinateSimulation"
        self.bodies, self.joints = tuple(bodies), tuple(joints)
        connecting = [joint for joint in self.joints if isinstance(joint, MaximalJoint)]
        for joint in connecting:
            for body in (joint.body_A, joint.body_B):
                if body is not None and not any(body is each for each in self.bodies):
                    raise InputError(f"{what}: joint '{joint.name}' is on body '{body.name}', which was not given in bodies.")
        couplings = [id(joint.coupling) for joint in connecting]
        if len(set(couplings)) != len(couplings):
            raise InputError(f"{what}: two joints share a coupling, which stores which constraints are engaged. Make one for each joint.")
        self.step_size = checked_size(step, f"{what}: step", "s")
        if not self.step_size:
            raise InputError(f"{what}: step is 0 s. It must be positive.")
        self.gravity = checked_floats(gravity, (3,), f"{what}: gravity")
        self.frame_damping = checked_size(frame_damping, f"{what}: frame_damping", "N s/m")
        self.rotary_damping = checked_size(rotary_damping, f"{what}: rotary_damping", "N m s")
        self.integrator = _one_of(integrator, Integrator, f"{what}: integrator")
        self.stabilization = _one_of(stabilization, Stabilization, f"{what}: stabilization")
        self.penetration_tolerance = (
            default_penetration_tolerance(self.bodies, connecting)
            if penetration_tolerance is None
            else checked_size(penetration_tolerance, f"{what}: penetration_tolerance", "m")
        )
        self.rotary_tolerance = checked_size(rotary_tolerance, f"{what}: rotary_tolerance", "rad")
        self.n_steps = 0
        self._dynamic = tuple(body for body in self.bodies if body.is_dynamic)
        self._damping = np.diag(np.tile(np.repeat([self.frame_damping, self.rotary_damping], 3), len(self._dynamic)))

    @property
    def time(self) -> float:
        """Time, s."""
        return self.n_steps * self.step_size

    def step(self) -> None:
        """Advance by one step. The first step corrects positions before it starts, which engages constraints that are violated at the
        start.
        """
        if self.n_steps == 0:
            self._correct_positions()
        _STEPS[self.integrator](self)
        self._correct_positions()
        self.n_steps += 1
        self._update_joints(update_engaged=False)

    def run(self, until: float) -> None:
        """Advance by the number of whole steps that ends nearest to `until`, s."""
        until = real_number(until, "MaximalCoordinateSimulation.run: until")
        while self.n_steps < round(until / self.step_size):
            self.step()

    # integrators
    def _constrained_backward_euler(self) -> None:
        u = self._solve_implicit(damping_scale=self.step_size, rate_scale=self.step_size)
        self._move(self.step_size * u)

    def _backward_euler(self) -> None:
        """Backward Euler without joints, whose rows correct the velocity afterwards."""
        h, M = self.step_size, self._mass_matrix()
        D = h * self._damping
        self._u = np.linalg.solve(M + D, M @ self._u + h * self._force() + D @ self._u)
        self._correct_velocities(M)
        self._move(h * self._u)

    def _constrained_forward_euler(self) -> None:
        u = self._solve_implicit(damping_scale=0.0, rate_scale=self.step_size)
        self._move(self.step_size * u)

    def _trapezoidal(self) -> None:
        h, u_before = self.step_size, self._u
        u = self._solve_implicit(damping_scale=h / 2, rate_scale=h / 2)
        self._move(h / 2 * u)
        self._move(h / 2 * u_before)

    def _full_backward_euler(self) -> None:
        """Backward Euler with the forces at the new poses, by iteration. The rows remain those at the old poses."""
        h, poses, u_before = self.step_size, self._poses, self._u
        self._update_joints(update_engaged=False)
        M, rows, inertial = self._mass_matrix(), self._rows(), self._inertial_force()
        D = h * self._damping
        right_side = velocity_right_side(h, h)
        u, velocity_of_damping = u_before, u_before
        for _ in range(1 + _FULL_ITERATIONS):
            f = self._applied_force() + inertial
            u, multipliers = solve_rows(M + D, M @ u_before + h * f + D @ velocity_of_damping, rows, right_side)
            self._set_multipliers(rows, multipliers)
            self._u = velocity_of_damping = u
            self._poses = poses
            self._move(h * u)
            f = self._applied_force() + inertial
            constraint = np.array([each.on_bodies for each in rows]).reshape(-1, len(u)).T @ multipliers
            residual, size = np.linalg.norm((M @ (u - u_before) - constraint) / h - f), np.linalg.norm(f)
            if size < _FULL_RESIDUAL or residual <= _FULL_RESIDUAL * size:
                break
        self._update_joints(update_engaged=False)  # contact speeds are along the wrenches of the new poses

    def _forward_euler(self) -> None:
        h, M, u_before = self.step_size, self._mass_matrix(), self._u
        u = u_before + h * np.linalg.solve(M, self._force())
        self._move(h * u_before)
        self._u = u
        self._correct_velocities(M)

    def _symplectic_euler(self) -> None:
        M = self._mass_matrix()
        self._u = self._u + self.step_size * np.linalg.solve(M, self._force())
        self._correct_velocities(M)
        self._move(self.step_size * self._u)

    def _runge_kutta_4(self) -> None:
        """The classical method on positions, quaternions and velocities, without joints."""
        h, pose, u = self.step_size, self._poses, self._u
        pose_rates, accelerations = [], []
        for fraction in (0.5, 0.5, 1.0, None):
            M = self._mass_matrix()
            pose_rates.append(np.array([body.pose_rate() for body in self._dynamic]))
            accelerations.append(np.linalg.solve(M, self._force()))
            if fraction is not None:
                self._poses, self._u = pose + fraction * h * pose_rates[-1], u + fraction * h * accelerations[-1]
        weights = np.array([1, 2, 2, 1]) * (h / 6)
        self._poses = pose + np.tensordot(weights, np.array(pose_rates), 1)
        self._u = u + weights @ np.array(accelerations)
        self._correct_velocities(M)  # with the mass matrix of the last stage, as in the source

    # parts of the integrators
    def _solve_implicit(self, damping_scale: float, rate_scale: float) -> np.ndarray:
        h, u = self.step_size, self._u
        self._update_joints(update_engaged=False)
        rows, M, D = self._rows(), self._mass_matrix(), damping_scale * self._damping
        u, multipliers = solve_rows(M + D, M @ u + h * self._force() + D @ u, rows, velocity_right_side(h, rate_scale))
        self._set_multipliers(rows, multipliers)
        self._u = u
        return u

    def _correct_velocities(self, M: np.ndarray) -> None:
        self._update_joints(update_engaged=False)
        rows = self._rows()
        if rows:
            self._u, multipliers = solve_rows(M, M @ self._u, rows, velocity_right_side(self.step_size, 0.0))
            self._set_multipliers(rows, multipliers)

    def _correct_positions(self) -> None:
        self._update_joints(update_engaged=True)
        rows = self._rows()
        if self.stabilization == "None" or all(each.row.constraint.compliance for each in rows):
            return
        # GlobalStiffness adds position derivatives of forces: in ArtiSynth gravity, damping and external forces have none
        metric = self._mass_matrix()
        self._move(solve_rows(metric, np.zeros(len(metric)), rows, position_right_side)[0])

    def _update_joints(self, update_engaged: bool) -> None:
        for joint in self.joints:
            joint.update(update_engaged)

    def _rows(self) -> list[SystemRow]:
        return system_rows(self.joints, self._dynamic, self.penetration_tolerance, self.rotary_tolerance)

    def _set_multipliers(self, rows: list[SystemRow], impulses: np.ndarray) -> None:
        for joint in self.joints:
            for constraint in joint.constraints:
                constraint.multiplier = 0.0
        for row, impulse in zip(rows, impulses.tolist(), strict=True):
            row.row.constraint.multiplier = impulse / self.step_size

    @property
    def _u(self) -> np.ndarray:
        return np.concatenate([np.zeros(0), *(body.velocity for body in self._dynamic)])

    @_u.setter
    def _u(self, value: np.ndarray) -> None:
        for body, part in zip(self._dynamic, value.reshape(-1, 6), strict=True):
            body.velocity = part.copy()

    @property
    def _poses(self) -> np.ndarray:
        return np.array([body.pose for body in self._dynamic]).reshape(-1, 7)

    @_poses.setter
    def _poses(self, value: np.ndarray) -> None:
        for body, pose in zip(self._dynamic, value, strict=True):
            body.pose = pose

    def _move(self, displacement: np.ndarray) -> None:
        for body, part in zip(self._dynamic, displacement.reshape(-1, 6), strict=True):
            body.move(part)

    def _mass_matrix(self) -> np.ndarray:
        M = np.zeros((6 * len(self._dynamic),) * 2)
        for i, body in enumerate(self._dynamic):
            M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = body.mass_matrix()
        return M

    def _force(self) -> np.ndarray:
        return self._applied_force() + self._inertial_force()

    def _applied_force(self) -> np.ndarray:
        forces = [body.applied_force(self.gravity, self.frame_damping, self.rotary_damping) for body in self._dynamic]
        return np.concatenate([np.zeros(0), *forces])

    def _inertial_force(self) -> np.ndarray:
        return np.concatenate([np.zeros(0), *(body.inertial_force() for body in self._dynamic)])


_STEPS = {
    "BackwardEuler": MaximalCoordinateSimulation._backward_euler,
    "ConstrainedBackwardEuler": MaximalCoordinateSimulation._constrained_backward_euler,
    "ConstrainedForwardEuler": MaximalCoordinateSimulation._constrained_forward_euler,
    "ForwardEuler": MaximalCoordinateSimulation._forward_euler,
    "FullBackwardEuler": MaximalCoordinateSimulation._full_backward_euler,
    "RungeKutta4": MaximalCoordinateSimulation._runge_kutta_4,
    "SymplecticEuler": MaximalCoordinateSimulation._symplectic_euler,
    "Trapezoidal": MaximalCoordinateSimulation._trapezoidal,
}


def default_penetration_tolerance(bodies: Sequence[MaximalBody], joints: Sequence[MaximalJoint]) -> float:
    """m: 1e-4 of half the diagonal of the box around connector frames and mass centers, or 1e-4 if there is no box."""
    points = [body.X_WB.apply(body.mass_properties.com) for body in bodies if body.mass_properties is not None]
    for joint in joints:
        X_WB = joint.body_B.X_WB if joint.body_B is not None else None
        points += [(joint.body_A.X_WB @ joint.X_AC).p, joint.X_BD.p if X_WB is None else (X_WB @ joint.X_BD).p]
    radius = float(np.linalg.norm(np.ptp(points, axis=0))) / 2 if points else 0.0
    return DEFAULT_TOLERANCE * (radius or 1.0)


def _one_of(value: object, names: object, what: str) -> Any:
    if value not in get_args(names):
        raise InputError(f"{what} cannot be {value!r}. Valid values: {', '.join(get_args(names))}.")
    return value
