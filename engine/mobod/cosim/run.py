"""Run: a co-simulation that can be advanced, changed, saved and restored."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from types import TracebackType
from typing import Any, Self, final

from mobod.c_calls import interrupts_between_calls
from mobod.cosim.algorithms.growth import GrowthWatch
from mobod.cosim.checkpoint import Checkpoint, ComponentState
from mobod.cosim.communication import CommunicationPoints
from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.exchange.fixed_steps import FixedSteps
from mobod.cosim.network import Network
from mobod.cosim.pacing import Pacing, PacingReport
from mobod.cosim.rows import Rows
from mobod.cosim.step_errors import SimulationEndedError
from mobod.cosim.step_sizes.control import Coupling, StepControl
from mobod.errors import FmuCallError, InputError
from mobod.real_numbers import real_number
from mobod.simulate.table import Table

_log = logging.getLogger("mobod")


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
    calls        steps of components so far, repeated ones among them

    A run in several parts gives the same bits as a single run, unless steps are adaptive. It is a context manager that frees the FMUs,
    also after an error.
    """

    def __init__(
        self,
        network: Network,
        coupling: Coupling,
        control: StepControl | None,
        fixed: FixedSteps | None,
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
        self._control = control
        self._growth = GrowthWatch(coupling)
        self._fixed = fixed  # steps in C, if the algorithm has no other ones
        self._is_settled = False  # whether outputs and inputs belong together
        self._steps_were_fixed = False  # whether the last steps were taken in C, so that `signals` does not know its values
        self._columns = columns
        self._origin = start  # communication points are at origin + k step, up to now k = done
        self._done = 0
        self._step = coupling.step
        self._resources = resources
        self._is_whole = True  # whether all instances are at the same time
        self._end: SimulationEndedError | None = None  # raised by an instance
        self._extra = dict(extra)
        self._rows = self._new_rows()
        self._fresh = self._memory()

    def until(self, until: float, *, progress: Callable[[int, int], None] | None = None, pace: float | None = None) -> Table:
        """Continue to this time (s). Returns the outputs at each communication point from the present one on.

        progress  called with the number of steps done and the total number of steps: after the first step, some fifty times a second or
                  after each step, and at the end; of a run with adaptive steps with the thousandths of the time that are done, and 1000
        pace      seconds of the run in a second of the clock: each step then waits for the clock, and `pacing` reports those that were
                  late; default: as fast as possible

        The last step is shorter if `until` is no communication point; later points are counted from there. After an error, `restore` makes
        the run usable again, unless an FMU failed fatally.

        An FMU may end the simulation: the table's `terminated_by` is then its name. If it is the only FMU, the last row is at that time. If
        there are several, they are at different times, and the last row is at the last common communication point.

        Raises InputError; FmuError, also for a recorded value that is not finite; FmuCallError after an error, and after the end.
        `recorded` has the rows before an error.
        """
        with interrupts_between_calls():
            return self._until(real_number(until, "Run.until"), progress, pace)

    def _until(self, until: float, progress: Callable[[int, int], None] | None, pace: float | None) -> Table:
        self._check_is_whole("until")
        if pace is not None and not real_number(pace, "Run.until: pace") > 0:
            raise InputError(f"Run.until: the pace is a positive number, not {pace!r}.")
        points = CommunicationPoints(self._origin, until, self._step, done=self._done)
        if self._control is None:
            check_last_step(self._network, points)
        self._rows = self._new_rows()
        fixed = self._fixed if pace is None else None
        if not self._is_settled or (fixed is None and self._steps_were_fixed):
            self._signals.settle()
            self._is_settled = True
        self._steps_were_fixed = fixed is not None
        if fixed is None:
            self._rows.record(self.time)
        else:
            fixed.begin(self.time, self._rows)
        pacing = None if pace is None else Pacing(pace, self.time)
        self.pacing = None
        try:
            if fixed is None:
                self._take_steps(points, until, progress, pacing)
            else:
                self._take_fixed_steps(fixed, points, progress)
        except SimulationEndedError as ended:
            return self._ended(ended)
        finally:
            if self._control is None:
                self._growth.check(self._rows.table(), can_try=self._is_whole)
            if pacing is not None:
                self.pacing = pacing.report()
                _log.info("pace %g: %s", pace, self.pacing)
        return self._rows.table()

    def _take_steps(
        self, points: CommunicationPoints, until: float, progress: Callable[[int, int], None] | None, pacing: Pacing | None
    ) -> None:
        start = self.time
        steps = len(points.times) - 1
        for k in count():
            self._is_whole = False
            if self._control is not None:
                now = self._control.advance(self.time, until)
            else:
                # all full steps have exactly the same size, since some FMUs accept no other
                self._algorithm.advance(float(points.times[k]), self._step if k < steps - 1 else points.last_step)
                now = float(points.times[k + 1])
            self._rows.record(now)
            self._is_whole, self.time = True, now
            if pacing is not None:
                pacing.wait(now)
            if self._control is None and (k < steps - 1 or points.is_even):
                self._done += 1
            else:
                self._origin, self._done = self.time, 0
            if progress is not None:
                done = round(1000 * (self.time - start) / (until - start))
                progress(*((k + 1, steps) if self._control is None else (done, 1000)))
            if self.time >= until:
                return

    def _take_fixed_steps(self, fixed: FixedSteps, points: CommunicationPoints, progress: Callable[[int, int], None] | None) -> None:
        times = points.times
        steps, done = len(times) - 1, 0
        full = steps if points.is_even else steps - 1
        while done < steps:
            # all full steps have exactly the same size, since some FMUs accept no other
            last, size = (full, self._step) if done < full else (steps, points.last_step)
            before = done
            try:
                fixed.take(times[done : last + 1], size, self._rows)
            finally:
                done += fixed.taken
                self._is_whole = fixed.is_between_steps
                self.time = float(times[done]) if done > before else self.time
                self._done += done - before
                if done == steps and not points.is_even:
                    self._origin, self._done = self.time, 0
            if progress is not None:
                progress(done, steps)

    @property
    def recorded(self) -> Table:
        return self._rows.table()

    @property
    def calls(self) -> int:
        return self._algorithm.calls + (0 if self._fixed is None else self._fixed.calls)

    @property
    def coupling_error(self) -> float | None:
        """The estimate of the coupling error so far, relative; None if none is made."""
        return None if self._control is None else self._control.error

    def _new_rows(self) -> Rows:
        return Rows(self._columns, self._instances, self._extra)

    def _ended(self, ended: SimulationEndedError) -> Table:
        """The table of a run in which an FMU ended the simulation in the step after the last row."""
        self._end = ended
        if len(self._instances) == 1 and ended.time > self.time:
            self._rows.record(ended.time)
            self.time = ended.time
        _log.info("%s", ended)
        return self._rows.table(terminated_by=ended.name)

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
        for instance in self._instances.values():
            instance.check_can_save(as_bytes=True)
        return Checkpoint(
            {name: _state_of(instance, self._identity(name)) for name, instance in self._instances.items()},
            self.time,
            self._origin,
            self._done,
            self._step,
            self._signals.memory(),
            self._memory(),
        )

    def _memory(self) -> dict[str, Any]:
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
        self._check_fits(checkpoint)
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
        self.time = checkpoint.time
        if checkpoint.step == self._step:
            self._origin, self._done = checkpoint.origin, checkpoint.done
        else:
            self._origin, self._done = checkpoint.time, 0
        self._is_whole = True

    def _recall(self, memory: Mapping[str, Any]) -> None:
        """Take what an algorithm with the same options has stored; otherwise it begins anew."""
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

    def _check_fits(self, checkpoint: Checkpoint) -> None:
        if set(checkpoint.components) != set(self._instances):
            raise InputError(
                f"the checkpoint belongs to other FMUs, named {', '.join(sorted(checkpoint.components))}. The FMUs of this run are "
                f"{', '.join(sorted(self._instances))}. Use the same names."
            )
        for name, component in self._network.components.items():
            there, here = checkpoint.components[name].guid, component.model.identity
            if there != here:
                raise InputError(
                    f"the checkpoint belongs to another {component.model.noun} named '{name}': its identity is {there}, that of "
                    f"{component.model.origin} is {here}. Use the same as in the saved run."
                )

    def _identity(self, name: str) -> str:
        return self._network.components[name].model.identity


def check_last_step(network: Network, points: CommunicationPoints) -> None:
    """Raise InputError if the last step is shorter and an FMU requires steps of constant size."""
    rigid = [f"'{component.name}'" for component in network.components.values() if not component.model.capabilities.variable_steps]
    if rigid and not points.is_even:
        raise InputError(
            f"the last step, until {points.times[-1]} s, would be {points.last_step:g} s long, shorter than the others, but these FMUs "
            f"require steps of constant size: {', '.join(rigid)}. Choose a duration that is a whole number of steps."
        )


def _state_of(instance: ComponentInstance, identity: str) -> ComponentState:
    with instance.save() as state:
        return ComponentState(identity, state.to_bytes())
