"""URDF files: robots of links and joints become Systems."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Unpack

from mobod.errors import ModelFileError
from mobod.files.findings import Findings
from mobod.files.robot.added_joints import errors_at
from mobod.files.robot.description import RobotDescription
from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.links import WORLD, RobotLink
from mobod.files.robot.options import RobotArguments, RobotOptions, signature_with
from mobod.files.robot.robot import Robot
from mobod.files.urdf.reader import note_what_is_not_used, read_joints, read_links
from mobod.files.urdf.xacro import expand_macros
from mobod.files.xml_source import Expansion, XmlSource
from mobod.matter import MultibodySystem
from mobod.spatial import MassProperties
from mobod.system.named_arguments import check_arguments
from mobod.system.names import check_characters

_SIGNATURE = signature_with("loop_joints", "strict", "allow_macros")


def load_urdf(
    path: str | Path,
    *,
    loop_joints: str | Path | None = None,
    strict: bool = False,
    allow_macros: bool = False,
    **options: Unpack[RobotArguments],
) -> MultibodySystem:
    """Read a URDF file and build its System: read_urdf(path, loop_joints=..., strict=..., allow_macros=...).build(**options).

    options  floating_base=False, gravity=9.80665, motors=True, limits='rigid' or 'stops' or 'ignore', stop_stiffness=None,
             friction='regularised' or 'warn' or 'error' or 'ignore', friction_speed=0.01, contact=None or
             'rigid' or 'compliant' or an mb.UrdfContact: see Robot.build

    One ModelFileWarning summarizes all changes and omissions, as text and as its `findings`.
    """
    check_arguments("load_urdf", _SIGNATURE, (), dict(options))
    robot = _read(path, loop_joints, strict, allow_macros)
    system, findings = robot._build(RobotOptions(**options))
    findings.warn(stacklevel=2)
    return system


def read_urdf(path: str | Path, *, loop_joints: str | Path | None = None, strict: bool = False, allow_macros: bool = False) -> Robot:
    """Read a URDF file and return its content as a Robot.

    loop_joints  a second file of the same format, a <robot> that contains only <joint>s between links of the first file. They close
                 loops, which URDF itself cannot describe
    strict       raise an error instead of changing anything, such as an inertia that no body can have
    allow_macros
                 whether the package xacro may expand macros of both files, which executes Python code that they contain

    Changes and omissions are in the `findings` of the robot and of one ModelFileWarning. Raises ModelFileError with file and line.
    """
    robot = _read(path, loop_joints, strict, allow_macros)
    robot._findings.warn(stacklevel=2)
    return robot


def _read(path: str | Path, loop_joints: str | Path | None, strict: bool, allow_macros: bool) -> Robot:
    findings = Findings(Path(path), strict=strict)
    expand = partial(expand_macros, allow_macros=allow_macros)
    source = _source(path, findings, expand)
    links, joints = read_links(source), read_joints(source)
    note_what_is_not_used(source)
    name = source.root.get("name") or Path(path).stem
    with errors_at(Path(path)):
        check_characters(name, "a robot")
    if not links:
        raise ModelFileError(f"{path}: <robot> has no <link>.")
    if loop_joints is not None:
        loops = _source(loop_joints, findings, expand)
        for element in loops.root.findall("link"):
            loops.fail(element, f"a file of loop joints has no links of its own. Those of {path} are meant.")
        for joint in read_joints(loops, close_loops=True).values():
            if joint.name in joints:
                raise ModelFileError(f"{joint.place}: {path} has another joint named '{joint.name}'.")
            joints[joint.name] = joint
        note_what_is_not_used(loops)
    _add_world(links, joints, findings)
    return Robot(RobotDescription(name=name, path=Path(path), links=links, joints=joints), findings)


def _add_world(links: dict[str, RobotLink], joints: Mapping[str, RobotJoint], findings: Findings) -> None:
    """Adds the link 'world' if joints use it without defining it, as in files for Drake."""
    of_world = [joint for joint in joints.values() if joint.parent == WORLD and WORLD not in links]
    if of_world and not findings.strict:
        path, line = of_world[0].path, of_world[0].line
        links[WORLD] = RobotLink(name=WORLD, path=path, line=line, mass_properties=MassProperties.massless(), visuals=())
        findings.note("world", f"there is no link '{WORLD}'. It is taken to be Ground.", line, path=path, link=WORLD)


def _source(path: str | Path, findings: Findings, expand: Expansion) -> XmlSource:
    source = XmlSource(Path(path), findings, expand)
    if source.root.tag != "robot":
        raise ModelFileError(f"{path}: it is not a URDF file. The root element is <{source.tag(source.root)}>, not <robot>.")
    return source
