"""Drawings of scenes: flat shapes from back to front, for SVG and PNG."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from mobod.matter.bodies.decorations import Triple
from mobod.scene.camera import Camera, camera
from mobod.scene.connection_patches import connection_patches
from mobod.scene.default_shapes import MOST_DETAILED, colour_of
from mobod.scene.modal_mesh import deformed_scene
from mobod.scene.patches import Drawing, Patch
from mobod.scene.poses import poses
from mobod.scene.reach import reach
from mobod.scene.scene import Scene
from mobod.scene.shape_patches import patches_of
from mobod.spatial import Transform

_GREY: Triple = (0.45, 0.48, 0.52)
_LINES = 12  # of the lattice on a floor, at each side of the middle
_LATTICE: Triple = (0.80, 0.82, 0.85)  # lines on a floor


@dataclass(frozen=True)
class _Piece:
    """Patches with the points in m, as the camera sees them, and the depth of what is nearest to the viewer."""

    name: str
    depth: float
    patches: list[Patch]


@final
@dataclass(frozen=True)
class Framing:
    """What a drawing shows: how it sees the scene, the point (2,) m in its middle, right and up as it is seen, and pixels per m."""

    view: Camera
    middle: np.ndarray
    scale: float


def draw(
    scene: Scene, width: int, height: int, *, placed: list[Transform] | None = None, margin: float = 0.06, line: float = 1.0
) -> Drawing:
    """The scene, as large as possible.

    placed  poses of the bodies in Ground; default: by the start values of the scene's quantities
    margin  free at each side, as a fraction of the smaller extent
    line    width of outlines, pixels
    """
    placed = poses(scene.to_data()) if placed is None else placed
    return _drawing(*_whole(scene, width, height, placed, margin, line), width, height)


def film_frame(scene: Scene, width: int, height: int, placed: list[Transform], room: float) -> Framing:
    """What all pictures of a film show: the scene in the middle. room: at each side, as a fraction of the smaller extent"""
    return _whole(scene, width, height, placed, room, 1.0)[1]


def draw_in(scene: Scene, frame: Framing, width: int, height: int, placed: list[Transform]) -> Drawing:
    """The part of the scene that a frame shows, on lines on the floor, if its height is known."""
    pieces = sorted(_pieces(deformed_scene(scene), placed, frame.view, 1.0), key=lambda piece: piece.depth)
    below = [] if scene.floor is None else [_floor_lines(scene.up, scene.floor, frame, width)]
    return _drawing([*below, *pieces], frame, width, height)


def _whole(scene: Scene, width: int, height: int, placed: list[Transform], margin: float, line: float) -> tuple[list[_Piece], Framing]:
    view = camera(scene, placed) if len(placed) > 1 else Camera(np.eye(3))
    scene = deformed_scene(scene)
    pieces = sorted(_pieces(scene, placed, view, line), key=lambda piece: piece.depth)
    patches = [patch for piece in pieces for patch in piece.patches]
    if not patches:
        return [], Framing(view, np.zeros(2), 1.0)
    points = np.concatenate([patch.points for patch in patches])
    low, high = points.min(axis=0), points.max(axis=0)
    free = 2 * margin * min(width, height)
    extent = np.maximum(high - low, 1e-9 * max(1e-9, float(np.abs(points).max())))
    scale = float(min((width - free) / extent[0], (height - free) / extent[1]))
    return pieces, Framing(view, (low + high) / 2, scale)


def _drawing(pieces: list[_Piece], frame: Framing, width: int, height: int) -> Drawing:
    def on_paper(patch: Patch) -> Patch:
        x, y = ((patch.points - frame.middle) * frame.scale).T
        points = np.array([width / 2 + x, height / 2 - y]).T
        return replace(patch, points=_longer_than_a_pixel(points) if patch.has_pairs else points)

    return Drawing(width, height, tuple((piece.name, tuple(map(on_paper, piece.patches))) for piece in pieces))


def _floor_lines(up: Triple, floor: float, frame: Framing, width: int) -> _Piece:
    """A lattice of lines on the floor about the middle of the picture. Lines stay where they are on the floor while the middle moves."""
    normal, axes = np.array(up), frame.view.axes
    first = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    second = np.cross(normal, first)
    spacing = 10.0 ** np.floor(np.log10(width / frame.scale / 3))
    middle = frame.middle @ axes[:2]
    slope = float(normal @ axes[2])
    middle = middle + (floor - middle @ normal) * (axes[2] / slope if abs(slope) > 1e-3 else normal)
    start = [spacing * np.round(middle @ each / spacing) for each in (first, second)]
    on_floor = floor * normal
    steps = spacing * np.arange(-_LINES, _LINES + 1)
    ends = [
        on_floor + a * one + b * other
        for one, other, at, across in ((first, second, start[0], start[1]), (second, first, start[1], start[0]))
        for a in at + steps
        for b in (across + steps[0], across + steps[-1])
    ]
    return _Piece("", -np.inf, [Patch(frame.view.seen(np.array(ends))[:, :2], None, _LATTICE, 1.0, has_pairs=True)])


def _pieces(scene: Scene, placed: list[Transform], view: Camera, line: float) -> Iterator[_Piece]:
    if len(scene.bodies) > MOST_DETAILED:
        yield from _strokes(scene, placed, view, line)
        return
    is_bare = any(shape.role in ("axis", "mass") for body in scene.bodies for shape in body.shapes)
    for body, X_GB in zip(scene.bodies, placed, strict=True):
        for shape in body.shapes:
            if shape.role in ("limit", "constraint", "sensor") and not is_bare:  # shapes of users are drawn alone
                continue
            if shape.role == "floor":  # it is larger than the mechanism
                continue
            X = X_GB @ shape.X
            patches = list(patches_of(shape.geometry, X, view, line))
            if patches:
                nearer = reach(shape.geometry, X.R.T @ view.axes[2]) * (1 if body.parent is not None else -1)  # Ground hides no joints
                yield _Piece(body.name, float(view.seen(X.p[None])[0, 2]) + nearer, patches)
    for connection in scene.connections:
        ends = np.array([placed[connection.body1].apply(connection.point1), placed[connection.body2].apply(connection.point2)])
        seen = view.seen(ends)
        yield _Piece(connection.name, float(seen[:, 2].max()), list(connection_patches(connection, seen[:, :2], _GREY, line)))


def _strokes(scene: Scene, placed: list[Transform], view: Camera, line: float) -> Iterator[_Piece]:
    """Lines from joint to joint, in place of the shapes of a large System."""
    ends: dict[Triple, list[np.ndarray]] = {}
    joints = [X.p if body.parent is None else X.apply(body.X_BM.p) for body, X in zip(scene.bodies, placed, strict=True)]
    for number, body in enumerate(scene.bodies):
        if body.parent:
            colour = colour_of(body.parent)
            ends.setdefault(colour, []).extend((joints[body.parent], joints[number]))
    for colour, points in ends.items():
        yield _Piece("", 0.0, [Patch(view.seen(np.array(points))[:, :2], None, colour, 2 * line, has_pairs=True)])


def _longer_than_a_pixel(points: np.ndarray) -> np.ndarray:
    """The pairs of points that differ in whole pixels, each once, on whole pixels."""
    pairs = np.unique(np.round(points).reshape(-1, 4), axis=0)
    return pairs[(pairs[:, :2] != pairs[:, 2:]).any(axis=1)].reshape(-1, 2)
