"""Rotors that turn with mobilizers, and where their numbers lie in a layout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType

import numpy as np

from mobod.matter.tree.tree_body import TreeBody
from mobod.scalar.slot import Slot
from mobod.system import Stage


@dataclass(frozen=True)
class RotorSlots:
    """Flat arrays: of the rotors of all bodies, in order, or of the speeds of the bodies that have any.

    given     rotor_inertia gear_ratio (one for each rotor), rotor_axis (three; 0 without an axis)
    instance  reflected (speeds): gear_ratio^2 inertia
    position  rotor_coupling (3 for each speed): N, the sum of gear_ratio inertia axis in each column, in Ground
              rotor_spin (6 for each body): S, the sum of inertia axis axis^T as xx yy zz xy xz yz, in Ground
    velocity  rotor_bias (speeds): the generalized force that the rotors need if the unknown u_dot are 0
    """

    rotor_inertia: Slot
    gear_ratio: Slot
    rotor_axis: Slot
    reflected: Slot
    rotor_coupling: Slot
    rotor_spin: Slot
    rotor_bias: Slot


class RotorTable:
    """The bodies with rotors, parents first, with their slots; rates: u_dot and the known u_dot of each, by the body's index."""

    def __init__(self, bodies: Sequence[TreeBody], slots: RotorSlots | None, rates: Mapping[int, tuple[Slot, Slot]] = MappingProxyType({})):
        self.bodies = [body for body in bodies if body.rotors] if slots is not None else []
        self._slots, self._rates = slots, rates
        self._rotor_starts = _starts([(body.index, len(body.rotors)) for body in self.bodies])
        self._speed_starts = _starts([(body.index, body.nu) for body in self.bodies])
        self._starts = _starts([(body.index, 1) for body in self.bodies])

    def concern(self, body: TreeBody) -> bool:
        """Whether the body has rotors."""
        return body.index in self._starts

    def couple(self, body: TreeBody) -> bool:
        """Whether rotors of the body act on its parent, which can move."""
        return bool(body.parent.index) and self.spin(body)

    def spin(self, body: TreeBody) -> bool:
        """Whether rotors of the body have axes."""
        return self.concern(body) and any(rotor.axis is not None for rotor in body.rotors)

    @property
    def slots(self) -> RotorSlots:
        assert self._slots is not None
        return self._slots

    def rotor_inertia(self, body: TreeBody) -> Slot:
        """(rotors,) kg m^2."""
        return Slot(self.slots.rotor_inertia.offset + self._rotor_starts[body.index], (len(body.rotors),))

    def gear_ratio(self, body: TreeBody) -> Slot:
        """(rotors,)"""
        return Slot(self.slots.gear_ratio.offset + self._rotor_starts[body.index], (len(body.rotors),))

    def axis(self, body: TreeBody) -> Slot:
        """(rotors, 3) in frame F, 0 of a rotor without an axis."""
        return Slot(self.slots.rotor_axis.offset + 3 * self._rotor_starts[body.index], (len(body.rotors), 3))

    def reflected(self, body: TreeBody) -> Slot:
        """(nu,)"""
        return Slot(self.slots.reflected.offset + self._speed_starts[body.index], (body.nu,))

    def coupling(self, body: TreeBody) -> Slot:
        """(3, nu)"""
        return Slot(self.slots.rotor_coupling.offset + 3 * self._speed_starts[body.index], (3, body.nu))

    def spin_inertia(self, body: TreeBody) -> Slot:
        """(6,)"""
        return Slot(self.slots.rotor_spin.offset + 6 * self._starts[body.index], (6,))

    def coupled(self, body: TreeBody) -> list[Slot]:
        """N and S."""
        return [self.coupling(body), self.spin_inertia(body)]

    def torque_inputs(self, body: TreeBody) -> list[Slot]:
        """The inputs of rotors.coupled_rotor_torque, without the parent's A_r."""
        return [*self.coupled(body), *self._rates[body.index]]

    def bias(self, body: TreeBody) -> Slot:
        """(nu,)"""
        return Slot(self.slots.rotor_bias.offset + self._speed_starts[body.index], (body.nu,))


def rotor_parameters(bodies: Sequence[TreeBody]) -> dict[str, np.ndarray]:
    """What a new State has of the rotors; nothing if there are none."""
    rotors = [rotor for body in bodies for rotor in body.rotors]
    if not rotors:
        return {}
    return {
        "rotor_inertia": np.array([rotor.inertia for rotor in rotors]),
        "gear_ratio": np.array([rotor.gear_ratio for rotor in rotors]),
        "rotor_axis": np.array([rotor.axis or (0.0, 0.0, 0.0) for rotor in rotors]),
    }


def shapes_of_rotors(bodies: Sequence[TreeBody]) -> dict[Stage, dict[str, tuple[int, ...]]]:
    """The shapes of what is computed at each stage (see RotorSlots); nothing if there are no rotors."""
    geared = [body for body in bodies if body.rotors]
    if not geared:
        return {}
    nu = sum(body.nu for body in geared)
    return {
        Stage.INSTANCE: {"reflected": (nu,)},
        Stage.POSITION: {"rotor_coupling": (3 * nu,), "rotor_spin": (6 * len(geared),)},
        Stage.VELOCITY: {"rotor_bias": (nu,)},
    }


def _starts(sizes: Sequence[tuple[int, int]]) -> dict[int, int]:
    """The start of each body's part, by its index; sizes: (index, size)."""
    starts = accumulate((size for _, size in sizes), initial=0)
    return {index: start for (index, _), start in zip(sizes, starts, strict=False)}
