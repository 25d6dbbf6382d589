"""SDF files: models and worlds become Systems."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack

import numpy as np
from lxml import etree

from mobod.errors import ModelFileError
from mobod.files.findings import Findings
from mobod.files.robot.added_joints import errors_at
from mobod.files.robot.description import RobotDescription
from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.links import WORLD, RobotLink
from mobod.files.robot.options import RobotArguments, RobotOptions, signature_with
from mobod.files.robot.orientation import oriented
from mobod.files.robot.robot import Robot
from mobod.files.sdf.includes import Includes
from mobod.files.sdf.joints import Joints
from mobod.files.sdf.links import Links
from mobod.files.sdf.models import Models, checked_root, version_of
from mobod.files.sdf.sensors import read_sensors
from mobod.files.sdf.shapes import SdfShapes
from mobod.files.sdf.values import numbers_in
from mobod.files.xml_source import XmlSource
from mobod.matter import MultibodySystem
from mobod.spatial import MassProperties
from mobod.system.named_arguments import check_arguments
from mobod.system.names import check_characters

OLDEST, NEWEST = (1, 4), (1, 12)
GRAVITY = (0.0, 0.0, -9.8)  # m/s^2: the default of SDF
_SIGNATURE = signature_with("model", "paths", "strict")
OF_WORLD = ("model", "include", "frame", "joint", "gravity", "name")
_NO_MECHANICS = "{tag} of a <world> is ignored: it is no part of the mechanism."
IGNORED_IN_WORLD = {
    "physics": "<physics> is ignored: Simulation and export have integrators and steps.",
    "plugin": "<plugin> is ignored: it is code of another simulator.",
    "light": _NO_MECHANICS,
    "actor": "<actor> is ignored: it is an animation.",
    "wind": "<wind> is ignored: there is no air.",
    "atmosphere": "<atmosphere> is ignored: there is no air.",
    "state": "<state> is ignored: poses are those of the models.",
    "population": "<population> is ignored: each model must be given.",
    "road": _NO_MECHANICS,
}
SILENT_IN_WORLD = ("scene", "gui", "audio", "magnetic_field", "spherical_coordinates", "model_state")


def load_sdf(
    path: str | Path,
    model: str | None = None,
    *,
    paths: Sequence[str | Path] = (),
    strict: bool = False,
    **options: Unpack[RobotArguments],
) -> MultibodySystem:
    """Read an SDF file and build its System: read_sdf(path, model, paths=..., strict=...).build(**options).

    options  floating_base=None: links that no joint connects with the world move freely, static models do not. Others are those of
             load_urdf: see Robot.build. gravity is by default that of the world, else 9.8 m/s^2 along -z

    One ModelFileWarning summarizes all changes and omissions, as text and as its `findings`.
    """
    check_arguments("load_sdf", _SIGNATURE, (), dict(options))
    robot = _read(path, model, paths, strict=strict)
    system, findings = robot._build(RobotOptions(**options))
    findings.warn(stacklevel=2)
    return system


def read_sdf(path: str | Path, model: str | None = None, *, paths: Sequence[str | Path] = (), strict: bool = False) -> Robot:
    """Read an SDF file of version 1.4 to 1.12 and return its content as a Robot.

    model   which of several models of the file; default: all of its world, with names '<model>::<link>', or its only model, without
    paths   folders of models, in which <include> finds model://NAME, beside the folder of the file
    strict  raise an error instead of changing anything, such as an inertia that no body can have

    Joints with two axes, universal and revolute2, are two joints '<joint>_1' and '<joint>_2'. Changes and omissions are in the `findings`
    of the robot and of one ModelFileWarning. Raises ModelFileError with file and line.
    """
    robot = _read(path, model, paths, strict=strict)
    robot._findings.warn(stacklevel=2)
    return robot


def _read(path: str | Path, model: str | None, paths: Sequence[str | Path], *, strict: bool) -> Robot:
    path = Path(path)
    findings = Findings(path, strict=strict)
    source = XmlSource(path, findings)
    root = checked_root(source)
    _check_version(source)
    includes = Includes(path, paths, findings)
    models = Models(includes)
    name, gravity = _add_content(root, source, models, model)
    models.resolve()
    for each in models.frames:
        models.frames.pose(each)  # raises for cycles
    with errors_at(path):
        check_characters(name, "a robot")
    return Robot(_description(name, path, gravity, models, includes, findings), findings)


def _add_content(root: etree._Element, source: XmlSource, models: Models, chosen: str | None) -> tuple[str, np.ndarray]:
    """(name of the System, gravity). Adds the models that are meant."""
    source.check_content(root, ("world", "model", "light", "actor"), ("version", "xmlns"))
    worlds, single = root.findall("world"), root.findall("model")
    if len(worlds) > 1:
        source.mend(worlds[1], "repeated", f"there are {len(worlds)} worlds. There can be one.", "The first is used.")
    gravity = _read_world(source, worlds[0]) if worlds else np.array(GRAVITY)
    if chosen is not None:
        found = [each for each in (*root.iterfind("world/model"), *single) if each.get("name") == chosen]
        if not found:
            known = [str(each.get("name")) for each in (*root.iterfind("world/model"), *single)]
            raise ModelFileError(f"{source.path}: no <model> of the file is named '{chosen}'. There are: {', '.join(known) or 'none'}.")
        models.add_single(found[0], source)
        return chosen, gravity
    if worlds:
        models.add_world(worlds[0], source)
        return worlds[0].get("name") or source.path.stem, gravity
    if not single:
        raise ModelFileError(f"{source.path}: <sdf> has neither a <world> nor a <model>.")
    if len(single) > 1:
        names = ", ".join(f"'{each.get('name')}'" for each in single)
        source.mend(single[1], "repeated", f"there are {len(single)} models without a world: {names}.", "The first is used.")
    models.add_single(single[0], source)
    return single[0].get("name") or source.path.stem, gravity


def _read_world(source: XmlSource, world: etree._Element) -> np.ndarray:
    """(3,) its gravity. Notes what is ignored."""
    source.check_content(world, (*OF_WORLD, *IGNORED_IN_WORLD, *SILENT_IN_WORLD), ("name",))
    for tag, message in IGNORED_IN_WORLD.items():
        for child in world.findall(tag):
            source.ignore(child, message.format(tag=f"<{tag}>"))
    physics = world.find("physics")
    at = physics if world.find("gravity") is None and physics is not None else world  # versions up to 1.5
    return np.array(numbers_in(source, at, "gravity", 3, GRAVITY))


def _check_version(source: XmlSource) -> None:
    version = version_of(source)
    shown = f"{version[0]}.{version[1]}"
    if version < OLDEST:
        wrong = f"the version of <sdf> is {shown}, and those from 1.4 to 1.12 are known."
        source.mend(source.root, "version", wrong, "It is read as 1.4.")
    if version > NEWEST:
        wrong = f"the version of <sdf> is {shown}, and those from 1.4 to 1.12 are known."
        source.mend(source.root, "version", wrong, "It is read as 1.12.")


def _description(name: str, path: Path, gravity: np.ndarray, models: Models, includes: Includes, findings: Findings) -> RobotDescription:
    reader = Links(SdfShapes(path.parent), [str(each) for each in includes.folders])
    links = {WORLD: RobotLink(name=WORLD, path=path, line=0, mass_properties=MassProperties.massless())}
    links |= {part.name: reader.link(part) for part in models.links}
    joints = Joints(models.frames, links, models.joints)
    joints.read_all()
    static = {part.name for part in models.links if part.is_static}
    moving = dict(_without_static(joints.joints, static, findings))
    poses = {part.name: models.frames.pose(part.frame) for part in models.links}
    found = oriented(links, moving, poses, [part.name for part in models.links if part.is_static])
    return RobotDescription(
        name=name,
        path=path,
        links=links,
        joints=found,
        gravity=gravity,
        equalities=tuple(joints.equalities),
        sensors=tuple(read_sensors(models.links, models.joints, found, models.frames)),
        has_world=True,
        friction_of_pair=min,
        mesh_folders=tuple(includes.folders),
    )


def _without_static(joints: dict[str, RobotJoint], static: set[str], findings: Findings) -> Iterator[tuple[str, RobotJoint]]:
    """The joints that move something: a joint between two links that are fixed to the world does not."""
    for name, joint in joints.items():
        if joint.child in static and (joint.parent in static or joint.parent == WORLD):
            if joint.kind != "fixed":
                message = f"joint '{name}' connects links of static models, which do not move. It is left out."
                findings.note("static", message, joint.line, path=joint.path, joint=name)
        else:
            yield name, joint
