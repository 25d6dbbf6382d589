"""What couplers are given: functions, and coordinates or speeds of bodies."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from mobod.errors import InputError
from mobod.functions import Function
from mobod.functions.function import checked_is_function
from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.bodies.constrained_bodies import checked_index, checked_mobilizer

if TYPE_CHECKING:
    from mobod.matter.subsystem import MatterSubsystem


def checked_places(
    matter: "MatterSubsystem", bodies: Sequence[Any], indices: Sequence[Any], what: str, kind: Literal["coordinates", "speeds"]
) -> list[tuple[MobilizedBody, int]]:
    """(body, number of its coordinate or speed) for each; raises InputError that names `what`."""
    if len(bodies) != len(indices):
        raise InputError(f"{what}: {len(bodies)} bodies and {len(indices)} {kind} are given. Their numbers must be equal.")
    places = []
    for body, index in zip(bodies, indices, strict=True):
        matter.checked(checked_mobilizer(body, what), what)
        places.append((body, checked_index(index, body.nq if kind == "coordinates" else body.nu, body, what, kind)))
    return places


def checked_function(function: Any, n_arguments: int, what: str, *, derivative_order: int) -> Function:
    """A function of that many arguments, with one value; raises InputError."""
    checked_is_function(function, what)
    function.check_fits(what, argument_size=n_arguments, derivative_order=derivative_order)
    function.check_one_value(what)
    return function
