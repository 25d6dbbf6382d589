"""Reads the SSD of an SSP, with the files that it names."""

import math
from collections.abc import Callable, Mapping
from typing import TypeVar, cast, final, get_args

from fmpy.model_description import Unit
from lxml import etree

from mobod.cosim.ssp.description import (
    ComponentElement,
    Connector,
    DictionaryReference,
    Element,
    End,
    Implementation,
    Structure,
    StructureConnection,
    SystemElement,
)
from mobod.cosim.ssp.folder import DEFAULT_STRUCTURE, SspFolder, checked_root, read_xml
from mobod.cosim.ssp.node import Node
from mobod.cosim.ssp.parameter_set import ParameterBinding, read_mapping, read_parameter_set
from mobod.cosim.ssp.transformation import read_transformation
from mobod.cosim.ssp.units import Units, read_units, type_of, unit_of
from mobod.errors import SspFileError, UnsupportedError
from mobod.fmi.checked_zip import CheckedZip

_Content = TypeVar("_Content")
_FMU = "application/x-fmu-sharedlibrary"
_NESTED = {"application/x-ssp-definition": "ssd", "application/x-ssp-package": "ssp"}
_KINDS = ("input", "output", "parameter", "calculatedParameter", "inout", "structuralParameter", "constant", "local", "unspecified")
_METADATA = ("author", "fileversion", "copyright", "license", "description")
_KEPT = ("Annotations", "ElementGeometry", "SystemGeometry", "GraphicalElements")
_DEEPEST = 8  # files within files
_STEPS = {"FixedStepAlgorithm": "baseStepSize", "FixedStepMaster": "stepSize"}  # of the Open Simulation Platform, and of OMSimulator


def read_structure(folder: SspFolder, file: str = DEFAULT_STRUCTURE) -> Structure:
    """The SSD with this path in the folder. Raises SspFileError, UnsupportedError."""
    return _StructureReader(folder, file, ()).structure()


