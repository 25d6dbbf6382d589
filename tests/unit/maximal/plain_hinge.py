"""One body on a hinge of the world, stepped in plain NumPy and SciPy: the integrators of ArtiSynth once more, for this joint alone.

Nothing of mobod is used. Rows are those of the joint's own geometry: the body's point at D's origin does not move along the axes of G,
the body turns about z of G alone, and a limit of the angle presses about that axis.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import block_diag
from scipy.spatial.transform import Rotation


@dataclass(frozen=True)
class Model:
    """Angles in rad; compliance and damping of the limit."""

    h: float
    mass: float
    com: np.ndarray
    J: np.ndarray  # about the body's origin
    R_CA: np.ndarray
    p_CA: np.ndarray
    R_D: np.ndarray
    p_D: np.ndarray
    gravity: np.ndarray
    force: np.ndarray  # (6,) on the origin
    dampings: tuple[float, float]
    upper: float
    tolerance: float
    compliance: float = 0.0
    damping: float = 0.0

    @property
    def D(self):
        return np.diag(np.repeat(self.dampings, 3))


@dataclass
class Moment:
    """State, with the hinge's memory: angle, sign of the limit, its count, and its force."""

    p: np.ndarray
    R: np.ndarray
    u: np.ndarray  # (6,) linear first
    theta: float = 0.0
    E: int = 0
    count: int = 0
    multiplier: float = 0.0
    rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 6)))  # five equations, and the limit if it is engaged
    distances: np.ndarray = field(default_factory=lambda: np.zeros(0))
    rates: np.ndarray = field(default_factory=lambda: np.zeros(0))


def masses(model, R):
    c = R @ model.com
    S = np.cross(np.eye(3), c)  # S a = c x a
    M = block_diag(model.mass * np.eye(3), R @ model.J @ R.T)
    M[:3, 3:], M[3:, :3] = model.mass * S.T, model.mass * S
    return M


def applied(model, now):
    weight = model.mass * model.gravity
    return model.force + np.concatenate([weight, np.cross(now.R @ model.com, weight)]) - model.D @ now.u


def quadratic(model, now):
    w, c = now.u[3:], now.R @ model.com
    return -np.concatenate([model.mass * np.cross(w, np.cross(w, c)), np.cross(w, now.R @ model.J @ now.R.T @ w)])


def look(model, now, decide):
    """Rows, distances and rates of where it is; and what is engaged, if that is to be decided."""
    R_C, p_C = now.R @ model.R_CA, now.p + now.R @ model.p_CA
    z_C, z_D = R_C[:, 2], model.R_D[:, 2]
    axis = np.cross(z_C, z_D)
    length = np.linalg.norm(axis)
    turn = Rotation.from_rotvec(axis / length * np.arctan2(length, z_C @ z_D)) if length else Rotation.identity()
    G = turn.as_matrix() @ R_C
    angle = np.arctan2(model.R_D[:, 1] @ G[:, 0], model.R_D[:, 0] @ G[:, 0])
    now.theta = angle + 2 * np.pi * round((now.theta - angle) / (2 * np.pi))
    error = np.concatenate([G.T @ (p_C - model.p_D), Rotation.from_matrix(G.T @ R_C).as_rotvec()])
    if decide:
        speed = G[:, 2] @ now.u[3:]
        d = model.upper - now.theta
        if d <= 0:
            now.E, now.count = -1, (now.count if now.E else 0)
        elif now.E and now.E * speed >= 0 and now.count > 1:
            now.E = now.count = 0
        now.count += bool(now.E)
    r = model.p_D - now.p
    rows = [np.concatenate([n, np.cross(r, n)]) for n in G.T] + [np.concatenate([np.zeros(3), n]) for n in G.T[:2]]
    drift = R_C.T @ np.cross(now.u[:3], now.u[3:])
    distances, rates = [*error[:5]], [*drift, 0.0, 0.0]
    if now.E:
        rows.append(now.E * np.concatenate([np.zeros(3), G[:, 2]]))
        distances.append(model.upper - now.theta)
        rates.append(0.0)
    now.rows, now.distances, now.rates = np.array(rows), np.array(distances), np.array(rates)


def solve(M, b, rows, right, softness):
    """M x = b + rows^T z, five equations and a limit that may also be left alone: both cases are tried."""
    for n in range(5, len(rows) + 1):
        G, R = rows[:n], np.diag(softness[:n])
        x, z = np.split(np.linalg.solve(np.block([[M, -G.T], [G, R]]), np.concatenate([b, right[:n]])), [6])
        if n == len(rows) or rows[n] @ x >= right[n]:
            return x, np.append(z, np.zeros(len(rows) - n))
    raise AssertionError


def velocity(model, now, M, b, rate_scale):
    right, softness = -rate_scale * now.rates, np.zeros(len(now.rows))
    if now.E and model.compliance:
        d = now.distances[5]
        d = d + model.tolerance if d < -model.tolerance else 0.0
        s = 1 / (model.h / 2 + model.damping * model.compliance)
        right[5] -= s * d
        softness[5] = s * model.compliance / model.h
    u, impulses = solve(M, b, now.rows, right, softness)
    now.multiplier = impulses[5] / model.h if now.E else 0.0
    return u, impulses


