"""ConvexMesh: the convex hull of points, whose corners touch half-spaces."""

from dataclasses import fields
from typing import Self, final

import numpy as np
import scipy  # whose parts are loaded when they are used
from numpy.typing import ArrayLike

from mobod.contact.shapes.bounded_shape import BoundedShape, LowestPoint, lowest_of
from mobod.contact.shapes.contact_shape import Decorations, Look, nested
from mobod.contact.shapes.hull_tables import hull_tables
from mobod.errors import InputError
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import Triple
from mobod.matter.parameters import equations
from mobod.runtime.tables import Struct
from mobod.scalar import Array, is_recorded
from mobod.spatial import Transform
from mobod.spatial.checked import checked_floats
from mobod.system.elements import Parameter
from mobod.system.named_arguments import named_arguments

FLAT = 1e-9  # thickness of a mesh that is taken as flat, relative to its size


@final
@named_arguments
@equations
class ConvexMesh(BoundedShape):
    """The convex hull of points, each of which is a corner of it. Its corners touch half-spaces.

    vertices  (n, 3)  m  at least 4, not in one plane

    Raises InputError if a vertex is not a corner of the hull; `ConvexMesh.hull_of(points)` leaves out such points.
    """

    vertices: tuple[Triple, ...]
    kernel_kind = "SHAPE_HULL"
    has_table = True

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
        object.__setattr__(self, "vertices", nested(vertices))

    @property
    def parameters(self) -> tuple[Parameter[float | np.ndarray], ...]:
        """The vertices, (n, 3), m."""
        return (Parameter(name="vertices", unit="m", description="corners", shape=(len(self.vertices), 3)),)

    @classmethod
    def hull_of(cls, points: ArrayLike) -> Self:
        """The convex hull of points (n, 3), m. Points that are not its corners are left out; the others keep their order.

        Raises InputError as ConvexMesh does.
        """
        checked = _checked_vertices(points)
        return cls(nested(checked[_corners(checked)]))

    @property
    def features(self) -> tuple[str, ...]:
        """See BoundedShape."""
        return tuple(f"vertex_{i}" for i in range(len(self.vertices)))

    def lowest_points(self, m: Array) -> list[LowestPoint]:
        """See BoundedShape."""
        return lowest_of(self.vertices, m)

    def hull_table(self) -> Struct:
        """See ContactShape."""
        tables = hull_tables(self.vertices)
        names = [each.name for each in fields(tables) if each.name not in ("size",)]
        lists = {name: np.ravel(getattr(tables, name)).tolist() for name in names}
        return Struct("Hull", n_vertices=len(tables.vertices), n_faces=tables.n_faces, size=tables.size, **lists)

    def decorations(self, look: Look) -> Decorations:
        """See ContactShape."""
        return [(Transform(), decorations.Mesh(self.vertices, _facets(np.array(self.vertices)), **look.of_geometry))]


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


def _facets(vertices: np.ndarray) -> tuple[tuple[int, int, int], ...]:
    """The triangles of the hull, counterclockwise seen from outside."""
    hull = scipy.spatial.ConvexHull(vertices)
    faces = []
    for (a, b, c), outward in zip(hull.simplices.tolist(), hull.equations[:, :3], strict=True):
        is_seen = np.cross(vertices[b] - vertices[a], vertices[c] - vertices[a]) @ outward > 0
        faces.append((a, b, c) if is_seen else (a, c, b))
    return tuple(faces)
