"""Problems of an SSP that do not keep it from being read."""

import os
from collections.abc import Iterator

from mobod.cosim.component import Component
from mobod.cosim.network import Network
from mobod.cosim.ssp.description import ComponentElement, Structure
from mobod.cosim.ssp.folder import DEFAULT_STRUCTURE
from mobod.errors import nearest
from mobod.fmi.fmu_limits import FmuLimits

_CAUSALITIES = {"parameter": ("parameter", "structuralParameter"), "constant": ("output", "local")}


def check_ssp(
    path: str | os.PathLike[str],
    structure: str = DEFAULT_STRUCTURE,
    limits: FmuLimits | None = None,
    *,
    strict: bool = False,
    allow_outside: bool = False,
) -> tuple[Structure, list[str]]:
    """The structure of an SSP that can be read, and what is wrong with it. Its FMUs are opened, but not run.

    Raises the errors of `Network.from_ssp`.
    """
    network = Network.from_ssp(path, structure=structure, limits=limits, strict=strict, allow_outside=allow_outside)
    origin = network.ssp
    assert origin is not None
    problems = [
        f"the parameter set '{name}' has values for which there is no variable: {', '.join(names)}" for name, names in origin.unused.items()
    ]
    for component, element in zip(network.components.values(), origin.components.values(), strict=True):
        problems += _connector_problems(component, element)
    return origin.structure, problems


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
