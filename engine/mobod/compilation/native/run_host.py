"""The host of a run in C: the owner of its State, and the users' code that C calls back (host.h in fmu_src/native)."""

# Decision: docs/decisions/016-callbacks.md

from collections.abc import Callable, Sequence
from typing import final

import numpy as np

from mobod.c_calls import CCalls
from mobod.compilation.native.called_actions import ActionFailed, CalledActions
from mobod.errors import InputError, SingularMechanismError
from mobod.runtime.c_objects import CObject
from mobod.runtime.library import constant, ffi, member_type, runtime, type_of
from mobod.scalar.procedure import PythonProcedure
from mobod.system import NEVER, DiscreteVariable, Stage, State, System
from mobod.system.events.table import NEXT, EventRow
from mobod.system.state.auto_updates import AutoUpdate
from mobod.system.users_code import errors_of

_STAGES = [stage for stage in Stage if stage > Stage.MODEL]


@final
class RunHost:
    """Methods that C calls back, within `calls`.

    state  gets time, y and numeric discrete variables of the run; only the State contains other discrete variables
    rows   the events, by their numbers in C
    n_w    number of floats in w
    check  called after a handler in plain Python, with its row of the table
    when_updated
           called after `begin_step`
    """

    def __init__(
        self,
        system: System,
        state: State,
        rows: Sequence[EventRow],
        calls: CCalls,
        n_w: int,
        check: Callable[[EventRow], None] = lambda _: None,
    ):
        self.state, self.calls, self._check = state, calls, check
        self._system, self._layout, self._rows, self._n_w = system, state.layout, rows, n_w
        self._discrete = self._layout.discrete.slice
        self._t_and_y = slice(0, 1 + self._layout.n_y)
        self._last = -1  # number of the last procedure in the present evaluation; -1: none
        self._w = np.zeros(0)  # since the first call of C: its w
        self._call: CObject | None = None  # the present HandlerCall
        self._versions: list[int] = []  # version numbers of the State when it last agreed with C
        self._kept: dict[DiscreteVariable, object] = {}
        self.why_no_value: SingularMechanismError | None = None  # the last error of a procedure in Python
        self.when_updated: Callable[[], object] = lambda: None
        self.hooks = hooks = ffi.new("HostHooks *")
        for name in ("handle", "witness", "save", "restore", *(["begin_step"] if self._layout.auto_updates.called_back else [])):
            setattr(hooks, name, _HOOKS[name])

    def has_moved(self, n_w: int) -> None:
        """The run goes on with w at another place, of this size. No computed value is valid."""
        self._n_w, self._w = n_w, np.zeros(n_w)
        self._last = -1

    # exchange between the State and w
    def _enter(self, w: CObject) -> None:
        self._w = np.frombuffer(ffi.buffer(w, self._n_w * 8))

    def follow(self) -> None:
        """Copy what C has set to the State."""
        self._take_variables()
        self._versions = [self.state.version(stage) for stage in _STAGES]

    def _take_variables(self) -> bool:
        """Copy variables from w; returns whether any changed."""
        state, w = self.state, self._w
        is_moved = _differ(w[self._t_and_y], state.values[self._t_and_y])
        if is_moved:
            state.move_to(float(w[0]), w[self._layout.y.slice])
        has_changed = _differ(w[self._discrete], state.values[self._discrete])
        if has_changed:
            state.take_numbers(w)
        return is_moved or has_changed

    def _what_was_set(self) -> Stage | None:
        """Write what was set in the State to w; returns the earliest stage that depends on these changes."""
        state, w = self.state, self._w
        w[self._layout.y.slice] = state.values[self._layout.y.slice]
        w[self._discrete] = state.values[self._discrete]
        now = [state.version(stage) for stage in _STAGES]
        changed = [stage for stage, before, after in zip(_STAGES, self._versions, now, strict=True) if before != after]
        self._versions = now
        return min(changed, default=None)

    def give_back(self) -> None:
        """Copy what a handler has set to C."""
        stage = self._what_was_set()
        if stage is not None:
            runtime().mobod_note_change_by_host(self._call, int(stage))
        for update in self._layout.auto_updates.in_c:
            if update.stage < Stage.TIME:
                self._give_next_value(update)

    def _give_next_value(self, update: AutoUpdate) -> None:
        """Restore the next value of an auto-update variable that was computed before a handler, since setting the variable invalidates
        it.
        """
        w, values = self._w, self.state.values
        if self.state.stage < update.stage:
            return  # C computes it again before the next step
        if not self.state.is_valid(update.entry):
            w[update.used.offset] = 1.0
        elif _differ(w[update.next.slice], values[update.next.slice]):  # the handler has set it
            w[update.next.slice] = values[update.next.slice]
            w[update.used.offset] = 0.0

    # called by C
    def run_procedure(self, number: int, procedure: PythonProcedure, w: CObject) -> int:
        """Run a procedure of a sweep; returns a kernel's status. number: its index among all procedures."""
        self._enter(w)
        state = self.state
        if self._take_variables() or number <= self._last or self._last < 0:  # a new evaluation: no earlier value is valid
            state.move_to(float(self._w[0]), self._w[self._layout.y.slice])
        self._last = number
        computed = self._w[: len(state.values)]
        state.values[:] = computed
        try:
            with state.at_procedure(procedure.reached, procedure.realizing):
                procedure.run_on(state, state.values)
        except SingularMechanismError as error:
            self.why_no_value = error
            return constant("NO_VALUE")
        computed[:] = state.values
        return 0

    def begin_step(self, w: CObject, invalidated: CObject) -> None:
        """Update the auto-update variables whose next values are not recorded."""
        self.state.invalidate(Stage.TIME)  # C computes TIME and later stages again before each step; so does the host
        self._between_evaluations(w)
        self._system.realize(self.state, Stage.REPORT)
        self._system.auto_update_discrete_variables(self.state)
        self.when_updated()
        stage = self._what_was_set()
        if stage is not None:
            invalidated[0] = int(stage)

    def handle(self, call: CObject, number: int, role: int, w: CObject) -> None:
        """Call a handler, a reporter or the times of an event. See host.h."""
        self._between_evaluations(w)
        self._call = call
        row, state = self._rows[number], self.state
        if row.event.stage < Stage.REPORT:
            state.invalidate(row.event.stage.next())
            self.follow()
        self._system.realize(state, row.event.stage)
        try:
            if role == constant("ROLE_HANDLE"):
                self._handle(call, row)
            else:
                self._ask_for_time(row, includes_now=role == constant("ROLE_START_TIME"))
        except ActionFailed:
            return
        self.give_back()

    def _handle(self, call: object, row: EventRow) -> None:
        state, event, time = self.state, row.handler, self.state.time
        direction = int(self._w[row.direction.offset])
        actions = CalledActions(self, call, self._system.events.table(self._layout), row, direction)
        with errors_of(event.title, time), state.keeping_reads():
            event.handle_event(state, actions)
            self._check(row)
            if state.time != time:
                raise InputError(
                    "it sets the time, which only the integrator may change. To be called at a later time, use event.schedule(time)."
                )

    def _ask_for_time(self, row: EventRow, *, includes_now: bool) -> None:
        with errors_of(row.event.title, self.state.time):
            time = float(row.scheduled.next_event_time(self.state, includes_now))
        self.state.values[row.memory.slice][NEXT] = min(time, NEVER)

    def witness(self, number: int, w: CObject, value: CObject) -> None:
        """Compute a witness in plain Python. See host.h."""
        self._between_evaluations(w)
        event = self._rows[number].triggered
        self._system.realize(self.state, event.stage)
        with errors_of(f"the witness of {event.title}", self.state.time):
            value[0] = float(event.witness(self.state))

    def save(self) -> None:
        """Save the variables that w does not contain."""
        self._kept = {variable: self.state.get(variable) for variable in self._objects}

    def restore(self) -> None:
        """Restore the saved variables. No computed value is valid afterwards."""
        for variable, value in self._kept.items():
            self.state.set(variable, value)
        self._last = -1
        self.state.invalidate(Stage.INSTANCE)

    @property
    def _objects(self) -> list[DiscreteVariable]:
        return [variable for variable in self.state.discrete_variables if variable.shape is None and variable.invalidates > Stage.MODEL]

    def _between_evaluations(self, w: CObject) -> None:
        self._enter(w)
        self._last = -1
        self.follow()


def _differ(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether any bits differ."""
    return one.tobytes() != other.tobytes()


def _hook(name: str) -> CObject:
    """A C callback that calls a method of the host. An exception is stored, and stops the run."""

    def call(handle: object, *arguments: object) -> int:
        host: RunHost = ffi.from_handle(handle)
        with host.calls.callback():
            host.calls.let_interrupt_in()
            getattr(host, name)(*arguments)
            return 0
        return 1

    return ffi.callback(member_type("HostHooks", name), call, error=1)


_HOOKS = {name: _hook(name) for name, _ in type_of("HostHooks").fields}
