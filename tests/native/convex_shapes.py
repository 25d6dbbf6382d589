"""Distances and contact points of convex shapes from the C runtime, for tests."""

import ctypes
from collections.abc import Sequence
from ctypes import c_double, c_int
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mobod.contact.shapes import HeightField, TerrainMesh
from mobod.contact.shapes.hull_tables import HullTables, hull_tables
from mobod.native_sources import native_files
from mobod.runtime.c_objects import CObject
from mobod.runtime.compiler import build_library
from mobod.runtime.library import ffi
from mobod.runtime.tables import Memory

HERE = Path(__file__).parent
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
KINDS = ("ball", "capsule", "box", "rounded_box", "cylinder", "cone", "ellipsoid", "hull", "half_space", "terrain")
FREE, ON_EDGES, ON_FACE_OF_2, ON_FACE_OF_1 = 4, 3, 2, 1  # PointKind
MOST_POINTS = 8


class _Hull(ctypes.Structure):
    _fields_ = (
        ("n_vertices", c_int),
        ("n_faces", c_int),
        ("vertices", ctypes.c_void_p),
        ("first_neighbour", ctypes.c_void_p),
        ("neighbours", ctypes.c_void_p),
        ("faces", ctypes.c_void_p),
        ("first_corner", ctypes.c_void_p),
        ("corners", ctypes.c_void_p),
        ("normals", ctypes.c_void_p),
        ("size", c_double),
    )


class _Given(ctypes.Structure):
    _fields_ = (("kind", c_int), ("numbers", c_double * 4), ("hull", ctypes.c_void_p), ("terrain", ctypes.c_void_p))


class _Placement(ctypes.Structure):
    _fields_ = (("R", c_double * 9), ("p", c_double * 3))


class _Point(ctypes.Structure):
    _fields_ = (
        ("kind", c_int),
        ("a", c_double * 3),
        ("b", c_double * 3),
        ("m", c_double * 3),
        ("e", c_double * 3),
        ("radius", c_double * 2),
        ("d", c_double),
        ("share", c_double),
        ("on", c_int * 2),
    )


class _Points(ctypes.Structure):
    _fields_ = (
        ("with_shares", c_int),
        ("must_be_least", c_int),
        ("n", c_int),
        ("d", c_double),
        ("normal", c_double * 3),
        ("facing", c_double),
        ("end_share", c_double),
        ("is_patch", c_int),
        ("width", c_double),
        ("nearest", _Point),
        ("points", _Point * MOST_POINTS),
    )


@dataclass(frozen=True)
class Shape:
    """A shape by its kind and its numbers, in the order of ShapeKind; or a hull by its vertices (n, 3); or terrain."""

    kind: str
    numbers: tuple[float, ...] = ()
    vertices: np.ndarray | None = field(default=None, compare=False)
    ground: HeightField | TerrainMesh | None = field(default=None, compare=False)

    @cached_property
    def tables(self) -> HullTables:
        assert self.vertices is not None
        return hull_tables(self.vertices)

    @cached_property
    def _hull(self) -> _Hull:
        tables = self.tables
        arrays = (tables.vertices, tables.first_neighbour, tables.neighbours, tables.faces, tables.first_corner, tables.corners)
        pointers = [array.ctypes.data for array in (*arrays, tables.normals)]
        return _Hull(len(tables.vertices), tables.n_faces, *pointers, tables.size)

    @cached_property
    def given(self) -> _Given:
        numbers = (c_double * 4)(*self.numbers)
        hull = ctypes.addressof(self._hull) if self.kind == "hull" else None
        terrain = None if self.ground is None else int(ffi.cast("intptr_t", self._terrain[1]))
        return _Given(KINDS.index(self.kind), numbers, hull, terrain)

    @cached_property
    def _terrain(self) -> tuple[Memory, CObject]:
        assert self.ground is not None
        table = self.ground.terrain_table()
        assert table is not None
        memory = Memory(lambda name: ffi.NULL)
        return memory, memory.struct(table)


@dataclass(frozen=True)
class Pose:
    """R (3, 3), p (3,) m: the frame of a shape in Ground."""

    R: np.ndarray
    p: np.ndarray

    @property
    def given(self) -> _Placement:
        return _Placement((c_double * 9)(*np.ravel(self.R).tolist()), (c_double * 3)(*np.asarray(self.p, dtype=float).tolist()))

    def __call__(self, x: ArrayLike) -> np.ndarray:
        return np.asarray(x) @ self.R.T + self.p


