"""Engines with which the benchmark compares, each with the same mechanism in the same motion.

Here the speeds of a ball or a free joint are the velocities of its frame M in its frame F, expressed in F, angular part first. The peers
express them in the moving frame, except the linear speeds of MuJoCo's free joint.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import mobod as mb
from benchmarks.mechanisms import Link, slices


class Peer(ABC):
    """An engine with a mechanism; without links, it measures the time of an empty call. Raises ImportError if it is not installed."""

    @abstractmethod
    def __init__(self, links: list[Link], state: mb.State | None): ...

    @abstractmethod
    def u_dot(self) -> np.ndarray:
        """All accelerations, in the order and frames of mobod."""

    @abstractmethod
    def call(self) -> Callable[[], Any]:
        """The function to be measured: one evaluation of all accelerations."""


class Pinocchio(Peer):
    """Articulated-body algorithm, called from Python."""

    def __init__(self, links: list[Link], state: mb.State | None):
        import pinocchio as pin

        self.links, self.pin, self.model = links, pin, pin.Model()
        self.model.gravity.linear = np.array([0, -9.81, 0])
        kinds = {"pin": pin.JointModelRZ, "ball": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}
        joints: list[int] = []
        for i, link in enumerate(links):
            parent = joints[link.parent] if link.parent >= 0 else 0
            joints.append(self.model.addJoint(parent, kinds[link.joint](), pin.SE3(link.R, link.p), f"j{i}"))
            self.model.appendBodyToJoint(joints[-1], pin.Inertia(link.mass, link.com, link.inertia), pin.SE3.Identity())
        self.data = self.model.createData()
        self.q, self.u, self.tau = (np.zeros(n) for n in (self.model.nq, self.model.nv, self.model.nv))
        self.state = state
        if state is not None:
            for link, q, u in slices(links):
                ours, speeds, R_FM = state.q[q], state.u[u], _rotation(link, state.q[q])
                if link.joint == "pin":
                    self.q[q], self.u[u] = ours, speeds
                elif link.joint == "ball":  # the scalar part of a quaternion is last
                    self.q[q], self.u[u] = [*ours[1:], ours[0]], R_FM.T @ speeds
                else:  # position is first
                    self.q[q], self.u[u] = [*ours[4:], *ours[1:4], ours[0]], [*R_FM.T @ speeds[3:], *R_FM.T @ speeds[:3]]

    def u_dot(self) -> np.ndarray:
        assert self.state is not None
        a = self.pin.aba(self.model, self.data, self.q, self.u, self.tau).copy()
        for link, q, u in slices(self.links):
            theirs, speeds, R_FM = a[u].copy(), self.state.u[u], _rotation(link, self.state.q[q])
            if link.joint == "ball":
                a[u] = R_FM @ theirs
            elif link.joint == "free":  # Pinocchio has the derivative in the moving frame
                a[u] = [*R_FM @ theirs[3:], *(R_FM @ theirs[:3] + np.cross(speeds[:3], speeds[3:]))]
        return a

    def call(self) -> Callable[[], Any]:
        aba, model, data, q, u, tau = self.pin.aba, self.model, self.data, self.q, self.u, self.tau
        return lambda: aba(model, data, q, u, tau)


class MuJoCo(Peer):
    """Forward dynamics, called from Python."""

    def __init__(self, links: list[Link], state: mb.State | None):
        import mujoco

        self.links, self.mujoco = links, mujoco
        spec = mujoco.MjSpec()
        spec.option.gravity = [0, -9.81, 0]
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT) | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        bodies: list[Any] = []
        for link in links:
            parent = bodies[link.parent] if link.parent >= 0 else spec.worldbody
            x, y, z, w = Rotation.from_matrix(link.R).as_quat()
            i = link.inertia
            body = parent.add_body(pos=link.p, quat=[w, x, y, z], mass=link.mass, ipos=link.com, explicitinertial=True)
            body.fullinertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
            if link.joint == "free":
                body.add_freejoint()
            elif link.joint == "ball":
                body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
            else:
                body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
            bodies.append(body)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.state = state
        if state is not None:
            for link, q, u in slices(links):
                ours, speeds, R_FM = state.q[q], state.u[u], _rotation(link, state.q[q])
                self.data.qpos[q] = [*ours[4:], *ours[:4]] if link.joint == "free" else ours
                if link.joint == "pin":
                    self.data.qvel[u] = speeds
                else:
                    self.data.qvel[u] = [*speeds[3:], *R_FM.T @ speeds[:3]]

    def u_dot(self) -> np.ndarray:
        assert self.state is not None
        self.mujoco.mj_forward(self.model, self.data)
        a = self.data.qacc.copy()
        for link, q, u in slices(self.links):
            if link.joint != "pin":
                R_FM, theirs = _rotation(link, self.state.q[q]), a[u].copy()
                a[u] = [*R_FM @ theirs[-3:], *theirs[:-3]]
        return a

    def call(self) -> Callable[[], Any]:
        forward, model, data = self.mujoco.mj_forward, self.model, self.data
        return lambda: forward(model, data)


PEERS: dict[str, type[Peer]] = {"Pinocchio": Pinocchio, "MuJoCo": MuJoCo}


def _rotation(link: Link, q: np.ndarray) -> np.ndarray:
    """R_FM of a joint with a quaternion."""
    if link.joint == "pin":
        return np.eye(3)
    return Rotation.from_quat([*q[1:4], q[0]]).as_matrix()
