"""Estimates the scales of a System from its bodies, joints, masses, gravity and stiffnesses.

Every formula is homogeneous in lengths, times and masses, so in other units the scales are the same sizes. They follow from the System's
default values, once: States, instances of an FMU, and members of an ensemble with other values have the same scales, so their errors have
the same weights. Neither the default coordinates nor frames on Ground count: where the origin of Ground is changes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, pi, sqrt
from typing import Any, final
from weakref import WeakKeyDictionary

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.compilation.source.model_tables import row_scales, scales_of_states
from mobod.errors import InputError
from mobod.forces import LuGreFriction, MobilityLinearStop
from mobod.forces.subsystem import forces_of
from mobod.matter import Constraint, MultibodySystem
from mobod.matter.bodies.body_masses import BodyMasses, mean_distance
from mobod.system import State, System
from mobod.system.elements import Parameter
from mobod.system.scales import NAMES, Scales
from mobod.system.units import si_exponents

Given = tuple[tuple[str, float], ...]
"""Scales that a user gives, by name."""

_ESTIMATES: "WeakKeyDictionary[System, tuple[int, dict[Given, Estimate]]]" = WeakKeyDictionary()  # with the version of the topology


@final
@dataclass(frozen=True)
class Estimate:
    """The scales, and in words from what each was estimated: 'length_scale' -> text."""

    scales: Scales
    sources: Mapping[str, str]


def estimated_scales(system: System, given: Given = ()) -> Estimate:
    """The scales of a System, estimated once for its default values and for the scales that are given."""
    kept = _ESTIMATES.get(system)
    if kept is None or kept[0] != system.topology_version:
        kept = _ESTIMATES[system] = (system.topology_version, {})
    if given not in kept[1]:
        kept[1][given] = _estimate(system, dict(given))
    return kept[1][given]


def scales_with(system: System, given: Mapping[str, float | None]) -> Scales:
    """The scales of a System with those that a user gives in place of the estimates. The estimates of the others follow from them.

    given  values by name: length_scale, time_scale, mass_scale
    """
    return estimated_scales(system, tuple((name, value) for name, value in given.items() if value is not None)).scales


def checked_scales(caller: str, **given: float | None) -> dict[str, float | None]:
    """The options length_scale, time_scale and mass_scale. Raises InputError with the name of the caller."""
    checked: dict[str, float | None] = {}
    for name, unit in zip(NAMES, ("m", "s", "kg"), strict=True):
        value = given[name]
        checked[name] = None if value is None else real_number(value, f"{caller}: {name}")
        if value is not None and not (isfinite(value) and value > 0):
            raise InputError(f"{caller}: {name} must be positive and finite, not {value!r} {unit}.")
    return checked


def _estimate(system: System, given: Mapping[str, float]) -> Estimate:
    sources = dict.fromkeys(given, "given")
    if not isinstance(system, MultibodySystem) or not system.has_matter:
        nothing = {name: sources.get(name, "1, because there are no bodies") for name in NAMES}
        return Estimate(Scales(*(given.get(name, 1.0) for name in NAMES)), nothing)
    bodies = BodyMasses(system.matter.bodies)
    mass, length, time = given.get("mass_scale"), given.get("length_scale"), given.get("time_scale")
    if mass is None:
        mass, sources["mass_scale"] = bodies.mean_mass()
    if length is None:
        length, sources["length_scale"] = _length(system, bodies)
    if time is None:
        time, sources["time_scale"] = _time(system, bodies, length)
    return Estimate(Scales(length, time, mass), sources)


def _length(system: MultibodySystem, bodies: BodyMasses) -> tuple[float, str]:
    length = bodies.extent()
    if length > 0:
        return length, "distances of the bodies' masses and joints from their inboard joints"
    length, mass = mean_distance(_lengths_of_elements(system, bodies))
    if mass > 0:
        return length, "lengths of springs and constraints, because the bodies have no extent"
    gravity, stiffness = _gravity(system), _stiffness(system, None)
    if gravity > 0 and stiffness > 0 and bodies.total > 0:
        return bodies.total * gravity / stiffness, "the deflection of springs by the weight, because nothing has an extent"
    return 1.0, "1, because nothing has an extent"


def _time(system: MultibodySystem, bodies: BodyMasses, length: float) -> tuple[float, str]:
    gravity, stiffness = _gravity(system), _stiffness(system, length)
    if gravity > 0:
        return 2 * pi * sqrt(length / gravity), "the period of a pendulum as long as the length scale"
    if stiffness > 0 and bodies.total > 0:
        return 2 * pi * sqrt(bodies.total / stiffness), "the period of all masses on all springs"
    return 1.0, "1, because there is neither gravity nor a spring"


def _forces(system: MultibodySystem) -> Iterator[tuple[Any, Parameter]]:
    """The enabled forces with each of their parameters that is a number by default."""
    for force in forces_of(system):
        if not force.is_disabled_by_default:
            yield from ((force, each) for each in force.parameters)


def _gravity(system: MultibodySystem) -> float:
    """m/s^2, the sizes of all gravity fields."""
    return sum(
        float(np.linalg.norm(force.default_parameter(each.name)))
        for force, each in _forces(system)
        if each.units == ("m/s2",) and each.name in ("magnitude", "gravity")
    )


def _stiffness(system: MultibodySystem, length: float | None) -> float:
    """N/m, the sum of all stiffnesses; those of angles act at the distance of the length scale, if it is known."""
    total = 0.0
    for force, each in _forces(system):
        if "stiffness" in each.name and not isinstance(force, (MobilityLinearStop, LuGreFriction)):
            values = np.ravel(force.default_parameter(each.name))
            total += sum(_along(value, unit, length) for value, unit in zip(values, _unit_of_each(each), strict=True))
    for constraint in system.matter.constraints:
        compliance = constraint.equations.compliance
        if compliance is not None and not constraint.is_unilateral and not constraint.is_disabled_by_default:
            for row, number in enumerate(compliance.of_row):
                unit = {"m": "N/m"}.get(constraint.equations.position_units[row], "N.m")
                total += 0.0 if number is None else _along(1 / compliance.compliance[number], unit, length)
    return total


def _along(stiffness: float, unit: str, length: float | None) -> float:
    """N/m"""
    exponents = si_exponents(unit)
    has_size = exponents.get("kg") == 1 and exponents.get("s") == -2
    if not has_size or exponents.get("m", 0) not in (0, 2) or not isfinite(stiffness):
        return 0.0
    if exponents.get("m", 0) == 0:
        return float(stiffness)
    return 0.0 if length is None else float(stiffness) / length**2


def _unit_of_each(parameter: Parameter) -> tuple[str, ...]:
    return parameter.units if len(parameter.units) > 1 else parameter.units * max(parameter.size, 1)


def _lengths_of_elements(system: MultibodySystem, bodies: BodyMasses) -> list[tuple[float, float]]:
    """(mass, length) of lengths of forces and constraints, and of their stations on bodies that move."""
    found: list[tuple[float, float]] = []
    for force, each in _forces(system):
        touched = {name: getattr(force, name) for name in ("body", "body1", "body2") if hasattr(force, name)}
        found += _lengths_of(force.default_parameter(each.name), each, touched, bodies)
    for constraint in system.matter.constraints:
        if not constraint.is_disabled_by_default:
            found += _lengths_of_constraint(constraint, bodies)
    return [(mass, length) for mass, length in found if 0 < length < inf]


def _lengths_of_constraint(constraint: Constraint, bodies: BodyMasses) -> Iterator[tuple[float, float]]:
    touched = {f"body{number + 1}": body for number, body in enumerate(constraint.bodies)}
    for each in constraint.equations.parameters:
        yield from _lengths_of(constraint.default_parameter(each.name), each, touched, bodies)


def _lengths_of(value: Any, parameter: Parameter, touched: Mapping[str, Any], bodies: BodyMasses) -> Iterator[tuple[float, float]]:
    if parameter.units != ("m",):
        return
    if parameter.name in ("rest_length", "length"):
        yield bodies.lightest(list(touched.values())), float(value)
    elif parameter.shape == (3,) and parameter.name[-1:] in "12":
        yield bodies.lightest([touched.get(f"body{parameter.name[-1]}")]), float(np.linalg.norm(value))


def y_scales(system: System, state: State, scales: Scales | None = None) -> np.ndarray:
    """(n_y,) the scale of each entry of y; scales: default: the System's estimates."""
    chosen = estimated_scales(system).scales if scales is None else scales
    return np.array(scales_of_states(state.layout, system.variables(state), chosen))


def error_scales(system: System, state: State, offsets: Sequence[int]) -> np.ndarray:
    """(n,) the scales of position and velocity errors of constraints at these offsets, by the System's estimates.

    Those of the errors of subsystems are 1.
    """
    scales, found = estimated_scales(system).scales, dict[int, float]()
    for constraint in system.matter.constraints if isinstance(system, MultibodySystem) and system.has_matter else ():
        sweeps, rows = constraint.matter.constraint_sweeps(state.layout), row_scales(constraint.equations, scales)
        first = sweeps.lines(constraint).start
        for block in sweeps.table.blocks:
            if first <= block.first < first + len(rows):
                of_block = rows[block.first - first : block.first - first + block.n]
                found |= dict(zip(block.position_errors.offsets, of_block, strict=False))
                found |= {at: scale / scales.time for at, scale in zip(block.velocity_errors.offsets, of_block, strict=False)}
    return np.array([found.get(offset, 1.0) for offset in offsets])
