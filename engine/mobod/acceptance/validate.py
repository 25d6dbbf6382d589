"""validate_fmu: all checks of an FMU, each in a process of its own."""

# Decision: docs/decisions/122-running-checks.md

import os
import tempfile
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import final

import numpy as np

from mobod.acceptance.behaviour.pace import paced
from mobod.acceptance.declared_checks import CHECKS, DeclaredCheck
from mobod.acceptance.processes import run_check
from mobod.acceptance.report import AcceptanceReport, Check, Experiment, Result
from mobod.acceptance.subject import Subject
from mobod.disk.working_folder import absolute
from mobod.errors import FmuFileError, InputError, MobodError, UnknownNameError
from mobod.fmi.fmu_limits import FmuLimits
from mobod.importer.fmu_model import FmuModel
from mobod.runtime.cores import usable_cores

MOST_POINTS = 10_000  # of the runs, whose default experiment is shortened

Progress = Callable[[float, float], None]


def validate_fmu(
    path: str | os.PathLike[str],
    *,
    until: float | None = None,
    step: float | None = None,
    limits: FmuLimits | None = None,
    checks: list[str] | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
) -> AcceptanceReport:
    """Check an FMU of FMI 2.0 or 3.0, made by any tool.

    until     s   end of the runs; default: that of the default experiment, or one second
    step      s   largest of the three communication steps that are tried; default: that of the default experiment, or 1/100 of the run
    limits        upper limits for the FMU's size; default: FmuLimits()
    checks        names of the checks to make, such as "archive"; default: all
    timeout   s   for each check; default: that of the check, two minutes for most
    progress      called with the number of finished checks and the total number of checks

    Each check runs in a process of its own. The FMU is unpacked once. A check that could not be made gives the reason.
    Raises FmuFileError if the file does not exist, InputError for invalid times, UnknownNameError for an unknown check.
    """
    path = Path(path)
    if not path.is_file():
        raise FmuFileError(f"{path}: the file does not exist.")
    if timeout is not None and not 0 < timeout < np.inf:
        raise InputError(f"timeout: {timeout} s is invalid. Give a positive number.")
    chosen = _chosen(checks)
    limits = limits or FmuLimits()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mobod_", ignore_cleanup_errors=True)))
        model, refusal = _model(path, limits, folder)
        experiment = None if model is None else experiment_of(model, until, step)
        subject = Subject(absolute(path), limits, folder, experiment)
        if refusal is None and any(each.runs for each in chosen):
            subject = paced(subject)
        facts = _about(model)
        if subject.experiment is not None and subject.experiment != experiment:
            experiment = subject.experiment
            facts.append(("shortened runs", f"until {experiment.stop:.6g} s, since longer communication steps take too long"))
        if model is not None:
            chosen = [each for each in chosen if each.interface is None or each.interface in model.interfaces]
        to_run = [each for each in chosen if refusal is None or not each.runs]
        results = _run_all(to_run, subject, timeout, progress)
    skipped = {each.name: Check(each.name, each.claim, Result(not_checked=refusal)) for each in chosen if each not in to_run}
    return AcceptanceReport(path, [{**results, **skipped}[each.name] for each in chosen], facts, experiment)


def experiment_of(model: FmuModel, until: float | None, step: float | None) -> Experiment:
    """The runs of an FMU. They end after a whole number of steps.

    until, step  s   as in validate_fmu

    Raises InputError for invalid times, FmuFileError for a default experiment that is not made of numbers.
    """
    declared = model.default_experiment()
    start = declared["start"] or 0.0
    stop = until if until is not None else declared["stop"] if declared["stop"] is not None else start + 1.0
    longest = stop - start
    step = step if step is not None else declared["step"] or longest / 100
    if not 0 < longest < np.inf:
        raise InputError(f"the run from {start} s until {stop} s is invalid. Give a finite end after its start.")
    if not 0 < step < np.inf:
        raise InputError(f"the communication step is {step} s. Give a finite positive number.")
    step = min(step, longest / 2)  # a state is saved in between
    points = int(longest / step * (1 + 1e-12))  # a whole number despite round-off
    return Experiment(start, step, points if until is not None else min(points, MOST_POINTS), declared["tolerance"] or None)


def _chosen(names: list[str] | None) -> list[DeclaredCheck]:
    by_name = {each.name: each for each in CHECKS}
    for name in names or ():
        UnknownNameError.check("check", name, by_name)
    return [each for each in CHECKS if names is None or each.name in names]


def _model(path: Path, limits: FmuLimits, folder: Path) -> tuple[FmuModel | None, str | None]:
    """The FMU, unpacked to the folder, and None; or the reason why it cannot be run."""
    model = None
    try:
        model = FmuModel(path, limits)
        if model.archive.of_fmi_1 is not None:
            return None, f"{path}: this is an FMU of FMI 1.0. mobod imports it, but checks FMUs of FMI 2.0 and 3.0 alone."
        model.archive.unpack(folder)
    except MobodError as error:
        return model, str(error)
    return model, None


def _about(model: FmuModel | None) -> list[tuple[str, str]]:
    if model is None:
        return []
    description = model.description
    facts = {
        "model": description.modelName,
        "FMI version": description.fmiVersion,
        "interfaces": ", ".join(model.interfaces),
        "generation tool": description.generationTool,
        "generated": description.generationDateAndTime,
        "platforms": ", ".join(model.archive.platforms),
        "variables": str(len(model.variables)),
    }
    return [(name, value) for name, value in facts.items() if value]


@final
class _Counter:
    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total, self._progress, self._done = total, progress, 0

    def add(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self._total)


def _run_all(declared: list[DeclaredCheck], subject: Subject, timeout: float | None, progress: Progress | None) -> dict[str, Check]:
    """The results by name. As many checks run at the same time as there are cores; those that measure time run alone, at the end."""
    counter = _Counter(len(declared), progress)
    counter.add(0)
    results = dict[str, Check]()
    cancelled = Event()
    with ThreadPoolExecutor(max_workers=usable_cores()) as pool:
        running: set[Future[Check]] = {pool.submit(run_check, each, subject, timeout, cancelled) for each in declared if not each.alone}
        try:
            while running:
                finished, running = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                results |= {check.name: check for check in (future.result() for future in finished)}
                counter.add(len(finished))
        except BaseException:  # Ctrl-C, for instance
            cancelled.set()
            pool.shutdown(cancel_futures=True)
            raise
    for each in declared:
        if each.alone:
            results[each.name] = run_check(each, subject, timeout)
            counter.add(1)
    return results
