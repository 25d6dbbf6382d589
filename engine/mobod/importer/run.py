"""FmuRun: one FMU of any tool is simulated, by co-simulation or model exchange."""

from collections.abc import Sequence
from math import ceil, inf, isfinite
from os import PathLike
from typing import final

import numpy as np

from mobod.arguments.held_counts import check_held_count
from mobod.c_calls import interrupts_between_calls
from mobod.errors import InputError, UnsupportedError
from mobod.fmi.loading import Interface
from mobod.fmi.log_file import LogFile
from mobod.fmi.message_file import message_file
from mobod.importer.co_simulation import CoSimulation, communication_points, fixed_step_of
from mobod.importer.driver import InputDriver, initial_values
from mobod.importer.fmu_model import FmuModel
from mobod.importer.input_signals import InputSignals
from mobod.importer.input_table import InputTable
from mobod.importer.instance import FmuInstance
from mobod.importer.model_exchange import ModelExchange
from mobod.importer.recorder import RowRecorder
from mobod.importer.start_values import StartValues
from mobod.importer.variable import ForeignVariable
from mobod.progress import Progress, shown_progress
from mobod.simulate.table import Table

DEFAULT_INTERVALS = 500  # of a run whose FMU declares no step
DEFAULT_TOLERANCE = 1e-6  # of model exchange, if the FMU declares none