def moved(now, displacement):
    return replace(now, p=now.p + displacement[:3], R=Rotation.from_rotvec(displacement[3:]).as_matrix() @ now.R)


def correct(model, now):
    look(model, now, decide=True)
    right, softness = -now.distances, np.zeros(len(now.rows))
    if now.E:
        d = now.distances[5]
        right[5] = -(d + model.tolerance) if d < -model.tolerance else 0.0
        if model.compliance:
            right[5], softness[5] = 0.0, model.compliance
    return moved(now, solve(masses(model, now.R), np.zeros(6), now.rows, right, softness)[0])


def implicit(model, now, part, rate_scale):
    look(model, now, decide=False)
    M, D = masses(model, now.R), part * model.h * model.D
    b = M @ now.u + model.h * (applied(model, now) + quadratic(model, now)) + D @ now.u
    return velocity(model, now, M + D, b, rate_scale)[0]


def backward_euler(model, now):
    h, M = model.h, masses(model, now.R)
    D = h * model.D
    now.u = np.linalg.solve(M + D, M @ now.u + h * (applied(model, now) + quadratic(model, now)) + D @ now.u)
    look(model, now, decide=False)
    now.u = velocity(model, now, M, M @ now.u, 0.0)[0]
    return moved(now, h * now.u)


def constrained_backward_euler(model, now):
    now.u = implicit(model, now, 1.0, model.h)
    return moved(now, model.h * now.u)


def constrained_forward_euler(model, now):
    now.u = implicit(model, now, 0.0, model.h)
    return moved(now, model.h * now.u)


def trapezoidal(model, now):
    before = now.u
    now.u = implicit(model, now, 0.5, model.h / 2)
    return moved(moved(now, model.h / 2 * now.u), model.h / 2 * before)


def full_backward_euler(model, now):
    h = model.h
    look(model, now, decide=False)
    M, gyro, D = masses(model, now.R), quadratic(model, now), h * model.D
    start, there, about = now.u, now, now.u
    for _ in range(6):  # Newton's method, without the derivatives of forces by positions
        b = M @ start + h * (applied(model, there) + gyro) + D @ about
        u, impulses = velocity(model, now, M + D, b, h)
        there, about = replace(moved(now, h * u), u=u), u
        f = applied(model, there) + gyro
        if np.linalg.norm((M @ (u - start) - now.rows.T @ impulses) / h - f) <= 1e-8 * np.linalg.norm(f):
            break
    return replace(there, multiplier=now.multiplier)


def forward_euler(model, now):
    M = masses(model, now.R)
    u = now.u + model.h * np.linalg.solve(M, applied(model, now) + quadratic(model, now))
    now = replace(moved(now, model.h * now.u), u=u)
    look(model, now, decide=False)
    now.u = velocity(model, now, M, M @ u, 0.0)[0]
    return now


def symplectic_euler(model, now):
    M = masses(model, now.R)
    now.u = now.u + model.h * np.linalg.solve(M, applied(model, now) + quadratic(model, now))
    look(model, now, decide=False)
    now.u = velocity(model, now, M, M @ now.u, 0.0)[0]
    return moved(now, model.h * now.u)


def runge_kutta_4(model, now):
    """On positions, quaternions and velocities, of the body without its joint."""
    h, q = model.h, Rotation.from_matrix(now.R).as_quat()  # scalar last

    def slope(q, u, p):
        there = replace(now, p=p, R=Rotation.from_quat(q).as_matrix(), u=u)
        q = q / np.linalg.norm(q)
        q_dot = np.append(q[3] * u[3:] + np.cross(u[3:], q[:3]), -u[3:] @ q[:3]) / 2
        M = masses(model, there.R)
        return q_dot, np.linalg.solve(M, applied(model, there) + quadratic(model, there)), u[:3], M

    slopes = [slope(q, now.u, now.p)]
    for fraction in (0.5, 0.5, 1.0):
        slopes.append(slope(*(x + fraction * h * s for x, s in zip((q, now.u, now.p), slopes[-1][:3], strict=True))))
    q, u, p = (
        x + h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]) for x, k in zip((q, now.u, now.p), list(zip(*slopes, strict=True))[:3], strict=True)
    )
    now = replace(now, p=p, R=Rotation.from_quat(q).as_matrix(), u=u)
    look(model, now, decide=False)
    M = slopes[-1][3]  # of the last slope: it is not computed again
    now.u = velocity(model, now, M, M @ u, 0.0)[0]
    return now


STEPS = {
    "BackwardEuler": backward_euler,
    "ConstrainedBackwardEuler": constrained_backward_euler,
    "ConstrainedForwardEuler": constrained_forward_euler,
    "ForwardEuler": forward_euler,
    "FullBackwardEuler": full_backward_euler,
    "RungeKutta4": runge_kutta_4,
    "SymplecticEuler": symplectic_euler,
    "Trapezoidal": trapezoidal,
}


def run(model, now, integrator, n_steps):
    """Moments after 0, 1, ... steps."""
    found = [now]
    now = correct(model, now)
    for _ in range(n_steps):
        now = correct(model, STEPS[integrator](model, now))
        look(model, now, decide=False)
        found.append(replace(now))
    return found
