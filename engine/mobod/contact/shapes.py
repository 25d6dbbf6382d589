"""Shapes that touch each other. Each has a frame of its own, which is placed on a body. Lengths in m.

Use them with their module's name, since mobilizers and decorations have the same names: `mb.contact.Sphere(0.1)`.
"""

from collections.abc import Sequence
from operator import index
from typing import Any, Self, final

import numpy as np
import scipy  # whose parts are loaded when they are used
from numpy.typing import ArrayLike

from mobod.contact.tangents import tangents_of
from mobod.errors import InputError
from mobod.matter.parameters import Parametrised, equations
from mobod.scalar import Array, Scalar, is_recorded
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats, unit_vector
from mobod.system.elements import Parameter, parameter
from mobod.system.named_arguments import named_arguments

Triple = tuple[float, float, float]
MOST_POINTS = 100  # on a circle, or on each rim of a cylinder
FLAT = 1e-9  # thickness of a mesh that is taken as flat, relative to its size


class ContactShape(Parametrised):
    """Base class of the shapes. They are immutable; equal shapes have equal numbers.

    Lengths are parameters: recordings take them as inputs. Numbers of points and of vertices are structure.
    Raises InputError for lengths that are not finite or not greater than 0.
    """

    def __post_init__(self) -> None:
        for each in self.parameters:
            value = getattr(self, each.name)
            if not is_recorded(value):
                object.__setattr__(self, each.name, _nested(each.checked(value, f"{type(self).__name__}: {each.name}")))

    @final
    def with_parameters(self, values: Sequence[Scalar] | Array) -> Self:
        """The same shape with other numbers, which are not checked and may be recorded; values (n_parameters,)."""
        shape = object.__new__(type(self))
        shape.__dict__.update(vars(self))
        start = 0
        for each in self.parameters:
            part = np.reshape(np.array(values[start : start + each.size]), each.shape)
            shape.__dict__[each.name] = _nested(part)
            start += each.size
        return shape


@final
@named_arguments
@equations
class HalfSpace(ContactShape):
    """All that lies below a plane: z < 0 of its frame. The outward normal is z."""

    @staticmethod
    def frame(normal: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> Transform:
        """The pose of the half-space's frame for a plane through a point.

        normal   (3,) of any length but 0, outward
        point    (3,) m
        returns  Transform, in the frame in which both are given
        """
        along = checked_floats(normal, (3,), "HalfSpace: normal")
        if not along.any():
            raise InputError("HalfSpace: normal cannot be the zero vector. Give any other; its length does not matter.")
        z = unit_vector(along)
        x, y = tangents_of(z)
        return Transform(np.array([x, y, z]).T, checked_floats(point, (3,), "HalfSpace: point"))

    @staticmethod
    def frame_of_simbody(X_BS: Transform | None = None) -> Transform:
        """The pose on body B of the half-space's frame, for a half-space of Simbody, which fills x > 0 of its frame S.

        X_BS     Transform, default: S is the body's frame
        returns  Transform; its z axis is -x of S, its y axis y of S
        """
        X_SH = Transform(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]))
        return X_SH if X_BS is None else X_BS @ X_SH


@final
@named_arguments
@equations
class Sphere(ContactShape):
    """A sphere about the origin.

    radius  m
    """

    radius: float = parameter("m", "radius", above=0.0, kw_only=False)


@final
@named_arguments
@equations
class Capsule(ContactShape):
    """A cylinder about z with a half sphere at each end.

    radius       m
    half_length  m  half of the straight part: the centers of the half spheres are at z = -half_length and half_length
    """

    radius: float = parameter("m", "radius", above=0.0, kw_only=False)
    half_length: float = parameter("m", "half of the straight part", above=0.0, kw_only=False)


@final
@named_arguments
@equations
class Cylinder(ContactShape):
    """A cylinder about z, from z = -half_length to half_length. Its two rims touch.

    radius       m
    half_length  m
    points       0: the nearest point of each rim touches, which moves around the rim; it is not determined where the cylinder stands
                 upright. 3 or more: this many points that are fixed on each rim touch instead, the first one on x, so that it can stand.
    """

    radius: float = parameter("m", "radius", above=0.0, kw_only=False)
    half_length: float = parameter("m", "half of the length", above=0.0, kw_only=False)
    points: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "points", _checked_points(self))


