"""MeasureSubsystem: the measures of a System."""

# Decision: docs/decisions/063-measures.md

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

from mobod.scalar import Slot, Sweep
from mobod.system.measures.delay_table import DelayRow
from mobod.system.stage import Stage
from mobod.system.state.layout import Layout
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem
from mobod.system.system import System
from mobod.system.variable import CatalogueVariable


class Measured(Protocol):
    """A measure, as its subsystem calls it."""

    name: str
    index: int
    z_starts: tuple[float, ...]

    @property
    def known_from(self) -> Stage: ...

    def allocate(self, state: State) -> None: ...

    def tabulate(self, layout: Layout) -> None: ...

    def slot(self, layout: Layout) -> Slot: ...

    def known_rate(self, layout: Layout) -> Slot | None: ...

    def variables(self, layout: Layout) -> list[CatalogueVariable]: ...


class MeasureSubsystem(Subsystem):
    """Made with the first measure of a System. At each stage measures come after everything else, in the order in which they were made."""

    rank = 1

    def __init__(self, system: System, name: str = "measures"):
        super().__init__(system, name)
        self._measures: list[Measured] = []
        self._z_before: list[int] = []  # for each measure, how many auxiliary variables the ones before it have

    @staticmethod
    def of(system: System) -> "MeasureSubsystem":
        """That of the System, made if there is none."""
        return next((each for each in system.subsystems if isinstance(each, MeasureSubsystem)), None) or MeasureSubsystem(system)

    @property
    def measures(self) -> list[Measured]:
        """All measures, in the order in which they were added."""
        return list(self._measures)

    def adopt(self, measure: Measured) -> int:
        """Add a measure; returns its index. Called by Measure."""
        self.system.claim(measure.name, f"a measure ({type(measure).__name__})")
        self._measures.append(measure)
        self.invalidate_topology()
        return len(self._measures) - 1

    def realize_topology(self, state: State) -> None:
        """Allocate discrete variables and computed values. Called once for each new State."""
        for measure in self._measures:
            measure.allocate(state)
        self._z_before = list(accumulate((len(measure.z_starts) for measure in self._measures), initial=0))

    def realize_model(self, state: State) -> None:
        """Allocate q, u and z. Called when the set of variables is completed."""
        state.allocate_z(self, [start for measure in self._measures for start in measure.z_starts])

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        layout.tables[self.index] = _Table()
        for measure in self._measures:
            measure.tabulate(layout)

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        return [variable for measure in self._measures for variable in measure.variables(layout)]

    # for its measures
    def sweep(self, layout: Layout, stage: Stage) -> Sweep:
        """The rows that realize a stage."""
        return self._sweep(layout, stage)

    def rates(self, layout: Layout) -> dict[int, Slot]:
        """Number of a measure -> where its rate lies, of those that have been asked for it."""
        table: _Table = layout.tables[self.index]
        return table.rates

    def known_rates(self, layout: Layout) -> dict[Slot, Slot]:
        """Where a value lies -> where its rate does, of the measures that have both."""
        pairs = ((measure.slot(layout), measure.known_rate(layout)) for measure in self._measures)
        return {value: rate for value, rate in pairs if rate is not None}

    def delays(self, layout: Layout) -> list[DelayRow]:
        """Of those measures that have been tabulated."""
        table: _Table = layout.tables[self.index]
        return table.delays

    def z(self, layout: Layout, measure: Measured) -> Slot:
        """The auxiliary variables of a measure."""
        return Slot(layout.part("z", self.index).offset + self._z_before[measure.index], (len(measure.z_starts),))


@dataclass
class _Table:
    rates: dict[int, Slot] = field(default_factory=dict)
    delays: list[DelayRow] = field(default_factory=list)
