"""Compare MJCF and SDF files with MuJoCo's numbers (data/formats): the public loaders against states that MuJoCo computed.

Not compared, since mobod does not have them: spatial tendons, muscles, slider-cranks, fluid, and the sums that contain them. Their forces
are subtracted where the file gives them; otherwise the trees of joints that they act on are not compared.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.files.findings import Findings
from mobod.files.mjcf.compiled import compiled
from mobod.files.mjcf.compiled_names import CompiledNames
from mobod.files.mjcf.drives import command_index
from mobod.files.mjcf.mujoco_package import mujoco
from mobod.files.mjcf.mujoco_state import MujocoJoint, set_mujoco_state, speeds_from_mujoco
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError
from tests.reference.sdf_states import compare_sdf_state

CLOSE = 1e-9  # of the largest entry, as the README of the data says
CLOSE_RIGID = 1e-8  # of accelerations with rigid equalities, which the file has by differences
OF_SPATIAL_TENDONS = ("tendonpos", "tendonvel")
SMALL = 1e-12  # of a moment arm

State = dict[str, Any]


def read_formats(path: Path) -> list[dict[str, Any]] | None:
    """The states of a file; None if it has other content, or no model lies beside it."""
    if not any(path.with_suffix(suffix).is_file() for suffix in (".xml", ".sdf")):
        return None
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or not {"model", "mujoco", "states"} <= content.keys():
        return None
    return [{"name": f"{content['model']}[{i}]", "file": path, "content": content, "state": s} for i, s in enumerate(content["states"])]


def compare_format(case: dict[str, Any]) -> Report:
    report = Report(case["name"])
    try:
        _compare(case["file"], case["content"], case["state"], report)
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


@cache
def _system(path: Path, **options: Any) -> mb.MultibodySystem:
    """The System of the SDF file beside the data, else of the MJCF file."""
    sdf = path.with_suffix(".sdf")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mb.ModelFileWarning)
        common = {"limits": "ignore", "friction": "ignore", "equality": "ignore", **options}
        return mb.load_sdf(sdf, **common) if sdf.is_file() else mb.load_mjcf(path.with_suffix(".xml"), **common)


@cache
def _model(path: Path) -> Any:
    """The model that MuJoCo compiles, for what mobod leaves out; of an SDF file its equivalent."""
    xml = path.with_suffix(".xml")
    return compiled(xml, (), Findings(xml, strict=False)) if xml.is_file() else None


def _compare(path: Path, content: State, expected: State, report: Report) -> None:
    def add(name: str, mine: Any, its: Any, tolerance: float = CLOSE, floor: float = 0.0) -> None:
        mine, its = np.asarray(mine, dtype=float), np.asarray(its, dtype=float)
        size = max(float(np.abs(its).max(initial=0.0)), floor) or 1.0
        error = float(np.abs(mine - its).max(initial=0.0)) / size if mine.shape == its.shape else np.inf
        report.compared.append(Comparison(name, error if np.isfinite(error) else np.inf, tolerance))

    if path.with_suffix(".sdf").is_file():
        compare_sdf_state(_system(path, sensors=False), content, expected, add, report.not_compared.append)
        return
    nv, qpos, qvel = len(expected["qvel"]), np.array(expected["qpos"]), np.array(expected["qvel"])
    missing = Missing(_model(path), expected, nv)

    # without drives: mass matrix, and bias less passive forces
    plain = _system(path, actuators=None, sensors=False)
    state, joints = _at(plain, content, expected["time"], qpos, qvel)
    T = speeds_from_mujoco(state, joints, qpos, nv)
    add("joints", [joint.qpos for joint in joints], [each["qpos_at"] for each in content["joints"]])
    add("mass_matrix", T.T @ plain.matter.mass_matrix(state) @ T, np.array(expected["mass_matrix"]) - missing.mass)
    mine, its = T.T @ plain.matter.inverse_dynamics(state, np.zeros(nv)), missing.bias_less_passive
    keep = ~missing.unknown_bias
    scale = float(np.abs(expected["qfrc_bias"]).max(initial=0.0))
    add("qfrc_bias - qfrc_passive", mine[keep], its[keep], floor=scale)

    whole = _system(path)
    state, joints = _at(whole, content, expected["time"], qpos, qvel)
    _compare_drives(path, whole, state, expected, add, report)
    whole.realize(state, mb.Stage.REPORT)
    u_dot = np.linalg.solve(T, np.concatenate([np.atleast_1d(body.u_dot(state)) for body in whole.matter.bodies]))
    keep = ~missing.unknown_acceleration
    add("qacc_smooth", u_dot[keep], missing.qacc_smooth[keep])
    _compare_sensors(path, whole, state, content, expected, missing, add, report)

    if "qacc_rigid_equalities" in expected and not missing.any_force:
        rigid = _system(path, equality="rigid", sensors=False)
        state, joints = _at(rigid, content, expected["time"], qpos, qvel)
        _set_commands(path, rigid, state, expected)
        rigid.realize(state, mb.Stage.ACCELERATION)
        u_dot = np.linalg.solve(T, np.concatenate([np.atleast_1d(body.u_dot(state)) for body in rigid.matter.bodies]))
        add("qacc_rigid_equalities", u_dot[keep], np.array(expected["qacc_rigid_equalities"])[keep], CLOSE_RIGID)


def _at(system: mb.MultibodySystem, content: State, time: float, qpos: np.ndarray, qvel: np.ndarray) -> tuple[mb.State, list[MujocoJoint]]:
    state, bodies = system.realize_topology(), {body.name: body for body in system.matter.bodies}
    joints = [MujocoJoint(each["type"], each["qpos_at"], each["qvel_at"], bodies[each["joint"]]) for each in content["joints"]]
    set_mujoco_state(state, joints, qpos, qvel)
    state.time = time
    system.realize(state, mb.Stage.DYNAMICS)
    return state, joints


class Missing:
    """What mobod lacks of a model, in one state.

    mass                  (nv, nv) what it adds to the mass matrix
    bias_less_passive     (nv,) the file's, without its part
    qacc_smooth           (nv,) the file's, without its part
    unknown_bias, unknown_acceleration  (nv,) where the part is not known
    any_force             whether it has forces
    """

    def __init__(self, m: Any, expected: State, nv: int):
        self.mass, force = np.zeros((nv, nv)), np.array(expected.get("qfrc_fluid", np.zeros(nv)), dtype=float)
        self.unknown_bias, unknown, act = np.zeros(nv, bool), np.zeros(nv, bool), np.zeros(nv)
        if m is not None:
            names = CompiledNames(m, Findings(Path("x"), strict=False))
            for t in range(m.ntendon):
                name = names.shown("tendon", t).strip("'")
                J = np.array(expected["tendon_jacobian"][name]) if name in expected.get("tendon_jacobian", {}) else np.zeros(nv)
                if m.tendon_armature[t]:
                    self.mass += m.tendon_armature[t] * np.outer(J, J)
                    self.unknown_bias |= np.abs(J) > SMALL
                if _is_spatial(m, t):
                    length, rate = expected["tendon_length"][name], expected["tendon_velocity"][name]
                    low, high = m.tendon_lengthspring[t]
                    force -= J * (m.tendon_stiffness[t] * (length - np.clip(length, low, high)) + m.tendon_damping[t] * rate)
            for a, name in enumerate(_drives_left_out(m)):
                if name is not None:
                    unknown |= _moved(m, a, expected, nv)
            for j in np.flatnonzero(m.jnt_actgravcomp):
                dof = int(m.jnt_dofadr[j])
                act[dof] = expected["qfrc_gravcomp"][dof]
        self.any_force = bool(np.any(force) or unknown.any() or self.unknown_bias.any())
        self.bias_less_passive = np.array(expected["qfrc_bias"]) - (np.array(expected["qfrc_passive"]) - force + act)
        self.unknown_acceleration = _whole_trees(m, unknown | self.unknown_bias)
        M = np.array(expected["mass_matrix"])
        smooth = M @ np.array(expected["qacc_smooth"]) - force
        self.qacc_smooth = np.linalg.solve(M - self.mass, smooth)


def _is_spatial(m: Any, t: int) -> bool:
    wraps = range(int(m.tendon_adr[t]), int(m.tendon_adr[t]) + int(m.tendon_num[t]))
    return any(int(m.wrap_type[w]) != int(mujoco().mjtWrap.mjWRAP_JOINT) for w in wraps)


def _drives_left_out(m: Any) -> list[str | None]:
    """For each actuator why it is left out by name: 'muscle', 'slidercrank', 'tendon'; None: it is compared."""
    mj, found = mujoco(), list[str | None]()
    for a in range(len(m.actuator_trntype)):
        kind = int(m.actuator_trntype[a])
        if int(m.actuator_gaintype[a]) == int(mj.mjtGain.mjGAIN_MUSCLE):
            found.append("muscle")
        elif kind == int(mj.mjtTrn.mjTRN_SLIDERCRANK):
            found.append("slidercrank")
        elif kind == int(mj.mjtTrn.mjTRN_TENDON) and _is_spatial(m, int(m.actuator_trnid[a][0])):
            found.append("tendon")
        else:
            found.append(None)
    return found


def _moved(m: Any, a: int, expected: State, nv: int) -> np.ndarray:
    """(nv,) the speeds that an actuator acts on: those of its tendon, or of the bodies of its sites."""
    mj, moved = mujoco(), np.zeros(nv, bool)
    if int(m.actuator_trntype[a]) == int(mj.mjtTrn.mjTRN_TENDON):
        wraps = range(
            int(m.tendon_adr[m.actuator_trnid[a][0]]), int(m.tendon_adr[m.actuator_trnid[a][0]] + m.tendon_num[m.actuator_trnid[a][0]])
        )
        bodies = [int(m.jnt_bodyid[m.wrap_objid[w]]) for w in wraps if int(m.wrap_type[w]) == int(mj.mjtWrap.mjWRAP_JOINT)]
        bodies += [int(m.site_bodyid[m.wrap_objid[w]]) for w in wraps if int(m.wrap_type[w]) == int(mj.mjtWrap.mjWRAP_SITE)]
    elif int(m.actuator_trntype[a]) in (int(mj.mjtTrn.mjTRN_SLIDERCRANK), int(mj.mjtTrn.mjTRN_SITE)):
        bodies = [int(m.site_bodyid[s]) for s in m.actuator_trnid[a] if s >= 0]
    else:
        bodies = [int(m.jnt_bodyid[m.actuator_trnid[a][0]])]
    trees = {int(m.body_treeid[b]) for b in bodies}
    return np.array([int(m.dof_treeid[d]) in trees for d in range(nv)]) | moved


def _whole_trees(m: Any, unknown: np.ndarray) -> np.ndarray:
    if m is None or not unknown.any():
        return unknown
    trees = {int(m.dof_treeid[d]) for d in np.flatnonzero(unknown)}
    return np.array([int(tree) in trees for tree in m.dof_treeid])


def _set_commands(path: Path, system: mb.MultibodySystem, state: mb.State, expected: State) -> dict[str, Any]:
    """The drives by MuJoCo's names, with the commands and activations of the state."""
    m = _model(path)
    names = CompiledNames(m, Findings(path, strict=False))
    made = {each.name: each for part in system.subsystems for each in getattr(part, "elements", ())}
    drives = {}
    for a, name in enumerate(names.actuators):
        if name in made:
            drive = drives[names.shown("actuator", a).strip("'")] = made[name]
            drive.set_command(state, expected["ctrl"][command_index(m, a)])
            if drive.z_starts:
                act = expected["act"]
                at = int(m.actuator_actadr[a])
                system.set_value(
                    state, f"{name}.activation", act[at] if isinstance(act, list) else act[names.shown("actuator", a).strip("'")]
                )
    return drives


