"""Displacements of second order of a beam along its line, straight or with corners, whose strains are linear in the modal coordinates.

With rotations theta, strains Gamma (stretch and shear) and curvatures theta' of first order, and the direction t of the line:

    rotation   exp([theta + theta2 / 2]x)                     theta2' = theta x theta'
    line       r' = rotation (t + Gamma)                      Phi2'   = theta x (theta x t) + theta2 x t + 2 theta x Gamma

theta2 makes the curvatures linear too, so that the energy of the deformation stays that of the linear theory: all geometric stiffness is
in the motion of points. In the plane of a straight beam this is the foreshortening, -(v'^2 + w'^2); with torsion it is what buckles a beam
sideways. Corners are rigid: theta and theta2 go on through them.

Source: Simo, Vu-Quoc, A three-dimensional finite-strain rod model, part 2 (1986), expanded to second order; Idelsohn, Cardona, A reduction
method for nonlinear structural dynamic analysis (1985): these are static modal derivatives of a line that is held at one point.
"""

from typing import Protocol, final

import numpy as np

from mobod.spatial import cross_matrix

_NODES = 6  # Gauss points on an element: the polynomials have degree 4


class BeamAlongLine(Protocol):
    """See BeamMesh."""

    @property
    def stations(self) -> np.ndarray: ...

    @property
    def axes(self) -> np.ndarray: ...

    def element_at(self, x: float) -> int: ...

    def rotations_on(self, element: int, parts: np.ndarray, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...


@final
class SecondOrder:
    """Phi2 along the line, zero at its start, in the axes of the line.

    line    BeamMesh
    basis   (6 nodes, n) shapes
    """

    def __init__(self, line: BeamAlongLine, basis: np.ndarray):
        self._line = line
        points, _ = np.polynomial.legendre.leggauss(_NODES)
        self._parts = (points + 1) / 2
        self._to_powers = np.linalg.inv(np.vander(self._parts, _NODES, increasing=True))
        n, h = basis.shape[1], np.diff(line.stations)
        inner = np.array([self._integral_to(part) for part in self._parts])
        whole = self._integral_to(1.0)
        turn, moved = np.zeros((3, n, n)), np.zeros((3, n, n))
        self._starts, self._rates = [], []
        for element, length in enumerate(h):
            theta, rate, strain = line.rotations_on(element, self._parts, basis)
            t = cross_matrix(line.axes[element][:, 0])
            twists = np.array([_symmetric(_products(a, b)) for a, b in zip(theta, rate, strict=True)])
            turns = turn + length * np.einsum("kl,laij->kaij", inner, twists)
            rates = np.array(
                [
                    _symmetric(_products(a, -t @ a) + 2 * _products(a, strain)) - np.einsum("ab,bij->aij", t, second)
                    for a, second in zip(theta, turns, strict=True)
                ]
            )
            self._starts.append(moved)
            self._rates.append(rates)
            turn = turn + length * np.einsum("l,laij->aij", whole, twists)
            moved = moved + length * np.einsum("l,laij->aij", whole, rates)

    def at(self, x: float) -> np.ndarray:
        """(3, n, n) x m along the line."""
        element = self._line.element_at(x)
        start, end = self._line.stations[element : element + 2]
        integral = self._integral_to((x - start) / (end - start))
        return np.asarray(self._starts[element] + (end - start) * np.einsum("l,laij->aij", integral, self._rates[element]))

    def _integral_to(self, part: float) -> np.ndarray:
        """(k,) weights of the values at the Gauss points for the integral from 0 to part."""
        powers = np.arange(1, _NODES + 1)
        return np.asarray((part**powers / powers) @ self._to_powers)


def _products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(3, n, n) a_i x b_j of the columns of a and b."""
    return np.asarray(np.cross(a.T[:, None], b.T[None, :]).transpose(2, 0, 1))


def _symmetric(second: np.ndarray) -> np.ndarray:
    return (second + second.transpose(0, 2, 1)) / 2