@final
class FmuRun:
    """A run of an FMU. All arguments are checked before it is loaded.

    model
    start         values that differ from the FMU's own
    inputs        values over time
    outputs       names of recorded variables; default: all outputs, or the continuous states if there are none
    interface     default: co-simulation if the FMU has it
    until         s   end; default: that of the default experiment, or one second after its start
    step          s   communication step of co-simulation; default: that of the default experiment, or a 500th of the run
    report_every  s   interval of the rows; default: of co-simulation the step, of model exchange that of the default experiment, or a
                      500th of the run
    accuracy          relative tolerance; default: that of the default experiment

    steps         of the run: communication steps, or steps of the integrator
    evaluations   of the derivatives in model exchange; None in co-simulation
    seconds       that the FMU needed for its steps in co-simulation; None in model exchange
    recorded      Table of the rows so far, also after an error

    Raises UnknownNameError, InputError, UnsupportedError.
    """

    def __init__(
        self,
        model: FmuModel,
        start: StartValues,
        inputs: InputTable | None = None,
        *,
        outputs: Sequence[str] = (),
        interface: Interface | None = None,
        until: float | None = None,
        step: float | None = None,
        report_every: float | None = None,
        accuracy: float | None = None,
    ) -> None:
        self.model = model
        self.interface = _interface(model, interface)
        self.steps = 0
        self.evaluations: int | None = None
        self.seconds: float | None = None
        self._recorder: RowRecorder | None = None
        self._start_values = start
        self._outputs = _outputs(model, outputs)
        declared = model.default_experiment()
        for name in ("tolerance", "step"):  # some tools write 0 for none
            number = declared[name]
            declared[name] = number if number is not None and 0 < number < inf else None
        self.start = declared["start"] or 0.0
        self.stop = until if until is not None else declared["stop"] if declared["stop"] is not None else self.start + 1.0
        if not (isfinite(self.start) and isfinite(self.stop) and self.stop > self.start):
            raise InputError(f"the run from {self.start} s until {self.stop} s is invalid. Give a finite end after its start.")
        if accuracy is not None and not 0 < accuracy < 1:
            raise InputError(f"the accuracy must be between 0 and 1, not {accuracy!r}.")
        self.tolerance = accuracy if accuracy is not None else declared["tolerance"]
        for name, value in (("step", step), ("report_every", report_every)):
            if value is not None and not (isfinite(value) and value > 0):
                raise InputError(f"{name} must be positive and finite, not {value!r} s.")
        self._signals = None if inputs is None else InputSignals(model, inputs, start.structure)
        if self._signals is not None:
            self._signals.check_covers(self.start, self.stop)
            both = [each.variable.name for each in (*self._signals.continuous, *self._signals.held) if each.variable.name in start.values]
            if both:
                raise InputError(f"'{both[0]}' is given a start value and a column of the input file. Remove one.")
        if self.interface == "co-simulation":
            self._points, self._reported, self._step = self._communication(declared["step"], step, report_every)
        else:
            if step is not None:
                raise InputError("step applies to co-simulation, and this run is model exchange, whose steps the accuracy decides.")
            every = report_every or declared["step"] or (self.stop - self.start) / DEFAULT_INTERVALS
            self._check_count(every)
            self._points, _ = communication_points(self.start, self.stop, every, every, np.empty(0), is_rigid=False)

    def run(self, progress: Progress = None, *, log: str | PathLike[str] | LogFile | None = None) -> Table:
        """Load the FMU and run it. Returns the rows; their `terminated_by` is the model's name if the FMU ended the run.

        progress  True: a bar, on a terminal or in a notebook; or a function, called from time to time as progress(time, until)
        log       file for what the FMU logs, or a LogFile, which says what of it; default: none

        Raises FmuError with the FMU's own messages, FmuFileError, UnsupportedError.
        """
        with (
            shown_progress(progress, self.model.path.name, "FmuRun.run") as report,
            interrupts_between_calls(),
            message_file(log) as log_file,
            FmuInstance(self.model, self.interface, log_file=log_file) as instance,
        ):
            values = {**self._start_values.values, **initial_values(self._signals, self.start)}
            tolerance = self.tolerance
            instance.initialize(self.start, self.stop, tolerance, values)
            driver = InputDriver(instance, self._signals)
            recorder = self._recorder = RowRecorder(instance, self._outputs)
            breaks, kinks = (np.empty(0),) * 2 if self._signals is None else (self._signals.breaks, self._signals.kinks)
            if self.interface == "co-simulation":
                steps = CoSimulation(instance, self._points, self._reported, self._step)
                terminated_by = steps.run(driver, recorder, report)
                self.steps, self.seconds = steps.steps, steps.seconds
            else:
                equations = ModelExchange(instance, self._points, tolerance or DEFAULT_TOLERANCE)
                terminated_by = equations.run(driver, breaks, kinks, recorder, report)
                self.steps, self.evaluations = equations.steps, equations.evaluations
        return recorder.table(terminated_by)

    @property
    def recorded(self) -> Table | None:
        return None if self._recorder is None else self._recorder.table()

    def _communication(
        self, declared: float | None, step: float | None, report_every: float | None
    ) -> tuple[np.ndarray, np.ndarray, float]:
        capabilities = self.model.capabilities("co-simulation")
        fixed = fixed_step_of(capabilities)
        chosen = step or declared or fixed or (self.stop - self.start) / DEFAULT_INTERVALS
        if step is None and fixed is not None:
            chosen = max(1, round(chosen / fixed)) * fixed
        if report_every is None:
            every = chosen
        else:
            every = report_every
            parts = ceil(every / chosen - 1e-9)
            if step is None and fixed is None:
                chosen = every / parts
            elif abs(every / chosen - round(every / chosen)) > 1e-9 * parts or every < chosen * (1 - 1e-9):
                raise InputError(f"report_every, {every:g} s, must be a whole number of steps of {chosen:g} s.")
        self._check_count(chosen)
        breaks = np.empty(0) if self._signals is None else self._signals.breaks
        is_rigid = capabilities.get("canHandleVariableCommunicationStepSize") is not True
        return *communication_points(self.start, self.stop, chosen, every, breaks, is_rigid=is_rigid), chosen

    def _check_count(self, interval: float) -> None:
        what = f"the points of the run from {self.start:g} s until {self.stop:g} s at intervals of {interval:g} s"
        check_held_count((self.stop - self.start) / interval, what, "Choose a larger step, or an earlier end")


def _interface(model: FmuModel, wanted: Interface | None) -> Interface:
    if wanted is None:
        return model.interfaces[0]
    if wanted not in model.interfaces:
        raise UnsupportedError(f"{model.path}: it is not for {wanted}, only for {' and '.join(model.interfaces)}.")
    return wanted


def _outputs(model: FmuModel, names: Sequence[str]) -> list[ForeignVariable]:
    if not names:
        outputs = [each for each in model.with_causality("output") if each.kind is not None] or model.states
        outputs = [each for each in outputs if each.description.alias is None and each.name != "time"]
        if not outputs:
            raise InputError(f"{model.path}: it has neither outputs nor continuous states. Name the variables to record.")
        return outputs
    chosen = [model.variable(name) for name in dict.fromkeys(names)]
    for variable in chosen:
        if variable.kind is None:
            raise InputError(f"'{variable}' is of type {variable.type}, which mobod does not record.")
    return chosen
