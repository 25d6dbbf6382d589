"""Forces and constraints along the joints of a robot: springs, dampers, friction, mimics, and rotors."""

from mobod.files.robot.friction import FrictionMode, add_friction
from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.parts import RobotParts
from mobod.forces import MobilityLinearDamper, MobilityLinearSpring
from mobod.functions import Linear
from mobod.matter.constraints import CoordinateCoupler


def add_joint_forces(parts: RobotParts, *, friction: FrictionMode, friction_speed: float) -> None:
    """Add those of each joint in the tree."""
    for joint in parts.joints.values():
        if not parts.has_body(joint.name):
            continue  # it closes a loop by a constraint
        body = parts.body_of_joint(joint.name)
        if joint.spring is not None:
            spring = joint.spring
            name = parts.free(f"{joint.name}_spring", joint)
            MobilityLinearSpring(parts.forces, body, stiffness=spring.stiffness, q_zero=spring.q_zero, name=name)
        if joint.damping:
            for speed in range(body.nu):
                number = f"{speed + 1}" if body.nu > 1 else ""
                name = parts.free(f"{joint.name}_damper{number}", joint)
                MobilityLinearDamper(parts.forces, body, speed=speed, damping=joint.damping, name=name)
        if joint.rotor is not None:
            body.set_rotor_inertia(joint.rotor.inertia, joint.rotor.gear_ratio)
        if joint.friction:
            add_friction(parts.forces, body, joint, friction, friction_speed, parts.free)
        if joint.mimic is not None:
            _add_mimic(parts, joint)


def _add_mimic(parts: RobotParts, joint: RobotJoint) -> None:
    assert joint.mimic is not None
    bodies = [parts.body_of_joint(joint.name), parts.body_of_joint(joint.mimic.joint)]
    function = Linear([1.0, -joint.mimic.multiplier, -joint.mimic.offset])
    CoordinateCoupler(parts.system.matter, function, bodies, [0, 0], name=parts.free(f"{joint.name}_mimic", joint))
