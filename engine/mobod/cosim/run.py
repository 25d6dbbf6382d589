"""Run: a co-simulation that can be advanced, changed, saved and restored."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from os import PathLike
from types import TracebackType
from typing import Protocol, Self, final

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.c_calls import interrupts_between_calls
from mobod.cosim.algorithms.growth import GrowthWatch
from mobod.cosim.algorithms.one_by_one import OneByOne
from mobod.cosim.algorithms.rollback import cannot_return
from mobod.cosim.checkpoint import Checkpoint
from mobod.cosim.communication import CommunicationPoints
from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_states import check_fits, saved_components
from mobod.cosim.component_warnings import ComponentWarnings
from mobod.cosim.connections.range_watch import RangeWatch
from mobod.cosim.network import Network
from mobod.cosim.pacing import Pacing, PacingReport
from mobod.cosim.recorder import RecordedColumns, Recorder
from mobod.cosim.step_errors import SimulationEndedError
from mobod.cosim.step_sizes.control import CoupledRun, StepControl
from mobod.cosim.table_source import TableInstance
from mobod.errors import FmuCallError, InputError, MobodError
from mobod.progress import shown_progress
from mobod.simulate.table import Table
from mobod.simulate.table_files.csv_stream import CsvStream

_log = logging.getLogger("mobod")


class Steps(Protocol):
    """Advances a run.

    is_between_steps  whether all instances are at one time
    """

    is_between_steps: bool

    def begin(self, recorder: Recorder) -> None:
        """Record the first row. Raises errors of components."""

    def take(self, times: np.ndarray, step: float, recorder: Recorder) -> None:
        """Take steps of equal size from these communication points (s), as many as take a short time, and record a row after each.

        After an error, `recorder` has the rows of the complete steps. Raises errors of components.
        """


@final
class Run:
    """A run of a network that can be stopped at any time and continued. `Master.start` makes it.

        with Master(network, step=0.01).start() as run:
            run.until(1.0)
            checkpoint = run.checkpoint()
            run.set({"pendulum.gravity.magnitude": 1.62})
            moon = run.until(2.0)
            run.restore(checkpoint)
            earth = run.until(2.0)

    time      s  the present time
    recorded     Table of the complete rows of the last `until`, also after an error and after Ctrl-C
    choices      the algorithm, its options, and what was chosen by what the components can do, in one line
    pacing       PacingReport of the last `until` with a pace; else None

    A run in several parts gives the same bits as a single run, unless steps are adaptive. It is a context manager that frees the FMUs,
    also after an error.
    """

    def __init__(
        self,
        network: Network,
        coupling: CoupledRun,
        steps: Steps | StepControl,
        choices: str,
        columns: Mapping[str, Sequence[ComponentVariable]],
        extra: Mapping[str, tuple[str, Callable[[], float]]],
        start: float,
        resources: ExitStack,
    ) -> None:
        self.time = start
        self.choices = choices
        self.pacing: PacingReport | None = None
        self._network = network
        self._instances = coupling.instances
        self._algorithm = coupling.algorithm
        self._signals = coupling.signals
        self._steps = None if isinstance(steps, StepControl) else steps
        self._control = steps if isinstance(steps, StepControl) else None
        self._tables = [each for each in coupling.instances.values() if isinstance(each, TableInstance)]
        self._growth = GrowthWatch(coupling)
        self._ranges = RangeWatch(coupling.connections)
        self._component_warnings = ComponentWarnings(coupling.instances)
        self._is_settled = False  # whether outputs and inputs belong together
        self._columns, self._extra = RecordedColumns(columns), dict(extra)
        self._origin = start  # communication points are at origin + k step, up to now k = done
        self._done = 0
        self._step = coupling.step
        self._resources = resources
        self._is_whole = True  # whether all instances are at the same time
        self._end: SimulationEndedError | None = None  # raised by an instance
        self._recorder = self._new_recorder(np.empty(0))
        self._calls_in_c = 0
        self._fresh = self._memory()

    def until(
        self,
        until: float,
        *,
        progress: Callable[[int, int], object] | bool | None = None,
        pace: float | None = None,
        csv: str | PathLike[str] | None = None,
    ) -> Table:
        """Continue to this time (s). Returns the outputs at each communication point from the present one on.

        progress  True: a bar, on a terminal or in a notebook; or a function, called with the number of steps done and the total number of
                  steps, after the first step, some fifty times a second or after each step, and at the end; with adaptive steps with the
                  thousandths of the time that have passed, and 1000
        pace      seconds of the run in a second of the clock: each step then waits for the clock, and `pacing` reports those that were
                  late; default: as fast as possible
        csv       file to which rows are written while it runs, as `Table.to_csv` writes them. It is `csv`.part until the end. After an
                  error, a signal or Ctrl-C it has the rows until then, with a last line `# ended: ...`; after a kill `csv`.part has them

        The last step is shorter if `until` is no communication point; later points are counted from there. After an error, `restore` makes
        the run usable again, unless an FMU failed fatally.

        An FMU may end the simulation: the table's `terminated_by` is then its name. If it is the only FMU, the last row is at that time. If
        there are several, they are at different times, and the last row is at the last common communication point.

        Raises InputError; FmuError, also for a recorded value that is not finite; FmuCallError after an error, and after the end.
        `recorded` has the rows before an error.
        """
        with (
            shown_progress(progress, "co-simulation", "Run.until") as report,
            interrupts_between_calls(),
            nullcontext() if csv is None else CsvStream(csv) as stream,
        ):
            try:
                return self._until(real_number(until, "Run.until"), report, pace, stream)
            finally:
                if stream is not None:
                    stream.write(self._recorder.table, at_once=True)

    def _until(self, until: float, progress: Callable[[int, int], object] | None, pace: float | None, stream: CsvStream | None) -> Table:
        self._check_is_whole("until")
        if pace is not None and not real_number(pace, "Run.until: pace") > 0:
            raise InputError(f"Run.until: the pace is a positive number, not {pace!r}.")
        points = CommunicationPoints(self._origin, until, self._step, done=self._done)
        for instance in self._tables:
            instance.warn_of_end(until)
        if self._steps is not None:
            check_last_step(self._network, points)
        recorded = np.empty(1) if self._steps is None else points.times.copy()
        recorded[0] = self.time  # the exact number given, which equals the point up to round-off
        self._recorder = self._new_recorder(recorded)
        if not self._is_settled:
            self._signals.settle()
            self._is_settled = True
        pacing = None if pace is None else Pacing(pace, self.time)
        self.pacing = None
        try:
            if self._control is not None:
                self._take_adaptive(self._control, until, progress, pacing, stream)
            elif self._steps is not None:
                self._take_fixed(self._steps, points, progress, pacing, stream)
        except SimulationEndedError as ended:
            self._component_warnings.check()
            return self._ended(ended, self._recorder)
        finally:
            self._watch()
            if pacing is not None:
                self.pacing = pacing.report()
                _log.info("pace %g: %s", pace, self.pacing)
        self._component_warnings.check()  # not after an error, which has the log
        return self._recorder.table()

    def _watch(self) -> None:
        """Warn of what the rows show."""
        watches_growth = self._steps is not None and self._growth.looks_at(self._recorder.rows)
        if not (self._ranges.is_watching or watches_growth):
            return
        rows = self._recorder.table()
        self._ranges.check(rows)
        if watches_growth:
            self._growth.check(rows, can_try=self._is_whole and not cannot_return(self._network.components))

    def _take_fixed(
        self,
        stepper: Steps,
        points: CommunicationPoints,
        progress: Callable[[int, int], object] | None,
        pacing: Pacing | None,
        stream: CsvStream | None,
    ) -> None:
        recorder = self._recorder
        stepper.begin(recorder)
        steps, done = len(points.times) - 1, 0
        full = steps if points.is_even else steps - 1
        while done < steps:
            # all full steps have exactly the same size, since some FMUs accept no other
            last, size = (full, self._step) if done < full else (steps, points.last_step)
            try:
                stepper.take(points.times[done : last if pacing is None else done + 1], size, recorder)
            finally:
                self._is_whole = stepper.is_between_steps
                self._move(points, done, recorder.rows - 1)
            done = recorder.rows - 1
            if stream is not None:
                stream.write(recorder.table)
            if pacing is not None:
                pacing.wait(self.time)
            if progress is not None:
                progress(done, steps)

    def _take_adaptive(
        self,
        control: StepControl,
        until: float,
        progress: Callable[[int, int], object] | None,
        pacing: Pacing | None,
        stream: CsvStream | None,
    ) -> None:
        start = self.time
        self._recorder.record()
        while self.time < until:
            self._is_whole = False
            now = control.advance(self.time, until)
            self._recorder.move_next(now)
            self._recorder.record()
            self._is_whole, self.time = True, now
            self._origin, self._done = now, 0
            if stream is not None:
                stream.write(self._recorder.table)
            if pacing is not None:
                pacing.wait(now)
            if progress is not None:
                progress(round(1000 * (now - start) / (until - start)), 1000)

    def _new_recorder(self, times: np.ndarray) -> Recorder:
        return Recorder(self._columns, self._instances, times, self._extra)

    @property
    def calls(self) -> int:
        """Steps of components so far, repeated ones among them."""
        return self._algorithm.calls + self._calls_in_c

    @property
    def coupling_error(self) -> float | None:
        """The estimate of the coupling error so far, relative; None if none is made."""
        return None if self._control is None else self._control.error

    def _move(self, points: CommunicationPoints, before: int, done: int) -> None:
        """Be at a later communication point. before, done: numbers of steps of this `until`"""
        self.time = self.time if done == before else float(points.times[done])
        if done == len(points.times) - 1 and not points.is_even:
            self._origin, self._done = self.time, 0
        else:
            self._done += done - before
        if not isinstance(self._steps, OneByOne):
            self._calls_in_c += (done - before) * len(self._instances)

    @property
    def recorded(self) -> Table:
        return self._recorder.table()

    def _ended(self, ended: SimulationEndedError, recorder: Recorder) -> Table:
        """The table of a run in which an FMU ended the simulation in the step after the last row."""
        self._end = ended
        if len(self._instances) == 1 and ended.time > self.time:
            recorder.move_next(ended.time)
            recorder.record()
            self.time = ended.time
        _log.info("%s", ended)
        return recorder.table(terminated_by=ended.name)

    def set(self, values: Mapping[str, object]) -> None:
        """Set tunable parameters and unconnected inputs, named `component.variable`.

        Raises UnknownNameError; InputError for any other variable and for a value of the wrong type; FmuError.
        """
        self._check_is_whole("set")
        checked = [(port, port.checked(value)) for port, value in ((self._network.port(name), value) for name, value in values.items())]
        for port, _ in checked:
            port.check_is_settable()
            for connection in self._network.connections:
                if connection.target.is_same(port):
                    raise InputError(f"'{port}' cannot be set: it is connected, and {connection.source} sets it.")
        self._is_settled = False
        for port, value in checked:
            self._instances[port.component.name].set({port.variable.name: value})

    def checkpoint(self) -> Checkpoint:
        """Save the run. Raises UnsupportedError for an FMU that cannot save its state as bytes."""
        self._check_is_whole("checkpoint")
        return Checkpoint(
            saved_components(self._network, self._instances),
            self.time,
            self._origin,
            self._done,
            self._step,
            self._signals.memory(),
            self._memory(),
        )

    def _memory(self) -> dict[str, object]:
        """What the algorithm and the control of steps store, as data for JSON."""
        return {
            "choices": self.choices,
            "algorithm": self._algorithm.memory(),
            "control": None if self._control is None else self._control.memory(),
        }

    def restore(self, checkpoint: Checkpoint) -> None:
        """Restore a checkpoint of this run, or of another run of the same FMUs with the same names.

        With the same step and algorithm the run continues with the same bits. With another step, communication points are counted from
        there.
        Raises InputError for a checkpoint of other FMUs, UnsupportedError, FmuError.
        """
        check_fits(checkpoint, self._network, self._instances)
        try:
            self._restore_instances(checkpoint)
        except MobodError:
            raise
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:  # of JSON and what is in it
            raise InputError(f"the checkpoint is damaged: the state of a component, or what the run stored, is {error!r}.") from error
        self.time = checkpoint.time
        if checkpoint.step == self._step:
            self._origin, self._done = checkpoint.origin, checkpoint.done
        else:
            self._origin, self._done = checkpoint.time, 0
        self._is_whole = True

    def _restore_instances(self, checkpoint: Checkpoint) -> None:
        with ExitStack() as stack:
            # read all before restoring the first, so that the run is unchanged if an FMU refuses its bytes
            states = [
                stack.enter_context(instance.saved(checkpoint.components[name].data, checkpoint.time))
                for name, instance in self._instances.items()
            ]
            self._is_whole, self._is_settled, self._end = False, False, None
            for state in states:
                state.restore()
            self._signals.recall(checkpoint.loops)
            self._recall(checkpoint.algorithm)

    def _recall(self, memory: Mapping[str, object]) -> None:
        """Restore what the algorithm had stored if its options were the same; otherwise let it start as in a new run."""
        if memory.get("choices") != self.choices:
            memory = self._fresh
        try:
            self._algorithm.recall(memory["algorithm"])
            if self._control is not None:
                self._control.recall(memory["control"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"the checkpoint is damaged: what the algorithm stored is {error!r}.") from error

    def close(self) -> None:
        """Terminate and free all FMUs. A second call does nothing."""
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._resources.__exit__(kind, error, traceback)

    def _check_is_whole(self, what: str) -> None:
        if self._end is not None:
            raise FmuCallError(f"{what} was called after the end. {self._end} Restore a checkpoint, or start again.")
        if not self._is_whole:
            raise FmuCallError(
                f"{what} was called after an error in a step from {self.time:.12g} s: some FMUs completed the step, others did not. "
                "Restore a "
                "checkpoint, or start again."
            )


def check_last_step(network: Network, points: CommunicationPoints) -> None:
    """Raise InputError if the last step is shorter and an FMU requires steps of constant size."""
    if points.is_even:
        return
    rigid = [f"'{component.name}'" for component in network.components.values() if not component.model.capabilities.variable_steps]
    if rigid:
        raise InputError(
            f"the last step, until {points.times[-1]} s, would be {points.last_step:g} s long, shorter than the others, but these FMUs "
            f"require steps of constant size: {', '.join(rigid)}. Choose a duration that is a whole number of steps."
        )
