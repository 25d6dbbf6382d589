"""The variables of a model that a page shows, and those that it sets, with the ranges of their sliders."""

from collections.abc import Iterable
from math import floor, isfinite, log10, pi
from typing import NotRequired, TypedDict

import numpy as np

from mobod.simulate.run_variables import SETTABLE
from mobod.system import CatalogueVariable, Stage, State, System

ENERGY = "energy"
_NICE = (1.0, 2.0, 5.0, 10.0)
_AROUND_ZERO = {"rad": pi, "rad/s": 10.0, "1": 1.0, "m": 1.0}
"""The ends of sliders of values that start at 0, by the unit."""


def shown_variables(system: System, state: State, outputs: Iterable[str]) -> list[CatalogueVariable]:
    """States, parameters, inputs, the energy if there is one, and the named outputs. Raises UnknownNameError with the nearest name."""
    named = [system.variable(state, name) for name in outputs]
    known = [each for each in system.variables(state) if each.role in SETTABLE or each.name == ENERGY]
    added = [each for each in named if each not in known and each.array not in known]
    return known + [each for each in added if each.array not in added]


class LiveVariable(TypedDict):
    """One number of a page that runs the System; docs/concepts/view.md describes the members."""

    name: str
    role: str
    unit: str
    at: int
    stage: int
    sets: NotRequired[int]
    value: NotRequired[float | None]
    type: NotRequired[str]
    minimum: NotRequired[float]
    maximum: NotRequired[float]
    range: NotRequired[list[float]]


def described(variable: CatalogueVariable, start: np.ndarray, weight: float, set_by_model: set[int]) -> list[LiveVariable]:
    """The entries of a variable as JSON: see docs/concepts/view.md.

    start         w of a new run
    weight        N, of all bodies, for the sliders of forces
    set_by_model  offsets that only the model sets
    """
    return [_entry(variable, name, entry, start, weight, set_by_model) for entry, name in enumerate(variable.entry_names())]


def _entry(variable: CatalogueVariable, name: str, entry: int, start: np.ndarray, weight: float, set_by_model: set[int]) -> LiveVariable:
    at, unit = variable.slot.offset + entry, variable.unit(entry)
    described: LiveVariable = {"name": name, "role": variable.role, "unit": unit, "at": at, "stage": _stage(variable)}
    is_set = variable.role in SETTABLE and variable.invalidates is not None and variable.invalidates > Stage.MODEL
    if not is_set or at in set_by_model:
        return described
    value = float(start[at])
    described |= {"sets": int(variable.invalidates or 0), "value": value if isfinite(value) else None}
    if variable.type != "real":
        described["type"] = variable.type
    if variable.minimum is not None and isfinite(variable.minimum):
        described["minimum"] = variable.minimum
    if variable.maximum is not None and isfinite(variable.maximum):
        described["maximum"] = variable.maximum
    if variable.role != "state":
        described["range"] = slider(value, unit, weight, variable.type, variable.minimum, variable.maximum)
    return described


def _stage(variable: CatalogueVariable) -> int:
    """The stage up to which the model is computed before it is read."""
    return int(max(variable.stage, Stage.MODEL))


def slider(value: float, unit: str, weight: float, kind: str, minimum: float | None, maximum: float | None) -> list[float]:
    """The ends of a slider: from 0 to about twice the value, or around 0; within the bounds."""
    if kind == "boolean":
        return [0.0, 1.0]
    if value != 0 and isfinite(2 * value):
        low, high = sorted((0.0, nice(2 * value)))
    else:
        size = nice(weight) if unit in ("N", "N.m") and weight > 0 else _AROUND_ZERO.get(unit, 10.0)
        low, high = -size, size
    low = low if minimum is None else max(low, minimum)
    high = high if maximum is None else min(high, maximum)
    return [float(low), float(max(low, high))]


def nice(value: float) -> float:
    """The next number from 1, 2, 5, times a power of ten, that is not smaller; with the sign of the value."""
    power = 10.0 ** floor(log10(abs(value)))
    size = next(each for each in _NICE if each * power >= abs(value) * (1 - 1e-12) or each == _NICE[-1])
    return float(np.copysign(float(f"{size * power:.12g}"), value))
