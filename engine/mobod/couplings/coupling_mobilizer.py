"""CouplingMobilizer: a body whose mobilizer is a coupling."""

from typing import final

from mobod.couplings.coupling import Coupling
from mobod.couplings.equations import CouplingEquations
from mobod.couplings.unsupported_limits import check_bilateral_alone
from mobod.matter.body import BodyLike, MobilizedBody, ParentLike
from mobod.spatial import Transform


@final
class CouplingMobilizer(MobilizedBody):
    """A body that moves as a coupling with coordinates lets it: they are q, their rates are u; made by CouplingJoint.

    coupling  what was given, as it was then: its ranges can be read, and it has records of its own
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
    ):
        self.coupling = coupling
        self.equations = CouplingEquations.of(coupling)
        super().__init__(parent, body, X_PF, X_BM, name=name, reversed=reversed)

    def check_supported(self) -> None:
        check_bilateral_alone(self.coupling, self.name)
