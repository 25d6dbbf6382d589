"""ExportedModel: what an FMU of either kind contains of a System. The table of variables is made from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from mobod.compilation.calls.dependencies import OffsetSets
from mobod.scalar.slot import Slot
from mobod.simulate.velocity_level.fixed_steps import FixedSteps, default_place
from mobod.system import CatalogueVariable, Layout, System
from mobod.system.scales import Scales


@final
@dataclass(frozen=True)
class ExportedSteps:
    """The step size, and for each unilateral row how far its distance may stay below zero, in its unit."""

    steps: FixedSteps
    tolerances: tuple[float, ...]

    @property
    def description(self) -> str:
        steps = self.steps
        is_default = steps.constraints_at == default_place(steps.engagement)
        where = "" if is_default else f", constraints_at '{steps.constraints_at}'"
        return f"Fixed steps of {steps.size:g} s at velocity level, engagement '{steps.engagement}'{where}."


class ExportedModel(Protocol):
    """start: the flat array of a new instance. An FMU has more numbers after it: the initial conditions, then the settings of the
    integration (mobod.runtime.numerics)."""

    @property
    def system(self) -> System: ...

    @property
    def variables(self) -> list[CatalogueVariable]:
        """The System's catalogue."""

    @property
    def layout(self) -> Layout: ...

    @property
    def scales(self) -> Scales: ...

    @property
    def start(self) -> np.ndarray: ...

    @property
    def time(self) -> Slot: ...

    @property
    def y(self) -> Slot: ...

    @property
    def y_dot(self) -> Slot: ...

    def identity(self, wanted: Iterable[int], n_inputs: int, *, with_adjoints: bool) -> bytes:
        """Bytes that identify the model. They differ between models that compute the numbers at the wanted offsets differently, for
        an FMU with n real inputs."""

    def set_by_model(self) -> set[int]:
        """Offsets of the parameters and inputs that a run changes, by event handlers or as auto-update variables."""

    def event_indicators(self) -> list[str]:
        """The names of the events that are found by a change of sign, in the order of the C runtime. No name is there twice."""

    def states_that_jump(self) -> frozenset[int]:
        """Offsets of the states that may jump at events: by handlers, impacts, or projections."""

    def depends_on(self, offsets: Iterable[int]) -> OffsetSets:
        """The sets of time, states, parameters and inputs on which the numbers at these offsets depend."""

    def depends_on_at_start(self, offsets: Iterable[int]) -> OffsetSets:
        """The same at the start of a run, for states that stand for their start values: constraints may change them there."""

    def independent_states(self) -> frozenset[int]:
        """Offsets of the states that begin a run with the start values that they are given."""
