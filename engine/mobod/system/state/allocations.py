"""The variables and cache entries that subsystems have allocated in a State, before the layout is made."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mobod.system.state.handles import CacheEntry, ContinuousVariable, DiscreteVariable, Handle, Label
from mobod.system.state.layout import Layout, OwnErrors
from mobod.system.state.saved_numbers import Numbers


@dataclass
class Allocations:
    """Variables and cache entries by their numbers.

    starts        start values of numeric discrete variables: read-only arrays
    recorded      the functions of lazy entries whose sweeps are recordings of them
    blocks        the continuous variables
    errors        entries that are constraint errors of "q" or "u"
    labels        the labels that were given
    numbers       valid numbers of variables in a saved State, if they were given: see saved_numbers
    """

    discrete: list[DiscreteVariable] = field(default_factory=list)
    entries: list[CacheEntry] = field(default_factory=list)
    starts: dict[DiscreteVariable, np.ndarray] = field(default_factory=dict)
    recorded: dict[CacheEntry, Callable[[Any], object]] = field(default_factory=dict)
    blocks: list[ContinuousVariable] = field(default_factory=list)
    errors: dict[CacheEntry, str] = field(default_factory=dict)
    labels: dict[Handle, Label] = field(default_factory=dict)
    numbers: dict[DiscreteVariable, tuple[Numbers, ...]] = field(default_factory=dict)
    continuous: dict[str, dict[int, list[float]]] = field(
        default_factory=lambda: {"q": {}, "u": {}, "z": {}}
    )  # kind -> subsystem -> start values
    at_topology: tuple[int, int] | None = None  # numbers of discrete variables and of entries before MODEL

    def copy(self) -> "Allocations":
        """A copy of complete allocations, of which only the start values may change afterwards."""
        other = Allocations.__new__(Allocations)
        other.__dict__.update(self.__dict__)
        other.starts = dict(self.starts)
        return other

    def of_topology(self) -> "Allocations":
        """Only what was allocated at TOPOLOGY. Called before the realize_model hooks allocate more."""
        n_discrete, n_entries = self.at_topology or (len(self.discrete), len(self.entries))
        discrete, entries = self.discrete[:n_discrete], self.entries[:n_entries]
        return Allocations(
            discrete,
            entries,
            {variable: self.starts[variable] for variable in discrete if variable in self.starts},
            {entry: self.recorded[entry] for entry in entries if entry in self.recorded},
            errors={entry: self.errors[entry] for entry in entries if entry in self.errors},
            labels={handle: self.labels[handle] for handle in (*discrete, *entries) if handle in self.labels},
            numbers={variable: self.numbers[variable] for variable in discrete if variable in self.numbers},
            at_topology=(n_discrete, n_entries),
        )

    def structure(self) -> tuple[object, ...]:
        """Key of everything that was allocated. Equal keys and equal options give equal layouts."""
        counts = tuple(
            (kind, tuple((subsystem, len(values)) for subsystem, values in sorted(parts.items())))
            for kind, parts in self.continuous.items()
        )
        return (counts, tuple(self.blocks), tuple(self.discrete), tuple(self.entries))

    @property
    def handles(self) -> list[Handle]:
        """The handles of everything that was allocated."""
        return [*self.blocks, *self.discrete, *self.entries]

    def layout(self) -> Layout:
        counts = {kind: sum(len(values) for values in parts.values()) for kind, parts in self.continuous.items()}
        layout = Layout(counts["q"], counts["u"], counts["z"])
        for kind, parts in self.continuous.items():
            start = 0
            for subsystem, values in sorted(parts.items()):
                layout.parts[kind, subsystem] = (start, len(values))
                start += len(values)
        layout.place([*self.discrete, *self.entries])
        layout.handles, layout.labels, layout.recorded = self.handles, dict(self.labels), dict(self.recorded)
        layout.numbers = dict(self.numbers)
        layout.errors = [OwnErrors(entry, kind) for entry, kind in self.errors.items()]
        return layout

    def start_values(self, layout: Layout) -> np.ndarray:
        """State.values with every variable at its start value."""
        values = np.zeros(layout.size)
        for kind, slot in (("q", layout.q), ("u", layout.u), ("z", layout.z)):
            values[slot.slice] = [start for _, starts in sorted(self.continuous[kind].items()) for start in starts]
        for variable, start in self.starts.items():
            values[layout.slots[variable].slice] = start.ravel()
        offsets, numbers = layout.fixed
        values[offsets] = numbers
        return values
