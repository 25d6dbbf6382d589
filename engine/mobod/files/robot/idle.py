"""The joints of a robot without motions that move no inertia, with a finding for each."""

from collections.abc import Mapping, Sequence

from mobod.files.findings import Findings
from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.links import RobotLink
from mobod.files.robot.mimics import start_of, without_leaders
from mobod.files.robot.remaining import description_of_remaining, line_without_inertia, remaining_motion
from mobod.files.robot.resistance import IdleMotion, without_idle_motions


def joints_that_move(
    links: Mapping[str, RobotLink], joints: Mapping[str, RobotJoint], base: RobotJoint | None, outward: Sequence[str], findings: Findings
) -> tuple[RobotJoint | None, dict[str, RobotJoint]]:
    """The joint of a floating base and the joints, without motions that move no inertia (see without_idle_motions).

    Raises ModelFileError for the first of them if findings are strict.
    """
    given = {**({} if base is None else {base.name: base}), **joints}
    changed, found = without_idle_motions(links, given, (*(() if base is None else (base.name,)), *outward))
    idle_motions = {each.joint.name: each for each in found}
    if findings.strict:
        for idle in found:
            if idle.change != "none":
                findings.fail(_message(idle, joints), idle.joint.line, idle.joint.path)
        return base, dict(joints)
    moving = without_leaders(given, [each.joint.name for each in found if each.change == "fixed"], findings)
    for name in (name for name in given if name in idle_motions):
        idle, moving[name] = idle_motions[name], changed[name]
        findings.note(
            _kind(idle),
            _message(idle, joints),
            idle.joint.line,
            path=idle.joint.path,
            link=idle.joint.child,
            joint=name if name in joints else None,
        )
    return None if base is None else moving.pop(base.name), moving


def _kind(idle: IdleMotion) -> str:
    if idle.change == "fixed":
        return "no-inertia" if idle.carried.mass else "massless"
    return "idle-rotation" if idle.change == "reduced" else "idle-start"


def _message(idle: IdleMotion, joints: Mapping[str, RobotJoint]) -> str:
    joint, carried = idle.joint, idle.carried
    what = f"link '{joint.child}' and all that it carries have no"
    of_joint = f"joint '{joint.name}' ({joint.kind})" if joint.name in joints else "the floating base"
    if idle.change == "reduced":
        return (
            f"{what} inertia about {line_without_inertia(joint, carried)}. The rotation about it is left out of {of_joint}. "
            f"{description_of_remaining(remaining_motion(joint, carried))}."
        )
    if idle.change == "none":
        return (
            f"{what} inertia along a motion of {of_joint} at the start, where accelerations would be infinite. It is not changed, since "
            "other poses have it: begin in one of them."
        )
    start = start_of(joint, joints) if joint.has_one_coordinate else 0.0
    return (
        f"{what} {'inertia along' if carried.mass else 'mass for'} the motion of {of_joint}. The link is fixed to '{joint.parent}'"
        f"{f' at {start:g} {joint.unit}' if start else ''}, and the joint has no coordinates."
    )
