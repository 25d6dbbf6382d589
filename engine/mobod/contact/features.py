"""Where two shapes of a rigid contact touch: at fixed features, or at points that the runtime decides."""

from collections.abc import Callable
from functools import partial

from mobod.contact.contact_equations import ContactEquations
from mobod.contact.pairs import has_pair, pair_of
from mobod.contact.rigid_contact_equations import RigidContactEquations
from mobod.contact.shapes import ContactShape
from mobod.contact.slot_equations import SlotEquations
from mobod.contact.slots import number_of_slots
from mobod.errors import UnsupportedError


def features_of(shape1: ContactShape, shape2: ContactShape, *, in_fixed_steps: bool | None = None) -> Callable[..., ContactEquations]:
    """Makes the equations of a rigid contact of two shapes from these, their frames and moments of friction.

    A pair that `pair_of` knows has fixed features, unless in_fixed_steps=True; any other pair of convex shapes has slots, unless it has
    exact rows and in_fixed_steps=False.
    Raises UnsupportedError for the rest.
    """
    if not in_fixed_steps and not touch_in_fixed_steps_only(shape1, shape2, exact_rows=in_fixed_steps is False):
        pair_of(shape1, shape2, of_rigid_contact=in_fixed_steps is False)
        return RigidContactEquations
    n = number_of_slots(shape1, shape2)
    if n is None:
        pair_of(shape1, shape2)  # raises an error for shapes without a distance
        names = " and ".join(sorted(type(shape).__name__ for shape in (shape1, shape2)))
        raise UnsupportedError(f"contact: in_fixed_steps=True is for convex shapes, not for {names}. Leave it out.")
    size1, size2 = (0 if shape.has_table else shape.n_parameters for shape in (shape1, shape2))
    return partial(SlotEquations, n_of_shapes=(size1, size2), n_slots=n)


def has_exact_rows(shape1: ContactShape, shape2: ContactShape) -> bool:
    """Whether a pair that has slots can have fixed features instead, which touch under error control: a box and a capsule."""
    return touch_in_fixed_steps_only(shape1, shape2) and not touch_in_fixed_steps_only(shape1, shape2, exact_rows=True)


def touch_in_fixed_steps_only(shape1: ContactShape, shape2: ContactShape, *, exact_rows: bool = False) -> bool:
    """Whether a rigid contact of two shapes has slots. exact_rows: where it can do without, it does"""
    return not has_pair(shape1, shape2, of_rigid_contact=exact_rows) and number_of_slots(shape1, shape2) is not None


def has_fewer_slots(shape1: ContactShape, shape2: ContactShape) -> bool:
    """Whether a pair with fixed features would have fewer rows with slots, such as a half-space and a hull of many vertices."""
    n = number_of_slots(shape1, shape2)
    return n is not None and not touch_in_fixed_steps_only(shape1, shape2) and n < pair_of(shape1, shape2).n
