"""The folder resources/ of a Python FMU: the System, its table of variables, and the module that pythonfmu's library imports."""

import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from mobod.errors import FmuFileError
from mobod.fmu.interface import Interface
from mobod.fmu.python.system_pickle import PickledSystem, unpickle_system
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
        """A new System and its initial State. Raises FmuFileError if another version of mobod has pickled them."""
        with _of_this_version():
            return unpickle_system(self.system)


def resource_files(pickled: PickledSystem, interface: Interface) -> dict[str, bytes]:
    """File name -> content. The module is named after the FMU's token, since all FMUs of a process share one table of modules."""
    module = f"mobod_fmu_{interface.token.strip('{}').replace('-', '_')}"
    needs = {"mobod": mobod_version(), "python": python_version() if pickled.holds_code else None}
    return {
        "slavemodule.txt": f"{module}\n{interface.token}\n".encode(),
        f"{module}.py": python_slave_source().replace("NEEDS: dict = {}", f"NEEDS: dict = {needs!r}").encode(),
        _MODEL_FILE: pickle.dumps((pickled.data, interface), protocol=5),
    }


def read_resources(folder: Path) -> Resources:
    """Read the resources. Raises FmuFileError if files of the FMU are missing, or another version of mobod has written them."""
    path = folder / _MODEL_FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FmuFileError(f"{path}: cannot be read, but the FMU needs it. {error}") from error
    with _of_this_version():
        return Resources(*pickle.loads(data))


@contextmanager
def _of_this_version() -> Iterator[None]:
    """Unpickling fails where a class of mobod is no longer what it was when the FMU was exported."""
    try:
        yield
    except (AttributeError, ImportError) as error:
        if "mobod" not in str(error):
            raise  # a module of the user is missing
        raise FmuFileError(
            f"another version of mobod has exported this FMU, and this version cannot read it ({error}). Export it again."
        ) from error


def python_version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"
