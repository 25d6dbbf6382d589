"""Mass properties of solids of one density: shapes, and closed meshes."""

from collections.abc import Iterable, Sequence
from functools import singledispatch
from math import pi
from pathlib import Path

import numpy as np
import scipy  # whose parts are loaded when they are used

from mobod import contact
from mobod.disk.working_folder import absolute
from mobod.errors import InputError, UnsupportedError
from mobod.files.meshes.mesh_file import read_mesh
from mobod.matter.bodies import decorations
from mobod.matter.bodies.decorations import MeshFile, Triple
from mobod.spatial import MassProperties, Transform

Moments = tuple[float, np.ndarray, np.ndarray]
"""Volume (m^3), and the integrals of r and of r r^T over it."""

_MOST_TRIANGLES = 2**31


def mass_properties_of(shapes: Iterable[tuple[Transform, object]], density: float, folders: Sequence[str | Path] = ()) -> MassProperties:
    """Of solid shapes together, about the origin. Where shapes overlap, both count.

    shapes   pairs (pose, shape); shapes of mobod.contact or mobod.decorations
    density  kg/m^3
    folders  where the files of meshes are looked for, see system.mesh_folders

    Raises InputError for a density that is not positive, ModelFileError for a mesh that cannot be read, UnsupportedError for a shape
    without a volume, such as a plane or a mesh with holes.
    """
    if not 0 < density < np.inf:
        raise InputError(f"the density is {density!r} kg/m^3. It must be positive and finite.")
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for X, shape in shapes:
        if not isinstance(X, Transform):
            raise InputError(f"shapes are pairs (Transform, shape), and the first of a pair is {X!r}.")
        one, r, rr = _of_file(shape, folders) if isinstance(shape, MeshFile) else _moments(shape)
        turned = X.R @ r
        volume += one
        first += turned + one * X.p
        second += X.R @ rr @ X.R.T + np.outer(turned, X.p) + np.outer(X.p, turned) + one * np.outer(X.p, X.p)
    if not volume:
        raise UnsupportedError("there are no shapes, and so no mass.")
    inertia = density * (np.trace(second) * np.eye(3) - second)
    return MassProperties(density * volume, first / volume, (inertia + inertia.T) / 2)


def mass_properties_of_file(path: Path, density: float, scale: np.ndarray) -> MassProperties:
    """Of the solid within the mesh of a file; see mass_properties_of."""
    x, y, z = (float(each) for each in scale)
    return mass_properties_of([(Transform(), MeshFile(str(absolute(path)), (x, y, z)))], density, [path.parent])


def moments_of_mesh(triangles: np.ndarray) -> Moments:
    """Of the volume inside of triangles (m, 3, 3), counterclockwise seen from outside.

    Each triangle makes a tetrahedron with the origin, with its sign. Raises UnsupportedError if the triangles do not close a volume.

    Source: Blow and Binstock, How to find the inertia tensor (or other mass properties) of a 3D solid body represented by a triangle
    mesh (2004).
    """
    points, numbers = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    faces = numbers.reshape(-1, 3)
    _check_closed(faces)
    middle = points.mean(axis=0)
    corners = triangles - middle
    six_volumes = np.linalg.det(corners)
    volume = float(six_volumes.sum()) / 6
    if volume < 0:  # all triangles are clockwise
        six_volumes, volume = -six_volumes, -volume
    sums = corners.sum(axis=1)
    first = six_volumes @ sums / 24
    # of a tetrahedron with corners 0, a, b, c: det (a a^T + b b^T + c c^T + s s^T) / 120 with s = a + b + c
    each = np.einsum("tki,tkj->tij", corners, corners) + np.einsum("ti,tj->tij", sums, sums)
    second = np.einsum("t,tij->ij", six_volumes, each) / 120
    moved = second + np.outer(first, middle) + np.outer(middle, first) + volume * np.outer(middle, middle)
    return volume, first + volume * middle, moved


def _check_closed(faces: np.ndarray) -> None:
    """Raise UnsupportedError unless each side of a triangle is one of another triangle in the other direction."""
    sides = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there, n_there = np.unique(sides, axis=0, return_counts=True)
    back, n_back = np.unique(sides[:, ::-1], axis=0, return_counts=True)
    if there.shape != back.shape or (there != back).any() or (n_there != n_back).any():
        raise UnsupportedError(
            "the mesh has holes or triangles that face different ways, so that it has no volume. Mend it, or take its hull."
        )


@singledispatch
def _moments(shape: object) -> Moments:
    """Of a shape, in its own frame; of the file of a mesh see _of_file."""
    raise UnsupportedError(f"a {type(shape).__name__} has no volume of its own.")


