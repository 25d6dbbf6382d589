"""FmuLibrary: the library of an FMU in this process, with as many instances as wanted."""

import ctypes
import os
from pathlib import Path
from typing import Any, final

import fmpy.fmi3

from mobod.acceptance.behaviour.functions import FUNCTIONS, declare
from mobod.errors import FmuFileError
from mobod.fmi.fmu_log import FmuLog
from mobod.fmi.loading import Interface


@final
class FmuLibrary:
    """The library of an unpacked FMU.

    folder     of the unpacked FMU
    functions  by name without prefix, those that it has

    Raises FmuFileError if it cannot be loaded.
    """

    def __init__(self, folder: Path, path: str, fmi_version: str) -> None:
        self.folder = folder
        self.fmi_version = fmi_version
        library = folder / path
        here = os.getcwd()
        try:
            os.chdir(library.parent)  # some find other libraries only so
            self._library = ctypes.CDLL(str(library))
        except OSError as error:
            raise FmuFileError(f"the library {path} cannot be loaded: {error}") from error
        finally:
            os.chdir(here)
        self.functions: dict[str, Any] = {}
        for name, types in FUNCTIONS[fmi_version].items():
            try:
                function = self._library[f"fmi{fmi_version}{name}"]
            except AttributeError:
                continue
            declare(function, types)
            self.functions[name] = function

    @property
    def resources(self) -> bytes | None:
        """The argument of the instantiation that names the folder of the resources."""
        folder = self.folder / "resources"
        if self.fmi_version == "2":
            return folder.as_uri().encode()
        return os.fsencode(str(folder) + os.sep) if folder.is_dir() else None

    def instantiate(
        self, interface: Interface, name: str, token: str, log: FmuLog, *, events: bool = False, early: bool = False
    ) -> int | None:
        """The address of a new instance; None if the FMU gives none.

        events  whether event mode is used in co-simulation of FMI 3.0
        early   whether a step of FMI 3.0 may return early
        """
        if self.fmi_version == "2":
            kind = 0 if interface == "model-exchange" else 1
            arguments = (name.encode(), kind, token.encode(), self.resources, ctypes.byref(log.callbacks), False, True)
            component: int | None = self.functions["Instantiate"](*arguments)
            return component
        start = (name.encode(), token.encode(), self.resources, False, True)
        receive = _receiver(log)
        if interface == "model-exchange":
            component = self.functions["InstantiateModelExchange"](*start, None, receive)
        else:
            component = self.functions["InstantiateCoSimulation"](*start, events, early, None, 0, None, receive, None)
        return component


def _receiver(log: FmuLog) -> object:
    """The callback of FMI 3.0 for the messages of a log, which lives as long as the process."""
    if log not in _receivers:
        _receivers[log] = fmpy.fmi3.fmi3LogMessageCallback(log.receive)
    return _receivers[log]


_receivers: dict[FmuLog, object] = {}
