"""The tree of links and joints."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, final

from mobod.errors import ModelFileError, UnknownNameError
from mobod.files.findings import Findings
from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.links import RobotLink


@final
@dataclass(frozen=True)
class RobotTree:
    """root     the link without a parent; if there are several, the one from which most links can be reached
    further  other links without a parent
    outward  names of joints, each after the one that leads to its parent
    """

    root: str
    further: tuple[str, ...]
    outward: tuple[str, ...]


def tree_of(links: Mapping[str, RobotLink], joints: Mapping[str, RobotJoint], path: Path, findings: Findings) -> RobotTree:
    """The tree without the joints that close loops. If there are several roots, each is fixed to Ground, unless findings are strict.

    Raises ModelFileError for links that do not exist, have two parents, or form a cycle.
    """
    joint_to = _joints_by_child(links, joints)
    roots = [name for name in links if name not in joint_to]
    children: dict[str, list[RobotJoint]] = {}
    for joint in joint_to.values():
        children.setdefault(joint.parent, []).append(joint)
    outward = {root: _reached(root, children) for root in roots}
    reached = {joint.child for each in outward.values() for joint in each}
    if len(reached) + len(roots) < len(links):
        _fail_for_cycle(next(name for name in links if name in joint_to and name not in reached), joint_to)
    root = max(roots, key=lambda name: len(outward[name]))
    further = tuple(name for name in roots if name != root)
    if further:
        _note_roots(links, root, further, path, findings)
    return RobotTree(root, further, tuple(joint.name for each in outward.values() for joint in each))


def _joints_by_child(links: Mapping[str, RobotLink], joints: Mapping[str, RobotJoint]) -> dict[str, RobotJoint]:
    joint_to: dict[str, RobotJoint] = {}
    for joint in joints.values():
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                _fail(joint, f"joint '{joint.name}': its {end}: {UnknownNameError('link', name, links)}")
        if joint.closes_loop:
            continue
        if joint.child in joint_to:
            other = joint_to[joint.child]
            _fail(
                joint,
                f"link '{joint.child}' has two parents: joint '{other.name}' in line {other.line} leads to it from '{other.parent}', "
                f"joint '{joint.name}' from '{joint.parent}'. Move one of them to a file of its own and give that as loop_joints.",
            )
        joint_to[joint.child] = joint
    return joint_to


def _reached(root: str, children: Mapping[str, list[RobotJoint]]) -> list[RobotJoint]:
    """The joints outward of the root, level by level."""
    found: list[RobotJoint] = []
    waiting = deque([root])
    while waiting:
        new = children.get(waiting.popleft(), [])
        found.extend(new)
        waiting.extend(joint.child for joint in new)
    return found


def _note_roots(links: Mapping[str, RobotLink], root: str, further: tuple[str, ...], path: Path, findings: Findings) -> None:
    if findings.strict:
        roots = [name for name in links if name == root or name in further]
        names = ", ".join(f"'{name}' (line {links[name].line})" for name in roots[:6])
        raise ModelFileError(
            f"{path}: {len(roots)} links have no parent: {names}. Exactly one root is needed, with joints to all other links."
        )
    for name in further:
        findings.note(
            "several-roots",
            f"link '{name}' has no parent, and neither has '{root}'. It is fixed to Ground, at the origin.",
            links[name].line,
            path=path,
            link=name,
        )


def _fail_for_cycle(name: str, joint_to: Mapping[str, RobotJoint]) -> NoReturn:
    seen: list[str] = []
    while name not in seen:
        seen.append(name)
        name = joint_to[name].parent
    cycle = seen[seen.index(name) :]
    shown = " <- ".join(f"'{each}'" for each in [*cycle[:6], *(["..."] if len(cycle) > 6 else []), name])
    _fail(joint_to[name], f"the joints go round in a cycle: {shown}. Move one of them to a file of its own, given as loop_joints.")


def _fail(joint: RobotJoint, message: str) -> NoReturn:
    raise ModelFileError(f"{joint.place}: {message}")
