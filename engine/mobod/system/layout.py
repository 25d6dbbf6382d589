"""Where everything lies in the flat array of a State: fixed when a State is realized to MODEL, shared by all States of that structure."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Constants, Sweep, SweepFunction, TangentFunction
from mobod.system.handles import CacheEntry, Continuous, DiscreteVariable
from mobod.system.stage import Stage

if TYPE_CHECKING:
    from mobod.system.state import State


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
    options: dict[DiscreteVariable, Any] = field(default_factory=dict)  # the values of the MODEL-stage variables
    constants: Constants = field(default_factory=dict)  # what the structure fixes; recordings fold it
    sweeps: dict[tuple[int, Stage], Sweep] = field(default_factory=dict)  # (subsystem, stage) -> what realizes it
    lazy_sweeps: dict[CacheEntry, Sweep] = field(default_factory=dict)
    needs: dict[str, list[CacheEntry]] = field(default_factory=dict)  # name of a sweep -> the lazy entries that its rows read
    c_tables: dict[str, str] = field(default_factory=dict)  # field of Model in model.h -> C that defines an object of that name
    c_reads: list[Slot] = field(default_factory=list)  # computed numbers that the C runtime reads beside y_dot
    tables: dict[int, Any] = field(default_factory=dict)  # subsystem -> what it tabulated
    steps: dict[Stage, list[tuple[int, list[Callable[["State"], None]]]]] = field(default_factory=dict)  # how a stage is realized
    native: Any = None  # the compiled form, once there is one
    tangents: dict[tuple[tuple[int, ...], tuple[int, ...]], TangentFunction] = field(default_factory=dict)  # (along, of) -> derivative
    fingerprint: bytes = b""  # of the structure, once it was asked for (see serialization)
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

    def continuous(self, slot: Slot) -> list[Continuous]:
        """Which of t, q, u and z have entries in the slot."""
        wholes = ((Continuous.T, self.time), (Continuous.Q, self.q), (Continuous.U, self.u), (Continuous.Z, self.z))
        end = slot.offset + slot.size
        return [kind for kind, whole in wholes if slot.offset < whole.offset + whole.size and whole.offset < end]

    def place(self, handles: list[DiscreteVariable | CacheEntry]) -> None:
        """Give every number and array of numbers its slot."""
        offset = 1 + 2 * self.n_y
        for handle in handles:
            if handle.shape is not None:
                self.slots[handle] = Slot(offset, handle.shape)
                offset += self.slots[handle].size
        self.size = offset

    def reserve(self, shape: tuple[int, ...]) -> Slot:
        """Room for numbers that are no part of a State's variables; while the layout is tabulated."""
        slot = Slot(self.size, shape)
        self.size += slot.size
        return slot

    def changed_at(self, slot: Slot) -> Stage:
        """The stage that is lost when one of the variables in the slot changes: of several the latest; MODEL if there are none."""
        end = slot.offset + slot.size
        stages = [STAGE_OF[kind] for kind in self.continuous(slot)]
        stages += [
            handle.invalidates
            for handle, own in self.slots.items()
            if isinstance(handle, DiscreteVariable) and own.offset < end and slot.offset < own.offset + own.size
        ]
        return max(stages, default=Stage.MODEL)

    def run(self, sweep: Sweep, values: np.ndarray, as_text: bool) -> None:
        """Do a sweep on the values of a State: compiled for the virtual machine, or its NumPy text itself."""
        if as_text:
            sweep.run_text(values)
            return
        function = self._functions.get(sweep)
        if function is None:
            function = self._functions[sweep] = SweepFunction(sweep)
        function(values)


# the stage that is lost when one of these changes
STAGE_OF = {Continuous.T: Stage.TIME, Continuous.Q: Stage.POSITION, Continuous.U: Stage.VELOCITY, Continuous.Z: Stage.DYNAMICS}
