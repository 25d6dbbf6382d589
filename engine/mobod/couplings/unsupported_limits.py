"""What a coupling in a System cannot have yet."""

from mobod.couplings.coupling import Coupling
from mobod.errors import UnsupportedError

_INSTEAD = "Run it with MaximalCoordinateSimulation, or leave it out: a MobilityLinearStop is a soft limit."


def check_bilateral_alone(coupling: Coupling, name: str) -> None:
    """Raises UnsupportedError for limits of coordinates, locked ones, and other unilateral constraints: they would be ignored."""
    kind = type(coupling).__name__
    for coordinate in coupling.coordinates:
        if coordinate.is_limited:
            raise UnsupportedError(
                f"CouplingJoint '{name}' ({kind}): coordinate '{coordinate.name}' is limited to {coordinate.min:g} ... "
                f"{coordinate.max:g} {coordinate.unit}, and Systems do not keep limits of couplings. {_INSTEAD}"
            )
        if coordinate.locked:
            raise UnsupportedError(f"CouplingJoint '{name}' ({kind}): coordinate '{coordinate.name}' is locked. Lock the body instead.")
    for constraint in coupling.constraints:
        if not constraint.is_bilateral and not constraint.is_limit:
            raise UnsupportedError(
                f"CouplingJoint '{name}' ({kind}): constraint {constraint.index} is unilateral, and Systems do not keep those of "
                f"couplings. {_INSTEAD}"
            )
        if constraint.compliance:
            raise UnsupportedError(
                f"CouplingJoint '{name}' ({kind}): constraint {constraint.index} is compliant, and constraints of a System are rigid. "
                "Leave it out and add a LinearBushing, or run it with MaximalCoordinateSimulation."
            )
