"""SspOrigin: where a network comes from, and what of a network SSP files need."""

import os
from collections.abc import Mapping, Sequence
from typing import Protocol, final

from mobod.cosim.component import Component, ComponentVariable
from mobod.cosim.connection import Connection
from mobod.cosim.ssp.description import ComponentElement, Structure
from mobod.cosim.ssp.flattening import ElementPath
from mobod.cosim.ssp.folder import SspFolder
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.isolation.isolation import Isolation


@final
class SspOrigin:
    """Where a network comes from. The unpacked files are removed with this object.

    folder
    structure
    components by their paths, with systems outside first
    unused     names in parameter sets that belong to nothing, by the name of the set
    """

    def __init__(
        self,
        folder: SspFolder,
        structure: Structure,
        components: Mapping[ElementPath, ComponentElement],
        unused: Mapping[str, Sequence[str]],
    ) -> None:
        self.folder = folder
        self.structure = structure
        self.components = components
        self.unused = unused


class FillableNetwork(Protocol):
    """A Network, as far as it is read from SSP files and written to them."""

    components: dict[str, Component]
    connections: list[Connection]
    ssp: SspOrigin | None

    def add(
        self,
        path: str | os.PathLike[str],
        name: str | None = None,
        *,
        interface: str | None = None,
        limits: FmuLimits | None = None,
        isolate: bool | Isolation | None = None,
        strict: bool | None = None,
    ) -> Component: ...

    def add_connections(self, connections: list[Connection]) -> list[Connection]: ...

    def ports(self, name: str) -> list[ComponentVariable]: ...
