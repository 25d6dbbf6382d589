"""MassProperties: the mass, the mass center and the inertia of a rigid body."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import distinct
from mobod.errors import MassPropertiesError
from mobod.spatial.checked import checked_floats, checked_size
from mobod.spatial.inertia import ROUND_OFF, Inertia, check_principal_moments, point_inertia
from mobod.spatial.spatial import spatial_inertia
from mobod.spatial.transform import Transform


@final
class MassProperties:
    """Mass properties of a rigid body, in its own frame. Immutable; equal if all numbers are equal.

    mass     ()      kg       0 for a massless body, whose inertia must be 0 too
    com      (3,)    m        from the body origin to the mass center
    inertia  (3, 3)  kg m^2   about the body origin; given as an Inertia or as a matrix

    raises  MassPropertiesError if no rigid body has these properties, or if a number is not finite or a shape wrong
    """

    __slots__ = ("_com", "_inertia", "_mass")

    def __init__(self, mass: float, com: ArrayLike, inertia: Inertia | ArrayLike):
        if not isinstance(inertia, Inertia):
            inertia = Inertia(inertia)
        self._mass = checked_size(mass, "mass properties: mass", "kg", MassPropertiesError)
        self._com = checked_floats(com, (3,), "mass properties: com", MassPropertiesError)
        self._inertia: np.ndarray = inertia.matrix
        self._com.flags.writeable = False
        self._check_origin(inertia)
        self._check_moments()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self  # immutable; copies of its arrays would not be

    @classmethod
    def point(cls, mass: float, p: ArrayLike) -> "MassProperties":
        """A point mass at p, m."""
        return cls(mass, p, Inertia.point(mass=mass, p=p))

    @classmethod
    def massless(cls) -> "MassProperties":
        """Mass properties of a massless body: all numbers are 0."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    @classmethod
    def from_shapes(
        cls, shapes: Iterable[tuple[Transform, object]], *, density: float, mesh_folders: Sequence[str | Path] = ()
    ) -> "MassProperties":
        """Solid shapes of uniform density together, about the origin of the body. Where shapes overlap, both count.

        shapes        pairs (pose in the body, shape); shapes of mobod.contact or mobod.decorations, such as a ConvexMesh or a MeshFile
        density       kg/m^3
        mesh_folders  where the files of meshes are looked for

        Raises InputError, ModelFileError for a mesh that cannot be read, UnsupportedError for what has no volume, such as a half-space.
        """
        from mobod.files.meshes.solids import mass_properties_of

        return mass_properties_of(shapes, density, mesh_folders)

    @property
    def mass(self) -> float:
        """Mass in kg."""
        return self._mass

    @property
    def com(self) -> np.ndarray:
        """(3,) m, from the body origin to the mass center."""
        return self._com

    @property
    def inertia(self) -> np.ndarray:
        """(3, 3) kg m^2, about the body origin."""
        return self._inertia

    @property
    def inertia_about_com(self) -> np.ndarray:
        """(3, 3), kg m^2, in the axes of the body."""
        return self._inertia - point_inertia(self._mass, self._com)

    def spatial_inertia(self) -> np.ndarray:
        """(6, 6) kg m^2, kg m, kg: spatial inertia about the body origin, which maps [alpha; a] to [torque; force]."""
        return spatial_inertia(self._mass, self._com, self._inertia)

    def _check_origin(self, inertia: Inertia) -> None:
        """Check that an inertia with known mass and mass center agrees with those given here."""
        if inertia.mass is None or inertia.com is None:
            return
        if abs(inertia.mass - self._mass) > ROUND_OFF * self._mass:
            mass, other = distinct(self._mass, inertia.mass)
            raise MassPropertiesError(
                f"mass properties: the mass is {mass} kg, but the inertia is that of {other} kg."
                " Give both the same mass, or pass inertia.matrix if this is intended."
            )
        if self._mass == 0:
            return  # a mass center has no meaning
        extent = np.abs(self._com).max() + np.sqrt(np.abs(self._inertia).max() / self._mass)
        if np.abs(inertia.com - self._com).max() > ROUND_OFF * extent:
            raise MassPropertiesError(
                f"mass properties: com is {self._com.tolist()} m, but measured from the point that the inertia is about, the mass center "
                "is at"
                f" {inertia.com.tolist()} m. The inertia must be about the body origin; convert one about the mass center by .shifted(com)."
            )

    def _check_moments(self) -> None:
        if self._mass == 0 and self._inertia.any():
            raise MassPropertiesError(
                f"mass properties: the mass is 0 kg, but the inertia has a moment of {np.abs(self._inertia).max():g} kg m^2."
                " Only a body with mass has inertia. Give it some mass, however small."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            central = self.inertia_about_com
        # the subtraction cancels digits: the difference has the rounding errors of the inertia about the origin, which for a body is
        # at least 2/3 mass |com|^2
        size = np.abs(self._inertia).max()
        check_principal_moments(central, size=size, what="mass properties, inertia taken to the mass center")

    def _numbers(self) -> tuple[float, ...]:
        return (self._mass, *self._com.tolist(), *self._inertia.ravel().tolist())

    def __eq__(self, other: object) -> bool:
        return self._numbers() == other._numbers() if isinstance(other, MassProperties) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._numbers())

    def __repr__(self) -> str:
        return f"MassProperties(mass={self._mass!r}, com={self._com.tolist()}, inertia={self._inertia.tolist()})"
