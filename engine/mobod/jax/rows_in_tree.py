"""The rows of enabled constraints along the speeds of the joints on their paths."""

from collections.abc import Iterator, Sequence
from typing import Literal, final

import jax.numpy as jnp
from jax import Array, lax

from mobod.jax.known_numbers import KnownNumbers
from mobod.jax.products import times
from mobod.matter.constraint_rows.row_slots import RowBlock
from mobod.matter.constraint_rows.row_table import RowTable
from mobod.matter.equations.motion_equations import FREE, VELOCITY
from mobod.scalar.slot import Slot

RowLevel = Literal["position", "velocity", "acceleration"]


@final
class RowsInTree:
    """Rows that may influence each other: those of one part of the constraints.

    level   whose rows: of position errors; also of velocity errors; all
    blocks  (block, its first row here, how many it has)
    joints  on the paths of the rows to Ground, tips first
    speeds  numbers of the joints' speeds among all, in the order of the columns here
    """

    def __init__(self, table: RowTable, blocks: Sequence[RowBlock], level: RowLevel):
        self._table, self.level = table, level
        self.blocks: list[tuple[RowBlock, int, int]] = []
        self.n = 0
        for block in blocks:
            count = {"position": block.position_errors.size, "velocity": block.velocity_errors.size, "acceleration": block.n}[level]
            self.blocks.append((block, self.n, count))
            self.n += count
        parents = {joint.body: joint.parent for joint in table.joints}
        on_paths: set[int] = set()
        for block in blocks:
            for body, _ in (*block.on_bodies, *block.on_mobilities):
                while body in parents and body not in on_paths:
                    on_paths.add(body)
                    body = parents[body]
        self.joints = [joint for joint in table.joints if joint.body in on_paths]
        self.speeds = [joint.first + k for joint in self.joints for k in range(joint.nu)]

    def slots(self) -> list[Slot]:
        """Of all that `along_speeds` reads, if it is not articulated."""
        of_joints = [slot for joint in self.joints for slot in (joint.H, joint.l, joint.H_along) if slot is not None]
        return [*of_joints, *self._levels(), *(slot for block, _, _ in self.blocks for _, slot in (*block.on_bodies, *block.on_mobilities))]

    def read(self, numbers: KnownNumbers, slots: Sequence[Slot]) -> Array:
        """(n,) the numbers of the rows at the slots of the blocks."""
        read = [numbers.array(slot)[:count] for slot, (_, _, count) in zip(slots, self.blocks, strict=True)]
        return jnp.concatenate(read)

    def along_speeds(self, numbers: KnownNumbers, *, articulated: bool) -> Array:
        """(n, n speeds) the rows, or E of articulated bodies (see multipliers.py of constraint_rows); 0 for rows that joints or prescribed
        motions already satisfy, and, if not articulated, for prescribed speeds.
        """
        on_bodies, on_speeds = self._start(numbers)
        none = jnp.zeros((self.n, 6), numbers.dtype)
        terms = jnp.zeros(self.n, numbers.dtype)  # as moments, relative to which a row is round-off
        size, columns = terms, []
        for forces in on_bodies.values():
            terms = jnp.maximum(terms, self._as_moment(forces))
        for joint in self.joints:
            forces, own = on_bodies.get(joint.body, none), on_speeds.get(joint.body, jnp.zeros((self.n, joint.nu), numbers.dtype))
            terms = jnp.maximum(terms, jnp.maximum(self._as_moment(forces), _largest(own * jnp.asarray(joint.levers))))
            column = own + times(forces, numbers.array(joint.H))
            if joint.H_along is not None:  # an interface, which modes of its parent move
                of_modes = times(forces, numbers.array(joint.H_along))
                on_speeds[joint.parent] = on_speeds[joint.parent] + of_modes if joint.parent in on_speeds else of_modes
            if joint.known_level is not None:
                level = numbers.array(joint.known_level)
                is_solved_for = level == FREE if articulated else level < VELOCITY
                size = jnp.maximum(size, jnp.where(is_solved_for, _largest(column * jnp.asarray(joint.levers)), 0.0))
                column = column if articulated else jnp.where(is_solved_for, column, 0.0)
            else:
                size = jnp.maximum(size, _largest(column * jnp.asarray(joint.levers)))
            columns.append(column)
            passed = forces - times(column, numbers.array(joint.G).T) if articulated else forces
            if joint.parent:
                on_bodies[joint.parent] = on_bodies.get(joint.parent, none) + _shifted(passed, numbers.array(joint.l))
        rows = jnp.concatenate(columns, axis=1)
        cancelled = 450 * jnp.finfo(numbers.dtype).eps  # CANCELLED of fmu_src/native/constraints/rows.h in doubles
        return jnp.where((size <= cancelled * terms)[:, None], 0.0, rows)

    def _start(self, numbers: KnownNumbers) -> tuple[dict[int, Array], dict[int, Array]]:
        """The rows as forces (n, 6) on bodies and (n, nu) on mobilities."""
        on_bodies: dict[int, Array] = {}
        on_speeds: dict[int, Array] = {}
        for block, first, count in self.blocks:
            for found, slots in ((on_bodies, block.on_bodies), (on_speeds, block.on_mobilities)):
                for body, slot in slots:
                    rows = jnp.pad(numbers.array(slot)[:count], ((first, self.n - first - count), (0, 0)))
                    found[body] = found[body] + rows if body in found else rows
        return on_bodies, on_speeds

    def _levels(self) -> Iterator[Slot]:
        return (joint.known_level for joint in self.joints if joint.known_level is not None)

    def _as_moment(self, forces: Array) -> Array:
        """(n,) the largest of the moments and forces (n, 6), as moments."""
        return _largest(forces * jnp.asarray([1.0] * 3 + [self._table.length] * 3, forces.dtype))


def _largest(rows: Array) -> Array:
    return jnp.max(jnp.abs(lax.stop_gradient(rows)), axis=1, initial=0.0)


def _shifted(forces: Array, l: Array) -> Array:
    """Forces (n, 6) about the parent's M."""
    return jnp.concatenate([forces[:, :3] + jnp.cross(l, forces[:, 3:]), forces[:, 3:]], axis=1)


def enabled_parts(table: RowTable, numbers: KnownNumbers, level: RowLevel) -> list[RowsInTree]:
    """The parts with rows of enabled constraints. Whether a constraint is enabled does not change in functions of JAX."""
    parts = []
    for part in table.pattern.parts:
        blocks = [table.blocks[i] for i in part.blocks if numbers.at(table.blocks[i].enabled.offset)]
        rows = RowsInTree(table, blocks, level)
        parts += [rows] if rows.n else []
    return parts