@final
class _StructureReader:
    """Reads one SSD.

    above  files that contain it, from the outermost on
    """

    def __init__(self, folder: SspFolder, file: str, above: tuple[str, ...]) -> None:
        self.folder = folder
        self.file = file
        self.above = (*above, folder.place(file))
        self.root = folder.xml(file, "ssd:SystemStructureDescription")
        self.units: Units = read_units(self.root, "ssd")

    def structure(self) -> Structure:
        system = self.root.child("ssd:System")
        if system is None:
            raise self.root.error("it has no System")
        experiment = self.root.child("ssd:DefaultExperiment")
        start, stop = (
            None if experiment is None or experiment.element.get(name) is None else experiment.number(name)
            for name in ("startTime", "stopTime")
        )
        kept = _kept(self.root)
        if experiment is not None and "Annotations" in _kept(experiment):
            kept["DefaultExperiment"] = _kept(experiment)["Annotations"]
        attributes = {name: value for name in _METADATA if (value := self.root.element.get(name)) is not None}
        name, version = self.root.required("name"), self.root.required("version")
        step = _declared_step(system, experiment)
        return Structure(name, version, self._system(system), start, stop, step, attributes, kept)

    def _system(self, node: Node) -> SystemElement:
        elements: dict[str, Element] = {}
        listed = node.child("ssd:Elements")
        for each in listed.children() if listed is not None else ():
            element = self._element(each)
            if element.name in elements:
                raise each.error("the system has two elements of this name")
            elements[element.name] = element
        connections = node.child("ssd:Connections")
        dictionaries = node.child("ssd:SignalDictionaries")
        return SystemElement(
            name=node.required("name"),
            connectors=self._connectors(node),
            bindings=self._bindings(node, None),
            elements=elements,
            connections=[self._connection(each) for each in connections.children("ssd:Connection")] if connections is not None else [],
            dictionaries={
                each.required("name"): self._dictionary(each)
                for each in (dictionaries.children("ssd:SignalDictionary") if dictionaries is not None else ())
            },
            where=node.where,
            kept=_kept(node),
        )

    def _element(self, node: Node) -> Element:
        if node.is_a("ssd:System"):
            return self._system(node)
        if node.is_a("ssd:SignalDictionaryReference"):
            return DictionaryReference(node.required("name"), self._connectors(node), node.required("dictionary"), node.where)
        if not node.is_a("ssd:Component"):
            raise node.error("an element of a system is a Component, a System or a SignalDictionaryReference")
        name, kind = node.required("name"), node.get("type", _FMU)
        source = self.folder.find(node.required("source"), self.file, f"{node.where}: component '{name}'")
        if kind in _NESTED:
            return self._nested(node, source, _NESTED[kind])
        if kind != _FMU:
            raise UnsupportedError(f"{node.where}: component '{name}' is of type {kind}. mobod runs FMUs ({_FMU}) and systems in them.")
        implementation = node.get("implementation", "any")
        if implementation not in get_args(Implementation):
            raise UnsupportedError(f"{node.where}: component '{name}' is for {implementation}, which mobod does not run.")
        return ComponentElement(
            name=name,
            connectors=self._connectors(node),
            bindings=self._bindings(node, source),
            source=self.folder.root / source,
            implementation=cast(Implementation, implementation),
            where=node.where,
            kept=_kept(node),
        )

    def _nested(self, node: Node, source: str, kind: str) -> SystemElement:
        """The system of another SSD or SSP in place of a component."""
        if kind == "ssp":
            folder, file = self.folder.nested(source), DEFAULT_STRUCTURE
        else:
            folder, file = self.folder, source
        if len(self.above) == _DEEPEST:
            raise node.error(f"more than {_DEEPEST} files contain each other")
        if folder.place(file) in self.above:
            raise node.error(f"it contains itself: {' in '.join(reversed([*self.above, folder.place(file)]))}")
        system = _StructureReader(folder, file, self.above).structure().system
        bindings = [*system.bindings, *self._bindings(node, source)]
        return SystemElement(
            node.required("name"),
            system.connectors,
            bindings,
            system.elements,
            system.connections,
            system.dictionaries,
            node.where,
            _kept(node),
        )

    def _connectors(self, node: Node) -> dict[str, Connector]:
        found: dict[str, Connector] = {}
        listed = node.child("ssd:Connectors")
        for each in listed.children("ssd:Connector") if listed is not None else ():
            name, kind, typed = each.required("name"), each.required("kind"), type_of(each)
            if name in found:
                raise each.error(f"'{node.get('name')}' has two connectors of this name")
            if kind not in _KINDS:
                raise each.error(f"its kind is '{kind}', which is none of {', '.join(_KINDS)}")
            if (typed is not None and typed.local_name == "Clock") or each.child("ssd:Clock") is not None:
                raise UnsupportedError(f"{each.where}: connector '{name}' has clocks, which mobod does not activate. Leave it out.")
            is_array = any(child.local_name == "Dimension" for child in each.children())
            unit = None if typed is None else unit_of(typed, self.units)
            found[name] = Connector(name, kind, "" if typed is None else typed.local_name, unit, is_array)
        return found

    def _connection(self, node: Node) -> StructureConnection:
        ends = []
        for side in ("start", "end"):
            indices = tuple(int(each) for each in node.get(f"{side}Indices").split() if each.isdecimal())
            if 0 in indices:
                raise node.error(f"{side}Indices has a 0. Indices count from 1, as in the names of FMI")
            ends.append(End(node.get(f"{side}Element") or None, node.required(f"{side}Connector"), indices))
        converts = not node.truth("suppressUnitConversion", False)
        return StructureConnection(ends[0], ends[1], converts, read_transformation(node), node.where)

    def _bindings(self, node: Node, component: str | None) -> list[ParameterBinding]:
        listed = node.child("ssd:ParameterBindings")
        found = []
        for each in listed.children("ssd:ParameterBinding") if listed is not None else ():
            if each.get("type", "application/x-ssp-parameter-set") != "application/x-ssp-parameter-set":
                raise UnsupportedError(f"{each.where}: parameters of type {each.get('type')} are not supported. Use an SSV file.")
            values, mapped = each.child("ssd:ParameterValues"), each.child("ssd:ParameterMapping")
            parameters = self._content(each, values, "ssv:ParameterSet", component, read_parameter_set)
            mapping = None if mapped is None else self._content(mapped, mapped, "ssm:ParameterMapping", component, read_mapping)
            found.append(ParameterBinding(parameters, each.get("prefix"), mapping))
        return found

    def _dictionary(self, node: Node) -> Mapping[str, Unit | None]:
        def entries(root: Node) -> dict[str, Unit | None]:
            units = read_units(root, "ssb")
            types = {each.required("name"): type_of(each) for each in root.children("ssb:DictionaryEntry")}
            return {name: None if typed is None else unit_of(typed, units) for name, typed in types.items()}

        return self._content(node, node, "ssb:SignalDictionary", None, entries)

    def _content(self, node: Node, inline: Node | None, root: str, component: str | None, read: Callable[[Node], _Content]) -> _Content:
        """What an element names by its source, or contains."""
        source = node.element.get("source")
        within = next(iter(inline.children()), None) if inline is not None else None
        if source is None:
            if within is None:
                raise node.error("it has neither a source nor a content")
            return read(checked_root(within, root))
        if within is not None and (inline is not node or within.local_name != "Annotations"):
            raise node.error("it has a source and a content. Leave one of them")
        if node.get("sourceBase", "SSD") == "component" and component is not None:
            archive = CheckedZip(self.folder.root / component, self.folder.limits, "an FMU", SspFileError)
            if source not in archive.names:
                raise node.error(f"{component} contains no file '{source}'")
            content = archive.read(source)
            self.folder.budget.read(len(content))
            return read(read_xml(content, f"{self.folder.place(component)}: {source}", root))
        return read(self.folder.xml(self.folder.find(source, self.file, node.where), root))


def _declared_step(system: Node, experiment: Node | None) -> float | None:
    """The step of the master (s) in an annotation of the default experiment or of the root system. Raises SspFileError for no number."""
    places = [] if experiment is None else [experiment.element]
    places += [each.element for each in system.children() if each.local_name in ("Annotations", "SimulationInformation")]
    for element in (each for place in places for each in place.iter(etree.Element)):
        name = _STEPS.get(etree.QName(element).localname)
        if name is not None and element.get(name) is not None:
            step = Node(element, system.file).number(name)
            if not 0 < step < math.inf:
                raise Node(element, system.file).error(f"{name}='{element.get(name)}' is no step. Give a positive number of seconds")
            return step
    return None


def _kept(node: Node) -> dict[str, str]:
    return {each.local_name: each.raw() for each in node.children() if each.local_name in _KEPT}
