"""Decorations: shapes to draw with a body, as plain data. Lengths in m.

Use them with their module's name, since some mobilizers have the same names: `mb.decorations.Sphere(0.1)`.
"""

from collections.abc import Sized
from dataclasses import dataclass, fields
from math import pi
from typing import Any, Literal, final

import numpy as np

from mobod.errors import InputError
from mobod.spatial import Transform
from mobod.spatial.checked import checked_array, checked_floats

Triple = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """Base class of shapes, which are drawn about their own origin.

    color    red, green, blue, each from 0 to 1
    opacity  from 0 to 1

    Raises InputError for invalid numbers and for lengths that are not positive.
    """

    color: Triple = (0.6, 0.6, 0.6)
    opacity: float = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            check = _CHECKS.get((field.name, field.type)) or _CHECKS.get(field.name)
            if check is not None:
                object.__setattr__(self, field.name, check(getattr(self, field.name), f"{type(self).__name__}: {field.name}"))


@final
@dataclass(frozen=True)
class Sphere(Geometry):
    """A sphere about the origin; radius in m."""

    radius: float


@final
@dataclass(frozen=True)
class Box(Geometry):
    """A box about the origin with half the edge lengths along x, y and z, m."""

    half_lengths: Triple  # along x, y and z


@final
@dataclass(frozen=True)
class Cylinder(Geometry):
    """A cylinder about the origin with its axis along y; radius and half length in m."""

    radius: float
    half_length: float


@final
@dataclass(frozen=True)
class Ellipsoid(Geometry):
    """An ellipsoid about the origin; radii along x, y and z, m."""

    radii: Triple  # along x, y and z


@final
@dataclass(frozen=True)
class Arc(Geometry):
    """A flat sector of a ring in the x-y plane, seen from both sides.

    radius      m    outer radius
    width       m    of the ring, inward; at most the radius, where it is a sector of a disk
    start, end  rad  angles from x, right-handed about z; the end is greater than the start by at most a turn
    """

    radius: float
    width: float
    start: float
    end: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width > self.radius:
            raise InputError(f"Arc: width is {self.width:g} m. It must be at most the radius, {self.radius:g} m.")
        if not 0 < self.end - self.start <= 2 * pi * (1 + 1e-12):
            raise InputError(
                f"Arc: it begins at {self.start:g} rad and ends at {self.end:g} rad. The end must be greater, by at most a turn."
            )


@final
@dataclass(frozen=True)
class Line(Geometry):
    """A straight line between two points."""

    start: Triple
    end: Triple


@final
@dataclass(frozen=True)
class Frame(Geometry):
    """Three coordinate axes."""

    axis_length: float = 1.0


@final
@dataclass(frozen=True)
class Mesh(Geometry):
    """A mesh of triangles.

    vertices  (n, 3)  points
    faces     (m, 3)  for each triangle the numbers of its vertices, counterclockwise seen from outside
    """

    vertices: tuple[Triple, ...]
    faces: tuple[tuple[int, int, int], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        highest = max(max(face) for face in self.faces)
        if highest >= len(self.vertices):
            raise InputError(f"Mesh: a face has vertex {highest}. The vertices are numbered from 0 to {len(self.vertices) - 1}.")


@final
@dataclass(frozen=True)
class MeshFile(Geometry):
    """A file with a mesh of triangles: STL, OBJ or DAE. It is read for drawings alone.

    path   a path, or an address such as package://arm/link1.stl, in one of system.mesh_folders; kept as it was given
    scale  factors along x, y and z of the file
    color  default: that of the file, if it has colors
    """

    path: str
    scale: Triple = (1.0, 1.0, 1.0)


@final
@dataclass(frozen=True)
class PlacedDecoration:
    """A shape and its pose in Ground."""

    X_GD: Transform
    geometry: Geometry


@final
@dataclass(frozen=True)
class Text(Geometry):
    """Text that begins at the origin and faces the viewer."""

    text: str
    height: float = 0.1


@dataclass(frozen=True)
class Decoration:
    """A shape and its pose X: in the body's frame, in the mobilizer's frame M (outboard), or in frame F on the parent (inboard)."""

    frame: Literal["body", "outboard", "inboard"]
    X: Transform
    geometry: Geometry


def _length(value: object, what: str) -> float:
    length = float(checked_floats(value, (), what))
    if length <= 0:
        raise InputError(f"{what} is {length:g} m. It must be greater than 0.")
    return length


def _lengths(value: object, what: str) -> Triple:
    x, y, z = (_length(length, what) for length in checked_floats(value, (3,), what))
    return x, y, z


def _point(value: object, what: str) -> Triple:
    x, y, z = checked_floats(value, (3,), what).tolist()
    return x, y, z


def _fraction(value: object, what: str) -> float:
    fraction = float(checked_floats(value, (), what))
    if not 0 <= fraction <= 1:
        raise InputError(f"{what} is {fraction:g}. It must be from 0 to 1.")
    return fraction


def _color(value: object, what: str) -> Triple:
    red, green, blue = (_fraction(part, what) for part in checked_floats(value, (3,), what))
    return red, green, blue


def _rows(value: object, what: str) -> np.ndarray:
    n = len(value) if isinstance(value, Sized) else 0
    if not n:
        raise InputError(f"{what} is {value!r}. At least one row of three numbers is needed.")
    return checked_array(value, (n, 3), what)


def _points(value: object, what: str) -> tuple[Triple, ...]:
    return tuple((x, y, z) for x, y, z in _rows(value, what).astype(float).tolist())


def _faces(value: object, what: str) -> tuple[tuple[int, int, int], ...]:
    rows = _rows(value, what)
    if (rows < 0).any() or (rows != np.floor(rows)).any():
        raise InputError(f"{what}: the numbers of vertices are whole numbers from 0 on.")
    return tuple((a, b, c) for a, b, c in rows.astype(int).tolist())


def _angle(value: object, what: str) -> float:
    return float(checked_floats(value, (), what))


# check of each field by its name, or by its name and type if the name means something else in another shape
_CHECKS: dict[Any, Any] = {
    "color": _color,
    "opacity": _fraction,
    "radius": _length,
    "half_length": _length,
    "axis_length": _length,
    "height": _length,
    "half_lengths": _lengths,
    "radii": _lengths,
    "start": _point,
    "end": _point,
    "width": _length,
    ("start", float): _angle,
    ("end", float): _angle,
    "scale": _point,
    "vertices": _points,
    "faces": _faces,
}


__all__ = [
    "Arc",
    "Box",
    "Cylinder",
    "Decoration",
    "Ellipsoid",
    "Frame",
    "Geometry",
    "Line",
    "Mesh",
    "MeshFile",
    "PlacedDecoration",
    "Sphere",
    "Text",
]


def __dir__() -> list[str]:
    return sorted(__all__)
