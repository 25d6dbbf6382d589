"""Load every MJCF file of a folder and compare its numbers with MuJoCo.

    python build_scripts/mjcf_files.py FOLDER... [--only TEXT] [--run] [--export] [--json FILE]

For each MJCF file that MuJoCo itself compiles: the mass matrix, bias less passive forces, and accelerations at random states, relative to
their largest entry, with contacts, limits, friction, equalities and what mobod leaves out switched off in both; the actuator forces; the
sensors. --run simulates 1 s from the keyframe (or qpos0), --export writes the FMU and validates it. Prints a table.
"""

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from copy import copy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.acceptance import validate_fmu
from mobod.files.findings import Findings
from mobod.files.mjcf.compiled import compiled
from mobod.files.mjcf.compiled_names import CompiledNames
from mobod.files.mjcf.drives import command_index
from mobod.files.mjcf.mjcf import load_mjcf
from mobod.files.mjcf.mujoco_package import mujoco
from mobod.files.mjcf.mujoco_state import MujocoJoint, mujoco_joints, set_mujoco_state, speeds_from_mujoco

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
HARMLESS = {"mujoco", "soft", "name", "start", "mesh", "margin", "ignored", "condim", "collision", "mocap", "sensor"}


@dataclass
class Row:
    """What was found of one file: relative differences, counts of findings, times in s."""

    file: str
    dofs: int = 0
    error: str = ""
    mass: float = float("nan")
    bias: float = float("nan")
    qacc: float = float("nan")
    bound: float = CLOSE
    actuators: float = float("nan")
    sensors: float = float("nan")
    build_time: float = float("nan")
    run: str = ""
    export: str = ""
    findings: dict[str, int] = field(default_factory=dict)

    @property
    def is_equal(self) -> bool:
        worst = [each for each in (self.mass, self.bias, self.qacc, self.actuators, self.sensors) if not np.isnan(each)]
        return not self.error and all(each <= self.bound for each in worst)

    @property
    def is_whole(self) -> bool:
        """Whether all that changes the motion is there, apart from condim 4 and 6 and pairs of shapes without a distance in mobod."""
        return not self.error and not set(self.findings) - HARMLESS

    def line(self) -> str:
        numbers = " ".join(f"{each:8.1e}" for each in (self.mass, self.bias, self.qacc, self.actuators, self.sensors))
        what = self.error[:110] or ", ".join(f"{kind} {n}" for kind, n in self.findings.items() if kind not in ("soft", "name"))
        mark = "FAILED" if self.error or not self.is_equal else "whole " if self.is_whole else "part  "
        return f"{mark} {self.file[-60:]:60} {self.dofs:4d} {numbers} {self.run:7} {self.export:7} {what}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="TEXT", help="files whose path contains this")
    parser.add_argument("--contact", action="store_true", help="make contacts too, for their findings")
    parser.add_argument("--most-dofs", type=int, default=150, help="leave out larger models")
    parser.add_argument("--run", action="store_true", help="simulate 1 s")
    parser.add_argument("--export", action="store_true", help="write an FMU and validate it")
    parser.add_argument("--debug", action="store_true", help="stop at the first error")
    parser.add_argument("--json", type=Path, help="write the rows there")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for folder in options.folders:
        for path in mjcf_files(folder):
            if options.only in str(path):
                m = compiled_model(path, folder)
                if m is not None and m.nv <= options.most_dofs:
                    rows.append(row_of(path, folder, m, options))
                    print(rows[-1].line(), flush=True)
    equal, whole = (sum(getattr(row, what) for row in rows) for what in ("is_equal", "is_whole"))
    print(f"{len(rows)} files, {equal} equal, {whole} whole, {sum(bool(row.error) for row in rows)} not loaded")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")
    return 0 if equal == len(rows) else 1


def mjcf_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.xml")) if folder.is_dir() else [folder]:
        if "<mujoco" in (text := path.read_text(encoding="utf-8", errors="replace")) and "<mujocoinclude" not in text:
            yield path


def compiled_model(path: Path, folder: Path) -> Any:
    """None for a file that MuJoCo does not compile, such as a fragment, or without joints."""
    try:
        m = compiled(path, [folder], Findings(path, strict=False))
    except mb.MobodError as error:
        if "refuses it" not in str(error):
            print(f"       {path}: {error}")
        return None
    return m if m.nv else None


def row_of(path: Path, folder: Path, m: Any, options: argparse.Namespace) -> Row:
    row = Row(str(path), dofs=m.nv)
    try:
        compare(row, path, folder, m, has_contact=options.contact)
        if options.run:
            row.run = simulated(path, folder, m)
        if options.export:
            row.export = exported(path, folder, m)
    except Exception as error:  # one file is one row
        row.error = f"{type(error).__name__}: {error}".replace("\n", " ")
        if options.debug:
            raise
    return row