def _of_file(mesh: MeshFile, folders: Sequence[str | Path]) -> Moments:
    parts = read_mesh(mesh, folders, most_triangles=_MOST_TRIANGLES)
    try:
        return moments_of_mesh(np.concatenate([part.vertices[part.faces] for part in parts]).astype(float))
    except UnsupportedError as error:
        raise UnsupportedError(f"mesh file '{mesh.path}': {error}") from error


def _even(volume: float, xx: float, yy: float, zz: float) -> Moments:
    """Of a shape that is symmetric about three planes; means of x^2, y^2, z^2."""
    return volume, np.zeros(3), volume * np.diag([xx, yy, zz])


@_moments.register(contact.Sphere)
@_moments.register(decorations.Sphere)
def _of_sphere(shape: contact.Sphere | decorations.Sphere) -> Moments:
    return _ellipsoid((shape.radius, shape.radius, shape.radius))


@_moments.register(contact.Ellipsoid)
@_moments.register(decorations.Ellipsoid)
def _of_ellipsoid(shape: contact.Ellipsoid | decorations.Ellipsoid) -> Moments:
    return _ellipsoid(shape.radii)


@_moments.register(contact.Box)
@_moments.register(decorations.Box)
def _of_box(shape: contact.Box | decorations.Box) -> Moments:
    x, y, z = shape.half_lengths
    return _even(8 * x * y * z, x * x / 3, y * y / 3, z * z / 3)


@_moments.register
def _of_cylinder(shape: contact.Cylinder) -> Moments:
    return _cylinder(shape.radius, shape.half_length)


@_moments.register
def _of_drawn_cylinder(shape: decorations.Cylinder) -> Moments:
    """Its axis is y."""
    volume, first, second = _cylinder(shape.radius, shape.half_length)
    return volume, first, second[np.ix_([0, 2, 1], [0, 2, 1])]


@_moments.register
def _of_capsule(shape: contact.Capsule) -> Moments:
    """A cylinder, and two halves of a ball, each with its center of mass at 3 r / 8."""
    r, half = shape.radius, shape.half_length
    cylinder, ball = 2 * pi * r * r * half, 4 / 3 * pi * r**3
    across = (cylinder * r * r / 4 + ball * r * r / 5) / (cylinder + ball)
    ends = r * r / 5 + half * half + 2 * half * 3 * r / 8
    return _even(cylinder + ball, across, across, (cylinder * half * half / 3 + ball * ends) / (cylinder + ball))


@_moments.register
def _of_cone(shape: contact.Cone) -> Moments:
    """Its center of mass is at a quarter of its length from the base; integrals over disks of radius r (1 / 2 - z / length)."""
    r, length = shape.radius, 2 * shape.half_length
    volume = pi * r * r * length / 3
    across = 3 / 20 * r * r
    return volume, volume * np.array([0.0, 0.0, -length / 4]), volume * np.diag([across, across, length * length / 10])


@_moments.register
def _of_rounded_box(shape: contact.RoundedBox) -> Moments:
    """A box; slabs on its faces; quarters of cylinders along its edges, whose center of mass is 4 r / 3 pi from their axis; eighths of a
    ball at its corners, whose center of mass is at 3 r / 8.
    """
    h, r = np.array(shape.half_lengths), shape.radius
    ball = 4 / 3 * pi * r**3
    volume, squares = 8 * h.prod() + ball, 8 * h.prod() * h**2 / 3 + ball * (h**2 + 2 * h * 3 * r / 8 + r * r / 5)
    for k in range(3):
        slabs, edges = 8 * h.prod() * r / h[k], 2 * pi * r * r * h[k]
        volume += slabs + edges
        of_slabs, of_edges = h**2 / 3, h**2 + 2 * h * 4 * r / (3 * pi) + r * r / 4
        of_slabs[k], of_edges[k] = ((h[k] + r) ** 3 - h[k] ** 3) / (3 * r), h[k] ** 2 / 3
        squares = squares + slabs * of_slabs + edges * of_edges
    return _even(volume, *(squares / volume))


@_moments.register
def _of_mesh(shape: decorations.Mesh) -> Moments:
    return moments_of_mesh(np.array(shape.vertices)[np.array(shape.faces)])


@_moments.register
def _of_hull(shape: contact.ConvexMesh) -> Moments:
    points = np.array(shape.vertices)
    hull = scipy.spatial.ConvexHull(points)
    triangles = points[hull.simplices]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    is_inward = (normals * hull.equations[:, :3]).sum(axis=1) < 0
    triangles[is_inward] = triangles[is_inward][:, ::-1]
    return moments_of_mesh(triangles)


def _ellipsoid(radii: Triple) -> Moments:
    x, y, z = radii
    return _even(4 / 3 * pi * x * y * z, x * x / 5, y * y / 5, z * z / 5)


def _cylinder(r: float, half: float) -> Moments:
    """Along z."""
    return _even(2 * pi * r * r * half, r * r / 4, r * r / 4, half * half / 3)
