"""The range of the sum of all drive forces of a joint, which the forces of the System keep."""

# Decision: docs/decisions/187-drives.md

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from mobod.errors import InputError
from mobod.matter.bodies.body_in_tree import BodyInTree


@runtime_checkable
class LimitsDrives(Protocol):
    """A ForceSubsystem."""

    def limit_drives(self, body: BodyInTree, low: float, high: float, speed: int, further: Sequence[object] | None) -> None: ...


def set_drive_limit(body: BodyInTree, low: float, high: float, *, speed: int = 0, further: Sequence[object] | None = None) -> None:
    """Keep the sum of the drive forces along a speed in a range, in new States. Topological.

    low, high  N or N m, of the speed; infinite: no bound
    speed      which of the body's speeds, from 0
    further    SiteServos and ConstantForces on bodies that the joint carries, whose generalized forces along the speed count too, as in
               MuJoCo; default: none, or those of before

    Drives are MobilityForces, Servos and what pulls tendons; they belong to one ForceSubsystem. Springs, dampers and friction are none.
    The sum with and without its range are the variables '<body>_drive_limit.force' and '<body>_drive_limit.unlimited_force'.

    Raises InputError if the System has no ForceSubsystem, and for bounds in the wrong order.
    """
    for subsystem in body.matter.system.subsystems:
        if isinstance(subsystem, LimitsDrives):
            subsystem.limit_drives(body, low, high, speed, further)
            return
    raise InputError(f"set_drive_limit of '{body.name}': the System has no forces yet. Make a ForceSubsystem and the drives first.")
