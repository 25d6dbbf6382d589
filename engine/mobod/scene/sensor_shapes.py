"""Markers of sensors: where they are, and which way they look."""

from collections.abc import Iterator
from functools import singledispatch

import numpy as np

from mobod.contact import decorations_of
from mobod.matter import MobilizedBody
from mobod.matter.bodies.decorations import Box, Cylinder, Frame, Line, Sphere, Triple
from mobod.scene.constraint_shapes import Marker
from mobod.scene.joint_motion import joint_motions
from mobod.scene.placement import Placement
from mobod.scene.placing import triple, with_y_along
from mobod.scene.scene import Shape
from mobod.sensors import ForceTorque, FrameQuantity, FrameSensor, Imu, JointSensor, RangeFinder, Touch
from mobod.spatial import Transform
from mobod.system import State, System
from mobod.system.measures import MeasureSubsystem
from mobod.system.measures.subsystem import Measured

OF_SENSORS: Triple = (0.05, 0.55, 0.5)
_ZONE = 0.25  # opacity of a zone
_AXES = 3.5  # length of the axes of a frame, in radii of links


def sensor_shapes(system: System, state: State, placement: Placement, thickness: float, size: float) -> Iterator[tuple[int, Shape]]:
    """The number of a body and a shape on it, of each sensor with a place.

    thickness  m, radius of the links
    size       m, of the mechanism: rays are drawn no longer
    """
    for subsystem in system.subsystems:
        if isinstance(subsystem, MeasureSubsystem):
            for measure in subsystem.measures:
                for index, X, geometry in _markers(measure, state, placement, thickness, size):
                    yield index, Shape(geometry, X, role="sensor")


@singledispatch
def _markers(_measure: Measured, _state: State, _placement: Placement, _thickness: float, _size: float) -> Iterator[Marker]:
    """By the type of the sensor; nothing for measures without a place."""
    return iter(())


@_markers.register
def _of_imu(imu: Imu, state: State, _placement: Placement, thickness: float, _size: float) -> Iterator[Marker]:
    number, X_BS = imu.site.body.index, imu.site.frame(state)
    yield number, X_BS, Box((1.3 * thickness, 1.3 * thickness, 0.6 * thickness), color=OF_SENSORS)
    yield number, X_BS, Frame(_AXES * thickness)


@_markers.register
def _of_frame(sensor: FrameSensor | FrameQuantity, state: State, _placement: Placement, thickness: float, _size: float) -> Iterator[Marker]:
    yield sensor.site.body.index, sensor.site.frame(state), Frame(_AXES * thickness)


@_markers.register
def _of_force_torque(sensor: ForceTorque, state: State, placement: Placement, thickness: float, _size: float) -> Iterator[Marker]:
    """A disk, whose axis is the first of the joint's, at the sensor's frame."""
    number, X_BS = sensor.site.body.index, sensor.site.frame(state)
    disk = Cylinder(3.0 * thickness, 0.3 * thickness, color=OF_SENSORS)
    yield number, with_y_along(_joint_axis(sensor.body, state, placement), X_BS.p), disk
    yield number, X_BS, Frame(_AXES * thickness)


@_markers.register
def _of_joint(sensor: JointSensor, state: State, placement: Placement, thickness: float, _size: float) -> Iterator[Marker]:
    """A thin disk about the axis of the coordinate."""
    axis = _joint_axis(sensor.body, state, placement, sensor.body.equations.speed_of[sensor.coordinate] or 0)
    disk = Cylinder(2.6 * thickness, 0.2 * thickness, color=OF_SENSORS)
    yield sensor.body.index, with_y_along(axis, placement.joint(sensor.body.index)), disk


@_markers.register
def _of_range_finder(sensor: RangeFinder, state: State, _placement: Placement, thickness: float, size: float) -> Iterator[Marker]:
    """A barrel, and the ray as far as it sees, or as long as the mechanism."""
    number, station, direction = sensor.site.body.index, sensor.station(state), sensor.direction(state)
    along = direction / np.sqrt(direction @ direction)
    end = station + min(sensor.range(state), max(size, 6 * thickness)) * along
    yield number, with_y_along(along, station), Cylinder(0.7 * thickness, thickness, color=OF_SENSORS)
    yield number, Transform(), Line(triple(station), triple(end), color=OF_SENSORS)


@_markers.register
def _of_touch(sensor: Touch, state: State, placement: Placement, thickness: float, _size: float) -> Iterator[Marker]:
    """Its zone; without one, a ball about the mass center of the body."""
    if sensor.site is None:
        return
    number = sensor.site.body.index
    if sensor.zone is None:
        yield number, Transform(p=placement.center[number]), Sphere(1.2 * thickness, color=OF_SENSORS, opacity=0.5)
        return
    for X_SD, geometry in decorations_of(sensor.zone, color=OF_SENSORS, opacity=_ZONE):
        yield number, sensor.site.frame(state) @ X_SD, geometry


def _joint_axis(body: MobilizedBody, state: State, placement: Placement, speed: int = 0) -> np.ndarray:
    """(3,) a unit vector in the body's frame; z of frame M if a joint has no speeds."""
    R_BM, equations, q = placement.X_BM[body.index].R, body.equations_in(state), np.array(body.q(state))
    motions = joint_motions(equations, q)
    return R_BM @ equations.X_FM(q).R.T @ motions[speed].direction if motions else R_BM[:, 2]