@dataclass(frozen=True)
class Point:
    """A contact point: see ContactPoint in contact_points.h."""

    kind: int
    a: np.ndarray
    b: np.ndarray
    m: np.ndarray
    e: np.ndarray
    radius: tuple[float, float]
    d: float
    on: tuple[int, int]

    def normal(self, X1: Pose, X2: Pose) -> np.ndarray:
        """(3,) in Ground, from shape 1 to shape 2."""
        if self.kind == ON_EDGES:
            n = np.cross(X1.R @ self.m, X2.R @ self.e)
            return np.asarray(n / np.linalg.norm(n))
        return {ON_FACE_OF_1: X1.R, ON_FACE_OF_2: X2.R, FREE: np.eye(3)}[self.kind] @ self.m


@dataclass(frozen=True)
class Found:
    """What the runtime found of one pair. bits: all of it, as bytes."""

    d: float
    normal: np.ndarray
    points: tuple[Point, ...]
    bits: bytes

    @property
    def nearest(self) -> Point:
        """The point that has the distance of the shapes."""
        return min(self.points, key=lambda point: abs(point.d - self.d))


@dataclass(frozen=True)
class Shapes:
    """The functions of fmu_src/native/shapes."""

    library: ctypes.CDLL

    def points(
        self,
        shape1: Shape,
        X1: Pose,
        shape2: Shape,
        X2: Pose,
        *,
        reach: float = 1e100,
        hint: np.ndarray | None = None,
        turning: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Found | None:
        """The contact points; None if the shapes are farther apart than reach (m).

        hint     (6,) which changes
        turning  (3,) rad/s, of shape 2 against shape 1 in frame 1
        """
        (found,) = self.many([(shape1, X1, shape2, X2)], reach=reach, hints=None if hint is None else hint[None], turning=turning)
        return found

    def many(
        self,
        pairs: Sequence[tuple[Shape, Pose, Shape, Pose]],
        *,
        reach: float = 1e100,
        hints: np.ndarray | None = None,
        turning: ArrayLike = (0.0, 0.0, 0.0),
        times: int = 1,
    ) -> list[Found | None]:
        """The contact points of several pairs. hints: (n, 6), which change."""
        n = len(pairs)
        hints = np.zeros((n, 6)) if hints is None else hints
        shapes1, shapes2 = (_Given * n)(*(pair[0].given for pair in pairs)), (_Given * n)(*(pair[2].given for pair in pairs))
        poses1, poses2 = (_Placement * n)(*(pair[1].given for pair in pairs)), (_Placement * n)(*(pair[3].given for pair in pairs))
        found = (_Points * n)()
        turns = (c_double * 3)(*np.asarray(turning, dtype=float).tolist())
        of_hints = ctypes.c_void_p(hints.ctypes.data)
        self.library.find_many(n, shapes1, poses1, shapes2, poses2, c_double(reach), of_hints, turns, times, found)
        return [_found(each) for each in found]

    def nearest(self, shape1: Shape, X1: Pose, shape2: Shape, X2: Pose) -> tuple[float, np.ndarray, np.ndarray]:
        """(d, normal (3,), (2, 3) the nearest points in Ground), from a cold start."""
        found = self.points(shape1, X1, shape2, X2)
        assert found is not None
        return found.d, found.normal, np.array([X1(found.nearest.a), X2(found.nearest.b)])


def _found(found: _Points) -> Found | None:
    if not found.n:
        return None
    points = found.points[: found.n]
    # the struct has unused bytes after `kind`
    bits = b"".join(bytes(getattr(each, name)) for each in points for name in ("a", "b", "m", "e", "radius"))
    bits += np.array([found.d, *found.normal, *(each.d for each in points)]).tobytes()
    return Found(
        found.d,
        np.array(found.normal),
        tuple(
            Point(p.kind, np.array(p.a), np.array(p.b), np.array(p.m), np.array(p.e), (p.radius[0], p.radius[1]), p.d, (p.on[0], p.on[1]))
            for p in points
        ),
        bits + repr([(p.kind, tuple(p.on)) for p in points]).encode(),
    )


def compiled(flags: Sequence[str] = ()) -> Shapes:
    """The library of shapes, compiled without warnings."""
    sources = {name: path.read_text() for name, path in native_files().items() if path.parent.name in ("shapes", "terrain")}
    headers = {
        name: native_files()[name].read_text() for name in ("elementary.h", "lu.c", "lu.h", "number.h", "number_type.h", "vectors.h")
    }
    driver = {"shapes_driver.c": (HERE / "shapes_driver.c").read_text()}
    strict = {name: STRICT for name in sources if name.endswith(".c")}
    return Shapes(ctypes.CDLL(str(build_library("shapes", sources | headers | driver, flags=flags, flags_of=strict))))
