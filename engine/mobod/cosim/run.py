"""Run: a co-simulation that can be advanced, changed, saved and restored."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Protocol, Self, final

import numpy as np

from mobod.c_calls import interrupts_between_calls
from mobod.cosim.algorithms.algorithm import Algorithm
from mobod.cosim.checkpoint import Checkpoint, ComponentState
from mobod.cosim.communication import CommunicationPoints
from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.network import Network
from mobod.cosim.recorder import Recorder
from mobod.cosim.signals.signals import Signals
from mobod.cosim.step_errors import SimulationEndedError
from mobod.errors import FmuCallError, InputError
from mobod.real_numbers import real_number
from mobod.simulate.table import Table

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

    A run in several parts gives the same bits as a single run. It is a context manager that frees the FMUs, also after an error.
    """

    def __init__(
        self,
        network: Network,
        instances: Mapping[str, ComponentInstance],
        steps: Steps,
        algorithm: Algorithm,
        signals: Signals,
        columns: Mapping[str, Sequence[ComponentVariable]],
        start: float,
        step: float,
        resources: ExitStack,
    ) -> None:
        self.time = start
        self._network = network
        self._instances = instances
        self._steps = steps
        self._algorithm = algorithm
        self._signals = signals
        self._is_settled = False  # whether outputs and inputs belong together
        self._columns = columns
        self._origin = start  # communication points are at origin + k step, up to now k = done
        self._done = 0
        self._step = step
        self._resources = resources
        self._is_whole = True  # whether all instances are at the same time
        self._end: SimulationEndedError | None = None  # raised by an instance
        self._recorder = Recorder(columns, instances, np.empty(0))

    def until(self, until: float, *, progress: Callable[[int, int], None] | None = None) -> Table:
        """Continue to this time (s). Returns the outputs at each communication point from the present one on.

        progress  called with the number of steps done and the total number of steps: after the first step, some fifty times a second, and at
                  the end

        The last step is shorter if `until` is no communication point; later points are counted from there. After an error, `restore` makes
        the run usable again, unless an FMU failed fatally.

        An FMU may end the simulation: the table's `terminated_by` is then its name. If it is the only FMU, the last row is at that time. If
        there are several, they are at different times, and the last row is at the last common communication point.

        Raises InputError; FmuError, also for a recorded value that is not finite; FmuCallError after an error, and after the end.
        `recorded` has the rows before an error.
        """
        with interrupts_between_calls():
            return self._until(until, progress)

    def _until(self, until: float, progress: Callable[[int, int], None] | None) -> Table:
        self._check_is_whole("until")
        points = CommunicationPoints(self._origin, real_number(until, "Run.until"), self._step, done=self._done)
        check_last_step(self._network, points)
        recorded = points.times.copy()
        recorded[0] = self.time  # the exact number given, which equals the point up to round-off
        recorder = self._recorder = Recorder(self._columns, self._instances, recorded)
        if not self._is_settled:
            self._signals.settle()
            self._is_settled = True
        self._steps.begin(recorder)
        steps, done = len(points.times) - 1, 0
        full = steps if points.is_even else steps - 1
        while done < steps:
            # all full steps have exactly the same size, since some FMUs accept no other
            last, size = (full, self._step) if done < full else (steps, points.last_step)
            ended = None
            try:
                self._steps.take(points.times[done:last], size, recorder)
            except SimulationEndedError as error:
                ended = error
            finally:
                self._is_whole = self._steps.is_between_steps
                self._move(points, done, recorder.rows - 1)
            if ended is not None:
                return self._ended(ended, recorder)
            done = recorder.rows - 1
            if progress is not None:
                progress(done, steps)
        return recorder.table()

    def _move(self, points: CommunicationPoints, before: int, done: int) -> None:
        """Be at a later communication point. before, done: numbers of steps of this `until`"""
        self.time = self.time if done == before else float(points.times[done])
        if done == len(points.times) - 1 and not points.is_even:
            self._origin, self._done = self.time, 0
        else:
            self._done += done - before

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
        for instance in self._instances.values():
            instance.check_can_save(as_bytes=True)
        return Checkpoint(
            {name: _state_of(instance, self._identity(name)) for name, instance in self._instances.items()},
            self.time,
            self._origin,
            self._done,
            self._step,
            self._signals.memory(),
        )

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
        self.time = checkpoint.time
        if checkpoint.step == self._step:
            self._origin, self._done = checkpoint.origin, checkpoint.done
        else:
            self._origin, self._done = checkpoint.time, 0
        self._is_whole = True

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