def _compare_drives(path: Path, system: mb.MultibodySystem, state: mb.State, expected: State, add: Any, report: Report) -> None:
    """Actuator forces by name, and lengths and rates of fixed tendons."""
    m, drives = _model(path), _set_commands(path, system, state, expected)
    system.realize(state, mb.Stage.DYNAMICS)
    names = CompiledNames(m, Findings(path, strict=False))
    left_out = {names.shown("actuator", a).strip("'"): why for a, why in enumerate(_drives_left_out(m))}
    for name, force in expected.get("actuator_force", {}).items():
        if left_out.get(name) is None:
            if name in drives:
                add(f"actuator_force: {name}", drives[name].applied_force(state), force, floor=1.0)
            else:
                report.not_compared.append(f"actuator_force: {name}")
    tendons = {each.name: each for part in system.subsystems for each in getattr(part, "elements", ()) if isinstance(each, mb.FixedTendon)}
    for t, name in enumerate(names.tendons):
        shown = names.shown("tendon", t).strip("'")
        if _is_spatial(m, t) or shown not in expected.get("tendon_length", {}):
            continue
        if name not in tendons:
            report.not_compared.append(f"tendon: {shown}")
            continue
        add(f"tendon_length: {shown}", tendons[name].length(state), expected["tendon_length"][shown], floor=1.0)
        add(f"tendon_velocity: {shown}", tendons[name].rate(state), expected["tendon_velocity"][shown], floor=1.0)


