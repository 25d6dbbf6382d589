"""What a coupling in a System cannot be."""

from mobod.couplings.coupling import Coupling
from mobod.errors import UnsupportedError


def check_rigid(coupling: Coupling, name: str) -> None:
    """Raises UnsupportedError for coordinates that are locked and constraints that are compliant: that would be ignored."""
    kind = type(coupling).__name__
    for coordinate in coupling.coordinates:
        if coordinate.locked:
            raise UnsupportedError(f"CouplingJoint '{name}' ({kind}): coordinate '{coordinate.name}' is locked. Lock the body instead.")
    for constraint in coupling.constraints:
        if constraint.compliance:
            raise UnsupportedError(
                f"CouplingJoint '{name}' ({kind}): constraint {constraint.index} is compliant, and constraints of a System are rigid. "
                "Leave it out and add a LinearBushing, or run it with MaximalCoordinateSimulation."
            )
