"""Connections of a scene: springs, dampers, rods and other straight lines between points of two bodies."""

from collections.abc import Iterator
from functools import singledispatch

import numpy as np

from mobod.forces import TwoPointLinearDamper, TwoPointLinearSpring
from mobod.forces.subsystem import forces_of
from mobod.forces.two_point import TwoPointForce
from mobod.matter import Constraint, MatterSubsystem
from mobod.matter.constraints import BallConstraint, Rod, WeldConstraint
from mobod.scene.placing import triple
from mobod.scene.scene import ConnectingLine, ConnectionKind
from mobod.system import State, System

_RADII: dict[ConnectionKind, float] = {"spring": 1.5, "damper": 1.0, "rod": 0.6, "line": 0.2}
"""In radii of links."""

_KINDS: dict[type, ConnectionKind] = {Rod: "rod", TwoPointLinearSpring: "spring", TwoPointLinearDamper: "damper"}  # all others: lines

Ends = tuple[tuple[int, np.ndarray], tuple[int, np.ndarray]]
"""The number of a body and a point (3,) in its frame, twice."""


def connections(system: System, matter: MatterSubsystem, state: State, thickness: float) -> Iterator[ConnectingLine]:
    """Those of enabled constraints and forces. thickness: radius of the links, m"""
    for constraint in matter.constraints:
        if not constraint.is_disabled(state) and (points := points_of(constraint, state)) is not None:
            yield _connection(constraint, points, thickness)
    for force in forces_of(system):
        if isinstance(force, TwoPointForce) and not force.is_disabled(state):
            points = (force.body1.index, force.station1(state)), (force.body2.index, force.station2(state))
            yield _connection(force, points, thickness)


@singledispatch
def points_of(constraint: Constraint, state: State) -> Ends | None:
    """The points between which a constraint acts; None if there are no such points."""
    return None


@points_of.register
def _(constraint: Rod | BallConstraint, state: State) -> Ends | None:
    return (constraint.body1.index, constraint.point1(state)), (constraint.body2.index, constraint.point2(state))


@points_of.register
def _(constraint: WeldConstraint, state: State) -> Ends | None:
    return (constraint.body1.index, constraint.frame1(state).p), (constraint.body2.index, constraint.frame2(state).p)


def _connection(element: Constraint | TwoPointForce, ends: Ends, thickness: float) -> ConnectingLine:
    kind: ConnectionKind = next((_KINDS[each] for each in type(element).__mro__ if each in _KINDS), "line")
    (body1, point1), (body2, point2) = ends
    return ConnectingLine(element.name, kind, body1, triple(point1), body2, triple(point2), _RADII[kind] * thickness)