def _compare_sensors(
    path: Path, system: mb.MultibodySystem, state: mb.State, content: State, expected: State, missing: Missing, add: Any, report: Report
) -> None:
    m = _model(path)
    names, variables = CompiledNames(m, Findings(path, strict=False)), {each.name for each in system.variables(state)}
    mj = mujoco()
    is_soft = bool(expected.get("constraint_rows")) or missing.any_force
    for s, name in enumerate(names.sensors):
        shown = names.shown("sensor", s).strip("'")
        if shown not in expected.get("sensors", {}):
            continue
        is_of_acceleration = int(m.sensor_needstage[s]) == int(mj.mjtStage.mjSTAGE_ACC)
        is_of_drive = int(m.sensor_type[s]) in (int(mj.mjtSensor.mjSENS_ACTUATORFRC), int(mj.mjtSensor.mjSENS_JOINTACTFRC))
        if is_of_acceleration and is_soft and not is_of_drive:
            continue  # it contains soft constraints, or what is left out
        if _is_of_spatial_tendon(m, s):
            continue
        limits = {
            int(getattr(mj.mjtSensor, f"mjSENS_{what}LIMIT{number}")): of_limit
            for what, of_limit in (("JOINT", _limit_of_joint), ("TENDON", _limit_of_tendon))
            for number in ("POS", "VEL")
        }
        if (of_limit := limits.get(int(m.sensor_type[s]))) is not None:
            found = of_limit(path, content, expected, m, int(m.sensor_objid[s]))
            if found is None:
                report.not_compared.append(f"sensor: {shown}")
            else:
                is_rate = int(m.sensor_type[s]) in (int(mj.mjtSensor.mjSENS_JOINTLIMITVEL), int(mj.mjtSensor.mjSENS_TENDONLIMITVEL))
                add(f"sensor: {shown}", [found[int(is_rate)]], expected["sensors"][shown], floor=1.0)
            continue
        if f"{name}.value" not in variables:
            report.not_compared.append(f"sensor: {shown}")
            continue
        its, mine = np.array(expected["sensors"][shown]), np.atleast_1d(system.value(state, f"{name}.value"))
        if len(its) == 4 and its @ mine < 0:
            mine = -mine  # the same rotation
        add(f"sensor: {shown}", mine, its, floor=1.0)


