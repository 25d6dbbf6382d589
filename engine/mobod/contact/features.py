"""Where two shapes of a rigid contact touch: at fixed features, or at points that the runtime decides."""

from collections.abc import Callable
from functools import partial

from mobod.contact.contact_equations import ContactEquations
from mobod.contact.pairs import pair_of
from mobod.contact.rigid_contact_equations import RigidContactEquations
from mobod.contact.shapes import ContactShape
from mobod.contact.slot_equations import SlotEquations
from mobod.contact.slots import number_of_slots
from mobod.errors import UnsupportedError


def features_of(shape1: ContactShape, shape2: ContactShape) -> Callable[..., ContactEquations]:
    """Makes the equations of a rigid contact of two shapes from these, their frames and moments of friction.

    A pair that `pair_of` knows has fixed features, any other pair of convex shapes slots. Raises UnsupportedError for the rest.
    """
    try:
        pair_of(shape1, shape2)
    except UnsupportedError:
        n = number_of_slots(shape1, shape2)
        if n is None:
            raise
        size1, size2 = (0 if shape.has_table else shape.n_parameters for shape in (shape1, shape2))
        return partial(SlotEquations, n_of_shapes=(size1, size2), n_slots=n)
    return RigidContactEquations


def touch_in_fixed_steps_only(shape1: ContactShape, shape2: ContactShape) -> bool:
    """Whether a rigid contact of two shapes has slots."""
    try:
        pair_of(shape1, shape2)
    except UnsupportedError:
        return number_of_slots(shape1, shape2) is not None
    return False
