"""Constraints for the limits and regions of a coupling in a System."""

from typing import final

from mobod.couplings.coupling import Coupling
from mobod.couplings.coupling_distances import LoopDistances, MobilizerDistances, bounds_of, compliance_of, pose
from mobod.matter import MobilizedBody, UnilateralConstraint
from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.equations.compliance import Compliance


@final
class CouplingDistances(UnilateralConstraint):
    """Limits and regions of a coupling that closes a loop; made by CouplingJoint.

    coupling        an own copy of the given coupling
    body_A, body_B  the bodies that it connects
    X_AC, X_BD      frames C and D on them, which are constant
    """

    def __init__(self, distances: LoopDistances, body_A: Body, body_B: Body, *, restitution: float = 0.0, name: str | None = None):
        self.body_A, self.body_B, self.coupling = body_A, body_B, distances.coupling
        super().__init__(distances, (body_B, body_A), restitution=restitution, compliance=_compliance_of(distances), name=name)
        self.X_AC, self.X_BD = pose(distances.X_AC), pose(distances.X_BD)


@final
class CouplingRegions(UnilateralConstraint):
    """Regions of a coupling that is a mobilizer. The limits of its coordinates are limits of the body."""

    def __init__(self, body: MobilizedBody, coupling: Coupling, *, restitution: float = 0.0):
        self.body = body
        distances = MobilizerDistances(coupling, coupling.likeness, bounds_of(coupling))
        compliance = _compliance_of(distances)
        super().__init__(distances, (), (body,), restitution=restitution, compliance=compliance, name=f"{body.name}.region")


def _compliance_of(distances: LoopDistances | MobilizerDistances) -> Compliance | None:
    return compliance_of(distances.coupling, distances.constraints, distances.position_units)
