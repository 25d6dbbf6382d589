"""Bodies and joints of a compiled model as links and joints of a robot."""

import numpy as np

from mobod.errors import MassPropertiesError, ModelFileError
from mobod.files.mjcf.drives import TRANSMISSIONS
from mobod.files.mjcf.mujoco_package import mujoco
from mobod.files.mjcf.reading import Reading, pose, unit_quaternion
from mobod.files.mjcf.shapes import collisions_of, visuals_of
from mobod.files.mjcf.softness import softness
from mobod.files.robot.joints import JointKind, RobotJoint, RobotLimits, RobotRotor, RobotSpring
from mobod.files.robot.links import WORLD, RobotLink
from mobod.spatial import MassProperties, Transform, from_quaternion

INSIDE = 1e-3  # of a range: how far from its end a coordinate begins that would be outside of it, so that the limit is open
KIND: dict[str, JointKind] = {"free": "floating", "ball": "spherical", "slide": "prismatic", "hinge": "revolute"}


def read_links(reading: Reading) -> dict[str, RobotLink]:
    """The links by name, with one without mass between two joints of a body."""
    m, path, links = reading.m, reading.findings.path, dict[str, RobotLink]()
    for b, name in enumerate(reading.names.links):
        for j in _joints(reading, b)[:-1]:
            between = link_before(reading, b, j)
            links[between] = RobotLink(name=between, path=path, line=0, mass_properties=MassProperties.massless())
        links[name] = RobotLink(
            name=name,
            path=path,
            line=0,
            mass_properties=_mass_properties(reading, b) if b else MassProperties.massless(),
            visuals=visuals_of(reading, b),
            collisions=collisions_of(reading, b),
            gravity_compensation=float(m.body_gravcomp[b]) if b and m.body_mass[b] else 0.0,
            model=WORLD if not b else "",
            self_collide=True,
        )
        if b and int(m.body_mocapid[b]) >= 0:
            reading.left_out("mocap", f"body '{name}' is moved from outside (mocap) in MuJoCo. It is fixed.", link=name)
    return links


def read_joints(reading: Reading) -> dict[str, RobotJoint]:
    """The joints by name. Every coordinate is MuJoCo's."""
    m, joints = reading.m, dict[str, RobotJoint]()
    for b in range(1, m.nbody):
        X_PC, of_body = pose(m.body_pos[b], m.body_quat[b]), _joints(reading, b)
        link, parent = reading.names.links[b], reading.names.links[int(m.body_parentid[b])]
        if not of_body:
            name, is_mocap = reading.names.welds[b], int(m.body_mocapid[b]) >= 0
            is_base = parent == WORLD and not is_mocap and float(m.body_subtreemass[b]) > 0
            joints[name] = RobotJoint(
                name=name, path=reading.findings.path, line=0, kind="fixed", parent=parent, child=link, X_PC=X_PC, is_base=is_base
            )
        for j in of_body:
            child = link if j == of_body[-1] else link_before(reading, b, j)
            joint = _joint(reading, j, parent, child, X_PC)
            joints[joint.name] = joint
            parent, X_PC = child, Transform()
    _note_soft_limits(reading)
    return joints


def link_before(reading: Reading, b: int, j: int) -> str:
    """The link without mass between a joint of a body and its next one."""
    return f"{reading.names.links[b]}/{reading.names.joints[j]}"


def _joints(reading: Reading, b: int) -> range:
    first = int(reading.m.body_jntadr[b])
    return range(first, first + int(reading.m.body_jntnum[b]))


def _joint(reading: Reading, j: int, parent: str, child: str, X_PC: Transform) -> RobotJoint:
    m, name, kind = reading.m, reading.names.joints[j], reading.joint_kind(j)
    qpos, is_scalar = int(m.jnt_qposadr[j]), reading.has_one_coordinate(j)
    return RobotJoint(
        name=name,
        path=reading.findings.path,
        line=0,
        kind=KIND[kind],
        parent=parent,
        child=child,
        X_PC=Transform() if kind == "free" else X_PC,
        axis=np.array(m.jnt_axis[j]) if is_scalar else np.array([0.0, 0.0, 1.0]),
        anchor=np.zeros(3) if kind in ("free", "slide") else np.array(m.jnt_pos[j]),
        q_ref=float(m.qpos0[qpos]) if is_scalar else 0.0,
        limits=_limits(reading, j),
        damping=_damping(reading, j),
        friction=_friction(reading, j),
        spring=_spring(reading, j),
        rotor=_rotor(reading, j),
        start=_start(reading, j, kind, qpos),
        is_base=kind == "free",
        is_driven=_is_driven(reading, j),
    )


