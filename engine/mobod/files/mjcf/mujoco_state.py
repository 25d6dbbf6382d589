"""MuJoCo's coordinates and speeds in mobod's.

A free joint of MuJoCo has its position before its quaternion, and its velocity before its angular velocity. Angular velocities of free and
ball joints are in the axes of the body, mobod's in those of frame F: u = T qvel, and since the rate of T times qvel is 0, u_dot = T qacc.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.files.mjcf.compiled_names import CompiledNames
from mobod.files.mjcf.reading import JOINT_KINDS, unit_quaternion
from mobod.matter import MobilizedBody, MultibodySystem
from mobod.spatial import from_quaternion
from mobod.system import State


@final
@dataclass(frozen=True, eq=False)
class MujocoJoint:
    """kind       'free', 'ball', 'slide' or 'hinge'
    qpos, dof  where its coordinates and speeds begin in MuJoCo's
    """

    kind: str
    qpos: int
    dof: int
    body: MobilizedBody


def mujoco_joints(m: Any, names: CompiledNames, system: MultibodySystem) -> list[MujocoJoint]:
    """The joints of a compiled model in the System that was built of it."""
    bodies = {body.name: body for body in system.matter.bodies}
    places = zip(m.jnt_type, m.jnt_qposadr, m.jnt_dofadr, strict=True)
    return [MujocoJoint(JOINT_KINDS[int(k)], int(q), int(d), bodies[names.joints[j]]) for j, (k, q, d) in enumerate(places)]


def set_mujoco_state(state: State, joints: Iterable[MujocoJoint], qpos: np.ndarray, qvel: np.ndarray) -> None:
    """Set the coordinates and the speeds of these joints."""
    for joint in joints:
        a, d, body = joint.qpos, joint.dof, joint.body
        if joint.kind == "free":
            quaternion = unit_quaternion(qpos[a + 3 : a + 7])
            body.set_q(state, np.concatenate([quaternion, qpos[a : a + 3]]))
            body.set_u(state, np.concatenate([from_quaternion(quaternion) @ qvel[d + 3 : d + 6], qvel[d : d + 3]]))
        elif joint.kind == "ball":
            quaternion = unit_quaternion(qpos[a : a + 4])
            body.set_q(state, quaternion)
            body.set_u(state, from_quaternion(quaternion) @ qvel[d : d + 3])
        else:
            body.set_q(state, qpos[a])
            body.set_u(state, qvel[d])


def speeds_from_mujoco(state: State, joints: Iterable[MujocoJoint], qpos: np.ndarray, nv: int) -> np.ndarray:
    """T (nu, nv): u = T qvel and u_dot = T qacc; MuJoCo's forces are T^T f, and its mass matrix is T^T M T."""
    joints = list(joints)
    nu = sum(joint.body.nu for joint in joints)
    numbers, T = np.arange(nu), np.zeros((nu, nv))
    for joint in joints:
        rows, a, d = np.atleast_1d(joint.body.my_part_u(state, numbers)).astype(int), joint.qpos, joint.dof
        if joint.kind == "free":
            T[np.ix_(rows[:3], np.arange(d + 3, d + 6))] = from_quaternion(unit_quaternion(qpos[a + 3 : a + 7]))
            T[np.ix_(rows[3:], np.arange(d, d + 3))] = np.eye(3)
        elif joint.kind == "ball":
            T[np.ix_(rows, np.arange(d, d + 3))] = from_quaternion(unit_quaternion(qpos[a : a + 4]))
        else:
            T[rows[0], d] = 1.0
    return T
