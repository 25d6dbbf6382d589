"""What a process needs to make runs of a sweep. A task is sent to each process once; a runner is made of it there."""

import hashlib
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, final

import cloudpickle
import numpy as np

from mobod.analysis.named_numbers import distinct_numbers, set_numbers
from mobod.errors import InputError, MobodError
from mobod.fmu.python.system_pickle import unpickle_system
from mobod.importer.fmu_model import FmuModel
from mobod.importer.run import FmuRun
from mobod.importer.start_values import StartValues
from mobod.simulate import Results, Simulation, Table
from mobod.simulate.stepped_run import SteppedRun
from mobod.sweeps.figures import figures_of
from mobod.sweeps.journal import Row
from mobod.sweeps.side_by_side import FEWEST, TOGETHER, RunsSideBySide
from mobod.system import State, System

FigureFunction = Callable[..., Mapping[str, float]]


class Runner(Protocol):
    """Makes runs. `names` are those of the figures."""

    names: list[str]

    def run(self, values: Sequence[float]) -> list[float]:
        """The figures of a run with these values."""

    def run_side_by_side(self, values: Sequence[Sequence[float]]) -> list[list[float] | None]:
        """The figures of several runs, the same as those of `run`; None for each run that `run` must make."""


class Task(Protocol):
    """A picklable description of the runs, which differ in values alone."""

    @property
    def key(self) -> str:
        """Differs between tasks that give different figures."""

    @property
    def figures(self) -> tuple[str, ...]: ...

    @property
    def runs_together(self) -> int:
        """The number of runs that a process can make side by side, or 1."""

    def runner(self) -> "SystemRunner | FmuRunner": ...


@final
@dataclass(frozen=True)
class SystemTask:
    """Runs of a System.

    data          the pickled System and State
    names         of the values that are set
    figures       texts of figures
    function      a pickled function of the Results that gives more figures; None: there is none
    until         s
    report_every  s, of the rows of a run whose figures need them; None: a 500th of the run
    options       of the Simulation
    """

    data: bytes = field(repr=False)
    names: tuple[str, ...]
    figures: tuple[str, ...]
    function: bytes | None = field(repr=False)
    until: float
    report_every: float | None
    options: Mapping[str, Any]

    @cached_property
    def key(self) -> str:
        return _hash(self.data, self)

    @property
    def runs_together(self) -> int:
        return TOGETHER if self.function is None else 1

    def runner(self) -> "SystemRunner":
        return SystemRunner(self, *unpickle_system(self.data))


@final
@dataclass(frozen=True)
class FmuTask:
    """Runs of an FMU, in a file that all processes can read.

    digest  of the file
    """

    path: str
    digest: str
    names: tuple[str, ...]
    figures: tuple[str, ...]
    function: bytes | None = field(repr=False)
    until: float | None
    report_every: float | None
    options: Mapping[str, Any]

    @cached_property
    def key(self) -> str:
        return _hash(self.digest.encode(), self)

    @property
    def runs_together(self) -> int:
        return 1

    def runner(self) -> "FmuRunner":
        return FmuRunner(self)


def _hash(model: bytes, task: SystemTask | FmuTask) -> str:
    options = repr((task.names, task.figures, task.until, task.report_every, sorted(task.options.items())))
    return hashlib.sha256(b"\0".join((model, task.function or b"", options.encode()))).hexdigest()


@final
class SystemRunner:
    """Makes runs of a System.

    If only values at the end are wanted, all runs one by one share one SteppedRun, which is set back to the start.
    """

    def __init__(self, task: SystemTask, system: System, state: State) -> None:
        self._task, self._system, self._state = task, system, state
        self._figures = figures_of(task.figures)
        self._function: FigureFunction | None = None if task.function is None else pickle.loads(task.function)
        self._simulation = Simulation(system, **task.options)
        for name in (*task.names, *(figure.variable for figure in self._figures)):
            variable = system.variable(state, name)
            if variable.slot.size != 1:
                raise InputError(f"'{variable.name}' has {variable.slot.size} numbers. Name one: '{variable.entry_names()[0]}'.")
        self._numbers = distinct_numbers(system, state, task.names, "sweep")
        self.names = [figure.text for figure in self._figures]
        self._is_quick = self._function is None and all(figure.function is None for figure in self._figures)
        self._stepped: SteppedRun | None = None
        self._ensemble: RunsSideBySide | None = None
        self._goes_side_by_side = self._function is None

    def run_side_by_side(self, values: Sequence[Sequence[float]]) -> list[list[float] | None]:
        nothing: list[list[float] | None] = [None] * len(values)
        if len(values) < FEWEST or not self._goes_side_by_side:
            return nothing
        try:
            if self._ensemble is None:
                self._ensemble = self._new_ensemble()
            found, is_known = self._ensemble.run(np.array(values).reshape(len(values), len(self._numbers)))
        except MobodError:  # explained by the runs one by one
            self._goes_side_by_side = False
            return nothing
        except BaseException:  # Ctrl-C
            if self._ensemble is not None:
                self._ensemble.close()
            raise
        self._goes_side_by_side = bool(2 * is_known.sum() >= len(values))
        return [figures if known else None for figures, known in zip(found.tolist(), is_known.tolist(), strict=True)]

    def _new_ensemble(self) -> RunsSideBySide:
        """Raises MobodError for runs that must be made one by one."""
        if self._is_quick:
            self._begin_stepped()  # raises errors of the common start
        return RunsSideBySide(self._simulation, self._state, self._numbers, self._figures, self._task.until, self._report_every())

    def run(self, values: Sequence[float]) -> list[float]:
        return self._at_end(values) if self._is_quick else self._over_time(values)

    def _at_end(self, values: Sequence[float]) -> list[float]:
        run = self._begin_stepped()
        if self._system.has_events:  # handlers of the start depend on the values
            run.reset(self._start(values))
        else:
            run.restore(self._saved)
            if self._set is not None:
                self._set.set(np.array(values))
        if run.terminated_by is None:
            run.step_to(self._task.until)
        return [] if self._get is None else self._get.get().tolist()

    def _begin_stepped(self) -> SteppedRun:
        """The common run, which is made on first use."""
        if self._stepped is None:
            self._stepped = self._simulation.start(self._state)
            self._saved = self._stepped.save()
            self._set = self._stepped.variables(*self._task.names) if self._task.names else None
            self._get = self._stepped.variables(*(figure.variable for figure in self._figures)) if self._figures else None
        return self._stepped

    def _start(self, values: Sequence[float]) -> State:
        state = self._state.copy()
        set_numbers(self._system, state, self._numbers, values)
        return state

    def _over_time(self, values: Sequence[float]) -> list[float]:
        results = self._simulation.run(self._start(values), self._task.until, self._report_every())
        figures = [figure.of(results.time, _column(results, figure.variable)) for figure in self._figures]
        return figures + _more(self.names, len(self._figures), self._function, results)

    def _report_every(self) -> float | None:
        return self._task.report_every or (self._task.until - self._state.time) / 500 or None


