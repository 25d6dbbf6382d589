"""What the table of variables is made of: a System as an FMU of either kind holds it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from mobod.scalar.slot import Slot
from mobod.simulate.velocity_level.fixed_steps import FixedSteps
from mobod.system.variable import CatalogueVariable


@final
@dataclass(frozen=True)
class ExportedSteps:
    """Fixed steps, and how far below zero each unilateral row may stay in them, in the unit of its distance."""

    steps: FixedSteps
    tolerances: tuple[float, ...]

    @property
    def told(self) -> str:
        return f"Fixed steps of {self.steps.size:g} s at velocity level, engagement '{self.steps.engagement}'."


class ExportedModel(Protocol):
    """start: the flat array of a new instance. An FMU has more numbers after it: the initial conditions, then max_steps."""

    @property
    def variables(self) -> list[CatalogueVariable]:
        """The System's catalogue."""

    @property
    def start(self) -> np.ndarray: ...

    @property
    def time(self) -> Slot: ...

    @property
    def y(self) -> Slot: ...

    @property
    def y_dot(self) -> Slot: ...

    def identity(self, wanted: Iterable[int]) -> bytes:
        """Bytes that models which differ in what computes the numbers at the wanted offsets do not share."""

    def set_by_model(self) -> set[int]:
        """The offsets of parameters and inputs that a run changes: event handlers set them, or they update themselves at each step."""

    def depends_on(self, offset: int) -> frozenset[int]:
        """The offsets of time, of states, parameters and inputs that the number at `offset` depends on."""
