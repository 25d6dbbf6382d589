"""Problems of an SSP that do not keep it from being read."""

import os
from collections.abc import Iterator

from mobod.cosim.component import Component
from mobod.cosim.network import Network
from mobod.cosim.ssp.description import ComponentElement
from mobod.cosim.ssp.folder import DEFAULT_STRUCTURE
from mobod.errors import nearest
from mobod.fmi.fmu_limits import FmuLimits

_CAUSALITIES = {"parameter": ("parameter", "structuralParameter"), "constant": ("output", "local")}


def ssp_problems(path: str | os.PathLike[str], structure: str = DEFAULT_STRUCTURE, limits: FmuLimits | None = None) -> list[str]:
    """What is wrong with an SSP that can be read. It is validated, and its FMUs are opened, but not run.

    Raises the errors of `Network.from_ssp`.
    """
    network = Network.from_ssp(path, structure=structure, limits=limits)
    origin = network.ssp
    assert origin is not None
    problems = []
    if origin.structure.version != "1.0":
        problems.append(f"it is of SSP {origin.structure.version}, of which mobod has no schemas: it was read, but not validated")
    for name, names in origin.unused.items():
        problems.append(f"the parameter set '{name}' has values for which there is no variable: {', '.join(names)}")
    for component, element in zip(network.components.values(), origin.components.values(), strict=True):
        problems += _connector_problems(component, element)
    return problems


def _connector_problems(component: Component, element: ComponentElement) -> Iterator[str]:
    for name, connector in element.connectors.items():
        if not component.has(name):
            near = nearest(name, component.model.variables)
            hint = f". Did you mean '{near}'?" if near else ""
            yield f"component '{element.name}': the FMU has no variable for the connector '{name}'{hint}"
        elif connector.kind not in ("inout", "unspecified"):
            causality = component.ports(name)[0].variable.causality
            kind = connector.kind
            if causality not in _CAUSALITIES.get(kind, (kind,)):
                yield f"component '{element.name}': the connector '{name}' is of kind {kind}, and the variable of {causality}"
