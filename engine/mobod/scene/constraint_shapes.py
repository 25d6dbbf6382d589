"""Markers of constraints: the points, lines and planes at which they act."""

from collections.abc import Iterator
from functools import singledispatch

import numpy as np

from mobod.forces import LinearBushing
from mobod.forces.subsystem import forces_of
from mobod.matter import Constraint, MatterSubsystem
from mobod.matter.bodies.decorations import Box, Cylinder, Geometry, Sphere, Triple
from mobod.matter.constraints import (
    BallConstraint,
    NoSlip1D,
    PointInPlane,
    PointOnLine,
    PointOnPlaneContact,
    SphereOnPlaneContact,
    WeldConstraint,
)
from mobod.scene.placement import Placement
from mobod.scene.placing import with_y_along, with_z_along
from mobod.scene.scene import Shape
from mobod.spatial import Transform
from mobod.system import State, System

OF_CONSTRAINTS: Triple = (0.55, 0.24, 0.52)
_REACH = 8.0  # of lines and planes, in radii of links

Marker = tuple[int, Transform, Geometry]  # number of the body; pose in its frame


def constraint_shapes(
    system: System, matter: MatterSubsystem, state: State, placement: Placement, thickness: float
) -> Iterator[tuple[int, Shape]]:
    """The number of a body and a shape on it, of each enabled constraint with a place, and of bushings.

    thickness  radius of the links, m
    """
    for constraint in matter.constraints:
        if not constraint.is_disabled(state):
            for index, X, geometry in _markers(constraint, state, placement, thickness):
                yield index, Shape(geometry, X, role="constraint")
    for force in forces_of(system):
        if isinstance(force, LinearBushing) and not force.is_disabled(state):
            bushing = Cylinder(1.6 * thickness, 1.6 * thickness, color=OF_CONSTRAINTS, opacity=0.6)
            yield force.body1.index, Shape(bushing, force.frame_on_body1(state), role="constraint")


@singledispatch
def _markers(_constraint: Constraint, _state: State, _placement: Placement, _thickness: float) -> Iterator[Marker]:
    """By the type of the constraint; nothing for those without a place."""
    return iter(())


@_markers.register
def _of_ball(constraint: BallConstraint, state: State, _placement: Placement, thickness: float) -> Iterator[Marker]:
    yield constraint.body1.index, Transform(p=constraint.point1(state)), marker_of_point(thickness)


@_markers.register
def _of_weld(constraint: WeldConstraint, state: State, _placement: Placement, thickness: float) -> Iterator[Marker]:
    yield constraint.body1.index, constraint.frame1(state), Box((1.25 * thickness,) * 3, color=OF_CONSTRAINTS)


@_markers.register
def _of_no_slip(constraint: NoSlip1D, state: State, _placement: Placement, thickness: float) -> Iterator[Marker]:
    contact, direction = constraint.contact_point(state), _unit(constraint.direction(state))
    arrow = Cylinder(0.4 * thickness, 3 * thickness, color=OF_CONSTRAINTS)
    yield constraint.case.index, Transform(p=contact), marker_of_point(thickness)
    yield constraint.case.index, with_y_along(direction, contact), arrow


@_markers.register
def _of_point_in_plane(constraint: PointInPlane, state: State, placement: Placement, thickness: float) -> Iterator[Marker]:
    place, on_base = _seen(constraint, constraint.point(state), placement)
    normal = _unit(constraint.normal(state))
    foot = on_base - (normal @ on_base - constraint.height(state)) * normal
    yield constraint.follower.index, place, marker_of_point(thickness)
    yield constraint.plane_body.index, with_z_along(normal, foot), marker_of_plane(thickness)


@_markers.register
def _of_point_on_line(constraint: PointOnLine, state: State, placement: Placement, thickness: float) -> Iterator[Marker]:
    place, on_base = _seen(constraint, constraint.point(state), placement)
    direction, start = _unit(constraint.direction(state)), constraint.point_on_line(state)
    foot = start + (direction @ (on_base - start)) * direction
    yield constraint.follower.index, place, marker_of_point(thickness)
    line = Cylinder(0.4 * thickness, _REACH * thickness, color=OF_CONSTRAINTS)
    yield constraint.line_body.index, with_y_along(direction, foot), line


@_markers.register
def _of_point_on_plane(constraint: PointOnPlaneContact, state: State, placement: Placement, thickness: float) -> Iterator[Marker]:
    place, on_base = _seen(constraint, constraint.point(state), placement)
    yield constraint.follower.index, place, marker_of_point(thickness)
    yield constraint.plane_body.index, _under(constraint.plane_frame(state), on_base), marker_of_plane(thickness)


@_markers.register
def _of_sphere_on_plane(constraint: SphereOnPlaneContact, state: State, placement: Placement, thickness: float) -> Iterator[Marker]:
    place, on_base = _seen(constraint, constraint.center(state), placement)
    sphere = Sphere(constraint.radius(state), color=OF_CONSTRAINTS, opacity=0.35)
    yield constraint.sphere_body.index, place, sphere
    yield constraint.plane_body.index, _under(constraint.plane_frame(state), on_base), marker_of_plane(thickness)


def _seen(constraint: Constraint, point: np.ndarray, placement: Placement) -> tuple[Transform, np.ndarray]:
    """A point of the follower: as a pose in the follower's frame, and in the frame of the base."""
    in_ground = placement.X_GB[constraint.followers[0].index].apply(point)
    return Transform(p=point), placement.X_GB[constraint.base.index].inverse().apply(in_ground)


def _under(plane: Transform, point: np.ndarray) -> Transform:
    """The plane's frame, moved to where it is nearest to the point."""
    x, y, _ = plane.inverse().apply(point)
    return plane @ Transform(p=[x, y, 0.0])


def marker_of_point(thickness: float) -> Sphere:
    """thickness: radius of the links, m"""
    return Sphere(1.25 * thickness, color=OF_CONSTRAINTS)


def marker_of_plane(thickness: float) -> Box:
    """Part of the plane z = 0. thickness: radius of the links, m"""
    return Box((_REACH * thickness, _REACH * thickness, 0.15 * thickness), color=OF_CONSTRAINTS, opacity=0.3)


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)
