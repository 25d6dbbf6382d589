"""Modal data of beams, by frame elements, with mass points at Gauss points and, of straight ones, foreshortening.

The stiffness of an element is that of its strains with the section at each Gauss point: exact for a uniform one. Foreshortening, the
displacement along the beam by its slopes v', w', is of second order in the modal coordinates:

    u(x) = -1/2 int_0^x (v'^2 + w'^2) ds        Phi2_ij(x) = -e_x int_0^x (v_i' v_j' + w_i' w_j') ds

With it the inertia forces of rotation and loads along the beam stiffen or soften bending, without any further term.

Source: Przemieniecki, Theory of Matrix Structural Analysis (1968), ch. 5 and 11; Kane, Ryan, Banerjee, Dynamics of a cantilever beam
attached to a moving base, J. Guidance, Control, and Dynamics (1987).
"""

from collections.abc import Sequence
from typing import final

import numpy as np
from scipy import linalg, sparse

from mobod.errors import InputError
from mobod.flexible.beam_line import BeamLine
from mobod.flexible.interfaces import MassPoint, ModalInterface
from mobod.flexible.invariants import RigidMotion, rigid_motions
from mobod.flexible.modal_data import ModalData
from mobod.flexible.sections import Material, SectionsAlong
from mobod.flexible.signs import with_fixed_signs
from mobod.flexible.surface import ModalSurface, outlines_of_sections, swept_surface
from mobod.spatial import Transform

