"""Inertia: the inertia matrix of a rigid body about a point, inertias of simple shapes, and the check for a rigid body."""

from pathlib import Path
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import distinct
from mobod.errors import MassPropertiesError
from mobod.spatial.checked import checked_floats, checked_size
from mobod.spatial.rotation import checked_rotation

# Relative to the numbers from which an inertia was computed: accepts ten printed digits, and thousands of rounding errors.
ROUND_OFF = 1e-9


@final
class Inertia:
    """Inertia matrix about a point, expressed in the axes of the body. Immutable.

        Inertia(matrix)                                               from its entries, products of inertia with their minus sign
        Inertia.box(mass=m, size=[x, y, z])                           solid shapes of uniform density, about their mass center
        Inertia.sphere(mass=m, radius=r)
        Inertia.cylinder(mass=m, radius=r, length=l, axis="y")
        Inertia.point(mass=m, p=[x, y, z])                            a point mass at p, about the origin
        Inertia.of_mesh("part.stl", density=rho)                      a solid within a closed mesh, about the mesh's origin

    matrix  (3, 3)  kg m^2
    mass    ()      kg      None if not known
    com     (3,)    m       from the reference point of the inertia to the mass center; None if not known

    raises  MassPropertiesError if no rigid body has this inertia about any point, or if it is not finite, not symmetric or not 3x3
    """

    __slots__ = ("_com", "_mass", "_matrix")

    _matrix: np.ndarray
    _mass: float | None
    _com: np.ndarray | None

    def __init__(self, matrix: ArrayLike):
        matrix = _checked_symmetric(checked_floats(matrix, (3, 3), "inertia", MassPropertiesError))
        check_principal_moments(matrix, size=np.abs(matrix).max(), what="inertia")
        self._hold(matrix, None, None)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self  # immutable; copies of its arrays would not be

    @classmethod
    def box(cls, *, mass: float, size: ArrayLike) -> "Inertia":
        """A box with edges along x, y and z; `size` holds their lengths, m."""
        mass = _size(mass, "box", "mass", "kg")
        sizes = checked_floats(size, (3,), "Inertia.box: size", MassPropertiesError)
        x, y, z = (_size(length, "box", f"size[{i}]", "m") for i, length in enumerate(sizes))
        return cls._of_shape(mass, mass / 12 * np.array([y * y + z * z, z * z + x * x, x * x + y * y]))

    @classmethod
    def sphere(cls, *, mass: float, radius: float) -> "Inertia":
        """A solid sphere; mass kg, radius m."""
        mass, radius = _size(mass, "sphere", "mass", "kg"), _size(radius, "sphere", "radius", "m")
        return cls._of_shape(mass, np.full(3, 2 / 5 * mass * radius**2))

    @classmethod
    def cylinder(cls, *, mass: float, radius: float, length: float, axis: str = "y") -> "Inertia":
        """A cylinder whose axis of symmetry is the body's 'x', 'y' or 'z'."""
        mass, radius = _size(mass, "cylinder", "mass", "kg"), _size(radius, "cylinder", "radius", "m")
        length = _size(length, "cylinder", "length", "m")
        if axis not in ("x", "y", "z"):
            raise MassPropertiesError(f"Inertia.cylinder: axis is {axis!r}. It can be 'x', 'y' or 'z'.")
        moments = np.full(3, mass / 12 * (3 * radius**2 + length**2))
        moments["xyz".index(axis)] = mass / 2 * radius**2
        return cls._of_shape(mass, moments)

    @classmethod
    def point(cls, *, mass: float, p: ArrayLike) -> "Inertia":
        """A point mass at p (3,) m, about the origin; mass kg."""
        mass = _size(mass, "point", "mass", "kg")
        p = checked_floats(p, (3,), "Inertia.point: p", MassPropertiesError)
        return cls._known(point_inertia(mass, p), mass, p)

    @classmethod
    def of_mesh(cls, path: str | Path, *, density: float, scale: ArrayLike = (1.0, 1.0, 1.0)) -> "Inertia":
        """A solid of uniform density within a mesh, about the origin of the mesh; its mass and mass center are known.

        path     an STL, OBJ or DAE file; DAE needs the extra `view`
        density  kg/m^3
        scale    (3,) along x, y and z; 0.001 for a file in mm

        Raises ModelFileError for a file that cannot be read, UnsupportedError for a mesh with holes.
        """
        from mobod.files.meshes.solids import mass_properties_of_file

        found = mass_properties_of_file(Path(path), density, checked_floats(scale, (3,), "Inertia.of_mesh: scale", MassPropertiesError))
        return cls._known(found.inertia.copy(), found.mass, found.com.copy())

    @classmethod
    def _of_shape(cls, mass: float, moments: np.ndarray) -> "Inertia":
        return cls._known(np.diag(moments), mass, np.zeros(3))

    @classmethod
    def _known(cls, matrix: np.ndarray, mass: float | None, com: np.ndarray | None) -> "Inertia":
        inertia = cls.__new__(cls)
        inertia._hold(matrix, mass, com)
        return inertia

    def _hold(self, matrix: np.ndarray, mass: float | None, com: np.ndarray | None) -> None:
        matrix.flags.writeable = False
        if com is not None:
            com.flags.writeable = False
        self._matrix, self._mass, self._com = matrix, mass, com

    @property
    def matrix(self) -> np.ndarray:
        """(3, 3) kg m^2: the inertia matrix about the reference point."""
        return self._matrix

    @property
    def mass(self) -> float | None:
        """Mass in kg; None if not known."""
        return self._mass

    @property
    def com(self) -> np.ndarray | None:
        """(3,) m: from the reference point to the mass center; None if not known."""
        return self._com

    def shifted(self, p: ArrayLike, *, mass: float | None = None) -> "Inertia":
        """The inertia about the same point after the body has been moved by p.

        If p is the position of the mass center in the body, this converts an inertia about the mass center to one about the body origin.

        p       (3,)   m
        mass    ()     kg   for an inertia made from a matrix, which is then assumed to be about the mass center
        raises  MassPropertiesError if the mass is not known, or is given although it is known
        """
        p = checked_floats(p, (3,), "Inertia.shifted: p", MassPropertiesError)
        if self._mass is None or self._com is None:
            if mass is None:
                raise MassPropertiesError(
                    "Inertia.shifted: the mass is not known, because this inertia was made from a matrix. Write .shifted(p, mass=...);"
                    " the matrix is then assumed to be about the mass center."
                )
            before, kilograms = np.zeros(3), _size(mass, "shifted", "mass", "kg")
        elif mass is not None:
            raise MassPropertiesError(
                f"Inertia.shifted: the mass of this inertia is already known, {self._mass:g} kg. Remove mass={mass:g}."
            )
        else:
            before, kilograms = self._com, self._mass
        after = before + p
        matrix = self._matrix + (point_inertia(kilograms, after) - point_inertia(kilograms, before))
        return Inertia._known(matrix, kilograms, after)

    def rotated(self, R_AB: ArrayLike) -> "Inertia":
        """The same inertia expressed in A; this one is expressed in B.

        raises  InputError if R_AB is not a rotation matrix
        """
        R = checked_rotation(checked_floats(R_AB, (3, 3), "Inertia.rotated: R_AB"), "Inertia.rotated: R_AB")
        rotated = R @ self._matrix @ R.T
        return Inertia._known((rotated + rotated.T) / 2, self._mass, None if self._com is None else R @ self._com)

    def __repr__(self) -> str:
        return f"Inertia({self._matrix.tolist()})"


