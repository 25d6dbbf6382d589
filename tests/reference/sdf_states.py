"""Compare a state of an SDF file with MuJoCo's numbers of an equivalent model, in which a screw joint is a hinge and a slide.

The joints of the equivalent are found by their names; those that have others, by their kind, in order. A pair of a hinge and a slide is a
Screw: numbers of both are reduced to those of the hinge by its pitch.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import mobod as mb
from mobod.files.mjcf.mujoco_state import MujocoJoint, set_mujoco_state, speeds_from_mujoco
from tests.reference.models import CannotBuildError

KINDS: dict[str, type] = {"free": mb.Free, "ball": mb.Ball, "hinge": mb.Pin, "slide": mb.Slider}
REDUCED = {"mass_matrix": "mass_matrix", "qacc": "qacc_smooth", "qacc_smooth": "qacc_smooth"}  # key of `reduced`: the quantity
Entry = dict[str, Any]


@dataclass(frozen=True)
class SdfJoints:
    """joints  the equivalent's joints in mobod; of a screw its hinge
    travel  (dof of the hinge, dof of the slide, m/rad) of each screw
    """

    joints: list[MujocoJoint]
    travel: list[tuple[int, int, float]]


def joints_of(system: mb.MultibodySystem, entries: list[Entry]) -> SdfJoints:
    entries = sorted(entries, key=lambda entry: entry["qvel_at"])
    bodies = list(system.matter.bodies)
    screws, others = ([body for body in bodies if isinstance(body, kinds)] for kinds in (mb.Screw, tuple(KINDS.values())))
    found: list[MujocoJoint] = []
    rest = list(entries)

    def take(entry: Entry, fitting: list[Any]) -> None:
        if fitting:
            found.append(_joint(entry, fitting[0]))
            others.remove(fitting[0])
            rest.remove(entry)

    for entry in entries:
        take(entry, [each for each in others if isinstance(each, KINDS[entry["type"]]) and _letters(each.name) == _letters(entry["joint"])])
    travel = []
    for screw in screws:
        pairs = pairwise(rest)
        pair = next((sorted(each, key=_type) for each in pairs if sorted(map(_type, each)) == ["hinge", "slide"]), None)
        if pair is not None:
            hinge, slide = pair
            found.append(_joint(hinge, screw))
            travel.append((hinge["qvel_at"], slide["qvel_at"], screw.default_pitch))
            rest = [each for each in rest if each not in pair]
    for entry in list(rest):
        take(entry, [each for each in others if isinstance(each, KINDS[entry["type"]])])
    if rest or others or len(travel) != len(screws):
        known = ", ".join(f"'{body.name}' ({type(body).__name__})" for body in bodies if body.nu)
        raise CannotBuildError(f"joints {', '.join(str(each['joint']) for each in entries)}, where the SDF file has {known}")
    return SdfJoints(sorted(found, key=lambda joint: joint.dof), travel)


def compare_sdf_state(
    system: mb.MultibodySystem, content: Entry, expected: Entry, add: Callable[..., None], not_compared: Callable[[str], None]
) -> None:
    """Mass matrix, bias less passive forces and accelerations. `reduced` of the state, where it is given, too."""
    found = joints_of(system, content["joints"])
    state, qpos, qvel = system.realize_topology(), np.array(expected["qpos"]), np.array(expected["qvel"])
    set_mujoco_state(state, found.joints, qpos, qvel)
    state.time = expected["time"]
    system.realize(state, mb.Stage.ACCELERATION)
    n, slides = len(qvel), [slide for _, slide, _ in found.travel]
    kept = [dof for dof in range(n) if dof not in slides]
    to_mobod = speeds_from_mujoco(state, found.joints, qpos, n)[:, kept]
    whole = np.eye(n)[:, kept]
    for hinge, slide, pitch in found.travel:
        whole[slide, kept.index(hinge)] = pitch
    M = whole.T @ np.array(expected["mass_matrix"]) @ whole
    force = whole.T @ (np.array(expected["qfrc_bias"]) - np.array(expected["qfrc_passive"]))
    mine = {
        "mass_matrix": to_mobod.T @ system.matter.mass_matrix(state) @ to_mobod,
        "qacc_smooth": np.linalg.solve(to_mobod, state.u_dot),
    }
    add("joints", [joint.dof for joint in found.joints], [each["qvel_at"] for each in content["joints"] if each["qvel_at"] not in slides])
    add("mass_matrix", mine["mass_matrix"], M)
    bias = float(np.abs(expected["qfrc_bias"]).max(initial=0.0))
    add("qfrc_bias - qfrc_passive", to_mobod.T @ system.matter.inverse_dynamics(state, np.zeros(len(kept))), force, floor=bias)
    add("qacc_smooth", mine["qacc_smooth"], np.linalg.solve(M, -force) if slides else expected["qacc_smooth"])
    for key, value in expected.get("reduced", {}).items():
        if key in REDUCED:
            add(f"reduced: {key}", mine[REDUCED[key]], value)
        elif key.startswith("qfrc_") and key in expected:
            add(f"reduced: {key}", whole.T @ np.array(expected[key]), value)
        elif key.startswith(("q", "x")) and key not in ("qpos", "qvel"):
            not_compared(f"reduced: {key}")


def _joint(entry: Entry, body: Any) -> MujocoJoint:
    return MujocoJoint(entry["type"], entry["qpos_at"], entry["qvel_at"], body)


def _type(entry: Entry) -> str:
    return str(entry["type"])


def _letters(name: str) -> str:
    """A name without what separates its parts: 'tool::screw' and 'tool_screw' are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
