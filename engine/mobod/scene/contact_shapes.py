"""Shapes of contacts, on bodies that have no decorations of their own."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mobod.contact import HalfSpace, HeightField, TerrainMesh, TriangleMesh, decorations_of
from mobod.contact.contact_force import ContactForce, PlacedShapes
from mobod.contact.contact_pool import ContactPool
from mobod.contact.rigid_contact import RigidContact
from mobod.forces.subsystem import forces_of
from mobod.matter import MatterSubsystem
from mobod.matter.bodies.decorations import Box, Triple
from mobod.scene.default_shapes import colour_of
from mobod.scene.placement import Placement
from mobod.scene.scene import Shape
from mobod.spatial import Transform
from mobod.system import State, System

OF_GROUND: Triple = (0.62, 0.64, 0.67)
_THIN = 0.01  # thickness of the plate that stands for a half-space, relative to the bodies
_OPACITY = 0.4  # of this plate
_AROUND, _BEYOND = 3.0, 1.0  # how far it reaches around where the bodies are, and beyond where they come to, relative to them

Contact = RigidContact | ContactPool | ContactForce


def contacts_of(system: System, matter: MatterSubsystem) -> Iterator[Contact]:
    """The rigid contacts, then the contact forces."""
    yield from (each for each in matter.constraints if isinstance(each, (RigidContact, ContactPool)))
    yield from (each for each in forces_of(system) if isinstance(each, ContactForce))


def contact_shapes(
    contacts: Sequence[Contact], state: State, placement: Placement, decorated: Collection[int], size: float, places: np.ndarray | None
) -> dict[int, list[Shape]]:
    """By the number of a body: each shape that touches others, once.

    decorated  bodies that are drawn otherwise
    size       m, of the mechanism
    places     (m, bodies, 3) m: where the origins of the bodies come to, in Ground; None: unknown
    """
    found: dict[Any, tuple[int, Transform, Any, list[int]]] = {}  # body, pose, shape, what it touches
    for pair in (pair for contact in contacts for pair in _pairs_of(contact, state)):
        for (body, X, shape), (other, _, _) in (pair, pair[::-1]):
            key = body.index, X.R.tobytes(), X.p.tobytes(), shape
            found.setdefault(key, (body.index, X, shape, []))[-1].append(other.index)
    size = max([size, *(2 * _reach(shape) for _, _, shape, _ in found.values())])
    shapes: dict[int, list[Shape]] = {}
    for index, X, shape, others in found.values():
        if index in decorated:
            continue
        if isinstance(shape, HalfSpace):
            points, beyond = np.array([placement.X_GB[each].p for each in others]), _AROUND
            if places is not None and index == 0:
                points, beyond = places[:, others].reshape(-1, 3), _BEYOND
            drawn = [_plate(placement.X_GB[index] @ X, points, size, beyond)]
        else:
            color = colour_of(index) if index else OF_GROUND
            drawn = [Shape(geometry, X_SD, role="contact") for X_SD, geometry in decorations_of(shape, color=color)]
        shapes.setdefault(index, []).extend(replace(each, X=X @ each.X) for each in drawn)
    return shapes


def _pairs_of(contact: Contact, state: State) -> Sequence[PlacedShapes]:
    return contact.placed_pairs(state) if isinstance(contact, ContactPool) else [contact.placed_shapes(state)]


def _reach(shape: Any) -> float:
    """m, about half the size of a shape."""
    lengths = shape.vertices if isinstance(shape, (TriangleMesh, HeightField, TerrainMesh)) else shape.parameter_values()
    return float(np.abs(lengths).max(initial=0.0))


def _plate(X_GS: Transform, points: np.ndarray, size: float, beyond: float) -> Shape:
    """A part of the half-space, in its frame S, below points in Ground."""
    on_plane = (points - X_GS.p) @ X_GS.R[:, :2]
    low, high = on_plane.min(axis=0), on_plane.max(axis=0)
    (x, y), (half_x, half_y) = (low + high) / 2, (high - low) / 2 + beyond * size
    thick = _THIN * size
    box = Box((float(half_x), float(half_y), thick), color=OF_GROUND, opacity=_OPACITY)
    return Shape(box, Transform(p=[x, y, -thick]), role="floor")
