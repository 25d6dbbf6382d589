"""Modes: natural frequencies, damping ratios and shapes of a linear system."""

from dataclasses import dataclass
from typing import final

import numpy as np

_SHOWN = 4  # largest entries of a shape in the text of Modes
_ROUND_OFF = 1e-14  # of entries, relative to the largest
_DEFLATION = 10.0  # growth of round-off in each step that splits off zeros
_REAL = 1e-9  # imaginary parts of a shape that count as round-off


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class Modes:
    """Solutions shape * exp(eigenvalue * t) of a linear system, by natural frequency: rigid-body modes first.

    A mode that oscillates stands for its pair of conjugate eigenvalues. An overdamped or unstable one has a real eigenvalue. A rigid-body
    mode has the eigenvalue 0: the mechanism stays, or drifts uniformly, along its shape.

    eigenvalues     (n,) 1/s, complex; imaginary parts are not negative
    coordinates     (nq,) names of all coordinates q, also dependent ones; where an orientation turns, those of `frame`: 'top.theta_F[1]'
    shapes          (nq, n) a column for each mode; its largest entry is 1. Complex if the coordinates do not move in phase
    frame           in which the motion is seen, if an orientation turns: 'parent', 'body', ... (see System.modes); None if none turns
    """

    eigenvalues: np.ndarray
    coordinates: tuple[str, ...]
    shapes: np.ndarray
    frame: str | None = None

    @property
    def frequencies(self) -> np.ndarray:
        """(n,) rad/s: natural frequencies, the absolute values of the eigenvalues."""
        return np.abs(self.eigenvalues)

    @property
    def frequencies_hz(self) -> np.ndarray:
        """(n,) Hz: natural frequencies."""
        return self.frequencies / (2 * np.pi)

    @property
    def damped_frequencies(self) -> np.ndarray:
        """(n,) rad/s: frequencies of the damped oscillations; 0 for modes that do not oscillate."""
        return self.eigenvalues.imag

    @property
    def damping_ratios(self) -> np.ndarray:
        """(n,) no unit: 1 for a mode that decays without oscillation, negative for one that grows, 0 for undamped and rigid-body modes."""
        size = np.where(self.frequencies > 0, self.frequencies, 1.0)
        return 0.0 - self.eigenvalues.real / size

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def shape(self, mode: int) -> dict[str, complex]:
        """The shape of one mode by the names of the coordinates."""
        return dict(zip(self.coordinates, self.shapes[:, mode].tolist(), strict=True))

    def __repr__(self) -> str:
        lines = [f"{'mode':>4} {'rad/s':>12} {'Hz':>12} {'damping':>10}  shape"]
        for i in range(len(self)):
            column = self.shapes[:, i]
            largest = [k for k in np.argsort(-np.abs(column).round(9), kind="stable")[:_SHOWN] if abs(column[k]) > 1e-6]
            shape = ", ".join(f"{self.coordinates[k]} {_short(column[k])}" for k in largest)
            more = ", ..." if (np.abs(column) > 1e-6).sum() > len(largest) else ""
            lines.append(
                f"{i + 1:>4} {self.frequencies[i]:>12.6g} {self.frequencies_hz[i]:>12.6g} {self.damping_ratios[i]:>10.4g}  {shape}{more}"
            )
        if self.frame is not None:
            lines.append(f"seen in the frame: {self.frame}")
        return "\n".join(lines)


