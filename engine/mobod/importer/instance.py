"""FmuInstance: an instance of an FMU, initialized with start values, and terminated and freed at the end."""

import math
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self, final

from mobod.errors import FmuError
from mobod.fmi.loaded_fmu import InputsWithinStep, Interface, LoadedFmu, is_discard
from mobod.fmi.message_file import MessageFile
from mobod.importer.fmu_model import FmuModel
from mobod.importer.kinds import Value
from mobod.importer.values import VariableValues
from mobod.importer.variable import ForeignVariable


@final
class FmuInstance:
    """An instance of an FMU. A context manager that terminates and frees it.

    model, interface
    name              for messages; default: that of the model
    with_events, inputs_within, log_file
                      as in LoadedFmu
    fmi_version       as in LoadedFmu
    log               its messages

    Every call raises FmuError if the FMU returns a status worse than warning, with the FMU's own messages.
    """

    def __init__(
        self,
        model: FmuModel,
        interface: Interface,
        name: str | None = None,
        *,
        with_events: bool = False,
        inputs_within: InputsWithinStep | None = None,
        log_file: MessageFile | None = None,
    ) -> None:
        self.model = model
        self.interface = interface
        self.name = name or model.name
        self._loaded = LoadedFmu(
            model.archive,
            model.description,
            interface,
            self.name,
            with_events=with_events,
            inputs_within=inputs_within,
            log_file=log_file,
        )
        self.log = self._loaded.log
        self.fmi_version = self._loaded.fmi_version
        self._structure: dict[str, Value] = {}  # structural parameters that were set
        self._runs = False  # whether it is initialized and no call failed

    @property
    def time(self) -> float | None:
        """s, for messages"""
        return self._loaded.time

    @time.setter
    def time(self, time: float | None) -> None:
        self._loaded.time = time

    @property
    def is_alive(self) -> bool:
        """Whether it can be called: it was not closed, and no call failed fatally."""
        return self._loaded.is_alive

    def size(self, variable: ForeignVariable) -> int:
        """The number of elements."""
        return math.prod(self.model.shape(variable, self._structure))

    def values(self, variables: Sequence[ForeignVariable]) -> VariableValues:
        return VariableValues(self, variables)

    def initialize(self, start: float, stop: float | None, tolerance: float | None, values: Mapping[str, Sequence[Value]]) -> None:
        """Set start values and initialize.

        start, stop  s  of the experiment; stop None: no end
        tolerance       relative; None: the FMU's own
        values          start values by name, as lists of elements
        """
        self.enter_initialization(start, stop, tolerance, values)
        self.exit_initialization()

    def enter_initialization(
        self, start: float, stop: float | None, tolerance: float | None, values: Mapping[str, Sequence[Value]]
    ) -> None:
        """Set start values and enter initialization mode. The arguments are those of `initialize`."""
        self.time = start
        experiment = (tolerance is not None, tolerance or 0.0, start, stop is not None, stop or 0.0)
        variables = [self.model.variable(name) for name in values]
        structural = [each for each in variables if each.causality == "structuralParameter"]
        inputs = [each for each in variables if each.causality == "input"]
        if structural:
            self.call("EnterConfigurationMode")
            self._set(structural, values)
            self.call("ExitConfigurationMode")
            self._structure = {each.name: values[each.name][0] for each in structural}
        if self.fmi_version == "2":
            self.call("SetupExperiment", *experiment)
        at_once = self.model.archive.of_fmi_1 is not None  # FMI 1.0 has no initialization mode, in which inputs are set
        self._set([each for each in variables if each not in structural and (at_once or each not in inputs)], values)
        if self.fmi_version == "2":
            self.call("EnterInitializationMode")
        else:
            self.call("EnterInitializationMode", *experiment)
        self._set(inputs, values)

    def exit_initialization(self) -> None:
        self.call("ExitInitializationMode")
        self._runs = True

    def _set(self, variables: Sequence[ForeignVariable], values: Mapping[str, Sequence[Value]]) -> None:
        self.values(variables).set([values[each.name] for each in variables])

    def call(self, function: str, *arguments: object) -> None:
        """Call a function by its name, with or without fmi2 or fmi3."""
        prefix = "" if function.startswith("fmi") else f"fmi{self.fmi_version}"
        try:
            self._loaded.call(prefix + function, *arguments)
        except FmuError as error:
            self._runs = self._runs and is_discard(error)
            raise

    def check(self, function: str, status: int) -> None:
        """Raise the error of a call that C made, unless it returned ok or warning."""
        try:
            self._loaded.check_status(function, status)
        except FmuError as error:
            self._runs = self._runs and is_discard(error)
            raise

    @property
    def loaded(self) -> LoadedFmu:
        return self._loaded

    def failure(self, function: str, what: str) -> FmuError:
        return self._loaded.failure(function, what)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        try:
            if self._runs and error is None:
                self.call("Terminate")
        finally:
            self._loaded.close()
