"""Random quadratic programs as contacts and limits make them: redundant, degenerate, badly scaled, with a solution by construction."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Program:
    """Arguments of solve_quadratic_program, and by how much a solution misses its conditions."""

    M: np.ndarray
    u_star: np.ndarray
    G: np.ndarray
    b_g: np.ndarray
    N: np.ndarray
    b_n: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def residual(self, u: np.ndarray, lam: np.ndarray, theta: np.ndarray) -> float:
        """The largest of what balance, rows, signs and complementarity miss, relative to the numbers in them, without any factor of M.

        The numbers in a row are its own, those of the rows that hold, the change of speed, and where large multipliers of nearly dependent
        rows cancel, their round-off. A row's length is |row|_M^-1 = sqrt(row M^-1 row), a speed's is |u|_M = sqrt(u M u).
        """
        rows, b, multipliers = np.vstack([self.G, self.N]), np.concatenate([self.b_g, self.b_n]), np.concatenate([lam, theta])
        lower = np.concatenate([np.full(len(self.G), -np.inf), self.lower])
        upper = np.concatenate([np.full(len(self.G), np.inf), self.upper])
        length = np.sqrt(np.einsum("ij,ji->i", rows, np.linalg.solve(self.M, rows.T)).clip(0))
        length[length <= 1e-11 * length.max(initial=0)] = length.max(initial=0) or 1
        change = u - self.u_star
        moved = np.sqrt(change @ self.M @ change)
        size = (np.abs(rows) @ np.abs(self.u_star) + np.abs(b)) / length + moved
        size = size + size[multipliers != 0].max(initial=0) + 1e-4 * np.abs(multipliers * length).sum()
        w, z = (rows @ u - b) / length, multipliers * length
        of_rows = np.abs(z - np.clip(z - w, lower * length, upper * length)) / np.maximum(size, 1e-300)
        weight = np.sqrt(np.diag(self.M)) * (np.sqrt(self.u_star @ self.M @ self.u_star) + moved + np.abs(z).sum())
        of_balance = np.abs(self.M @ change - rows.T @ multipliers) / np.maximum(weight, 1e-300)
        return max(of_rows.max(initial=0), of_balance.max(initial=0))


def general_program(n: int, m: int, seed: int = 3) -> Program:
    """A program with unilateral rows only, some of them active; its multipliers are unique."""
    random = np.random.default_rng(seed)
    root = random.normal(size=(n, n)) + 3 * np.eye(n)
    N = random.normal(size=(m, n))
    b_n = N @ random.normal(size=n) - random.uniform(0, 0.5, m)
    return Program(root @ root.T, random.normal(size=n), np.zeros((0, n)), np.zeros(0), N, b_n, np.zeros(m), np.full(m, np.inf))


def nearly_parallel(seed: int, distance: float) -> Program:
    """Eight rows that differ by this relative distance; one vector of six speeds satisfies all of them."""
    random = np.random.default_rng(seed)
    N = random.normal(size=6) + distance * random.normal(size=(8, 6))
    M, u = np.diag(random.uniform(0.5, 2, 6)), random.normal(size=6)
    b_n = N @ u - distance * random.uniform(0, 1, 8)
    return Program(M, u - 2 * N[0], np.zeros((0, 6)), np.zeros(0), N, b_n, np.zeros(8), np.full(8, np.inf))


def tiny_right_sides(seed: int) -> dict[str, np.ndarray]:
    """Five equations of six unknowns with tiny right-hand sides, as keywords of solve_quadratic_program."""
    random = np.random.default_rng(seed)
    b_g = random.integers(-9, 10, 5) * 5e-324
    return {
        "M": np.diag(random.uniform(0.5, 2, 6)),
        "u_star": np.zeros(6),
        "G": random.normal(size=(5, 6)),
        "b_g": b_g,
        "N": np.zeros((0, 6)),
        "b_n": np.zeros(0),
    }


def blocked_on_the_second_turn() -> Program:
    """The last row is the reversed row of the equation, except for a part below the tolerance: releasing the other row does not help."""
    N, b_n = np.array([[0.0, 1.0], [-1.0, 1e-10]]), np.array([0.0, 2e-9])
    return Program(np.eye(2), np.array([0.3, -1.0]), np.array([[1.0, 0.0]]), np.zeros(1), N, b_n, np.zeros(2), np.full(2, np.inf))


def random_program(seed: int, is_degenerate: bool = True) -> Program:
    """1 to 13 unknowns, up to 20 rows; every third has bounds on its multipliers.

    Half of the degenerate ones have rows that are combinations of others, many have more rows than unknowns that hold at once, multipliers
    that are zero, and rows of zeros. Of the others each decision is one that round-off does not take.
    """
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 14))
    k, m = int(random.integers(0, min(n, 5) + 1)), int(random.integers(0, 16))

    axes = np.linalg.qr(random.normal(size=(n, n)))[0]
    M = axes * 10.0 ** random.uniform(-3, 3, n) @ axes.T
    M = (M + M.T) / 2
    rows = random.normal(size=(k + m, n))
    if is_degenerate and random.random() < 0.3:  # as in a grid of contacts
        rows = np.round(rows)
    if is_degenerate and random.random() < 0.5:
        for i in range(1, k + m):
            if random.random() < 0.4:
                rows[i] = rows[:i].T @ (random.normal(size=i) * (random.random(i) < 2 / i))
    rows *= np.exp(random.uniform(-4, 4, (k + m, 1)))
    G, N = rows[:k], rows[k:]

    # a speed that meets all, many of them just so; a free speed from which forces, some of them zero, lead there, or any
    u = random.normal(size=n) if not is_degenerate or random.random() < 0.8 else np.zeros(n)
    b_g, b_n = G @ u, N @ u - np.where(random.random(m) < 0.6 * is_degenerate, 0, np.exp(random.uniform(-6, 2, m)))
    u_star = u + random.normal(size=n) * 10.0 ** random.uniform(-3, 2)
    if is_degenerate and random.random() < 0.4:
        theta = random.uniform(0, 1, m) * (random.random(m) < 0.5) * (N @ u == b_n)
        u_star = u - np.linalg.solve(M, G.T @ random.normal(size=k) + N.T @ theta)
    elif is_degenerate and random.random() < 0.1:
        u_star = u.copy()

    lower, upper = np.zeros(m), np.full(m, np.inf)
    if seed % 3 == 0:
        upper = np.where(random.random(m) < 0.5, np.exp(random.uniform(-4, 3, m)), np.inf)
        lower = np.where((random.random(m) < 0.3) & np.isfinite(upper), -upper, 0)
    return Program(M, u_star, G, b_g, N, b_n, lower, upper)


def harder_program(seed: int) -> Program:
    """8 to 26 rows on up to 13 unknowns, three of five dependent on others or equal to them, most of which hold at once at the solution;
    masses of condition 1e8 and rows whose lengths differ by e^12."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 14))
    k, m = int(random.integers(0, min(n, 6) + 1)), int(random.integers(8, 21))
    axes = np.linalg.qr(random.normal(size=(n, n)))[0]
    M = axes * 10.0 ** random.uniform(-4, 4, n) @ axes.T
    M = (M + M.T) / 2
    rows = random.normal(size=(k + m, n))
    if random.random() < 0.4:
        rows = np.round(rows)
    for i in range(1, k + m):
        kind = random.random()
        if kind < 0.5:
            rows[i] = rows[:i].T @ (random.normal(size=i) * (random.random(i) < 2 / i))
        elif kind < 0.6:
            rows[i] = random.choice([1, -1]) * rows[random.integers(0, i)]
    rows *= np.exp(random.uniform(-6, 6, (k + m, 1)))
    G, N = rows[:k], rows[k:]

    u = random.normal(size=n) if random.random() < 0.8 else np.zeros(n)
    b_n = N @ u - np.where(random.random(m) < 0.7, 0, np.exp(random.uniform(-8, 2, m)))
    u_star = u + random.normal(size=n) * 10.0 ** random.uniform(-4, 3)
    if random.random() < 0.4:
        theta = random.uniform(0, 1, m) * (random.random(m) < 0.5) * (N @ u == b_n)
        u_star = u - np.linalg.solve(M, G.T @ random.normal(size=k) + N.T @ theta)
    elif random.random() < 0.1:
        u_star = u.copy()
    return Program(M, u_star, G, G @ u, N, b_n, np.zeros(m), np.full(m, np.inf))
