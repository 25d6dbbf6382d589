"""CustomSubsystem: a user's subsystem with recorded hooks (seed 000, chapter 2)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, final

import numpy as np

from mobod.errors import DuplicateNameError, ElementError, MobodError, RecordingError, StageError
from mobod.scalar import Array, Scalar, Slot, Sweep
from mobod.system.own_errors import write_jacobians
from mobod.system.recorded_hook import HookState, RecordedHook
from mobod.system.stage import Stage
from mobod.system.stage_hooks import HOOKS, StageHooks, hook_of, overrides
from mobod.system.state.allocating import jacobian_name
from mobod.system.state.handles import (
    STAGE_OF_KIND,
    CacheEntry,
    Continuous,
    ContinuousVariable,
    DiscreteVariable,
    Handle,
    Label,
    Prerequisite,
)
from mobod.system.state.layout import Layout
from mobod.system.state.reading import Reader
from mobod.system.state.running_hook import RunningHook, attributes, check_unchanged, checked_shape
from mobod.system.state.state import State
from mobod.system.subsystem import Subsystem
from mobod.system.system import System
from mobod.system.variable import CatalogueVariable

T = TypeVar("T")


class CustomSubsystem(Subsystem):
    """A user's subsystem. Subclass it and override the hooks that you need, realize_topology to realize_report.

    realize_topology and realize_model allocate variables by the methods of State: discrete variables and cache entries in either, q, u and
    z in realize_model. The subsystem may store the handles of realize_topology. What realize_model allocates may differ between States: get
    its handles by `state.handle(self, name)`; storing them in the subsystem raises an error.

    A hook from INSTANCE on reads its State (poses, q, u, z, time, variables, computed values). It sets computed values by
    `state.set_cached(entry, value)` and the rates of its own q, u and z by `state.set_rate(variable, value)`. It is recorded once for each
    structure, so that it runs as bytecode, as C and in FMUs. Write a decision by value as `where(condition, a, b)` of mobod.scalar, not as
    `if`; a MODEL-stage variable is a plain value. With `recordable = False` the hooks are called as plain Python.

    Numeric discrete variables are parameters of results and FMUs, named '<subsystem>.<variable>'. q, u, z and numeric computed values have
    names of the same form. A `default_...` value of yours is topological: call self.invalidate_topology() when it is set.

    calc_potential_energy(state)   J; may depend on poses, q, z, and discrete variables allocated in realize_topology. Needs stage POSITION

    state.allocate_q_error(self, n) and allocate_u_error make constraint errors of the subsystem's own q and u, which may depend on
    everything that the hook may read. A run keeps the errors at 0 by the smallest change of q and u. It does not change the motion of
    bodies for them; use constraints for that.

    A hook that reads a value not known at its stage raises StageError. An exception raised in a hook becomes an ElementError, which names
    the hook and the time.
    """

    recordable = True
    system: System

    def __init__(self, system: System, name: str, version: str = "1.0"):
        system.claim(name, f"a {type(self).__name__}")
        self._init(system, name, version)

    @final
    def _init(self, system: System, name: str, version: str = "1.0") -> None:
        super().__init__(system, name, version)
        self._potential_energy: CacheEntry | None = None

    @property
    def hook_owner(self) -> StageHooks:
        """The object whose attributes the hooks must not change."""
        return self

    def hook(self, stage: Stage) -> Callable[[Any], None] | None:
        """The user's hook for a stage, or None."""
        return hook_of(self, stage) if overrides(self, stage) else None

    @property
    def records_hooks(self) -> bool:
        """Whether the hooks from INSTANCE on are recorded."""
        return bool(self.recordable)

    def calc_potential_energy(self, state: State) -> Scalar:
        """Potential energy, J; default 0."""
        return 0.0

    # called by the engine
    @final
    def calls_hook(self, stage: Stage) -> bool:
        """Whether realizing to the stage calls the hook as plain Python."""
        if stage <= Stage.MODEL:
            return True
        return not self.records_hooks and (self.hook(stage) is not None or stage == Stage.ACCELERATION)

    @final
    def run_hook(self, state: State, stage: Stage) -> None:
        """Call the hook of a stage as plain Python, and check what it reads and sets."""
        about, hook = self._about(HOOKS[stage]), self.hook(stage) or _nothing
        if stage <= Stage.MODEL:
            before = attributes(self.hook_owner)
            self._call(lambda: hook(state), about)
        if stage == Stage.TOPOLOGY and self._has_potential_energy:
            self._allocate_potential_energy(state)
        elif stage == Stage.MODEL:
            state.allocate_jacobians(self)
            check_unchanged(self.hook_owner, before, about)
        elif stage > Stage.MODEL:
            self._run_as_python(state, stage, hook)

    @final
    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values."""
        self._check_names(layout)
        if not self.records_hooks:
            return
        for entry, compute in layout.recorded.items():
            if entry.subsystem == self.index:
                self._record_lazy(layout, entry, compute)
        written: set[Slot] = set()
        for stage in HOOKS:
            if stage > Stage.MODEL and self.hook(stage) is not None:
                row = self._record(layout, stage)
                written |= {*row.results, *write_jacobians(self, row, layout, self._sweep(layout, stage))}
        self._check_complete(layout, written)

    def gather(self, state: State | HookState, accumulated: Mapping[str, Array], add: Callable[[Slot, Array], None]) -> None:
        """Add the forces that a hook accumulated to the sums of all subsystems; overridden by the engine's subclasses."""

    @property
    def potential_energy_entry(self) -> CacheEntry | None:
        """The cache entry of its potential energy, or None."""
        return self._potential_energy

    @final
    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """The variables that results, FMUs and the command line can name."""
        updates = {each.update for each in layout.handles if isinstance(each, DiscreteVariable)}
        internal = {jacobian_name(own.entry) for own in layout.errors if own.entry.subsystem == self.index}
        shown = [each for each in self._own(layout) if each not in updates and each.name not in internal]
        return [variable for each in shown for variable in self._catalogued(each, layout)]

    # internal
    @property
    def _has_potential_energy(self) -> bool:
        return type(self).calc_potential_energy is not CustomSubsystem.calc_potential_energy

    def _allocate_potential_energy(self, state: State) -> None:
        own = [each for each in state.discrete_variables if each.subsystem == self.index and each.invalidates > Stage.POSITION]
        self._potential_energy = state.allocate_cache_entry(
            self,
            "potential_energy",
            Stage.POSITION,
            shape=(),
            prerequisites=[Continuous.Z, *own],
            compute=lambda state: self._call(lambda: self.calc_potential_energy(state), self._about("calc_potential_energy"), state),
            label=Label(unit="J", description=f"potential energy of '{self.name}'"),
        )

    def _run_as_python(self, state: State, stage: Stage, hook: Callable[[State], None]) -> None:
        running = RunningHook(self, self._reader(stage, self._about(HOOKS[stage])))
        with state.running_hook(running):
            self._call(lambda: hook(state), running.reader.about, state)

        def add(slot: Slot, value: Array) -> None:
            state.values[slot.slice] += np.ravel(value)

        self.gather(state, running.accumulators, add)
        if stage == Stage.ACCELERATION:
            for block in self._own(state.layout):
                if isinstance(block, ContinuousVariable) and not state.has_rate(block):
                    raise self._no_rate(block)

    def _call(self, function: Callable[[], T], about: str, state: object = None) -> T:
        """Call a function and turn a user's exception into an ElementError with place and time. state: for the time, if it has one."""
        try:
            return function()
        except MobodError:
            raise
        except Exception as error:  # user code may raise anything
            when = "" if not isinstance(state, State) else f" at time {state.values[state.layout.time.offset]:g} s"
            raise ElementError(f"{about} failed{when}: {type(error).__name__}: {error}") from error

    def _reader(self, stage: Stage, about: str, prerequisites: Iterable[Prerequisite] = (), *, with_own: bool = False) -> Reader:
        order = [subsystem.index for subsystem in self.system.realization_order]
        before = order[: order.index(self.index) + with_own]
        return Reader(about=about, stage=stage, variables=stage, prerequisites=frozenset(prerequisites), earlier=frozenset(before))

    def _record(self, layout: Layout, stage: Stage) -> RecordedHook:
        """Append the row of a hook to its sweep."""
        hook = self.hook(stage) or _nothing

        def function(state: HookState) -> None:
            hook(state)
            self.gather(state, state.accumulators, state.add)

        row = RecordedHook(self, self.hook_owner, function, layout, self._reader(stage, self._about(HOOKS[stage])))
        probed = row.probe()
        if not probed.results and not probed.sums:
            raise RecordingError(
                f"{row.reader.about} sets nothing, so its recording would do nothing. Set `recordable = False` in "
                f"{type(self.hook_owner).__name__} to have its hooks called as plain Python."
            )
        sweep = self._sweep(layout, stage)
        row.write(sweep)
        if row.needs:
            layout.needs[sweep.name] = list(row.needs)
        if probed.marks:
            layout.marks[sweep.name] = probed.marks
        if any(layout.q.offset + layout.n_y <= slot.offset < layout.u_dot.offset for slot in probed.results):
            layout.q_dot_stage = max(layout.q_dot_stage, stage)
        return row

    def _record_lazy(self, layout: Layout, entry: CacheEntry, compute: Callable[[Any], Any]) -> None:
        what = "calc_potential_energy" if entry is self._potential_energy else f"what computes '{entry.name}'"
        reader = self._reader(entry.earliest, self._about(what), entry.prerequisites, with_own=True)

        def function(state: HookState) -> None:
            state.results[layout.slots[entry]] = checked_shape(compute(state), entry.shape or (), entry.name, reader.about)

        row = RecordedHook(self, self.hook_owner, function, layout, reader)
        row.needs = None
        row.probe()
        row.write(layout.lazy_sweeps.setdefault(entry, Sweep(f"{self.name}: {entry.name}")))

    def _check_names(self, layout: Layout) -> None:
        names = [*self.hook_owner.variable_names, *(each.name for each in self._own(layout))]
        for name in names:
            if names.count(name) > 1:
                raise DuplicateNameError(
                    f"subsystem '{self.name}' has allocated two variables or computed values named '{name}'. Give each its own name."
                )

    def _check_complete(self, layout: Layout, written: set[Slot]) -> None:
        """Raise an error for a computed value that no hook sets, and for a continuous variable without a rate."""
        for each in self._own(layout):
            if isinstance(each, ContinuousVariable) and layout.rate(layout.slot(each)) not in written:
                raise self._no_rate(each)
            if isinstance(each, CacheEntry) and each.computed_by is not None and layout.slots.get(each) not in written:
                raise StageError(
                    f"{self._about(HOOKS[each.computed_by])} does not set '{each.name}', which was allocated with "
                    f"computed_by={each.computed_by.name}. "
                    "Call state.set_cached there."
                )

    def _no_rate(self, block: ContinuousVariable) -> StageError:
        return StageError(
            f"'{block.name}' ({block.kind}) of subsystem '{self.name}' has no rate. Call state.set_rate in realize_acceleration."
        )

    def _own(self, layout: Layout) -> list[Handle]:
        return [each for each in layout.handles if each.subsystem == self.index]

    def _catalogued(self, handle: Handle, layout: Layout) -> list[CatalogueVariable]:
        """The catalogued variables of a variable or computed value. None if it is not numeric or has more than two axes."""
        if handle.shape is None or len(handle.shape) > 2:
            return []
        label, slot, name = layout.labels.get(handle, Label()), layout.slot(handle), f"{self.name}.{handle.name}"
        text = label.description or f"{handle.name} of subsystem '{self.name}'"
        if isinstance(handle, DiscreteVariable):
            if handle.invalidates == Stage.MODEL:
                return []
            return [
                CatalogueVariable.parameter(
                    name,
                    slot,
                    label.units,
                    text,
                    handle.invalidates,
                    is_input=label.is_input,
                    type="boolean" if handle.is_boolean else "real",
                    discrete=handle,
                    minimum=label.minimum,
                    maximum=label.maximum,
                )
            ]
        if isinstance(handle, CacheEntry):
            is_lazy = handle.computed_by is None
            stage, entry = (Stage.REPORT, handle) if is_lazy else (handle.computed_by or Stage.REPORT, None)
            return [CatalogueVariable.output(name, slot, stage, label.units, text, entry=entry)]
        rate_stage = layout.q_dot_stage if handle.kind == "q" else Stage.ACCELERATION
        state = CatalogueVariable.state(name, slot, label.units, text, STAGE_OF_KIND[handle.kind], scales=label.scales)
        return [state, state.rate(layout.rate(slot), rate_stage, f"rates of {name}")]

    def _about(self, method: str) -> str:
        return f"{method} of subsystem '{self.name}' ({type(self).__name__})"


def _nothing(state: object) -> None:
    """Default hook, which does nothing."""
