"""Actuators as drives of a robot, with the plainest law of mb.Servo that is theirs."""

from dataclasses import replace
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from mobod.files.mjcf.reading import Reading, pose
from mobod.files.robot.drives import OnJoint, OnSite, OnTendon, RobotDrive
from mobod.files.robot.links import RobotSite
from mobod.spatial import Transform

# in the order of MuJoCo's mjtTrn, mjtGain, mjtBias, mjtDyn
TRANSMISSIONS = ("joint", "jointinparent", "slidercrank", "tendon", "site", "body")
GAINS = ("fixed", "affine", "muscle", "user")
BIASES = ("none", "affine", "muscle", "user")
DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "user")


class _Law(NamedTuple):
    """force = (gain + gain_length l + gain_rate v) command + offset - kp l - kd v"""

    gain: float
    gain_length: float
    gain_rate: float
    offset: float
    kp: float
    kd: float


def read_drives(reading: Reading, sites: dict[str, RobotSite]) -> tuple[RobotDrive, ...]:
    """The actuators whose transmission and law mobod has; a finding for each other one. Frames of ball joints are added to the sites."""
    found = (_drive(reading, a, sites) for a in range(len(reading.names.actuators)))
    return tuple(drive for drive in found if drive is not None)


def command_index(m: Any, a: int) -> int:
    """Of an actuator's command among MuJoCo's; MuJoCo 4 has actuators with several."""
    addresses = getattr(m, "actuator_ctrladr", None)
    return a if addresses is None else int(addresses[a])


def _drive(reading: Reading, a: int, sites: dict[str, RobotSite]) -> RobotDrive | None:
    shown = f"actuator {reading.names.shown('actuator', a)}"
    law = _law(reading, a)
    if isinstance(law, str):
        reading.left_out("actuator", f"{shown}: {law}, which mobod lacks. It is left out.")
        return None
    at, has_length = _place(reading, a, law, sites)
    if isinstance(at, str):
        reading.left_out("actuator", f"{shown} {at}. It is left out.")
        return None
    for name in ("armature", "damping", "dampingpoly", "delay"):
        if np.any(reading.field(f"actuator_{name}", a)):
            reading.left_out("actuator", f"{shown}: its {name} is left out.")
    drive = RobotDrive(name=reading.names.actuators[a], at=at, **_arguments(law, has_length=has_length), **_ranges(reading, a))
    return _with_activation(reading, a, _with_command(reading, a, drive), shown)


def _law(reading: Reading, a: int) -> _Law | str:
    """The law of an actuator, or what mobod lacks of it."""
    m = reading.m
    for names, field, text in ((GAINS, "gaintype", "gain"), (BIASES, "biastype", "bias"), (DYNAMICS, "dyntype", "activation")):
        number = int(getattr(m, f"actuator_{field}")[a])
        kind = names[number] if number < len(names) else f"of type {number}"
        if kind not in names or kind in ("muscle", "user"):
            return f"its {text} is {kind}"
    if int(reading.field("actuator_ctrlnum", a, 1)) != 1:
        return "it has several commands"
    g = np.array(m.actuator_gainprm[a][:3]) * ([1, 0, 0] if GAINS[int(m.actuator_gaintype[a])] == "fixed" else [1, 1, 1])
    b = np.array(m.actuator_biasprm[a][:3]) * (0 if BIASES[int(m.actuator_biastype[a])] == "none" else 1)
    return _Law(*(float(x) + 0.0 for x in (*g, b[0], -b[1], -b[2])))


def _arguments(law: _Law, *, has_length: bool) -> dict[str, Any]:
    """The plainest control with this law; without a length what depends on it is 0."""
    kp, gain_length = (law.kp, law.gain_length) if has_length else (0.0, 0.0)
    given = {"kp": kp, "kd": law.kd, "offset": law.offset}
    is_constant = not gain_length and not law.gain_rate
    if is_constant and law.gain == kp != 0:
        return {**given, "control": "position"}
    if is_constant and not kp and law.gain == law.kd != 0:
        return {**given, "control": "velocity"}
    if is_constant and law.gain == 1:
        return {**given, "control": "force"}
    return {**given, "control": "affine", "gain": law.gain, "gain_length": gain_length, "gain_rate": law.gain_rate}


def _ranges(reading: Reading, a: int) -> dict[str, Any]:
    found: dict[str, float] = {}
    for field, name in (("ctrl", "command"), ("force", "force")):
        if getattr(reading.m, f"actuator_{field}limited")[a] and not (field == "ctrl" and reading.is_off("clampctrl")):
            low, high = getattr(reading.m, f"actuator_{field}range")[a]
            found |= {f"{name}_low": float(low), f"{name}_high": float(high)}
    return found


