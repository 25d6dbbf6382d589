"""CouplingMobilizer: a body whose mobilizer is a coupling."""

from typing import final

from mobod.couplings.coupling import Coupling
from mobod.couplings.coupling_checks import check_can_be_mobilizer, check_unlocked, check_wrenches
from mobod.couplings.coupling_distances import bounds_of, given_way
from mobod.couplings.equations import CouplingEquations
from mobod.couplings.unilateral_couplings import CouplingRegions
from mobod.errors import InputError, UnsupportedError
from mobod.matter.bodies.body import BodyLike, MobilizedBody, ParentLike
from mobod.matter.equations.compliance import check_does_not_bounce
from mobod.spatial import Transform


@final
class CouplingMobilizer(MobilizedBody):
    """A body whose mobilizer is a coupling: q are the coordinates of the coupling, u their rates; made by CouplingJoint.

    coupling  an own copy of the given coupling; its ranges become limits of the body, see set_limits
    regions   the CouplingRegions of its unilateral constraints that limit no coordinate, or None
    """

    def __init__(
        self,
        parent: ParentLike,
        body: BodyLike,
        X_PF: Transform | None = None,
        X_BM: Transform | None = None,
        *,
        coupling: Coupling,
        name: str | None = None,
        reversed: bool = False,
    ):
        what = "CouplingJoint" if name is None else f"CouplingJoint '{name}'"
        given: object = coupling
        if not isinstance(given, Coupling):
            raise InputError(f"{what} needs a Coupling, not {type(coupling).__name__}.")
        check_wrenches(coupling, what)
        check_can_be_mobilizer(coupling, what)
        self.coupling = coupling
        self.equations = CouplingEquations.of(coupling)
        self.regions: CouplingRegions | None = None
        super().__init__(parent, body, X_PF, X_BM, name=name, reversed=reversed)

    @property
    def has_regions(self) -> bool:
        """Whether its coupling has unilateral constraints that are not limits of coordinates."""
        return bool(bounds_of(self.coupling))

    def keep_ranges(self, restitution: float = 0.0) -> None:
        """Adds limits for coordinates with a range and without limits, then constraints for the regions. Topological: existing States
        become unusable.

        restitution  of the rigid ones. Raises InputError if it is not 0 and all of them are compliant.
        """
        unilateral = [each for each in self.coupling.constraints if not each.is_bilateral]
        if unilateral and all(each.compliance for each in unilateral):
            check_does_not_bounce(restitution, f"'{self.name}'")
        for each in self.coupling.coordinates:
            if each.is_limited and each.index not in self._limits:
                C, D = given_way(each.limit_constraint)
                self.set_limits(each.min, each.max, 0.0 if C else restitution, compliance=C, damping=D, coordinate=each.index)
        if self.regions is None and self.has_regions:
            is_compliant = all(self.coupling.constraint(bound.constraint).compliance for bound in bounds_of(self.coupling))
            self.keep_regions(0.0 if is_compliant else restitution)

    def keep_regions(self, restitution: float = 0.0) -> CouplingRegions:
        """Adds constraints for the regions of the coupling. Topological: existing States become unusable."""
        self.regions = CouplingRegions(self, self.coupling, restitution=restitution)
        return self.regions

    def check_supported(self) -> None:
        """Raises UnsupportedError for locked coordinates, and for ranges and regions that would be ignored."""
        check_unlocked(self.coupling, self.name)
        loose = [each.name for each in self.coupling.coordinates if each.is_limited and each.index not in self._limits]
        if loose or (self.has_regions and self.regions is None):
            what = f"the range of coordinate '{loose[0]}'" if loose else "regions"
            raise UnsupportedError(
                f"'{self.name}': {what} of its coupling would be ignored. Call keep_ranges(), or make the joint by CouplingJoint."
            )
