"""Where everything lies in the flat array of a State: fixed when a State is realized to MODEL, shared by all States of that structure."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from mobod.errors import StateError
from mobod.runtime.tables import Struct
from mobod.scalar.kernel_calls import LoadedFunction
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Constants, Kind, Sweep
from mobod.scalar.sweep_function import SweepFunction, TangentFunction
from mobod.system.auto_updates import AutoUpdates
from mobod.system.handles import CacheEntry, Continuous, ContinuousVariable, DiscreteVariable, Handle, Label
from mobod.system.saved_numbers import Numbers
from mobod.system.stage import Stage
from mobod.system.variable import CatalogueVariable


def unknown_handle(name: str) -> StateError:
    """What is raised for a handle of a State with other variables."""
    return StateError(
        f"'{name}' is none of the variables of this State: its handle was made for a State with other options. What is allocated in "
        f"realize_model is found by state.handle(subsystem, '{name}')."
    )


@dataclass
class OwnErrors:
    """Constraint errors of a subsystem, which change of its own q or u brings to 0.

    name      as users know them
    kind      "q" or "u": what they are of
    unknowns  the subsystem's own q or u
    jacobian  (n_errors, n_unknowns)
    """

    entry: CacheEntry
    kind: str
    name: str = ""
    errors: Slot = field(default_factory=lambda: Slot(0, (0,)))
    unknowns: Slot = field(default_factory=lambda: Slot(0, (0,)))
    jacobian: Slot = field(default_factory=lambda: Slot(0, (0, 0)))


class Owner(NamedTuple):
    """What lies at a range of offsets: a variable, a computed value, or rates (None), and the stage from which on it is known."""

    name: str
    what: Continuous | DiscreteVariable | CacheEntry | None
    stage: Stage


@dataclass
class Layout:
    """Slots and sweeps. `values` holds [t | q u z | their rates | discrete variables | cache entries]."""

    n_q: int
    n_u: int
    n_z: int
    size: int = 0
    slots: dict[DiscreteVariable | CacheEntry, Slot] = field(default_factory=dict)
    parts: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)  # ("q", subsystem) -> (start, count) within q
    handles: list[Handle] = field(default_factory=list)  # of all that was allocated
    labels: dict[Handle, Label] = field(default_factory=dict)
    numbers: dict[DiscreteVariable, tuple[Numbers, ...]] = field(
        default_factory=dict
    )  # what those of a saved State can be, where it was said
    errors: list[OwnErrors] = field(default_factory=list)
    recorded: dict[CacheEntry, Callable[[Any], Any]] = field(default_factory=dict)  # what their lazy sweeps are recordings of
    q_dot_stage: Stage = Stage.VELOCITY  # from which on all rates of coordinates are there
    quaternions: list[int] = field(default_factory=list)  # offsets of the first entries of the quaternions among q
    options: dict[DiscreteVariable, Any] = field(default_factory=dict)  # the values of the MODEL-stage variables
    constants: Constants = field(default_factory=dict)  # what the structure fixes; recordings fold it
    sweeps: dict[tuple[int, Stage], Sweep] = field(default_factory=dict)  # (subsystem, stage) -> what realizes it
    lazy_sweeps: dict[CacheEntry, Sweep] = field(default_factory=dict)
    needs: dict[str, list[CacheEntry]] = field(default_factory=dict)  # name of a sweep -> the lazy entries that its rows read
    c_tables: dict[str, Struct] = field(default_factory=dict)  # field of Model in model.h -> its table
    c_reads: list[Slot] = field(default_factory=list)  # computed numbers that the C runtime reads beside y_dot
    tables: dict[int, Any] = field(default_factory=dict)  # subsystem -> what it tabulated
    conditions: dict[tuple[str, CacheEntry], Slot] = field(default_factory=dict)  # of a need: a flag, without which nothing is needed
    begins: dict[CacheEntry, Callable[[np.ndarray], bool]] = field(
        default_factory=dict
    )  # called with State.values before a lazy sweep; returns False if it has set the values itself
    finite: dict[tuple[int, Stage], Slot] = field(default_factory=dict)  # (subsystem, stage) -> what is finite after its sweep
    marks: dict[str, list[CacheEntry]] = field(default_factory=dict)  # name of a sweep -> lazy entries that are valid after it
    auto_updates: AutoUpdates = field(default_factory=AutoUpdates)
    native: dict[str, Any] = field(default_factory=dict)  # by the code of its equations: what the C runtime runs, once it is made
    tangents: dict[tuple[Any, ...], TangentFunction] = field(default_factory=dict)  # (along, of), or with the last stage -> derivative
    sampled: dict[tuple[Any, ...], Any] = field(default_factory=dict)  # what computes a variable at many points in time (see sampling)
    catalogue: dict[str, CatalogueVariable] = field(default_factory=dict)  # by name, once it was asked for (see System.variables)
    tabulating: int | None = None  # the subsystem whose tables are being made; None: all are made
    fingerprint: bytes = b""  # of the structure, once it was asked for (see serialization)
    _reserved_from: int = 0
    compiled: dict[Kind, LoadedFunction] = field(default_factory=dict)  # kinds whose rows call compiled code (see mobod.compilation)
    _parts_of: dict[Slot, tuple[list[Continuous], list[int]]] = field(default_factory=dict)
    _functions: dict[Sweep, SweepFunction] = field(default_factory=dict)

    @cached_property
    def time(self) -> Slot:
        return Slot(0, ())

    @property
    def n_y(self) -> int:
        return self.n_q + self.n_u + self.n_z

    @cached_property
    def y(self) -> Slot:
        return Slot(1, (self.n_y,))

    @cached_property
    def q(self) -> Slot:
        return Slot(1, (self.n_q,))

    @cached_property
    def u(self) -> Slot:
        return Slot(1 + self.n_q, (self.n_u,))

    @cached_property
    def z(self) -> Slot:
        return Slot(1 + self.n_q + self.n_u, (self.n_z,))

    @cached_property
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

    def slot(self, handle: Handle) -> Slot:
        """Where the numbers of a variable or an entry lie. Raises StateError for a handle of a State with other variables."""
        if isinstance(handle, ContinuousVariable):
            if handle in self.handles:
                return Slot(self.part(handle.kind, handle.subsystem).offset + handle.first, handle.shape)
        elif handle in self.slots:
            return self.slots[handle]
        raise unknown_handle(handle.name)

    def rate(self, slot: Slot) -> Slot:
        """Where the rates of continuous variables lie."""
        return Slot(slot.offset + self.n_y, slot.shape)

    def owners(self, slot: Slot) -> list[Owner]:
        """Whatever the slot has entries of; reserved room is of nobody."""
        if slot.offset >= self._reserved_from:
            return []
        starts, owners = self._owners
        first, last = (bisect_right(starts, offset) - 1 for offset in (slot.offset, slot.offset + slot.size - 1))
        return owners[first : last + 1]

    @cached_property
    def _owners(self) -> tuple[list[int], list[Owner]]:
        """By offset."""
        rates = [("q_dot", self.q_dot, self.q_dot_stage), ("u_dot", self.u_dot, Stage.ACCELERATION)]
        rates.append(("z_dot", self.z_dot, Stage.ACCELERATION))
        found = [(slot, Owner(name, None, stage)) for name, slot, stage in rates]
        for kind, slot, stage in (
            (Continuous.T, self.time, Stage.TIME),
            (Continuous.Q, self.q, Stage.POSITION),
            (Continuous.U, self.u, Stage.VELOCITY),
            (Continuous.Z, self.z, Stage.DYNAMICS),
        ):
            found.append((slot, Owner(kind.value, kind, stage)))
        for handle, slot in self.slots.items():
            known = handle.invalidates if isinstance(handle, DiscreteVariable) else handle.computed_by or handle.earliest
            found.append((slot, Owner(handle.name, handle, known)))
        found = sorted(((slot, owner) for slot, owner in found if slot.size), key=lambda each: each[0].offset)
        return [slot.offset for slot, _ in found], [owner for _, owner in found]

    def parts_of(self, slot: Slot) -> tuple[list[Continuous], list[int]]:
        """Which of t, q, u and z have entries in the slot, and where quaternions begin there."""
        if slot not in self._parts_of:
            wholes = ((Continuous.T, self.time), (Continuous.Q, self.q), (Continuous.U, self.u), (Continuous.Z, self.z))
            end = slot.offset + slot.size
            kinds = [kind for kind, whole in wholes if slot.offset < whole.offset + whole.size and whole.offset < end]
            self._parts_of[slot] = kinds, [offset for offset in self.quaternions if slot.offset <= offset < end]
        return self._parts_of[slot]

    @cached_property
    def discrete(self) -> Slot:
        """All discrete variables that are numbers: they lie one after the other."""
        return Slot(1 + 2 * self.n_y, (sum(self.slots[each].size for each in self._discrete[0]),))

    @cached_property
    def _discrete(self) -> tuple[list[DiscreteVariable], np.ndarray]:
        """Those that have numbers, and where they begin in the slot of all."""
        found = [each for each in self.slots if isinstance(each, DiscreteVariable) and self.slots[each].size]
        return found, np.array([self.slots[each].offset - 1 - 2 * self.n_y for each in found], dtype=np.intp)

    def discrete_at(self, places: np.ndarray) -> list[DiscreteVariable]:
        """The variables, in order, that have entries at places in the slot of all."""
        found, starts = self._discrete
        return [found[i - 1] for i in dict.fromkeys(np.searchsorted(starts, places, side="right").tolist())]

    @cached_property
    def fixed(self) -> tuple[np.ndarray, np.ndarray]:
        """Offsets, and what the structure fixes there; once all is tabulated."""
        return np.array(list(self.constants), dtype=np.intp), np.array(list(self.constants.values()))

    def place(self, handles: list[DiscreteVariable | CacheEntry]) -> None:
        """Give every number and array of numbers its slot."""
        offset = 1 + 2 * self.n_y
        for handle in handles:
            if handle.shape is not None:
                self.slots[handle] = Slot(offset, handle.shape)
                offset += self.slots[handle].size
        self.size = self._reserved_from = offset

    def reserve(self, shape: tuple[int, ...]) -> Slot:
        """Room for numbers that are no part of a State's variables; while the layout is tabulated."""
        slot = Slot(self.size, shape)
        self.size += slot.size
        return slot

    def run(self, sweep: Sweep, values: np.ndarray, as_text: bool, state: object = None) -> None:
        """Do a sweep on the values of a State: by the C runtime, or its NumPy text itself.

        state  is needed for sweeps that have steps in Python
        """
        if as_text:
            sweep.run_text(values, state)
            return
        self.function(sweep)(values, state)

    def function(self, sweep: Sweep) -> SweepFunction:
        """The sweep by the C runtime."""
        function = self._functions.get(sweep)
        if function is None:
            function = self._functions[sweep] = SweepFunction(sweep, self.compiled)
        return function

    def use_compiled(self, kinds: dict[Kind, LoadedFunction]) -> None:
        """Have sweeps call compiled functions from now on."""
        self.compiled = kinds
        self._functions.clear()
