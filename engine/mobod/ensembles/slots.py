"""RunSlot: a simulation in C, used for one run of an ensemble after the other."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from threading import Lock
from typing import final

import numpy as np

from mobod.compilation.source.model_source import Code, start_values
from mobod.ensembles.members import Members
from mobod.ensembles.outputs import OutputTable
from mobod.ensembles.starts import Starts
from mobod.errors import MobodError
from mobod.runtime.library import doubles, ffi, ints, member_type
from mobod.simulate.failure import diverged
from mobod.simulate.limits import decided_constraints, limits_of
from mobod.simulate.native_events import call_reporter
from mobod.simulate.native_model import native_model
from mobod.simulate.noted_impacts import NotedImpacts
from mobod.simulate.projection import has_constraints
from mobod.simulate.run_driver import RunDriver
from mobod.simulate.run_start import prepare_start, start_changes
from mobod.simulate.run_variables import realized_values
from mobod.simulate.step_options import StepOptions
from mobod.simulate.velocity_level.supported import checked_matter
from mobod.system import State, System


@final
class SharedByRuns:
    """The System, its compiled model and the options, which all runs of an ensemble share.

    lock          around what threads may not do at the same time
    w             the numbers of the start of the base; the first `n_variables` differ between runs
    calls_python  see NativeModel
    """

    def __init__(self, system: System, base: State, options: StepOptions, code: Code):
        self.lock = Lock()
        self.system, self.base, self.options, self.code = system, base.copy(), options, code
        self.layout = layout = base.layout
        if options.fixed_steps is not None:
            checked_matter(system, base, options.fixed_steps.size)
        self.model = native_model(system, base, code, options.scales)
        self.w = self.model.extended(start_values(base))
        self.has_constraints = has_constraints(system, base)
        rows = self.model.rows
        self.has_reporters = any(row.event.is_reporter for row in rows)
        self.calls_python = self.model.calls_python
        self._active = np.array([k for each in decided_constraints(system) for k in each.flags(base.layout)], dtype=np.intc)
        self._is_in_results = np.array([row.event.is_in_results for row in rows], dtype=np.intc)
        n = self.n_variables = layout.discrete.offset + layout.discrete.size
        self.preparation = ffi.new(
            "Preparation *", [len(self._active), ints(self._active), options.constraint_tolerance, doubles(self.w), n]
        )
        self.preparation_in_c = int(ffi.cast("uintptr_t", self.preparation))
        self.is_in_results = ints(self._is_in_results)
        self.returns_at_events = bool(options.ambiguous_is_an_error and limits_of(system) and options.fixed_steps is None)

    def changes(self, time: float, given: np.ndarray, now: np.ndarray, what: str = "the start") -> list[str]:
        """Messages on what a projection at a time (s) has changed of y; see changes_of_start."""
        state = self.base.copy()
        state.move_to(time, now)
        return start_changes(self.system, state, given, self.options, what)

    @cached_property
    def impacts(self) -> NotedImpacts | None:
        return self.layout.kept(NotedImpacts, self.system) if self.system.has_events and self.options.fixed_steps is None else None


@final
class RunSlot:
    """A simulation in C that is member number `at` of `members`, and a State of its own for callbacks and errors.

    w          (n_w,) memory for the numbers of the start
    outputs    of its rows; None: it writes none
    resources  frees the memory in C when it is closed
    error      the error that has ended the run before it began, or in Python; None: there is none
    """

    def __init__(
        self,
        shared: SharedByRuns,
        members: Members,
        at: int,
        w: np.ndarray,
        given: np.ndarray,
        outputs: OutputTable | None,
        resources: ExitStack,
    ):
        """w: of its start; given: where y of its start before the projection is noted."""
        self.shared, self._members, self._at = shared, members, at
        self.state = shared.base.copy()
        self._driver = resources.enter_context(RunDriver(shared.system, self.state, shared.options, shared.code))
        self.native = native = self._driver.native
        if not shared.calls_python:
            native.need_no_host()
        self._driver.fix_steps()
        native.keep()  # makes its memory
        self._w, self._given = w, given
        self._error: BaseException | None = None  # of the last run that had one
        self._outputs = outputs
        self._arrays: list[np.ndarray] = []
        member = members.in_c[at]
        member.simulation, member.is_in_results = native.handle, shared.is_in_results
        member.given = doubles(self._given)
        members.returns_at_events[at] = shared.returns_at_events
        self._handle = ffi.new_handle(self)
        member.host = self._handle
        if shared.has_reporters:
            member.hook = _HOOK
        if outputs is not None:
            self.make_room(outputs)
            member.outputs = outputs.in_c
            if not outputs.is_in_c:
                member.row_of_host = _ROW

    def make_room(self, *outputs: OutputTable) -> None:
        """Give the member the memory in which outputs of one of these tables are computed."""
        layout, member = self.shared.layout, self._members.in_c[self._at]
        copy, y, scratch = self._arrays = [
            np.zeros(size) for size in (layout.size, 2 * layout.n_y, max(each.n_registers for each in outputs))
        ]
        member.copy, member.y, member.scratch = doubles(copy), doubles(y), doubles(scratch)

    @property
    def error(self) -> BaseException | None:
        return self._error if self._members.has_error[self._at] else None

    # the start
    def prepare(self, starts: Starts, number: int) -> None:
        """Prepare the start of a run in Python, as a Simulation does, which explains its errors. The run has ended if there is one."""
        state, error = self.state, None
        starts.give(number, state)
        try:
            self._given[:] = prepare_start(self.shared.system, state, self.shared.options, lambda _: self.shared.code)
        except Exception as raised:  # an element's own error too is that of its run
            error = raised
        self._members.restart(self._at)
        if error is not None:
            self.end_by(error)
        self._w[:] = self.shared.model.extended(start_values(state))
        member = self._members.in_c[self._at]
        member.start, member.preparation = doubles(self._w), ffi.NULL

    def undo(self) -> None:
        """Go back to where the last step of the ensemble began."""
        self.native.undo()
        self.follow()

    def end_by(self, error: BaseException) -> None:
        """Note an error that ends the run."""
        self._error = error
        self._members.has_error[self._at] = self._members.has_ended[self._at] = True

    # the end
    def why(self, start_speed: float) -> BaseException | None:
        """The error that has ended the run, as a Simulation words it; None if there is none.

        start_speed  the largest entry of u at the start of the run, relative to its scale
        """
        if self.error is not None:
            return self.error
        if not self._members.outcome[self._at]:
            return None
        failure = self._members.integration(self._at)
        error = self._driver.failure(failure)
        return diverged(self.shared.system, self.state, start_speed, error) or error

    def follow(self) -> None:
        """Copy the numbers of the run in C to the State."""
        self._driver.synchronize()

    # called by C
    def row(self, copy: object, row: object) -> None:
        """Compute a row in Python."""
        assert self._outputs is not None
        state = self.state.copy()
        values = np.frombuffer(ffi.buffer(copy, 8 * len(state.values)))
        layout = state.layout
        state.take_numbers(values)
        state.move_to(float(values[layout.time.offset]), values[layout.y.slice])
        numbers = np.frombuffer(ffi.buffer(row, 8 * len(self._outputs)))
        numbers[:] = outputs_in(self.shared.system, state, self._outputs)

    def hear(self, number: int, is_done: bool) -> None:
        """Call a reporter."""
        row = self.shared.model.rows[number]
        if row.event.is_reporter and not is_done:
            call_reporter(self.shared.system, self.state, row, self.native.values())


def outputs_in(system: System, state: State, outputs: OutputTable) -> np.ndarray:
    """(outputs,) the outputs in a State, NaN where one does not exist."""
    found = []
    for each in outputs.variables:
        try:
            found.append(realized_values(system, state, [each]).ravel())
        except MobodError:
            found.append(np.full(each.slot.size, np.nan))
    return np.concatenate(found) if found else np.zeros(0)


def _guarded(call: Callable[..., object]) -> Callable[..., int]:
    """A callback from C that keeps an exception. Returns whether there was none."""

    def guarded(handle: object, *arguments: object) -> int:
        slot: RunSlot = ffi.from_handle(handle)
        with slot.native.calls.callback():
            slot.native.calls.let_interrupt_in()
            call(slot, *arguments)
            return 1
        return 0

    return guarded


_row, _hear = (
    _guarded(lambda slot, copy, row: slot.row(copy, row)),
    _guarded(lambda slot, number, _, is_done: slot.hear(number, bool(is_done))),
)
_ROW = ffi.callback(member_type("Member", "row_of_host"), lambda *arguments: 0 if _row(*arguments) else 1, error=1)
_HOOK = ffi.callback("EventHook", _hear, error=0)
