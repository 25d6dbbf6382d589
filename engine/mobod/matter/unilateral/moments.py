"""Moments of friction of a contact: against spin about its normal, and against rolling. Each is proportional to the normal force.

Each is an independent law, as that of the slip: with the normal force N and the relative angular velocity w, |m| <= mu N at rest, and
m = -mu N w / |w| otherwise; mu in m, w along the normal or along both tangents.
"""

from collections.abc import Sequence

import numpy as np

from mobod.matter.unilateral.laws_of_slip import direction_of_slip
from mobod.scalar import Array, Scalar
from mobod.system.elements import Parameter

TORSIONAL: Parameter[float] = Parameter(
    name="torsional_friction", unit="m", description="moment against spin about the normal, per normal force", least=0.0
)
ROLLING: Parameter[float] = Parameter(name="rolling_friction", unit="m", description="moment against rolling, per normal force", least=0.0)
MOMENTS = {each.name: each for each in (TORSIONAL, ROLLING)}
SIZES = {TORSIONAL.name: 1, ROLLING.name: 2}
"""The number of rows of a contact: along its normal, along its tangents."""

EVENTS = {TORSIONAL.name: "drilling", ROLLING.name: "rolling"}
"""The last parts of the names of their events."""


def rows_of_moments(names: Sequence[str], n: int, first: int) -> list[tuple[str, int, tuple[int, ...]]]:
    """(name, contact, rows) of each moment of n contacts; their rows begin at `first`: first those of one name, then those of the other."""
    found = []
    for name in names:
        size = SIZES[name]
        for contact in range(n):
            found.append((name, contact, tuple(range(first + size * contact, first + size * (contact + 1)))))
        first += size * n
    return found


def resisting(coefficient: Scalar, rates: Array, direction: Array, rest: Scalar) -> tuple[Array, Scalar]:
    """(moment of a contact that turns, per normal force, along its rows; its size)."""
    unit, _ = direction_of_slip(rates, direction, rest)
    return 0.0 - coefficient * unit, coefficient * np.float64(1.0)
