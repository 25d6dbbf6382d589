"""The parameters of components, from the bindings of all levels of a system."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import final

from fmpy.model_description import Unit

from mobod.cosim.component import Component
from mobod.cosim.connections.unit_conversion import UnitConversion, described
from mobod.cosim.ssp.conversion import composed
from mobod.cosim.ssp.description import ComponentElement, Element, SystemElement
from mobod.cosim.ssp.flattening import ElementPath, FlatStructure, Way
from mobod.cosim.ssp.parameter_set import ParameterSet, ParameterValue
from mobod.cosim.ssp.transformation import LinearTransformation
from mobod.cosim.ssp.units import forgiving_conversion
from mobod.cosim.variable import Value
from mobod.errors import InputError, UnsupportedError

Values = Value | Sequence[Value]
Key = tuple[ElementPath, str]
"""The path of a component or a system, and the name of a variable or connector."""


@final
class Parameters:
    """The values that parameter bindings give to components and to connectors of systems.

    Bindings of an outer system count more than those of what is in it; of one level, later ones more than earlier ones.

    values  the last value by component or system and name
    unused  names in sets that belong to nothing, by the name of the set

    Source: SSP 2.0.1, section 5.3 (ParameterBindings).
    """

    def __init__(
        self, structure: FlatStructure, root: SystemElement, components: Mapping[ElementPath, Component], *, strict: bool = False
    ) -> None:
        self.values: dict[Key, ParameterValue] = {}
        self.unused: dict[str, list[str]] = {}
        self._structure = structure
        self._root = root
        self._components = components
        self._strict = strict
        self._bind(root, ())

    def add(self, given: ParameterSet) -> None:
        """Take a set for the whole system, which counts more than all before."""
        self._apply(self._root, (), given.name, given.values)

    def start_values(self) -> Iterator[tuple[Component, str, Values, str]]:
        """Component, variable, value and its place, those of structural parameters first."""
        ways = [valued for way in self._structure.ways() if (valued := self._from_value(way)) is not None]
        connected = {(way.target.path, way.target.connector) for way in ways}
        found: list[tuple[Component, str, ParameterValue | Way]] = [
            (self._components[path], name, value)
            for (path, name), value in self.values.items()
            if path in self._components and (path, name) not in connected
        ]
        found += [(self._components[each.target.path], each.target.connector, each) for each in ways]
        # one after another, since structural parameters decide which variables there are
        for component, name, given in sorted(found, key=lambda each: not _is_structural(each[0], each[1])):
            target, value = self._through(given) if isinstance(given, Way) else (name, given)
            yield component, target, _converted(component, target, value, strict=self._strict), value.where

    def _from_value(self, way: Way) -> Way | None:
        """The way from the first connector of a system that has a value; None if no value comes this way, or a component gives it."""
        for k, hop in enumerate(way.hops if way.source.kind != "component" else ()):
            if hop.source.kind == "system" and (hop.source.path, hop.source.connector) in self.values:
                return replace(way, source=hop.source, hops=way.hops[k:])
        return None

    def _through(self, way: Way) -> tuple[str, ParameterValue]:
        """The variable at the end of a way, and the value of a system's connector as it takes it."""
        component = self._components[way.target.path]
        value = self.values[way.source.path, way.source.connector]
        name = way.target.connector + (f"[{','.join(map(str, way.indices[1]))}]" if way.indices[1] else "")
        port = component.ports(name)[0]
        first = way.hops[0]
        changed = _changed(value, first.units[0], f"connector '{way.source}'", strict=self._strict)
        if first.units[0] is None:
            first = replace(first, units=(value.unit, first.units[1]))
        changes = [hop.transformation for hop in way.hops if hop.transformation is not None]
        if port.variable.kind == "float":
            changes = [LinearTransformation(*composed((first, *way.hops[1:]), None, port, strict=self._strict))]
        for change in changes:
            changed = _each(changed, change.of)
        return name, ParameterValue(changed, value.type, where=value.where)

    def _bind(self, element: Element, path: ElementPath) -> None:
        if isinstance(element, SystemElement):
            for name, each in element.elements.items():
                self._bind(each, (*path, name))
        if isinstance(element, (SystemElement, ComponentElement)):
            for binding in element.bindings:
                self._apply(element, path, binding.set.name, binding.values())

    def _apply(self, element: Element, path: ElementPath, of: str, values: Mapping[str, ParameterValue]) -> None:
        for name, value in values.items():
            keys = list(self._named(element, path, name))
            for key in keys:
                self.values.pop(key, None)
                self.values[key] = value
            if not keys:
                self.unused.setdefault(of, []).append(name)

    def _named(self, element: Element, path: ElementPath, name: str) -> Iterator[Key]:
        """All variables and connectors with this hierarchical name."""
        if isinstance(element, ComponentElement):
            component = self._components[path]
            # an entry that an array does not have yet may be one of its size later
            if component.has(name) or (name.endswith("]") and component.has(name.rpartition("[")[0])):
                yield path, name
        elif isinstance(element, SystemElement):
            if name in element.connectors:
                yield path, name
            for child, each in element.elements.items():
                if name.startswith(f"{child}."):
                    yield from self._named(each, (*path, child), name.removeprefix(f"{child}."))


def _is_structural(component: Component, name: str) -> bool:
    variable = component.model.variables.get(name)
    return variable is not None and variable.causality == "structuralParameter"


def _converted(component: Component, name: str, value: ParameterValue, *, strict: bool) -> Values:
    """The value in the unit of the variable, after the transformation."""
    if value.type == "Binary":
        raise UnsupportedError(f"{value.where}: it is binary, which mobod does not set.")
    port = component.ports(name)[0]
    changed = _changed(value, port.unit, f"'{port}'", is_relative=port.variable.is_relative, strict=strict)
    if port.variable.kind in ("integer", "enumeration"):
        # a linear transformation of whole numbers
        return _each(changed, lambda each: int(each) if isinstance(each, float) and each.is_integer() else each)
    return changed


def _changed(value: ParameterValue, wanted: Unit | None, what: str, *, is_relative: bool = False, strict: bool = False) -> Values:
    """The value in the unit that is wanted, then transformed."""
    changed = value.value
    if value.unit is not None and wanted is not None and value.converts_units:
        found = forgiving_conversion(value.unit, wanted, value.where, relative=(is_relative, is_relative), strict=strict)
        if found is None:
            units = f"{described(value.unit)}, which cannot be converted to {described(wanted)}"
            raise InputError(f"{value.where}: its unit is {units} of {what}.")
        if found != UnitConversion():
            changed = _each(changed, LinearTransformation(found.factor, found.offset).of)
    if value.transformation is None:
        return changed
    try:
        return _each(changed, value.transformation.of)
    except InputError as error:
        raise InputError(f"{value.where}: {error}") from None


def _each(values: Values, change: Callable[[Value], Value]) -> Values:
    return change(values) if isinstance(values, (bool, int, float, str)) else [change(each) for each in values]
