"""Rows as constraints have them, independent and dependent, of known rank.

The entries are general: no zeros or ones but where they are meant; seeds are fixed.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Case:
    """Rows J, and G = J M^-1 J^T of a diagonal M.

    dependent  the rows that must be called so; None where others would do as well
    rank_of_G  where it differs from that of J: its entries are squares
    """

    name: str
    J: np.ndarray
    rank: int
    dependent: tuple[int, ...] | None = None
    rank_of_G: int | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def G(self) -> np.ndarray:
        return self.J / (0.7 + np.arange(self.J.shape[1])) @ self.J.T


def general(m: int, n: int, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.5, 2.0, (m, n))


def nearly_twice(distance: float) -> np.ndarray:
    """Six rows, and the second row again with this relative distance, in a direction independent of all rows."""
    direction = np.linalg.svd(_SIX)[2][-1]
    return np.vstack([_SIX, _SIX[1] + distance * np.linalg.norm(_SIX[1]) * direction])


_SIX = general(6, 9)
_UNITS = 10.0 ** np.array([-5, 4, 0, 3, -2, 1])  # a unit for each row, as angles beside lengths in mm and km

CASES = [
    Case("no rows", np.zeros((0, 4)), 0, ()),
    Case("no unknowns", np.zeros((3, 0)), 0, (0, 1, 2)),
    Case("neither", np.zeros((0, 0)), 0, ()),
    Case("one entry", np.array([[-3.7]]), 1, ()),
    Case("one zero", np.zeros((1, 1)), 0, (0,)),
    Case("all zero", np.zeros((4, 7)), 0, (0, 1, 2, 3)),
    Case("wide", _SIX, 6, ()),
    Case("square", general(7, 7), 7, ()),
    Case("tall", general(8, 5), 5),
    Case("one column", general(4, 1), 1),
    Case("a row twice", np.vstack([_SIX, _SIX[2]]), 6, (6,)),
    Case("a row twice, first and fourth", np.vstack([_SIX[2], _SIX]), 6, (3,)),
    Case("three times, reversed and in another unit", np.vstack([_SIX, -_SIX[2], 1e3 * _SIX[2]]), 6, (6, 7)),
    Case("a combination of two", np.insert(_SIX, 3, 0.7 * _SIX[1] - 1.9 * _SIX[4], axis=0), 6),
    Case("a zero row", np.insert(_SIX, 2, 0, axis=0), 6, (2,)),
    Case("a row of round-off", np.insert(_SIX, 2, 1e-16 * general(1, 9, 8), axis=0), 6, (2,)),
    Case("in many units", _UNITS[:, None] * _SIX, 6, ()),
    Case("in many units, one twice", np.vstack([_UNITS[:, None] * _SIX, 1e-2 * _SIX[3]]), 6, (6,)),
    Case("tiny", 1e-140 * np.vstack([_SIX, _SIX[2]]), 6, (6,)),
    Case("huge", 1e140 * np.vstack([_SIX, _SIX[2]]), 6, (6,)),
    Case("nearly twice, within no tolerance", nearly_twice(1e-4), 7, ()),
    Case("nearly twice, within the tolerance of squares", nearly_twice(1e-8), 7, (), rank_of_G=6),
    Case("nearly twice, within both tolerances", nearly_twice(1e-13), 6),
    Case("rank one", np.outer(general(1, 12, 6), general(1, 30)), 1),
    Case("forty rows, five dependent", general(40, 35, 7) @ general(35, 50, 8), 35),
]
