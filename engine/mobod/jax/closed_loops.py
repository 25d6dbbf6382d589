"""The closed loops of a System: their table, and what cannot be computed for them in JAX."""

from collections.abc import Mapping, Sequence

from mobod.compilation.calls.liveness import LiveCall, live_sweeps
from mobod.errors import UnsupportedError
from mobod.matter import MultibodySystem
from mobod.matter.constraint_rows.row_table import RowTable
from mobod.scalar.sweep import Sweep
from mobod.system import CatalogueVariable, Layout, Stage, State, System
from mobod.system.measures.rates import ProcedureChange


def row_table(system: System, layout: Layout) -> RowTable | None:
    """The table of the constraints' rows; None: there are no constraints."""
    if not isinstance(system, MultibodySystem) or not system.has_matter:
        return None
    constraints = system.matter.tree(layout).constraints
    return None if constraints is None else constraints.table


def check_inputs(table: RowTable | None, inputs: Sequence[CatalogueVariable]) -> None:
    """Raises UnsupportedError for an input that enables a constraint."""
    flags = set() if table is None else {block.enabled.offset for block in table.blocks}
    for each in inputs:
        if each.slot.offset in flags:
            raise UnsupportedError(
                f"to_jax: input '{each.name}' decides which equations there are, and cannot change within a function of JAX. Make one "
                "function with the constraint and one without it."
            )


def check_outputs(
    system: System, state: State, table: RowTable | None, sweeps: Mapping[Stage, Sweep], outputs: Sequence[CatalogueVariable]
) -> None:
    """Raises UnsupportedError for an output that needs the rates of multipliers, or multipliers that redundant rows leave undetermined at
    this State.
    """
    if table is None or not isinstance(system, MultibodySystem):
        return
    names = []
    for output in outputs:
        calls = [call for sweep in live_sweeps(dict(sweeps), [output.slot]).values() for call in sweep.calls]
        if any(isinstance(call, ProcedureChange) for call in calls):
            raise UnsupportedError(
                f"to_jax: output '{output.name}' is a rate that depends on rates of multipliers. Differentiate a function of JAX: jax.jvp."
            )
        read = {offset for call in calls if isinstance(call, LiveCall) for slot in call.call.inputs for offset in slot.offsets}
        if not _multipliers_and_forces(table).isdisjoint(read | set(output.slot.offsets)):
            names.append(output.name)
    if not names:
        return
    at_state = state.copy()
    system.realize(at_state, Stage.DYNAMICS)
    redundant = system.matter.analyze_constraints(at_state).redundant
    if redundant:
        raise UnsupportedError(
            f"to_jax: output '{names[0]}' depends on multipliers, which redundant constraints leave undetermined: {', '.join(redundant)}. "
            "Remove the redundant constraints. Accelerations are computed with them, and mb.Simulation has multipliers of least norm."
        )


def _multipliers_and_forces(table: RowTable) -> set[int]:
    return {offset for slot in (table.multipliers, table.body_forces, table.mobility_forces) for offset in slot.offsets}
