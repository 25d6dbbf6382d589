"""Shapes of bodies that have none: links between their joints, and blocks with their inertia."""

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from mobod.matter import MatterSubsystem, MobilizedBody
from mobod.matter.bodies.decorations import Box, Cylinder, Sphere, Triple
from mobod.scene.placement import Placement
from mobod.scene.placing import with_y_along
from mobod.scene.scene import Shape
from mobod.spatial import MassProperties, Transform
from mobod.system import State

MOST_DETAILED = 300
"""In a larger System there are links alone."""

_COLOURS: tuple[Triple, ...] = (
    (0.26, 0.51, 0.76),
    (0.91, 0.53, 0.23),
    (0.33, 0.64, 0.45),
    (0.77, 0.34, 0.36),
    (0.55, 0.45, 0.71),
    (0.24, 0.64, 0.67),
    (0.83, 0.66, 0.23),
    (0.79, 0.45, 0.62),
)

Ends = Mapping[int, list[np.ndarray]]
"""By the number of a body: points (3,) in its frame to which links lead from its joint."""


def link_ends(matter: MatterSubsystem, placement: Placement, points: Ends) -> Ends:
    """The joints of the children, after the given points."""
    ends = {index: list(points.get(index, ())) for index in range(matter.n_bodies)}
    for body in matter.bodies:
        ends[body.parent.index].append(placement.X_PF[body.index].p)
    return ends


def default_shapes(
    matter: MatterSubsystem,
    state: State,
    placement: Placement,
    wanted: Collection[int],
    ends: Ends,
    thickness: float,
    detailed: Collection[int],
) -> dict[int, list[Shape]]:
    """Shapes of the bodies with the wanted numbers.

    thickness  radius of the links, m
    detailed   bodies that have blocks too, and links to centers of mass
    """
    return {
        body.index: list(_of_body(body, state, placement, ends[body.index], thickness, is_detailed=body.index in detailed))
        for body in matter.bodies
        if body.index in wanted
    }


def link_radius(matter: MatterSubsystem, state: State, placement: Placement, ends: Ends) -> float:
    """Radius of the links, m."""
    extent = _extent(matter, placement)
    numbers = range(1, matter.n_bodies)
    lengths = [np.linalg.norm(end - placement.joint(b)) for b in numbers for end in ends[b]]
    links = [float(each) for each in lengths if each > 1e-6 * extent]
    if extent > 0:
        return min(0.025 * extent, 0.12 * sorted(links)[len(links) // 2] if links else extent)
    return max((0.2 * _half_lengths(body.mass_properties(state))[0].max() for body in matter.bodies), default=0.1) or 0.1


def size_of_mechanism(matter: MatterSubsystem, state: State, placement: Placement) -> float:
    """m: the larger one of the extent of all joints and mass centers, and the largest body."""
    lengths = (2 * float(_half_lengths(body.mass_properties(state))[0].max()) for body in matter.bodies)
    return max(_extent(matter, placement), *lengths, 0.0)


def _extent(matter: MatterSubsystem, placement: Placement) -> float:
    numbers = range(1, matter.n_bodies)
    centers = [placement.X_GB[b].apply(placement.center[b]) for b in numbers]
    joints = [placement.X_GB[b].apply(placement.joint(b)) for b in numbers]
    return float(np.ptp(np.array([*centers, *joints]), axis=0).max()) if matter.bodies else 0.0


def _of_body(
    body: MobilizedBody, state: State, placement: Placement, ends: list[np.ndarray], thickness: float, *, is_detailed: bool
) -> Iterator[Shape]:
    colour = colour_of(body.index)
    joint, center = placement.X_BM[body.index], placement.center[body.index]
    for end in ends or [center] * is_detailed:
        length = float(np.linalg.norm(end - joint.p))
        if length > 0.5 * thickness:
            yield Shape(Cylinder(thickness, length / 2, color=colour), with_y_along((end - joint.p) / length, (joint.p + end) / 2))
    if not is_detailed:
        return
    mass_properties = body.mass_properties(state)
    if mass_properties.mass > 0:
        half, R = _half_lengths(mass_properties)
        if half.max() < 1.5 * thickness:
            yield Shape(Sphere(3 * thickness, color=colour), Transform(p=center), role="mass")
        elif half.min() > 0.9 * half.max():
            same_inertia = Sphere(1.291 * float(half.mean()), color=colour)  # 2/5 r^2 = 2/3 a^2
            yield Shape(same_inertia, Transform(p=center), role="mass")
        else:
            x, y, z = np.maximum(half, 0.8 * thickness).tolist()
            yield Shape(Box((x, y, z), color=colour), Transform.of(R, center), role="mass")


def colour_of(index: int) -> Triple:
    """The colour of a body by its number."""
    return _COLOURS[(index - 1) % len(_COLOURS)]


def _half_lengths(mass_properties: MassProperties) -> tuple[np.ndarray, np.ndarray]:
    """Half the edges (3,) m of a box with the body's mass and inertia, and the axes R of the box in the body's frame."""
    if not mass_properties.mass > 0:
        return np.zeros(3), np.eye(3)
    m, c = mass_properties.mass, np.asarray(mass_properties.com)
    central = np.asarray(mass_properties.inertia) - m * (c @ c * np.eye(3) - np.outer(c, c))
    if np.abs(central - np.diag(np.diag(central))).max() <= 1e-9 * np.abs(central).max():
        moments, R = np.diag(central), np.eye(3)
    else:
        moments, R = np.linalg.eigh(central)
        R = R * np.sign(R[np.abs(R).argmax(axis=0), range(3)])  # the largest entry of each axis is positive
        R[:, 2] = np.cross(R[:, 0], R[:, 1])
    return np.sqrt(np.maximum(0.0, 1.5 * (moments.sum() - 2 * moments) / m)), R
