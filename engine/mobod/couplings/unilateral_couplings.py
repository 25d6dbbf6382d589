"""What the unilateral constraints of a coupling in a System keep."""

from typing import final

from mobod.couplings.coupling import Coupling
from mobod.couplings.coupling_distances import LoopDistances, MobilizerDistances, bounds_of, compliance_of, pose
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.equations.compliance import Compliance
from mobod.matter.unilateral.unilateral import UnilateralConstraint


@final
class CouplingDistances(UnilateralConstraint):
    """Those of a coupling that closes a loop: its coordinates stay in their ranges, and it out of its regions; made by CouplingJoint.

    coupling        what was given, as it was then, with records of its own
    body_A, body_B        between which it is
    X_AC, X_BD      frames C and D on them, which are fixed
    """

    def __init__(self, distances: LoopDistances, body_A: Body, body_B: Body, *, restitution: float = 0.0, name: str | None = None):
        self.body_A, self.body_B, self.coupling = body_A, body_B, distances.coupling
        super().__init__(distances, (body_B, body_A), restitution=restitution, compliance=_compliance_of(distances), name=name)
        self.X_AC, self.X_BD = pose(distances.X_AC), pose(distances.X_BD)


@final
class CouplingRegions(UnilateralConstraint):
    """Those of a coupling that is a mobilizer, but for limits of its coordinates, which are limits of the body."""

    def __init__(self, body: MobilizedBody, coupling: Coupling, *, restitution: float = 0.0):
        self.body = body
        distances = MobilizerDistances(coupling, coupling.likeness, bounds_of(coupling))
        compliance = _compliance_of(distances)
        super().__init__(distances, (), (body,), restitution=restitution, compliance=compliance, name=f"{body.name}.region")


def _compliance_of(distances: LoopDistances | MobilizerDistances) -> Compliance | None:
    return compliance_of(distances.coupling, distances.constraints, distances.position_units)
