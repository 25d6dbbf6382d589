"""Motors of the joints of a robot that its file does not describe, and the limits of all drives of its joints."""

from collections.abc import Mapping
from math import inf
from typing import Literal, get_args

from mobod.errors import InputError, UnsupportedError
from mobod.files.findings import Findings
from mobod.files.robot.added_joints import known_effort, known_efforts, known_velocity
from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.parts import RobotParts
from mobod.forces import ConstantForce, MobilityForce, Servo, SiteServo
from mobod.forces.drives.counted_force import carries
from mobod.forces.drives.drive import Drive

MotorKind = Literal["force", "velocity"]
SHARE = 0.01  # of the greatest velocity: the error at which a motor that follows a speed gives its effort
EFFORT = "<effort> or effort= limits the sum of the drive forces of the joint, by '<joint>_drive_limit'. drive_limits=False leaves it out."
VELOCITY = (
    "<velocity> or velocity= limits the commands of drives that follow a speed, as motors='velocity' makes them. The joint itself can be "
    "faster."
)


def checked_motors(motors: object) -> MotorKind | None:
    """The kind of motors; None: none. Raises InputError."""
    if motors is True:
        return "force"
    if motors is False or motors is None:
        return None
    if motors in get_args(MotorKind):
        return motors  # type: ignore[return-value] # mypy does not narrow an object by `in`
    raise InputError(f"motors is {motors!r}. Valid values: True, 'force', 'velocity', False.")


def note_limits_of_drives(joints: Mapping[str, RobotJoint], findings: Findings) -> None:
    """Note what efforts and velocities of the file mean."""
    for joint in joints.values():
        lines = [joint.line] if joint.line else []
        if known_effort(joint) is not None and joint.limits is not None and joint.limits.effort_low is None:
            findings.note("effort", EFFORT, *lines, path=joint.path, is_information=True)
        if known_velocity(joint) is not None:
            findings.note("velocity", VELOCITY, *lines, path=joint.path, is_information=True)


def add_motors(parts: RobotParts, motors: object, velocity_gain: float | None) -> None:
    """Add a motor to each joint with one coordinate that mimics no other."""
    kind = checked_motors(motors)
    if kind is None:
        return
    for joint in parts.joints.values():
        if not (joint.has_one_coordinate and joint.is_driven and parts.moves(joint.name)) or joint.mimic is not None:
            continue
        body, name = parts.body_of_joint(joint.name), parts.free(f"{joint.name}_motor", joint)
        effort, velocity = known_effort(joint), known_velocity(joint)
        if kind == "force":
            MobilityForce(parts.forces, body, effort=effort, name=name)
            continue
        gain = velocity_gain
        if gain is None:
            if effort is None or velocity is None:
                raise UnsupportedError(
                    f"{joint.place}: motors='velocity': joint '{joint.name}' has no effort and velocity, from which its gain follows. Give "
                    "velocity_gain=..., in N m s/rad or N s/m."
                )
            gain = effort / (SHARE * velocity)
        most = inf if velocity is None else velocity
        Servo(parts.forces, body, control="velocity", kd=gain, command_low=-most, command_high=most, name=name)


def add_drive_limits(parts: RobotParts) -> None:
    """Limit the sum of the drive forces of each joint that has drives, or forces that count, and whose effort is known."""
    driven = {body.name for force in parts.forces.elements if isinstance(force, Drive) for body, _ in force.driven}
    for joint in parts.joints.values():
        bounds = known_efforts(joint)
        if bounds is not None and joint.mimic is None and parts.moves(joint.name):
            further = further_of(parts, joint)
            if further or joint.name in driven:
                parts.forces.limit_drives(parts.body_of_joint(joint.name), *bounds, 0, further)


def further_of(parts: RobotParts, joint: RobotJoint) -> list[SiteServo | ConstantForce]:
    """The forces beside drives that the limit of a joint counts, of those that it carries."""
    found, limits, body = list[SiteServo | ConstantForce](), joint.limits, parts.body_of_joint(joint.name)
    if limits is not None and limits.counts_sites:
        found += [force for force in parts.forces.elements if isinstance(force, SiteServo)]
    if limits is not None and limits.counts_compensation:
        found += parts.compensations
    return [force for force in found if any(carries(body, acted) for acted in force.acted_bodies)]
