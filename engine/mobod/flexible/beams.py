"""Modal data of straight beams, by frame elements, with mass points at Gauss points and foreshortening.

Foreshortening, the displacement along the beam by its slopes v', w', is of second order in the modal coordinates:

    u(x) = -1/2 int_0^x (v'^2 + w'^2) ds        Phi2_ij(x) = -e_x int_0^x (v_i' v_j' + w_i' w_j') ds

With it the inertia forces of rotation and loads along the beam stiffen or soften bending, without any further term.

Source: Przemieniecki, Theory of Matrix Structural Analysis (1968), ch. 5 and 11; Kane, Ryan, Banerjee, Dynamics of a cantilever beam
attached to a moving base, J. Guidance, Control, and Dynamics (1987).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import linalg

from mobod.errors import InputError
from mobod.flexible.interfaces import MassPoint, ModalInterface
from mobod.flexible.invariants import RigidMotion, rigid_motions
from mobod.flexible.modal_data import ModalData
from mobod.flexible.sections import Material, Section
from mobod.flexible.surface import ModalSurface, outline_of_section, swept_surface
from mobod.spatial import Transform

MOST_STIFFENED = 12  # modes of a beam with shapes of second order
_POINTS, _MANY_MODES, _MORE_POINTS = 12, 8, 16  # Gauss points on the whole beam: those of more than 8 modes have 16

_DRAWN = 25  # sections of a beam in drawings


@final
@dataclass(frozen=True, eq=False)
class StraightBeam:
    """A beam of frame elements along x."""

    length: float
    section: Section
    material: Material
    elements: int
    has_shear: bool

    @property
    def h(self) -> float:
        return self.length / self.elements

    def _ratios(self) -> tuple[float, float]:
        """Flexibility in shear against bending, of an element, for bending along y and along z."""
        s, E, G = self.section, self.material.E, self.material.shear_modulus
        if not self.has_shear:
            return 0.0, 0.0
        along_y, along_z = (12 * E * I / (k * G * s.A * self.h**2) for I, k in zip((s.Iz, s.Iy), s.shear, strict=True))
        return along_y, along_z

    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """(M, K) of all nodes, 6 freedoms each."""
        s, E, G, rho, h = self.section, self.material.E, self.material.shear_modulus, self.material.density, self.h
        Me, Ke = np.zeros((12, 12)), np.zeros((12, 12))
        for first, stiffness, density in ((0, E * s.A, rho * s.A), (3, G * s.J, rho * (s.Iy + s.Iz))):
            at = np.ix_([first, first + 6], [first, first + 6])
            Ke[at] += stiffness / h * np.array([[1, -1], [-1, 1]])
            Me[at] += density * h / 6 * np.array([[2, 1], [1, 2]])
        gauss, weights = np.polynomial.legendre.leggauss(5)  # exact for products of cubics
        for entries, I, phi, sign in zip(_BENDING, (s.Iz, s.Iy), self._ratios(), _SIGNS, strict=True):
            k = np.array([[12, 6 * h, -12, 6 * h], [6 * h, (4 + phi) * h**2, -6 * h, (2 - phi) * h**2]])
            k = np.vstack([k, [-12, -6 * h, 12, -6 * h], [6 * h, (2 - phi) * h**2, -6 * h, (4 + phi) * h**2]]) * E * I / (h**3 * (1 + phi))
            m = np.zeros((4, 4))
            for x, weight in zip((gauss + 1) / 2, weights / 2, strict=True):
                v, turn, _ = _bending(x, h, phi)
                m += weight * h * rho * (s.A * np.outer(v, v) + I * np.outer(turn, turn))
            signs, at = np.diag([1, sign, 1, sign]), np.ix_(entries, entries)
            Ke[at] += signs @ k @ signs
            Me[at] += signs @ m @ signs
        n = 6 * self.elements + 6
        M, K = np.zeros((n, n)), np.zeros((n, n))
        for element in range(self.elements):
            at_element = slice(6 * element, 6 * element + 12)
            M[at_element, at_element] += Me
            K[at_element, at_element] += Ke
        return M, K

    def shapes_at(self, x: float, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """((6, n) rotation and displacement, (2, n) slopes v', w') at x m, of nodal shapes (6 nodes, n)."""
        element = min(int(x / self.h), self.elements - 1)
        s, nodal = x / self.h - element, basis[6 * element : 6 * element + 12]
        shapes, slopes = np.zeros((6, basis.shape[1])), np.zeros((2, basis.shape[1]))
        shapes[3] = (1 - s) * nodal[0] + s * nodal[6]
        shapes[0] = (1 - s) * nodal[3] + s * nodal[9]
        for k, (entries, phi, sign) in enumerate(zip(_BENDING, self._ratios(), _SIGNS, strict=True)):
            v, turn, slope = _bending(s, self.h, phi)
            signs = np.array([1, sign, 1, sign])
            shapes[4 + k] = (v * signs) @ nodal[entries]
            shapes[2 - k] = sign * ((turn * signs) @ nodal[entries])
            slopes[k] = (slope * signs) @ nodal[entries]
        return shapes, slopes

    def foreshortening(self, x: float, basis: np.ndarray) -> np.ndarray:
        """(3, n, n) Phi2 at x."""
        gauss, weights = np.polynomial.legendre.leggauss(5)
        total, start = np.zeros((basis.shape[1],) * 2), 0.0
        while start < x - 1e-12 * self.length:
            end = min(start + self.h, x)
            for s, weight in zip((gauss + 1) / 2, weights / 2, strict=True):
                slopes = self.shapes_at(start + s * (end - start), basis)[1]
                total += weight * (end - start) * slopes.T @ slopes
            start = end
        return np.array([-total, 0 * total, 0 * total])


_BENDING = ([1, 5, 7, 11], [2, 4, 8, 10])  # freedoms of an element: bending along y, along z
_SIGNS = (1.0, -1.0)  # of rotations: w' = -rotation about y


def _bending(s: float, h: float, phi: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(deflection, rotation of the section, slope) at s h for unit deflections and rotations of the ends."""
    v = [
        1 - 3 * s**2 + 2 * s**3 + phi * (1 - s),
        h * (s - 2 * s**2 + s**3 + phi * (s - s**2) / 2),
        3 * s**2 - 2 * s**3 + phi * s,
        h * (s**3 - s**2 + phi * (s**2 - s) / 2),
    ]
    turn = [6 * (s**2 - s) / h, 1 - 4 * s + 3 * s**2 + phi * (1 - s), 6 * (s - s**2) / h, 3 * s**2 - 2 * s + phi * s]
    slope = [
        (-6 * s + 6 * s**2 - phi) / h,
        1 - 4 * s + 3 * s**2 + phi * (1 - 2 * s) / 2,
        (6 * s - 6 * s**2 + phi) / h,
        3 * s**2 - 2 * s + phi * (2 * s - 1) / 2,
    ]
    return np.array(v) / (1 + phi), np.array(turn) / (1 + phi), np.array(slope) / (1 + phi)


