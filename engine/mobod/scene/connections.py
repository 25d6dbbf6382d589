"""Connections of a scene: springs, dampers, rods and other straight lines between points of two bodies."""

from collections.abc import Iterator
from functools import singledispatch
from itertools import pairwise

import numpy as np

from mobod.forces import FixedTendon, Force, GearPair, TwoPointLinearDamper, TwoPointLinearSpring
from mobod.forces.subsystem import forces_of
from mobod.forces.two_point.stations import TwoPointForce
from mobod.matter import Constraint, MatterSubsystem, MobilizedBody
from mobod.matter.constraints import BallConstraint, Rod, WeldConstraint
from mobod.scene.placement import Placement
from mobod.scene.placing import triple
from mobod.scene.scene import ConnectingLine, ConnectionKind
from mobod.system import State, System

_RADII: dict[ConnectionKind, float] = {"spring": 1.5, "damper": 1.0, "rod": 0.6, "line": 0.2}
"""In radii of links."""

_KINDS: dict[type, ConnectionKind] = {Rod: "rod", TwoPointLinearSpring: "spring", TwoPointLinearDamper: "damper"}  # all others: lines

Ends = tuple[tuple[int, np.ndarray], tuple[int, np.ndarray]]
"""The number of a body and a point (3,) in its frame, twice."""


def connections(system: System, matter: MatterSubsystem, state: State, placement: Placement, thickness: float) -> Iterator[ConnectingLine]:
    """Those of enabled constraints and forces. thickness: radius of the links, m"""
    for constraint in matter.constraints:
        if not constraint.is_disabled(state) and (points := points_of(constraint, state)) is not None:
            yield _connection(constraint, points, thickness)
    for force in forces_of(system):
        if not force.is_disabled(state):
            for ends in lines_of(force, state, placement):
                yield _connection(force, ends, thickness)


@singledispatch
def lines_of(force: Force, state: State, placement: Placement) -> Iterator[Ends]:
    """The lines by which a force is drawn; most have none."""
    yield from ()


@lines_of.register
def _(force: TwoPointForce, state: State, placement: Placement) -> Iterator[Ends]:
    yield (force.body1.index, force.station1(state)), (force.body2.index, force.station2(state))


@lines_of.register
def _(tendon: FixedTendon, state: State, placement: Placement) -> Iterator[Ends]:
    """From joint to joint."""
    yield from pairwise(_at_joint(body, placement) for body in dict.fromkeys(tendon.bodies))


@lines_of.register
def _(pair: GearPair, state: State, placement: Placement) -> Iterator[Ends]:
    """Between the joints whose coordinates mesh."""
    yield from pairwise(_at_joint(body, placement) for body in dict.fromkeys((pair.body1, pair.body2)))


def _at_joint(body: MobilizedBody, placement: Placement) -> tuple[int, np.ndarray]:
    return body.index, placement.joint(body.index)


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


def _connection(element: Constraint | Force, ends: Ends, thickness: float) -> ConnectingLine:
    kind: ConnectionKind = next((_KINDS[each] for each in type(element).__mro__ if each in _KINDS), "line")
    (body1, point1), (body2, point2) = ends
    return ConnectingLine(element.name, kind, body1, triple(point1), body2, triple(point2), _RADII[kind] * thickness)
