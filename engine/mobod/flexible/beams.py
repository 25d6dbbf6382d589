"""Modal data of beams, by frame elements, with mass points at Gauss points and displacements of second order.

The stiffness of an element is that of its strains with the section at each Gauss point: exact for a uniform one. Displacements of second
order (beam_second_order.py), such as the foreshortening of a beam that bends, let the inertia forces of rotation and loads along the beam
stiffen or soften bending, without any further term.

Source: Przemieniecki, Theory of Matrix Structural Analysis (1968), ch. 5 and 11; Kane, Ryan, Banerjee, Dynamics of a cantilever beam
attached to a moving base, J. Guidance, Control, and Dynamics (1987).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import final

import numpy as np
from scipy import linalg, sparse

from mobod.errors import InputError
from mobod.flexible.beam_line import BeamLine
from mobod.flexible.beam_second_order import SecondOrder
from mobod.flexible.interfaces import MassPoint, ModalInterface
from mobod.flexible.invariants import RigidMotion, rigid_motions
from mobod.flexible.modal_data import ModalData
from mobod.flexible.sections import Material, SectionsAlong
from mobod.flexible.signs import with_fixed_signs
from mobod.flexible.static_correction import residual_shapes
from mobod.flexible.surface import ModalSurface, outlines_of_sections, swept_surface
from mobod.spatial import Transform

MOST_STIFFENED = 12  # modes of a beam with shapes of second order
_POINTS, _MANY_MODES, _MORE_POINTS = 12, 8, 16  # Gauss points on the whole beam: those of more than 8 modes have 16
_FLAT = 1 - np.cos(0.15)  # of corners of a curve
_ROUND_OFF = 1e-13  # of entries relative to those of the whole beam

_DRAWN = 25  # sections of a beam in drawings; more of one with many corners


@final
class BeamMesh:
    """A beam of frame elements, in the axes of its line.

    line       BeamLine
    sections   SectionsAlong
    nodes      (N, 3) m; stations (N,) m: their distances from the start, along the line
    axes       (N - 1, 3, 3) of the elements
    """

    def __init__(self, line: BeamLine, sections: SectionsAlong, material: Material, elements: int, *, has_shear: bool):
        """elements: of the whole line; each piece has one at least."""
        self.line, self.sections, self.material, self.has_shear = line, sections, material, has_shear
        corners = line.stations
        counts = [max(1, round(elements * float(piece) / float(corners[-1]))) for piece in np.diff(corners)]
        parts = np.concatenate([k + np.arange(count) / count for k, count in enumerate(counts)] + [[len(counts)]])
        self.stations = np.interp(parts, np.arange(len(corners)), corners)
        self.nodes = np.array([np.interp(parts, np.arange(len(corners)), column) for column in line.corners.T]).T
        self.axes = np.repeat(line.axes, counts, axis=0)
        self.h = np.diff(self.stations)
        self._shear = [self._shear_of(k) for k in range(len(self.h))]

    @property
    def length(self) -> float:
        """m, along the line."""
        return float(self.stations[-1])

    def _shear_of(self, element: int) -> tuple[np.ndarray, np.ndarray]:
        """The shear strain of an element in bending along y and along z, (4,) each, for unit deflections and rotations of its ends.

        It is constant in the element, and such that the energy is least; of a uniform element it is that of the shear force.
        """
        rows = (np.zeros(4), np.zeros(4))
        h, E, G = self.h[element], self.material.E, self.material.shear_modulus
        for k, row in enumerate(rows) if self.has_shear else ():
            own, with_ends = 0.0, np.zeros(4)
            for x, weight in zip(*_gauss_on_unit(5), strict=True):
                s = self.sections.at(self._place(element, x))
                bend = E * (s.Iz, s.Iy)[k]
                of_ends, of_shear = _curvature(x, h, np.zeros(4)), 6 * (2 * x - 1) / h
                own += weight * (bend * of_shear**2 + s.shear[k] * G * s.A)
                with_ends += weight * bend * of_shear * of_ends
            row[:] = -with_ends / own
        return rows

    def _place(self, element: int, part: float) -> float:
        return float(self.stations[element] + part * self.h[element])

    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """(M, K) of all nodes, 6 freedoms each."""
        n = 6 * len(self.nodes)
        M, K = np.zeros((n, n)), np.zeros((n, n))
        for element, A in enumerate(self.axes):
            R = np.kron(np.eye(4), A)
            Me, Ke = self._matrices_of(element)
            at_element = slice(6 * element, 6 * element + 12)
            M[at_element, at_element] += R @ Me @ R.T
            K[at_element, at_element] += R @ Ke @ R.T
        return M, K

    def _matrices_of(self, element: int) -> tuple[np.ndarray, np.ndarray]:
        """(12, 12) mass and stiffness of an element along its own axes."""
        h, E, G, rho = self.h[element], self.material.E, self.material.shear_modulus, self.material.density
        Me, Ke = np.zeros((12, 12)), np.zeros((12, 12))
        for x, weight in zip(*_gauss_on_unit(5), strict=True):  # exact for products of cubics
            s = self.sections.at(self._place(element, x))
            line, rate = np.array([1 - x, x]), np.array([-1, 1]) / h
            for first, stiffness, density in ((0, E * s.A, s.A), (3, G * s.J, s.Iy + s.Iz)):
                at = np.ix_([first, first + 6], [first, first + 6])
                Ke[at] += weight * h * stiffness * np.outer(rate, rate)
                Me[at] += weight * h * rho * density * np.outer(line, line)
            for entries, I, part, gamma, sign in zip(_BENDING, (s.Iz, s.Iy), s.shear, self._shear[element], _SIGNS, strict=True):
                signs, at = np.array([1, sign, 1, sign]), np.ix_(entries, entries)
                v, turn = (signs * each for each in _bending(x, h, gamma))
                curvature, shear = signs * _curvature(x, h, gamma), signs * gamma
                Ke[at] += weight * h * (E * I * np.outer(curvature, curvature) + part * G * s.A * np.outer(shear, shear))
                Me[at] += weight * h * rho * (s.A * np.outer(v, v) + I * np.outer(turn, turn))
        return Me, Ke

    def element_at(self, x: float) -> int:
        """The element that is x m along the line."""
        return int(np.clip(np.searchsorted(self.stations, x, side="right") - 1, 0, len(self.h) - 1))

    def position_at(self, x: float) -> np.ndarray:
        """(3,) m"""
        return np.array([np.interp(x, self.stations, column) for column in self.nodes.T])

    def shapes_at(self, x: float, basis: np.ndarray) -> np.ndarray:
        """(6, n) rotation and displacement x m along the line, of nodal shapes (6 nodes, n)."""
        element = self.element_at(x)
        A, h = self.axes[element], self.h[element]
        s, nodal = (x - self.stations[element]) / h, np.kron(np.eye(4), A.T) @ basis[6 * element : 6 * element + 12]
        shapes = np.zeros((6, basis.shape[1]))
        shapes[3] = (1 - s) * nodal[0] + s * nodal[6]
        shapes[0] = (1 - s) * nodal[3] + s * nodal[9]
        for k, (entries, gamma, sign) in enumerate(zip(_BENDING, self._shear[element], _SIGNS, strict=True)):
            v, turn = _bending(s, h, gamma)
            signs = np.array([1, sign, 1, sign])
            shapes[4 + k] = (v * signs) @ nodal[entries]
            shapes[2 - k] = sign * ((turn * signs) @ nodal[entries])
        return _rotated(A, shapes)

    def placed(self, x: float) -> np.ndarray:
        """(3,) m in the body's frame"""
        return self.line.start + self.line.R @ self.position_at(x)

    def quadrature(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(places along the line, m; lengths, m) of Gauss points, so many on each element."""
        parts, weights = _gauss_on_unit(count)
        return (self.stations[:-1, None] + np.outer(self.h, parts)).ravel(), np.outer(self.h, weights).ravel()

    def rotations_on(self, element: int, parts: np.ndarray, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rotations (k, 3, n) at the parts (k,) of an element, their rates along it, and its strains (3, n): stretch and shear.

        Along the axes of the line; basis (6 nodes, n).
        """
        A, h, n = self.axes[element], self.h[element], basis.shape[1]
        nodal = np.kron(np.eye(4), A.T) @ basis[6 * element : 6 * element + 12]
        turns, rates, strain = np.zeros((len(parts), 3, n)), np.zeros((len(parts), 3, n)), np.zeros((3, n))
        strain[0] = (nodal[6] - nodal[0]) / h
        rates[:, 0] = (nodal[9] - nodal[3]) / h
        turns[:, 0] = nodal[3] + np.outer(parts, nodal[9] - nodal[3])
        for k, (entries, gamma, sign) in enumerate(zip(_BENDING, self._shear[element], _SIGNS, strict=True)):
            signs = np.array([1, sign, 1, sign])
            strain[1 + k] = (gamma * signs) @ nodal[entries]
            for at, s in enumerate(parts):
                turns[at, 2 - k] = sign * ((_bending(s, h, gamma)[1] * signs) @ nodal[entries])
                rates[at, 2 - k] = sign * ((_curvature(s, h, gamma) * signs) @ nodal[entries])
        return A @ turns, A @ rates, A @ strain


_BENDING = ([1, 5, 7, 11], [2, 4, 8, 10])  # freedoms of an element: bending along y, along z
_SIGNS = (1.0, -1.0)  # of rotations: w' = -rotation about y


def _bending(s: float, h: float, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(deflection, rotation of the section) at s h for unit deflections and rotations of the ends; gamma (4,): their shear."""
    v = np.array([1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)])
    turn = np.array([6 * (s**2 - s) / h, 1 - 4 * s + 3 * s**2, 6 * (s - s**2) / h, 3 * s**2 - 2 * s])
    of_shear = 6 * (s**2 - s)
    return v + h * (s - 3 * s**2 + 2 * s**3) * gamma, turn + of_shear * gamma


def _curvature(s: float, h: float, gamma: np.ndarray) -> np.ndarray:
    """(4,) the rate of the rotation of the section along the beam."""
    of_ends = np.array([6 * (2 * s - 1) / h**2, (6 * s - 4) / h, 6 * (1 - 2 * s) / h**2, (6 * s - 2) / h])
    return np.asarray(of_ends + 6 * (2 * s - 1) / h * gamma)


def _gauss_on_unit(count: int) -> tuple[np.ndarray, np.ndarray]:
    """(points, weights) from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(count)
    return (points + 1) / 2, weights / 2


def beam_modal_data(
    beam: BeamMesh,
    modes: int | None,
    below: float | None,
    at: Sequence[float],
    *,
    stiffened: bool | None,
    is_mean: bool,
    static_correction: str | None = None,
) -> ModalData:
    """Modes of the beam clamped at its start, or of the free beam relative to its mean axes, lowest first.

    stiffened          with displacements of second order, and of a straight beam without shapes along it; None: if there are few modes
                       enough
    static_correction  further shapes: one of KINDS of static_correction.py
    """
    M, K = beam.matrices()
    R, start = beam.line.R, beam.line.start
    T = rigid_motions(beam.nodes, np.zeros(3), 6)
    rigid = RigidMotion(T.T @ M @ T)
    without_stretch = beam.line.is_straight and stiffened is not False
    kept = np.array([k for k in range(6, len(M)) if not (without_stretch and k % 6 == 0)])
    mass, held = M[np.ix_(kept, kept)], (T.T @ M)[:, kept]
    if is_mean:
        # the free modes by their displacements relative to the start
        mass = mass - held.T @ np.linalg.solve(rigid.matrix, held)
        sizes = np.sqrt(np.diag(M)[kept])
        mass[np.abs(mass) < _ROUND_OFF * np.outer(sizes, sizes)] = 0.0
    squares, vectors = _modes(mass, K[np.ix_(kept, kept)])
    n = 6 if modes is None else modes
    if below is not None:
        n = min(int((squares < (2 * np.pi * below) ** 2).sum()), len(squares) if modes is None else n)
        if not n:
            lowest = np.sqrt(squares[0]) / (2 * np.pi)
            raise InputError(
                f"FlexibleBeam: no mode lies below {below:g} Hz; the lowest is {lowest:.4g} Hz. Raise below, or use a RigidBody."
            )
    if n > len(squares):
        raise InputError(f"FlexibleBeam: {n} modes; {len(beam.h)} elements have {len(squares)}. Give fewer modes, or more elements.")
    squares, vectors = squares[:n], vectors[:, :n]
    places = {"start": 0.0, "end": beam.length} | {f"at{k}": fraction * beam.length for k, fraction in enumerate(at)}
    if static_correction is not None:
        first = 3 if static_correction == "forces" else 0
        loads = np.concatenate([beam.shapes_at(x, np.eye(len(M)))[first:] for x in places.values()]).T
        # those of a free beam are balanced by its inertia
        balanced = loads[kept] - held.T @ np.linalg.solve(rigid.matrix, T.T @ loads) if is_mean else loads[kept]
        stiffness = K[np.ix_(kept, kept)]
        further = residual_shapes(mass, stiffness, vectors, balanced)
        of_further, shapes = _modes(further.T @ mass @ further, further.T @ stiffness @ further)
        squares, vectors = np.concatenate([squares, of_further]), np.concatenate([vectors, further @ shapes], axis=1)
        n = len(squares)
    basis = np.zeros((len(M), n))
    vectors = with_fixed_signs(vectors, np.diag(M)[kept])
    basis[kept] = vectors
    if is_mean:
        removed = np.linalg.solve(rigid.matrix, held @ vectors)
        removed[np.abs(removed) < _ROUND_OFF * np.abs(removed).max(axis=1, keepdims=True)] = 0.0
        basis = basis - T @ removed
    if stiffened is None:
        stiffened = beam.line.is_straight or n <= MOST_STIFFENED
    second = SecondOrder(beam, basis) if stiffened else None
    points = _points(beam, basis, second)
    shift = np.zeros((3, n, n))
    if is_mean and second is not None:
        # the mass center does not move by displacements of second order either
        masses = np.array([each.mass for each in points])
        shift = np.tensordot(masses, np.array([each.second for each in points]), 1) / masses.sum()
    interfaces = {name: _interface(beam, x, basis, second, shift) for name, x in places.items()}
    turned = RigidMotion(np.kron(np.eye(2), R) @ rigid.matrix @ np.kron(np.eye(2), R).T)
    return ModalData(
        inboard=None if is_mean else "start",
        interfaces=interfaces,
        mass_properties=turned.mass_properties(start),
        coupling=np.zeros((6, n)) if is_mean else _rotated(R, rigid.about_center(T.T @ M @ basis)),
        stiffness=squares,
        damping=np.zeros((n, n)),
        size=float(np.linalg.norm(np.ptp(beam.nodes, axis=0))),
        flexibility_lost=0.0,
        points=tuple(each if each.second is None else replace(each, second=each.second - shift) for each in points),
        surface=_surface(beam, basis),
    )


def _modes(M: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(1/s^2, shapes of unit modal mass), lowest first. Freedoms without coupling, as those of bending in two planes, stay so, exactly."""
    n_parts, part = sparse.csgraph.connected_components(sparse.csr_array(abs(M) + abs(K)), directed=False)
    squares, shapes = [np.zeros(0)], np.zeros((len(M), 0))
    for k in range(n_parts):
        at = np.flatnonzero(part == k)
        # of the inverse problem, so that stiff directions take no digits from the lowest modes
        inverses, vectors = linalg.eigh(M[np.ix_(at, at)], K[np.ix_(at, at)])
        whole = np.zeros((len(M), len(at)))
        whole[at] = vectors / np.sqrt(inverses)
        squares.append(1 / inverses)
        shapes = np.concatenate([shapes, whole], axis=1)
    found = np.concatenate(squares)
    order = np.argsort(found, kind="stable")
    return found[order], shapes[:, order]


def _surface(beam: BeamMesh, basis: np.ndarray) -> ModalSurface:
    """The outline of the section along the line, at a corner twice: as those of both pieces."""
    R, corners = beam.line.R, beam.line.stations
    drawn = [
        (corners[k] + part * piece, axes)
        for k, (piece, axes) in enumerate(zip(np.diff(corners), beam.line.axes, strict=True))
        for part in np.linspace(0, 1, max(2, round(_DRAWN * piece / beam.length)))
    ]
    places = [float(x) for x, _ in drawn]
    centers = np.array([beam.placed(x) for x in places])
    shapes = np.array([_rotated(R, beam.shapes_at(x, basis)) for x in places])
    outlines = outlines_of_sections([beam.sections.at(x) for x in places])
    return swept_surface(centers, shapes, np.array([outline @ (R @ axes).T for outline, (_, axes) in zip(outlines, drawn, strict=True)]))


def _interface(beam: BeamMesh, x: float, basis: np.ndarray, second: SecondOrder | None, shift: np.ndarray) -> ModalInterface:
    R, of_second = beam.line.R, None
    if second is not None:
        of_second = _turned_second(R, second.at(x)) - shift
    if of_second is not None and not of_second.any():
        of_second = None
    return ModalInterface(Transform(p=beam.placed(x)), _rotated(R, beam.shapes_at(x, basis)), of_second)


def _points(beam: BeamMesh, basis: np.ndarray, second: SecondOrder | None) -> tuple[MassPoint, ...]:
    """Of shapes of second order few, since each costs at each evaluation; of linear ones those with which all their sums are exact."""
    R, rho = beam.line.R, beam.material.density
    places, lengths = beam.quadrature(5)
    masses = rho * lengths * np.array([beam.sections.at(x).A for x in places])
    if second is not None:
        count = _POINTS if basis.shape[1] <= _MANY_MODES else _MORE_POINTS
        places, masses = _fewer_points(beam.line, places, masses, count)
    points = []
    for x, mass in zip(places.tolist(), masses.tolist(), strict=True):
        section, axes = beam.sections.at(x), R @ beam.axes[beam.element_at(x)]
        rotary = mass / section.A * axes @ np.diag([section.Iy + section.Iz, section.Iy, section.Iz]) @ axes.T
        of_second = None if second is None else _turned_second(R, second.at(x))
        points.append(MassPoint(mass, rotary, beam.placed(x), _rotated(R, beam.shapes_at(x, basis)), of_second))
    return tuple(points)


def _fewer_points(line: BeamLine, places: np.ndarray, masses: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss points: `count` on a straight line; of one with corners some on each piece, since shapes have kinks there; on a curve of many
    pieces twice as many on the whole.
    """
    pieces = list(pairwise(line.stations.tolist()))
    bends = 1 - np.einsum("ki,ki->k", line.axes[:-1, :, 0], line.axes[1:, :, 0])
    if len(pieces) > count and bends.max() < _FLAT:
        pieces, count = [(0.0, line.stations[-1])], 2 * count
    found = []
    for start, end in pieces:
        on = (places > start) & (places < end)
        own = int(np.ceil(count * (end - start) / line.stations[-1])) + (len(pieces) > 1)
        found.append(_gauss_points(places[on], masses[on], own))
    return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])


def _gauss_points(places: np.ndarray, masses: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(places, masses) of `count` points that have the same sums with polynomials up to degree 2 count - 1.

    Source: Golub, Welsch, Calculation of Gauss quadrature rules, Mathematics of Computation 23 (1969).
    """
    middle, half = (places.max() + places.min()) / 2, np.ptp(places) / 2
    scaled = (places - middle) / half
    Q, _ = np.linalg.qr(np.sqrt(masses)[:, None] * np.polynomial.legendre.legvander(scaled, count - 1))
    found, vectors = np.linalg.eigh(Q.T @ (scaled[:, None] * Q))
    return middle + half * found, masses.sum() * vectors[0] ** 2


def _rotated(R: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    return np.concatenate([R @ shapes[:3], R @ shapes[3:]])


def _turned_second(R: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("ab,bij->aij", R, second))
