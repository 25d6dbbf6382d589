"""Drive: a force along one speed whose energy comes from outside, such as a motor's, and what a limit of a joint's drives needs of it."""

# Decision: docs/decisions/187-drives.md

from abc import ABC, abstractmethod

from mobod.forces.force import Force
from mobod.matter import MobilizedBody
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout


class Drive(Force, ABC):
    """A force that `body.set_drive_limit` counts among the drives of a speed."""

    @property
    @abstractmethod
    def driven(self) -> list[tuple[MobilizedBody, int]]:
        """The speeds that it acts on along: the body of each, and its number there."""

    @abstractmethod
    def write_drive(self, sweep: Sweep, layout: Layout, number: int, total: Slot) -> None:
        """Add the row that adds its force on the speed `driven[number]` to `total`; it comes after those of `write_forces`."""