@final
class FmuRunner:
    """Makes runs of an FMU."""

    def __init__(self, task: FmuTask) -> None:
        self._task = task
        self._figures = figures_of(task.figures)
        self._function: FigureFunction | None = None if task.function is None else pickle.loads(task.function)
        self._model = FmuModel(task.path)
        self.names = [figure.text for figure in self._figures]

    def run_side_by_side(self, values: Sequence[Sequence[float]]) -> list[list[float] | None]:
        return [None] * len(values)

    def run(self, values: Sequence[float]) -> list[float]:
        start = StartValues(self._model)
        for name, value in zip(self._task.names, values, strict=True):
            start.set(name, repr(value))
        arrays = [_array_name(figure.variable, self._model.variables) for figure in self._figures]
        task = self._task
        run = FmuRun(
            self._model, start, outputs=list(dict.fromkeys(arrays)), until=task.until, report_every=task.report_every, **task.options
        )
        table = run.run()
        figures = [figure.of(table.time, _column(table, figure.variable)) for figure in self._figures]
        return figures + _more(self.names, len(self._figures), self._function, table)


def _array_name(name: str, known: Mapping[str, object]) -> str:
    return name if name in known or not name.endswith("]") else name.rpartition("[")[0]


def _column(table: Results | Table, name: str) -> np.ndarray:
    """(m,) the values of a single number over time."""
    if name in table or not name.endswith("]"):
        values = table[name]
        if values.ndim != 1:
            raise InputError(f"'{name}' has {values.shape[1]} numbers. Name one: '{name}[1]'.")
        return values
    array, _, index = name[:-1].rpartition("[")
    values = table[array].reshape(len(table.time), -1)
    if "," in index or not 1 <= int(index) <= values.shape[1]:
        raise InputError(f"'{name}': an element is counted by one number from 1 to {values.shape[1]}.")
    return values[:, int(index) - 1]


def _more(names: list[str], n_known: int, function: FigureFunction | None, results: Results | Table) -> list[float]:
    """The figures of a user's function. Their names, which follow the first n_known names, are those of the first run."""
    if function is None:
        return []
    found = function(results)
    if not isinstance(found, Mapping):
        raise InputError(f"the function for figures returns {type(found).__name__}, and must return a dict: name -> number.")
    if len(names) == n_known:
        names += found
    elif list(found) != names[n_known:]:
        raise InputError(
            f"the function for figures returns {list(found)}, and before {names[n_known:]}. It must always return the same names."
        )
    return [float(value) for value in found.values()]


_runners: dict[str, Runner] = {}  # of this process, by the keys of their tasks


def run_rows(task: Task, first: int, values: Sequence[Sequence[float]]) -> tuple[list[Row], Sequence[str]]:
    """Make runs number first, first + 1, ... Returns their rows, and the names of the figures. A failed run has its message."""
    if task.key not in _runners:
        _runners.clear()  # the last sweep's
        _runners[task.key] = task.runner()
    runner = _runners[task.key]
    rows: list[Row] = []
    for number, (each, known) in enumerate(zip(values, runner.run_side_by_side(values), strict=True), start=first):
        try:
            rows.append((number, runner.run(each) if known is None else known, ""))
        except Exception as error:  # an element's or a user's own error is kept as that of its run
            rows.append((number, [], f"{type(error).__name__}: {error}"))
    return rows, runner.names


def pickled(function: FigureFunction | None) -> bytes | None:
    data: bytes | None = None if function is None else cloudpickle.dumps(function)
    return data
