"""Locks: a mobilizer that is held where it is, or at a speed or an acceleration. Its motion is then known, and leaves the solve.

The first lock of a body changes what is computed: it returns the State to TOPOLOGY, but keeps time and all variables. This is not
possible during a run or in an FMU. There, only bodies with set_lockable_by_default(True) can be locked.
"""

from typing import Protocol, Unpack

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.matter.bodies.body_in_tree import BodyInTree, tree_of
from mobod.matter.dynamics.tree import Tree
from mobod.matter.equations.motion_equations import FREE, LEVELS, POSITION, Level, checked_level
from mobod.scalar.slot import Slot
from mobod.spatial.checked import unit_vector
from mobod.system import CatalogueVariable, Stage, State
from mobod.system.variable import Details, Units


class LockableBody(BodyInTree, Protocol):
    """See MobilizedBody."""

    @property
    def is_lockable_by_default(self) -> bool: ...


def lock(body: BodyInTree, state: State, level: Level = "position") -> None:
    """Lock the mobilizer at its present coordinates (speeds become 0), at its present speeds, or at accelerations of 0."""
    checked = checked_level(level, f"the lock of '{body.name}'")
    values = {"position": body.q(state), "velocity": body.u(state), "acceleration": np.zeros(body.nu)}[checked]
    lock_at(body, state, values, checked)


def lock_at(body: BodyInTree, state: State, value: ArrayLike, level: Level = "position") -> None:
    """Lock coordinates (nq,), speeds (nu,) or accelerations (nu,) at given values; a number if there is a single one."""
    number = LEVELS[checked_level(level, f"the lock of '{body.name}'")]
    n = _lock_q(body, state).size if number == POSITION else _lock_values(body, state).size
    array = np.atleast_1d(real_numbers(value, f"the lock of '{body.name}'").copy())
    if array.shape != (n,) or not np.isfinite(array).all():
        raise InputError(f"the lock of '{body.name}' at {level} level takes {n} finite numbers, not {value!r}.")
    at = body.equations_in(state).quaternion_at
    if number == POSITION and at is not None:
        if not array[at : at + 4].any():
            raise InputError(f"the lock of '{body.name}': a quaternion of zeros is not a rotation.")
        array[at : at + 4] = unit_vector(array[at : at + 4])
    body.matter.make_lockable(state, body.index)
    slots = tree_of(body, state).prescription.slots
    target = _lock_q(body, state) if number == POSITION else _lock_values(body, state)
    state.write(target, array, f"{body.name}.lock", Stage.INSTANCE)
    state.write(slots.lock_levels[body.index], number, f"{body.name}.lock_level", Stage.INSTANCE)


def unlock(body: BodyInTree, state: State) -> None:
    """Release the lock. Invalidates stage INSTANCE if the body was locked."""
    if is_locked(body, state):
        slot = tree_of(body, state).prescription.slots.lock_levels[body.index]
        state.write(slot, FREE, f"{body.name}.lock_level", Stage.INSTANCE)


def is_locked(body: BodyInTree, state: State) -> bool:
    """Whether its motion is locked in a State."""
    slot = tree_of(body, state).prescription.slots.lock_levels[body.index]
    return bool(state.view(slot) > FREE)


def lock_level(body: BodyInTree, state: State) -> Level | None:
    """'position', 'velocity' or 'acceleration'; None if the body is not locked."""
    slot = tree_of(body, state).prescription.slots.lock_levels[body.index]
    number = float(state.view(slot))
    return next((level for level, each in LEVELS.items() if each == number), None)


def lock_value(body: BodyInTree, state: State) -> np.ndarray | None:
    """The locked coordinates (nq,), rad or m, or speeds or accelerations (nu,), rad/s or m/s, rad/s^2 or m/s^2; None if not locked."""
    level = lock_level(body, state)
    if level is None:
        return None
    slot = _lock_q(body, state) if level == "position" else _lock_values(body, state)
    return state.view(slot).copy()


def lock_variables(body: BodyInTree, tree: Tree) -> list[CatalogueVariable]:
    """The catalogued variables of the lock: its level and its values."""
    slots = tree.prescription.slots
    of_body = f"of the lock of '{body.name}'"

    def parameter(name: str, slot: Slot, units: Units, description: str, **details: Unpack[Details]) -> CatalogueVariable:
        return CatalogueVariable.parameter(f"{body.name}.{name}", slot, units, f"{description} {of_body}", **details)

    equations = tree.equations(body)
    level = "level: 0 none, 1 accelerations, 2 speeds, 3 coordinates,"
    slot = slots.lock_levels[body.index]
    variables = [parameter("lock_level", slot, "1", level, type="integer", minimum=FREE, maximum=POSITION)]
    if equations.nq:
        variables.append(parameter("lock_q", tree.coordinates(slots.lock_q, body), equations.q_units, "coordinates"))
    if equations.nu:
        variables.append(parameter("lock_value", tree.speeds(slots.lock_values, body), equations.u_units, "speeds or accelerations"))
    return variables


def may_be_prescribed(body: LockableBody, lockable: tuple[int, ...]) -> bool:
    """Whether its motion may be known: it has a Motion, or can be locked; lockable: the indices of bodies that a State adds to these."""
    return body.motion is not None or body.is_lockable_by_default or body.index in lockable


def _lock_q(body: BodyInTree, state: State) -> Slot:
    tree = tree_of(body, state)
    return tree.coordinates(tree.prescription.slots.lock_q, body)


def _lock_values(body: BodyInTree, state: State) -> Slot:
    tree = tree_of(body, state)
    return tree.speeds(tree.prescription.slots.lock_values, body)
