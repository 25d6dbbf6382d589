"""FmuFile: an FMU for co-simulation."""

import os
from pathlib import Path
from typing import final

from fmpy.model_description import ModelVariable, Unit

from mobod.cosim.connections.unit_names import unit_of_fmu
from mobod.cosim.fmu_entries import FmuEntries
from mobod.errors import UnknownNameError, UnsupportedError
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.isolation.isolation import Isolation
from mobod.fmi.read_description import warn_of_breaches
from mobod.importer.fmu_model import FmuModel


@final
class FmuFile:
    """An FMU for co-simulation by FMI 1.0, 2.0 or 3.0, with a library for this platform.

    path         as it was given
    archive      its files
    description  modelDescription.xml as read by fmpy
    variables    by name
    entries      its single numbers
    library      path in the archive of the library for this platform
    breaches     rules of FMI that the description breaks, of those that other tools forgive

    strict: whether a description that breaks rules is refused. Otherwise a MobodWarning names them.

    Raises FmuFileError for a file that is not an FMU, is damaged or malicious, or exceeds the limits; UnsupportedError for an FMU of
    another FMI version, only for model exchange, or without a library for this platform.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        limits: FmuLimits | None = None,
        isolation: Isolation | None = None,
        *,
        strict: bool = False,
    ) -> None:
        model = FmuModel(path, limits, isolation, strict=strict)
        self.path = Path(path)
        self.archive, self.description, self.breaches = model.archive, model.description, model.breaches
        if "co-simulation" not in model.interfaces:
            raise UnsupportedError(
                f"{self.path}: this FMU is only for model exchange and has no solver. Export the model for co-simulation as well."
            )
        warn_of_breaches(self.archive, self.breaches)
        self.entries = FmuEntries(model)
        self.variables: dict[str, ModelVariable] = {name: variable.description for name, variable in model.variables.items()}
        self._units: dict[str, Unit] = {unit.name: unit for unit in self.description.unitDefinitions}
        self.library = self.archive.library(model.identifier("co-simulation"))

    def variable(self, name: str) -> ModelVariable:
        try:
            return self.variables[name]
        except KeyError:
            raise UnknownNameError(f"variable of {self.path.name}", name, self.variables) from None

    def unit(self, variable: ModelVariable) -> Unit | None:
        """The unit of the variable or of its declared type, with SI exponents if they are defined, or known by its name."""
        declared = variable.declaredType
        name = variable.unit or (declared.unit if declared is not None else None)
        if name is None:
            return None
        return unit_of_fmu(name, self._units)
