"""Flattening: the connections of nested systems and signal dictionaries as ways from one component, or system connector, to another."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import final

from fmpy.model_description import Unit

from mobod.cosim.ssp.description import (
    ComponentElement,
    Connector,
    DictionaryReference,
    Element,
    End,
    Structure,
    StructureConnection,
    SystemElement,
)
from mobod.cosim.ssp.transformation import Transformation
from mobod.errors import SspFileError, UnknownNameError

ElementPath = tuple[str, ...]
"""Names of systems and elements from the root system inwards; () is the root system."""

_GIVES = ("output", "calculatedParameter", "constant", "local")  # kinds of elements' connectors that are sources
_EITHER = ("inout", "unspecified")


@final
@dataclass(frozen=True)
class Point:
    """A connector of a component or a system, or an entry of a signal dictionary, that values pass.

    path       of the component or the system; of the system that has the dictionary, and the name of the dictionary
    connector  or the name of the entry
    kind       'component', 'system', 'dictionary', or 'reference' to a dictionary: its path ends with what tells connections apart
    """

    path: ElementPath
    connector: str
    kind: str

    def __str__(self) -> str:
        path = self.path[:-2] if self.kind == "reference" else self.path
        return ".".join([*path, self.connector])


@final
@dataclass(frozen=True)
class Hop:
    """A part of a way.

    units    of its two ends, as far as they are declared
    indices  of the entries of arrays at its two ends; () for all
    """

    source: Point
    target: Point
    units: tuple[Unit | None, Unit | None]
    indices: tuple[tuple[int, ...], tuple[int, ...]]
    converts_units: bool
    transformation: Transformation | None
    where: str


@final
@dataclass(frozen=True)
class Way:
    """The way of a value to the connector of a component. It passes the hops in their order.

    source, target  a source that is a connector of a system, or an entry of a dictionary, takes its value from nowhere
    indices         of the entries of arrays at both ends; () for all
    """

    source: Point
    target: Point
    indices: tuple[tuple[int, ...], tuple[int, ...]]
    hops: tuple[Hop, ...]

    @property
    def where(self) -> str:
        return self.hops[-1].where


@final
class FlatStructure:
    """The components of a Structure and the ways between them.

    systems     by their paths
    components  by their paths
    takes       kinds of the components' variables, as far as the connectors do not tell: 'input' or 'output', by path and name

    Raises SspFileError for connections that contradict each other or go in a circle, UnknownNameError for a name without an object.
    """

    def __init__(self, structure: Structure, takes: Mapping[ElementPath, Mapping[str, str]] | None = None) -> None:
        self.systems: dict[ElementPath, SystemElement] = {(): structure.system}
        self.components: dict[ElementPath, ComponentElement] = {}
        for path, element in elements_of(structure.system):
            if isinstance(element, SystemElement):
                self.systems[path] = element
            elif isinstance(element, ComponentElement):
                self.components[path] = element
        self._takes = takes or {}
        self._into: dict[Point, list[Hop]] = {}
        for path, system in self.systems.items():
            for connection in system.connections:
                for hop in self._hops(path, system, connection):
                    self._add(hop)

    def ways(self) -> Iterator[Way]:
        """To all connectors of components that something is connected to."""
        for target in list(self._into):
            if target.kind == "component":
                yield from self._back(target)

    # the hops of a connection
    def _hops(self, path: ElementPath, system: SystemElement, connection: StructureConnection) -> list[Hop]:
        """One hop, and one more at each end that is a connector of a reference to a signal dictionary."""
        ends = [self._end(path, system, end, connection) for end in (connection.start, connection.end)]
        indices = [connection.start.indices, connection.end.indices]
        if self._gives(connection, *ends) == 1:
            ends.reverse()
            indices.reverse()
        (source, source_unit, source_entry), (target, target_unit, target_entry) = ends
        units = source_unit, target_unit
        of = connection.converts_units, connection.transformation, connection.where
        hops = [Hop(source, target, units, (indices[0], indices[1]), *of)]
        if source_entry is not None:
            outer = Hop(source_entry, source, (self._entry_unit(source_entry), source_unit), ((), ()), True, None, connection.where)
            hops.insert(0, outer)
        if target_entry is not None:
            outer = Hop(target, target_entry, (target_unit, self._entry_unit(target_entry)), ((), ()), True, None, connection.where)
            hops.append(outer)
        return hops

    def _end(
        self, path: ElementPath, system: SystemElement, end: End, connection: StructureConnection
    ) -> tuple[Point, Unit | None, Point | None]:
        """The connector, its unit, and the entry of a signal dictionary that it stands for."""
        element: Element = system
        if end.element is not None:
            UnknownNameError.check(f"element of the system (connection in {connection.where})", end.element, system.elements)
            element = system.elements[end.element]
        UnknownNameError.check(f"connector of '{element.name}' (connection in {connection.where})", end.connector, element.connectors)
        own = path if end.element is None else (*path, end.element)
        unit = element.connectors[end.connector].unit
        if isinstance(element, DictionaryReference):
            # each connection has a connector of its own: the entry is what they share
            point = Point((*own, connection.where, str(connection)), end.connector, "reference")
            return point, unit, self._entry(path, element, end.connector)
        return Point(own, end.connector, "component" if isinstance(element, ComponentElement) else "system"), unit, None

    def _entry(self, path: ElementPath, reference: DictionaryReference, name: str) -> Point:
        """The entry of the dictionary that has the name in the nearest system."""
        for length in range(len(path), -1, -1):
            dictionaries = self.systems[path[:length]].dictionaries
            if reference.dictionary in dictionaries:
                UnknownNameError.check(f"entry of dictionary '{reference.dictionary}'", name, dictionaries[reference.dictionary])
                return Point((*path[:length], reference.dictionary), name, "dictionary")
        known = [name for length in range(len(path) + 1) for name in self.systems[path[:length]].dictionaries]
        raise UnknownNameError(f"signal dictionary ({reference.where})", reference.dictionary, known)

    def _entry_unit(self, entry: Point) -> Unit | None:
        *path, dictionary = entry.path
        return self.systems[tuple(path)].dictionaries[dictionary][entry.connector]

    def _gives(
        self,
        connection: StructureConnection,
        start: tuple[Point, Unit | None, Point | None],
        end: tuple[Point, Unit | None, Point | None],
    ) -> int:
        """Which end is the source: 0 or 1."""
        roles = [self._role(each[0], side) for each, side in ((start, connection.start), (end, connection.end))]
        if roles[0] == roles[1] != "either":
            what = "sources" if roles[0] == "source" else "targets"
            raise SspFileError(f"{connection.where}: the connection {connection} has two {what}. Connect an output to an input.")
        return 0 if roles[0] == "source" or roles[1] == "target" or roles[0] == roles[1] else 1

    def _role(self, point: Point, end: End) -> str:
        connector = self._connector(point, end)
        kind = connector.kind
        if kind == "unspecified" and point.kind == "component":
            kind = self._takes.get(point.path, {}).get(point.connector, kind)
        if kind in _EITHER:
            return "either"
        is_within = end.element is None  # the system's own connector: its inputs give values to what is in it
        return "source" if (kind in _GIVES) != is_within else "target"

    def _connector(self, point: Point, end: End) -> Connector:
        if point.kind == "reference":
            system = self.systems[point.path[:-3]]
            return system.elements[point.path[-3]].connectors[end.connector]
        element = self.components[point.path] if point.kind == "component" else self.systems[point.path]
        return element.connectors[point.connector]

    def _add(self, hop: Hop) -> None:
        into = self._into.setdefault(hop.target, [])
        for other in into:
            if not other.indices[1] or not hop.indices[1] or other.indices[1] == hop.indices[1]:
                raise SspFileError(
                    f"{hop.where}: '{hop.target}' takes its value from '{hop.source}' and, by {other.where}, from '{other.source}'. "
                    "Remove one of the connections."
                )
        into.append(hop)

    # following them back
    def _back(self, target: Point) -> Iterator[Way]:
        yield from self._followed(Way(target, target, ((), ()), ()))

    def _followed(self, way: Way) -> Iterator[Way]:
        """The ways that end as this one does, each from where its value comes."""
        point, indices = way.source, way.indices[0]
        into = self._into.get(point, ())
        if not into or (way.hops and point.kind == "component"):
            yield way
            return
        if point in [hop.target for hop in way.hops]:
            circle = " -> ".join(str(hop.source) for hop in way.hops)
            raise SspFileError(f"{way.hops[0].where}: connections go in a circle, so that no component gives the value: {circle}.")
        for hop in into:
            entry = hop.indices[1]
            if entry and indices and entry != indices:
                continue
            # a hop to all entries of an array passes the entry that is followed; one to an entry decides which one it is at the target
            before = hop.indices[0] or (() if entry else indices)
            at_target = way.indices[1] or (entry if entry and not indices else ())
            yield from self._followed(Way(hop.source, way.target, (before, at_target), (hop, *way.hops)))


def elements_of(system: SystemElement, path: ElementPath = ()) -> Iterator[tuple[ElementPath, Element]]:
    """All elements of a system and of the systems in it, with their paths."""
    for name, element in system.elements.items():
        yield (*path, name), element
        if isinstance(element, SystemElement):
            yield from elements_of(element, (*path, name))


def network_name(path: ElementPath) -> str:
    """The name of a component in a network, where names end at the first dot: 'front axle/wheel' for 'wheel' in the system 'front axle'."""
    return "/".join(path).replace(".", "/")


def hierarchical_name(name: str) -> str:
    """The name of a component of a network in SSP, where nested names have dots."""
    return name.replace("/", ".")
