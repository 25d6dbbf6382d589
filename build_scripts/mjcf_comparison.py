"""Numbers of an MJCF file in mobod and in MuJoCo: mass matrices, biases, accelerations, actuator forces and sensors at random states.

What is soft in MuJoCo (contacts, limits, friction, equalities), and what mobod leaves out, is switched off in both.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.files.findings import Findings
from mobod.files.mjcf.compiled_names import CompiledNames
from mobod.files.mjcf.drives import command_index
from mobod.files.mjcf.mjcf import load_mjcf
from mobod.files.mjcf.mujoco_package import mujoco
from mobod.files.mjcf.mujoco_state import MujocoJoint, mujoco_joints, set_mujoco_state, speeds_from_mujoco
from mobod.files.mjcf.sensors import shows_outer_forces

STATES = 3
CLOSE = 1e-9
LEFT_OUT = (
    "tendon_armature",
    "tendon_stiffnesspoly",
    "tendon_dampingpoly",
    "jnt_stiffnesspoly",
    "dof_dampingpoly",
    "actuator_armature",
    "actuator_damping",
    "actuator_dampingpoly",
    "jnt_actgravcomp",
)
BY_CONDITION = 1e-16  # of the condition of the mass matrix


@dataclass
class Differences:
    """The largest ones, relative to the largest entry; NaN: nothing to compare."""

    mass: float = float("nan")
    bias: float = float("nan")
    qacc: float = float("nan")
    actuators: float = float("nan")
    sensors: float = float("nan")
    bound: float = CLOSE

    def numbers(self) -> tuple[float, ...]:
        return self.mass, self.bias, self.qacc, self.actuators, self.sensors

    @property
    def is_equal(self) -> bool:
        return all(each <= self.bound for each in self.numbers() if not np.isnan(each))


def differences(source: Any, folder: Path, m: Any) -> Differences:
    """Between the file, of which MuJoCo makes m, and MuJoCo."""
    found = Differences()
    system = load_mjcf(source, folders=[folder], limits="ignore", friction="ignore", equality="ignore")
    names = CompiledNames(m, Findings(Path("model"), strict=False))
    made = {each.name: each for part in system.subsystems for each in getattr(part, "elements", ())}
    joints, drives = mujoco_joints(m, names, system), {a: made[name] for a, name in enumerate(names.actuators) if name in made}
    tendons = {t for t, name in enumerate(names.tendons) if name in made}
    mj = mujoco()
    m = _comparable(mj, m, joints, set(drives), tendons)
    state = system.realize_topology()
    for data in _states(mj, m):
        _compare_state(found, system, names, joints, drives, state, mj, m, data)
    return found


def _comparable(mj: Any, m: Any, joints: list[MujocoJoint], drives: set[int], tendons: set[int]) -> Any:
    """A copy of the compiled model without what is soft there, and without what mobod leaves out."""
    m = copy(m)
    flags = mj.mjtDisableBit
    m.opt.disableflags |= int(flags.mjDSBL_CONTACT | flags.mjDSBL_LIMIT | flags.mjDSBL_EQUALITY | flags.mjDSBL_FRICTIONLOSS)
    m.opt.density = m.opt.viscosity = 0
    for t in range(m.ntendon):
        if t not in tendons:
            m.tendon_stiffness[t] = m.tendon_damping[t] = 0
    for a in range(len(m.actuator_trntype)):
        if a not in drives:
            m.actuator_gainprm[a] = m.actuator_biasprm[a] = 0
            m.actuator_gaintype[a] = m.actuator_biastype[a] = 0
    for name in LEFT_OUT:
        if hasattr(m, name):
            getattr(m, name)[:] = 0
    for j, joint in enumerate(joints):
        if joint.kind in ("free", "ball"):
            m.jnt_stiffness[j] = 0
        if joint.kind == "free":
            m.dof_armature[joint.dof : joint.dof + 6] = 0
    return m


def _states(mj: Any, m: Any) -> Iterator[Any]:
    random = np.random.default_rng(3)
    for number in range(STATES):
        data = mj.MjData(m)
        mj.mj_integratePos(m, data.qpos, random.normal(size=m.nv) * (0.3 if number == 0 else 1.0), 1.0)
        data.qvel[:] = random.normal(size=m.nv)
        data.ctrl[:] = random.uniform(-1.5, 1.5, m.nu)
        data.act[:] = random.uniform(-1, 1, m.na)
        mj.mj_forward(m, data)
        yield data


def mass_matrix(mj: Any, m: Any, data: Any) -> np.ndarray:
    """(nv, nv): MuJoCo's. Its function changes with the version."""
    M = np.zeros((m.nv, m.nv))
    try:
        mj.mj_fullM(m, data, M)
    except TypeError:
        mj.mj_fullM(m, M, data.qM)
    return M


def _compare_state(
    found: Differences,
    system: Any,
    names: CompiledNames,
    joints: list[MujocoJoint],
    drives: dict[int, Any],
    state: mb.State,
    mj: Any,
    m: Any,
    data: Any,
) -> None:
    matter = system.matter
    set_mujoco_state(state, joints, data.qpos, data.qvel)
    for a, servo in drives.items():
        servo.set_command(state, float(data.ctrl[command_index(m, a)]))
        if servo.z_starts:
            system.set_value(state, f"{servo.name}.activation", float(data.act[m.actuator_actadr[a]]))
    system.realize(state, mb.Stage.REPORT)
    T = speeds_from_mujoco(state, joints, data.qpos, m.nv)
    M = mass_matrix(mj, m, data)
    condition = float(np.linalg.cond(M))
    found.bound = max(CLOSE, BY_CONDITION * condition, found.bound)

    def worst(what: str, mine: np.ndarray, its: np.ndarray, floor: float = 1e-6) -> None:
        size = max(float(np.abs(its).max(initial=0.0)), floor)
        error = float(np.abs(mine - its).max(initial=0.0)) / size
        setattr(found, what, float(np.nanmax([getattr(found, what), error])))

    worst("mass", T.T @ matter.mass_matrix(state) @ T, M)
    u_dot = np.concatenate([np.atleast_1d(body.u_dot(state)) for body in matter.bodies])
    worst("qacc", np.linalg.solve(T, u_dot), data.qacc_smooth, floor=1e-2)
    bias = -T.T @ matter.inverse_dynamics(state, np.zeros(len(u_dot)))
    its = data.qfrc_passive - data.qfrc_bias + data.qfrc_actuator
    worst("bias", bias, its, floor=max(1e-6, float(np.abs(data.qfrc_bias).max()), float(np.abs(data.qfrc_actuator).max())))
    _compare_sensors(worst, system, state, names, m, data)
    if drives:
        mine = np.array([servo.applied_force(state) for servo in drives.values()])
        worst("actuators", mine, np.array([data.actuator_force[a] for a in drives]))


def _compare_sensors(worst: Any, system: Any, state: mb.State, names: CompiledNames, m: Any, data: Any) -> None:
    for s, name in enumerate(names.sensors):
        variable = f"{name}.value"
        if any(each.name == variable for each in system.variables(state)) and not shows_outer_forces(m, s):
            first, n = int(m.sensor_adr[s]), int(m.sensor_dim[s])
            its, mine = data.sensordata[first : first + n], np.atleast_1d(system.value(state, variable))
            if n == 4 and its @ mine < 0:
                its = -its
            worst("sensors", mine, its, floor=1.0)
