"""LoadedFmu: the library of an FMU in this process or in one of its own, with one instance. All its calls are checked."""

# Decision: docs/decisions/183-versions-of-fmi.md

import ctypes
import logging
import os
import re
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, ClassVar, NoReturn, final

from fmpy.fmi1 import FMICallException
from fmpy.model_description import ModelDescription

from mobod.c_calls import CCalls
from mobod.disk.working_folder import working_folder
from mobod.errors import FmuCallError, FmuError, FmuFileError, UnsupportedError
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.fmu_log import DISCARD, FATAL, FmuLog, status_name
from mobod.fmi.isolation.binding import RemoteFunction, isolated
from mobod.fmi.isolation.process import FmuProcess
from mobod.fmi.loading import InputsWithinStep, Interface, Loading, NewInstance
from mobod.fmi.log_file import ALL
from mobod.fmi.message_file import MessageFile
from mobod.fmi.run_folder import run_folder
from mobod.fmi.shared_library import SharedLibrary, shared_library

_log = logging.getLogger("mobod")


@final
class LoadedFmu:
    """An instance of an FMU of FMI 1.0, 2.0 or 3.0, with a folder of its own, and a process of its own if the archive has an Isolation.
    In this process instances of equal FMUs share one library, if the archive says so and the FMU allows several instances in a process.
    `close` frees all of it.

    version          what differs between versions of FMI
    log              its messages
    log_file         where they are written too; without one the FMU is asked to log failures alone
    with_events      whether co-simulation by FMI 3.0 has event mode, and steps may return early; else the FMU handles events inside its
                     steps and never returns early
    inputs_within    inputs of co-simulation by FMI 3.0 that change within steps; None: all inputs are held

    Every call raises FmuError if the FMU returns a status worse than warning. The message names the instance, the function and the time,
    and ends with the FMU's own messages. Calls raise FmuCallError after a fatal error and after the instance was closed. Ctrl-C raises
    KeyboardInterrupt when the FMU has returned.

    Raises UnsupportedError if there is no library for this platform, FmuFileError if it cannot be loaded.
    """

    observer: ClassVar[Callable[[str], None] | None] = None  # called with the name of each call, before it
    n_ends: ClassVar[int] = 0  # how often an instance was closed or has failed fatally

    def __init__(
        self,
        archive: FmuArchive,
        description: ModelDescription,
        version: Loading,
        interface: Interface,
        name: str,
        *,
        with_events: bool = False,
        inputs_within: InputsWithinStep | None = None,
        log_file: MessageFile | None = None,
    ) -> None:
        self.version = version
        self.name = name
        self._interface = interface
        self.log = FmuLog(name, log_file)
        self._archive = archive
        self._inputs_within = inputs_within
        resources = ExitStack()
        resources.callback(_note_end)
        # also if the caller forgets to close, and when the process ends: some FMUs abort a process that does not free them
        self._release = weakref.finalize(self, resources.close)
        self._process: FmuProcess | None = None
        self._shared: SharedLibrary | None = None
        try:
            self._fmu = self._load(description, interface, resources)
            if self._process is None:
                resources.callback(_free, self._fmu, self.log.calls)
            self._instantiate(interface, with_events)
            self._choose_categories([str(category.name) for category in description.logCategories])
        except BaseException:
            self.log.read_source()
            self._release()
            raise

    def _load(self, description: ModelDescription, interface: Interface, resources: ExitStack) -> Any:
        of_interface = description.coSimulation if interface == "co-simulation" else description.modelExchange
        identifier, path = of_interface.modelIdentifier, self._archive.library(of_interface.modelIdentifier)
        of_folder = ExitStack()
        resources.callback(of_folder.close)
        folder = run_folder(of_folder)
        self._archive.unpack(folder)
        library = folder / path
        if self._archive.shares_library and not of_interface.canBeInstantiatedOnlyOncePerProcess:
            self._shared = shared_library(folder, library, of_folder, resources)
            library = self._shared.path
        if self._archive.is_pythonfmu and re.search("%(?!20)", folder.as_uri()):
            raise UnsupportedError(
                f"FMU '{self.name}' ({self._archive.path}) was made by pythonfmu, whose library crashes in a folder with non-ASCII letters "
                f"such as {folder}. Set the environment variable TMPDIR to a folder with ASCII letters only."
            )
        of_version = self.version.binding(interface)
        binding: Callable[..., Any] = of_version
        if self._archive.isolation is not None:
            update = None if self._inputs_within is None else self._set_inputs
            self._process = FmuProcess(self._archive.isolation.seconds, partial(_is_interrupted, self.log.calls), update)
            resources.callback(self._process.close)
            self.log.source = self._process
            binding = partial(isolated(of_version), process=self._process)
        here = working_folder()
        try:
            return binding(
                guid=description.guid,
                modelIdentifier=identifier,
                unzipDirectory=str(folder),
                libraryPath=str(library),
                instanceName=self.name,
            )
        except Exception as error:  # fmpy raises Exception for errors of the loader, AttributeError for a missing function
            raise FmuFileError(f"{self._archive.path}: its library cannot be loaded: {error}") from error
        finally:
            os.chdir(here)  # fmpy does not leave the folder of a library that cannot be loaded

    def _instantiate(self, interface: Interface, with_events: bool) -> None:
        inputs = None if self._inputs_within is None else self._inputs_within._replace(update=self._set_inputs)
        try:
            with self.log.calls:
                self.version.instantiate(self._fmu, NewInstance(interface, self.log, self._archive.of_fmi_1, with_events, inputs))
        except Exception as error:  # fmpy raises Exception for NULL
            raise self.failure(self.version.instantiating(interface), self._end_of_process() or "returned no instance") from error

    def _choose_categories(self, names: Sequence[str]) -> None:
        """Have the FMU log the categories that are wanted, of those that it has. At first it logs all.

        Without a file it logs failures alone if it has categories for them: messages on each step would cost more than the step.
        """
        if self.log.file is None:
            wanted = {name for name in names if name.startswith("logStatus")}
        else:
            self.log.file.categories.update(names)
            wanted = set(self.log.file.wanted.categories)
        asked = [name for name in names if name in wanted]
        if not asked or len(asked) == len(names) or ALL in wanted:
            return
        function = f"fmi{self.version.digit}SetDebugLogging"
        try:
            if self.version.keeps_categories:
                self.call(function, False, 0, None)
            self.call(function, True, len(asked), (ctypes.c_char_p * len(asked))(*map(str.encode, asked)))
        except FmuError as error:  # it then logs more than it should
            _log.info("%s", error)

    def _set_inputs(self, time: float) -> None:
        with self.log.calls.callback():
            if self._inputs_within is not None:
                self._inputs_within.update(time)

    @property
    def time(self) -> float | None:
        """s, of the instance, for messages; None before it has one"""
        return self.log.time

    @time.setter
    def time(self, time: float | None) -> None:
        self.log.time = time

    @property
    def is_alive(self) -> bool:
        """Whether it can be called: it was not closed, and no call failed fatally."""
        return self._release.alive and self._fmu not in _fatal and (self._process is None or self._process.is_alive)

    @property
    def is_called_in_c(self) -> bool:
        """Whether C may call the functions of its version; those of FMI 1.0 are called by Python."""
        return self.version.is_called_in_c

    @property
    def is_isolated(self) -> bool:
        """Whether it has a process of its own, which may end at any time."""
        return self._process is not None

    @property
    def component(self) -> int:
        """The address of the instance in C."""
        return ctypes.cast(self._fmu.component, ctypes.c_void_p).value or 0

    @property
    def runs_python(self) -> bool:
        """Whether it is made of Python code, which runs in the Python of this process or waits for it."""
        return self._archive.has_python_code and self._process is None

    def address(self, function: str) -> int | None:
        """The address of an FMI function in C; None if C cannot call it, since its process is another one."""
        found = getattr(self._fmu.dll, function)
        return None if isinstance(found, RemoteFunction) else ctypes.cast(found, ctypes.c_void_p).value

    def check_alive(self, function: str) -> None:
        """Raise FmuCallError if it cannot be called any more."""
        if not self.is_alive:
            why = "the instance was closed" if not self._release.alive else "a fatal error"
            function = self._spelled(function)
            raise FmuCallError(f"FMU '{self.name}' ({self._archive.path}): {function} was called after {why}. Make a new instance.")

    def check_status(self, function: str, status: int) -> None:
        """Raise the FmuError of a call that C made, unless it returned ok or warning."""
        if status not in (0, 1):
            self._fail(FMICallException(function, status))

    def call(self, function: str, *arguments: object) -> None:
        """Call an FMI function of this instance and check its status."""
        if not self.is_alive:
            self.check_alive(function)
        if LoadedFmu.observer is not None:
            LoadedFmu.observer(f"{self._spelled(function)} from {self.time} s")
        with self.log.calls:
            try:
                status = getattr(self._fmu, function)(self._fmu.component, *arguments)
                if status is not None and status < 0:  # FMPy does not treat this as a failure
                    raise FMICallException(function, status)
            except FMICallException as error:
                self._fail(error)
            finally:
                if self.log.file is not None:
                    self.log.read_source()

    def _fail(self, error: FMICallException) -> NoReturn:
        function, what = error.function, self._end_of_process() or f"returned {status_name(error.status)}"
        if self._process is not None:
            function = self._process.last_function(function)
        if error.status == FATAL and self._process is not None:
            self._process.kill()
        elif error.status == FATAL:
            _fatal.add(self._fmu)
            _note_end()
            if self._shared is not None:
                self._shared.give_to_no_more()
        raise self.failure(function, what) from error

    def failure(self, function: str, what: str, time: float | None = None) -> FmuError:
        """The error of a function call, with the time (s; default: that of the instance) and the FMU's log messages."""
        time = self.time if time is None else time
        when = "" if time is None else f" at {time:.12g} s"
        return FmuError(f"FMU '{self.name}' ({self._archive.path}): {self._spelled(function)}{when} {what}. {self.log}")

    def _spelled(self, function: str) -> str:
        """The name of a function in the FMU's version."""
        return self.version.spelled(function, self._interface)

    def _end_of_process(self) -> str:
        """How the process of an isolated FMU ended; empty for one that is alive, and without isolation."""
        return "" if self._process is None or self._process.is_alive else self._process.end()

    def close(self) -> None:
        """Free the instance and the library, and remove the folder. A second call does nothing.

        Raises FmuError if the process of an isolated FMU crashes or does not end in it.
        """
        try:
            if self._process is not None and self.is_alive:
                function = f"fmi{self.version.digit}FreeInstance"
                self.call(function)
                if end := self._end_of_process():
                    raise self.failure(function, end)
        finally:
            self.log.read_source()
            self._release()


def is_discard(error: FmuError) -> bool:
    """Whether the error is the status discard of a call."""
    return isinstance(error.__cause__, FMICallException) and error.__cause__.status == DISCARD


def _is_interrupted(calls: CCalls) -> bool:
    """Whether Ctrl-C ends a call that is under way."""
    with calls.callback():
        calls.let_interrupt_in()
        return False
    return True


def _note_end() -> None:
    LoadedFmu.n_ends += 1


def _free(fmu: Any, calls: CCalls) -> None:
    if fmu in _fatal:
        return
    if fmu.component is None:
        fmu.freeLibrary()
    else:
        with calls:
            fmu.freeInstance()


# After 'fatal' the standard forbids every call, also the one that frees the instance. FMUs made with pythonfmu do crash there: they free
# their Python object twice. So such instances stay loaded, with their callbacks, until the process ends.
_fatal: set[Any] = set()
