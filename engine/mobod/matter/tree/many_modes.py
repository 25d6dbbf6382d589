"""Bodies with many modes, whose matrices steps of the runtime multiply and invert, and where what lies between these steps is kept."""

# Decision: docs/decisions/216-matrix-steps.md

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod

from mobod.matter.tree.tree_body import TreeBody
from mobod.scalar.slot import Slot
from mobod.system import Stage

MOST_RECORDED = 12
"""The largest number of modes of a body whose matrices recorded code multiplies: with more, steps cost less, and compile at once."""


def with_many_modes(bodies: Sequence[TreeBody]) -> frozenset[int]:
    """The indices of the modal nodes with many modes, and of the frames on them. Shapes of second order are always recorded."""
    frames = [body for body in bodies if body.shapes is not None]
    curved = {
        body.parent.index for body in frames if body.second_shapes is not None or (body.deforming is not None and body.deforming.is_curved)
    }
    nodes = {body.index for body in bodies if body.modes is not None and body.nu > MOST_RECORDED} - curved
    return frozenset(nodes | {body.index for body in frames if body.parent.index in nodes})


@dataclass(frozen=True)
class ManySlots:
    """Flat arrays, of each modal node with many modes and of each frame on it; for n modes, with s the rates of eta:

    many_positions    frame       RT (3, 3): H = [RT Pr; R_GM Pt]
                      deforming   Ct eta (3,), R J^-1, J^-1, R / mass (3, 3), J^-1 Cr (3, n)
    many_velocities   frame       H s (6,), Pr s (3,), H times the known rates of s (6,)
                      deforming   H s, the same of known rates (6,), Cr s (3,), J_dot (6,), 2 w (3,), -q and q / 2 (6,) with w.J w = q.J,
                                  sum of s_k Cr1_k (3, n), torque (3,)
    many_inertias     frame       P, shifted P (6, 6), P H (6, n)
                      node        G P_re^T (6, 6), temporary memory (2 n,)
    many_forces       frame       z (6,)
    many_carried      temporary memory of operators: of a frame its force (6,), of a node Mee s (n,)

    deforming: the frame with an inertia that follows the deformation
    """

    many_positions: Slot
    many_velocities: Slot
    many_inertias: Slot
    many_forces: Slot
    many_carried: Slot


STAGES = {
    "many_positions": Stage.POSITION,
    "many_velocities": Stage.VELOCITY,
    "many_inertias": Stage.DYNAMICS,
    "many_forces": Stage.ACCELERATION,
}
"""The stages that compute them; many_carried is that of a single sweep."""


class ManyModes:
    """The bodies with many modes, and their slots. slots: None if there are none."""

    def __init__(self, bodies: Sequence[TreeBody] = (), slots: ManySlots | None = None):
        self._indices, self._slots = with_many_modes(bodies), slots
        own = [body for body in bodies if body.index in self._indices]
        self._starts: dict[str, dict[int, int]] = {}
        for name in (*STAGES, "many_carried"):
            starts = accumulate((_size(name, body) for body in own), initial=0)
            self._starts[name] = {body.index: start for body, start in zip(own, starts, strict=False)}

    def __contains__(self, body: TreeBody) -> bool:
        return body.index in self._indices

    def of(self, name: str, body: TreeBody) -> list[Slot]:
        """The body's arrays; name: as in ManySlots."""
        shapes = _shapes(name, body)
        start = getattr(self._slots, name).offset + self._starts[name][body.index]
        offsets = accumulate((prod(shape) for shape in shapes), initial=start)
        return [Slot(offset, shape) for offset, shape in zip(offsets, shapes, strict=False)]


def sizes_of_many(bodies: Sequence[TreeBody]) -> dict[str, int]:
    """The sizes of the arrays of ManySlots by their names; nothing if no body has many modes."""
    indices = with_many_modes(bodies)
    own = [body for body in bodies if body.index in indices]
    return {name: sum(_size(name, body) for body in own) for name in (*STAGES, "many_carried")} if own else {}


def _size(name: str, body: TreeBody) -> int:
    return sum(map(prod, _shapes(name, body)))


def _shapes(name: str, body: TreeBody) -> list[tuple[int, ...]]:
    shapes: dict[str, list[tuple[int, ...]]]
    if body.shapes is None:
        shapes = {"many_inertias": [(6, 6), (2 * body.nu,)], "many_carried": [(body.nu,)]}
        return shapes.get(name, [])
    n = body.shapes.shape[1]
    shapes = {"many_inertias": [(6, 6), (6, 6), (6, n)], "many_forces": [(6,)], "many_carried": [(6,)]}
    if body.deforming is None:
        shapes |= {"many_positions": [(3, 3)], "many_velocities": [(6,), (3,), (6,)]}
    else:
        shapes["many_positions"] = [(3,), (3, 3), (3, 3), (3, 3), (3, n)]
        shapes["many_velocities"] = [(6,), (6,), (3,), (6,), (3,), (6,), (6,), (3, n), (3,)]
    return shapes[name]
