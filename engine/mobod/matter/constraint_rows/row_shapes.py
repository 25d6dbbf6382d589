"""The shapes of the arrays that the tables of constraint rows need in a State."""

from collections.abc import Sequence

from mobod.errors import UnsupportedError
from mobod.matter.constraint_rows.constraint_rows import ConstraintRows, has_rows_apart
from mobod.matter.constraint_rows.row_memory import workspace_size
from mobod.matter.constraint_rows.row_pattern import RowPattern, TouchedRows, row_pattern
from mobod.matter.tree.tree_body import TreeBody
from mobod.system import Stage

MOST_ROWS = 2000  # of a System with contacts that have slots, whose products are stored whether they touch or not


def shapes_of_constraints(constraints: Sequence[ConstraintRows], bodies: Sequence[TreeBody]) -> dict[Stage, dict[str, tuple[int, ...]]]:
    """The shapes of what is computed at each stage (see ConstraintSlots). bodies: without Ground

    Raises UnsupportedError for too many slots.
    """
    _check_number_of_rows(constraints)
    n_bodies, nu = 1 + len(bodies), sum(body.nu for body in bodies)
    pattern, nu_of = _pattern(constraints, bodies), {body.index: body.nu for body in bodies}
    column_counts = [sum(nu_of[body] for body in part.bodies) for part in pattern.parts]
    n = sum(each.equations.n for each in constraints)
    n_position = sum(each.equations.n_position for each in constraints)
    n_loads = sum(each.friction is not None and each.friction.load is not None for each in constraints)
    has_friction = any(each.friction is not None for each in constraints)
    n_velocity = n_position + sum(each.equations.n_velocity for each in constraints)
    return {
        Stage.POSITION: {"position_errors": (n_position,)},
        Stage.VELOCITY: {
            "velocity_errors": (n_velocity,),
            "bias": (n,),
            "rows": (sum(_size_of_rows(constraint) for constraint in constraints),),
        },
        Stage.DYNAMICS: {
            "E": (n, nu),
            "A": (pattern.size,),
            "row_workspace": (workspace_size(pattern, n, n_bodies - 1, nu, column_counts, has_friction=has_friction),),
            "compliant_forces": (n,),
        },
        Stage.ACCELERATION: {
            "multipliers": (n,),
            "constrained_eps": (nu,),
            "constraint_body_forces": (n_bodies, 6),
            "constraint_mobility_forces": (nu,),
            "load_workspace": (2 + 2 * n_loads if n_loads else 0,),
            "reactions_of_loads": (n_bodies if n_loads else 0, 6),
            "sizes_of_loads": (n_bodies if n_loads else 0, 2),
        },
    }


def _check_number_of_rows(constraints: Sequence[ConstraintRows]) -> None:
    pairs = [each for each in constraints if each.equations.n_decided and each.chosen_pairs is None]
    n = sum(each.equations.n for each in constraints)
    if pairs and n > MOST_ROWS:
        raise UnsupportedError(
            f"contact: {len(pairs)} pairs of shapes that touch in fixed steps only, such as '{pairs[0].name}', have "
            f"{sum(each.equations.n for each in pairs)} rows, of {n} rows of all constraints. There may be {MOST_ROWS}, whose products "
            f"take {8 * MOST_ROWS**2 / 2**20:.0f} MB. Leave out pairs that never touch, by groups and masks of a ContactSet or `exclude`."
        )


def _pattern(constraints: Sequence[ConstraintRows], bodies: Sequence[TreeBody]) -> RowPattern:
    blocks: list[TouchedRows] = []
    for constraint in constraints:
        chooses = constraint.chosen_pairs is not None
        on = [body.index for body in (constraint.base, *constraint.followers) if body.index]
        touched = (*on, *(body.index for body in constraint.mobilizers))
        n, is_contact = constraint.equations.n, constraint.is_unilateral
        rows = [TouchedRows(1, touched, is_contact, chooses)] * n
        blocks += rows if has_rows_apart(constraint) else [TouchedRows(n, touched, is_contact)]
    return row_pattern(tuple(blocks), (0, *(body.parent.index for body in bodies)), (0, *(body.nu for body in bodies)))


def _size_of_rows(constraint: ConstraintRows) -> int:
    """The number of entries of K and k of a constraint."""
    if constraint.chosen_pairs is not None:
        return constraint.equations.n * 6 * 2
    n_bodies = sum(1 for body in (constraint.base, *constraint.followers) if body.index)
    return constraint.equations.n * (6 * n_bodies + sum(body.nu for body in constraint.mobilizers))
