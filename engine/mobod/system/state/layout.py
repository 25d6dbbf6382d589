"""The layout of a State's flat array: offsets of all variables and computed values, and all sweeps.

It is made when a State is realized to MODEL, and shared by all States of the same structure.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from mobod.errors import StateError
from mobod.runtime.tables import Struct
from mobod.scalar.kernel_calls import KernelCalls, LoadedFunction
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Constants, Kind, Sweep
from mobod.scalar.sweep_function import SweepFunction, TangentFunction
from mobod.system.stage import Stage
from mobod.system.state.auto_updates import AutoUpdates
from mobod.system.state.handles import CacheEntry, Continuous, ContinuousVariable, DiscreteVariable, Handle, Label
from mobod.system.state.saved_numbers import Numbers
from mobod.system.variable import CatalogueVariable

T = TypeVar("T")


def unknown_handle(name: str) -> StateError:
    """The error for a handle of a State with other variables."""
    return StateError(
        f"'{name}' is not a variable of this State: its handle was made for a State with other options. Use "
        f"state.handle(subsystem, '{name}') for a variable that realize_model allocates."
    )


@dataclass
class OwnErrors:
    """Constraint errors of a subsystem. Runs keep them at 0 by changing its own q or u.

    name      the user's name
    kind      "q" or "u"
    unknowns  slot of the subsystem's own q or u
    jacobian  (n_errors, n_unknowns)
    """

    entry: CacheEntry
    kind: str
    name: str = ""
    errors: Slot = field(default_factory=lambda: Slot(0, (0,)))
    unknowns: Slot = field(default_factory=lambda: Slot(0, (0,)))
    jacobian: Slot = field(default_factory=lambda: Slot(0, (0, 0)))


class Owner(NamedTuple):
    """The variable or computed value at a range of offsets (None: rates), and the stage from which on it is known."""

    name: str
    what: Continuous | DiscreteVariable | CacheEntry | None
    stage: Stage


@dataclass
class Layout:
    """Slots and sweeps of a State. `values` holds [t | q u z | their rates | discrete variables | cache entries]."""

    n_q: int
    n_u: int
    n_z: int
    size: int = 0
    slots: dict[DiscreteVariable | CacheEntry, Slot] = field(default_factory=dict)
    parts: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)  # ("q", subsystem) -> (start, count) within q
    handles: list[Handle] = field(default_factory=list)  # everything that was allocated
    labels: dict[Handle, Label] = field(default_factory=dict)
    numbers: dict[DiscreteVariable, tuple[Numbers, ...]] = field(
        default_factory=dict
    )  # valid numbers in a saved State, where they were given
    errors: list[OwnErrors] = field(default_factory=list)
    recorded: dict[CacheEntry, Callable[[Any], object]] = field(default_factory=dict)  # functions that lazy sweeps record
    q_dot_stage: Stage = Stage.VELOCITY  # all rates of coordinates are known from this stage on
    quaternions: list[int] = field(default_factory=list)  # offsets of quaternions in q: that of each first entry
    options: dict[DiscreteVariable, Any] = field(default_factory=dict)  # values of the MODEL-stage variables
    constants: Constants = field(default_factory=dict)  # numbers fixed by the structure; recordings fold them
    sweeps: dict[tuple[int, Stage], Sweep] = field(default_factory=dict)  # (subsystem, stage) -> its sweep
    lazy_sweeps: dict[CacheEntry, Sweep] = field(default_factory=dict)
    needs: dict[str, list[CacheEntry]] = field(default_factory=dict)  # name of a sweep -> lazy entries that its rows read
    c_tables: dict[str, Struct] = field(default_factory=dict)  # field of Model in model.h -> its table
    c_reads: list[Slot] = field(default_factory=list)  # computed numbers that the C runtime reads besides y_dot
    tables: dict[int, Any] = field(default_factory=dict)  # subsystem -> its tables
    conditions: dict[tuple[str, CacheEntry], Slot] = field(default_factory=dict)  # flag of a need: if it is 0, the entry is not needed
    begins: dict[CacheEntry, Callable[[np.ndarray], bool]] = field(
        default_factory=dict
    )  # called with State.values before a lazy sweep; returns False if it computed the values itself
    finite: dict[tuple[int, Stage], Slot] = field(default_factory=dict)  # (subsystem, stage) -> numbers that must be finite after its sweep
    marks: dict[str, list[CacheEntry]] = field(default_factory=dict)  # name of a sweep -> lazy entries that are valid after it
    auto_updates: AutoUpdates = field(default_factory=AutoUpdates)
    native: dict[str, Any] = field(default_factory=dict)  # by the kind of its code: the model for the C runtime, once made
    compiled_later: Any = None  # what compiles that model in the background (see mobod.compilation)
    tangents: dict[tuple[tuple[int, ...], tuple[int, ...]], TangentFunction] = field(default_factory=dict)  # (along, of) -> derivative
    sampled: dict[frozenset[str], list[KernelCalls]] = field(
        default_factory=dict
    )  # variables -> what computes them at many times (see sampling)
    catalogue: dict[str, CatalogueVariable] = field(default_factory=dict)  # by name, once it was asked for (see System.variables)
    tabulating: int | None = None  # the subsystem whose tables are being made; None: all are made
    fingerprint: bytes = b""  # of the structure, once it was asked for (see serialization)
    _kept: dict[Callable[..., Any], Any] = field(default_factory=dict)  # what functions have made of this structure, by the function
    _reserved_from: int = 0
    ways: dict[tuple[int, Stage], list[Callable[[Any], None]]] = field(default_factory=dict)  # from stage to stage: its pieces, in order
    ways_as_text: dict[tuple[int, Stage], list[Callable[[Any], None]]] = field(default_factory=dict)  # the same as NumPy code
    compiled: dict[Kind, LoadedFunction] = field(default_factory=dict)  # compiled code of kinds (see mobod.compilation)
    _parts_of: dict[Slot, tuple[list[Continuous], list[int]]] = field(default_factory=dict)
    _functions: dict[Sweep, SweepFunction] = field(default_factory=dict)

    @cached_property
    def time(self) -> Slot:
        return Slot(0, ())

    @cached_property
    def temporary(self) -> slice:
        """The numbers that nothing reads after the procedure that has written them: the workspace of constraint rows, without what their
        solution leaves there (RowWorkspace in rows.h). Call when all tables are complete."""
        rows = self.c_tables.get("rows")
        if rows is None:
            return slice(0, 0)
        first: int = rows.fields["workspace"]
        return slice(first + rows.fields["n_rows"] + 2, first + rows.fields["n_workspace"])

    def write_variables(self, values: np.ndarray, w: np.ndarray) -> None:
        """Write the variables among the numbers of a State, and the numbers that the structure fixes, into w, which has zeros elsewhere."""
        n, discrete = 1 + self.n_y, self.discrete.slice
        w[:n] = values[:n]
        w[discrete] = values[discrete]
        offsets, numbers = self.fixed
        w[offsets] = numbers

    def copied_variables(self, values: np.ndarray) -> np.ndarray:
        """Numbers of a State with the same variables. Computed ones, of which there may be many, are 0."""
        numbers = np.zeros(self.size)
        self.write_variables(values, numbers)
        return numbers

    def copied(self, values: np.ndarray, size: int) -> np.ndarray:
        """A copy of numbers that begin with those of a State, without temporary ones; these, and those up to `size`, are 0."""
        copy, temporary = np.zeros(size), self.temporary
        copy[: temporary.start] = values[: temporary.start]
        copy[temporary.stop : len(values)] = values[temporary.stop :]
        return copy

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

    def kept(self, function: Callable[..., T], *arguments: object) -> T:
        """function(*arguments, layout), called once for this structure. The arguments are the same each time."""
        if function not in self._kept:
            self._kept[function] = function(*arguments, self)
        made: T = self._kept[function]
        return made

    def part(self, kind: str, subsystem: int) -> Slot:
        """The slot of a subsystem's part of "q", "u" or "z"."""
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
        """The slot of a variable or an entry. Raises StateError for a handle of a State with other variables."""
        if isinstance(handle, ContinuousVariable):
            if handle in self.handles:
                return Slot(self.part(handle.kind, handle.subsystem).offset + handle.first, handle.shape)
        elif handle in self.slots:
            return self.slots[handle]
        raise unknown_handle(handle.name)

    def rate(self, slot: Slot) -> Slot:
        """The slot of the rates of continuous variables."""
        return Slot(slot.offset + self.n_y, slot.shape)

    def owners(self, slot: Slot) -> list[Owner]:
        """The owners of all numbers in a slot. Reserved memory has no owner."""
        if slot.offset >= self._reserved_from:
            return []
        starts, owners = self._owners
        first, last = (bisect_right(starts, offset) - 1 for offset in (slot.offset, slot.offset + slot.size - 1))
        return owners[first : last + 1]

    @cached_property
    def _owners(self) -> tuple[list[int], list[Owner]]:
        """Starting offsets and owners, sorted by offset."""
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
        """Those of t, q, u and z that the slot overlaps, and the offsets of quaternions in it."""
        found = self._parts_of.get(slot)
        if found is None:
            wholes = ((Continuous.T, self.time), (Continuous.Q, self.q), (Continuous.U, self.u), (Continuous.Z, self.z))
            end = slot.offset + slot.size
            kinds = [kind for kind, whole in wholes if slot.offset < whole.offset + whole.size and whole.offset < end]
            found = self._parts_of[slot] = kinds, [offset for offset in self.quaternions if slot.offset <= offset < end]
        return found

    def quaternions_among(self, offsets: np.ndarray) -> list[np.ndarray]:
        """For each quaternion of which all four entries are among these offsets in w, the indices of its entries there."""
        places = {offset: k for k, offset in enumerate(offsets.tolist())}
        wholes = ([first + entry for entry in range(4)] for first in self.quaternions)
        return [np.array([places[entry] for entry in whole]) for whole in wholes if places.keys() >= set(whole)]

    @cached_property
    def discrete(self) -> Slot:
        """All numeric discrete variables, which are stored one after the other."""
        return Slot(1 + 2 * self.n_y, (sum(self.slots[each].size for each in self._discrete[0]),))

    @cached_property
    def _discrete(self) -> tuple[list[DiscreteVariable], np.ndarray]:
        """The numeric discrete variables, and their first places in the slot `discrete`."""
        found = [each for each in self.slots if isinstance(each, DiscreteVariable) and self.slots[each].size]
        return found, np.array([self.slots[each].offset - 1 - 2 * self.n_y for each in found], dtype=np.intp)

    @cached_property
    def discrete_variables(self) -> tuple[DiscreteVariable, ...]:
        """All discrete variables, in the order of allocation."""
        return tuple(each for each in self.handles if isinstance(each, DiscreteVariable))

    @cached_property
    def objects(self) -> list[DiscreteVariable]:
        """The discrete variables that are no numbers, which only the State has."""
        return [each for each in self.discrete_variables if each.shape is None]

    def discrete_at(self, places: np.ndarray) -> list[DiscreteVariable]:
        """The variables, in order, that have entries at these places in the slot `discrete`."""
        found, starts = self._discrete
        return [found[i - 1] for i in dict.fromkeys(np.searchsorted(starts, places, side="right").tolist())]

    @cached_property
    def fixed(self) -> tuple[np.ndarray, np.ndarray]:
        """Offsets and values of numbers that the structure fixes. Call when all tables are complete."""
        return np.array(list(self.constants), dtype=np.intp), np.array(list(self.constants.values()))

    def place(self, handles: list[DiscreteVariable | CacheEntry]) -> None:
        """Assign a slot to each numeric variable and entry."""
        offset = 1 + 2 * self.n_y
        for handle in handles:
            if handle.shape is not None:
                self.slots[handle] = Slot(offset, handle.shape)
                offset += self.slots[handle].size
        self.size = self._reserved_from = offset

    def reserve(self, shape: tuple[int, ...]) -> Slot:
        """Reserve memory that belongs to no variable. Call only while tables are made."""
        slot = Slot(self.size, shape)
        self.size += slot.size
        return slot

    def run(self, sweep: Sweep, values: np.ndarray, as_text: bool, state: object = None) -> None:
        """Run a sweep on the values of a State, by the C runtime or, with as_text, as NumPy code.

        state  is needed for sweeps that have procedures in Python
        """
        if as_text:
            sweep.run_text(values, state)
            return
        self.function(sweep)(values, state)

    def function(self, sweep: Sweep) -> SweepFunction:
        """The sweep as a function of the C runtime."""
        function = self._functions.get(sweep)
        if function is None:
            function = self._functions[sweep] = SweepFunction(sweep, self.compiled)
        return function

    def use_compiled(self, kinds: dict[Kind, LoadedFunction]) -> None:
        """Let sweeps call these compiled functions."""
        self.compiled = kinds
        self._functions.clear()
        self.ways.clear()
