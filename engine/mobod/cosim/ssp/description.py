"""What an SSD describes: systems, components, connectors and connections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, final

from fmpy.model_description import Unit

from mobod.cosim.ssp.parameter_set import ParameterBinding
from mobod.cosim.ssp.transformation import Transformation

Implementation = Literal["any", "CoSimulation", "ModelExchange"]


@final
@dataclass(frozen=True)
class Connector:
    """An input, output or parameter of an element.

    kind      'input', 'output', 'parameter', 'calculatedParameter', 'inout', and those of SSP 2.0
    type      'Real', 'Float64', ...; '' if it is not given
    unit      None if it is not given
    is_array  whether it has dimensions
    """

    name: str
    kind: str
    type: str = ""
    unit: Unit | None = None
    is_array: bool = False


@final
@dataclass(frozen=True)
class End:
    """An end of a connection.

    element  None: the system that has the connection
    indices  of the entry of an array; () for all of it
    """

    element: str | None
    connector: str
    indices: tuple[int, ...] = ()

    def __str__(self) -> str:
        index = f"[{','.join(map(str, self.indices))}]" if self.indices else ""
        return f"{'' if self.element is None else f'{self.element}.'}{self.connector}{index}"


@final
@dataclass(frozen=True)
class StructureConnection:
    """A connection in a system. Which end is the source follows from the kinds of the connectors."""

    start: End
    end: End
    converts_units: bool
    transformation: Transformation | None
    where: str

    def __str__(self) -> str:
        return f"{self.start} - {self.end}"


@final
@dataclass(frozen=True)
class ComponentElement:
    """A component.

    source          of its FMU
    implementation  the interface that is to be used
    kept            XML that mobod does not interpret, by the name of the element: annotations and the geometry
    """

    name: str
    connectors: Mapping[str, Connector]
    bindings: Sequence[ParameterBinding]
    source: Path
    implementation: Implementation
    where: str
    kept: Mapping[str, str] = field(default_factory=dict)


@final
@dataclass(frozen=True)
class DictionaryReference:
    """A signal dictionary as an element: its connectors are entries of the dictionary."""

    name: str
    connectors: Mapping[str, Connector]
    dictionary: str
    where: str


@final
@dataclass(frozen=True)
class SystemElement:
    """A system.

    dictionaries  units of the entries of its signal dictionaries, by the names of dictionary and entry
    """

    name: str
    connectors: Mapping[str, Connector]
    bindings: Sequence[ParameterBinding]
    elements: Mapping[str, "ComponentElement | DictionaryReference | SystemElement"]
    connections: Sequence[StructureConnection]
    dictionaries: Mapping[str, Mapping[str, Unit | None]]
    where: str
    kept: Mapping[str, str] = field(default_factory=dict)


Element = ComponentElement | DictionaryReference | SystemElement


@final
@dataclass(frozen=True)
class Structure:
    """An SSD.

    start, stop  s   of the default experiment; None if it does not give it
    step         s   of the master, as annotations of the Open Simulation Platform or of OMSimulator give it; None if they do not
    attributes       author, license and the like
    kept             XML that mobod does not interpret: annotations of the file and of the default experiment
    """

    name: str
    version: str
    system: SystemElement
    start: float | None = None
    stop: float | None = None
    step: float | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    kept: Mapping[str, str] = field(default_factory=dict)
