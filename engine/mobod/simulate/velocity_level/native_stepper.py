"""Fixed steps at velocity level by the C runtime: velocity_level.c in fmu_src/native."""

from typing import final

from mobod.compilation.native.integration import Integration, Outcome
from mobod.compilation.native.native_run import NativeRun
from mobod.matter import MatterSubsystem
from mobod.simulate.limits import decided_constraints
from mobod.simulate.run_failure import run_failure
from mobod.simulate.velocity_level.fixed_steps import FixedSteps
from mobod.simulate.velocity_level.tolerances import row_tolerances
from mobod.system import DiscreteVariable, Layout, State, System


@final
class NativeVelocityLevelStepper:
    """Moves a State by fixed steps.

    run  a run in C from the values of the State
    """

    def __init__(self, system: System, matter: MatterSubsystem, state: State, run: NativeRun, steps: FixedSteps):
        self._system, self._matter, self._state, self._run = system, matter, state, run
        run.fix_steps(steps.size, steps.rule_number, steps.place_number, steps.position_iterations, row_tolerances(system))
        self._decided = state.layout.kept(_decided_variables, system)

    def begin(self) -> None:
        """Start, or continue after variables were set: decide which rows are active, and correct the coordinates."""
        self._follow(self._run.begin_fixed_steps())

    def take(self, start: float, until: float, first: int, last: int) -> None:
        """Take the steps with numbers first to last, from 1, of the steps from `start` to `until`. The last step may be shorter."""
        self._follow(self._run.take_fixed_steps(start, until, first, last))

    def _follow(self, integration: Integration) -> None:
        values, layout = self._run.present, self._state.layout
        self._state.move_to(float(values[layout.time.offset]), values[layout.y.slice])
        self._state.take_numbers(values, self._decided)
        if integration.outcome != Outcome.INTEGRATED:
            raise run_failure(self._system, self._state, integration, self._run)


def _decided_variables(system: System, layout: Layout) -> frozenset[DiscreteVariable]:
    """The variables that steps set."""
    decided = [variable for constraint in decided_constraints(system) for variable in constraint.decided]
    return frozenset([*decided, *(update.variable for update in layout.auto_updates.in_c), *_sampled_variables(system, layout)])


def _sampled_variables(system: System, layout: Layout) -> list[DiscreteVariable]:
    """Those that the events of samples set, and what events remember."""
    if not system.has_events:
        return []
    rows = [row for row in system.events.table(layout).rows if row.event.only_samples]
    if not rows:
        return []
    written = [slot for row in rows if row.handling is not None for function in row.handling.functions for slot in function.outputs]
    slots = [*written, *(row.memory for row in rows), system.events.table(layout).shared]
    offsets = {offset for slot in slots for offset in range(slot.offset, slot.offset + slot.size)}
    return [
        handle
        for handle, slot in layout.slots.items()
        if isinstance(handle, DiscreteVariable) and not offsets.isdisjoint(range(slot.offset, slot.offset + slot.size))
    ]