MOST_STIFFENED = 12  # modes of a beam with shapes of second order
_POINTS, _MANY_MODES, _MORE_POINTS = 12, 8, 16  # Gauss points on the whole beam: those of more than 8 modes have 16

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
                v, turn, _ = (signs * each for each in _bending(x, h, gamma))
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

    def shapes_at(self, x: float, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """((6, n) rotation and displacement, (2, n) slopes v', w') x m along the line, of nodal shapes (6 nodes, n)."""
        element = self.element_at(x)
        A, h = self.axes[element], self.h[element]
        s, nodal = (x - self.stations[element]) / h, np.kron(np.eye(4), A.T) @ basis[6 * element : 6 * element + 12]
        shapes, slopes = np.zeros((6, basis.shape[1])), np.zeros((2, basis.shape[1]))
        shapes[3] = (1 - s) * nodal[0] + s * nodal[6]
        shapes[0] = (1 - s) * nodal[3] + s * nodal[9]
        for k, (entries, gamma, sign) in enumerate(zip(_BENDING, self._shear[element], _SIGNS, strict=True)):
            v, turn, slope = _bending(s, h, gamma)
            signs = np.array([1, sign, 1, sign])
            shapes[4 + k] = (v * signs) @ nodal[entries]
            shapes[2 - k] = sign * ((turn * signs) @ nodal[entries])
            slopes[k] = (slope * signs) @ nodal[entries]
        return _rotated(A, shapes), slopes

    def placed(self, x: float) -> np.ndarray:
        """(3,) m in the body's frame"""
        return self.line.start + self.line.R @ self.position_at(x)

    def quadrature(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(places along the line, m; lengths, m) of Gauss points, so many on each element."""
        parts, weights = _gauss_on_unit(count)
        return (self.stations[:-1, None] + np.outer(self.h, parts)).ravel(), np.outer(self.h, weights).ravel()

    def foreshortening(self, x: float, basis: np.ndarray) -> np.ndarray:
        """(3, n, n) Phi2 at x, of a straight line."""
        total = np.zeros((basis.shape[1],) * 2)
        for start, following in zip(self.stations[:-1], self.stations[1:], strict=True):
            end = min(following, x)
            if end > start:
                for s, weight in zip(*_gauss_on_unit(5), strict=True):
                    slopes = self.shapes_at(start + s * (end - start), basis)[1]
                    total += weight * (end - start) * slopes.T @ slopes
        return np.array([-total, 0 * total, 0 * total])


_BENDING = ([1, 5, 7, 11], [2, 4, 8, 10])  # freedoms of an element: bending along y, along z
_SIGNS = (1.0, -1.0)  # of rotations: w' = -rotation about y


def _bending(s: float, h: float, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(deflection, rotation of the section, slope) at s h for unit deflections and rotations of the ends; gamma (4,): their shear."""
    v = np.array([1 - 3 * s**2 + 2 * s**3, h * (s - 2 * s**2 + s**3), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)])
    turn = np.array([6 * (s**2 - s) / h, 1 - 4 * s + 3 * s**2, 6 * (s - s**2) / h, 3 * s**2 - 2 * s])
    of_shear = 6 * (s**2 - s)
    return v + h * (s - 3 * s**2 + 2 * s**3) * gamma, turn + of_shear * gamma, turn + (of_shear + 1) * gamma


def _curvature(s: float, h: float, gamma: np.ndarray) -> np.ndarray:
    """(4,) the rate of the rotation of the section along the beam."""
    of_ends = np.array([6 * (2 * s - 1) / h**2, (6 * s - 4) / h, 6 * (1 - 2 * s) / h**2, (6 * s - 2) / h])
    return np.asarray(of_ends + 6 * (2 * s - 1) / h * gamma)


def _gauss_on_unit(count: int) -> tuple[np.ndarray, np.ndarray]:
    """(points, weights) from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(count)
    return (points + 1) / 2, weights / 2


def beam_modal_data(beam: BeamMesh, modes: int | None, below: float | None, at: Sequence[float], *, stiffened: bool) -> ModalData:
    """Modes of the beam clamped at its start, lowest first.

    stiffened  with foreshortening, and without shapes along the beam
    """
    M, K = beam.matrices()
    R, start = beam.line.R, beam.line.start
    kept = np.array([k for k in range(6, len(M)) if not (stiffened and k % 6 == 0)])
    squares, vectors = _modes(M[np.ix_(kept, kept)], K[np.ix_(kept, kept)])
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
    basis = np.zeros((len(M), n))
    basis[kept] = with_fixed_signs(vectors[:, :n], np.diag(M)[kept])
    T = rigid_motions(beam.nodes, np.zeros(3), 6)
    rigid = RigidMotion(T.T @ M @ T)
    places = {"start": 0.0, "end": beam.length} | {f"at{k}": fraction * beam.length for k, fraction in enumerate(at)}
    interfaces = {name: _interface(beam, x, basis, stiffened=stiffened) for name, x in places.items()}
    turned = RigidMotion(np.kron(np.eye(2), R) @ rigid.matrix @ np.kron(np.eye(2), R).T)
    return ModalData(
        inboard="start",
        interfaces=interfaces,
        mass_properties=turned.mass_properties(start),
        coupling=_rotated(R, rigid.about_center(T.T @ M @ basis)),
        stiffness=squares[:n],
        damping=np.zeros((n, n)),
        size=float(np.linalg.norm(np.ptp(beam.nodes, axis=0))),
        flexibility_lost=0.0,
        points=_points(beam, basis, stiffened=stiffened),
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
    shapes = np.array([_rotated(R, beam.shapes_at(x, basis)[0]) for x in places])
    outlines = outlines_of_sections([beam.sections.at(x) for x in places])
    return swept_surface(centers, shapes, np.array([outline @ (R @ axes).T for outline, (_, axes) in zip(outlines, drawn, strict=True)]))


def _interface(beam: BeamMesh, x: float, basis: np.ndarray, *, stiffened: bool) -> ModalInterface:
    R = beam.line.R
    second = _turned_second(R, beam.foreshortening(x, basis)) if stiffened and x > 0 else None
    return ModalInterface(Transform(p=beam.placed(x)), _rotated(R, beam.shapes_at(x, basis)[0]), second)


def _points(beam: BeamMesh, basis: np.ndarray, *, stiffened: bool) -> tuple[MassPoint, ...]:
    """Of shapes of second order few, since each costs at each evaluation; of linear ones those with which all their sums are exact."""
    R, rho = beam.line.R, beam.material.density
    places, lengths = beam.quadrature(5)
    masses = rho * lengths * np.array([beam.sections.at(x).A for x in places])
    if stiffened:
        places, masses = _gauss_points(places, masses, _POINTS if basis.shape[1] <= _MANY_MODES else _MORE_POINTS)
    points = []
    for x, mass in zip(places.tolist(), masses.tolist(), strict=True):
        section, axes = beam.sections.at(x), R @ beam.axes[beam.element_at(x)]
        rotary = mass / section.A * axes @ np.diag([section.Iy + section.Iz, section.Iy, section.Iz]) @ axes.T
        second = _turned_second(R, beam.foreshortening(x, basis)) if stiffened else None
        points.append(MassPoint(mass, rotary, beam.placed(x), _rotated(R, beam.shapes_at(x, basis)[0]), second))
    return tuple(points)


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
