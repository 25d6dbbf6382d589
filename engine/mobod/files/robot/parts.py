"""RobotParts: the System of a robot while forces, constraints and sensors are added to it."""

from collections.abc import Callable, Mapping
from typing import final

from mobod.files.findings import Findings
from mobod.files.robot.joints import RobotJoint
from mobod.forces import ConstantForce, ForceSubsystem
from mobod.matter import Ground, MobilizedBody, MultibodySystem
from mobod.system.names import marked


@final
class RobotParts:
    """joints  all joints of the robot by name, without motions that move no inertia
    body_of_link(name) is the mobilized body of a link, or Ground
    compensations  forces that carry a part of the weight of links
    """

    def __init__(
        self,
        system: MultibodySystem,
        joints: Mapping[str, RobotJoint],
        body_of_link: Callable[[str], MobilizedBody | Ground],
        findings: Findings,
    ):
        self.system, self.joints, self.findings = system, joints, findings
        self.body_of_link = body_of_link
        self._bodies = {body.name: body for body in system.matter.bodies}
        self.forces = ForceSubsystem(system)
        self.compensations = list[ConstantForce]()
        self._taken = set(self._bodies)

    def has_body(self, joint: str) -> bool:
        """Whether a joint lies in the tree."""
        return joint in self._bodies

    def moves(self, joint: str) -> bool:
        """Whether a joint has coordinates."""
        return self.has_body(joint) and self._bodies[joint].nu > 0

    def body_of_joint(self, joint: str) -> MobilizedBody:
        """The mobilized body of a joint that lies in the tree."""
        return self._bodies[joint]

    def free(self, name: str, of: RobotJoint | None = None) -> str:
        """The name, or a free variant of it, with a finding; strict findings keep the name, and the System raises."""
        found = name if self.findings.strict else marked(name, self._taken)
        self._taken.add(found)
        if found != name:
            line = self.joints[name].line if name in self.joints else 0
            self.findings.note(
                "name", f"what would be called '{name}' is called '{found}': a joint has that name.", line, joint=of and of.name
            )
        return found
