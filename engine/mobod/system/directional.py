"""Directional derivatives of a System by the tangents of its sweeps."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, UnsupportedError
from mobod.scalar.sweep import Sweep
from mobod.scalar.sweep_function import TangentFunction
from mobod.system.stage import Stage
from mobod.system.stage_sweeps import stage_sweeps
from mobod.system.state.handles import CacheEntry
from mobod.system.state.state import State
from mobod.system.subsystem import SystemStructure
from mobod.system.variable import CatalogueVariable


def directional_derivative(
    system: SystemStructure, state: State, of: Sequence[str], along: Mapping[str, ArrayLike]
) -> dict[str, np.ndarray]:
    """Exact first-order change of variables. See System.directional_derivative."""
    check_differentiable(system)
    unknowns = [system.variable(state, name) for name in of]
    for variable in unknowns:
        system.value(state, variable)  # tangents need the computed values
    slots, changes = [], []
    for name, change in along.items():
        slots.append(source(system, state, name).slot)
        changes.append(_checked(name, change, slots[-1].shape))
    known = tuple(offset for slot in slots for offset in slot.offsets)
    wanted = tuple(offset for variable in unknowns for offset in variable.slot.offsets)
    function = tangents(system, state, known, wanted, [each.entry for each in unknowns if each.entry is not None])
    flat = iter(function(state.values, np.concatenate([np.zeros(0), *changes])))
    return {
        name: np.array([next(flat) for _ in range(each.slot.size)]).reshape(each.slot.shape)
        for name, each in zip(of, unknowns, strict=True)
    }


def tangents(
    system: SystemStructure,
    state: State,
    along: tuple[int, ...],
    of: tuple[int, ...],
    entries: Iterable[CacheEntry] = (),
    until: Stage = Stage.REPORT,
    then: Sequence[Sweep] = (),
) -> TangentFunction:
    """The directional derivative along some offsets in State.values of the numbers at others, by the tangents of all stages.

    entries  the lazy values among the latter
    until    the last stage
    then     sweeps to be differentiated after it, which set numbers that no stage sets

    The State must have been realized as far as the latter are computed.
    """
    layout = state.layout
    function = layout.tangents.get((along, of))
    if function is None:
        sweeps = stage_sweeps(system.realization_order, layout, entries)
        stages = [stage for stage in sorted(sweeps) if Stage.MODEL < stage <= until]
        function = layout.tangents[along, of] = TangentFunction([*(sweeps[stage] for stage in stages), *then], along, of)
    return function


def check_differentiable(system: SystemStructure) -> None:
    """Raise UnsupportedError if a subsystem computes in Python hooks."""
    for subsystem in system.subsystems:
        if reason := subsystem.why_not_recordable():
            raise UnsupportedError(f"{reason}, which has no derivatives. Use finite differences.")


def source(system: SystemStructure, state: State, name: str) -> CatalogueVariable:
    """A variable that derivatives can be taken along; 'time' is one. Raises UnknownNameError, InputError."""
    if name == "time":
        slot = state.layout.time
        variable = CatalogueVariable.parameter(name, slot, "s", "simulated time", Stage.TIME, is_input=True)
        return replace(variable, stage=Stage.TIME)
    variable = system.variable(state, name)
    if variable.role not in ("state", "parameter", "input") or variable.type != "real":
        raise InputError(f"there is no derivative along '{name}'. Use states, real parameters, inputs or 'time'.")
    return variable


def _checked(name: str, change: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    array = real_numbers(change, f"the change of '{name}'")
    if array.shape != shape and not (array.size == 1 and prod(shape) == 1):
        raise InputError(f"'{name}' has shape {shape}, but a change of shape {array.shape} was given.")
    return array.ravel()
