"""The dynamics of flexible bodies from positions of mass points alone: nothing here is shared with the recursion.

Each rigid mass is six points, and the modes have their own mass beside; u_dot follows from M u_dot = f - h with Jacobians by complex steps.
"""

import numpy as np


def points_of(mass, com, central_inertia):
    """((6, 3) positions, (6,) masses) with this mass, mass center and inertia about it."""
    moments, axes = np.linalg.eigh(central_inertia)
    arms = np.sqrt(np.maximum(3 * (moments.sum() / 2 - moments) / mass, 0.0))
    return com + np.array([sign * arm * axis for arm, axis in zip(arms, axes.T, strict=True) for sign in (1, -1)]), np.full(6, mass / 6)


def rotation(theta):
    """Rodrigues' formula, for complex theta; those that are 0 are the rotation of interfaces that do not turn."""
    x, y, z = theta
    t = np.sqrt(x * x + y * y + z * z)
    if t == 0:
        return np.eye(3)
    X = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(t) / t * X + (1 - np.cos(t)) / t**2 * X @ X


class Points:
    """positions(q) -> list of (positions (k, 3), masses (k,)), for complex q; modal_mass and stiffness (nu, nu), damping (nu, nu)."""

    def __init__(self, positions, modal_mass, stiffness, damping, gravity):
        self.positions, self.modal_mass, self.stiffness, self.damping, self.gravity = positions, modal_mass, stiffness, damping, gravity

    def jacobian(self, q):
        """(nu, 3 k)"""
        h = 1e-30
        return np.array([np.concatenate([p.ravel() for p, _ in self.positions(q + 1j * h * e)]).imag / h for e in np.eye(len(q))])

    def masses(self, q):
        return np.repeat(np.concatenate([m for _, m in self.positions(q)]), 3)

    def mass_matrix(self, q):
        J = self.jacobian(q)
        return (J * self.masses(q)) @ J.T + self.modal_mass

    def u_dot(self, q, u):
        """Of coordinates whose rates are the speeds. The bias by differences of 6th order: about 1e-10 relative."""
        J, masses, d = self.jacobian(q), self.masses(q), 2e-3
        v = [u @ self.jacobian(q + k * d * u) for k in (1, -1, 2, -2, 3, -3)]
        bias = (45 * (v[0] - v[1]) - 9 * (v[2] - v[3]) + (v[4] - v[5])) / (60 * d)
        force = (J * masses) @ (np.tile(self.gravity, len(masses) // 3) - bias) - self.stiffness @ q - self.damping @ u
        return np.linalg.solve(self.mass_matrix(q), force)
