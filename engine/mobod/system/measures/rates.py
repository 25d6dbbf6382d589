"""d/dt of a computed number along the motion, exact: the tangents of the calls that it depends on, done after them."""

# Decision: docs/decisions/064-measure-rates.md

from collections.abc import Mapping
from typing import final

import numpy as np

from mobod.errors import UnsupportedError
from mobod.runtime.tables import CFunction, Struct
from mobod.scalar import Array, Scalar, is_recorded
from mobod.scalar.derivative import jvp
from mobod.scalar.evaluation import evaluate
from mobod.scalar.procedure import Procedure, ProcedureInC, PythonProcedure
from mobod.scalar.slot import Slot, ranges
from mobod.scalar.sweep import Kind, Sweep, SweepCall
from mobod.system.stage import Stage
from mobod.system.state.layout import Layout

# stage of a value -> stage of its rate: q_dot is known at VELOCITY, u_dot and z_dot at ACCELERATION
RATE_STAGES = {
    Stage.INSTANCE: Stage.INSTANCE,
    Stage.TIME: Stage.TIME,
    Stage.POSITION: Stage.VELOCITY,
    Stage.VELOCITY: Stage.ACCELERATION,
    Stage.DYNAMICS: Stage.ACCELERATION,
    Stage.ACCELERATION: Stage.REPORT,
}


def add_rate_calls(
    sweep: Sweep,
    sources: Mapping[Stage, Sweep],
    layout: Layout,
    value: Slot,
    stage: Stage,
    about: str,
    known_rates: Mapping[Slot, Slot],
) -> Slot:
    """Add the calls that compute d/dt of a value to `sweep`, which is that of RATE_STAGES[stage]. Returns the slot of the derivative.

    sources      the sweeps that compute the value, up to `stage`
    known_rates  slots of computed values, and of their rates

    The rate of time is 1, and those of q, u and z are q_dot, u_dot and z_dot. Discrete variables and parameters are constant. Entries of y
    that the System computes, such as prescribed coordinates, get the derivative of that computation.

    Raises UnsupportedError, naming `about`, where the order of the calls allows no derivative.
    """
    work = [
        (each, sources[each].clears, call) for each in sorted(sources) if Stage.INSTANCE < each <= stage for call in sources[each].calls
    ]
    rate_at = {layout.y.offset + i: layout.y_dot.offset + i for i in range(layout.n_y)}
    rate_at.update(pair for slot, rate in known_rates.items() for pair in zip(slot.offsets, rate.offsets, strict=True))
    needed = _needed(work, value, {offset for slot in known_rates for offset in slot.offsets})
    moving = {layout.time.offset, *rate_at}
    calls: list[tuple[SweepCall | Procedure, tuple[int, ...]]] = []
    touched: set[int] = set(value.offsets)
    cleared_at: set[Stage] = set()
    for of_stage, clears, call in needed:
        if of_stage not in cleared_at:
            cleared_at.add(of_stage)
            for offset in (offset for slot in clears for offset in slot.offsets):
                if offset in moving and offset in touched:
                    raise UnsupportedError(f"{about}: what its rate depends on is cleared at {of_stage.name}, after it was computed.")
                moving.discard(offset)
        written = {offset for slot in call.outputs for offset in slot.offsets}
        moves = tuple(i for i, slot in enumerate(call.inputs) if not moving.isdisjoint(slot.offsets))
        if not moves and moving.isdisjoint(written):
            continue
        if isinstance(call, PythonProcedure):
            raise UnsupportedError(f"{about}: its rate is not known, since {call.name} runs as Python (recordable = False).")
        if isinstance(call, ProcedureChange):
            raise UnsupportedError(f"{about}: the rate of what {call.procedure.name} gives has no rate itself.")
        calls.append((call, moves))
        read = (*call.inputs, *call.workspace) if isinstance(call, Procedure) else [call.inputs[i] for i in moves]
        touched |= written.union(*(slot.offsets for slot in read))
        moving |= written

    has_procedures = any(isinstance(call, Procedure) for call, _ in calls)
    places = list(range(max(touched) + 1)) if has_procedures else sorted(touched)  # a procedure finds a change where it finds the number
    changes = layout.reserve((len(places),))
    rank = {offset: changes.offset + i for i, offset in enumerate(places)}  # ranges stay ranges
    sweep.clears.append(changes)
    if layout.time.offset in touched:
        sweep.add(_seconds_per_second, [layout.time], [Slot(rank[layout.time.offset], ())])
    for first, size in _runs(sorted(touched & rate_at.keys()), rate_at):
        sweep.add(_same, [Slot(rate_at[first], (size,))], [Slot(rank[first], (size,))])
    for call, moves in calls:
        if isinstance(call, Procedure):
            sweep.calls.append(ProcedureChange(call, changes))
            continue
        kind = call.kind
        shapes = kind.shapes + tuple(kind.shapes[i] for i in moves)
        tangent = sweep.kinds.kind(change_of, (kind.name, kind, moves), shapes, kind.fixed, kind.adds)
        along = tuple(Slot(rank[call.inputs[i].offset], call.inputs[i].shape) for i in moves)
        outputs = tuple(Slot(rank[slot.offset], slot.shape) if slot.size else slot for slot in call.outputs)
        sweep.calls.append(SweepCall(tangent, call.inputs + along, outputs))
    return Slot(rank[value.offset], value.shape)