def beam_modal_data(
    beam: StraightBeam, modes: int | None, below: float | None, at: Sequence[float], R: np.ndarray, *, stiffened: bool
) -> ModalData:
    """Modes of the beam clamped at its start, lowest first; R (3, 3): the axes of the beam in the body's frame.

    stiffened  with foreshortening, and without shapes along the beam
    """
    M, K = beam.matrices()
    nodes = np.zeros((beam.elements + 1, 3))
    nodes[:, 0] = np.linspace(0, beam.length, beam.elements + 1)
    kept = np.array([k for k in range(6, len(M)) if not (stiffened and k % 6 == 0)])
    # of the inverse problem, so that stiff directions take no digits from the lowest modes
    inverses, vectors = linalg.eigh(M[np.ix_(kept, kept)], K[np.ix_(kept, kept)])
    squares, vectors = 1 / inverses[::-1], vectors[:, ::-1] / np.sqrt(inverses[::-1])
    n = 6 if modes is None else modes
    if below is not None:
        n = min(int((squares < (2 * np.pi * below) ** 2).sum()), len(squares) if modes is None else n)
        if not n:
            lowest = np.sqrt(squares[0]) / (2 * np.pi)
            raise InputError(
                f"FlexibleBeam: no mode lies below {below:g} Hz; the lowest is {lowest:.4g} Hz. Raise below, or use a RigidBody."
            )
    basis = np.zeros((len(M), n))
    basis[kept] = vectors[:, :n]
    T = rigid_motions(nodes, np.zeros(3), 6)
    rigid = RigidMotion(T.T @ M @ T)
    places = {"start": 0.0, "end": beam.length} | {f"at{k}": fraction * beam.length for k, fraction in enumerate(at)}
    interfaces = {name: _interface(beam, x, basis, R, stiffened=stiffened) for name, x in places.items()}
    mass = rigid.mass_properties(np.zeros(3))
    turned = type(mass)(mass.mass, R @ mass.com, R @ mass.inertia @ R.T)
    return ModalData(
        inboard="start",
        interfaces=interfaces,
        mass_properties=turned,
        coupling=_rotated(R, rigid.about_center(T.T @ M @ basis)),
        stiffness=squares[:n],
        damping=np.zeros((n, n)),
        size=beam.length,
        flexibility_lost=0.0,
        points=_points(beam, basis, R, stiffened=stiffened),
        surface=_surface(beam, basis, R),
    )


def _surface(beam: StraightBeam, basis: np.ndarray, R: np.ndarray) -> ModalSurface:
    places = np.linspace(0, beam.length, _DRAWN)
    shapes = np.array([_rotated(R, beam.shapes_at(x, basis)[0]) for x in places])
    return swept_surface(np.outer(places, R[:, 0]), shapes, outline_of_section(beam.section) @ R.T)


def _interface(beam: StraightBeam, x: float, basis: np.ndarray, R: np.ndarray, *, stiffened: bool) -> ModalInterface:
    second = _turned_second(R, beam.foreshortening(x, basis)) if stiffened and x > 0 else None
    return ModalInterface(Transform(p=R @ [x, 0, 0]), _rotated(R, beam.shapes_at(x, basis)[0]), second)


def _points(beam: StraightBeam, basis: np.ndarray, R: np.ndarray, *, stiffened: bool) -> tuple[MassPoint, ...]:
    section, rho = beam.section, beam.material.density
    rotary = rho * R @ np.diag([section.Iy + section.Iz, section.Iy, section.Iz]) @ R.T
    gauss, weights = np.polynomial.legendre.leggauss(_POINTS if basis.shape[1] <= _MANY_MODES else _MORE_POINTS)
    points = []
    for x, part in zip((gauss + 1) / 2 * beam.length, weights / 2 * beam.length, strict=True):
        second = _turned_second(R, beam.foreshortening(x, basis)) if stiffened else None
        shapes = _rotated(R, beam.shapes_at(x, basis)[0])
        points.append(MassPoint(part * rho * section.A, part * rotary, R @ [x, 0, 0], shapes, second))
    return tuple(points)


def _rotated(R: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    return np.concatenate([R @ shapes[:3], R @ shapes[3:]])


def _turned_second(R: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("ab,bij->aij", R, second))
