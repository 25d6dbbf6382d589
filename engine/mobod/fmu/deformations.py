"""The frames of flexible bodies of which an FMU warns in its log."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from mobod.simulate.deformation_checks import LARGEST_DEFLECTION, LARGEST_TURN, flexible_bodies, theory_of, watched_frames
from mobod.system import CatalogueVariable, System


@final
@dataclass(frozen=True)
class Deformation:
    """`Deformation` of model.h."""

    frame: str
    body: str
    theory: str
    at: int
    largest_turn: float
    largest_displacement: float


def deformations(system: System, variables: Iterable[CatalogueVariable]) -> tuple[Deformation, ...]:
    """Of all flexible bodies of the System; variables: its catalogue."""
    slots = {each.name: each.slot for each in variables}
    found = []
    for body in flexible_bodies(system):
        assert body.flexible is not None
        size = body.flexible.data.modal.size
        for frame in watched_frames(body):
            at = slots[f"{frame.name}.deflection"].offset
            found.append(Deformation(frame.name, body.name, theory_of(body), at, LARGEST_TURN, LARGEST_DEFLECTION * size))
    return tuple(found)
