"""Beams of frame elements along x, Euler-Bernoulli or Timoshenko, with consistent mass: matrices for tests of flexible bodies.

Source: Przemieniecki, Theory of Matrix Structural Analysis (1968), ch. 5 and 11.
"""

import numpy as np


def beam(length, n, *, E, G, rho, A, Iy, Iz, J, kappa=None, rotary=True):
    """(M, K, nodes (n + 1, 3)) of n elements, with 6 freedoms a node: x y z, rotations about x y z. kappa A: the area in shear."""
    Ke, Me = element(length / n, E=E, G=G, rho=rho, A=A, Iy=Iy, Iz=Iz, J=J, kappa=kappa, rotary=rotary)
    K, M = np.zeros((6 * n + 6,) * 2), np.zeros((6 * n + 6,) * 2)
    for e in range(n):
        at = slice(6 * e, 6 * e + 12)
        K[at, at] += Ke
        M[at, at] += Me
    nodes = np.zeros((n + 1, 3))
    nodes[:, 0] = np.linspace(0, length, n + 1)
    return M, K, nodes


def element(l, *, E, G, rho, A, Iy, Iz, J, kappa, rotary):
    """(K, M) (12, 12)."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    for first, stiffness, density in ((0, E * A, rho * A), (3, G * J, rho * (Iy + Iz))):
        at = np.ix_([first, first + 6], [first, first + 6])
        K[at] += stiffness / l * np.array([[1, -1], [-1, 1]])
        M[at] += density * l / 6 * np.array([[2, 1], [1, 2]])
    points, weights = np.polynomial.legendre.leggauss(5)  # exact for products of cubics
    for entries, I, sign in (([1, 5, 7, 11], Iz, 1.0), ([2, 4, 8, 10], Iy, -1.0)):
        phi = 0.0 if kappa is None else 12 * E * I / (kappa * G * A * l**2)
        k, m = np.zeros((4, 4)), np.zeros((4, 4))
        k[:] = [[12, 6 * l, -12, 6 * l], [0, (4 + phi) * l**2, -6 * l, (2 - phi) * l**2], [0, 0, 12, -6 * l], [0, 0, 0, (4 + phi) * l**2]]
        k = (np.triu(k) + np.triu(k, 1).T) * E * I / (l**3 * (1 + phi))
        for s, weight in zip((points + 1) / 2, weights / 2, strict=True):
            v, turn = bending(s, l, phi)
            m += weight * l * rho * (A * np.outer(v, v) + (I * np.outer(turn, turn) if rotary else 0.0))
        signs, at = np.diag([1, sign, 1, sign]), np.ix_(entries, entries)
        K[at] += signs @ k @ signs
        M[at] += signs @ m @ signs
    return K, M


def bending(s, l, phi):
    """Deflection and rotation at s l for unit deflections and rotations of the ends."""
    v = [
        1 - 3 * s**2 + 2 * s**3 + phi * (1 - s),
        l * (s - 2 * s**2 + s**3 + phi * (s - s**2) / 2),
        3 * s**2 - 2 * s**3 + phi * s,
        l * (s**3 - s**2 + phi * (s**2 - s) / 2),
    ]
    turn = [6 * (s**2 - s) / l, 1 - 4 * s + 3 * s**2 + phi * (1 - s), 6 * (s - s**2) / l, 3 * s**2 - 2 * s + phi * s]
    return np.array(v) / (1 + phi), np.array(turn) / (1 + phi)
