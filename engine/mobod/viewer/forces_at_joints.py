"""Where the forces along the speeds of joints act: the axis of a turn, the direction of a slide."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from mobod.matter import MatterSubsystem, MobilizedBody
from mobod.scene.joint_motion import SpeedMotion, joint_motions
from mobod.scene.placement import Placement
from mobod.spatial import Transform
from mobod.system import State


class LineOfJoint(NamedTuple):
    """The axis, or the direction of the slide, of one speed of a joint, over the frames of a page.

    body       its number
    speed      the number of the speed among all of the System
    is_turn    whether a force along the speed is a torque
    point      (frames, 3) m  of the axis; of a slide where the body is; in Ground
    direction  (frames, 3)    in Ground, divided by the rate of the motion: times a generalized force it is the torque or the force
    """

    body: int
    speed: int
    is_turn: bool
    point: np.ndarray
    direction: np.ndarray


def lines_of_joints(
    matter: MatterSubsystem, states: Iterable[State], X_GB: Sequence[Sequence[Transform]], placement: Placement, acts: np.ndarray
) -> list[LineOfJoint]:
    """Without motions that are neither a turn, a screw nor a slide of a constant rate.

    states  those of the frames, which may be one State that changes
    X_GB    (frames, bodies)
    acts    (nu,) whether a force acts along each speed
    """
    wanted: list[tuple[MobilizedBody, int, int]] = []
    motions: list[list[SpeedMotion]] = []
    for state in states:
        if not motions:
            wanted = [each for each in _speeds(matter, state) if acts[each[2]]]
            motions = [[] for _ in wanted]
        of_bodies: dict[int, tuple[SpeedMotion, ...]] = {}
        for (body, speed, _), found in zip(wanted, motions, strict=True):
            if found and found[0].is_on_parent:
                found.append(found[0])
                continue
            if body.index not in of_bodies:
                of_bodies[body.index] = joint_motions(body.equations_in(state), np.array(body.q(state)))
            found.append(of_bodies[body.index][speed])
    lines = (_line(*each, found, X_GB, placement) for each, found in zip(wanted, motions, strict=True))
    return [line for line in lines if line is not None]


def _speeds(matter: MatterSubsystem, state: State) -> Iterable[tuple[MobilizedBody, int, int]]:
    """Each body with the number of each of its speeds, there and among all."""
    tree = matter.tree(state.layout)
    for body in matter.bodies:
        for speed, offset in enumerate(tree.u(body).offsets):
            yield body, speed, offset - tree.all_u.offset


def _line(
    body: MobilizedBody, speed: int, of_all: int, motions: Sequence[SpeedMotion], X_GB: Sequence[Sequence[Transform]], placement: Placement
) -> LineOfJoint | None:
    kinds = {each.is_about_axis for each in motions}
    rates = np.array([each.rate or np.nan for each in motions])  # a rate that is not constant, or 0, has none
    if len(kinds) > 1 or not np.isfinite(rates).all() or any(each.kind == "other" for each in motions):
        return None
    (is_turn,) = kinds
    X_GF = [X[body.parent.index] @ placement.X_PF[body.index] for X in X_GB]
    of_body = [X[body.index].apply(placement.joint(body.index)) for X in X_GB]
    axes = [X.apply(motion.point) for X, motion in zip(X_GF, motions, strict=True)]
    directions = np.array([X.R @ motion.direction for X, motion in zip(X_GF, motions, strict=True)])
    return LineOfJoint(body.index, of_all, is_turn, np.array(axes if is_turn else of_body), directions / rates[:, None])
