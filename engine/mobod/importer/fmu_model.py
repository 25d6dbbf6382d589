"""FmuModel: an FMU of any tool, with its variables. Nothing of it is loaded."""

import math
import os
from functools import cached_property
from pathlib import Path
from typing import final, get_args

from lxml import etree

from mobod.errors import FmuFileError, InputError, UnknownNameError, UnsupportedError
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.isolation.isolation import Isolation
from mobod.fmi.loading import Interface
from mobod.fmi.read_description import read_description
from mobod.importer.fmi_version import FmiVersion, fmi_version
from mobod.importer.kinds import Value
from mobod.importer.variable import MOST_ELEMENTS, ForeignVariable

_ELEMENTS: dict[Interface, str] = {"co-simulation": "CoSimulation", "model-exchange": "ModelExchange"}


@final
class FmuModel:
    """An FMU of FMI 1.0, 2.0 or 3.0. One of FMI 1.0 is described in the terms of FMI 2.0.

    archive      its files
    version      how it is called
    description  modelDescription.xml as read by fmpy
    breaches     rules of FMI that the description breaks, of those that other tools forgive
    name         of the model
    interfaces   "co-simulation", "model-exchange" or both
    variables    by name, aliases among them

    strict: whether a description that breaks rules is refused

    Raises FmuFileError for a file that is not an FMU, is damaged or malicious, or exceeds the limits; UnsupportedError for an FMU of
    another FMI version, or only for scheduled execution.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        limits: FmuLimits | None = None,
        isolation: Isolation | None = None,
        *,
        strict: bool = False,
    ) -> None:
        self.path = Path(path)
        self.archive = FmuArchive(path, limits, isolation)
        version = fmi_version(str(self.archive.fmi_version))
        if version is None:
            raise UnsupportedError(
                f"{self.path}: this is an FMU of FMI version {self.archive.fmi_version}. mobod reads FMI 1.0, 2.0 and 3.0. Export the "
                "model with one of them."
            )
        self.version: FmiVersion = version
        self.interfaces = tuple(each for each in get_args(Interface) if self.archive.root.find(_ELEMENTS[each]) is not None)
        if not self.interfaces:
            raise UnsupportedError(
                f"{self.path}: this FMU is neither for co-simulation nor for model exchange. mobod has no scheduled execution. Export the "
                "model for co-simulation."
            )
        self.description, self.breaches = read_description(self.archive, strict=strict)
        self.name: str = self.description.modelName or self.path.stem
        try:
            self.variables = self._variables()
        except (TypeError, ValueError, OverflowError) as error:
            raise FmuFileError(f"{self.path}: its modelDescription.xml has a variable that cannot be read: {error}.") from error

    def variable(self, name: str) -> ForeignVariable:
        """Raises UnknownNameError."""
        UnknownNameError.check(f"variable of {self.path.name}", name, self.variables)
        return self.variables[name]

    def with_causality(self, *causalities: str) -> list[ForeignVariable]:
        return [each for each in self.variables.values() if each.causality in causalities]

    @cached_property
    def states(self) -> list[ForeignVariable]:
        """The continuous states."""
        states = [unknown.variable.derivative for unknown in self.description.derivatives if unknown.variable is not None]
        return [self.variables[state.name] for state in states if state is not None]

    def capabilities(self, interface: Interface) -> dict[str, bool | float | str]:
        """The attributes of the interface in modelDescription.xml. FMI 2.0 and 3.0 name some of them differently."""
        return self._capabilities[interface]

    @cached_property
    def _capabilities(self) -> dict[Interface, dict[str, bool | float | str]]:
        found = {}
        for interface in self.interfaces:
            (element,) = self.archive.root.findall(_ELEMENTS[interface])[:1]
            found[interface] = {str(name): _typed(str(text)) for name, text in element.attrib.items() if name != "modelIdentifier"}
        return found

    def can(self, interface: Interface, capability: str) -> bool:
        """Whether it declares a capability, which is named as in FMI 2.0."""
        return self.capabilities(interface).get(self.version.capability(capability)) in (True, 1)

    def identifier(self, interface: Interface) -> str:
        part = self.description.coSimulation if interface == "co-simulation" else self.description.modelExchange
        return str(part.modelIdentifier)

    def runs_here(self, interface: Interface) -> bool:
        """Whether it has a library for this platform."""
        return self.archive.find_library(self.identifier(interface)) is not None

    def missing_library(self, interface: Interface) -> str:
        """What the archive has in place of a library for this platform."""
        return self.archive.what_there_is(self.identifier(interface))

    def default_experiment(self) -> dict[str, float | None]:
        """start, stop, tolerance and step; None for each that the FMU does not declare. Raises InputError for one that is no number."""
        declared = self.description.defaultExperiment
        numbers: dict[str, float | None] = {}
        for name in ("startTime", "stopTime", "tolerance", "stepSize"):
            text = None if declared is None else getattr(declared, name)
            try:
                numbers[name] = None if text is None else float(text)
            except ValueError:
                raise FmuFileError(f"{self.path}: its default experiment has the {name} {text!r}, which is not a number.") from None
        return dict(zip(("start", "stop", "tolerance", "step"), numbers.values(), strict=True))

    def shape(self, variable: ForeignVariable, structure: dict[str, Value] | None = None) -> tuple[int, ...]:
        """The shape of a variable, () if it is no array.

        structure  values of structural parameters that differ from their start values
        """
        sizes = []
        for dimension in variable.description.dimensions:
            if dimension.variable is None:
                sizes.append(int(dimension.start))
            else:
                sizes.append(int((structure or {}).get(dimension.variable.name, dimension.variable.start)))
        if any(size < 0 for size in sizes) or math.prod(sizes) > MOST_ELEMENTS:
            raise InputError(f"'{variable}' of {self.path.name} has the shape {sizes}. An array has 0 to {MOST_ELEMENTS:.0e} elements.")
        return tuple(sizes)

    def _variables(self) -> dict[str, ForeignVariable]:
        bounds: dict[str | None, tuple[str | None, str | None]] = {}
        for element in self.archive.root.iterfind("ModelVariables/*"):
            typed = self.version.typed(element)
            bounds[element.get("name")] = _bound(typed, "min"), _bound(typed, "max")  # fmpy leaves them out of unsigned integers
        variables = {}
        for each in self.description.modelVariables:
            if each.name is None:
                raise FmuFileError(f"{self.path}: its modelDescription.xml has a variable without a name.")
            name = each.name if each.alias is None else each.alias.name
            variables[each.name] = ForeignVariable(each, self.version.kinds, bounds.get(name, (None, None)))
        return variables


def _bound(typed: "etree._Element", name: str) -> str | None:
    """A bound that is a number; None if there is none."""
    text = typed.get(name)
    try:
        float(text or "")
    except ValueError:
        return None
    return text


def _typed(text: str) -> bool | float | str:
    if text in ("true", "false"):
        return text == "true"
    try:
        number = float(text)
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    return int(number) if number.is_integer() else number
