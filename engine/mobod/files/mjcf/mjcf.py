"""MJCF files: robots as MuJoCo compiles them become Systems."""

# Decision: docs/decisions/197-mjcf.md

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, get_args

import numpy as np

from mobod.errors import InputError, UnknownNameError
from mobod.files.findings import Findings
from mobod.files.mjcf.bodies import read_joints, read_links
from mobod.files.mjcf.compiled import Compiled, compiled
from mobod.files.mjcf.compiled_names import CompiledNames, name_in_file
from mobod.files.mjcf.drives import read_drives
from mobod.files.mjcf.equalities import read_equalities
from mobod.files.mjcf.friction_of_pairs import friction_by_condim, friction_of_geoms
from mobod.files.mjcf.reading import Reading, SoftMode, pose
from mobod.files.mjcf.sensors import read_sensors
from mobod.files.mjcf.shapes import collision_of_geom
from mobod.files.mjcf.tendons import read_tendons
from mobod.files.robot.contact_pairs import RobotPair
from mobod.files.robot.description import RobotDescription
from mobod.files.robot.links import RobotLink, RobotSite
from mobod.files.robot.options import RobotArguments, signature_with
from mobod.files.robot.robot import Robot
from mobod.matter import MultibodySystem
from mobod.system.named_arguments import check_arguments

ActuatorsMode = Literal["model", "motors"]


class MjcfArguments(TypedDict, total=False):
    """See read_mjcf."""

    keyframe: str | int | None
    actuators: ActuatorsMode | None
    armature: bool
    soft: SoftMode
    folders: Sequence[str | Path]
    strict: bool


class MjcfOptions(RobotArguments, MjcfArguments, total=False):
    """Of load_mjcf."""


_SIGNATURE = signature_with(*MjcfArguments.__annotations__)


def load_mjcf(path: Any, **options: Unpack[MjcfOptions]) -> MultibodySystem:
    """Read an MJCF file, which MuJoCo compiles (mobod[mjcf]), and build its System.

    path     of the file; or a mujoco.MjSpec, or a compiled mujoco.MjModel
    options  of read_mjcf: keyframe=None, actuators='model', armature=True, soft='rigid', folders=(), strict=False; and of Robot.build:
             friction='rigid', which holds, or 'regularised', which creeps as MuJoCo's does; limits='rigid', contact=None,
             equality='rigid', sensors=True, floating_base=None

    One ModelFileWarning summarizes all changes and omissions, as text and as its `findings`.
    """
    check_arguments("load_mjcf", _SIGNATURE, (), dict(options))
    given: dict[str, Any] = dict(options)
    robot = _read(path, **{name: given.pop(name) for name in MjcfArguments.__annotations__ if name in given})
    system, findings = robot._build(robot.options(**given))
    findings.warn(stacklevel=2)
    return system


def read_mjcf(path: Any, **options: Unpack[MjcfArguments]) -> Robot:
    """Read an MJCF file, which MuJoCo compiles (mobod[mjcf]), and return its content as a Robot.

    path       of the file; or a mujoco.MjSpec, or a compiled mujoco.MjModel
    keyframe   its name or its number: coordinates, commands and activations of the start. Default: qpos0. Coordinates outside of the
               ranges of their joints are moved, with a finding
    actuators  'model': each is a Servo or a SiteServo of its name, whose command is an input, '<actuator>.command', with its range;
               'motors': a MobilityForce '<joint>_motor' for each joint that an actuator moves; None: none
    armature   whether joints have the rotor inertia of their armature
    soft       what MuJoCo's soft limits, dry friction and contacts are: 'rigid'; or 'compliant', elastic stops, regularised friction, and
               compliant contacts that a load at rest compresses as much as in MuJoCo. Equalities are rigid
    folders    where included files and meshes may lie, beside the folder of the file
    strict     raise an error for what is left out and changes the motion. What is rigid instead of soft is a finding

    A mobilized body, and so its coordinates, has the name of the joint that leads to it, '<body>_joint1' without one; that of the body if
    it has no joint. Coordinates are MuJoCo's. A name that another element has gets a suffix, such as '_actuator'.

    Raises ModelFileError with MuJoCo's message and version, UnsupportedError if MuJoCo is not installed.
    """
    check_arguments("read_mjcf", _SIGNATURE, (), dict(options))
    robot = _read(path, **options)
    robot._findings.warn(stacklevel=2)
    return robot


def _read(
    path: Any,
    *,
    keyframe: str | int | None = None,
    actuators: ActuatorsMode | None = "model",
    armature: bool = True,
    soft: SoftMode = "rigid",
    folders: Sequence[str | Path] = (),
    strict: bool = False,
) -> Robot:
    for name, value, known in (("actuators", actuators, (*get_args(ActuatorsMode), None)), ("soft", soft, get_args(SoftMode))):
        if value not in known:
            raise InputError(f"{name} is {value!r}. Valid values: {', '.join(map(repr, known))}.")
    if isinstance(folders, (str, Path)):
        raise InputError(f"folders is {str(folders)!r}. Give a list of folders.")
    file = Path(path) if isinstance(path, (str, Path)) else Path(f"<{type(path).__name__}>")
    findings = Findings(file, strict=strict)
    return Robot(
        describe(compiled(path, folders, findings), findings, keyframe=keyframe, actuators=actuators, armature=armature, soft=soft),
        findings,
    )


