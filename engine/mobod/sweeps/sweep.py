"""sweep: runs of a System or an FMU with many values."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.disk.working_folder import absolute
from mobod.errors import InputError, described
from mobod.fmi.read_description import warn_of_breaches
from mobod.fmu.python.system_pickle import pickle_system
from mobod.importer.fmu_model import FmuModel
from mobod.progress import Progress, shown_progress
from mobod.runtime.cores import usable_cores
from mobod.simulate import Simulation
from mobod.simulate.simulation import check_report_count
from mobod.sweeps.design import Axis, DesignKind, axes_of, design
from mobod.sweeps.figures import figures_of
from mobod.sweeps.journal import Journal, Row
from mobod.sweeps.pool import run_all
from mobod.sweeps.runners import FigureFunction, FmuTask, SystemTask, Task, pickled
from mobod.sweeps.table import SweepTable, check_suffix
from mobod.system import State, System, check_state
from mobod.version import mobod_version


def sweep(
    model: System | str | PathLike[str],
    values: Mapping[str, object],
    *,
    until: float | None = None,
    figures: Sequence[str] | None = None,
    more_figures: FigureFunction | None = None,
    runs: int | None = None,
    method: DesignKind = "random",
    seed: int = 0,
    state: State | None = None,
    report_every: float | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    file: str | PathLike[str] | None = None,
    progress: Progress = None,
    **options: Any,
) -> SweepTable:
    """Simulate a System or an FMU with many values of parameters, inputs and start values. Returns a table with a row for each run.

    values     name of a number -> the values that it takes: several numbers or '1:20:50' (50 numbers from 1 to 20): a grid; 'normal(0, 2)',
               'uniform(a, b)', 'lognormal(m, s)', 'triangular(a, mode, b)', 'exponential(mean)' or a frozen distribution of scipy.stats:
               samples. Every point of the grid is combined with every sample
    until      s, the end of each run; default for an FMU: that of its default experiment
    figures    what the table has of a run: 'lower.q', 'lower.p_GB[2]': the value at the end; 'max(lower.q)', 'min', 'mean', 'rms': over the
               rows of the run. Default: the states, or the outputs of an FMU, at the end
    more_figures
               a function of the Results (of an FMU: of the Table) that returns a dict, name -> number
    runs       number of samples
    method     of sampling: 'random'; 'latin' (Latin hypercube), 'sobol', 'halton': by scipy.stats.qmc
    seed       of the samples
    state      a State of the System, from which runs start; default: the default State
    report_every
               s, interval of the rows, if figures need more than the end; default: a 500th of the run
    processes  default: one for each core; 1: this process alone
    cluster    address of a Dask scheduler (extra `sweep`), which replaces the processes
    file       CSV or Parquet file that the table is written to. Finished runs are kept beside it; if the process is killed, the same call
               goes on where it was, and the table is the same to the bit
    progress   True: a bar, on a terminal or in a notebook; or a function, called as progress(finished runs, all runs)
    options    of Simulation: accuracy, integrator ...; of an FMU: interface, step, accuracy

    A run that fails has its message in `errors`, and NaN for its figures. Runs do not depend on the number of processes.

    Raises UnknownNameError with the nearest name, InputError, UnsupportedError for a System that cannot be pickled.
    """
    axes = axes_of(values)
    points = design(axes, runs, method, seed)
    if processes is not None and (processes < 1 or int(processes) != processes):
        raise InputError(f"sweep: processes must be a whole number from 1 on, not {processes!r}.")
    if report_every is not None:
        report_every = real_number(report_every, "sweep: report_every")
        if not 0 < report_every < np.inf:
            raise InputError(f"sweep: report_every must be positive, not {report_every!r} s.")
        end = np.inf if until is None else real_number(until, "sweep: until")
        if np.isfinite(end):
            check_report_count("sweep", 0.0 if state is None else state.time, end, report_every)
    if isinstance(figures, str):
        figures = (figures,)
    if file is not None:
        check_suffix(file)
    task = _task(model, axes, until, figures, more_figures, state, report_every, options)
    task.runner()  # raises errors of names before any process starts
    journal = None if file is None else Journal(_journal_path(Path(file)), _fingerprint(task, points), len(points))
    known: dict[int, Row] = {} if journal is None else journal.rows
    found, names = dict(known), list((journal and journal.figures) or task.figures)

    def report(rows: Sequence[Row], figure_names: Sequence[str]) -> None:
        if len(figure_names) > len(names):
            names[:] = figure_names
        if journal is not None:
            journal.add(rows, figure_names)
        found.update({row[0]: row for row in rows})
        if report_progress is not None:
            report_progress(len(found), len(points))

    missing = [number for number in range(len(points)) if number not in found]
    n_processes = min(processes or usable_cores(), max(1, len(missing)))
    with shown_progress(progress, "sweep", "sweep") as report_progress:
        if report_progress is not None:
            report_progress(len(found), len(points))
        run_all(task, points, missing, n_processes, cluster, report)
    table = _table(axes, points, names, found)
    if file is not None and journal is not None:
        table.write(file)
        journal.remove()
    return table


def _task(
    model: System | str | PathLike[str],
    axes: Sequence[Axis],
    until: float | None,
    figures: Sequence[str] | None,
    function: FigureFunction | None,
    state: State | None,
    report_every: float | None,
    options: dict[str, Any],
) -> Task:
    names = tuple(axis.name for axis in axes)
    if isinstance(model, System):
        return system_task(
            model,
            names,
            until=until,
            figures=figures,
            function=function,
            state=state,
            report_every=report_every,
            options=options,
        )
    until = None if until is None else real_number(until, "sweep: until")
    if not isinstance(model, (str, PathLike)):
        raise InputError(f"sweep takes a System or the path of an FMU, not {described(model)}.")
    if state is not None:
        raise InputError("sweep: state applies to a System. Give start values of an FMU by name, in values.")
    fmu = FmuModel(model)
    warn_of_breaches(fmu.archive, fmu.breaches)
    if figures is None:
        outputs = [each for each in fmu.with_causality("output") if each.kind is not None]
        figures = [name for each in outputs for name in _entries(each.name, fmu.shape(each))]
    digest = hashlib.sha256(Path(model).read_bytes()).hexdigest()
    path = str(absolute(model))
    return FmuTask(path, digest, names, tuple(each.text for each in figures_of(figures)), pickled(function), until, report_every, options)


def system_task(
    system: System,
    names: Iterable[str],
    *,
    until: float | None,
    figures: Sequence[str] | None = None,
    function: FigureFunction | None = None,
    state: State | None = None,
    report_every: float | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> SystemTask:
    """Runs of a System that set values of these names. Arguments are those of `sweep`."""
    until = None if until is None else real_number(until, "sweep: until")
    state = system.realize_topology() if state is None else state
    check_state(state, system)
    if until is None or not state.time <= until < np.inf:
        raise InputError(
            f"sweep: until, the end of each run in s, must be finite and not before the start, {state.time:g} s; not {until!r}."
        )
    if figures is None:
        figures = [name for each in system.variables(state) if each.role == "state" for name in each.entry_names()]
    Simulation(system, **options)  # raises errors of its options
    data = pickle_system(system, state, "sent to other processes").data
    texts = tuple(each.text for each in figures_of(figures))
    return SystemTask(data, tuple(names), texts, pickled(function), until, report_every, dict(options))


def _entries(name: str, shape: tuple[int, ...]) -> list[str]:
    return [f"{name}[{k + 1}]" for k in range(int(np.prod(shape)))] if shape else [name]


def _journal_path(file: Path) -> Path:
    return file.with_name(f"{file.name}.unfinished")


def _fingerprint(task: Task, points: np.ndarray) -> str:
    return hashlib.sha256(json.dumps([mobod_version(), task.key, hashlib.sha256(points.tobytes()).hexdigest()]).encode()).hexdigest()


def _table(axes: Sequence[Axis], points: np.ndarray, names: Sequence[str], rows: Mapping[int, Row]) -> SweepTable:
    figures = np.full((len(points), len(names)), np.nan)
    errors = [""] * len(points)
    for number, values, error in rows.values():
        errors[number] = error
        if not error:
            figures[number] = values
    return SweepTable([axis.name for axis in axes], points, names, figures, errors)