@final
class ProcedureChange(Procedure):
    """How the results of a procedure change, at the same places within `changes` as the numbers within w."""

    def __init__(self, procedure: Procedure, changes: Slot):
        self.procedure, self._changes = procedure, changes

    @property
    def name(self) -> str:
        return f"change of {self.procedure.name}"

    @property
    def inputs(self) -> tuple[Slot, ...]:
        return (*self.procedure.inputs, *self.procedure.outputs, *(self._moved(slot) for slot in self.procedure.inputs))

    @property
    def outputs(self) -> tuple[Slot, ...]:
        return tuple(self._moved(slot) for slot in self.procedure.outputs)

    @property
    def begins_repeated_part(self) -> bool:
        return self.procedure.begins_repeated_part

    def _moved(self, slot: Slot) -> Slot:
        return Slot(self._changes.offset + slot.offset, slot.shape)

    @property
    def why_no_tangent(self) -> str:
        return f"what {self.procedure.name} gives has a rate, but how that rate changes is not known. Use finite differences."

    @property
    def workspace(self) -> tuple[Slot, ...]:
        return tuple(self._moved(slot) for slot in self.procedure.workspace)

    def in_c(self) -> ProcedureInC:
        procedure = self.procedure.in_c()
        context = Struct(
            "ChangeOfProcedure",
            tangent=Struct("Kernel", run=CFunction(procedure.tangent), context=procedure.context),
            changes=self._changes.offset,
            n_outputs=len(self.outputs),
            outputs=[number for slot in self.outputs for number in (slot.offset, slot.size)],
        )
        return ProcedureInC(
            "change_of_procedure.h",
            "run_change_of_procedure",
            "run_change_of_procedure_tangent",
            "run_change_of_procedure_adjoint",
            context,
        )


def change_of(name: str, kind: Kind, moves: tuple[int, ...], *arrays: Array) -> tuple[Array, ...]:
    """The changes of the results of a kind of call; arrays: its arguments, then the changes of those that `moves` numbers."""
    n = len(kind.shapes)
    given = dict(zip(moves, arrays[n:], strict=True))
    values, directions = arrays[:n], [given.get(i, np.zeros(shape)) for i, shape in enumerate(kind.shapes)]
    if not is_recorded(*arrays):
        return evaluate(kind.tangent(), [np.asarray(array) for array in (*values, *directions)])
    changes = jvp(lambda *arguments: kind.function(*kind.structure, *arguments), values, directions)[1]
    return changes if isinstance(changes, tuple) else (changes,)


Work = list[tuple[Stage, list[Slot], SweepCall | Procedure]]


def _needed(work: Work, value: Slot, known: set[int]) -> Work:
    """The calls that a value depends on, without those that compute values with known rates."""
    wanted, kept = set(value.offsets), []
    for stage, clears, call in reversed(work):
        if not any(not wanted.isdisjoint(slot.offsets) for slot in call.outputs):
            continue
        kept.append((stage, clears, call))
        adds = call.kind.adds if isinstance(call, SweepCall) else frozenset()
        wanted.difference_update(offset for i, slot in enumerate(call.outputs) if i not in adds for offset in slot.offsets)
        wanted.update(offset for slot in call.inputs for offset in slot.offsets if offset not in known)
    return kept[::-1]


def _runs(offsets: list[int], rate_at: Mapping[int, int]) -> list[tuple[int, int]]:
    """(first, count) of the ranges whose rates make a range too."""
    return [(first + start, size) for first, count in ranges(offsets) for start, size in _parts([rate_at[first + i] for i in range(count)])]


def _parts(places: list[int]) -> list[tuple[int, int]]:
    """(first, count) of the parts of a list within which each number follows the one before."""
    starts = [i for i in range(len(places)) if i == 0 or places[i] != places[i - 1] + 1]
    return [(start, end - start) for start, end in zip(starts, [*starts[1:], len(places)], strict=True)]


def _seconds_per_second(time: Scalar) -> Scalar:
    return 1.0


def _same(rates: Array) -> Array:
    return rates
