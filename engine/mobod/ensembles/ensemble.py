"""Ensemble: many runs of a System side by side."""

# Decision: docs/decisions/131-runs-of-ensembles.md

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from math import inf, isfinite
from time import thread_time
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.held_counts import check_held_count
from mobod.arguments.real_numbers import real_number
from mobod.ensembles.deformations import WatchedOutputs
from mobod.ensembles.depths import depths_at_ends
from mobod.ensembles.group import Runs, SlotGroup
from mobod.ensembles.live import LiveRuns
from mobod.ensembles.member import EnsembleMember
from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.results import EnsembleResults
from mobod.ensembles.slots import SharedByRuns
from mobod.ensembles.starts import Starts
from mobod.ensembles.threads import Threads
from mobod.ensembles.whole_runs import WholeRuns, report_times
from mobod.errors import InputError, MobodError, MobodWarning
from mobod.runtime.cores import usable_cores
from mobod.runtime.integrators import methods_used
from mobod.simulate import Simulation
from mobod.simulate.simulation import check_report_count
from mobod.system import State, System
from mobod.system.boundary import check_state, checked_kind, checked_system
from mobod.system.readable import Readable


@final
class Ensemble(Readable):
    """Many runs of one System.

        ensemble = mb.Ensemble(system, state, parameters={"spring.stiffness": np.linspace(100, 200, 1000)}, accuracy=1e-8)
        results = ensemble.run(until=10, report_every=0.1, outputs=["lower.q", "energy"])
        results["lower.q"]                                   # (run, time)

    Each run has the bits that `Simulation(system, ...).run(state, ...)` gives, whatever the other runs and the number of threads are.

    system
    states      the States that the runs start from, of one structure; or one State for all runs
    n           the number of runs from one State; default: that of the rows of parameters and inputs
    parameters  parameters, and states for start values, by their names: {"spring.stiffness": array of n}, rows for several numbers
    inputs      inputs that are constant during a run
    outputs     names of the variables that are reported and observed; default: all states
    threads     the largest number of threads; default: the number of cores that this process may use. Runs that call Python use one
    simulation  options of the Simulation: accuracy, integrator, step, max_step, max_steps, ...

    `run` makes whole runs. `step` advances runs that stay where they are: `reset`, `observations`, `time`.

    Raises UnknownNameError with the nearest name; InputError for States or values that are not valid, with the number of the run.
    """

    def __init__(
        self,
        system: System,
        states: Sequence[State] | State,
        *,
        n: int | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        outputs: Sequence[str] | None = None,
        threads: int | None = None,
        **simulation: Any,
    ):
        checked_system(system, "Ensemble", System)
        self.system = system
        if simulation.get("bounded"):
            raise InputError("Ensemble: bounded=True is for single runs in hard real time. Remove it.")
        self._simulation = Simulation(system, **simulation)
        self._starts = _starts(system, states, n, parameters or {}, inputs or {})
        self._threads = Threads(_checked_threads(threads))
        self._cost_of_a_run = {True: inf, False: inf}  # s of processor time, in the last start and in the last step
        base = self._starts.base
        self._shared = SharedByRuns(system, base, self._simulation.options, self._simulation.chosen_backend(base))
        self._outputs = self._table(outputs)
        self._whole_runs = WholeRuns(self._shared, self._threads)
        self._watched: WatchedOutputs | None = None
        self._live: LiveRuns | None = None

    def _summary(self) -> str:
        return f"of {len(self)} runs of System '{self.system.name}', threads: {self._threads.most} ({self.backend})"

    def __len__(self) -> int:
        """The number of runs."""
        return len(self._starts)

    @property
    def backend(self) -> str:
        """'compiled' or 'interpreted'."""
        return self._shared.code

    def _table(self, outputs: Sequence[str] | None) -> OutputTable:
        base = self._starts.base
        names = [each.name for each in self.system.variables(base) if each.role == "state"] if outputs is None else outputs
        return OutputTable(self.system, base, names)

    # whole runs
    def run(self, until: float, report_every: float | None = None, outputs: Sequence[str] | None = None) -> EnsembleResults:
        """Run all from their States to `until` and return the results. The States do not change.

        until         s, the end; an event may end a run earlier
        report_every  s, interval of the report times from the start on; the end is always one. Default: the start and the end alone
        outputs       names of the variables that are reported; default: those of the ensemble

        A report at the time of an event is that before the event, as in `Simulation.run`. A run that fails is one of `results.failed`.
        """
        start, until = self._start_time(), real_number(until, "Ensemble.run: until")
        every = None if report_every is None else real_number(report_every, "Ensemble.run: report_every")
        if not (isfinite(until) and until >= start):
            raise InputError(f"Ensemble.run: until must be finite and not before the start, {start:g} s, but it is {until!r} s.")
        if every is not None and not 0 < every < inf:
            raise InputError(f"Ensemble.run: report_every must be positive, not {report_every!r} s.")
        if every is not None:
            check_report_count("Ensemble.run", start, until, every)
        table = self._outputs if outputs is None else self._table(outputs)
        time, steps_of_row = report_times(self._simulation.options, start, until, every)
        if self._watched is None or self._watched.outputs is not table:
            self._watched = WatchedOutputs(self.system, self._starts.base, table)
        runs = self._whole_runs.run(self._starts, until, time, steps_of_row, self._watched.table)
        for number, message in self._watched.messages(runs.values, time, runs.finals):
            runs.warnings.setdefault(number, []).append(message)
        for number, message in depths_at_ends(self.system, self._starts, runs.finals):
            runs.warnings.setdefault(number, []).append(message)
        runs.values = self._watched.without_watched(runs.values)
        return self._results(runs, time, table)

    def _start_time(self) -> float:
        times = self._starts.times
        if (times != times[0]).any():
            other = int(np.flatnonzero(times != times[0])[0])
            raise InputError(
                f"Ensemble.run: all States must have the same time, but that of run {other} has {times[other]:.9g} s and that of run 0 "
                f"{times[0]:.9g} s. Use one ensemble for each start."
            )
        return float(times[0])

    def _results(self, runs: Runs, time: np.ndarray, table: OutputTable) -> EnsembleResults:
        rows = self._shared.model.rows
        names = [row.event.name for row in self.system.events.table(self._shared.layout).rows] if rows else []
        found = [(number, f"run {number}: {message}") for number in sorted(runs.warnings) for message in runs.warnings[number]]
        _warn(found, "results.warnings")
        methods = int(np.bitwise_or.reduce(runs.methods, initial=0))
        return EnsembleResults(
            time,
            runs.values,
            table,
            runs.finals,
            failed=[(number, message_of(number, runs.error[number], runs.finals.times[number])) for number in sorted(runs.error)],
            warnings=found,
            terminated_by=[names[number - 1] if number else None for number in runs.terminated.tolist()],
            steps=runs.steps,
            evaluations=runs.evaluations,
            integrator=" and ".join(methods_used(methods)) or self._simulation.integrator,
            backend=self.backend,
        )

    # step by step
    def _present(self) -> LiveRuns:
        live = self._opened()
        self._warn_of_changes(live)
        return live

    def _opened(self) -> LiveRuns:
        if self._live is None:
            self._live = LiveRuns(self._shared, self._starts, self._outputs, self._advance)
        return self._live

    def _warn_of_changes(self, live: LiveRuns) -> None:
        """Warn of what constraints have changed of states, and of flexible bodies, since the last warning."""
        if live.has_new_warnings:
            _warn([(number, f"run {number}: {message}") for number, message in live.take_warnings()], "ensemble.warnings")

    def _advance(self, group: SlotGroup, starts: Starts, is_start: bool) -> None:
        n = len(group.slots)
        n_going = max(n - int(np.count_nonzero(group.members.has_ended)), 1)
        n_threads = 1 if self._shared.calls_python else self._threads.number_for(n_going * self._cost_of_a_run[is_start])
        size = -(-n // n_threads)
        parts = [range(first, min(first + size, n)) for first in range(0, n, size)]
        begins = thread_time()
        self._threads.do([partial(group.advance_to_ends, starts, part) for part in parts], [group])
        self._cost_of_a_run[is_start] = (thread_time() - begins) * len(parts) / n_going

    def step(
        self,
        duration: float,
        inputs: Mapping[str, ArrayLike] | None = None,
        runs: object = None,
        *,
        resets: object = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        """Advance every run by a duration, s, from where it is, as `SteppedRun.step` does.

        inputs      of all runs from now on: {"motor.force": array of n}, with rows for several numbers; also parameters and states
        runs        (n,) booleans, or numbers of the runs that advance; default: all
        resets      (n,) booleans, or numbers of runs that begin again instead, as `reset` lets them; default: none
        parameters  of these runs, as of `reset`

        A run that fails is one of `failed`, and stays where it was before the step. It waits for a reset, and so does
        a run that an event has ended.
        """
        numbers = None if runs is None else _checked_runs(runs, len(self), "step")
        begins = None if resets is None else _checked_runs(resets, len(self), "step")
        others = None if begins is None or not parameters else self._starts_with(begins, parameters)
        live = self._present()
        try:
            live.step(real_number(duration, "Ensemble.step"), inputs or {}, numbers, None if begins is None else (begins, others))
        except InputError:
            raise  # before anything was done
        except BaseException:  # Ctrl-C: some may have begun again
            if begins is not None:
                self.close()
            raise
        self._warn_of_changes(live)

    def _starts_with(self, numbers: np.ndarray, parameters: Mapping[str, ArrayLike]) -> Starts:
        """The first States of runs, with other values."""
        starts = self._starts.chosen(numbers)
        starts.set(parameters)
        return starts

    def reset(
        self,
        runs: object = None,
        states: Sequence[State] | State | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        """Begin runs again: from their first States, or from others.

        runs        (n,) booleans, or numbers of runs; default: all
        states      one for each of these runs, or one for all of them
        parameters  start values and parameters of these runs, as of an Ensemble, with a row for each of the runs. They change their
                    first States, or the one State that is given for all
        """
        numbers = _checked_runs(runs, len(self), "reset")
        others = None
        if parameters and states is None:
            others = self._starts_with(numbers, parameters)
        elif parameters:
            if not isinstance(states, State):
                raise InputError("Ensemble.reset: parameters are for one State. Set the values in the States.")
            check_state(states, self.system)
            others = Starts.varied(self.system, states, len(numbers), parameters) if len(numbers) else None
        elif states is not None:
            given = [states] * len(numbers) if isinstance(states, State) else list(states)
            if len(given) != len(numbers):
                raise InputError(f"Ensemble.reset: {len(numbers)} runs begin again, but {len(given)} States were given.")
            others = Starts(self.system, given) if given else None
        if others is not None and others.base.layout is not self._shared.layout:
            raise InputError("Ensemble.reset: the States have another structure than those of the ensemble. Make a new Ensemble.")
        if len(numbers):
            live = self._opened()
            try:
                live.reset(numbers, others)
            except BaseException:  # Ctrl-C: some have begun again
                self.close()
                raise
            self._warn_of_changes(live)

    def observe(self, outputs: Sequence[str]) -> None:
        """Choose the variables of `observations`."""
        self._outputs = self._table(outputs)
        if self._live is not None:
            self._live.observe(self._outputs)

    def member(self, number: int) -> EnsembleMember:
        """One run as it is now: its time, its State, and values by their names."""
        return EnsembleMember(self._present(), range(len(self))[number])

    @property
    def observations(self) -> np.ndarray:
        """(n, outputs) the outputs of all runs at their present times, each in its unit (`system.variable(state, name).units`)."""
        return self._present().observations()

    @property
    def names(self) -> list[str]:
        """The name of each number of the outputs."""
        return list(self._outputs.names)

    @property
    def time(self) -> np.ndarray:
        """(n,) s, the present times."""
        return self._present().time.copy()

    @property
    def steps(self) -> np.ndarray:
        """(n,) integration steps of each run since its last reset."""
        return self._present().steps

    @property
    def failed(self) -> list[tuple[int, str]]:
        """(number, message) for each run that has failed since its last reset."""
        live = self._present()
        return [(number, message_of(number, live.failed[number], live.time[number])) for number in sorted(live.failed)]

    @property
    def is_failed(self) -> np.ndarray:
        """(n,) booleans: whether each run has failed since its last reset."""
        return self._present().is_failed.copy()

    @property
    def has_ended(self) -> np.ndarray:
        """(n,) booleans: whether an event has ended each run since its last reset."""
        return self._present().has_ended()

    @property
    def warnings(self) -> list[tuple[int, str]]:
        """(number, message) since the last reset of a run: on what constraints have changed of its start, or of states that were set, and
        on flexible bodies that deform or turn beyond what their theory holds for.
        """
        of_runs = self._present().warnings
        return [(number, f"run {number}: {message}") for number in sorted(of_runs) for message in of_runs[number]]

    @property
    def terminated_by(self) -> list[str | None]:
        """For each run the name of the event that has ended it since its last reset, or None."""
        return list(self._present().terminated_by)

    def close(self) -> None:
        """Free the memory in C. It is taken again on the next use."""
        self._whole_runs.close()
        if self._live is not None:
            self._live.close()
            self._live = None


def _warn(found: Sequence[tuple[int, str]], all_of_them: str) -> None:
    """Warn of the first one of these messages, with the number of the others."""
    if found:
        more = f" There are {len(found) - 1} more warnings: {all_of_them}." if len(found) > 1 else ""
        warnings.warn(f"Ensemble: {found[0][1]}{more}", MobodWarning, stacklevel=4)


def message_of(number: int, error: BaseException, time: float) -> str:
    """The message of a run that failed at a time."""
    text = str(error) if isinstance(error, MobodError) else f"at {time:.9g} s: {type(error).__name__}: {error}"
    return f"run {number}: {text}"


def _starts(
    system: System, states: Sequence[State] | State, n: int | None, parameters: Mapping[str, ArrayLike], inputs: Mapping[str, ArrayLike]
) -> Starts:
    if not isinstance(states, State):
        if n is not None or parameters or inputs:
            raise InputError("Ensemble: n, parameters and inputs are for one State. Set the values in the States.")
        given = list(states)
        if not given:
            raise InputError("Ensemble: give one or more States.")
        for each in given:
            checked_kind(each, State, "Ensemble", "System.realize_topology() returns one.")
        return Starts(system, given)
    check_state(states, system)
    for name in inputs:
        if system.variable(states, name).role != "input":
            raise InputError(f"Ensemble: '{name}' is no input. Give it in parameters.")
    if twice := parameters.keys() & inputs.keys():
        raise InputError(f"Ensemble: '{min(twice)}' is given in parameters and in inputs.")
    values = {**parameters, **inputs}
    counts = {name: np.shape(each)[0] for name, each in values.items() if np.ndim(each)}
    if n is None and not counts:
        raise InputError("Ensemble: give the number of runs, n, or values for each run.")
    count = next(iter(counts.values())) if n is None else n
    if not _is_count(count):
        raise InputError(f"Ensemble: n must be a positive whole number, not {count!r}.")
    check_held_count(int(count), "Ensemble: the runs, n", "Make them in several ensembles")
    return Starts.varied(system, states, int(count), values)


def _is_count(given: object) -> bool:
    return isinstance(given, (int, np.integer)) and not isinstance(given, bool) and bool(given > 0)


def _checked_threads(threads: int | None) -> int:
    if threads is None:
        return usable_cores()
    if not _is_count(threads):
        raise InputError(f"Ensemble: threads must be a positive whole number, not {threads!r}.")
    return int(threads)


def _checked_runs(runs: object, count: int, method: str) -> np.ndarray:
    """The numbers of the runs that a mask or numbers stand for."""
    if runs is None:
        return np.arange(count)
    chosen = np.asarray(runs)
    if chosen.dtype == bool and chosen.shape == (count,):
        return chosen.nonzero()[0]
    numbers = chosen.reshape(-1).astype(np.intp) if chosen.dtype.kind in "iu" or chosen.size == 0 else None
    if numbers is None or len(set(numbers.tolist())) < len(numbers) or not ((numbers >= 0) & (numbers < count)).all():
        raise InputError(f"Ensemble.{method}: runs are {count} booleans, or different numbers from 0 to {count - 1}, not {runs!r}.")
    return numbers
