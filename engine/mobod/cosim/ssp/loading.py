"""A network from an SSP."""

# Decision: docs/decisions/141-ssp.md

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from mobod.cosim.component import Component
from mobod.cosim.connection import Connection
from mobod.cosim.ssp.conversion import connection_of
from mobod.cosim.ssp.description import ComponentElement
from mobod.cosim.ssp.flattening import ElementPath, FlatStructure, Way, elements_of, hierarchical_name, network_name
from mobod.cosim.ssp.folder import DEFAULT_STRUCTURE, SspFolder, read_xml
from mobod.cosim.ssp.origin import FillableNetwork, SspOrigin
from mobod.cosim.ssp.parameter_set import ParameterSet, ParameterValue, read_parameter_set
from mobod.cosim.ssp.parameters import Parameters
from mobod.cosim.ssp.reading import read_structure
from mobod.cosim.variable import Value
from mobod.errors import FmuFileError, InputError, MobodError, SspFileError, UnknownNameError, UnsupportedError
from mobod.fmi.checked_zip import CheckedZip
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.isolation.isolation import Isolation

_log = logging.getLogger("mobod")

Given = str | os.PathLike[str] | Mapping[str, object]
"""A parameter set: the path of an SSV file, the name of a set in the SSP, or values by hierarchical name."""


def load_ssp(
    network: FillableNetwork,
    path: str | os.PathLike[str],
    *,
    parameters: Given | Sequence[Given] = (),
    structure: str = DEFAULT_STRUCTURE,
    limits: FmuLimits | None = None,
    isolate: bool | Isolation | None = None,
    strict: bool = False,
    allow_outside: bool = False,
) -> SspOrigin:
    """Fill an empty network; the arguments are those of `Network.from_ssp`."""
    folder = SspFolder(path, limits, allow_outside=allow_outside)
    described = read_structure(folder, structure)
    paths = {at: element for at, element in elements_of(described.system) if isinstance(element, ComponentElement)}
    _check_names(folder, paths)
    _check_sizes(folder, paths.values())
    components = {}
    for at, element in paths.items():
        interface = {"CoSimulation": "co-simulation", "ModelExchange": "model-exchange"}.get(element.implementation)
        try:
            name = network_name(at)
            components[at] = network.add(element.source, name, interface=interface, limits=limits, isolate=isolate, strict=strict)
        except MobodError as error:
            raise _at_place(error, f"{element.where}: component '{element.name}'") from error
    flat = FlatStructure(described, {at: _causalities(component) for at, component in components.items()})
    values = Parameters(flat, described.system, components, strict=strict)
    of_files = dict(values.unused)
    for given in [parameters] if isinstance(parameters, (str, os.PathLike, Mapping)) else parameters:
        values.unused.clear()
        values.add(_parameter_set(folder, given))
        for name, names in values.unused.items():
            _refuse_unused(given, name, names, components)
            of_files[name] = names
    for component, name, value, where in values.start_values():
        try:
            component.set_start({name: value})
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
    for way in flat.ways():
        if way.source.kind == "component":
            network.add_connections(_connections(way, components, strict=strict))
    return SspOrigin(folder, described, paths, of_files)


def parameter_sets(folder: SspFolder) -> dict[str, str]:
    """The SSV files in the folder by the names of their sets. Raises SspFileError."""
    return {folder.xml(file, "ssv:ParameterSet").required("name"): file for file in folder.files if file.lower().endswith(".ssv")}


def _connections(way: Way, components: Mapping[ElementPath, Component], *, strict: bool) -> list[Connection]:
    ends = []
    for point, indices in zip((way.source, way.target), way.indices, strict=True):
        component = components[point.path]
        name = point.connector + (f"[{','.join(map(str, indices))}]" if indices else "")
        if not component.has(name):
            raise UnknownNameError(f"variable of '{component.name}' (connector in {way.where})", name, component.model.variables)
        ends.append(component.ports(name))
    if len(ends[0]) != len(ends[1]):
        raise SspFileError(f"{way.where}: '{way.source}' has {len(ends[0])} entries, and '{way.target}' {len(ends[1])}.")
    try:
        return [connection_of(way, source, target, strict=strict) for source, target in zip(*ends, strict=True)]
    except InputError as error:
        if way.where in str(error):
            raise
        raise _at_place(error, way.where) from error


def _at_place(error: MobodError, where: str) -> MobodError:
    kind = UnsupportedError if isinstance(error, UnsupportedError) else SspFileError
    return kind(f"{where}: {error}")


def _causalities(component: Component) -> dict[str, str]:
    """Of variables and arrays by name, for connectors whose kind is not specified."""
    return {name: variable.causality for each, variable in component.model.variables.items() for name in {each, variable.array or each}}


def _check_names(folder: SspFolder, paths: Mapping[ElementPath, ComponentElement]) -> None:
    taken: dict[str, ElementPath] = {}
    for at in paths:
        name = network_name(at)
        if name in taken:
            raise SspFileError(
                f"{folder.path}: the components {'.'.join(taken[name])} and {'.'.join(at)} are both named '{name}'. Rename one of them."
            )
        taken[name] = at


def _check_sizes(folder: SspFolder, elements: Iterable[ComponentElement]) -> None:
    """Count the FMUs of all components before any of them is opened."""
    archives: dict[Path, CheckedZip] = {}
    for element in elements:
        try:
            if element.source not in archives:
                archives[element.source] = CheckedZip(element.source, folder.limits, "an FMU", FmuFileError)
            folder.budget.add(archives[element.source])
        except MobodError as error:
            raise _at_place(error, f"{element.where}: component '{element.name}'") from error


def _parameter_set(folder: SspFolder, given: Given) -> ParameterSet:
    if isinstance(given, Mapping):
        values = {name: ParameterValue(cast(Value, value), where=f"parameter '{name}'") for name, value in given.items()}
        return ParameterSet("parameters", {_hierarchical(name): value for name, value in values.items()})
    if os.path.isfile(given):
        with open(given, "rb") as file:
            folder.budget.read(os.path.getsize(given))
            return read_parameter_set(read_xml(file.read(), os.fspath(given), "ssv:ParameterSet"))
    known = parameter_sets(folder)
    if given in known:
        return read_parameter_set(folder.xml(known[given], "ssv:ParameterSet"))
    if os.fspath(given).lower().endswith(".ssv"):
        raise SspFileError(f"{given}: the file does not exist.")
    raise UnknownNameError(f"parameter set in {folder.path}", given, known)


def _hierarchical(name: str) -> str:
    """'front.wheel.mass', also for the name of a network's variable 'front/wheel.mass'."""
    component, dot, variable = name.partition(".")
    return hierarchical_name(component) + dot + variable


def _refuse_unused(given: Given, of: str, names: Sequence[str], components: Mapping[ElementPath, Component]) -> None:
    """A set may contain more than a system needs; a name that the user has written may not."""
    if isinstance(given, Mapping):
        known = [f"{'.'.join(at)}.{name}" for at, component in components.items() for name in component.model.variables]
        raise UnknownNameError("parameter of the system", names[0], known)
    _log.warning("the parameter set '%s' has values for which the system has no variable: %s", of, ", ".join(names[:8]))