def compare(row: Row, path: Path, folder: Path, m: Any, *, has_contact: bool) -> None:
    begin = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", mb.ModelFileWarning)
        load_mjcf(path, folders=[folder], contact="rigid" if has_contact else None)
    row.build_time = time.perf_counter() - begin
    row.findings = dict(Counter(each.kind for warning in caught for each in getattr(warning.message, "findings", ())))
    system = load_mjcf(path, folders=[folder], limits="ignore", friction="ignore", equality="ignore")
    names = CompiledNames(m, Findings(path, strict=False))
    made = {each.name: each for part in system.subsystems for each in getattr(part, "elements", ())}
    joints, drives = mujoco_joints(m, names, system), {a: made[name] for a, name in enumerate(names.actuators) if name in made}
    tendons = {t for t, name in enumerate(names.tendons) if name in made}
    mj = mujoco()
    m = comparable(mj, m, joints, set(drives), tendons)
    state = system.realize_topology()
    for data in states(mj, m):
        compare_state(row, system, names, joints, drives, state, mj, m, data)


def comparable(mj: Any, m: Any, joints: list[MujocoJoint], drives: set[int], tendons: set[int]) -> Any:
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


def states(mj: Any, m: Any) -> Iterator[Any]:
    random = np.random.default_rng(3)
    for number in range(STATES):
        data = mj.MjData(m)
        mj.mj_integratePos(m, data.qpos, random.normal(size=m.nv) * (0.3 if number == 0 else 1.0), 1.0)
        data.qvel[:] = random.normal(size=m.nv)
        data.ctrl[:] = random.uniform(-1.5, 1.5, m.nu)
        data.act[:] = random.uniform(-1, 1, m.na)
        mj.mj_forward(m, data)
        yield data


def compare_state(
    row: Row,
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
    M = np.zeros((m.nv, m.nv))
    mj.mj_fullM(m, data, M) if tuple(map(int, mj.__version__.split(".")[:2])) >= (4, 0) else mj.mj_fullM(m, M, data.qM)
    condition = float(np.linalg.cond(M))
    row.bound = max(CLOSE, BY_CONDITION * condition, row.bound)

    def worst(what: str, mine: np.ndarray, its: np.ndarray, floor: float = 1e-6) -> None:
        size = max(float(np.abs(its).max(initial=0.0)), floor)
        found = float(np.abs(mine - its).max(initial=0.0)) / size
        setattr(row, what, float(np.nanmax([getattr(row, what), found])))

    worst("mass", T.T @ matter.mass_matrix(state) @ T, M)
    u_dot = np.concatenate([np.atleast_1d(body.u_dot(state)) for body in matter.bodies])
    worst("qacc", np.linalg.solve(T, u_dot), data.qacc_smooth, floor=1e-2)
    bias = -T.T @ matter.inverse_dynamics(state, np.zeros(len(u_dot)))
    its = data.qfrc_passive - data.qfrc_bias + data.qfrc_actuator
    worst("bias", bias, its, floor=max(1e-6, float(np.abs(data.qfrc_bias).max()), float(np.abs(data.qfrc_actuator).max())))
    compare_sensors(worst, system, state, names, m, data)
    if drives:
        mine = np.array([servo.applied_force(state) for servo in drives.values()])
        worst("actuators", mine, np.array([data.actuator_force[a] for a in drives]))


def compare_sensors(worst: Any, system: Any, state: mb.State, names: CompiledNames, m: Any, data: Any) -> None:
    for s, name in enumerate(names.sensors):
        variable = f"{name}.value"
        if any(each.name == variable for each in system.variables(state)):
            first, n = int(m.sensor_adr[s]), int(m.sensor_dim[s])
            its, mine = data.sensordata[first : first + n], np.atleast_1d(system.value(state, variable))
            if n == 4 and its @ mine < 0:
                its = -its
            worst("sensors", mine, its, floor=1.0)


def simulated(path: Path, folder: Path, m: Any) -> str:
    """'0.12 s' of processor time, or the error."""
    keyframe = 0 if m.nkey else None
    begin = time.process_time()
    try:
        system = load_mjcf(path, folders=[folder], keyframe=keyframe)
        mb.Simulation(system, accuracy=1e-4).run(system.realize_topology(), until=1.0)
    except mb.MobodError as error:
        return f"{type(error).__name__}: {error}"[:60]
    return f"{time.process_time() - begin:.1f} s"


def exported(path: Path, folder: Path, m: Any) -> str:
    """'valid', or what validation finds."""
    keyframe = 0 if m.nkey else None
    with tempfile.TemporaryDirectory() as temporary:
        system = load_mjcf(path, folders=[folder], keyframe=keyframe)
        state = system.realize_topology()
        variables = system.variables(state)
        fmu = Path(temporary) / "robot.fmu"
        inputs, outputs = ([each.name for each in variables if each.role == role] for role in ("input", "state"))
        mb.export_fmu(system, fmu, inputs=inputs, outputs=outputs, code="interpreted", reference=False)
        report = validate_fmu(fmu)
        return "valid" if report.is_valid else "invalid"


if __name__ == "__main__":
    sys.exit(main())
