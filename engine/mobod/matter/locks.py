"""Locks: a mobilizer is held at its coordinates, its speeds or its accelerations."""

from abc import abstractmethod
from typing import Any

import numpy as np

from mobod.errors import InputError
from mobod.matter.equations import MobilizerEquations
from mobod.matter.motion_equations import FREE, LEVELS, POSITION, Level, checked_level
from mobod.matter.reactions import CarriedBody
from mobod.matter.tree import Tree
from mobod.matter.tree_body import KnownMotion
from mobod.real_numbers import real_numbers
from mobod.scalar.slot import Slot
from mobod.spatial.checked import unit_vector
from mobod.system import Stage, State, Variable


class LockableBody(CarriedBody):
    """A body whose mobilizer can be locked. Its motion is then known and not solved for.

    The first lock of a body changes what is computed: it takes the State back to TOPOLOGY, but keeps time and all variables. This is not
    possible during a run or in an FMU. There, only bodies with set_lockable_by_default(True) can be locked.
    """

    equations: MobilizerEquations  # with the default parameters and with quaternions
    motion: KnownMotion | None
    _is_lockable_by_default = False

    @property
    @abstractmethod
    def nu(self) -> int:
        """Number of speeds."""

    @abstractmethod
    def q(self, state: State) -> np.ndarray:
        """(nq,) coordinates."""

    @abstractmethod
    def u(self, state: State) -> np.ndarray:
        """(nu,) speeds."""

    @abstractmethod
    def equations_in(self, state: State) -> MobilizerEquations:
        """The equations with the parameter values of the State."""

    @property
    def is_lockable_by_default(self) -> bool:
        """Whether the body can be locked in new States without a change of their variables."""
        return self._is_lockable_by_default

    def set_lockable_by_default(self, is_lockable: bool) -> None:
        """Set whether the body is lockable in new States. Topological: existing States become unusable."""
        self._is_lockable_by_default = bool(is_lockable)
        self.matter.invalidate_topology()

    def lock(self, state: State, level: Level = "position") -> None:
        """Lock the mobilizer at its present coordinates (speeds become 0), at its present speeds, or at accelerations of 0."""
        checked = checked_level(level, f"the lock of '{self.name}'")
        values = {"position": self.q(state), "velocity": self.u(state), "acceleration": np.zeros(self.nu)}[checked]
        self.lock_at(state, values, checked)

    def lock_at(self, state: State, value: Any, level: Level = "position") -> None:
        """Lock coordinates (nq,), speeds (nu,) or accelerations (nu,) at given values; a number if there is a single one."""
        number = LEVELS[checked_level(level, f"the lock of '{self.name}'")]
        n = self._lock_q(state).size if number == POSITION else self._lock_values(state).size
        array = np.atleast_1d(real_numbers(value, f"the lock of '{self.name}'").copy())
        if array.shape != (n,) or not np.isfinite(array).all():
            raise InputError(f"the lock of '{self.name}' at {level} level takes {n} finite numbers, not {value!r}.")
        at = self.equations_in(state).quaternion_at
        if number == POSITION and at is not None:
            if not array[at : at + 4].any():
                raise InputError(f"the lock of '{self.name}': a quaternion of zeros stands for no rotation.")
            array[at : at + 4] = unit_vector(array[at : at + 4])
        self.matter.make_lockable(state, self.index)
        slots = self._tree(state).prescription.slots
        target = self._lock_q(state) if number == POSITION else self._lock_values(state)
        state.write(target, array, f"{self.name}.lock", Stage.INSTANCE)
        state.write(slots.lock_levels[self.index], number, f"{self.name}.lock_level", Stage.INSTANCE)

    def unlock(self, state: State) -> None:
        """Release the lock. Invalidates stage INSTANCE if the body was locked."""
        if self.is_locked(state):
            slot = self._tree(state).prescription.slots.lock_levels[self.index]
            state.write(slot, FREE, f"{self.name}.lock_level", Stage.INSTANCE)

    def is_locked(self, state: State) -> bool:
        """Whether its motion is locked in a State."""
        slot = self._tree(state).prescription.slots.lock_levels[self.index]
        return bool(state.view(slot) > FREE)

    def lock_level(self, state: State) -> Level | None:
        """'position', 'velocity' or 'acceleration'; None if the body is not locked."""
        slot = self._tree(state).prescription.slots.lock_levels[self.index]
        number = float(state.view(slot))
        return next((level for level, each in LEVELS.items() if each == number), None)

    def lock_value(self, state: State) -> np.ndarray | None:
        """The locked value, (nq,) or (nu,); None if the body is not locked."""
        level = self.lock_level(state)
        if level is None:
            return None
        slot = self._lock_q(state) if level == "position" else self._lock_values(state)
        return state.view(slot).copy()

    def lock_variables(self, tree: Tree) -> list[Variable]:
        """The catalogued variables of the lock: its level and its values."""
        slots = tree.prescription.slots
        of_body = f"of the lock of '{self.name}'"

        def parameter(name: str, slot: Slot, units: tuple[str, ...], description: str, **more: Any) -> Variable:
            return Variable(
                name=f"{self.name}.{name}",
                slot=slot,
                stage=Stage.MODEL,
                role="parameter",
                units=units,
                description=f"{description} {of_body}",
                invalidates=Stage.INSTANCE,
                **more,
            )

        equations = tree.equations(self)
        level = "level: 0 none, 1 accelerations, 2 speeds, 3 coordinates,"
        of_level = {"type": "integer", "minimum": FREE, "maximum": POSITION}
        variables = [parameter("lock_level", slots.lock_levels[self.index], ("1",), level, **of_level)]
        if equations.nq:
            variables.append(parameter("lock_q", tree.coordinates(slots.lock_q, self), equations.q_units, "coordinates"))
        if equations.nu:
            variables.append(parameter("lock_value", tree.speeds(slots.lock_values, self), equations.u_units, "speeds or accelerations"))
        return variables

    def _lock_q(self, state: State) -> Slot:
        tree = self._tree(state)
        return tree.coordinates(tree.prescription.slots.lock_q, self)

    def _lock_values(self, state: State) -> Slot:
        tree = self._tree(state)
        return tree.speeds(tree.prescription.slots.lock_values, self)
