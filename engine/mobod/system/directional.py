"""Directional derivatives of a System by the tangents of its sweeps."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError, UnsupportedError
from mobod.real_numbers import real_numbers
from mobod.scalar.slot import Slot
from mobod.scalar.sweep_function import TangentFunction
from mobod.system.stage import Stage
from mobod.system.stage_sweeps import stage_sweeps
from mobod.system.state import State
from mobod.system.subsystem import SystemStructure


def directional_derivative(
    system: SystemStructure, state: State, of: Sequence[str], along: Mapping[str, ArrayLike]
) -> dict[str, np.ndarray]:
    """Exact first-order change of variables. See System.directional_derivative."""
    for subsystem in system.subsystems:
        if reason := subsystem.why_not_recordable():
            raise UnsupportedError(f"{reason}, which has no derivatives. Use finite differences.")
    unknowns = [system.variable(state, name) for name in of]
    for variable in unknowns:
        system.value(state, variable)  # tangents need the computed values
    layout = state.layout
    slots, changes = [], []
    for name, change in along.items():
        slots.append(layout.time if name == "time" else _source(system, state, name))
        changes.append(_checked(name, change, slots[-1]))

    known = tuple(offset for slot in slots for offset in _offsets(slot))
    wanted = tuple(offset for variable in unknowns for offset in _offsets(variable.slot))
    function = layout.tangents.get((known, wanted))
    if function is None:
        sweeps = stage_sweeps(system.realization_order, layout, [each.entry for each in unknowns if each.entry is not None])
        stages = [stage for stage in sorted(sweeps) if stage > Stage.MODEL]
        function = layout.tangents[known, wanted] = TangentFunction([sweeps[stage] for stage in stages], known, wanted)
    flat = iter(function(state.values, np.concatenate([np.zeros(0), *changes])))
    return {each.name: np.array([next(flat) for _ in range(each.slot.size)]).reshape(each.slot.shape) for each in unknowns}


def _source(system: SystemStructure, state: State, name: str) -> Slot:
    variable = system.variable(state, name)
    if variable.role not in ("state", "parameter", "input") or variable.type != "real":
        raise InputError(f"there is no derivative along '{name}'. Use states, real parameters, inputs or 'time'.")
    return variable.slot


def _checked(name: str, change: ArrayLike, slot: Slot) -> np.ndarray:
    array = real_numbers(change, f"the change of '{name}'")
    if array.shape != slot.shape and not (array.size == 1 and slot.size == 1):
        raise InputError(f"'{name}' has shape {slot.shape}, but a change of shape {array.shape} was given.")
    return array.ravel()


def _offsets(slot: Slot) -> range:
    return range(slot.offset, slot.offset + slot.size)
