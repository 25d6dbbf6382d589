"""Which pairs of a ContactSet share slots, and their pool."""

from collections.abc import Sequence
from typing import Any

from mobod.contact.contact_pool import ContactPool, PairOfPool, ShapeOfPool
from mobod.contact.features import has_fewer_slots, touch_in_fixed_steps_only
from mobod.contact.pairs import pair_of
from mobod.contact.placed_shape import PlacedShape
from mobod.contact.slots import number_of_slots
from mobod.matter import Ground, MatterSubsystem, MobilizedBody
from mobod.matter.constraint_rows.row_shapes import MOST_ROWS
from mobod.matter.unilateral.moments import ROLLING, SIZES, TORSIONAL

LEAST_OF_BODY, OF_FURTHER_SHAPE, FURTHER_SLOTS = 4, 1, 8
_ROWS_OF_POINT = 3
Pair = tuple[PlacedShape, PlacedShape]
Friction = tuple[float, float, float, float, float]


def pairs_in_pool(
    pairs: Sequence[Pair], *, is_wanted: bool, in_fixed_steps: bool | None, n_rows: int, moments: Sequence[tuple[float, float]]
) -> list[bool]:
    """For each pair whether it shares slots.

    is_wanted       whether the user asked for shared slots; otherwise pairs share them if the System would have too many rows
    in_fixed_steps  True: hulls on half-spaces have slots, too; False: a box and a capsule have none
    n_rows          of other constraints
    moments         of each pair: its torsional and rolling friction, m, which have rows of their own if there are any
    """
    n = [number_of_slots(one.shape, other.shape) for one, other in pairs]
    exact_rows = in_fixed_steps is False
    own = [
        touch_in_fixed_steps_only(one.shape, other.shape, exact_rows=exact_rows)
        or (bool(in_fixed_steps) and has_fewer_slots(one.shape, other.shape))
        for one, other in pairs
    ]
    features = [
        (each or 0) if has_slots else pair_of(one.shape, other.shape, of_rigid_contact=exact_rows).n
        for (one, other), each, has_slots in zip(pairs, n, own, strict=True)
    ]
    n_each = [_ROWS_OF_POINT + SIZES[TORSIONAL.name] * bool(spin) + SIZES[ROLLING.name] * bool(roll) for spin, roll in moments]
    rows = sum(n * points for n, points in zip(n_each, features, strict=True)) + n_rows
    if not is_wanted and (not any(own) or rows <= MOST_ROWS):
        return [False] * len(pairs)
    return [each is not None for each in n]


def rows_of(matter: MatterSubsystem) -> int:
    """The number of rows of the constraints so far."""
    return sum(each.equations.n for each in matter.constraints)


def default_slots(pairs: Sequence[Pair]) -> int:
    """How many slots the pool of these pairs has by default: for each body as many as the points of its widest pair, one for each further
    shape of it, and some.
    """
    most: dict[PlacedShape, int] = {}
    for pair in pairs:
        n = number_of_slots(pair[0].shape, pair[1].shape) or 0
        for shape in pair:
            most[shape] = max(most.get(shape, LEAST_OF_BODY), n)
    of_body: dict[MobilizedBody, list[int]] = {}
    for shape, n in most.items():
        if not isinstance(shape.body, Ground):
            of_body.setdefault(shape.body, []).append(n)
    return sum(max(each) + OF_FURTHER_SHAPE * (len(each) - 1) for each in of_body.values()) + FURTHER_SLOTS


def pool_of(pairs: Sequence[tuple[Pair, Friction]], slots: int | None, **options: Any) -> ContactPool:
    """The pool of these pairs with their friction, see PairOfPool. slots: None: default_slots. options: of ContactPool"""
    shapes = list(dict.fromkeys(shape for pair, _ in pairs for shape in pair))
    number = {shape: i for i, shape in enumerate(shapes)}
    return ContactPool(
        [ShapeOfPool(each.name, each.body, each.shape, each.X_BS) for each in shapes],
        [PairOfPool(number[one], number[other], friction) for (one, other), friction in pairs],
        default_slots([pair for pair, _ in pairs]) if slots is None else slots,
        **options,
    )
