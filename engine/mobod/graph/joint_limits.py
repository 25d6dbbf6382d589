"""Limits of joints in a System: rigid limits or elastic stops."""

# Decision: docs/decisions/078-rigid-limits.md

from collections.abc import Iterator, Sequence

from mobod.errors import InputError, UnsupportedError
from mobod.forces import ForceSubsystem, MobilityLinearStop
from mobod.graph.descriptions import CoordinateLimits, JointDescription
from mobod.matter import MobilizedBody, MultibodySystem

LimitedJoint = tuple[JointDescription, MobilizedBody]


def add_rigid_limits(joints: Sequence[LimitedJoint]) -> None:
    """Set rigid limits. A coordinate without a given start value starts at the nearest value within its limits."""
    for joint, body, coordinate, limits in _each(joints):
        try:
            body.set_limits(limits.lower, limits.upper, limits.restitution, coordinate=coordinate)
        except UnsupportedError as error:
            raise UnsupportedError(
                f"joint '{joint.name}' cannot be limited. {error} Or ignore its limits: build(limits='ignore')."
            ) from error
        q = body.default_q
        start = min(max(q[coordinate], limits.lower), limits.upper)
        if start != q[coordinate] and joint.default_q is not None:
            raise InputError(
                f"joint '{joint.name}': its default_q, {q[coordinate]:g} {body.equations.q_units[coordinate]}, is outside of its limits, "
                f"from {limits.lower:g} to {limits.upper:g}. Give a default_q within them."
            )
        q[coordinate] = start
        body.set_default_q(q)


def add_stops(system: MultibodySystem, joints: Sequence[LimitedJoint]) -> None:
    """Add forces named '<joint>_stop' in a subsystem 'stops', if there are limits."""
    if not joints:
        return
    forces = ForceSubsystem(system, "stops")
    for joint, body, coordinate, limits in _each(joints):
        if limits.stop_stiffness is None:
            raise UnsupportedError(
                f"joint '{joint.name}' has limits from {limits.lower:g} to {limits.upper:g} {body.equations.q_units[coordinate]} without a "
                "stop_stiffness, which elastic stops need. Give a stop_stiffness, or build with limits='rigid' or limits='ignore'."
            )
        MobilityLinearStop(
            forces,
            body,
            coordinate=coordinate,
            stiffness=limits.stop_stiffness,
            dissipation=limits.stop_dissipation,
            q_low=limits.lower,
            q_high=limits.upper,
            name=f"{joint.name}_stop" + (f"{coordinate + 1}" if body.nq > 1 else ""),
        )


def _each(joints: Sequence[LimitedJoint]) -> Iterator[tuple[JointDescription, MobilizedBody, int, CoordinateLimits]]:
    """Each limited coordinate with its joint, body and number."""
    for joint, body in joints:
        for coordinate, limits in enumerate(joint.limits):
            if limits is not None:
                yield joint, body, coordinate, limits
