"""Dense matrices of a mechanism, from what operators do not use: velocities of bodies at unit speeds, kinetic energies, differences of
errors, and accelerations without constraints, motions and locks.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

import mobod as mb
from mobod import Stage
from mobod.laws.differences import central_difference
from mobod.spatial import cross_matrix
from tests.laws.loops import turning
from tests.laws.operator_mechanisms import Case

ROUND_OFF = 1e-10  # relative to the largest entry, or 1: some hundred roundings, times the condition of M


class DenseMatrices:
    """The matrices of a case.

    J (n_bodies, 6, nu)    M (nu, nu)    N (nq, nu)    G (n, nu), by differences of errors    bias (n,): of the errors for u_dot = 0
    applied (nu,) forces of the System    missing (nu,) C(q, u) - applied    minverse (nu, nu): of the mobilities that are not prescribed
    """

    def __init__(self, case: Case):
        self.case, self.rng = case, np.random.default_rng(5)
        self.system, self.matter, self.state = case.system, case.matter, case.state
        self.freed, self.known = case.freed(), case.known()
        self.nu, self.nq = len(self.state.u), len(self.state.q)
        self.bodies = [self.matter.ground, *self.matter.bodies]
        self.u_dot = self.state.u_dot.copy()
        known_u_dot = np.where(self.known, self.u_dot, 0.0)
        units = [self.at_speeds(unit) for unit in np.eye(self.nu)]
        self.J = np.moveaxis([[body.V_GB(each) for body in self.bodies] for each in units], 0, -1)
        self.N = np.array([each.q_dot for each in units]).T
        energy = np.array([self.system.kinetic_energy(each) for each in units])
        self.M = np.diag(2 * energy)
        for i in range(self.nu):
            for j in range(i):
                both = self.system.kinetic_energy(self.at_speeds(np.eye(self.nu)[i] + np.eye(self.nu)[j]))
                self.M[i, j] = self.M[j, i] = both - energy[i] - energy[j]
        free = ~self.known
        self.minverse = np.zeros((self.nu, self.nu))
        self.minverse[np.ix_(free, free)] = np.linalg.inv(self.M[np.ix_(free, free)])

        alone = self.freed.copy()
        for constraint in case.constraints:
            constraint.disable(alone)
        self.system.realize(alone, Stage.ACCELERATION)
        self.missing = -self.M @ alone.u_dot
        self.F, self.f = self.matter.body_forces(alone).copy(), self.matter.mobility_forces(alone).copy()
        self.applied = self.f + np.einsum("bij,bi->j", self.J, self.F)
        self.C = self.missing + self.applied
        self.Jdot_u = np.array([body.A_GB(alone) for body in self.bodies]) - self.J @ alone.u_dot

        # Lagrange's equations of what is not prescribed
        n = len(self.bias)
        K = np.block([[self.M[np.ix_(free, free)], self.G[:, free].T], [self.G[:, free], np.zeros((n, n))]])
        right = np.concatenate([-(self.missing + self.M @ known_u_dot)[free], -self.bias - self.G @ known_u_dot])
        solution = np.linalg.solve(K, right)
        self.multipliers = solution[free.sum() :]
        self.solved = known_u_dot.copy()
        self.solved[free] = solution[: free.sum()]
        self.motion_forces = np.where(self.known, self.M @ self.solved + self.missing + self.G.T @ self.multipliers, 0.0)

    def at_speeds(self, u: np.ndarray, q: np.ndarray | None = None) -> mb.State:
        """Nothing is prescribed there."""
        other = self.freed.copy()
        if q is not None:
            other.q = q
        other.u = u
        self.system.realize(other, Stage.VELOCITY)
        return other

    def in_levels(self, of_constraint: Callable[[mb.Constraint], tuple[np.ndarray, np.ndarray]], shape: tuple[int, ...]) -> np.ndarray:
        """Rows in the order of G: those of position errors of all constraints, then the others."""
        found = [of_constraint(each) for each in self.case.constraints]
        return np.concatenate([np.zeros((0, *shape)), *(first for first, _ in found), *(second for _, second in found)])

    @cached_property
    def G(self) -> np.ndarray:
        def of_constraint(constraint: mb.Constraint) -> tuple[np.ndarray, np.ndarray]:
            n = constraint.equations.n_position
            u, errors = self.freed.u.copy(), constraint.position_errors(self.state).copy()
            columns, further = [], []
            for unit in np.eye(self.nu):
                moving = self.at_speeds(unit)
                q, q_dot = moving.q.copy(), moving.q_dot.copy()
                rate = central_difference(lambda h, q=q, q_dot=q_dot: constraint.position_errors(self.at_speeds(u, q + h * q_dot)).copy())
                columns.append(rate - turning(constraint, moving, errors))
                later, earlier = (constraint.velocity_errors(self.at_speeds(u + sign * unit))[n:].copy() for sign in (1, -1))
                further.append((later - earlier) / 2)
            return np.array(columns).T.reshape(-1, self.nu), np.array(further).T.reshape(-1, self.nu)

        return self.in_levels(of_constraint, (self.nu,))

    @cached_property
    def bias(self) -> np.ndarray:
        def of_constraint(constraint: mb.Constraint) -> tuple[np.ndarray, np.ndarray]:
            now = self.at_speeds(self.freed.u)
            u, q, q_dot, errors = now.u.copy(), now.q.copy(), now.q_dot.copy(), constraint.velocity_errors(now).copy()
            rate = central_difference(lambda h: constraint.velocity_errors(self.at_speeds(u, q + h * q_dot)).copy())
            rate += turning(constraint, now, errors)
            return rate[: constraint.equations.n_position], rate[constraint.equations.n_position :]

        return self.in_levels(of_constraint, ())

    @property
    def exact_G(self) -> np.ndarray:
        """The engine's, which is as exact as products are; `constraint_matrix` itself is compared with G."""
        return self.matter.constraint_matrix(self.state)

    def stations(self) -> tuple[list, np.ndarray, np.ndarray]:
        """(bodies, stations (n, 3), Jacobian (n, 6, nu) of the frames there)."""
        bodies = [*self.bodies, self.bodies[-1]]
        stations = np.random.default_rng(6).normal(size=(len(bodies), 3))
        J = [self.J[body.index].copy() for body in bodies]
        for each, body, station in zip(J, bodies, stations, strict=True):
            each[3:] -= cross_matrix(body.X_GB(self.state).R @ station) @ each[:3]
        return bodies, stations, np.array(J)

    def station_bias(self, bodies: list, stations: np.ndarray) -> np.ndarray:
        A = self.Jdot_u[[body.index for body in bodies]].copy()
        for each, body, station in zip(A, bodies, stations, strict=True):
            r, w = body.X_GB(self.state).R @ station, body.V_GB(self.state)[:3]
            each[3:] += np.cross(each[:3], r) + np.cross(w, np.cross(w, r))
        return A

    def rigid_motion(self) -> np.ndarray:
        """(nu, 6) the speeds with which all bodies move as one, for unit motions about the Ground origin."""
        to = np.zeros((len(self.bodies), 6, 6))
        for body in self.bodies[1:]:
            to[body.index] = np.eye(6)
            to[body.index, 3:, :3] = -cross_matrix(body.X_GB(self.state).p)
        J = self.J.reshape(-1, self.nu)
        u = np.linalg.lstsq(J, to.reshape(-1, 6))[0]
        assert np.abs(J @ u - to.reshape(-1, 6)).max() < ROUND_OFF
        return u

    def rate(self, quantity: Callable[[mb.State], np.ndarray]) -> np.ndarray:
        """The rate of a quantity along the motion, by differences."""
        q, u, q_dot, u_dot = (each.copy() for each in (self.state.q, self.state.u, self.state.q_dot, self.state.u_dot))
        return central_difference(lambda h: np.array(quantity(self.at_speeds(u + h * u_dot, q + h * q_dot))))
