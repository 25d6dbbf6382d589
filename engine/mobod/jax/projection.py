"""Projection onto closed loops in JAX: the least change of coordinates and speeds that removes the errors of enabled constraints.

As in the C runtime (projection.h in fmu_src/native), changes are least relative to the scales of the States, and prescribed coordinates
and speeds stay. The directions of the change are those of the start: each change is a root, so that it is differentiated implicitly.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from mobod.compilation.calls.liveness import live_sweeps
from mobod.jax.call_line import CallLine
from mobod.jax.known_numbers import KnownNumbers
from mobod.jax.products import times
from mobod.jax.rows_in_tree import RowLevel, RowsInTree, enabled_parts
from mobod.jax.semidefinite import Independent, inverse_of_independent
from mobod.matter.constraint_rows.row_table import RowTable
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.system import Layout, Stage

MOST_ITERATIONS = 20  # as in projection_arithmetic.h
REFINEMENTS = 3  # of a change of a root: each reduces the error by the size of the change, relative to the curvature of the constraints

NumbersAt = Callable[[Array], KnownNumbers]
"""y -> the numbers there"""


@final
@dataclass(frozen=True)
class _Level:
    """Rows of all enabled constraints, of positions or also of velocities.

    errors  the slots of the errors of each part
    """

    parts: list[RowsInTree]
    errors: list[list[Slot]]
    line_of_rows: CallLine
    line_of_errors: CallLine

    def errors_at(self, numbers: KnownNumbers) -> Array:
        """(n,)"""
        self.line_of_errors.run(numbers)
        return jnp.concatenate([part.read(numbers, slots) for part, slots in zip(self.parts, self.errors, strict=True)])


@final
class Projection:
    """Onto the constraints that are enabled at the start.

    scales  (nu,) of the speeds
    """

    def __init__(self, table: RowTable, layout: Layout, sweeps: Mapping[Stage, Sweep], at_start: KnownNumbers, scales: np.ndarray):
        self._layout, self._squares = layout, np.asarray(scales**2, at_start.dtype)
        self._q, self._u = (slice(slot.offset - layout.y.offset, slot.offset - layout.y.offset + slot.size) for slot in (table.q, table.u))

        def line(wanted: Sequence[Slot]) -> CallLine:
            return CallLine(live_sweeps(dict(sweeps), wanted))

        def level(of: RowLevel) -> _Level:
            parts = enabled_parts(table, at_start, of)
            errors = [[block.errors("position" if of == "position" else "velocity") for block, _, _ in part.blocks] for part in parts]
            rows = [slot for part in parts for slot in part.slots()]
            return _Level(parts, errors, line(rows), line([slot for each in errors for slot in each]))

        self._q_dot = Slot(layout.y_dot.offset + self._q.start, (table.q.size,))
        self._line_of_q_dot = line([self._q_dot])
        self._positions, self._velocities = level("position"), level("velocity")

    def __call__(self, numbers_at: NumbersAt, y: Array) -> Array:
        """y without errors of constraints."""
        if self._positions.parts:
            y = self._moved(self._positions, numbers_at, y)
        return self._moved(self._velocities, numbers_at, y) if self._velocities.parts else y

    def _moved(self, level: _Level, numbers_at: NumbersAt, y: Array) -> Array:
        numbers = numbers_at(y)
        level.line_of_rows.run(numbers)
        rows = [part.along_speeds(numbers, articulated=False) for part in level.parts]
        errors = level.errors_at(numbers_at(y))
        inverses = self._inverses(level, rows, errors)
        along = jnp.concatenate([self._directions(part, each) for part, each in zip(level.parts, rows, strict=True)], axis=1)
        if level is self._positions:
            place, along = self._q, jax.vmap(lambda du: self._rate_of_q(numbers_at, y, du), in_axes=1, out_axes=1)(along)
        else:
            place = self._u

        def at(factors: Array) -> Array:
            return y.at[place].add(times(along, factors))

        def nearly_solve(right: Array) -> Array:
            solved, first = [], 0
            for part, inverse in zip(level.parts, inverses, strict=True):
                solved.append(times(inverse, right[first : first + part.n]))
                first += part.n
            return jnp.concatenate(solved)

        factors = _root(lambda factors: level.errors_at(numbers_at(at(factors))), jnp.zeros_like(errors), nearly_solve)
        return at(factors)

    def _directions(self, part: RowsInTree, rows: Array) -> Array:
        """(nu, n) the change of speeds along each row that is least relative to the scales."""
        changes = (rows * self._squares[part.speeds]).T
        return jnp.zeros((self._squares.size, part.n), rows.dtype).at[np.array(part.speeds)].set(changes)

    def _inverses(self, level: _Level, rows: list[Array], errors: Array) -> list[Array]:
        """The inverse of the independent rows of G W G^T of each part, W the squares of the scales."""
        scales = [np.sqrt(self._squares[part.speeds]) for part in level.parts]
        scaled = [each * of_part for each, of_part in zip(rows, scales, strict=True)]
        sizes = jnp.concatenate([jnp.sqrt(jnp.sum(each**2, axis=1)) for each in scaled])
        largest = jnp.max(sizes)
        counts = sizes > jnp.finfo(sizes.dtype).eps ** 0.75 * largest
        of_errors = jnp.where(counts, jnp.abs(errors) / jnp.where(counts, sizes, 1.0), 0.0)
        distance = jnp.max(of_errors) if level is self._positions else jnp.zeros_like(largest)
        return [inverse_of_independent(times(each, each.T), Independent(largest, distance)) for each in scaled]

    def _rate_of_q(self, numbers_at: NumbersAt, y: Array, du: Array) -> Array:
        """(nq,) N du; that of prescribed speeds is 0."""

        def q_dot(u: Array) -> Array:
            numbers = numbers_at(y.at[self._u].set(u))
            self._line_of_q_dot.run(numbers)
            return numbers.array(self._q_dot)

        u = y[self._u]
        return jax.jvp(q_dot, (u,), (du,))[1]


def _root(errors: Callable[[Array], Array], start: Array, nearly_solve: Callable[[Array], Array]) -> Array:
    """Where the errors are 0, near the start. Its derivatives are those of an implicit function.

    nearly_solve  the solution for a change of the errors near the start
    """

    def search(errors: Callable[[Array], Array], start: Array) -> Array:
        def goes_on(state: tuple[Array, Array, Array, Array]) -> Array:
            _, left, before, iteration = state
            return (_largest(left) < before / 2) & (iteration < MOST_ITERATIONS)

        def improve(state: tuple[Array, Array, Array, Array]) -> tuple[Array, Array, Array, Array]:
            x, left, _, iteration = state
            better = x - nearly_solve(left)
            return better, errors(better), _largest(left), iteration + 1

        x, _, _, _ = lax.while_loop(goes_on, improve, (start, errors(start), jnp.asarray(jnp.inf, start.dtype), jnp.asarray(0)))
        return x

    def solve_change(change_of_errors: Callable[[Array], Array], right: Array) -> Array:
        J = jax.jacfwd(change_of_errors)(jnp.zeros_like(right))
        x = nearly_solve(right)
        for _ in range(REFINEMENTS):
            x = x + nearly_solve(right - times(J, x))
        return x

    found: Array = lax.custom_root(errors, start, search, solve_change)
    return found


def _largest(numbers: Array) -> Array:
    return jnp.max(jnp.abs(numbers))
