"""Mass properties and mobilizer frames in a State: INSTANCE-stage variables whose zeros are structure."""

from typing import Any

from mobod.errors import InputError
from mobod.matter.kinematics import SYMMETRIC_ENTRIES, symmetric
from mobod.matter.locks import LockableBody
from mobod.real_numbers import real_numbers
from mobod.scalar.slot import Slot
from mobod.spatial import MassProperties, Transform
from mobod.system import Stage, State


class TunableBody(LockableBody):
    """A body whose mass properties and frames can be changed in a State.

    Entries that recordings treat as constant cannot change: the initial zeros of mass properties and frames, and the ones of
    rotations. Such a change raises InputError. The defaults can be set to anything.
    """

    def mass_properties(self, state: State) -> MassProperties:
        """The mass properties of the body in this State."""
        slots = self._tree(state).slots
        inertia = symmetric(state.view(slots.inertia[self.index]))
        return MassProperties(float(state.view(slots.mass[self.index])), state.view(slots.com[self.index]), inertia)

    def set_mass_properties(self, state: State, mass_properties: MassProperties) -> None:
        """Set the mass properties of the body in this State. Invalidates stage INSTANCE. Raises InputError."""
        if not isinstance(mass_properties, MassProperties):
            raise InputError(f"the mass properties of '{self.name}' are MassProperties, not {type(mass_properties).__name__}.")
        slots = self._tree(state).slots
        inertia = [mass_properties.inertia[i, j] for i, j in SYMMETRIC_ENTRIES]
        self._write_instance(
            state,
            (slots.mass, mass_properties.mass, "mass"),
            (slots.com, mass_properties.com, "mass center"),
            (slots.inertia, inertia, "inertia"),
        )

    def inboard_frame(self, state: State) -> Transform:
        """X_PF, the pose of frame F on the parent, in this State."""
        slots = self._tree(state).slots
        return Transform(state.view(slots.R_PF[self.index]), state.view(slots.p_PF[self.index]))

    def set_inboard_frame(self, state: State, X_PF: Transform) -> None:
        """Set X_PF, the pose of frame F on the parent, in this State. Invalidates stage INSTANCE. Raises InputError."""
        slots = self._tree(state).slots
        self._check_frame(X_PF, "inboard")
        self._write_instance(
            state, (slots.R_PF, X_PF.R, "rotation of its inboard frame"), (slots.p_PF, X_PF.p, "origin of its inboard frame")
        )

    def outboard_frame(self, state: State) -> Transform:
        """X_BM, the pose of frame M on the body, in this State."""
        slots = self._tree(state).slots
        return Transform(state.view(slots.R_BM[self.index]), state.view(slots.p_BM[self.index]))

    def set_outboard_frame(self, state: State, X_BM: Transform) -> None:
        """Set X_BM, the pose of frame M on the body, in this State. Invalidates stage INSTANCE. Raises InputError."""
        slots = self._tree(state).slots
        self._check_frame(X_BM, "outboard")
        self._write_instance(
            state, (slots.R_BM, X_BM.R, "rotation of its outboard frame"), (slots.p_BM, X_BM.p, "origin of its outboard frame")
        )

    def _check_frame(self, X: Any, which: str) -> None:
        if not isinstance(X, Transform):
            raise InputError(f"the {which} frame of '{self.name}' is a Transform, not {type(X).__name__}.")

    def _write_instance(self, state: State, *changes: tuple[Slot, Any, str]) -> None:
        """Write the body's part of each array; if one value is invalid, write none."""
        constants = self._tree(state).constants
        writes = []
        for whole, value, what in changes:
            slot, array = whole[self.index], real_numbers(value, f"the {what} of '{self.name}'")
            for k, entry in enumerate(array.ravel()):
                fixed = constants.get(slot.offset + k)
                if fixed is not None and entry != fixed:
                    raise InputError(
                        f"the {what} of '{self.name}' has an entry that is {fixed:g} by structure, and {entry:g} is to take its place. The "
                        f"zeros that a body is made with are left out of the computation: make '{self.name}' with another value, or set "
                        "the default, which makes Systems anew."
                    )
            writes.append((slot, array, what))
        for slot, array, what in writes:
            state.write(slot, array, f"{what} of '{self.name}'", Stage.INSTANCE)