def _limit_of_joint(path: Path, content: State, expected: State, m: Any, joint: int) -> tuple[float, float] | None:
    """What MuJoCo's sensors jointlimitpos and jointlimitvel show: the distance from the nearer limit less its margin, and the rate of that,
    or zeros where the distance is above the margin. By mobod's rigid limits; None for a joint that has none in mobod.
    """
    name = CompiledNames(m, Findings(path, strict=False)).joints[joint]
    system = _system(path, sensors=False, limits="rigid")
    state, _ = _at(system, content, expected["time"], np.array(expected["qpos"]), np.array(expected["qvel"]))
    body = system.matter.body(name)
    if body.nq != 1 or not body.limits:
        return None
    distance = float(body.limit_distance(state)[0]) - float(m.jnt_margin[joint])
    is_lower = body.q(state)[0] < m.jnt_range[joint].mean()
    return (distance, float(body.u(state)[0]) * (1 if is_lower else -1)) if distance < 0 else (0.0, 0.0)


def _limit_of_tendon(path: Path, content: State, expected: State, m: Any, tendon: int) -> tuple[float, float] | None:
    """The same of a fixed tendon, by its length in mobod."""
    name = CompiledNames(m, Findings(path, strict=False)).tendons[tendon]
    system = _system(path, sensors=False)
    made = [each for part in system.subsystems for each in getattr(part, "elements", ()) if isinstance(each, mb.FixedTendon)]
    found = next((each for each in made if each.name == name), None)
    if found is None:
        return None
    state, _ = _at(system, content, expected["time"], np.array(expected["qpos"]), np.array(expected["qvel"]))
    low, high = m.tendon_range[tendon]
    length, rate = float(found.length(state)), float(found.rate(state))
    distance = min(length - low, high - length) - float(m.tendon_margin[tendon])
    return (distance, rate if length - low < high - length else -rate) if distance < 0 else (0.0, 0.0)


def _is_of_spatial_tendon(m: Any, s: int) -> bool:
    kinds = mujoco().mjtSensor
    of_tendon = [int(getattr(kinds, f"mjSENS_{name}")) for name in ("TENDONPOS", "TENDONVEL", "TENDONACTFRC")]
    return int(m.sensor_type[s]) in of_tendon and _is_spatial(m, int(m.sensor_objid[s]))
