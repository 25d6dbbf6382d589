"""Where everything lies in the flat array of a State: fixed when a State is realized to MODEL, shared by all States of that structure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Constants, Sweep, SweepFunction
from mobod.system.stage import Stage

if TYPE_CHECKING:
    from mobod.system.state import State


@dataclass(frozen=True)
class DiscreteVariable:
    """A handle: `number` counts the discrete variables of one System's State.

    invalidates  the stage that must be realized anew when the variable changes
    shape        of a number or an array of numbers, which lies in State.values; None: any other Python object
    """

    subsystem: int
    number: int
    name: str
    invalidates: Stage
    shape: tuple[int, ...] | None
    is_boolean: bool = False


@dataclass(frozen=True)
class CacheEntry:
    """A handle of a computed value.

    earliest       the stage that the value depends on: it is lost whenever that stage is
    computed_by    the stage whose realization computes it; None: lazy, computed when it is asked for
    shape          of a number or an array of numbers, which lies in State.values; None: any other Python object
    prerequisites  what a lazy value depends on beside its stage: discrete variables and other entries
    compute        computes a lazy value from a State: returns it, or, if the entry has a sweep, has it run
    """

    subsystem: int
    number: int
    name: str
    earliest: Stage
    computed_by: Stage | None
    shape: tuple[int, ...] | None
    prerequisites: tuple["DiscreteVariable | CacheEntry", ...] = ()
    compute: Callable[["State"], Any] | None = field(default=None, compare=False)


@dataclass
class Layout:
    """Slots and sweeps. `values` holds [t | q u z | their rates | discrete variables | cache entries]."""

    n_q: int
    n_u: int
    n_z: int
    size: int = 0
    slots: dict[DiscreteVariable | CacheEntry, Slot] = field(default_factory=dict)
    parts: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)  # ("q", subsystem) -> (start, count) within q
    quaternions: list[int] = field(default_factory=list)  # offsets of the first entries of the quaternions among q
    constants: Constants = field(default_factory=dict)  # what the structure fixes; recordings fold it
    sweeps: dict[tuple[int, Stage], Sweep] = field(default_factory=dict)  # (subsystem, stage) -> what realizes it
    lazy_sweeps: dict[CacheEntry, Sweep] = field(default_factory=dict)
    needs: dict[str, list[CacheEntry]] = field(default_factory=dict)  # name of a sweep -> the lazy entries that its rows read
    tables: dict[int, Any] = field(default_factory=dict)  # subsystem -> what it tabulated
    native: Any = None  # the compiled form, once there is one
    _functions: dict[int, SweepFunction] = field(default_factory=dict)

    @property
    def time(self) -> Slot:
        return Slot(0, ())

    @property
    def n_y(self) -> int:
        return self.n_q + self.n_u + self.n_z

    @property
    def y(self) -> Slot:
        return Slot(1, (self.n_y,))

    @property
    def q(self) -> Slot:
        return Slot(1, (self.n_q,))

    @property
    def u(self) -> Slot:
        return Slot(1 + self.n_q, (self.n_u,))

    @property
    def z(self) -> Slot:
        return Slot(1 + self.n_q + self.n_u, (self.n_z,))

    @property
    def y_dot(self) -> Slot:
        return Slot(1 + self.n_y, (self.n_y,))

    def part(self, kind: str, subsystem: int) -> Slot:
        """A subsystem's part of "q", "u" or "z"."""
        start, count = self.parts.get((kind, subsystem), (0, 0))
        return Slot({"q": self.q, "u": self.u, "z": self.z}[kind].offset + start, (count,))

    @property
    def q_dot(self) -> Slot:
        return Slot(1 + self.n_y, (self.n_q,))

    @property
    def u_dot(self) -> Slot:
        return Slot(1 + self.n_y + self.n_q, (self.n_u,))

    @property
    def z_dot(self) -> Slot:
        return Slot(1 + self.n_y + self.n_q + self.n_u, (self.n_z,))

    def place(self, handles: list[DiscreteVariable | CacheEntry]) -> None:
        """Give every number and array of numbers its slot."""
        offset = 1 + 2 * self.n_y
        for handle in handles:
            if handle.shape is not None:
                self.slots[handle] = Slot(offset, handle.shape)
                offset += self.slots[handle].size
        self.size = offset

    def run(self, sweep: Sweep, values: np.ndarray, as_text: bool) -> None:
        """Do a sweep on the values of a State: compiled for the virtual machine, or its NumPy text itself."""
        if as_text:
            sweep.run_text(values)
            return
        function = self._functions.get(id(sweep))
        if function is None:
            function = self._functions[id(sweep)] = SweepFunction(sweep)
        function(values)


@dataclass
class Allocations:
    """What subsystems have asked a State for."""

    discrete: list[DiscreteVariable] = field(default_factory=list)
    entries: list[CacheEntry] = field(default_factory=list)
    starts: dict[DiscreteVariable, Any] = field(default_factory=dict)  # of the numeric ones
    continuous: dict[str, dict[int, list[float]]] = field(
        default_factory=lambda: {"q": {}, "u": {}, "z": {}}
    )  # kind -> subsystem -> starts
    at_topology: tuple[int, int] | None = None  # how many discrete variables and entries there were before MODEL

    def copy(self) -> "Allocations":
        return Allocations(list(self.discrete), list(self.entries), dict(self.starts), self.continuous, self.at_topology)

    def of_topology(self) -> "Allocations":
        """Those made at TOPOLOGY; called before realize_model's hooks add theirs."""
        n_discrete, n_entries = self.at_topology or (len(self.discrete), len(self.entries))
        kept = self.discrete[:n_discrete]
        starts = {variable: value for variable, value in self.starts.items() if variable in kept}
        return Allocations(kept, self.entries[:n_entries], starts, at_topology=(n_discrete, n_entries))

    def structure(self) -> tuple[Any, ...]:
        counts = tuple(
            (kind, tuple((subsystem, len(values)) for subsystem, values in sorted(parts.items())))
            for kind, parts in self.continuous.items()
        )
        return (counts, tuple(self.discrete), tuple(self.entries))

    def layout(self) -> Layout:
        counts = {kind: sum(len(values) for values in parts.values()) for kind, parts in self.continuous.items()}
        layout = Layout(counts["q"], counts["u"], counts["z"])
        for kind, parts in self.continuous.items():
            start = 0
            for subsystem, values in sorted(parts.items()):
                layout.parts[kind, subsystem] = (start, len(values))
                start += len(values)
        layout.place([*self.discrete, *self.entries])
        return layout
