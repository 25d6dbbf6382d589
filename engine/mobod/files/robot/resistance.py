"""Motions of joints that move no inertia: they are left out, since their accelerations would be infinite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np

from mobod.files.robot.carried import Carried, motion_of
from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.links import RobotLink
from mobod.files.robot.mimics import start_of
from mobod.files.robot.remaining import remaining_motion
from mobod.spatial import Transform, cross_matrix, rotation_about
from mobod.spatial.relative_inertia import ROUND_OFF, relative_inertias

Change = Literal["fixed", "reduced", "none"]
EQUAL = 1e-9  # relative difference of motions that differ by rounding errors alone
REACH = 0.1  # m: the size of the displacements of the general pose


@final
@dataclass(frozen=True, kw_only=True)
class IdleMotion:
    """A joint with motions that move no inertia.

    joint     as it was
    change    'fixed'; 'reduced' to its other motions; 'none' if only the start has no inertia along a motion
    carried   the link and all that it carries as one body, at the start
    """

    joint: RobotJoint
    change: Change
    carried: Carried


def without_idle_motions(
    links: Mapping[str, RobotLink], joints: Mapping[str, RobotJoint], outward: Sequence[str]
) -> tuple[dict[str, RobotJoint], list[IdleMotion]]:
    """The joints without motions that move no inertia, and what was changed.

    outward  names of the joints of the tree, each after the one that leads to its parent

    A joint with one coordinate that moves no inertia is fixed. Of a floating, spherical or planar joint only the rotations are left out
    about which all that it carries has no inertia as one body. If another motion of it moves none, since joints outward cancel it, the
    nearest of these is fixed. A joint is judged in two poses, the start and a general one.

    The loop of a joint that carries an end of a loop joint may restrict its motion: only rotations that the loop joints allow are left
    out.
    """
    changed, found = dict(joints), dict[str, IdleMotion]()
    while not _change_inward(links, changed, outward, found):
        pass
    return changed, list(found.values())


def _change_inward(
    links: Mapping[str, RobotLink], joints: dict[str, RobotJoint], outward: Sequence[str], found: dict[str, IdleMotion]
) -> bool:
    """Change joints from the tips inward. False if one outward of the last joint was changed, so that inertias have changed."""
    start = _Inertias(links, {name: _displacement(joints[name], joints) for name in outward})
    general = _Inertias(links, {name: _displacement(joints[name], joints) @ _general(joints[name]) for name in outward})
    in_loops = {end for joint in joints.values() if joint.closes_loop for end in (joint.parent, joint.child)}
    for name in reversed(outward):
        joint = joints[name]
        is_in_loop = joint.child in in_loops
        if is_in_loop:
            in_loops.add(joint.parent)
        idle = None if joint.remaining or joint.kind == "fixed" else _idle_motion(joint, joints, start, general, is_in_loop)
        if idle is not None:
            found[idle.joint.name] = idle
            if idle.change == "fixed":
                joints[idle.joint.name] = _fixed_at_start(idle.joint, joints)
            elif idle.change == "reduced":
                centred = joint.with_start_in_frame()
                joints[name] = replace(centred, remaining=remaining_motion(centred, idle.carried))
            if idle.joint is not joint:
                return False
        for inertias in (start, general):
            inertias.take_to_parent(joints[name], is_free=not is_in_loop)
    return True


def _idle_motion(
    joint: RobotJoint, joints: Mapping[str, RobotJoint], start: "_Inertias", general: "_Inertias", is_in_loop: bool
) -> IdleMotion | None:
    """The next change, of the joint or of one outward of it."""
    n_at_start, n_in_general = (0, 0) if is_in_loop else (start.n_idle(joint), general.n_idle(joint))
    if joint.has_one_coordinate and (not n_at_start or joint.rotor is not None):
        return None
    carried = start.carried(joint)
    if joint.has_one_coordinate:
        return IdleMotion(joint=joint, change="fixed" if n_in_general else "none", carried=carried)
    as_one_body = general.carried(joint).idle_motions(joint)
    n = as_one_body.shape[1]
    if n_in_general > n:
        outer = general.first_that_cancels(joint, joints)
        if outer is not None:
            return IdleMotion(joint=outer, change="fixed", carried=start.carried(outer))
        return IdleMotion(joint=joint, change="fixed", carried=carried)
    if n and (not is_in_loop or start.loops_allow(carried.idle_motions(joint), joint, joints)):
        return IdleMotion(joint=joint, change="fixed" if n == motion_of(joint).shape[1] else "reduced", carried=carried)
    return IdleMotion(joint=joint, change="none", carried=carried) if n_at_start > n else None


@final
class _Inertias:
    """Spatial inertias (6, 6) of links with all that they carry, in one pose, in the frames of the links.

    articulated  with the joints outward free
    whole        with them locked
    """

    def __init__(self, links: Mapping[str, RobotLink], poses: Mapping[str, Transform]):
        self._poses = poses
        self._known: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self.articulated = {name: link.mass_properties.spatial_inertia() for name, link in links.items()}
        self.whole = {name: inertia.copy() for name, inertia in self.articulated.items()}

    def carried(self, joint: RobotJoint) -> Carried:
        return Carried.of(self.whole[joint.child])

    def n_idle(self, joint: RobotJoint) -> int:
        """The number of independent motions of the joint that move no inertia."""
        return int(np.sum(self._scaled(joint)[0] <= ROUND_OFF))

    def take_to_parent(self, joint: RobotJoint, *, is_free: bool) -> None:
        """P' = P - P H (H^T P H)^-1 H^T P, and the inertia with the joint locked.

        Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 7.3.
        """
        P, whole = self.articulated[joint.child], self.whole[joint.child]
        if is_free and joint.kind != "fixed":
            PH = P @ motion_of(joint)
            P = P - PH @ self._inverse(joint) @ PH.T
        to_parent = _force_transform(self._poses[joint.name])
        for inertias, own in ((self.articulated, P), (self.whole, whole)):
            if joint.parent in inertias:  # Ground under a floating base is no link
                inertias[joint.parent] = inertias[joint.parent] + to_parent @ own @ to_parent.T

    def first_that_cancels(self, joint: RobotJoint, joints: Mapping[str, RobotJoint]) -> RobotJoint | None:
        """The nearest joint outward whose whole motion cancels motions of this one, so that nothing with inertia moves."""
        values, vectors, scale = self._scaled(joint)
        idle = motion_of(joint) @ (scale[:, None] * vectors[:, values <= ROUND_OFF])
        waiting = [(joint.child, idle)]
        while waiting:
            link, motions = waiting.pop(0)
            for outer in joints.values():
                if outer.parent != link or outer.closes_loop or outer.name not in self._poses:
                    continue
                moved = _force_transform(self._poses[outer.name]).T @ motions
                if outer.kind != "fixed":
                    H = motion_of(outer)
                    rates = -self._inverse(outer) @ H.T @ self.articulated[outer.child] @ moved
                    sizes = np.linalg.svd(H @ rates, compute_uv=False)
                    if np.sum(sizes > EQUAL * np.abs(idle).max()) == H.shape[1]:
                        return outer
                    moved = moved + H @ rates
                waiting.append((outer.child, moved))
        return None

    def loops_allow(self, motions: np.ndarray, joint: RobotJoint, joints: Mapping[str, RobotJoint]) -> bool:
        """Whether the loop joints allow motions (6, k) of the joint's child and of all that it carries, as one body."""
        moved, waiting = {joint.child: motions}, [joint.child]
        while waiting:
            link = waiting.pop()
            for outer in joints.values():
                if outer.parent == link and not outer.closes_loop and outer.name in self._poses:
                    moved[outer.child] = _force_transform(self._poses[outer.name]).T @ moved[link]
                    waiting.append(outer.child)
        for loop in joints.values():
            if not loop.closes_loop or (loop.parent in moved) == (loop.child in moved):
                continue
            across = moved[loop.child] if loop.child in moved else _force_transform(loop.X_PC).T @ moved[loop.parent]
            H = motion_of(loop)
            rest = across - H @ np.linalg.lstsq(H, across)[0] if H.size else across
            if np.abs(rest).max() > EQUAL * np.abs(across).max():
                return False
        return True

    def _scaled(self, joint: RobotJoint) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See relative_inertias."""
        if joint.name not in self._known:
            self._known[joint.name] = relative_inertias(motion_of(joint), self.articulated[joint.child], self.whole[joint.child])
        return self._known[joint.name]

    def _inverse(self, joint: RobotJoint) -> np.ndarray:
        """The inverse of H^T P H, 0 along motions without inertia."""
        if joint.rotor is not None:
            H = motion_of(joint)
            return np.linalg.inv(H.T @ self.articulated[joint.child] @ H + joint.rotor.reflected * np.eye(H.shape[1]))
        values, vectors, scale = self._scaled(joint)
        has_inertia = values > ROUND_OFF
        vectors = scale[:, None] * vectors[:, has_inertia]
        return vectors / values[has_inertia] @ vectors.T


def _fixed_at_start(joint: RobotJoint, joints: Mapping[str, RobotJoint]) -> RobotJoint:
    return joint.fixed_at(start_of(joint, joints) if joint.has_one_coordinate else 0.0)


def _displacement(joint: RobotJoint, joints: Mapping[str, RobotJoint]) -> Transform:
    """The pose of the child in the parent at the start."""
    return joint.at_start(start_of(joint, joints) if joint.has_one_coordinate else 0.0)


def _general(joint: RobotJoint) -> Transform:
    """A displacement along the joint that has no special angle or distance; the same one for the same joint."""
    H = motion_of(joint)
    seed = sum(ord(letter) for letter in joint.name)
    w, v = np.split(H @ np.random.default_rng(seed).uniform(0.4, 1.2, H.shape[1]), 2)
    angle = float(np.linalg.norm(w))
    return Transform(rotation_about(w / angle, angle) if angle else None, REACH * v)


def _force_transform(X_PC: Transform) -> np.ndarray:
    """(6, 6): [torque; force] on the child at its origin, expressed in the parent, at the parent's origin. Its transpose takes motions
    [w; v] of the parent to the child's frame.
    """
    R, nothing = X_PC.R, np.zeros((3, 3))
    return np.block([[R, cross_matrix(X_PC.p) @ R], [nothing, R]])
