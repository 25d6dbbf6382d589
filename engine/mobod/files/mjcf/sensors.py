"""Sensors of a compiled model as sensors of a robot."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from mobod.contact import Box, HalfSpace
from mobod.contact.pairs import pair_of
from mobod.errors import UnsupportedError
from mobod.files.mjcf.drives import TRANSMISSIONS
from mobod.files.mjcf.mujoco_package import mujoco
from mobod.files.mjcf.reading import JOINT_KINDS, Reading, pose
from mobod.files.mjcf.shapes import color_of, shape_of, shape_of_site
from mobod.files.robot.drives import OnJoint, OnTendon, RobotDrive
from mobod.files.robot.sensors import (
    FrameOnLink,
    MeasuredDistance,
    MeasuredDrives,
    MeasuredFrame,
    MeasuredNumber,
    MeasuredRange,
    MeasuredSubtree,
    RobotSensor,
    ShapeOnLink,
    TouchedLink,
)
from mobod.files.robot.sizes import FARTHEST
from mobod.matter.bodies.decorations import Mesh
from mobod.sensors import frame_quantity, readout, subtree_quantity
from mobod.spatial import Transform

MISS = -1.0  # m, what MuJoCo's range finders show without a hit; a cutoff bounds it too
THIN = 1e-9  # m, half the thickness of a plane that ends, for rays
_OF_FRAMES: dict[str, frame_quantity.Quantity] = {
    "framepos": "position",
    "framequat": "quaternion",
    "framexaxis": "x_axis",
    "frameyaxis": "y_axis",
    "framezaxis": "z_axis",
    "framelinvel": "velocity",
    "frameangvel": "angular_velocity",
    "framelinacc": "acceleration",
    "frameangacc": "angular_acceleration",
}
_OF_SITES: dict[str, frame_quantity.Quantity] = {
    "accelerometer": "own_acceleration",
    "gyro": "own_angular_velocity",
    "velocimeter": "own_velocity",
    "magnetometer": "own_vector",
    "force": "force",
    "torque": "torque",
}
_OF_SUBTREES: dict[str, subtree_quantity.Quantity] = {
    "subtreecom": "mass_center",
    "subtreelinvel": "velocity",
    "subtreeangmom": "angular_momentum",
}
_OF_SYSTEM: dict[str, readout.Quantity] = {"clock": "time", "e_kinetic": "kinetic_energy", "e_potential": "potential_energy"}


def read_sensors(reading: Reading, drives: tuple[RobotDrive, ...]) -> tuple[RobotSensor, ...]:
    """Those that mobod has; a finding for each other one."""
    found, missing, names = list[RobotSensor](), dict[str, list[str]](), sensor_kinds()
    of_drives = {drive.name: drive for drive in drives}
    for s, name in enumerate(reading.names.sensors):
        kind = names.get(int(reading.m.sensor_type[s]), f"type {int(reading.m.sensor_type[s])}")
        sensor = _sensor(reading, s, kind, name, of_drives)
        if sensor is None:
            missing.setdefault(kind, []).append(name)
        else:
            found.append(sensor)
    for kind, those in missing.items():
        more = f" and {len(those) - 1} others" if len(those) > 1 else ""
        reading.findings.note("sensor", f"sensor '{those[0]}'{more}: mobod has no {kind} like this. It is left out.")
    loaded = [name for s, name in enumerate(reading.names.sensors) if shows_outer_forces(reading.m, s)]
    if loaded:
        more = f" and {len(loaded) - 1} others show" if len(loaded) > 1 else " shows"
        reading.findings.note(
            "sensor",
            f"sensor '{loaded[0]}'{more} gravity compensation (gravcomp), and actuators of sites and ball joints, as loads of the joint in "
            "MuJoCo. Here they act on the bodies from outside, and the joint does not carry them.",
        )
    ranges = [each for each in found if isinstance(each, MeasuredRange)]
    ending = [g for g in range(reading.m.ngeom) if _has_edges(reading, g)]
    if ranges and ending:
        shown = reading.names.shown("geom", ending[0])
        reading.findings.note("sensor", f"range finders see planes that end, such as {shown}, from below too. In MuJoCo they do not.")
    return tuple(found)


def sensor_kinds() -> dict[int, str]:
    """The numbers of mujoco.mjtSensor, which change with its version, as the words of the format."""
    kinds = mujoco().mjtSensor
    return {int(getattr(kinds, name)): name.removeprefix("mjSENS_").lower() for name in dir(kinds) if name.startswith("mjSENS_")}


def shows_outer_forces(m: Any, s: int) -> bool:
    """Whether a sensor of a force or a torque shows in MuJoCo alone what acts on its body, or on what this carries: gravity compensation,
    and actuators of sites and ball joints.
    """
    kinds = mujoco().mjtSensor
    if int(m.sensor_type[s]) not in (int(kinds.mjSENS_FORCE), int(kinds.mjSENS_TORQUE)):
        return False
    body, of_balls, pushed = int(m.site_bodyid[int(m.sensor_objid[s])]), set[int](), set(np.flatnonzero(m.body_gravcomp).tolist())
    for kind, targets in zip(m.actuator_trntype, m.actuator_trnid, strict=True):
        transmission = TRANSMISSIONS[int(kind)] if int(kind) < len(TRANSMISSIONS) else ""
        if transmission == "site":
            pushed |= {int(m.site_bodyid[int(each)]) for each in targets if each >= 0}
        elif transmission in ("joint", "jointinparent") and JOINT_KINDS[int(m.jnt_type[int(targets[0])])] == "ball":
            of_balls.add(int(m.jnt_bodyid[int(targets[0])]))  # equal and opposite: joints before it carry none of it
    while pushed - {0} and body not in pushed:
        pushed = {int(m.body_parentid[b]) for b in pushed}
    return body > 0 and (body in pushed or body in of_balls)


def _sensor(reading: Reading, s: int, kind: str, name: str, drives: dict[str, RobotDrive]) -> RobotSensor | None:
    m, cutoff, obj = reading.m, float(reading.m.sensor_cutoff[s]), int(reading.m.sensor_objid[s])
    if kind in _OF_SITES:
        vector = np.array(m.opt.magnetic) if kind == "magnetometer" else np.zeros(3)
        link, X_LS = reading.names.links[int(m.site_bodyid[obj])], pose(m.site_pos[obj], m.site_quat[obj])
        if link == "world" and kind in ("force", "torque"):
            return None
        return MeasuredFrame(name=name, seen=FrameOnLink(link, X_LS), quantity=_OF_SITES[kind], vector=vector, cutoff=cutoff)
    if kind in _OF_FRAMES:
        seen = _frame(reading, int(m.sensor_objtype[s]), obj)
        seen_from = _frame(reading, int(m.sensor_reftype[s]), int(m.sensor_refid[s])) if int(m.sensor_refid[s]) >= 0 else None
        if seen is None:
            return None
        return MeasuredFrame(name=name, seen=seen, seen_from=seen_from, quantity=_OF_FRAMES[kind], cutoff=cutoff)
    if kind in _OF_SUBTREES and obj > 0:
        return MeasuredSubtree(name=name, joint=_innermost(reading, obj), quantity=_OF_SUBTREES[kind], cutoff=cutoff)
    if kind in _OF_SYSTEM:
        return MeasuredNumber(name=name, quantity=_OF_SYSTEM[kind], cutoff=cutoff)
    if kind == "rangefinder":
        return _rangefinder(reading, s, obj, name, cutoff)
    if kind == "touch":
        return _touch(reading, obj, name, cutoff)
    if kind == "geomdist":
        return _distance(reading, s, name, cutoff)
    make = _OF_NUMBERS.get(kind)
    return None if make is None else make(reading, obj, name, cutoff, drives)


def _frame(reading: Reading, kind: int, number: int) -> FrameOnLink | None:
    """Of an object: mujoco.mjtObj. A 'body' of sensors is its inertial frame, an 'xbody' its own."""
    m, types = reading.m, mujoco().mjtObj
    links = reading.names.links
    if kind == int(types.mjOBJ_BODY):
        return FrameOnLink(links[number], pose(m.body_ipos[number], m.body_iquat[number]))
    if kind == int(types.mjOBJ_XBODY):
        return FrameOnLink(links[number], Transform())
    for of, field in ((types.mjOBJ_SITE, "site"), (types.mjOBJ_GEOM, "geom"), (types.mjOBJ_CAMERA, "cam")):
        if kind == int(of):
            body, p, quaternion = (getattr(m, f"{field}_{what}")[number] for what in ("bodyid", "pos", "quat"))
            return FrameOnLink(links[int(body)], pose(p, quaternion))
    return None


def _rangefinder(reading: Reading, s: int, obj: int, name: str, cutoff: float) -> RobotSensor | None:
    """The ray of a site, to what is visible on other bodies, if there is anything; None if that has a mesh or a height field."""
    m = reading.m
    if int(m.sensor_objtype[s]) != int(mujoco().mjtObj.mjOBJ_SITE) or int(m.sensor_dim[s]) != 1:
        return None
    body, shapes = int(m.site_bodyid[obj]), list[ShapeOnLink]()
    for g in range(m.ngeom):
        if int(m.geom_bodyid[g]) != body and color_of(m, g)[3] > 0:
            shape = _shape(reading, g)
            if shape is None:
                return None
            shapes.append(shape)
    seen_from = FrameOnLink(reading.names.links[body], pose(m.site_pos[obj], m.site_quat[obj]))
    return MeasuredRange(name=name, seen_from=seen_from, shapes=tuple(shapes), miss=max(MISS, -cutoff) if cutoff else MISS, cutoff=cutoff)


def _touch(reading: Reading, obj: int, name: str, cutoff: float) -> RobotSensor | None:
    """Of the contacts of the site's body in the site."""
    m, zone = reading.m, shape_of_site(reading.m, obj)
    if zone is None:
        return None
    seen = FrameOnLink(reading.names.links[int(m.site_bodyid[obj])], pose(m.site_pos[obj], m.site_quat[obj]))
    return TouchedLink(name=name, seen=seen, zone=zone, cutoff=cutoff)


