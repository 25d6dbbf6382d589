"""CouplingMobilizer: a body whose mobilizer is a coupling."""

from typing import final

from mobod.couplings.coupling import Coupling
from mobod.couplings.coupling_distances import MobilizerDistances, bounds_of
from mobod.couplings.equations import CouplingEquations
from mobod.couplings.rigid_couplings import check_rigid
from mobod.matter.body import BodyLike, MobilizedBody, ParentLike
from mobod.matter.unilateral import UnilateralConstraint
from mobod.spatial import Transform


@final
class CouplingMobilizer(MobilizedBody):
    """A body that moves as a coupling with coordinates lets it: they are q, their rates are u; made by CouplingJoint.

    coupling  what was given, as it was then, with records of its own; its ranges are limits of the body, see set_limits
    regions   what its unilateral constraints that limit no coordinate keep out of, or None
    """

    def __init__(
        self,
        coupling: Coupling,
        parent: ParentLike,
        body: BodyLike,
        X_PF: Transform,
        X_BM: Transform,
        *,
        name: str | None,
        reversed: bool,
        restitution: float,
    ):
        self.coupling = coupling
        self.equations = CouplingEquations.of(coupling)
        super().__init__(parent, body, X_PF, X_BM, name=name, reversed=reversed)
        for each in coupling.coordinates:
            if each.is_limited:
                self.set_limits(each.min, each.max, restitution, coordinate=each.index)
        bounds = bounds_of(coupling)
        self.regions: UnilateralConstraint | None = None
        if bounds:
            distances = MobilizerDistances(coupling, coupling.likeness, bounds)
            self.regions = UnilateralConstraint(distances, (), (self,), restitution=restitution, name=f"{self.name}.region")

    def check_supported(self) -> None:
        check_rigid(self.coupling, self.name)
