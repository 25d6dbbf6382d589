"""Symbols of joints, by what the joints can do: hinges, balls, crosses of two axes, rails with blocks, threads and plates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from mobod.matter.bodies.decorations import Box, Cylinder, Geometry, Sphere, Triple
from mobod.scene.joint_motion import SpeedMotion
from mobod.scene.placing import across, with_y_along, with_z_along
from mobod.spatial import Transform, cross

OF_JOINTS: Triple = (0.35, 0.38, 0.42)
OF_GROUND: Triple = (0.62, 0.64, 0.67)

# lengths in radii of links
HINGE = 1.7  # radius
_HALF_HINGE = 2.0  # half length
_BALL = 1.9  # radius
_RAIL = 0.7  # half width
BLOCK = 2.2  # half length along the rail
_REACH = 7.0  # of rails and plates beyond the place of the body

OnFrame = Literal["F", "M"]
Range = tuple[float, float]


@final
@dataclass(frozen=True)
class PlacedInFrame:
    """A shape at the pose X in frame F, on the parent, or in frame M, on the body."""

    frame: OnFrame
    X: Transform
    geometry: Geometry


def joint_symbol(
    motions: Sequence[SpeedMotion], X_FM: Transform, thickness: float, ranges: Mapping[int, Range], base: Triple = OF_JOINTS
) -> Iterator[PlacedInFrame]:
    """The shapes of a joint; none of a body that can move in all directions.

    thickness  radius of the links, m
    ranges     number of a speed -> how far its coordinate may still go in either direction; infinite without a limit
    base       colour of rails and plates on the parent
    """
    slides = [number for number, motion in enumerate(motions) if motion.kind == "slide"]
    if len(slides) > 2 or not motions:
        return
    rotations = [motion for motion in motions if motion.kind != "slide"]
    yield from _of_rotations(rotations, X_FM, thickness)
    if len(slides) == 2:
        yield from _plate([motions[each] for each in slides], X_FM, thickness, base)
        if not rotations:
            yield PlacedInFrame("M", Transform(), Box((1.6 * thickness, 1.6 * thickness, 1.6 * thickness), color=OF_JOINTS))
    elif slides:
        is_round = any(motion.is_about_axis and _are_parallel(motion, motions[slides[0]]) for motion in rotations)
        low, high = ranges.get(slides[0], (-np.inf, np.inf))
        rate = motions[slides[0]].rate
        room = (-np.inf, np.inf) if rate is None else (rate * low, rate * high)
        yield from _rail(motions[slides[0]], X_FM, room, thickness, base, is_round=is_round, has_block=not rotations)


def _of_rotations(rotations: Sequence[SpeedMotion], X_FM: Transform, thickness: float) -> Iterator[PlacedInFrame]:
    match [motion for motion in rotations if motion.is_about_axis]:
        case [one] if len(rotations) == 1 and (one.is_on_body or one.is_on_parent):
            yield _in_frame(one, X_FM, Cylinder(HINGE * thickness, _HALF_HINGE * thickness, color=OF_JOINTS))
            if one.kind == "screw":
                yield from _thread(one, X_FM, thickness)
        case [one, other] if len(rotations) == 2 and _is_cross(one, other):
            for motion in (one, other):
                yield _in_frame(motion, X_FM, Cylinder(1.1 * thickness, 1.3 * _HALF_HINGE * thickness, color=OF_JOINTS))
        case about:
            if rotations:
                is_at_parent = len(about) == len(rotations) and all(_is_on(motion, np.zeros(3)) for motion in about)
                is_at_body = not is_at_parent or all(_is_on(motion, X_FM.p) for motion in about)
                yield PlacedInFrame("M" if is_at_body else "F", Transform(), Sphere(_BALL * thickness, color=OF_JOINTS))


def _thread(motion: SpeedMotion, X_FM: Transform, thickness: float) -> Iterator[PlacedInFrame]:
    """A spindle through the hinge, with rings."""
    frame: OnFrame = "F" if motion.is_on_parent else "M"
    half = _REACH * thickness
    yield _in_frame(motion, X_FM, Cylinder(_RAIL * thickness, half, color=OF_JOINTS), frame)
    for place in (-0.85, -0.7, -0.55, 0.55, 0.7, 0.85):
        yield _in_frame(motion, X_FM, Cylinder(1.3 * thickness, 0.25 * thickness, color=OF_JOINTS), frame, shift=place * half)


def _rail(
    motion: SpeedMotion, X_FM: Transform, room: Range, thickness: float, base: Triple, *, is_round: bool, has_block: bool
) -> Iterator[PlacedInFrame]:
    """From the place of the other frame to that of the body, and beyond; with limits, as far as they reach."""
    if not (motion.is_on_parent or motion.is_on_body):
        return
    frame: OnFrame = "F" if motion.is_on_parent else "M"
    origin = -float(motion.direction @ X_FM.p)  # of F, along the rail
    reach = _REACH * thickness
    low, high = (each if np.isfinite(each) else sign * reach for each, sign in zip(room, (-1, 1), strict=True))
    if frame == "M":  # the parent's end moves along the rail
        low, high = origin - max(0.0, high), origin - min(0.0, low)
    low, high = min(low, origin, 0.0) - 1.5 * thickness, max(high, origin, 0.0) + 1.5 * thickness
    half, width, colour = (high - low) / 2, _RAIL * thickness, base if frame == "F" else OF_JOINTS
    rail: Geometry = Cylinder(width, half, color=colour) if is_round else Box((width, half, width), color=colour)
    yield _in_frame(motion, X_FM, rail, frame, shift=(low + high) / 2)
    if has_block:
        block = Box((1.6 * thickness, BLOCK * thickness, 1.6 * thickness), color=OF_JOINTS)
        yield _in_frame(motion, X_FM, block, "M" if motion.is_on_body else frame)


def _plate(slides: Sequence[SpeedMotion], X_FM: Transform, thickness: float, base: Triple) -> Iterator[PlacedInFrame]:
    normal = cross(slides[0].direction, slides[1].direction)
    length = float(np.linalg.norm(normal))
    frame: OnFrame = "F" if all(motion.is_on_parent for motion in slides) else "M"
    if length < 1e-6 or not all(motion.is_on_parent if frame == "F" else motion.is_on_body for motion in slides):
        return
    normal = normal / length
    way = across(normal, X_FM.p)
    half = _REACH * thickness + float(np.linalg.norm(way))
    center = X_FM.p - way if frame == "F" else X_FM.p
    X = with_z_along(normal, center, slides[0].direction)
    yield _placed(X, X_FM, Box((half, half, 0.25 * thickness), color=base, opacity=0.4), frame)


def _in_frame(motion: SpeedMotion, X_FM: Transform, geometry: Geometry, frame: OnFrame | None = None, shift: float = 0.0) -> PlacedInFrame:
    """The shape with its y axis along the motion; default: on the body, if the axis is fixed there."""
    frame = frame or ("M" if motion.is_on_body else "F")
    return _placed(with_y_along(motion.direction, motion.point + shift * motion.direction), X_FM, geometry, frame)


def _placed(X: Transform, X_FM: Transform, geometry: Geometry, frame: OnFrame) -> PlacedInFrame:
    """X: in frame F at the present coordinates"""
    return PlacedInFrame(frame, X if frame == "F" else X_FM.inverse() @ X, geometry)


def _is_cross(one: SpeedMotion, other: SpeedMotion) -> bool:
    """Whether one axis is fixed on the parent and the other one on the body."""
    fixed = [(motion.is_on_parent, motion.is_on_body) for motion in (one, other)]
    return sorted(fixed) == [(False, True), (True, False)]


def _are_parallel(one: SpeedMotion, other: SpeedMotion) -> bool:
    return abs(float(one.direction @ other.direction)) > 1 - 1e-9


def _is_on(motion: SpeedMotion, point: np.ndarray) -> bool:
    """Whether a point is on the axis."""
    offset = across(motion.direction, point - motion.point)
    return float(np.abs(offset).max()) <= 1e-9 * max(1.0, float(np.abs(motion.point).max()))
