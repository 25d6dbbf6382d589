"""d/dt of a computed number along the motion, exact: the tangents of the rows that it depends on, done after them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mobod.errors import UnsupportedError
from mobod.scalar import is_recorded
from mobod.scalar.derivative import jvp
from mobod.scalar.evaluation import evaluate
from mobod.scalar.slot import Slot
from mobod.scalar.step import Step
from mobod.scalar.sweep import Kind, Row, Sweep
from mobod.system.layout import Layout
from mobod.system.stage import Stage

# stage of a value -> stage of its rate: q_dot is known at VELOCITY, u_dot and z_dot at ACCELERATION
RATE_STAGES = {
    Stage.INSTANCE: Stage.INSTANCE,
    Stage.TIME: Stage.TIME,
    Stage.POSITION: Stage.VELOCITY,
    Stage.VELOCITY: Stage.ACCELERATION,
    Stage.DYNAMICS: Stage.ACCELERATION,
    Stage.ACCELERATION: Stage.REPORT,
}


def add_rate_rows(sweep: Sweep, sources: Mapping[Stage, Sweep], layout: Layout, value: Slot, stage: Stage, about: str) -> Slot:
    """Add to `sweep`, of RATE_STAGES[stage], what computes d/dt of a value that `sources` compute up to `stage`; returns where it lies.

    Time goes on, q, u and z change by their rates, discrete variables and parameters stay. What is written into y by the System itself, as
    known motions are, changes as what it is computed from.

    Raises UnsupportedError, naming `about`, where a part of a sweep decides by values.
    """
    work = [(each, sources[each].clears, row) for each in sorted(sources) if Stage.INSTANCE < each <= stage for row in sources[each].rows]
    needed = _needed(work, value)
    moving = {offset for slot in (layout.time, layout.y) for offset in _offsets(slot)}
    known = set(moving)
    rows: list[tuple[Row, tuple[int, ...]]] = []
    touched: set[int] = set(_offsets(value))
    cleared_at: set[Stage] = set()
    for of_stage, clears, row in needed:
        if of_stage not in cleared_at:
            cleared_at.add(of_stage)
            for offset in (offset for slot in clears for offset in _offsets(slot)):
                if offset in moving and offset in touched:
                    raise UnsupportedError(f"{about}: what its rate depends on is cleared at {of_stage.name}, after it was computed.")
                moving.discard(offset)
        written = {offset for slot in row.outputs for offset in _offsets(slot)}
        moves = tuple(i for i, slot in enumerate(row.inputs) if not moving.isdisjoint(_offsets(slot)))
        if not moves and moving.isdisjoint(written):
            continue
        if isinstance(row, Step):
            raise UnsupportedError(
                f"{about}: it has no rate that is computed along with it, since it depends on the step '{row.name}', "
                "which decides by values."
            )
        rows.append((row, moves))
        touched |= written.union(*(_offsets(row.inputs[i]) for i in moves))
        moving |= written

    places = sorted(touched)
    changes = layout.add_workspace(len(places))
    rank = {offset: changes.offset + i for i, offset in enumerate(places)}  # ranges stay ranges
    sweep.clears.append(changes)
    for offset, size in _ranges(sorted(touched & known)):
        at = Slot(rank[offset], (size,))
        if offset == layout.time.offset:
            sweep.add(_seconds_per_second, [layout.time], [Slot(at.offset, ())])
            offset, size, at = offset + 1, size - 1, Slot(at.offset + 1, (size - 1,))
        if size:
            sweep.add(_same, [Slot(layout.y_dot.offset + offset - layout.y.offset, (size,))], [at])
    for row, moves in rows:
        kind = row.kind
        shapes = kind.shapes + tuple(kind.shapes[i] for i in moves)
        tangent = Kind(change_of, (kind.name, kind, moves), shapes, kind.fixed, kind.adds)
        along = tuple(Slot(rank[row.inputs[i].offset], row.inputs[i].shape) for i in moves)
        outputs = tuple(Slot(rank[slot.offset], slot.shape) if slot.size else slot for slot in row.outputs)
        sweep.rows.append(Row(tangent, row.inputs + along, outputs))
    return Slot(rank[value.offset], value.shape)


def change_of(name: str, kind: Kind, moves: tuple[int, ...], *arrays: Any) -> tuple[Any, ...]:
    """The changes of the results of a kind of row; arrays: its arguments, then the changes of those that `moves` numbers."""
    n = len(kind.shapes)
    given = dict(zip(moves, arrays[n:], strict=True))
    values, directions = arrays[:n], [given.get(i, np.zeros(shape)) for i, shape in enumerate(kind.shapes)]
    if not is_recorded(*arrays):
        return evaluate(kind.tangent(), [np.asarray(array) for array in (*values, *directions)])
    changes = jvp(lambda *arguments: kind.function(*kind.structure, *arguments), values, directions)[1]
    return changes if isinstance(changes, tuple) else (changes,)


Work = list[tuple[Stage, list[Slot], Row | Step]]


def _needed(work: Work, value: Slot) -> Work:
    """The rows that a value depends on."""
    wanted, kept = set(_offsets(value)), []
    for stage, clears, row in reversed(work):
        if not any(not wanted.isdisjoint(_offsets(slot)) for slot in row.outputs):
            continue
        kept.append((stage, clears, row))
        adds = row.kind.adds if isinstance(row, Row) else frozenset()
        wanted.difference_update(offset for i, slot in enumerate(row.outputs) if i not in adds for offset in _offsets(slot))
        wanted.update(offset for slot in row.inputs for offset in _offsets(slot))
    return kept[::-1]


def _seconds_per_second(time: Any) -> Any:
    return 1.0


def _same(rates: Any) -> Any:
    return rates


def _ranges(offsets: list[int]) -> list[tuple[int, int]]:
    """(first, count) of the ranges in offsets that increase."""
    ranges: list[tuple[int, int]] = []
    for offset in offsets:
        if ranges and offset == sum(ranges[-1]):
            ranges[-1] = (ranges[-1][0], ranges[-1][1] + 1)
        else:
            ranges.append((offset, 1))
    return ranges


def _offsets(slot: Slot) -> range:
    return range(slot.offset, slot.offset + slot.size)