def _distance(reading: Reading, s: int, name: str, cutoff: float) -> RobotSensor | None:
    """Between the shapes of two geoms or bodies, if mobod has the distance of each pair."""
    m = reading.m
    shapes, others = (
        [_shape(reading, g) for g in _geoms(reading, int(kind[s]), int(number[s]))]
        for kind, number in ((m.sensor_objtype, m.sensor_objid), (m.sensor_reftype, m.sensor_refid))
    )
    known, known_others = ([each for each in group if each is not None] for group in (shapes, others))
    if not known or not known_others or len(known) < len(shapes) or len(known_others) < len(others):
        return None
    try:
        for one, other in product(known, known_others):
            pair_of(one.shape, other.shape)
    except UnsupportedError:
        return None
    return MeasuredDistance(name=name, shapes=tuple(known), others=tuple(known_others), most=cutoff)


def _geoms(reading: Reading, kind: int, number: int) -> list[int]:
    """The numbers of a geom, or of those of a body; none if one of them is a plane, which MuJoCo's distances leave out."""
    m, types = reading.m, mujoco().mjtObj
    if kind == int(types.mjOBJ_GEOM):
        found = [number]
    elif kind == int(types.mjOBJ_BODY):
        found = np.flatnonzero(np.asarray(m.geom_bodyid) == number).tolist()
    else:
        return []
    return [] if any(_is_plane(reading, g) for g in found) else found