def describe(
    m: Compiled,
    findings: Findings,
    *,
    keyframe: str | int | None = None,
    actuators: ActuatorsMode | None = "model",
    armature: bool = True,
    soft: SoftMode = "rigid",
) -> RobotDescription:
    """What a compiled model says of a robot; see read_mjcf."""
    keyframes = tuple(name_in_file(m, "key", k) for k in range(m.nkey))
    reading = Reading(
        m=m,
        names=CompiledNames(m, findings),
        findings=findings,
        key=_number_of(keyframe, keyframes),
        armature=bool(armature),
        soft=soft,
    )
    _note_what_is_left_out(reading)
    sites = _sites(reading)
    links, joints, tendons = read_links(reading), read_joints(reading), read_tendons(reading)
    drives = read_drives(reading, sites) if actuators == "model" and not reading.is_off("actuation") else ()
    return RobotDescription(
        name=name_in_model(m) or findings.path.stem,
        path=findings.path,
        links=links,
        joints=joints,
        gravity=np.zeros(3) if reading.is_off("gravity") else np.array(m.opt.gravity, dtype=float),
        equalities=() if reading.is_off("equality") else read_equalities(reading),
        tendons=tendons,
        drives=drives,
        sensors=read_sensors(reading, drives),
        sites=sites,
        excluded=_excluded(reading),
        friction_of_shapes=friction_of_geoms,
        has_world=True,
        lifts_bases=True,
        pairs=_pairs(reading, links),
        collision_tag="contact of each <geom>",
        keyframes=keyframes,
        defaults={
            "friction": "rigid" if soft == "rigid" else "regularised",
            "motors": actuators == "motors",
            "limits": "rigid" if soft == "rigid" else "stops",
        },
    )


def name_in_model(m: Compiled) -> str:
    names: bytes = m.names
    return names[: names.index(b"\0")].decode("utf-8", "replace")


def _number_of(keyframe: str | int | None, names: Sequence[str]) -> int | None:
    if keyframe is None:
        return None
    if isinstance(keyframe, str):
        UnknownNameError.check("keyframe", keyframe, [name for name in names if name])
        return names.index(keyframe)
    if isinstance(keyframe, bool) or not 0 <= keyframe < len(names):
        raise InputError(f"keyframe is {keyframe!r}. The file has {len(names)} keyframes; they are numbered from 0.")
    return keyframe


def _sites(reading: Reading) -> dict[str, RobotSite]:
    m, names = reading.m, reading.names
    return {
        name: RobotSite(name=name, link=names.links[int(m.site_bodyid[s])], X_LS=pose(m.site_pos[s], m.site_quat[s]))
        for s, name in enumerate(names.sites)
    }


def _excluded(reading: Reading) -> tuple[tuple[str, str], ...]:
    """Pairs of links whose shapes do not touch: those that the file names, which MuJoCo stores as one number each, and a body with several
    joints and its parent, which are no neighbours here; with what is welded to them.
    """
    m, links = reading.m, reading.names.links
    pairs = [(int(pair) >> 16, int(pair) & 0xFFFF) for pair in m.exclude_signature]
    for b in range(1, m.nbody) if not reading.is_off("filterparent") else ():
        parent = int(m.body_weldid[m.body_parentid[b]])
        if int(m.body_jntnum[b]) > 1 and parent:
            pairs.extend((int(one), int(other)) for one in _welded_to(m, parent) for other in _welded_to(m, b))
    return tuple((links[one], links[other]) for one, other in pairs)


def _welded_to(m: Compiled, b: int) -> np.ndarray:
    """The bodies that move as one, of which b is the first."""
    return np.flatnonzero(np.array(m.body_weldid) == b)


def _pairs(reading: Reading, links: dict[str, RobotLink]) -> tuple[RobotPair, ...]:
    """Pairs of geoms that the file names, with their own friction, if both geoms can touch at all."""
    m, found = reading.m, list[RobotPair]()
    if reading.is_off("contact"):
        return ()
    for p in range(m.npair):
        ends = [collision_of_geom(reading, links, int(g[p])) for g in (m.pair_geom1, m.pair_geom2)]
        shown, of_pair = reading.names.shown("pair", p), [float(each) for each in m.pair_friction[p]]
        sliding, sideways, torsional, rolling, rolling_sideways = of_pair
        if (sliding, rolling) != (sideways, rolling_sideways):
            reading.findings.note("friction", f"pair {shown}: its friction differs along both tangents. That of the first one is taken.")
        friction = friction_by_condim(int(m.pair_dim[p]), sliding, torsional, rolling)
        found.append(RobotPair(name=shown, one=ends[0], other=ends[1], friction=friction))
    return tuple(found)


def _note_what_is_left_out(reading: Reading) -> None:
    """Findings about what belongs to no body."""
    m = reading.m
    if m.opt.density or m.opt.viscosity:
        reading.left_out("fluid", f"forces of a fluid (density {m.opt.density:g} kg/m^3, viscosity {m.opt.viscosity:g} Pa s) are left out.")
    if getattr(m, "nflex", 0):
        reading.left_out("flex", f"{m.nflex} flexible bodies are left out.")
    if m.nplugin:
        reading.left_out("plugin", f"{m.nplugin} plugins are left out.")
    if reading.key is not None and np.any(m.key_qvel[reading.key]):
        reading.findings.note("start", "the keyframe has speeds. They are left out: a System starts at rest.")
