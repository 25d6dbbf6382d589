"""The URDF files of the examples, read by Pinocchio and by MuJoCo (extra `bench`), give the same mechanisms."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.spatial import from_quaternion

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = ["arm.urdf", "humanoid.urdf"]
GRAVITY = 9.81  # m/s^2, that of both peers


def load(file):
    return mb.load_urdf(EXAMPLES / file, gravity=GRAVITY, limits="ignore")


def joints_of(system):
    """Mobilized bodies with one coordinate, and the free one."""
    pins = [body for body in system.matter.bodies if body.nu == 1]
    free = [body for body in system.matter.bodies if body.nu == 6]
    return pins, free


def motions(system, seed):
    """A random State with its coordinates and speeds by name; and torques of the motors."""
    rng = np.random.default_rng(seed)
    state = system.realize_topology()
    q, u, torque = {}, {}, {}
    pins, free = joints_of(system)
    for body in pins:
        q[body.name], u[body.name], torque[body.name] = rng.normal(scale=[0.8, 1.2, 5.0])
        system.set_value(state, f"{body.name}_motor.force", torque[body.name])
    for body in free:
        quaternion = rng.normal(size=4)
        q[body.name] = np.concatenate([quaternion / np.linalg.norm(quaternion), rng.normal(size=3)])
        u[body.name] = rng.normal(size=6)
    for body in (*pins, *free):
        body.set_q(state, q[body.name])
        body.set_u(state, u[body.name])
    system.realize(state, mb.Stage.ACCELERATION)
    return state, q, u, torque


def same(ours, theirs):
    # relative to the largest: light wrists accelerate by thousands of rad/s^2 while trunks hardly move
    assert_allclose(ours, theirs, rtol=0, atol=1e-10 * np.abs(theirs).max())


@pytest.fixture
def pinocchio():
    return pytest.importorskip("pinocchio", reason="the extra bench is not installed")


@pytest.fixture
def mujoco():
    return pytest.importorskip("mujoco", reason="the extra bench is not installed")


class InPinocchio:
    def __init__(self, pinocchio, file, system):
        self.model = pinocchio.buildModelFromUrdf(str(EXAMPLES / file))
        self.names = list(self.model.names)[1:]
        self.system = system

    def vectors(self, q, u, torque):
        """q and u in Pinocchio's order: a free joint has its position first, its quaternion with the scalar last, and velocities in the
        body frame.
        """
        model = self.model
        qs, us, torques = np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)
        for name in self.names:
            joint = model.joints[model.getJointId(name)]
            at, to = joint.idx_q, joint.idx_v
            if joint.nv == 1:
                qs[at : at + joint.nq] = q[name] if joint.nq == 1 else [np.cos(q[name]), np.sin(q[name])]
                us[to], torques[to] = u[name], torque[name] - model.damping[to] * u[name]  # Pinocchio reads damping, but does not apply it
            else:
                e, p, R = q[name][:4], q[name][4:], from_quaternion(q[name][:4])
                qs[at : at + 7] = [*p, *e[1:], e[0]]
                us[to : to + 6] = [*(R.T @ u[name][3:]), *(R.T @ u[name][:3])]
        return qs, us, torques


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("file", FILES)
def test_forward_dynamics_match_those_of_pinocchio(pinocchio, file, seed):
    system = load(file)
    state, q, u, torque = motions(system, seed)
    peer = InPinocchio(pinocchio, file, system)
    q_peer, u_peer, torque_peer = peer.vectors(q, u, torque)
    theirs = pinocchio.aba(peer.model, peer.model.createData(), q_peer, u_peer, torque_peer)
    pins, free = joints_of(system)
    same(
        np.array([body.u_dot(state)[0] for body in pins]),
        np.array([theirs[peer.model.joints[peer.model.getJointId(body.name)].idx_v] for body in pins]),
    )
    for body in free:  # Pinocchio's spatial acceleration is expressed in the body and lacks w x v
        R, w, v = from_quaternion(q[body.name][:4]), u[body.name][:3], u[body.name][3:]
        same(body.u_dot(state), np.concatenate([R @ theirs[3:6], R @ theirs[:3] + np.cross(w, v)]))


@pytest.mark.parametrize("file", FILES)
def test_energy_differences_match_those_of_pinocchio(pinocchio, file):
    """Pinocchio omits links that are fixed to the world, so that energies differ by a constant."""
    system = load(file)
    peer = InPinocchio(pinocchio, file, system)
    data = peer.model.createData()
    ours, theirs = [], []
    for seed in (1, 2):
        state, *numbers = motions(system, seed)
        q, u, _ = peer.vectors(*numbers)
        ours.append([system.kinetic_energy(state), system.potential_energy(state)])
        theirs.append([pinocchio.computeKineticEnergy(peer.model, data, q, u), pinocchio.computePotentialEnergy(peer.model, data, q)])
    assert_allclose([each[0] for each in ours], [each[0] for each in theirs], rtol=1e-13)
    assert_allclose(ours[0][1] - ours[1][1], theirs[0][1] - theirs[1][1], rtol=1e-12)


@pytest.mark.parametrize("file", FILES)
def test_names_and_limits_match_those_of_pinocchio(pinocchio, file):
    system = mb.load_urdf(EXAMPLES / file)
    peer = InPinocchio(pinocchio, file, system)
    pins, free = joints_of(system)
    assert {body.name for body in (*pins, *free)} == set(peer.names)
    assert system.name == peer.model.name
    state = system.realize_topology()
    values = {each.name: each for each in system.variables(state)}
    for body in pins:
        joint = peer.model.joints[peer.model.getJointId(body.name)]
        if joint.nq == 2:
            assert f"{body.name}.limit.lower" not in values
            continue
        limits = [system.value(state, values[f"{body.name}.limit.{end}"]) for end in ("lower", "upper")]
        assert limits == [peer.model.lowerPositionLimit[joint.idx_q], peer.model.upperPositionLimit[joint.idx_q]]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("file", FILES)
def test_forward_dynamics_match_those_of_mujoco(mujoco, file, seed):
    system = load(file)
    state, q, u, torque = motions(system, seed)
    model = mujoco.MjModel.from_xml_path(str(EXAMPLES / file))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT  # MuJoCo's limits are soft constraints
    data = mujoco.MjData(model)
    pins, free = joints_of(system)
    for body in pins:
        joint = model.joint(body.name)
        data.qpos[joint.qposadr[0]], data.qvel[joint.dofadr[0]] = q[body.name], u[body.name]
        data.qfrc_applied[joint.dofadr[0]] = torque[body.name]
    for body in free:  # position first; linear velocity in the world, angular velocity in the body
        joint = model.joint(body.name)
        R = from_quaternion(q[body.name][:4])
        at, to = joint.qposadr[0], joint.dofadr[0]
        data.qpos[at : at + 7] = [*q[body.name][4:], *q[body.name][:4]]
        data.qvel[to : to + 6] = [*u[body.name][3:], *(R.T @ u[body.name][:3])]
    mujoco.mj_forward(model, data)
    same(
        np.array([body.u_dot(state)[0] for body in pins]),
        np.array([data.qacc[model.joint(body.name).dofadr[0]] for body in pins]),
    )
    for body in free:
        R, to = from_quaternion(q[body.name][:4]), model.joint(body.name).dofadr[0]
        same(body.u_dot(state), np.concatenate([R @ data.qacc[to + 3 : to + 6], data.qacc[to : to + 3]]))


@pytest.mark.parametrize("file", FILES)
def test_names_limits_and_damping_match_those_of_mujoco(mujoco, file):
    system = mb.load_urdf(EXAMPLES / file)
    model = mujoco.MjModel.from_xml_path(str(EXAMPLES / file))
    pins, free = joints_of(system)
    assert {body.name for body in (*pins, *free)} == {model.joint(k).name for k in range(model.njnt)}
    state = system.realize_topology()
    values = {each.name: each for each in system.variables(state)}

    def value(name):
        return float(system.value(state, values[name]))

    for body in pins:
        joint = model.joint(body.name)
        assert model.jnt_limited[joint.id] == (f"{body.name}.limit.lower" in values)
        if model.jnt_limited[joint.id]:
            assert [value(f"{body.name}.limit.{end}") for end in ("lower", "upper")] == model.jnt_range[joint.id].tolist()
        assert value(f"{body.name}_damper.damping") == model.dof_damping[joint.dofadr[0]]
