"""TangentRun: runs of a Simulation from changed numbers, with derivatives by the tangents of their steps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from mobod.analysis.driving_inputs import DrivingInputs
from mobod.analysis.named_numbers import set_numbers
from mobod.analysis.outputs_over_time import OutputsOverTime, PartOfRun
from mobod.c_calls import interrupts_between_calls
from mobod.compilation.native.native_changes import NativeChanges, WorstError, limit_step, set_by_events, set_ramps
from mobod.compilation.native.native_run import NativeRun
from mobod.errors import IntegrationError
from mobod.runtime.integrators import AUTO, RUNGE_KUTTA_METHODS
from mobod.simulate import Simulation
from mobod.simulate.delays import delay_rows
from mobod.simulate.quaternions import normalize
from mobod.simulate.run_driver import RunDriver, divergence_named
from mobod.simulate.run_start import normalize_state
from mobod.system import State
from mobod.system.events.handlers import Cause
from mobod.system.events.table import TERMINATED
from mobod.system.named_numbers import NamedNumber

_STEPS_OF_A_CALL = 2000
_OF_TANGENT = 2  # a tangent takes about as long as so many evaluations
_MOVED = 1e-9  # relative to scale + |y|: a start that events change by less has not changed
_MOST_ERROR = 100  # of derivatives in one step, relative to their largest size in the run and to its accuracy; usual are 1 to 60
_LEAST_FACTOR, _MOST_TRIALS = 0.1, 12  # of shorter steps
_USUAL_STEPS, _MOST_LONGER = 1000, 10  # a run is not repeated with more steps than that, or than so many times those of the last one
_ASYMPTOTIC = 1e-3  # relative error of derivatives below which it shows its order
_LIMITED = 0.99  # of the largest step: a worst step that is shorter lies elsewhere than the worst one before, and does not show an order
_LEAST_ORDER = 2  # in the step, of the error of derivatives of smooth forces; that of the methods is 3 to 8


@dataclass(frozen=True)
class RunWithDerivatives:
    """The outputs of a run, and their derivatives.

    values       (m, outputs)
    derivatives  (m, outputs, parameters); empty if they were not asked for
    n_jumps      number of events at which derivatives jumped, or could have
    doubts       sentences on events at which the motion has no derivative
    """

    values: np.ndarray
    derivatives: np.ndarray
    n_jumps: int = 0
    doubts: list[str] = field(default_factory=list)


class NoTangentsError(Exception):
    """The derivatives cannot be followed by tangents. The message says why."""


def why_no_tangents(simulation: Simulation, state: State) -> str | None:
    """Why no run of this Simulation has derivatives by tangents, before one was tried; None if there is no reason."""
    system = simulation.system
    if simulation.integrator not in (AUTO, *RUNGE_KUTTA_METHODS):
        return f"the steps of integrator '{simulation.integrator}' have no tangents"
    if system.as_text:
        return "the System is evaluated as text"
    for subsystem in system.subsystems:
        if reason := subsystem.why_not_recordable():
            return reason
    if delay_rows(system, state):
        return "a delay reads earlier values"
    if state.auto_update_variables:
        return "discrete variables update themselves at each step"
    if state.layout.errors:
        return f"subsystems have constraint errors of their own: '{state.layout.errors[0].name}'"
    for row in system.events.table(state.layout).rows if system.has_events else ():
        if not (row.event.recordable or row.event.is_reporter):
            return f"{row.event.title} runs as plain Python"
        if row.event.cause is Cause.INITIALIZATION and not row.event.is_reporter:
            return f"{row.event.title} is called at the start"
    return None


def ended_early(event: str, time: float, until: float) -> IntegrationError:
    """The error of a run that an event has ended before the last output."""
    return IntegrationError(f"event '{event}' ends the run at {time:.9g} s, but values up to {until:.9g} s are needed.")


@final
class TangentRun:
    """Runs of a Simulation from a State with changed numbers.

    parameters  the numbers that change: parameters, inputs, and states at the start
    outputs     the numbers that are computed
    times       (m,) s  increasing; when they are computed
    inputs      that follow a table, or None

    Raises IntegrationError and its like for a run that fails. A context manager that frees the memory in C.
    """

    def __init__(
        self,
        simulation: Simulation,
        state: State,
        parameters: Sequence[NamedNumber],
        outputs: Sequence[NamedNumber],
        times: np.ndarray,
        inputs: DrivingInputs | None,
    ):
        system, layout = simulation.system, state.layout
        self._simulation, self._system, self._start = simulation, system, state.copy()
        self._parameters, self._times, self._inputs = list(parameters), times, inputs
        self._state = state.copy()
        self._driver = RunDriver(
            system, self._state, simulation.options, simulation.first_backend(state), may_change_over=simulation.may_change_over
        )
        self._model = self._driver.model
        is_y = [layout.y.offset <= each.offset < layout.y.offset + layout.n_y for each in parameters]
        offsets = {each.offset for each, in_y in zip(parameters, is_y, strict=True) if not in_y}
        self._known = np.array(sorted(offsets | set_by_events(self._model, state)), dtype=np.intc)
        self._known_changes = np.array([[float(at == each.offset) for at in self._known] for each in parameters])
        self._y_changes = np.array([[float(at == each.offset) for at in layout.y.offsets] for each in parameters])
        self._outputs = OutputsOverTime(system, state, outputs, self._known.tolist(), has_changes=True)
        self._ramps = 0.0, np.empty(0), np.empty(0)  # of inputs: their start, values and rates
        self._largest_step = np.inf  # for accurate derivatives, s
        self._steps = 0  # of the last run

    def close(self) -> None:
        """Free the memory in C."""
        self._driver.close()

    def __enter__(self) -> "TangentRun":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, values: np.ndarray, *, with_derivatives: bool) -> RunWithDerivatives:
        """Run from these values of the parameters. Raises NoTangentsError if derivatives cannot be followed.

        Steps are shortened if the derivatives are much less accurate than the motion, as they are where it is at rest. Shorter steps hardly
        help where a force has a kink, as at the end of a stop: there the error of a derivative falls only with the step.
        """
        found, (error, step, order) = self._run_once(values, with_derivatives=with_derivatives)
        for _ in range(_MOST_TRIALS - 1):
            if error <= _MOST_ERROR:
                return found
            shorter = step * max(_LEAST_FACTOR, 0.8 * (0.5 * _MOST_ERROR / error) ** (1 / order))
            if (self._times[-1] - self._start.time) / shorter > max(_USUAL_STEPS, _MOST_LONGER * self._steps):
                break
            self._largest_step = shorter
            before = error, step
            found, (error, step, order) = self._run_once(values, with_derivatives=with_derivatives)
            shows_order = before[0] * self._simulation.options.accuracy < _ASYMPTOTIC and step > _LIMITED * shorter
            if shows_order and error > before[0] * (step / before[1]) ** _LEAST_ORDER:
                break
        if error > _MOST_ERROR:
            found.doubts.append(
                f"The derivatives are less accurate than the motion: in a step of {step:.3g} s the error is about "
                f"{error * self._simulation.options.accuracy:.1g} of their size. Look for forces with kinks."
            )
        return found

    def _run_once(self, values: np.ndarray, *, with_derivatives: bool) -> tuple[RunWithDerivatives, WorstError]:
        """A run, with the largest error of its derivatives in a step."""
        native = self._begin(values)
        changes = None
        with divergence_named(self._system, self._state), interrupts_between_calls():
            self._ramp(native)
            before = native.values()
            self._driver.checked(native.begin())
            if with_derivatives:
                self._check_start(before, native.values())
                changes = NativeChanges(native, self._known, self._known_changes, self._y_changes)
            parts = self._parts(native, changes)
        found = [self._outputs.values_and_changes(part) for part in parts]
        of_values = np.concatenate([each[0] for each in found])
        if changes is None:
            return RunWithDerivatives(of_values, np.empty((0, 0, 0))), WorstError(0.0, 0.0, 0.0)
        return RunWithDerivatives(of_values, np.concatenate([each[1] for each in found]), *_doubts(changes)), changes.worst_error()

    def _begin(self, values: np.ndarray) -> NativeRun:
        system, state, options = self._system, self._state, self._simulation.options
        state.take(self._start.snapshot())
        set_numbers(system, state, self._parameters, values)
        if self._inputs is not None:
            set_numbers(system, state, self._inputs.numbers, self._inputs.ramps(state.time)[0])
        normalize_state(state)
        self._driver.prepare()
        native = self._driver.native
        limit_step(native, min(self._largest_step, options.max_step))
        return native

    def _ramp(self, native: NativeRun) -> None:
        if self._inputs is not None:
            values, rates = self._inputs.ramps(native.time)
            set_ramps(native, self._inputs.at, self._inputs.stages, values, rates)
            self._ramps = native.time, values, rates

    def _inputs_at(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The offsets and the values of inputs, by the present ramps."""
        if self._inputs is None:
            return np.empty(0, dtype=np.intp), np.empty((len(times), 0))
        start, values, rates = self._ramps
        return self._inputs.at, values + np.outer(times - start, rates)

    def _check_schedules(self) -> None:
        """Raise NoTangentsError if the first time of an event may depend on a parameter."""
        depends = {each.offset for each in self._parameters} | set(self._state.layout.y.offsets)
        for row in self._model.rows:
            functions = row.times[1].functions if row.times is not None else ()
            if not depends.isdisjoint(k for function in functions for slot in function.inputs for k in slot.offsets):
                raise NoTangentsError(f"the first time of {row.event.title} depends on a parameter or a state")

    def _check_start(self, before: np.ndarray, after: np.ndarray) -> None:
        y = self._state.layout.y.slice
        if (np.abs(after[y] - before[y]) > _MOVED * (self._model.y_scales + np.abs(before[y]))).any():
            raise NoTangentsError("an impact changes the state at the start")
        self._check_schedules()

    def _parts(self, native: NativeRun, changes: NativeChanges | None) -> list[PartOfRun]:
        """The run, in parts between events and kinks of inputs."""
        layout, left = self._state.layout, self._times
        n_values, parts = len(self._state.values), list[PartOfRun]()
        time, values, (y_changes, known_changes) = native.time, native.values()[:n_values], self._present(changes)
        if left[0] == time:
            start = values[layout.y.slice][None]
            parts.append(PartOfRun(left[:1], start, values, y_changes[None], known_changes, *self._inputs_at(left[:1])))
            left = left[1:]
        if changes is not None:
            changes.follow_start_events()
        self._driver.checked(native.process_events())
        values, known_changes = native.values()[:n_values], self._present(changes)[1]
        self._check_not_over(values, time, left)
        kinks = np.empty(0) if self._inputs is None else self._inputs.kinks
        ends = np.unique([*kinks[(kinks > time) & (kinks < self._times[-1])], self._times[-1]])
        self._steps = evaluations = 0  # as many evaluations take as long as this work
        for end in ends if len(left) else ():
            until = native.end_near(end)
            while native.time < until:
                due = left[left <= until]
                rows = np.empty((len(due), 0, layout.n_y)) if changes is None else changes.rows(len(due))
                integration, times, ys, _, _ = native.run(until, report_times=due, most_steps=_STEPS_OF_A_CALL, most_rows=0)
                normalize(layout, ys)
                self._steps += integration.n_steps
                n = len(times)
                if n:
                    parts.append(PartOfRun(due[:n], ys, values, rows[:n], known_changes, *self._inputs_at(due[:n])))
                left = left[n:]
                self._driver.checked(integration)
                if changes is not None:
                    _check_followed(changes)
                if self._driver.changes_over:
                    evaluations += integration.n_evaluations * (1 if changes is None else 2 + _OF_TANGENT * len(self._parameters))
                    self._driver.note_work(evaluations)
                if integration.is_at_event:
                    values, known_changes = native.values()[:n_values], self._present(changes)[1]
                    self._check_not_over(values, native.time, left)
            if end < self._times[-1]:
                self._ramp(native)
                values = native.values()[:n_values]
        return parts

    def _present(self, changes: NativeChanges | None) -> tuple[np.ndarray, np.ndarray]:
        if changes is None:
            return np.empty((0, self._state.layout.n_y)), np.empty((0, len(self._known)))
        return changes.present()

    def _check_not_over(self, values: np.ndarray, time: float, left: np.ndarray) -> None:
        if not self._system.has_events:
            return
        table = self._system.events.table(self._state.layout)
        number = int(values[table.shared[TERMINATED].offset])
        if number and len(left):
            name = table.rows[number - 1].event.name
            raise ended_early(name, time, left[-1])


_FAULTS = {
    "CHANGES_OF_METHOD": "the step has no tangent: the method is implicit, since the system is stiff there",
    "CHANGES_NOT_FINITE": "a derivative is not finite",
    "CHANGES_GRAZING": "a witness touches zero, so that the time of its event has no derivative",
    "CHANGES_AT_ONCE": "several events occur at the same time, but would not for other parameters",
    "CHANGES_BESIDE": "an event fails from a neighbouring state",
    "CHANGES_JAMMED": "a contact cannot slide on (Painleve), and the time of its impact without collision has no derivative",
}


def _check_followed(changes: NativeChanges) -> None:
    if changes.fault is not None:
        raise NoTangentsError(f"at {changes.in_c.fault_at:.9g} s {_FAULTS[changes.fault]}")


def _doubts(changes: NativeChanges) -> tuple[int, list[str]]:
    """The number of jumps, and sentences on doubtful ones."""
    counts, found = changes.in_c, []
    if counts.n_kinks:
        found.append(
            f"{counts.n_kinks} times, first at {counts.first_kink:.9g} s, an event has different derivatives for larger and for smaller "
            "parameters. Their mean was taken."
        )
    return counts.n_events, found
