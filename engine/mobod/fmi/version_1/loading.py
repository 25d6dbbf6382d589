"""Fmi1Loading: how an FMU of FMI 1.0 is loaded. It gets the functions of FMI 2.0."""

from pathlib import Path
from typing import Any, final

from mobod.fmi.loading import Interface, NewInstance
from mobod.fmi.version_1.calls import Fmi1Model, Fmi1Slave, name_in_fmi_1

_BINDINGS: dict[Interface, type] = {"co-simulation": Fmi1Slave, "model-exchange": Fmi1Model}


@final
class Fmi1Loading:
    digit = "2"
    is_called_in_c = keeps_categories = False

    def binding(self, interface: Interface) -> type:
        return _BINDINGS[interface]

    def instantiating(self, _interface: Interface) -> str:
        return "fmi2Instantiate"

    def instantiate(self, fmu: Any, new: NewInstance) -> None:
        assert new.of_fmi_1 is not None
        fmu.negated = new.of_fmi_1.negated
        fmu.instantiate(new.log, Path(fmu.unzipDirectory).as_uri(), new.of_fmi_1.mime_type)

    def spelled(self, function: str, interface: Interface) -> str:
        return name_in_fmi_1(function, interface)
