"""Shapes of all joints of a System and of their limits, by what the joints can do."""

from collections.abc import Iterable, Mapping

import numpy as np

from mobod.matter import Ground, MatterSubsystem, MobilizedBody, MobilizerEquations
from mobod.matter.bodies.decorations import Box
from mobod.matter.bodies.flexible_parts import InterfaceFrame, ModalNode
from mobod.scene.joint_motion import SpeedMotion, joint_motions
from mobod.scene.joint_symbols import OF_GROUND, OF_JOINTS, PlacedInFrame, joint_symbol
from mobod.scene.limit_shapes import limit_shapes, ranges_of_joints, without_far_stops
from mobod.scene.placement import Placement
from mobod.scene.scene import Role, Shape
from mobod.spatial import Transform
from mobod.system import State, System

Key = tuple[MobilizerEquations, bytes, bytes]
ShapesOfBodies = dict[int, list[Shape]]
"""By the number of a body."""


def joint_shapes(
    system: System,
    matter: MatterSubsystem,
    state: State,
    placement: Placement,
    thickness: float,
    reach: float,
    ends: Mapping[int, list[np.ndarray]],
) -> tuple[ShapesOfBodies, ShapesOfBodies]:
    """Those of the joints, then those of their limits, which are on the parents and on the bodies.

    thickness  radius of the links, m
    reach      of stops that are shown, m
    ends       of each body: points in its frame to which its links lead
    """
    joints: ShapesOfBodies = {}
    limits: ShapesOfBodies = {}
    ranges = ranges_of_joints(system, matter, state)
    known: dict[Key, tuple[SpeedMotion, ...]] = {}
    for body in matter.bodies:
        if isinstance(body, (ModalNode, InterfaceFrame)):  # no joints
            continue
        motions, X_FM = _motions(body, state, known)
        room = without_far_stops(motions, ranges.get(body.index, {}), reach)
        is_on_ground = isinstance(body.parent, Ground)
        symbol = joint_symbol(motions, X_FM, thickness, room, OF_GROUND if is_on_ground else OF_JOINTS)
        _add(joints, body, placement, symbol, "axis")
        n_slides = sum(motion.kind == "slide" and motion.is_on_parent for motion in motions)
        if is_on_ground and body.nu < 6 and n_slides not in (1, 2):  # these have a rail or a plate
            half = 1.8 * thickness
            joints.setdefault(0, []).append(Shape(Box((half, half, half), color=OF_GROUND), placement.X_PF[body.index]))
        if room:
            X_FB = X_FM @ placement.X_BM[body.index].inverse()
            of_body = [X_FB.apply(each) for each in ends[body.index] or [placement.center[body.index]]]
            _add(limits, body, placement, limit_shapes(motions, X_FM, thickness, room, of_body), "limit")
    return joints, limits


def _motions(body: MobilizedBody, state: State, known: dict[Key, tuple[SpeedMotion, ...]]) -> tuple[tuple[SpeedMotion, ...], Transform]:
    equations, q = body.equations_in(state), np.array(body.q(state))
    key = equations.structure, equations.parameter_values().tobytes(), q.tobytes()
    if key not in known:
        known[key] = joint_motions(equations, q)
    return known[key], equations.X_FM(q)


def _add(found: ShapesOfBodies, body: MobilizedBody, placement: Placement, shapes: Iterable[PlacedInFrame], role: Role) -> None:
    for each in shapes:
        if each.frame == "F":
            found.setdefault(body.parent.index, []).append(Shape(each.geometry, placement.X_PF[body.index] @ each.X, role=role))
        else:
            found.setdefault(body.index, []).append(Shape(each.geometry, placement.X_BM[body.index] @ each.X, role=role))
