"""The rows of closed loops in JAX: their multipliers, and the forces of these.

The equations are those of mobod/matter/constraint_rows/multipliers.py. Where the C runtime chooses multipliers of least norm, those of
dependent rows are 0 here: the accelerations are the same.
"""

# Decision: docs/decisions/202-loops.md

from typing import final

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from mobod.jax.known_numbers import KnownNumbers
from mobod.jax.products import times
from mobod.jax.rows_in_tree import RowsInTree, enabled_parts
from mobod.jax.semidefinite import Independent, inverse_of_independent, solution
from mobod.matter.constraint_rows.row_table import RowTable


@final
class HeldRows:
    """Computes what the procedures RowElimination and MultiplierSolve compute."""

    def __init__(self, table: RowTable):
        self._table = table

    def put_forces(self, numbers: KnownNumbers) -> None:
        """Add the multipliers, their forces and eps with these forces to the known numbers."""
        table = self._table
        parts = enabled_parts(table, numbers, "acceleration")
        eps = numbers.array(table.all_eps)
        E = [part.along_speeds(numbers, articulated=True) for part in parts]
        D_E = [_times_D_inverse(part, rows, numbers) for part, rows in zip(parts, E, strict=True)]
        A = [times(left, rows.T) for left, rows in zip(D_E, E, strict=True)]
        which = lax.stop_gradient(Independent(_largest_size(A, numbers), _distance(parts, E, numbers)))
        multipliers = jnp.zeros(table.n_rows, numbers.dtype)
        on_bodies = jnp.zeros((table.n_bodies, 6), numbers.dtype)
        on_speeds, held_eps = jnp.zeros(eps.size, numbers.dtype), eps
        for part, rows, left, products in zip(parts, E, D_E, A, strict=True):
            speeds = np.array(part.speeds)
            bias = part.read(numbers, [block.bias for block, _, _ in part.blocks])
            found = solution(products, times(left, eps[speeds]) + bias, inverse_of_independent(products, which))
            held_eps = held_eps.at[speeds].add(-times(rows.T, found))
            for block, first, count in part.blocks:
                own = found[first : first + count]
                multipliers = multipliers.at[block.first : block.first + count].set(own)
                for body, K in block.on_bodies:
                    on_bodies = on_bodies.at[body].add(-times(own, numbers.array(K)))
                for body, k in block.on_mobilities:
                    first_speed = next(joint.first for joint in part.joints if joint.body == body)
                    on_speeds = on_speeds.at[first_speed : first_speed + k.shape[1]].add(-times(own, numbers.array(k)))
        numbers.put_array(table.multipliers, multipliers)
        numbers.put_array(table.eps, held_eps)
        numbers.put_array(table.body_forces, on_bodies)
        numbers.put_array(table.mobility_forces, on_speeds)


def _times_D_inverse(part: RowsInTree, rows: Array, numbers: KnownNumbers) -> Array:
    columns, first = [], 0
    for joint in part.joints:
        columns.append(times(rows[:, first : first + joint.nu], numbers.array(joint.D_inverse).T))
        first += joint.nu
    return jnp.concatenate(columns, axis=1)


def _largest_size(A: list[Array], numbers: KnownNumbers) -> Array:
    """The largest size of a row of all parts."""
    squares = [jnp.max(jnp.abs(jnp.diagonal(each))) for each in A]
    return jnp.sqrt(jnp.max(jnp.stack([*squares, jnp.zeros((), numbers.dtype)])))


def _distance(parts: list[RowsInTree], E: list[Array], numbers: KnownNumbers) -> Array:
    """The least change of coordinates that can remove the position errors; rows of round-off do not count."""
    sizes, errors = [jnp.zeros(1, numbers.dtype)], [jnp.zeros(1, numbers.dtype)]
    for part, rows in zip(parts, E, strict=True):
        for block, first, _ in part.blocks:
            n = block.position_errors.size
            sizes.append(jnp.max(jnp.abs(rows[first : first + n]), axis=1, initial=0.0))
            errors.append(jnp.abs(numbers.array(block.position_errors)))
    size, error = jnp.concatenate(sizes), jnp.concatenate(errors)
    counts = size > 450 * jnp.finfo(numbers.dtype).eps * jnp.max(size)
    return jnp.max(jnp.where(counts, error / jnp.where(counts, size, 1.0), 0.0))
