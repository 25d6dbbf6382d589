"""Bodies that cannot turn in Ground: mobilizers that only translate and constraints of orientations hold them."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from mobod.matter.bodies.body import MobilizedBody
from mobod.matter.constraint import Constraint
from mobod.matter.dynamics.dynamics import SINGULAR
from mobod.spatial import MassProperties

Held = dict[int, tuple[Constraint, ...]]  # a body that cannot turn: the constraints without which it could


def bodies_without_inertia_that_cannot_turn(bodies: Sequence[MobilizedBody], constraints: Sequence[Constraint]) -> Held:
    """Bodies with mass and without inertia about some axis that cannot turn in Ground while some constraints are enabled.

    Bodies whose mobilizers suffice are left out: no motion of them needs an inertia.
    """
    lacking = [body.index for body in bodies if _lacks_inertia(body.body.mass_properties)]
    holding = [each for each in constraints if (each.keeps_orientation or each.keeps_angle) and not each.compliant_rows]
    if not (lacking and holding):
        return {}
    held = _held(bodies, holding)
    return {index: held[index] for index in lacking if held.get(index)}


def _held(bodies: Sequence[MobilizedBody], holding: Sequence[Constraint]) -> Held:
    """The bodies that cannot turn. Constraints that are disabled in a new State are used where others do not suffice."""
    axes = _axes_of_rotation(bodies)
    links: dict[int, list[tuple[int, tuple[Constraint, ...]]]] = defaultdict(list)
    pairs: list[tuple[int, int, tuple[Constraint, ...]]] = [
        (body.parent.index, body.index, ()) for body in bodies if body.equations.rotation == "none"
    ]
    pairs += [
        (each.base.index, each.followers[0].index, (each,)) for each in holding if each.keeps_orientation or _stops_rotation(each, axes)
    ]
    for one, other, needed in pairs:
        links[one].append((other, needed))
        links[other].append((one, needed))
    held: Held = {0: ()}
    waiting = [0]
    while waiting:
        waiting.sort(key=lambda index: (sum(each.is_disabled_by_default for each in held[index]), len(held[index])), reverse=True)
        known = waiting.pop()
        for other, needed in links[known]:
            if other not in held:
                held[other] = (*held[known], *needed)
                waiting.append(other)
    return held


def _axes_of_rotation(bodies: Sequence[MobilizedBody]) -> dict[int, np.ndarray | None]:
    """Bodies that can turn about one axis of Ground alone: the axis, (3,) in their own frame; None for those that cannot turn.

    Only axes of frames count, with entries 0 and 1: these cannot be changed in a State.
    """
    axes: dict[int, np.ndarray | None] = {0: None}
    for body in bodies:
        rotation, parent = body.equations.rotation, body.parent.index
        if parent not in axes or rotation == "any":
            continue
        R_PF, R_BM, axis = body.X_PF.R, body.X_BM.R, axes[parent]
        if rotation == "about z":
            if axis is None or (_is_of_a_frame(R_PF[:, 2]) and abs(R_PF[:, 2] @ axis) == 1):
                axes[body.index] = R_BM[:, 2]
        elif axis is None:
            axes[body.index] = None
        elif _is_of_a_frame(R_PF) and _is_of_a_frame(R_BM):
            axes[body.index] = R_BM @ R_PF.T @ axis
    return {index: axis for index, axis in axes.items() if axis is None or _is_of_a_frame(axis)}


def _stops_rotation(constraint: Constraint, axes: dict[int, np.ndarray | None]) -> bool:
    """Whether it keeps the angle of a body that turns about one axis to one that cannot turn, at another axis of the former."""
    base, follower = constraint.base.index, constraint.followers[0].index
    parameters = constraint.equations
    for still, turning, direction in ((base, follower, "follower_axis"), (follower, base, "base_axis")):
        axis = axes.get(turning)
        if still in axes and axes[still] is None and axis is not None:
            along = np.array(getattr(parameters, direction))
            return bool(np.linalg.norm(np.cross(axis, along)) > 0.1 * np.linalg.norm(along))
    return False


def _is_of_a_frame(R: np.ndarray) -> bool:
    return bool(np.isin(R, (-1.0, 0.0, 1.0)).all())


def _lacks_inertia(mass_properties: MassProperties) -> bool:
    """Whether a body with mass has no inertia about an axis through its mass center."""
    if not mass_properties.mass:
        return False
    moments = np.linalg.eigvalsh(mass_properties.inertia_about_com)
    return bool(moments[0] <= SINGULAR * moments[2] + 1e-15 * np.abs(mass_properties.inertia).max())