def damped_modes(A: np.ndarray, coordinates: tuple[str, ...], q_of_x: np.ndarray) -> Modes:
    """Modes of dx/dt = A x. q_of_x: (nq, nx) changes of the coordinates for changes of the states."""
    n = len(A)
    from scipy import linalg  # imported here because it is slow to import, and every System knows this class

    eigenvalues, vectors = linalg.eig(A)
    noise = 10 * n * np.finfo(float).eps * np.abs(eigenvalues).max(initial=0.0)
    eigenvalues.real[np.abs(eigenvalues.real) < noise] = 0.0
    balanced, scales = _balanced(A)
    rigid = scales[:, None] * linalg.null_space(balanced, n * np.finfo(float).eps)
    n_zeros = _count_of_zeros(balanced)
    order = np.argsort(np.abs(eigenvalues), kind="stable")
    others = [i for i in order[n_zeros:] if eigenvalues[i].imag >= 0]
    found = [*((0.0, rigid[:, i]) for i in range(rigid.shape[1])), *((eigenvalues[i], vectors[:, i]) for i in others)]
    return _modes([each for each, _ in found], [q_of_x @ vector for _, vector in found], coordinates)


def _balanced(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A for states that are scaled so that each column is as large as its row, so that fast states do not hide slow ones in its ranks; and
    the scales. Source: Parlett and Reinsch, Numerische Mathematik 13 (1969).
    """
    from scipy import linalg  # imported here because it is slow to import, and every System knows this class

    least = _ROUND_OFF * np.abs(A).max(initial=0.0)
    _, (scales, _) = linalg.matrix_balance(np.where(np.abs(A) > least, A, 0.0), permute=False, separate=True)
    return A * scales / scales[:, None], scales


def _count_of_zeros(A: np.ndarray) -> int:
    """How often 0 is an eigenvalue, by ranks: round-off makes k zeros of a chain numbers of the size of its k-th root.

    A chain of two is a body that drifts, one of three a wheel whose path bends. Source: Golub and Wilkinson, SIAM Review 18 (1976).
    """
    n, left = len(A), A
    tolerance = n * np.finfo(float).eps * np.linalg.norm(A, 2) if n else 0.0
    while len(left):
        _, sizes, rows = np.linalg.svd(left)
        rank = int((sizes > tolerance).sum())
        if rank == len(left):
            break
        Q = rows[:rank].T  # what A maps to 0 is split off; the other eigenvalues are those of the rest
        left = Q.T @ left @ Q
        tolerance *= _DEFLATION
    return n - len(left)


def undamped_modes(K: np.ndarray, coordinates: tuple[str, ...], q_of_x: np.ndarray) -> Modes:
    """Modes of d2x/dt2 = K x. q_of_x: (nq, nx) changes of the coordinates for changes of x."""
    from scipy import linalg  # imported here because it is slow to import, and every System knows this class

    squares, vectors = linalg.eig(K)
    least = len(K) * np.finfo(float).eps * np.abs(K).max(initial=0.0)
    squares = np.where(np.abs(squares) > least, squares, 0.0)
    roots = np.sqrt(squares.astype(complex))
    roots = np.where(roots.imag < 0, -roots, roots)
    order = np.argsort(np.abs(roots), kind="stable")
    return _modes(roots[order].tolist(), [q_of_x @ vectors[:, i] for i in order], coordinates)


def _modes(eigenvalues: list[complex], shapes: list[np.ndarray], coordinates: tuple[str, ...]) -> Modes:
    columns = np.array([_scaled(shape) for shape in shapes], dtype=complex).reshape(len(shapes), len(coordinates)).T
    columns.imag[:, (np.abs(columns.imag) <= _REAL).all(axis=0)] = 0.0
    numbers = columns if columns.imag.any() else columns.real
    return Modes(eigenvalues=np.array(eigenvalues, dtype=complex), coordinates=coordinates, shapes=numbers)


def _scaled(shape: np.ndarray) -> np.ndarray:
    """The shape divided by its largest entry; the first one of those that are equal to round-off."""
    sizes = np.abs(shape)
    if not sizes.any():  # a mode of auxiliary variables
        return shape
    return shape / shape[int(np.argmax(sizes > sizes.max() * (1 - 1e-9)))]


def _short(number: complex) -> str:
    return f"{number.real:.4g}" if number.imag == 0 else f"{complex(round(number.real, 9), round(number.imag, 9)):.3g}"
