"""The library loads, has all functions, and an instance leaves its process as it was."""

import ctypes
import ctypes.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mobod.acceptance.behaviour.functions import required_functions
from mobod.acceptance.behaviour.library import FmuLibrary
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import walked
from mobod.acceptance.report import Result
from mobod.acceptance.subject import Monitor, Subject
from mobod.errors import FmuError, FmuFileError, InputError, UnsupportedError
from mobod.fmi.fmu_log import FmuLog
from mobod.fmi.loading import Interface

SPECIAL_NAME = "a folder Ümläut # 100%41 (1)"


def check_load(subject: Subject, monitor: Monitor) -> Result:
    """It loads with all functions, refuses a wrong token, and changes nothing in its process."""
    return _check(subject, monitor, _load)


def check_special_folder(subject: Subject, monitor: Monitor) -> Result:
    """It works in a folder whose name has spaces, umlauts, '#' and '%', and leaves no file there."""
    return _check(subject, monitor, _run_in_special_folder)


def _check(subject: Subject, monitor: Monitor, function: Callable[[Tested, RunFindings], None]) -> Result:
    try:
        tested = Tested(subject, monitor)
        for interface in tested.model.interfaces:
            tested.model.archive.library(tested.model.identifier(interface))
    except (UnsupportedError, InputError, FmuFileError) as error:
        return Result(not_checked=str(error))
    found = RunFindings(tested)
    try:
        function(tested, found)
    except FmuFileError as error:
        found.add("library", str(error), "functions")
    except FmuError as error:
        found.add("call-failed", str(error), "status")
    return found.result()


def _load(tested: Tested, found: RunFindings) -> None:
    before = _surroundings()
    with _printed() as text:
        for interface in tested.model.interfaces:
            library = tested.library(interface)
            lacking = sorted(required_functions(tested.fmi_version, interface) - set(library.functions))
            if lacking:
                names = ", ".join(f"fmi{tested.fmi_version}{name}" for name in lacking)
                found.add("missing-function", f"the library for {interface} does not have: {names}", "functions")
            _check_versions(tested, library, found)
            _check_token(tested, interface, library, found)
            live(tested, interface)
    if text:
        found.add("prints", f"it writes to the standard output or error output of its process: {text[0][:200]!r}", "general", "warning")
    for (what, old), (_, new) in zip(before, _surroundings(), strict=True):
        if old != new:
            found.add("global-settings", f"it changes {what} of the process from {old!r} to {new!r}", "general")


def _check_versions(tested: Tested, library: FmuLibrary, found: RunFindings) -> None:
    version = library.functions["GetVersion"]() if "GetVersion" in library.functions else None
    text = (version or b"").decode(errors="replace")
    if version is not None and not (text == "2.0" if tested.fmi_version == "2" else text.startswith("3.")):
        found.add("version", f"fmi{tested.fmi_version}GetVersion returns {text!r}", "version")
    if "GetTypesPlatform" in library.functions and tested.fmi_version == "2":
        platform = (library.functions["GetTypesPlatform"]() or b"").decode(errors="replace")
        if platform != "default":
            found.note(f"fmi2GetTypesPlatform returns {platform!r}, not 'default'.")


def _check_token(tested: Tested, interface: Interface, library: FmuLibrary, found: RunFindings) -> None:
    if {"Instantiate", "InstantiateCoSimulation", "InstantiateModelExchange"}.isdisjoint(library.functions):
        return
    log = FmuLog()
    tested.monitor.note(f"the instantiation for {interface} with a wrong {_token_name(tested)}")
    component = library.instantiate(interface, "wrong token", "{a token that is not that of this FMU}", log)
    if component:
        message = f"it makes an instance for {interface} although the {_token_name(tested)} is not that of its model description"
        found.add("wrong-token", message, "creation", "warning")
        library.functions["FreeInstance"](component)
    elif not log.lines:
        message = f"it refuses a wrong {_token_name(tested)} for {interface}, but logs no reason"
        # FMI 3.0 demands a message, FMI 2.0 expects it
        found.add("no-log-message", message, "creation", "warning" if tested.fmi_version == "2" else "error")


def _token_name(tested: Tested) -> str:
    return "guid" if tested.fmi_version == "2" else "instantiationToken"


def live(tested: Tested, interface: Interface, steps: int = 2) -> None:
    """A short life of an instance."""
    with Probe(tested, interface) as probe:
        walked(probe, steps)
        probe.call("Terminate")


def _run_in_special_folder(tested: Tested, found: RunFindings) -> None:
    with tempfile.TemporaryDirectory(prefix="mobod_", ignore_cleanup_errors=True) as name:
        folder = Path(name) / SPECIAL_NAME
        shutil.copytree(tested.subject.folder, folder)
        special = Tested(Subject(tested.subject.path, tested.subject.limits, folder, tested.experiment), tested.monitor)
        files = set(folder.rglob("*"))
        for interface in tested.model.interfaces:
            try:
                live(special, interface)
            except (FmuError, FmuFileError) as error:
                found.add("folder", f"it does not run in a folder named {SPECIAL_NAME!r}: {error}", "creation", "warning")
        left = sorted(str(each.relative_to(folder)) for each in set(folder.rglob("*")) - files)
        left = [each for each in left if "__pycache__" not in each]
        if left:
            found.add("files", f"it leaves files in its folder: {', '.join(left[:5])}", "creation", "warning")


def _surroundings() -> list[tuple[str, object]]:
    """What an FMU must leave as it is."""
    state: list[tuple[str, object]] = [
        ("the working directory", os.getcwd()),
        ("the treatment of denormal numbers", sys.float_info.min / 2 > 0),
    ]
    if os.name == "posix":
        c = ctypes.CDLL(None)
        c.setlocale.restype = ctypes.c_char_p
        state.append(("the locale", c.setlocale(6 if sys.platform == "linux" else 0, None)))
        mathematics = ctypes.CDLL(ctypes.util.find_library("m") or None)
        state.append(("the rounding mode", mathematics.fegetround()))
        if sys.platform == "linux":
            state.append(("the trapping of floating-point exceptions", mathematics.fegetexcept()))
    return state


@contextmanager
def _printed() -> Iterator[list[str]]:
    """Gives a list, which holds at the end what C or Python wrote to the standard output and error output, if anything."""
    text: list[str] = []
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as file:
        kept = [os.dup(1), os.dup(2)]
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
        try:
            yield text
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            if os.name == "posix":
                ctypes.CDLL(None).fflush(None)
            for descriptor, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, descriptor)
                os.close(copy)
            file.seek(0)
            written = file.read().decode(errors="replace").strip()
            if written:
                text.append(written)
