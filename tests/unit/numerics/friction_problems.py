"""Random problems with friction, as mechanisms make them. All of them have a solution."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

COEFFICIENTS = (0, 0.1, 0.3, 0.5, 0.8, 1.2, 2.0)


@dataclass(frozen=True)
class FrictionProblem:
    """Arguments of solve_friction: B (n, m), a (m,), then equations, boxes and contacts."""

    B: np.ndarray
    a: np.ndarray
    friction: np.ndarray
    n_equations: int = 0
    lower: np.ndarray = field(default_factory=lambda: np.zeros(0))
    upper: np.ndarray = field(default_factory=lambda: np.zeros(0))
    moments: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))

    @property
    def options(self) -> dict[str, Any]:
        """The keywords."""
        return {"lower": self.lower, "upper": self.upper, "friction": self.friction, "moments": self.moments}

    def residual(self, z: np.ndarray) -> float:
        """The natural map of multipliers z (m,), computed apart from C: relative, box rows and contacts scaled to unit length."""
        k, b = self.n_equations, len(self.lower)
        length = np.linalg.norm(self.B, axis=0)
        length[k + b :] = np.repeat(length[k + b :].reshape(-1, 3).max(axis=1), 3)
        length[length == 0] = 1
        y = self.B @ z
        w, z = (self.B.T @ y + self.a) / length, z * length
        scale = np.abs(self.a / length).max(initial=0) + np.linalg.norm(y) + 1e-300
        lower, upper = self.lower * length[k : k + b], self.upper * length[k : k + b]
        errors = [w[:k], z[k : k + b] - np.clip(z[k : k + b] - w[k : k + b], lower, upper)]
        contacts, normal, own = (each[k + b :].reshape(-1, 3) for each in (z, w, length)), np.zeros(2), 1.0
        for i, (mu, zc, wc, lengths) in enumerate(zip(self.friction, *contacts, strict=True)):
            is_moment = len(self.moments) > 0 and self.moments[i]
            if not is_moment:
                normal, own = np.array([zc[0], wc[0]]), lengths[0]
            x, limit = zc[1:] - wc[1:], mu * lengths[0] / own * max(normal[0] - normal[1], 0)
            slides = np.hypot(*x) > limit
            errors += [np.array([zc[0] if is_moment else min(zc[0], wc[0])]), zc[1:] - x * limit / np.hypot(*x) if slides else wc[1:]]
        return float(np.abs(np.concatenate(errors)).max(initial=0) / scale)


def general(random: np.random.Generator) -> FrictionProblem:
    """2 to 18 degrees of freedom; equations, boxes and 1 to 8 contacts, some of them twice, some with gaps."""
    n, c = int(random.integers(2, 19)), int(random.integers(1, 9))
    k, b = int(random.integers(0, min(4, n))), int(random.integers(0, 5))
    root = random.normal(size=(n, n))
    M = root @ root.T + 10 ** random.uniform(-4, 0) * np.eye(n)
    rows = random.normal(size=(k + b, n)) * np.exp(random.uniform(-1, 1, (k + b, 1)))
    contacts = random.normal(size=(c, 3, n)) * np.exp(random.uniform(-2, 2, (c, 1, 1)))
    if c > 1 and random.random() < 0.3:
        i, j = random.choice(c, 2, replace=False)
        contacts[i] = contacts[j]
    if k > 1 and random.random() < 0.2:
        rows[1] = rows[0] * random.uniform(-2, 2)
    G = np.vstack([rows, contacts.reshape(-1, n)])
    a = G @ (random.normal(size=n) * 10 ** random.uniform(-3, 1))
    if random.random() < 0.3:
        a[k + b :: 3] += random.exponential(1.0, c)
    limit = 10 ** random.uniform(-3, 2, b)
    return FrictionProblem(_columns(M, G), a, random.choice(COEFFICIENTS, c), k, -limit, limit)


def stack(random: np.random.Generator, height: int, moments: tuple[float, float] | None = None) -> FrictionProblem:
    """Boxes on each other, with contacts at four corners: on a slope, thrown, or pushed from above. On a quarter of the slopes they are
    exactly at the limit of friction; in a third of the stacks, masses differ from level to level."""
    ratio = 10 ** random.uniform(-4, 4) if random.random() < 0.3 else 1.0
    bodies, contacts, top, below = [], [], 0.0, np.full(3, np.inf)
    for level in range(height):
        half = random.uniform(0.1, 0.5, 3)
        m, squares = ratio**level, half**2
        bodies.append(_Body(m, m / 3 * np.diag(squares.sum() - squares), np.array([0, 0, top + half[2]])))
        edge = np.minimum(half, below)
        up = np.array([0, 0, 1.0])
        contacts += [_Touch(level, level - 1, np.array([x * edge[0], y * edge[1], top]), up) for x in (-1, 1) for y in (-1, 1)]
        top, below = top + 2 * half[2], half
    mu = random.choice([0.1, 0.3, 0.5, 0.8, 1.2])
    kind, step = random.integers(4), 10 ** random.uniform(-4, -1)
    slope = np.arctan(mu) if kind == 0 else random.uniform(0, 1.2)
    u = np.tile(np.concatenate([9.81 * step * np.array([np.sin(slope), 0, -np.cos(slope)]), np.zeros(3)]), height)
    if kind == 2:
        u += random.normal(size=len(u)) * 10 ** random.uniform(-4, 0)
    if kind == 3:
        u[-6:-3] += [random.normal(), random.normal(), -abs(random.normal())]
    return _touching(bodies, contacts, u, np.full(len(contacts), mu), moments)


def heap(random: np.random.Generator, moments: tuple[float, float] | None = None) -> FrictionProblem:
    """Spheres of masses from 0.01 to 100 that touch each other, the ground and walls."""
    bodies, contacts = [], []
    for i in range(random.integers(1, 5)):
        radius, m = random.uniform(0.05, 0.3), 10 ** random.uniform(-2, 2)
        bodies.append(_Body(m, 0.4 * m * radius**2 * np.eye(3), random.uniform(-1, 1, 3)))
        for _ in range(random.integers(1, 4)):
            normal = random.normal(size=3)
            normal[2] = abs(normal[2])
            normal /= np.linalg.norm(normal)
            contacts.append(_Touch(i, int(random.integers(-1, i)) if i else -1, bodies[i].center - radius * normal, normal))
    u = random.normal(size=6 * len(bodies)) * 10 ** random.uniform(-3, 1)
    if random.random() < 0.5:
        u[:] = 0
        u[2::6] = -0.01
    return _touching(bodies, contacts, u, random.choice(COEFFICIENTS, len(contacts)), moments)


def grasp(random: np.random.Generator) -> FrictionProblem:
    """A body between opposed contacts, which may press it against each other."""
    normals: list[np.ndarray] = []
    for i in range(random.integers(2, 7)):
        normal = random.normal(size=3)
        normals.append(-normals[-1] if i % 2 else normal / np.linalg.norm(normal))
    body = _Body(1.0, 0.01 * np.diag(random.uniform(0.5, 2, 3)), np.zeros(3))
    u = random.normal(size=6) * 10 ** random.uniform(-3, 0)
    contacts = [_Touch(0, -1, -0.1 * normal, normal) for normal in normals]
    return _touching([body], contacts, u, np.full(len(normals), random.choice([0.2, 0.5, 1.0, 2.0])))


def jammed(random: np.random.Generator) -> FrictionProblem:
    """A body between 4 to 8 contacts on all sides, with all moments of friction. Impulses within the sets of their laws stop it."""
    normals = [each / np.linalg.norm(each) for each in random.normal(size=(random.integers(4, 9), 3))]
    body = _Body(1.0, 0.01 * np.diag(random.uniform(0.5, 2, 3)), np.zeros(3))
    contacts = [_Touch(0, -1, -0.1 * normal + 0.02 * random.normal(size=3), normal) for normal in normals]
    problem = _touching([body], contacts, np.zeros(6), np.full(len(normals), 0.5), (0.005, 0.02))
    loads = np.repeat(random.uniform(0.1, 2, len(normals)), 3)
    tangents = random.normal(size=(len(loads), 2))
    tangents *= (random.uniform(0, 0.9, len(loads)) * problem.friction * loads / np.linalg.norm(tangents, axis=1))[:, None]
    impulses = np.column_stack([np.where(problem.moments, 0, loads), tangents]).ravel()
    return FrictionProblem(problem.B, -problem.B.T @ (problem.B @ impulses), problem.friction, moments=problem.moments)


def arm(random: np.random.Generator) -> FrictionProblem:
    """3 to 11 joints with dry friction, and 1 to 3 contacts."""
    n, c = int(random.integers(3, 12)), int(random.integers(1, 4))
    root = random.normal(size=(n, n))
    G = np.vstack([np.eye(n), random.normal(size=(3 * c, n))])
    u = random.normal(size=n) * 10 ** random.uniform(-2, 1) * (random.random() > 0.2)
    limit = 10 ** random.uniform(-3, 1, n)
    return FrictionProblem(_columns(root @ root.T + 0.1 * np.eye(n), G), G @ u, random.choice([0.1, 0.5, 1.0], c), 0, -limit, limit)


def wall(rows: int, mu: float, slope: float = 0.0, blow: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> FrictionProblem:
    """Rows of bricks of 0.2 m, one fewer in each, on the ones below with two corners each, or with four on the ground. They fall for 1 ms
    along a vertical that leans by `slope`, rad. A brick in the middle has a speed, m/s, of its own."""
    half, u = np.array([0.1, 0.05, 0.05]), []
    bodies, contacts, number = [], [], dict[tuple[int, int], int]()
    struck, down = (rows // 2, (rows - rows // 2) // 2), 9.81e-3 * np.array([np.sin(slope), 0, -np.cos(slope)])
    for row in range(rows):
        for column in range(rows - row):
            number[row, column] = len(bodies)
            center = np.array([0.2 * column + 0.1 * row, 0, 0.05 + 0.1 * row])
            bodies.append(_Body(1.0, np.diag((half**2).sum() - half**2) / 3, center))
            u += [*(down + (blow if (row, column) == struck else 0)), 0, 0, 0]
            contacts += [
                _Touch(
                    number[row, column],
                    number[row - 1, column + (x > 0)] if row else -1,
                    center + half * [0.9 * x, 0.9 * y, -1],
                    np.array([0, 0, 1.0]),
                )
                for x in (-1, 1)
                for y in (-1, 1)
            ]
    return _touching(bodies, contacts, np.array(u), np.full(len(contacts), mu))


def foot(random: np.random.Generator, stretch: float) -> FrictionProblem:
    """A body of six degrees of freedom on its heel and its toe, which fall for 1 ms. They have the same distance in all motions, but their
    rates would stretch it, in m/s: as those of a fixed step do, which are of second order."""
    inertia = np.diag(random.uniform(0.003, 0.02, 3))
    points = [np.array([x, 0.01 * random.normal(), z]) for x, z in ((-0.1, -0.03), (0.1, -0.0299))]
    body = _Body(random.uniform(0.5, 2), inertia, np.zeros(3))
    u = np.array([*random.normal(size=2) * 1e-3, -9.81e-3, *random.normal(size=3) * 1e-3])
    problem = _touching([body], [_Touch(0, -1, point, np.array([0, 0, 1.0])) for point in points], u, np.array([0.8, 0.8]))
    along = _frame(np.array([0, 0, 1.0])) @ (points[1] - points[0]) / np.linalg.norm(points[1] - points[0])
    return FrictionProblem(problem.B, problem.a + stretch / 2 * np.concatenate([-along, along]), problem.friction)


KINDS: dict[str, Callable[[np.random.Generator], FrictionProblem]] = {
    "general": general,
    "one box": lambda random: stack(random, 1),
    "two boxes": lambda random: stack(random, 2),
    "three boxes": lambda random: stack(random, 3),
    "heap": heap,
    "grasp": grasp,
    "arm": arm,
}


@dataclass(frozen=True)
class _Body:
    mass: float
    inertia: np.ndarray  # (3, 3) about the centre
    center: np.ndarray


@dataclass(frozen=True)
class _Touch:
    body: int
    other: int  # -1: ground
    point: np.ndarray
    normal: np.ndarray  # from the other body


def _touching(
    bodies: list[_Body], contacts: list[_Touch], u: np.ndarray, friction: np.ndarray, moments: tuple[float, float] | None = None
) -> FrictionProblem:
    """Free bodies with speeds u: linear, then angular, one body after the other. moments: coefficients against spin and rolling, m"""
    M = np.zeros((6 * len(bodies), 6 * len(bodies)))
    for i, body in enumerate(bodies):
        M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = body.mass * np.eye(3)
        M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = body.inertia
    G = np.zeros((3 * len(contacts), len(M)))
    for i, contact in enumerate(contacts):
        for sign, body in ((1, contact.body), (-1, contact.other)):
            if body >= 0:
                arm = contact.point - bodies[body].center
                for row, direction in enumerate(_frame(contact.normal)):
                    G[3 * i + row, 6 * body : 6 * body + 6] = sign * np.concatenate([direction, np.cross(arm, direction)])
    if moments is None:
        return FrictionProblem(_columns(M, G), G @ u, friction)
    turning = np.zeros((len(contacts), 3, 3, len(M)))
    turning[:, 0] = G.reshape(-1, 3, len(M))
    for i, contact in enumerate(contacts):
        for sign, body in ((1, contact.body), (-1, contact.other)):
            if body >= 0:
                spin, *rolling = sign * _frame(contact.normal)
                turning[i, 1, 1, 6 * body + 3 : 6 * body + 6] = spin
                turning[i, 2, 1:, 6 * body + 3 : 6 * body + 6] = rolling
    whole = turning.reshape(-1, len(M))
    coefficients = np.column_stack([friction, *(np.full(len(contacts), each) for each in moments)]).ravel()
    return FrictionProblem(_columns(M, whole), whole @ u, coefficients, moments=np.tile([False, True, True], len(contacts)))


def _frame(normal: np.ndarray) -> np.ndarray:
    """(3, 3) the normal and two tangents."""
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    return np.array([normal, first, np.cross(normal, first)])


def _columns(M: np.ndarray, G: np.ndarray) -> np.ndarray:
    return np.linalg.solve(np.linalg.cholesky(M), G.T)
