"""The folder resources/ of a Python FMU: the System, its table of variables, and the module that pythonfmu's library imports."""

import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import final

from mobod.errors import FmuFileError
from mobod.fmu.interface import Interface
from mobod.fmu.system_pickle import PickledSystem, unpickle_system
from mobod.native_sources import python_slave_source
from mobod.system import State, System
from mobod.version import mobod_version

_MODEL_FILE = "model.pickle"


@final
@dataclass(frozen=True)
class Resources:
    """The data from which an instance is made."""

    system: bytes
    interface: Interface

    def unpickle(self) -> tuple[System, State]:
        """A new System and its initial State."""
        return unpickle_system(self.system)


def resource_files(pickled: PickledSystem, interface: Interface) -> dict[str, bytes]:
    """File name -> content. The module is named after the FMU's token, since all FMUs of a process share one table of modules."""
    module = f"mobod_fmu_{interface.token.strip('{}').replace('-', '_')}"
    needs = {"mobod": mobod_version(), "python": python_version() if pickled.holds_code else None}
    return {
        "slavemodule.txt": module.encode(),
        f"{module}.py": python_slave_source().replace("NEEDS: dict = {}", f"NEEDS: dict = {needs!r}").encode(),
        _MODEL_FILE: pickle.dumps((pickled.data, interface), protocol=5),
    }


def read_resources(folder: Path) -> Resources:
    """Read the resources. Raises FmuFileError if files of the FMU are missing."""
    path = folder / _MODEL_FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FmuFileError(f"{path}: cannot be read, but the FMU needs it. {error}") from error
    return Resources(*pickle.loads(data))


def python_version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"
