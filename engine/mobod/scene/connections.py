"""Connections of a scene: springs, dampers, rods and other straight lines between points of two bodies."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mobod.forces import ForceSubsystem
from mobod.forces.two_point import TwoPointForce
from mobod.forces.two_point_linear_damper import TwoPointLinearDamper
from mobod.forces.two_point_linear_spring import TwoPointLinearSpring
from mobod.matter import Constraint, MatterSubsystem
from mobod.matter.bodies.decorations import Triple
from mobod.matter.constraints import BallConstraint, Rod, WeldConstraint
from mobod.scene.scene import ConnectingLine, ConnectionKind
from mobod.system import State, System

_RADII: dict[ConnectionKind, float] = {"spring": 1.5, "damper": 1.0, "rod": 0.6, "line": 0.2}
"""In radii of links."""

Ends = tuple[tuple[int, np.ndarray], tuple[int, np.ndarray]]
"""The number of a body and a point (3,) in its frame, twice."""


def connections(system: System, matter: MatterSubsystem, state: State, thickness: float) -> Iterator[ConnectingLine]:
    """Those of enabled constraints and forces. thickness: radius of the links, m"""
    for constraint in matter.constraints:
        if not constraint.is_disabled(state) and (points := points_of(constraint, state)) is not None:
            kind: ConnectionKind = "rod" if isinstance(constraint, Rod) else "line"
            yield _connection(constraint.name, kind, points, thickness)
    for subsystem in system.subsystems:
        for force in subsystem.elements if isinstance(subsystem, ForceSubsystem) else ():
            if isinstance(force, TwoPointForce) and not force.is_disabled(state):
                points = (force.body1.index, force.station1(state)), (force.body2.index, force.station2(state))
                yield _connection(force.name, _kind_of(force), points, thickness)


def points_of(constraint: Constraint, state: State) -> Ends | None:
    """The points between which a constraint acts; None if there are no such points."""
    if isinstance(constraint, (Rod, BallConstraint)):
        return (constraint.body1.index, constraint.point1(state)), (constraint.body2.index, constraint.point2(state))
    if isinstance(constraint, WeldConstraint):
        return (constraint.body1.index, constraint.frame1(state).p), (constraint.body2.index, constraint.frame2(state).p)
    return None


def _kind_of(force: TwoPointForce) -> ConnectionKind:
    if isinstance(force, TwoPointLinearSpring):
        return "spring"
    return "damper" if isinstance(force, TwoPointLinearDamper) else "line"


def _connection(name: str, kind: ConnectionKind, ends: Ends, thickness: float) -> ConnectingLine:
    (body1, point1), (body2, point2) = ends
    return ConnectingLine(name, kind, body1, _triple(point1), body2, _triple(point2), _RADII[kind] * thickness)


def _triple(point: Any) -> Triple:
    x, y, z = map(float, point)
    return x, y, z
