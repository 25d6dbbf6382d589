"""A network as an SSP 1.0."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import final

from lxml import etree

from mobod.arguments.real_numbers import real_number
from mobod.cosim.component import Component, ComponentVariable
from mobod.cosim.connection import Connection
from mobod.cosim.connections.unit_conversion import UnitConversion
from mobod.cosim.fmu_model import FmuComponentModel
from mobod.cosim.ssp.component_files import ComponentFiles, fmu_variable
from mobod.cosim.ssp.flattening import hierarchical_name, network_name
from mobod.cosim.ssp.folder import DEFAULT_STRUCTURE
from mobod.cosim.ssp.origin import FillableNetwork
from mobod.cosim.ssp.parts import Definitions, add, add_kept, add_parameters, as_file, root_element
from mobod.cosim.ssp.schemas import validate
from mobod.cosim.variable import NetworkVariable, Value
from mobod.errors import InputError
from mobod.fmu.archive import write_archive
from mobod.fmu.native_export import Code

_START_SET = "initialValues"  # the name that examples of the Open Simulation Platform give to the set of each component


def write_ssp(
    network: FillableNetwork,
    path: Path,
    *,
    name: str | None,
    start: float | None,
    stop: float | None,
    parameter_sets: Mapping[str, Mapping[str, object]],
    platforms: str | Iterable[str],
    code: Code,
) -> Path:
    """The arguments are those of `Network.to_ssp`."""
    if not path.parent.is_dir():
        raise InputError(f"'{path}': the folder '{path.parent}' does not exist. Create it first.")
    connected: dict[str, set[str]] = {}
    for connection in network.connections:
        connected.setdefault(connection.source.component.name, set()).add(connection.source.variable.name)
    sets = {f"resources/{set_name}.ssv": as_file(_parameter_set(network, set_name, values)) for set_name, values in parameter_sets.items()}
    files = ComponentFiles(connected, platforms, code)
    sources = {component.name: files.add(component) for component in network.components.values()}
    structure = _StructureFile(network, name or path.stem, sources).root(start, stop)
    validate(structure, f"{path}: {DEFAULT_STRUCTURE}")
    write_archive(path, {DEFAULT_STRUCTURE: as_file(structure), **files.files, **sets})
    return path


@final
class _StructureFile:
    """The SSD of a network: a system without systems in it, with the names of nested components in one."""

    def __init__(self, network: FillableNetwork, name: str, sources: Mapping[str, str]) -> None:
        self._network = network
        self._sources = sources
        self._definitions = Definitions()
        self._connected = {(end.component.name, end.variable.name) for each in network.connections for end in _ends(each)}
        self._recorded = {
            (component.name, port.variable.name)
            for component in network.components.values()
            for name in component.model.recorded
            for port in component.ports(name)
        }
        self._origin = None if network.ssp is None else network.ssp.structure
        self._name = name if self._origin is None else self._origin.name
        self._kept: dict[str, Mapping[str, str]] = {}
        if network.ssp is not None:
            self._kept = {network_name(at): each.kept for at, each in network.ssp.components.items()}

    def root(self, start: float | None, stop: float | None) -> "etree._Element":
        origin = self._origin
        attributes = {} if origin is None else origin.attributes
        root = root_element("ssd:SystemStructureDescription", {"name": self._name, **attributes})
        system = add(root, "ssd:System", {"name": "system" if origin is None else origin.system.name})
        elements = add(system, "ssd:Elements")
        for component in self._network.components.values():
            self._add_component(elements, component)
        if self._network.connections:
            connections = add(system, "ssd:Connections")
            for connection in self._network.connections:
                _add_connection(connections, connection)
        if origin is not None:
            add_kept(system, origin.system.kept, "SystemGeometry", "GraphicalElements", "Annotations")
        self._definitions.write(root, "ssd")
        self._add_experiment(root, start, stop)
        if origin is not None:
            add_kept(root, origin.kept, "Annotations")
        return root

    def _add_component(self, elements: "etree._Element", component: Component) -> None:
        model = component.model
        is_exchange = isinstance(model, FmuComponentModel) and model.interface == "model-exchange"
        attributes = {
            "name": hierarchical_name(component.name),
            "type": "application/x-fmu-sharedlibrary",
            "source": self._sources[component.name],
            "implementation": "ModelExchange" if is_exchange else "CoSimulation",
        }
        element = add(elements, "ssd:Component", attributes)
        kept = self._kept.get(component.name, {})
        shown = [variable for variable in model.variables.values() if self._is_connector(component, variable)]
        if shown:
            connectors = add(element, "ssd:Connectors")
            for variable in shown:
                name, kind = fmu_variable(component, variable.name), variable.causality
                kind = "parameter" if kind == "structuralParameter" else kind
                self._definitions.add_type(add(connectors, "ssd:Connector", {"name": name, "kind": kind}), variable)
        add_kept(element, kept, "ElementGeometry")
        if component.start:
            binding = add(add(element, "ssd:ParameterBindings"), "ssd:ParameterBinding")
            values = {
                fmu_variable(component, name, is_start=True): (model.variables[name], value) for name, value in component.start.items()
            }
            inline = add(add(binding, "ssd:ParameterValues"), "ssv:ParameterSet", {"version": "1.0", "name": _START_SET})
            add_parameters(inline, values)
        add_kept(element, kept, "Annotations")

    def _is_connector(self, component: Component, variable: NetworkVariable) -> bool:
        """What is connected, and other inputs and outputs but enumerations, which libcosim refuses."""
        if (component.name, variable.name) in self._connected:
            return True
        is_recorded = (component.name, variable.name) in self._recorded and variable.causality == "output"
        return variable.kind != "enumeration" and (variable.causality == "input" or is_recorded)

    def _add_experiment(self, root: "etree._Element", start: float | None, stop: float | None) -> None:
        origin = self._origin
        start = origin.start if start is None and origin is not None else start
        stop = origin.stop if stop is None and origin is not None else stop
        if stop is not None and start is None:
            start = 0.0  # some tools read no experiment without it
        times = {"startTime": start, "stopTime": stop}
        given = {name: repr(real_number(value, f"Network.to_ssp: {name}")) for name, value in times.items() if value is not None}
        annotations = None if origin is None else origin.kept.get("DefaultExperiment")
        if given or annotations:
            experiment = add(root, "ssd:DefaultExperiment", given)
            if annotations:
                experiment.append(etree.fromstring(annotations))


def _ends(connection: Connection) -> tuple[ComponentVariable, ComponentVariable]:
    return connection.source, connection.target


def _add_connection(connections: "etree._Element", connection: Connection) -> None:
    """Units are converted by a transformation, since not all masters convert them."""
    attributes = {}
    for side, end in zip(("start", "end"), _ends(connection), strict=True):
        attributes[f"{side}Element"] = hierarchical_name(end.component.name)
        attributes[f"{side}Connector"] = fmu_variable(end.component, end.variable.name)
    if connection.conversion != UnitConversion() or not connection.converts_units:
        attributes["suppressUnitConversion"] = "true"
    element = add(connections, "ssd:Connection", attributes)
    if not connection.is_plain:
        # both numbers: Ecos takes 0 for a factor that is not given
        add(element, "ssc:LinearTransformation", {"factor": repr(connection.factor), "offset": repr(connection.shift)})


def _parameter_set(network: FillableNetwork, name: str, values: Mapping[str, object]) -> "etree._Element":
    """A set for the whole system, checked."""
    if not name or not name.isascii() or not name.replace("_", "").replace("-", "").replace(" ", "").isalnum():
        raise InputError(f"the parameter set '{name}' becomes a file. Use letters, digits, blanks, '-' and '_' for its name.")
    checked: dict[str, tuple[NetworkVariable, Value]] = {}
    for variable_name, given in values.items():
        ports = network.ports(variable_name)
        listed = list(given) if isinstance(given, (list, tuple)) else [given]
        if len(listed) != len(ports):
            raise InputError(f"parameter set '{name}': '{variable_name}' has {len(ports)} entries, but was given {len(listed)}.")
        for port, value in zip(ports, listed, strict=True):
            port.check_start_is_open()
            variable = fmu_variable(port.component, port.variable.name, is_start=True)
            checked[f"{hierarchical_name(port.component.name)}.{variable}"] = port.variable, port.checked(value)
    root = root_element("ssv:ParameterSet", {"name": name})
    add_parameters(root, checked)
    validate(root, f"parameter set '{name}'")
    return root