def _start(reading: Reading, j: int, kind: str, at: int) -> np.ndarray:
    q, m = reading.q, reading.m
    if kind == "free":
        return np.concatenate([unit_quaternion(q[at + 3 : at + 7]), q[at : at + 3]])
    if kind == "ball":
        return unit_quaternion(q[at : at + 4])
    lower, upper = (float(x) for x in m.jnt_range[j])
    if not m.jnt_limited[j] or reading.is_off("limit") or not lower < upper or lower <= q[at] <= upper:
        return q[at : at + 1]
    inside = INSIDE * (upper - lower)
    start, unit = float(np.clip(q[at], lower + inside, upper - inside)), "m" if kind == "slide" else "rad"
    name, place = reading.names.joints[j], "qpos0" if reading.key is None else "the keyframe"
    other = " The file has keyframes, which may be inside: keyframe=0." if reading.key is None and m.nkey else ""
    reading.findings.note(
        "start",
        f"joint '{name}': {q[at]:g} {unit} of {place} is outside of its range, from {lower:g} to {upper:g} {unit}. It begins at {start:g} "
        f"{unit}.{other}",
        joint=name,
    )
    return np.array([start])


def _is_driven(reading: Reading, j: int) -> bool:
    """Whether an actuator moves the joint itself."""
    m = reading.m
    return any(int(kind) in (0, 1) and int(of[0]) == j for kind, of in zip(m.actuator_trntype, m.actuator_trnid, strict=True))


def _limits(reading: Reading, j: int) -> RobotLimits | None:
    m, name = reading.m, reading.names.joints[j]
    is_limited = bool(m.jnt_limited[j]) and not reading.is_off("limit")
    lower, upper = (float(x) for x in m.jnt_range[j]) if is_limited else (-np.inf, np.inf)
    if not reading.has_one_coordinate(j):
        if is_limited:
            reading.left_out(
                "limits", f"joint '{name}' ({reading.joint_kind(j)}) has a range of {upper:g} rad. It is left out.", joint=name
            )
        return None
    if not lower < upper:
        reading.left_out("limits", f"joint '{name}': its range, from {lower:g} to {upper:g}, is empty. It is left out.", joint=name)
        lower, upper = -np.inf, np.inf
    if is_limited and m.jnt_margin[j]:
        reading.findings.note("margin", f"joint '{name}': the margin of its range, {m.jnt_margin[j]:g}, is left out.", joint=name)
    effort = _drive_range(reading, j)
    counts_sites, counts_compensation = _counts(reading, j)
    if not (is_limited or effort is not None or counts_sites or counts_compensation):
        return None
    soft, inertia = softness(m.jnt_solref[j], m.jnt_solimp[j]), 1 / max(float(m.dof_invweight0[int(m.jnt_dofadr[j])]), 1e-15)
    return RobotLimits(
        lower=lower,
        upper=upper,
        effort=0.0 if effort is None else effort[1],
        effort_low=None if effort is None else effort[0],
        counts_sites=counts_sites,
        counts_compensation=counts_compensation,
        stiffness=inertia * soft.stiffness,
        dissipation=soft.dissipation,
    )


def _drive_range(reading: Reading, j: int) -> tuple[float, float] | None:
    """The range of the sum of the actuator forces."""
    m = reading.m
    if not m.jnt_actfrclimited[j]:
        return None
    low, high = (float(x) for x in m.jnt_actfrcrange[j])
    return low, high


