"""Sections and materials of beams."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt, tanh
from typing import Self, final

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError


@final
@dataclass(frozen=True, kw_only=True)
class Section:
    """The section of a beam along x; y and z are its principal axes.

    A       m^2
    Iy, Iz  m^4  second moments about y and z: those of bending along z and along y
    J       m^4  of torsion
    shear   (2,) parts of A that carry shear along y and z
    """

    A: float
    Iy: float
    Iz: float
    J: float
    shear: tuple[float, float] = (5 / 6, 5 / 6)

    def __post_init__(self) -> None:
        for name in ("A", "Iy", "Iz", "J"):
            _check_positive(getattr(self, name), f"Section: {name}", "m^2" if name == "A" else "m^4")

    @classmethod
    def rectangle(cls, b: float, h: float) -> Self:
        """b m along y, h m along z. J: Saint-Venant's series (Timoshenko, Goodier, Theory of Elasticity, section 109)."""
        _check_positive(b, "Section.rectangle: b", "m")
        _check_positive(h, "Section.rectangle: h", "m")
        long, short = max(b, h), min(b, h)
        series = sum(tanh(k * pi * long / (2 * short)) / k**5 for k in range(1, 40, 2))
        J = long * short**3 / 3 * (1 - 192 * short / (pi**5 * long) * series)
        return cls(A=b * h, Iy=b * h**3 / 12, Iz=h * b**3 / 12, J=J)

    @classmethod
    def circle(cls, radius: float) -> Self:
        """A solid circle, radius m."""
        _check_positive(radius, "Section.circle: radius", "m")
        return cls(A=pi * radius**2, Iy=pi * radius**4 / 4, Iz=pi * radius**4 / 4, J=pi * radius**4 / 2, shear=(0.9, 0.9))

    @classmethod
    def tube(cls, outer: float, inner: float) -> Self:
        """A circular tube of these radii, m."""
        _check_positive(inner, "Section.tube: inner", "m")
        if not real_number(outer, "Section.tube: outer") > inner:
            raise InputError(f"Section.tube: the outer radius, {outer:g} m, is not above the inner one, {inner:g} m.")
        I = pi * (outer**4 - inner**4) / 4
        return cls(A=pi * (outer**2 - inner**2), Iy=I, Iz=I, J=2 * I, shear=(0.5, 0.5))


@final
class SectionsAlong:
    """The sections of a beam along its line: given at stations, with sizes that change linearly between them.

    What changes linearly are the radii of gyration ry and rz, ry rz / A, sqrt(J (Iy + Iz)) / A^2, and the parts of shear. So cones and
    tapered rectangles have the A, Iy and Iz of their shapes; tubes of constant thickness have them but for the square of thickness over
    radius.
    """

    def __init__(self, stations: np.ndarray, sections: Sequence[Section]):
        """stations (k,) m along the line, growing; sections (k,)"""
        self._stations = stations
        self._sizes = np.array([_sizes(each) for each in sections])
        self._only = sections[0] if all(each == sections[0] for each in sections) else None

    def at(self, s: float) -> Section:
        """The section s m along the line."""
        if self._only is not None:
            return self._only
        ry, rz, slenderness, twist, along_y, along_z = (float(np.interp(s, self._stations, column)) for column in self._sizes.T)
        A = ry * rz / slenderness
        Iy, Iz = A * ry**2, A * rz**2
        return Section(A=A, Iy=Iy, Iz=Iz, J=(twist * A**2) ** 2 / (Iy + Iz), shear=(along_y, along_z))


def _sizes(section: Section) -> tuple[float, ...]:
    A, ry, rz = section.A, sqrt(section.Iy / section.A), sqrt(section.Iz / section.A)
    return ry, rz, ry * rz / A, sqrt(section.J * (section.Iy + section.Iz)) / A**2, *section.shear


@final
@dataclass(frozen=True, kw_only=True)
class Material:
    """An elastic material: E and nu, or E and G.

    E, G     Pa      moduli of elasticity and of shear
    nu       Poisson's ratio
    density  kg/m^3
    """

    E: float
    density: float
    nu: float | None = None
    G: float | None = None

    def __post_init__(self) -> None:
        _check_positive(self.E, "Material: E", "Pa")
        _check_positive(self.density, "Material: density", "kg/m^3")
        if (self.nu is None) == (self.G is None):
            raise InputError("Material: give nu or G, one of them.")
        if self.nu is not None and not -1 < real_number(self.nu, "Material: nu") <= 0.5:
            raise InputError(f"Material: nu is {self.nu:g}; it must be above -1 and at most 0.5.")
        _check_positive(self.shear_modulus, "Material: G", "Pa")

    @property
    def shear_modulus(self) -> float:
        """Pa"""
        if self.G is not None:
            return self.G
        assert self.nu is not None
        return self.E / (2 * (1 + self.nu))


def _check_positive(value: object, what: str, unit: str) -> None:
    if not 0 < real_number(value, what) < float("inf"):
        raise InputError(f"{what} is {value!r} {unit}. It must be positive and finite.")