def _place(reading: Reading, a: int, law: _Law, sites: dict[str, RobotSite]) -> tuple[OnJoint | OnTendon | OnSite | str, bool]:
    """What it acts on, or what keeps it from acting; and whether there is a length."""
    m, gear = reading.m, np.array(reading.m.actuator_gear[a])
    number = int(m.actuator_trntype[a])
    transmission = TRANSMISSIONS[number] if number < len(TRANSMISSIONS) else f"of type {number}"
    target, reference = (int(x) for x in m.actuator_trnid[a][:2])
    if transmission in ("joint", "jointinparent") and reading.has_one_coordinate(target):
        return (OnJoint(joint=reading.names.joints[target], gear=float(gear[0])) if gear[0] else "has the gear 0"), True
    if transmission in ("joint", "jointinparent"):
        return _on_ball(reading, transmission, target, law, gear, sites), False
    if transmission == "tendon":
        if reading.tendon_terms(target) is None:
            return "pulls a spatial tendon, which is left out", True
        return (OnTendon(tendon=reading.names.tendons[target], gear=float(gear[0])) if gear[0] else "has the gear 0"), True
    if transmission == "site":
        return _on_site(reading, target, reference, law, gear), False
    return f"has a transmission that mobod lacks ({transmission})", False


def _on_ball(reading: Reading, transmission: str, j: int, law: _Law, gear: np.ndarray, sites: dict[str, RobotSite]) -> OnSite | str:
    """A ball joint: torque between its bodies, in the axes of the child, or in those that it has in the parent at qpos0."""
    kind, m = reading.joint_kind(j), reading.m
    b, in_parent = int(m.jnt_bodyid[j]), transmission == "jointinparent"
    if kind == "free" or (in_parent and j != int(m.body_jntadr[b])):
        return f"acts on a {kind} joint in axes that mobod lacks"
    if law.kp or law.gain_length:
        return "holds the rotation of a ball joint, which mobod lacks"
    child, parent = reading.names.links[b], reading.names.links[int(m.body_parentid[b])]
    name = f"{child}/{reading.names.joints[j]}/center"
    sites[name] = RobotSite(name=name, link=child, X_LS=Transform(p=np.array(m.jnt_pos[j])))
    inboard = f"{child}/{reading.names.joints[j]}/inboard"
    sites[inboard] = RobotSite(name=inboard, link=parent, X_LS=pose(m.body_pos[b], m.body_quat[b]))
    return OnSite(site=name, wrench=np.array([*gear[:3], 0.0, 0.0, 0.0]), reference=inboard, is_in_reference=in_parent)


def _on_site(reading: Reading, site: int, reference: int, law: _Law, gear: np.ndarray) -> OnSite | str:
    names, wrench = reading.names.sites, np.array([*gear[3:], *gear[:3]])
    if reference < 0:
        return OnSite(site=names[site], wrench=wrench)
    if law.kp or law.gain_length:
        return "holds a site at another one, which mobod lacks"
    if np.any(gear[:3]) and _hang_on_joint(reading, int(reading.m.site_bodyid[site]), int(reading.m.site_bodyid[reference])):
        reading.left_out(
            "actuator",
            f"sites '{names[site]}' and '{names[reference]}' are on bodies that a joint carries both. Force and reaction at two points "
            "turn them together, which MuJoCo leaves out.",
        )
    return OnSite(site=names[site], wrench=wrench, reference=names[reference], is_in_reference=True)


def _hang_on_joint(reading: Reading, one: int, other: int) -> bool:
    """Whether a joint carries both bodies."""
    m = reading.m
    while one != other:  # parents come before their children
        one, other = (int(m.body_parentid[one]), other) if one > other else (one, int(m.body_parentid[other]))
    return bool(m.body_weldid[one])


def _with_command(reading: Reading, a: int, drive: RobotDrive) -> RobotDrive:
    """With the command of the keyframe or 0, in its range, in which MuJoCo takes it."""
    value = 0.0 if reading.key is None else float(reading.m.key_ctrl[reading.key][command_index(reading.m, a)])
    if not isfinite(value):
        return drive
    return replace(drive, command=min(max(value, drive.command_low), drive.command_high))


def _with_activation(reading: Reading, a: int, drive: RobotDrive, shown: str) -> RobotDrive:
    m, dynamics = reading.m, DYNAMICS[int(reading.m.actuator_dyntype[a])]
    if dynamics == "none":
        return drive
    if m.actuator_actlimited[a]:
        low, high = (float(x) for x in m.actuator_actrange[a])
        reading.left_out("actuator", f"{shown}: the range of its activation, from {low:g} to {high:g}, is left out.")
    start = 0.0 if reading.key is None else float(m.key_act[reading.key][int(m.actuator_actadr[a])])
    if dynamics == "integrator":
        return replace(drive, activation="integrator", activation_at_start=start)
    return replace(drive, activation="filter", activation_at_start=start, rise_time=max(float(m.actuator_dynprm[a][0]), 1e-15))
