"""Dry friction of the joints of a robot."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Literal, get_args

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError, UnsupportedError
from mobod.files.findings import Findings
from mobod.files.robot.joints import RobotJoint
from mobod.forces import ForceSubsystem, JointFriction
from mobod.matter import MobilizedBody
from mobod.matter.constraints import RigidJointFriction

FrictionMode = Literal["regularised", "rigid", "error", "warn", "ignore"]
FRICTION_SPEED = 0.01  # rad/s or m/s: the transition speed of joints with dry friction


def check_friction(mode: object, speed: object) -> None:
    """Raise InputError for an unknown mode, or a transition speed that is not above 0."""
    if mode not in get_args(FrictionMode):
        raise InputError(f"friction is {mode!r}. Valid values: {', '.join(map(repr, get_args(FrictionMode)))}.")
    if not 0 < real_number(speed, "friction_speed") < inf:
        raise InputError(f"friction_speed is {speed!r} rad/s or m/s. It must be greater than 0, and finite.")


def note_friction(joints: Mapping[str, RobotJoint], mode: FrictionMode, findings: Findings) -> None:
    """Note the joints whose friction is left out. Raises UnsupportedError if there are any and friction is an error."""
    rubbing = [joint for joint in joints.values() if joint.friction]
    if mode == "ignore":
        return
    for joint in rubbing:
        unit = "N" if joint.kind == "prismatic" else "N m"
        what = f"joint '{joint.name}' has dry friction of {joint.friction:g} ({unit})"
        if mode == "error":
            raise UnsupportedError(
                f"{joint.place}: {what}. "
                + (f"{len(rubbing)} joints have it. " if len(rubbing) > 1 else "")
                + "friction='regularised' computes it, friction='ignore' omits it."
            )
        if mode in ("regularised", "rigid"):
            if _can_rub(joint):
                continue
            reason = "closes a loop" if joint.closes_loop else f"is {joint.kind}"
            what = f"{what}, which is not computed, since the joint {reason}"
        findings.note("friction", f"{what}. It is left out.", joint.line, path=joint.path, joint=joint.name)


def add_friction(
    forces: ForceSubsystem, body: MobilizedBody, joint: RobotJoint, mode: FrictionMode, speed: float, free: Callable[..., str]
) -> None:
    """Add the dry friction of each coordinate; free(name, joint) is a free variant of a name."""
    if mode not in ("regularised", "rigid"):
        return
    rubbing = [i for i, of_speed in enumerate(body.equations.speed_of) if of_speed is not None] if _can_rub(joint) else []
    for i in rubbing:
        name = free(f"{joint.name}_friction{i + 1 if len(rubbing) > 1 else ''}", joint)
        if mode == "rigid":
            RigidJointFriction(body, limit=joint.friction, coordinate=i, name=name)
        else:
            JointFriction(forces, body, coordinate=i, limit=joint.friction, transition_speed=speed, name=name)


def _can_rub(joint: RobotJoint) -> bool:
    """Whether each coordinate of the joint has a speed of its own, and the joint lies in the tree."""
    return (joint.has_one_coordinate or joint.kind == "planar") and not joint.closes_loop
