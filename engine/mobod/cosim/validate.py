"""Validation of an FMU: it is read, run at three communication steps, saved, restored, and run twice at the same time."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import final

import fmpy
import numpy as np
from fmpy import validation
from fmpy.model_description import ModelDescription, ValidationError

from mobod.c_calls import interrupts_between_calls
from mobod.cosim.fmu_file import FmuFile
from mobod.cosim.fmu_limits import FmuLimits
from mobod.cosim.saved_state import SavedState
from mobod.cosim.trial import Rows, Trial, output_variables
from mobod.cosim.validation_report import Check, Difference, Experiment, ValidationReport
from mobod.errors import FmuError, FmuFileError, InputError, UnsupportedError
from mobod.fmu.names import is_structured

MAX_POINTS = 10_000  # limit for a default experiment, which is shortened
MOST_NAMES = 20  # in one sentence
TOLERANCE = 1e-4  # default of an FMU that declares none
GROWTH = 100  # factor by which the errors of steps, each within the tolerance, may accumulate

DESCRIPTION = "the model description follows the standard"
RUNS = "it runs at three steps, lands on each point, and all outputs are finite"
STEPS = "outputs do not depend on the step, or converge with it"
STATE = "a restored state resumes with the same bits"
BYTES = "a state from bytes resumes with the same bits in another instance"
TWO = "two instances do not disturb each other"
BY_RUNNING = (RUNS, STEPS, STATE, BYTES, TWO)


def validate_fmu(
    path: str | os.PathLike[str],
    *,
    until: float | None = None,
    step: float | None = None,
    limits: FmuLimits | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> ValidationReport:
    """Check an FMU's description with FMPy. Also run the FMU with its start values if it is for co-simulation by FMI 2.0.

    until     s   end of the run; default: that of its default experiment, or one second
    step      s   largest of the three communication steps that are tried; default: that of its default experiment, or 1/100 of the run
    limits        upper limits for the FMU's size; default: FmuLimits()
    progress      called with the number of finished checks, the finished part of the next check, and the total number of checks

    The run ends after a whole number of steps. The report lists what could not be checked, with the reason.
    Raises FmuFileError if the file does not exist, InputError for invalid times.
    """
    path = Path(path)
    if not path.is_file():
        raise FmuFileError(f"{path}: the file does not exist.")
    try:
        file = FmuFile(path, limits)
    except UnsupportedError as error:  # the archive was checked first and is harmless
        return ValidationReport(
            path, [_description_of_another_kind(path), *(Check(claim, "not checked", str(error)) for claim in BY_RUNNING)]
        )
    except FmuFileError as error:
        return ValidationReport(path, [Check(DESCRIPTION, "failed", str(error))])
    with interrupts_between_calls(), file.archive.unpacked_once():
        return _Validation(file, _experiment(file, until, step)).report(progress)


def _description(description: ModelDescription) -> Check:
    problems = []
    if description.variableNamingConvention == "structured":  # FMPy's parser of names takes a minute for 60,000
        problems += [
            f'"{variable.name}" (line {variable.sourceline}) is not a legal variable name for naming convention "structured".'
            for variable in description.modelVariables
            if not is_structured(variable.name)
        ]
    problems += validation.validate_model_description(description, validate_variable_names=False, validate_model_structure=True)
    return Check(DESCRIPTION, "failed" if problems else "passed", "\n".join(problems))


def _description_of_another_kind(path: Path) -> Check:
    try:
        return _description(fmpy.read_model_description(str(path)))
    except ValidationError as error:
        return Check(DESCRIPTION, "failed", "\n".join(error.problems))
    except Exception as error:  # FMPy raises plain Exceptions, lxml and Python their own; each is a failed check
        return Check(DESCRIPTION, "failed", str(error))


def _experiment(file: FmuFile, until: float | None, step: float | None) -> Experiment:
    declared = file.description.defaultExperiment
    given = (
        {} if declared is None else {name: _number(getattr(declared, name)) for name in ("startTime", "stopTime", "stepSize", "tolerance")}
    )
    start = given.get("startTime") or 0.0
    stop = until
    if stop is None:
        stop = given.get("stopTime")
    if stop is None:
        stop = start + 1.0
    longest = stop - start
    if step is None:
        step = given.get("stepSize") or longest / 100
    if not (0 < longest < np.inf):
        raise InputError(f"the run from {start} s until {stop} s is invalid. Give a finite end after its start.")
    if not (0 < step < np.inf):
        raise InputError(f"the communication step is {step} s. Give a finite positive number.")
    step = min(step, longest / 2)  # a state is saved in between
    points = int(longest / step * (1 + 1e-12))  # a whole number despite round-off
    return Experiment(start, step, points if until is not None else min(points, MAX_POINTS), given.get("tolerance") or None)


def _number(text: str | float | None) -> float | None:
    return None if text is None else float(text)


def _tell(progress: Callable[[float, float], None], checks: int, part: float) -> None:
    progress(checks + part, len(BY_RUNNING) + 1)


@final
class _Validation:
    """The checks of one FMU, in order. Each returns its result."""

    def __init__(self, file: FmuFile, experiment: Experiment) -> None:
        self._file = file
        self._experiment = experiment
        self._runs: list[Rows] = []  # at the steps h, h/2, h/4
        self._differences: list[Difference] = []
        self._points = experiment.points  # number of points that all runs have
        self._progress: Callable[[float], None] = lambda _: None  # of the current check, from 0 to 1

    def report(self, progress: Callable[[float, float], None] | None) -> ValidationReport:
        checks = [_description(self._file.description)]
        methods = (self._run, self._compare, self._restore, self._restore_bytes, self._run_two)
        for claim, make in zip(BY_RUNNING, methods, strict=True):
            if progress is not None:
                self._progress = partial(_tell, progress, len(checks))
            self._progress(0.0)
            try:
                checks.append(make())
            except FmuError as error:
                checks.append(Check(claim, "failed", str(error)))
        return ValidationReport(self._file.path, checks, self._differences, self._experiment)

    def _run(self) -> Check:
        ends = []
        for parts in (1, 2, 4):
            with Trial(self._file, self._experiment, parts) as trial:
                start = trial.row()
                # the runs take one, two and four sevenths of the time, so parts - 1 sevenths are done before
                share = partial(self._progress_of_run, parts)
                self._runs.append([start, *trial.walk(0, self._experiment.points, share)])
                ends.append(self._experiment.stop if trial.ended is None else trial.ended.time)
        first, last = min(ends), max(ends)
        if last - first > self._experiment.step * (1 + 1e-9):
            self._runs.clear()
            return Check(RUNS, "failed", f"It ends the simulation at {first:.12g} s or at {last:.12g} s, depending on the step.")
        self._points = min(len(rows) for rows in self._runs) - 1
        clocks = [name for name, variable in self._file.variables.items() if variable.causality == "independent"]
        notes = [] if clocks else ["It has no independent variable, so where it landed cannot be seen."]
        notes += [f"It ended the simulation at {first:.12g} s."] if first < self._experiment.stop else []
        return Check(RUNS, "passed", " ".join(notes))

    def _progress_of_run(self, parts: int, done: float) -> None:
        self._progress((parts - 1 + parts * done) / 7)

    def _compare(self) -> Check:
        if len(self._runs) < 3:
            return Check(STEPS, "not checked", "It did not run.")
        outputs = [variable for _, variable in output_variables(self._file) if variable.type == "Real"]
        tolerance = self._experiment.tolerance or TOLERANCE
        whole, half, quarter = (np.array([row.reals for row in rows[: self._points + 1]]) for rows in self._runs)
        columns = (np.abs(whole - half).max(axis=0), np.abs(half - quarter).max(axis=0), np.abs(quarter).max(axis=0))
        for variable, coarse, fine, largest in zip(outputs, *(column.tolist() for column in columns), strict=True):
            allowed = GROWTH * tolerance * max(largest, abs(float(variable.nominal or 1.0)))
            unit = self._file.unit(variable)
            self._differences.append(Difference(variable.name, "" if unit is None else unit.name, coarse, fine, allowed))
        if not self._differences:
            return Check(STEPS, "not checked", "It has no output that is a real number.")
        differing = [each.output for each in self._differences if each.verdict == "differ"]
        if differing:
            return Check(
                STEPS,
                "failed",
                f"Halving the step does not bring these together: {_listed(differing)}. Either the FMU's solver misses its tolerance, or "
                "small differences grow in the model (it is chaotic); then choose an earlier end.",
            )
        converging = [each.output for each in self._differences if each.verdict == "converge"]
        return Check(STEPS, "passed", f"More than the tolerance explains, but converging: {_listed(converging)}." if converging else "")

    def _restore(self) -> Check:
        if not self._file.description.coSimulation.canGetAndSetFMUstate:
            return Check(STATE, "not checked", "It does not say canGetAndSetFMUstate.")
        middle, end = self._points // 2, self._points
        with Trial(self._file, self._experiment, 1) as trial:
            trial.walk(0, middle)
            with SavedState.of(trial.instance) as saved:
                straight_on = trial.walk(middle, end)
                saved.restore()
                return self._same_bits(STATE, trial.walk(middle, end), straight_on, middle)

    def _restore_bytes(self) -> Check:
        promised = self._file.description.coSimulation
        if not (promised.canGetAndSetFMUstate and promised.canSerializeFMUstate):
            return Check(BYTES, "not checked", "It does not say canGetAndSetFMUstate and canSerializeFMUstate.")
        middle, end = self._points // 2, self._points
        with Trial(self._file, self._experiment, 1) as trial:
            trial.walk(0, middle)
            with SavedState.of(trial.instance) as saved:
                data = saved.to_bytes()
            straight_on = trial.walk(middle, end)
        with Trial(self._file, self._experiment, 1) as other:
            time = self._experiment.start + middle * self._experiment.step
            with SavedState.from_bytes(other.instance, data, time) as saved:
                saved.restore()
            return self._same_bits(BYTES, other.walk(middle, end), straight_on, middle)

    def _run_two(self) -> Check:
        if self._file.description.coSimulation.canBeInstantiatedOnlyOncePerProcess:
            return Check(TWO, "not checked", "It says canBeInstantiatedOnlyOncePerProcess.")
        if len(self._runs) < 3:
            return Check(TWO, "not checked", "It did not run alone.")
        with Trial(self._file, self._experiment, 1) as one, Trial(self._file, self._experiment, 2) as two:
            trials = (one, two)
            together: list[Rows] = [[trial.row()] for trial in trials]
            for point in range(self._points):
                for rows, trial in zip(together, trials, strict=True):
                    rows += trial.walk(point, point + 1)
        for rows, alone in zip(together, self._runs, strict=False):
            check = self._same_bits(TWO, rows, alone[: self._points + 1], -1)
            if check.outcome != "passed":
                return check
        return check

    def _same_bits(self, claim: str, rows: Rows, expected: Rows, before: int) -> Check:
        """before  the number of the point before the first row"""
        outputs = output_variables(self._file)
        names = [name for name, variable in outputs if variable.type == "Real"]
        names += [name for name, variable in outputs if variable.type != "Real"]
        for point, (row, wanted) in enumerate(zip(rows, expected, strict=True), start=before + 1):
            if row.is_same(wanted):
                continue
            time = self._experiment.start + point * self._experiment.step
            pairs = zip(names, [*row.reals.tolist(), *row.others], [*wanted.reals.tolist(), *wanted.others], strict=True)
            name, value, other = next((name, value, other) for name, value, other in pairs if repr(value) != repr(other))
            return Check(claim, "failed", f"'{name}' at {time:.12g} s is {value!r} in place of {other!r}.")
        return Check(claim, "passed")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")