def _shape(reading: Reading, g: int) -> ShapeOnLink | None:
    m = reading.m
    found, _ = shape_of(m, g)
    if found is None or isinstance(found, Mesh):
        return None
    X_LS, link = pose(m.geom_pos[g], m.geom_quat[g]), reading.names.links[int(m.geom_bodyid[g])]
    if _has_edges(reading, g):
        x, y = (float(each) or FARTHEST for each in m.geom_size[g][:2])
        return ShapeOnLink(link, X_LS @ Transform(p=[0.0, 0.0, -THIN]), Box((x, y, THIN)))
    return ShapeOnLink(link, X_LS, found)


def _is_plane(reading: Reading, g: int) -> bool:
    return isinstance(shape_of(reading.m, g)[0], HalfSpace)


def _has_edges(reading: Reading, g: int) -> bool:
    """Whether it is a plane that ends."""
    return _is_plane(reading, g) and bool(np.any(reading.m.geom_size[g][:2]))


def _innermost(reading: Reading, b: int) -> str:
    """The last joint that leads to the body: what a body's own joints carry between them has no mass."""
    m = reading.m
    return reading.names.joints[int(m.body_jntadr[b]) + int(m.body_jntnum[b]) - 1] if m.body_jntnum[b] else reading.names.welds[b]