@final
@named_arguments
@equations
class Box(ContactShape):
    """A box about the origin. Its corners touch half-spaces.

    half_lengths  (3,)  m  half of the edges along x, y and z
    """

    half_lengths: Triple = parameter("m", "half of the edges along x, y and z", shape=(3,), above=0.0, kw_only=False)


@final
@named_arguments
@equations
class Ellipsoid(ContactShape):
    """An ellipsoid about the origin.

    radii  (3,)  m  along x, y and z
    """

    radii: Triple = parameter("m", "along x, y and z", shape=(3,), above=0.0, kw_only=False)


@final
@named_arguments
@equations
class Circle(ContactShape):
    """A circle about z, in the x-y plane: the edge of a thin wheel or of a coin.

    radius  m
    points  0: the nearest point touches, which moves around the circle; it is not determined where the circle lies flat. 3 or more: this
            many points that are fixed on the circle touch instead, the first one on x, so that it can lie.
    """

    radius: float = parameter("m", "radius", above=0.0, kw_only=False)
    points: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "points", _checked_points(self))


@final
@named_arguments
@equations
class Torus(ContactShape):
    """A torus about z: a tire, or the foot of a glass.

    radius       m  of the circle in the x-y plane that is the center of the tube
    tube_radius  m
    """

    radius: float = parameter("m", "radius of the circle at the center of the tube", above=0.0, kw_only=False)
    tube_radius: float = parameter("m", "radius of the tube", above=0.0, kw_only=False)


@final
@named_arguments
@equations
class ConvexMesh(ContactShape):
    """The convex hull of points, each of which is a corner of it. Its corners touch half-spaces.

    vertices  (n, 3)  m  at least 4, not in one plane

    Raises InputError if a vertex is not a corner of the hull; `ConvexMesh.hull_of(points)` leaves out such points.
    """

    vertices: tuple[Triple, ...]

    def __post_init__(self) -> None:
        if is_recorded(self.vertices):
            return
        vertices = _checked_vertices(self.vertices)
        corners = _corners(vertices)
        inner = sorted(set(range(len(vertices))) - set(corners))
        if inner:
            first = inner[0]
            more = {1: "", 2: ", nor is another one"}.get(len(inner), f", nor are {len(inner) - 1} others")
            raise InputError(
                f"ConvexMesh: vertex {first} at {vertices[first].tolist()} m is not a corner of the convex hull of all vertices"
                f"{more}. The mesh is not convex, or has a point inside, on a "
                "face, or twice. Split it into convex parts, or take its hull: ConvexMesh.hull_of(points)."
            )
        object.__setattr__(self, "vertices", _nested(vertices))

    @property
    def parameters(self) -> tuple[Parameter[Any], ...]:
        """The vertices, (n, 3), m."""
        return (Parameter(name="vertices", unit="m", description="corners", shape=(len(self.vertices), 3)),)

    @classmethod
    def hull_of(cls, points: ArrayLike) -> Self:
        """The convex hull of points (n, 3), m. Points that are not its corners are left out; the others keep their order.

        Raises InputError as ConvexMesh does.
        """
        checked = _checked_vertices(points)
        return cls(_nested(checked[_corners(checked)]))


def _checked_points(shape: Cylinder | Circle) -> int:
    try:
        points = -1 if isinstance(shape.points, bool) else index(shape.points)
    except TypeError:
        points = -1
    if points != 0 and not 3 <= points <= MOST_POINTS:
        what = f"{type(shape).__name__}: points is {shape.points!r}"
        raise InputError(f"{what}. It must be 0, or a whole number from 3 to {MOST_POINTS}.")
    return points


def _checked_vertices(vertices: ArrayLike) -> np.ndarray:
    """(n, 3). Raises InputError unless there are at least 4 finite points that do not lie in one plane."""
    n = np.shape(vertices)[0] if np.ndim(vertices) else 0
    if n < 4:
        raise InputError(f"ConvexMesh: there are {n} vertices. At least 4 are needed.")
    points = checked_floats(vertices, (n, 3), "ConvexMesh: vertices")
    extents = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if extents[2] <= FLAT * extents[0]:
        raise InputError(f"ConvexMesh: the {n} vertices lie in one plane. A mesh needs a volume.")
    return points


def _corners(vertices: np.ndarray) -> list[int]:
    """The indices of the corners of the hull, in order."""
    return sorted(scipy.spatial.ConvexHull(vertices).vertices.tolist())


def _nested(array: Array) -> Any:
    """The array as nested tuples; a number if it has no axes."""
    return array.tolist() if array.ndim == 0 else tuple(_nested(np.asarray(row)) for row in array)