def point_inertia(mass: float, p: np.ndarray) -> np.ndarray:
    """Inertia of a point mass at p about the origin, (3, 3), kg m^2: the term of the parallel-axis theorem."""
    return mass * (p @ p * np.eye(3) - np.outer(p, p))


def check_principal_moments(matrix: np.ndarray, *, size: float, what: str) -> None:
    """Check that a rigid body can have this inertia.

    Its moments are integrals of y^2 + z^2, z^2 + x^2 and x^2 + y^2 over the mass. So none is negative, and none exceeds the sum of the
    others.
    For a plane figure one equals that sum, so round-off of ROUND_OFF * size is allowed.

    matrix  (3, 3)  kg m^2   symmetric
    size    ()      kg m^2   size of the largest numbers from which the matrix was computed, for its round-off
    what    for messages: what has the moments
    raises  MassPropertiesError
    """
    if not np.isfinite(matrix).all():
        raise MassPropertiesError(f"{what} has entries too large to compute with. Check units.")
    smallest, middle, largest = np.linalg.eigvalsh(matrix)
    if smallest < -ROUND_OFF * size:
        raise MassPropertiesError(
            f"{what}: not the inertia of a rigid body. Its smallest principal moment, {smallest:.6g} kg m^2, is negative."
            " Check units, signs of the products of inertia, and the point that the inertia is about."
        )
    excess = largest - (middle + smallest)
    if excess > ROUND_OFF * size:
        larger, smaller = distinct(largest, middle + smallest)
        raise MassPropertiesError(
            f"{what}: not the inertia of a rigid body. Its largest principal moment, {larger} kg m^2, exceeds the sum of the others,"
            f" {smaller} kg m^2, by {excess:.3g} kg m^2."
            " Check units, signs of the products of inertia, and the point that the inertia is about."
        )


def _checked_symmetric(matrix: np.ndarray) -> np.ndarray:
    difference = np.abs(matrix - matrix.T)
    i, j = np.unravel_index(np.argmax(difference), (3, 3))
    if difference[i, j] > ROUND_OFF * np.abs(matrix).max():
        one, other = distinct(matrix[i, j], matrix[j, i])
        raise MassPropertiesError(
            f"inertia is not symmetric: its entries [{i}, {j}] and [{j}, {i}] are {one} and {other} kg m^2. They must be equal."
        )
    return (matrix + matrix.T) / 2


def _size(value: object, shape: str, name: str, unit: str) -> float:
    return checked_size(value, f"Inertia.{shape}: {name}", unit, MassPropertiesError)
