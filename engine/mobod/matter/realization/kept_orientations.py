"""Bodies that cannot turn in Ground: mobilizers that only translate and constraints of orientations hold them."""

from collections.abc import Sequence

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.constraint import Constraint
from mobod.matter.dynamics.dynamics import SINGULAR
from mobod.spatial import MassProperties


def bodies_without_inertia_that_cannot_turn(
    bodies: Sequence[MobilizedBody], constraints: Sequence[Constraint]
) -> dict[int, tuple[Constraint, ...]]:
    """For a body with mass and without inertia about some axis that cannot turn in Ground: the constraints that hold its orientation.

    Each of them must be enabled. Bodies whose mobilizers suffice are left out: no motion of them needs an inertia.
    """
    held = _held(bodies, constraints)
    return {body.index: held[body.index] for body in bodies if held.get(body.index) and _lacks_inertia(body.body.mass_properties)}


def _held(bodies: Sequence[MobilizedBody], constraints: Sequence[Constraint]) -> dict[int, tuple[Constraint, ...]]:
    """The bodies that cannot turn, and the constraints that this needs, as few as possible."""
    links: list[tuple[int, int, tuple[Constraint, ...]]] = []
    links += [(body.parent.index, body.index, ()) for body in bodies if body.equations.keeps_orientation]
    holding = [each for each in constraints if each.keeps_orientation and not each.compliant_rows]
    links += [(each.base.index, each.followers[0].index, (each,)) for each in holding]
    held: dict[int, tuple[Constraint, ...]] = {0: ()}
    waiting = [0]
    while waiting:
        waiting.sort(key=lambda index: (sum(each.is_disabled_by_default for each in held[index]), len(held[index])), reverse=True)
        known = waiting.pop()
        for one, other, needed in links:
            for here, there in ((one, other), (other, one)):
                if here == known and there not in held:
                    held[there] = (*held[known], *needed)
                    waiting.append(there)
    return held


def _lacks_inertia(mass_properties: MassProperties) -> bool:
    """Whether a body with mass has no inertia about an axis through its mass center."""
    moments = np.linalg.eigvalsh(mass_properties.inertia_about_com)
    size = np.abs(mass_properties.inertia).max()
    return bool(mass_properties.mass and moments[0] <= SINGULAR * max(moments[2], 0.0) + 1e-15 * size)