def _counts(reading: Reading, j: int) -> tuple[bool, bool]:
    """Whether the sum of the actuator forces has those of sites, and gravity compensation: where it has a range or a sensor."""
    m, types = reading.m, mujoco().mjtSensor
    is_shown = any(int(of) == j for of in m.sensor_objid[np.asarray(m.sensor_type) == int(types.mjSENS_JOINTACTFRC)])
    if m.jnt_actgravcomp[j] and np.any(m.body_gravcomp) and not m.nu:
        reading.left_out(
            "actuator",
            f"joint '{reading.names.joints[j]}': its actuators would compensate gravity, which MuJoCo leaves out where a model has no "
            "actuators. Here it acts.",
            joint=reading.names.joints[j],
        )
    if not (m.jnt_actfrclimited[j] or is_shown):
        return False, False
    has_sites = any(TRANSMISSIONS[int(kind)] == "site" for kind in m.actuator_trntype if int(kind) < len(TRANSMISSIONS))
    return has_sites, bool(m.jnt_actgravcomp[j] and np.any(m.body_gravcomp))


def _note_soft_limits(reading: Reading) -> None:
    m = reading.m
    limited = [j for j in range(m.njnt) if m.jnt_limited[j] and reading.has_one_coordinate(j)]
    if limited and reading.soft == "rigid" and not reading.is_off("limit"):
        depth = max(softness(m.jnt_solref[j], m.jnt_solimp[j]).depth for j in limited)
        reading.findings.note(
            "soft",
            f"{len(limited)} joints have soft limits in MuJoCo, which give way by up to {depth:.2g} rad or m under an acceleration of 9.81 "
            "rad/s^2 or m/s^2. Here they are rigid; soft='compliant' makes elastic stops of them.",
        )


def _damping(reading: Reading, j: int) -> float:
    """The same for all speeds of a free or ball joint, so that it does not matter that MuJoCo's are in the body."""
    dof, name = int(reading.m.jnt_dofadr[j]), reading.names.joints[j]
    if np.any(reading.field("dof_dampingpoly", dof)):
        reading.left_out("spring", f"joint '{name}': its damping is a polynomial, of which the linear term is used.", joint=name)
    return 0.0 if _is_passive_off(reading, "damper") else float(reading.m.dof_damping[dof])


def _friction(reading: Reading, j: int) -> float:
    return 0.0 if reading.is_off("frictionloss") else float(reading.m.dof_frictionloss[int(reading.m.jnt_dofadr[j])])


def _is_passive_off(reading: Reading, what: str) -> bool:
    """MuJoCo before 3.4 has one flag for springs and dampers."""
    return reading.is_off(what) or reading.is_off("passive")


def _spring(reading: Reading, j: int) -> RobotSpring | None:
    m, name = reading.m, reading.names.joints[j]
    if np.any(reading.field("jnt_stiffnesspoly", j)):
        reading.left_out("spring", f"joint '{name}': its stiffness is a polynomial, of which the linear term is used.", joint=name)
    if np.any(reading.field("jnt_springyield", j)):
        reading.left_out("spring", f"joint '{name}': the yield of its spring is left out.", joint=name)
    stiffness = float(m.jnt_stiffness[j])
    if not stiffness or _is_passive_off(reading, "spring"):
        return None
    if not reading.has_one_coordinate(j):
        kind = reading.joint_kind(j)
        reading.left_out("spring", f"joint '{name}' ({kind}) has a spring of {stiffness:g}. It is left out.", joint=name)
        return None
    return RobotSpring(stiffness=stiffness, q_zero=float(m.qpos_spring[int(m.jnt_qposadr[j])]))


def _rotor(reading: Reading, j: int) -> RobotRotor | None:
    m, name = reading.m, reading.names.joints[j]
    armature = float(m.dof_armature[int(m.jnt_dofadr[j])])
    if not armature or not reading.armature:
        return None
    if reading.joint_kind(j) == "free":
        reading.left_out("armature", f"joint '{name}' (free) has an armature of {armature:g}. It is left out.", joint=name)
        return None
    return RobotRotor(inertia=armature)


def _mass_properties(reading: Reading, b: int) -> MassProperties:
    """About the body's origin, from the principal moments in the inertial frame."""
    m = reading.m
    mass, com, R = float(m.body_mass[b]), np.array(m.body_ipos[b]), from_quaternion(m.body_iquat[b])
    if mass == 0:
        return MassProperties.massless()
    central = R @ np.diag(m.body_inertia[b]) @ R.T
    about_origin = central + mass * (com @ com * np.eye(3) - np.outer(com, com))
    try:
        return MassProperties(mass, com, (about_origin + about_origin.T) / 2)
    except MassPropertiesError as error:
        raise ModelFileError(f"{reading.findings.path}: body '{reading.names.links[b]}': {error}") from error
