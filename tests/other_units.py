"""The same System in other units, for tests and scripts: a mechanism in millimetres, tonnes or milliseconds must move as that in SI units.

units = Units(length=1e-3, mass=1e-3)           # mm and g
other = in_units(system, units)                  # a new System, whose numbers are those in these units
start = state_in_units(system, state, other, units)
results = mb.Simulation(other).run(start, until=units.time_of(2.0))
results["arm.q"] * units.factor("rad")           # in SI units again: number * factor(unit)
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import mobod as mb
from mobod.errors import MobodError
from mobod.files.json_source import json_text
from mobod.files.model.model import model_as_json
from mobod.matter.constraint_rows.constraint_variables import MULTIPLIER_UNITS
from mobod.system.elements import NO_BOUND, Parameter, fields_of
from mobod.system.units import si_exponents

_OF_SHAPES = ("half_lengths", "radius", "half_length", "vertices", "radii", "tube_radius", "origin1", "origin2")
_OF_CONTACTS = {"viscous_friction": "s/m", "stribeck_speed": "m/s"}


class NotConvertedError(MobodError):
    """A number of the System whose unit is not known."""


@dataclass(frozen=True, kw_only=True)
class Units:
    """The units of a model, in m, s and kg. Angles stay in rad."""

    length: float = 1.0
    time: float = 1.0
    mass: float = 1.0

    def factor(self, unit: str) -> float:
        """The factor of a number in the units of the model, which gives it in SI units; `unit` is the SI unit."""
        exponents = si_exponents(unit)
        return self.length ** exponents.get("m", 0) * self.time ** exponents.get("s", 0) * self.mass ** exponents.get("kg", 0)

    def converted(self, value: Any, unit: str) -> Any:
        """Numbers in SI units, which may be nested lists, in the units of the model."""
        if isinstance(value, list):
            return [self.converted(each, unit) for each in value]
        return value / self.factor(unit)

    def time_of(self, seconds: float) -> float:
        """A time in s in the unit of the model."""
        return seconds / self.time


SYSTEMS_OF_UNITS = {
    "mm g s": Units(length=1e-3, mass=1e-3),
    "mm t s": Units(length=1e-3, mass=1e3),
    "km kg s": Units(length=1e3),
    "m kg ms": Units(time=1e-3),
}


def in_units(system: mb.MultibodySystem, units: Units) -> mb.MultibodySystem:
    """The System with its default values in other units, as a new System.

    Goes through a model file, so it takes what these take. Functions of time or of coordinates have no units and are refused.
    Raises NotConvertedError if a parameter of the new System is not that of the given one in the new units.
    """
    document = model_as_json(system)
    for body, written in zip(system.matter.bodies, document["bodies"], strict=True):
        _convert_body(body, written, units)
    for element, written in _elements(system, document):
        _convert_element(element, written, units)
    if "penetration_tol" in document:
        document["penetration_tol"] = units.converted(document["penetration_tol"], "m")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        path.write_text(json_text(document), encoding="utf-8")
        other = mb.load_model(path, allow_imports=True)
    _check(system, other, units)
    return other


def state_in_units(system: mb.MultibodySystem, state: mb.State, other: mb.MultibodySystem, units: Units) -> mb.State:
    """A State of the System as a State of the one in other units: time, states, parameters and inputs."""
    start = other.realize_topology()
    start.time = units.time_of(state.time)
    for variable in system.variables(state):
        if variable.role in ("state", "parameter", "input"):
            value = system.value(state, variable)
            other.set_value(start, variable.name, value / _factors(variable, units) if variable.type == "real" else value)
    return start


def y_in_SI(system: mb.MultibodySystem, state: mb.State, other: mb.State, units: Units) -> np.ndarray:
    """(n_y,) the y of a State in other units in SI units; `state` is any State of the System in SI units."""
    y = np.array(other.y)
    for variable in system.variables(state):
        if variable.role == "state":
            first = variable.slot.offset - state.layout.y.offset
            y[first : first + variable.slot.size] *= _factors(variable, units).ravel()
    return y


def _factors(variable: Any, units: Units) -> np.ndarray:
    return np.reshape([units.factor(variable.unit(i)) for i in range(variable.slot.size)], variable.slot.shape)


def _elements(system: mb.MultibodySystem, document: Any) -> list[tuple[Any, dict[str, Any]]]:
    """Constraints, measures and forces, with what is written of them."""
    constraints = {each.name: each for each in system.matter.constraints}
    found = []
    for written in document["constraints"]:
        element = constraints.get(written.get("name"))
        if element is None:  # limits, whose name follows from that of the body
            element = system.matter.body(written["body"]).limits[written["coordinate"]]
        found.append((element, written))
    for subsystem, of_document in zip(
        [each for each in system.subsystems if type(each) is mb.ForceSubsystem], document["forces"], strict=True
    ):
        found += zip(subsystem.elements, of_document["elements"], strict=True)
    if document["measures"]:
        raise NotConvertedError("measures have units of their users' choice, and are not converted.")
    return found


def _convert_body(body: Any, written: dict[str, Any], units: Units) -> None:
    for name, unit in (("mass", "kg"), ("com", "m"), ("inertia", "kg.m2")):
        if name in written:
            written[name] = units.converted(written[name], unit)
    _convert_frames(written, units)
    if "default_q" in written:
        written["default_q"] = [units.converted(q, unit) for q, unit in zip(written["default_q"], body.equations.q_units, strict=True)]
    _convert_parameters(body, written, units)
    for key in ("motion", "equations", "coupling", "functions"):
        if key in written:
            raise NotConvertedError(f"body '{body.name}': {key} has numbers whose units are not known.")
    written.pop("decorations", None)  # are only drawn


def _convert_frames(written: dict[str, Any], units: Units) -> None:
    for value in written.values():
        if isinstance(value, dict) and "p" in value:
            value["p"] = units.converted(value["p"], "m")


def _convert_element(element: Any, written: dict[str, Any], units: Units) -> None:
    if any(isinstance(each, dict) and "type" in each and key.startswith(("function", "equations")) for key, each in written.items()):
        raise NotConvertedError(f"'{element.name}': its functions or equations have numbers whose units are not known.")
    known = {*_convert_parameters(element, written, units)}
    _convert_frames(written, units)
    for value in written.values():
        if isinstance(value, dict) and "type" in value:  # a shape, or a mesh
            for name in set(value) & set(_OF_SHAPES):
                value[name] = units.converted(value[name], "m")
    for name in {*_OF_SHAPES, *_OF_CONTACTS} & set(written) - known:
        written[name] = units.converted(written[name], _OF_CONTACTS.get(name, "m"))
    if isinstance(element, mb.UnilateralConstraint):
        row = element.equations.position_units[0]
        force = MULTIPLIER_UNITS[row]
        of_rows = {"lower": row, "upper": row, "tolerance": row, "compliance": f"{row}/({force})", "damping": f"{force}.s/{row}"}
        for name in set(of_rows) & set(written) - known:
            written[name] = units.converted(written[name], of_rows[name]) if written[name] is not None else None


def _convert_parameters(element: Any, written: dict[str, Any], units: Units) -> set[str]:
    """Convert the declared parameters; returns their names."""
    found = _parameters_of(element)
    for name, parameter in found.items():
        if name not in written and isinstance(fields_of(type(element)).get(name), Parameter) and not _is_bound(parameter, element):
            written[name] = np.array(element.default_parameter(name)).tolist()  # a default that is left out is a number in SI units
        places = [(written, name)]  # a material is an object of its own, and its parameters have its number
        places += [(written[key], name[:-1]) for key in ("material1", "material2") if key in written and key[-1] == name[-1]]
        places += [(written["material"], name)] if "material" in written else []
        for place, key in places:
            if place.get(key) is None:
                continue
            if len(parameter.units) == 1:
                place[key] = units.converted(place[key], parameter.units[0])
            else:
                place[key] = [units.converted(each, unit) for each, unit in zip(place[key], parameter.units, strict=True)]
    return set(found)


def _is_bound(parameter: Parameter, element: Any) -> bool:
    """Whether it stands for infinity, which model files leave out."""
    return parameter.is_bound and bool(np.any(np.abs(element.default_parameter(parameter.name)) >= NO_BOUND))


def _parameters_of(element: Any) -> dict[str, Parameter]:
    if isinstance(element, mb.Force):
        return {each.name: each for each in element.parameters}
    if isinstance(element, mb.Constraint):
        return {each.name: each for each in element.equations.parameters}
    return {name: field.of(element) for name, field in fields_of(type(element)).items() if isinstance(field, Parameter)}


def _check(system: mb.MultibodySystem, other: mb.MultibodySystem, units: Units) -> None:
    state, start = system.realize_topology(), other.realize_topology()
    for variable in system.variables(state):
        if variable.role in ("parameter", "input", "state") and variable.type == "real":
            expected, actual = system.value(state, variable) / _factors(variable, units), other.value(start, variable.name)
            if not np.allclose(actual, expected, rtol=1e-12, atol=0):
                raise NotConvertedError(f"'{variable.name}' is {actual} instead of {expected}.")