def _of_joint(quantity: readout.Quantity) -> "_Make":
    def make(reading: Reading, j: int, name: str, cutoff: float, drives: dict[str, RobotDrive]) -> RobotSensor:
        bound = 0.0 if reading.joint_kind(j) == "ball" else cutoff
        return MeasuredNumber(name=name, quantity=quantity, of=reading.names.joints[j], cutoff=bound)

    return make


def _ballangvel(reading: Reading, j: int, name: str, cutoff: float, drives: dict[str, RobotDrive]) -> RobotSensor:
    b = int(reading.m.jnt_bodyid[j])
    links = reading.names.links
    seen_from = FrameOnLink(links[int(reading.m.body_parentid[b])], Transform())
    return MeasuredFrame(
        name=name, seen=FrameOnLink(links[b], Transform()), seen_from=seen_from, quantity="own_angular_velocity", cutoff=cutoff
    )


def _of_tendon(quantity: readout.Quantity) -> "_Make":
    def make(reading: Reading, t: int, name: str, cutoff: float, drives: dict[str, RobotDrive]) -> RobotSensor | None:
        if reading.tendon_terms(t) is None:
            return None
        return MeasuredNumber(name=name, quantity=quantity, of=reading.names.tendons[t], cutoff=cutoff)

    return make


def _of_actuator(quantity: readout.Quantity) -> "_Make":
    def make(reading: Reading, a: int, name: str, cutoff: float, drives: dict[str, RobotDrive]) -> RobotSensor | None:
        drive = drives.get(reading.names.actuators[a])
        if drive is None:
            return None
        if quantity == "force":
            return MeasuredNumber(name=name, quantity="force", of=drive.name, cutoff=cutoff)
        if isinstance(drive.at, OnJoint):
            of_joint: readout.Quantity = "q" if quantity == "length" else "u"
            return MeasuredNumber(name=name, quantity=of_joint, of=drive.at.joint, factor=drive.at.gear, cutoff=cutoff)
        if isinstance(drive.at, OnTendon):
            return MeasuredNumber(name=name, quantity=quantity, of=drive.at.tendon, factor=drive.at.gear, cutoff=cutoff)
        return None

    return make


def _joint_drives(reading: Reading, j: int, name: str, cutoff: float, drives: dict[str, RobotDrive]) -> RobotSensor | None:
    if not reading.has_one_coordinate(j):
        return None
    return MeasuredDrives(name=name, joint=reading.names.joints[j], cutoff=cutoff)


_Make = Callable[[Reading, int, str, float, dict[str, RobotDrive]], RobotSensor | None]
_OF_NUMBERS: dict[str, _Make] = {
    "jointpos": _of_joint("q"),
    "jointvel": _of_joint("u"),
    "ballquat": _of_joint("q"),
    "ballangvel": _ballangvel,
    "tendonpos": _of_tendon("length"),
    "tendonvel": _of_tendon("rate"),
    "actuatorpos": _of_actuator("length"),
    "actuatorvel": _of_actuator("rate"),
    "actuatorfrc": _of_actuator("force"),
    "jointactfrc": _joint_drives,
}
