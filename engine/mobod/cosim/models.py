"""What may be a component of a network, as ComponentModels."""

import os
from pathlib import Path
from typing import get_args

from mobod.cosim.component_model import ComponentModel
from mobod.cosim.fmi2_model import Fmi2Model
from mobod.cosim.fmu_file import FmuFile
from mobod.cosim.fmu_model import FmuComponentModel
from mobod.errors import UnknownNameError, UnsupportedError
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.fmu_limits import FmuLimits
from mobod.fmi.loaded_fmu import Interface
from mobod.importer.fmu_model import FmuModel


def fmu_component(path: str | os.PathLike[str], interface: str | None, limits: FmuLimits | None) -> ComponentModel:
    """The component of an FMU, of FMI 2.0 or 3.0. interface: None is co-simulation if the FMU has it.

    Raises FmuFileError, UnsupportedError, UnknownNameError.
    """
    if interface is not None and interface not in get_args(Interface):
        raise UnknownNameError("interface", interface, get_args(Interface))
    archive = FmuArchive(path, limits)
    if archive.fmi_version == "2.0" and interface != "model-exchange":
        return Fmi2Model(FmuFile(path, limits))
    fmu = FmuModel(path, limits)
    chosen = fmu.interfaces[0] if interface is None else interface
    if chosen not in fmu.interfaces:
        raise UnsupportedError(f"{fmu.path}: it is not for {chosen}, only for {' and '.join(fmu.interfaces)}.")
    return FmuComponentModel(fmu, "model-exchange" if chosen == "model-exchange" else "co-simulation")


def default_name(what: object) -> str:
    """The name of a component for which none is given: that of a file."""
    return Path(what).stem if isinstance(what, (str, os.PathLike)) else ""
