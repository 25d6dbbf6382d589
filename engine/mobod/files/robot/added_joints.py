"""The joints of a robot as joints of a MultibodyBuilder."""

# Decision: docs/decisions/164-missing-inertia.md

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

import numpy as np

from mobod.errors import InputError, ModelFileError
from mobod.files.robot.joints import RobotJoint, along
from mobod.files.robot.mimics import asked_start, start_of
from mobod.graph import CoordinateLimits, MultibodyBuilder
from mobod.graph.builder import LimitsMode
from mobod.matter import MobilizedBody
from mobod.matter.mobilizers import Ball, Free, Pin, Planar, Screw, Slider, Weld
from mobod.spatial import Transform, rotation_z

STOP_YIELD = 0.01  # rad or m: deflection of a joint's stop under the greatest effort of the joint
MOBILIZERS: dict[str, type[MobilizedBody]] = {
    "revolute": Pin,
    "continuous": Pin,
    "prismatic": Slider,
    "screw": Screw,
    "planar": Planar,
    "floating": Free,
    "fixed": Weld,
    "spherical": Ball,
}


def add_joint(builder: MultibodyBuilder, joint: RobotJoint, stop_stiffness: float | None, limits: LimitsMode) -> None:
    """Add a joint between bodies of its links. Raises ModelFileError at its place in the file.

    stop_stiffness  N/m or N m/rad, of all elastic stops; default: what the file gives, or by the greatest effort of the joint
    limits          a start that only rigid limits move is where the file has it with others
    """
    remaining = joint.remaining
    with errors_at(joint.place):
        if remaining is not None:
            builder.add_joint(
                joint.name,
                remaining.mobilizer,
                joint.parent,
                joint.child,
                joint.X_PC @ remaining.X_CF,
                remaining.X_CM,
                default_q=remaining.default_q,
                must_be_loop_joint=joint.closes_loop,
                **remaining.parameters,
            )
            return
        X_CM = _frame_on_child(joint)
        builder.add_joint(
            joint.name,
            MOBILIZERS[joint.kind],
            joint.parent,
            joint.child,
            joint.X_PC @ X_CM @ _back_to_zero(joint) if joint.q_ref else joint.X_PC @ X_CM,
            X_CM,
            default_q=_default_q(joint, limits),
            limits=_coordinate_limits(joint, stop_stiffness),
            must_be_loop_joint=joint.closes_loop,
            **({"pitch": joint.pitch} if joint.kind == "screw" else {}),
        )


def _frame_on_child(joint: RobotJoint) -> Transform:
    """Frame M of the mobilizer in the child's frame."""
    if joint.kind in ("floating", "fixed"):
        return Transform()
    if joint.kind == "spherical":
        return Transform(p=joint.anchor)
    return Transform(along("x" if joint.kind == "prismatic" else "z", joint.axis), joint.anchor)


def _back_to_zero(joint: RobotJoint) -> Transform:
    """From frame F as it would be for a coordinate that is 0 in the pose of reference to where it is."""
    if joint.kind == "prismatic":
        return Transform(p=[-joint.q_ref, 0.0, 0.0])
    return Transform(rotation_z(-joint.q_ref), [0.0, 0.0, -joint.pitch * joint.q_ref])


def _default_q(joint: RobotJoint, limits: LimitsMode) -> np.ndarray | None:
    """None for the default of the mobilizer, which rigid limits may move."""
    if not joint.has_one_coordinate:
        return joint.start
    if joint.mimic is not None or (joint.start is None and not joint.q_ref):
        return None
    return np.array([start_of(joint, {}) if limits == "rigid" else asked_start(joint)])


@contextmanager
def errors_at(place: str | Path) -> Iterator[None]:
    """A context in which errors become ModelFileErrors at a place of the file."""
    try:
        yield
    except InputError as error:
        raise ModelFileError(f"{place}: {error}") from error


def known_effort(joint: RobotJoint) -> float | None:
    """N or N m; None if the file does not give it, or says 0 or the largest double, as some do for an unlimited effort."""
    effort = 0.0 if joint.limits is None else joint.limits.effort
    return effort if 0 < effort / STOP_YIELD < inf else None


def known_velocity(joint: RobotJoint) -> float | None:
    """rad/s or m/s; None if the file does not give it, or says 0 or the largest double."""
    velocity = 0.0 if joint.limits is None else joint.limits.velocity
    return velocity if 0 < velocity / STOP_YIELD < inf else None


def known_efforts(joint: RobotJoint) -> tuple[float, float] | None:
    """N or N m, the least and the greatest sum of drive forces; None if the file does not give them."""
    if joint.limits is not None and joint.limits.effort_low is not None:
        return joint.limits.effort_low, joint.limits.effort
    effort = known_effort(joint)
    return None if effort is None else (-effort, effort)


def _coordinate_limits(joint: RobotJoint, stop_stiffness: float | None) -> tuple[CoordinateLimits, ...]:
    if joint.limits is None or (joint.limits.lower == -inf and joint.limits.upper == inf):
        return ()
    effort = known_effort(joint)
    if stop_stiffness is None:
        stop_stiffness = joint.limits.stiffness
    if stop_stiffness is None and effort is not None:
        stop_stiffness = effort / STOP_YIELD
    limits = CoordinateLimits(
        lower=joint.limits.lower,
        upper=joint.limits.upper,
        stop_stiffness=stop_stiffness,
        stop_dissipation=joint.limits.dissipation,
    )
    return (limits,)
