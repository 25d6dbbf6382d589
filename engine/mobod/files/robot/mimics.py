"""Joints that mimic others: the joint that they finally follow, and their start."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mobod.errors import ModelFileError, UnknownNameError
from mobod.files.findings import Findings
from mobod.files.robot.joints import RobotJoint, RobotMimic


def checked_mimics(joints: Mapping[str, RobotJoint], findings: Findings) -> dict[str, RobotJoint]:
    """The joints, without impossible mimics; strict findings refuse these."""
    checked = dict(joints)
    for joint in joints.values():
        wrong = _what_is_wrong(checked[joint.name], checked)
        if wrong is None:
            continue
        place, message = wrong
        if findings.strict:
            raise ModelFileError(f"{place.place}: {message}")
        findings.note("mimic", f"{message} Joint '{joint.name}' moves by itself.", joint.line, path=joint.path, joint=joint.name)
        checked[joint.name] = replace(joint, mimic=None)
    return checked


def _what_is_wrong(joint: RobotJoint, joints: Mapping[str, RobotJoint]) -> tuple[RobotJoint, str] | None:
    """The wrong joint, and the reason; None if the mimic is valid."""
    seen, follower = [joint.name], joint
    while follower.mimic is not None:
        name = follower.mimic.joint
        if name not in joints:
            return follower, f"joint '{follower.name}' mimics an unknown joint: {UnknownNameError('joint', name, joints)}"
        if name in seen:
            return joint, f"joint '{joint.name}' mimics itself: {' -> '.join([*seen, name])}."
        seen.append(name)
        for each in (follower, joints[name]):
            if not each.has_one_coordinate:
                return each, f"joint '{each.name}' is {each.kind}, and a mimic is between joints of one coordinate."
        follower = joints[name]
    return None


def leader_of(joint: RobotJoint, joints: Mapping[str, RobotJoint]) -> tuple[RobotJoint, float, float]:
    """(leader, multiplier, offset): the last joint in the chain of mimics; the joint itself, 1 and 0 if it mimics none."""
    leader, multiplier, offset = joint, 1.0, 0.0
    while leader.mimic is not None:
        offset += multiplier * leader.mimic.offset
        multiplier *= leader.mimic.multiplier
        leader = joints[leader.mimic.joint]
    return leader, multiplier, offset


def start_of(joint: RobotJoint, joints: Mapping[str, RobotJoint]) -> float:
    """The initial coordinate in rad or m: that of the file or its reference, or the nearest limit; of a mimicking joint, by its leader."""
    leader, multiplier, offset = leader_of(joint, joints)
    start = asked_start(leader)
    if leader.limits is not None:
        start = min(max(start, leader.limits.lower), leader.limits.upper)
    return multiplier * start + offset


def asked_start(joint: RobotJoint) -> float:
    """The initial coordinate of a joint with one, whether or not its limits allow it."""
    return joint.q_ref if joint.start is None else float(joint.start[0])


def without_leaders(joints: Mapping[str, RobotJoint], fixed: Iterable[str], findings: Findings) -> dict[str, RobotJoint]:
    """The joints, changed so that none mimics a fixed joint.

    Followers of a leader that is fixed follow each other: the first of them leads. The motion stays the same, since what the leader
    carries has no inertia.
    """
    fixed = set(fixed)
    changed = dict(joints)
    heirs: dict[str, tuple[RobotJoint, float, float]] = {}  # by the name of the leader that is fixed
    for joint in joints.values():
        if joint.mimic is None or joint.name in fixed:
            continue
        leader, multiplier, offset = leader_of(joint, joints)
        if leader.name not in fixed:
            changed[joint.name] = replace(joint, mimic=RobotMimic(joint=leader.name, multiplier=multiplier, offset=offset))
        elif leader.name in heirs:
            heir, of_heir, offset_of_heir = heirs[leader.name]
            ratio = multiplier / of_heir
            mimic = RobotMimic(joint=heir.name, multiplier=ratio, offset=offset - ratio * offset_of_heir)
            changed[joint.name] = replace(joint, mimic=mimic)
        elif multiplier:
            heirs[leader.name] = joint, multiplier, offset
            changed[joint.name] = replace(joint, mimic=None)
            findings.note(
                "mimic",
                f"joint '{joint.name}' leads the joints that mimic '{leader.name}', which is fixed.",
                joint.line,
                path=joint.path,
                joint=joint.name,
            )
        else:
            changed[joint.name] = joint.fixed_at(offset)
    return changed
