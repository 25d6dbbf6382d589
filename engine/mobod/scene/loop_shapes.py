"""Couplings that close loops: their joints, their limits, and planes of contact."""

from collections.abc import Iterator
from functools import singledispatch

import numpy as np

from mobod.couplings import CouplingLoop
from mobod.couplings.equations import CouplingEquations
from mobod.couplings.kinds import PlaneConnectorCoupling
from mobod.couplings.unilateral_couplings import CouplingDistances
from mobod.matter import Constraint, MatterSubsystem
from mobod.scene.constraint_shapes import marker_of_plane, marker_of_point
from mobod.scene.joint_motion import joint_motions
from mobod.scene.joint_symbols import PlacedInFrame, Range, joint_symbol
from mobod.scene.limit_shapes import limit_shapes, without_far_stops
from mobod.scene.placement import Placement
from mobod.scene.placing import with_z_along
from mobod.scene.scene import Role, Shape
from mobod.spatial import Transform
from mobod.system import State

OnBody = tuple[int, Shape]
"""The number of a body, and a shape on it."""


def loop_shapes(matter: MatterSubsystem, state: State, placement: Placement, thickness: float, reach: float) -> Iterator[OnBody]:
    """The number of a body and a shape on it, of each enabled coupling. Frame D on body B is that of the parent.

    thickness  radius of the links, m
    reach      of stops that are shown, m
    """
    for constraint in matter.constraints:
        if not constraint.is_disabled(state):
            yield from _shapes(constraint, state, placement, thickness, reach)


@singledispatch
def _shapes(_constraint: Constraint, _state: State, _placement: Placement, _thickness: float, _reach: float) -> Iterator[OnBody]:
    """By the type of the constraint; nothing for those that are no couplings."""
    return iter(())


@_shapes.register
def _of_distances(distances: CouplingDistances, _state: State, _placement: Placement, thickness: float, _reach: float) -> Iterator[OnBody]:
    yield from _plane_of_contact(distances, distances.X_AC, distances.X_BD, thickness)


@_shapes.register
def _of_loop(loop: CouplingLoop, state: State, placement: Placement, thickness: float, reach: float) -> Iterator[OnBody]:
    X_AC, X_BD = (loop.X_AC, loop.X_BD) if loop.limits is not None else (loop.frame_C(state), loop.frame_D(state))
    yield from _plane_of_contact(loop, X_AC, X_BD, thickness)
    if not isinstance(loop.coupling, PlaneConnectorCoupling):
        center = X_AC.inverse().apply(placement.center[loop.body_A.index])
        for role, each in _of_joint(loop, state, thickness, reach, center):
            carrier, X = (loop.body_B, X_BD) if each.frame == "F" else (loop.body_A, X_AC)
            yield carrier.index, Shape(each.geometry, X @ each.X, role=role)


def _plane_of_contact(constraint: CouplingLoop | CouplingDistances, X_AC: Transform, X_BD: Transform, thickness: float) -> Iterator[OnBody]:
    """The point and the plane of a coupling that has them."""
    if isinstance(constraint.coupling, PlaneConnectorCoupling):
        plane = with_z_along(np.array(constraint.coupling.normal), np.zeros(3))
        yield constraint.body_A.index, Shape(marker_of_point(thickness), X_AC, role="constraint")
        yield constraint.body_B.index, Shape(marker_of_plane(thickness), X_BD @ plane, role="constraint")


def _of_joint(loop: CouplingLoop, state: State, thickness: float, reach: float, center: np.ndarray) -> Iterator[tuple[Role, PlacedInFrame]]:
    """F is D, and M is C. center: of mass, in M"""
    coordinates = loop.coupling.coordinates
    if not coordinates:
        yield "constraint", PlacedInFrame("M", Transform(), marker_of_point(thickness))
        return
    q = loop.coordinates(state)
    equations = CouplingEquations.of(loop.coupling)
    motions, X_FM = joint_motions(equations, q), equations.X_FM(q)
    ranges: dict[int, Range] = {each.index: (each.min - q[each.index], each.max - q[each.index]) for each in coordinates if each.is_limited}
    room = without_far_stops(motions, ranges, reach)
    yield from (("constraint", each) for each in joint_symbol(motions, X_FM, thickness, room))
    yield from (("limit", each) for each in limit_shapes(motions, X_FM, thickness, room, [X_FM.apply(center)]))
