"""The modal coordinates of flexible bodies and the interface frames that they move, and where their numbers lie in a layout.

A flexible body has three kinds of bodies in the tables: its own, whose joint is that of any body; a modal node on it, whose speeds are the
rates of the modal coordinates; and on the node a frame for each interface, and one that has the mass. These frames have no speeds of their
own: those of the node move them.
"""

# Decision: docs/decisions/201-flexible.md

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import prod

import numpy as np

from mobod.matter.tree.many_modes import STAGES, ManyModes, ManySlots, sizes_of_many, with_many_modes
from mobod.matter.tree.tree_body import DeformingInertia, TreeBody
from mobod.scalar.slot import Slot
from mobod.system import Stage


@dataclass(frozen=True)
class ModalSlots:
    """Flat arrays: of the n modal coordinates of all nodes, in order, or of the frames on them.

    given         modal_mass modal_damping (n^2 of each node), modal_stiffness (n): those of the modes alone, beside the mass of the frame
                  that has it; interface_shapes (6 n of each frame) and second_shapes (3 n^2 of those that have them): see
                  InterfaceEquations; deforming_arrays: of each DeformingInertia, one after another
    position      interface_H (6 n of each frame), deflections (6 of each frame): rotation vector and displacement, in the node's axes;
                  elastic_energies (1 of each node); mass_alone (n^2 of each node) in place of modal_mass, where the inertia follows the
                  deformation, and deformed_arrays, what velocities need of it
    velocity      modal_bias (n): inertia forces beyond those of the frame that has the mass, of the points and of known rates of the
                  modal speeds; deformed_rates and modes_of_points (n): sums over points
    dynamics      modal_P (6 n), modal_D (n^2): sums of P H and of H^T P H of the frames
    acceleration  modal_loads (n): sum of -H^T z of the frames
    """

    modal_mass: Slot
    modal_damping: Slot
    modal_stiffness: Slot
    interface_shapes: Slot
    second_shapes: Slot
    deforming_arrays: Slot
    interface_H: Slot
    deflections: Slot
    elastic_energies: Slot
    mass_alone: Slot
    deformed_arrays: Slot
    modal_bias: Slot
    deformed_rates: Slot
    modes_of_points: Slot
    modal_P: Slot
    modal_D: Slot
    modal_loads: Slot


@dataclass(frozen=True)
class ModalTable:
    """The modal nodes and the frames that they move, with their slots; without flexible bodies, none.

    slots_of_many  of those with many modes; None: no body has many
    """

    bodies: Sequence[TreeBody] = ()
    slots: ModalSlots | None = None
    slots_of_many: ManySlots | None = None
    many: ManyModes = field(init=False, default_factory=ManyModes)
    _starts: dict[int, tuple[int, int, int, int]] = field(init=False, default_factory=dict)
    _second_starts: dict[int, int] = field(init=False, default_factory=dict)
    _deforming_starts: dict[int, tuple[int, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "many", ManyModes(self.bodies, self.slots_of_many))
        for group in (self.nodes, self.interfaces):
            sizes = [_n(body) for body in group]
            n, n_6, n_square = (_starts([factor(each) for each in sizes]) for factor in (_same, _six, _square))
            for k, body in enumerate(group):
                self._starts[body.index] = (n[k], n_6[k], n_square[k], 6 * k)

        deforming = [body for body in self.interfaces if body.deforming is not None]
        starts = zip(
            *(
                _starts([sum(map(prod, shapes(body))) for body in deforming])
                for shapes in (self._given_shapes, self._kept_shapes, _rate_shapes)
            ),
            strict=True,
        )
        self._deforming_starts.update(zip([body.index for body in deforming], starts, strict=False))
        curved = [(body.index, body.second_shapes.size) for body in self.interfaces if body.second_shapes is not None]
        self._second_starts.update(zip([index for index, _ in curved], _starts([size for _, size in curved]), strict=False))

    @property
    def nodes(self) -> list[TreeBody]:
        """Parents first."""
        return [body for body in self.bodies if body.modes is not None]

    @property
    def interfaces(self) -> list[TreeBody]:
        """The frames that modal coordinates move, parents first."""
        return [body for body in self.bodies if body.shapes is not None]

    def concerns(self, body: TreeBody) -> bool:
        """Whether it is a modal node, or a frame that modes move."""
        return self.is_node(body) or self.is_interface(body)

    def is_node(self, body: TreeBody) -> bool:
        return body.modes is not None

    def is_interface(self, body: TreeBody) -> bool:
        return body.shapes is not None

    @staticmethod
    def node_of(interface: TreeBody) -> TreeBody:
        """The modal node whose speeds move a frame."""
        node: TreeBody = interface.parent  # type: ignore[assignment] # such a frame is never on Ground
        return node

    def energy(self, node: TreeBody) -> Slot:
        """()"""
        return Slot(self._whole("elastic_energies").offset + self.nodes.index(node), ())

    def of_speeds(self, name: str, node: TreeBody) -> Slot:
        """(n,) the node's part of modal_stiffness or modal_loads."""
        return Slot(self._whole(name).offset + self._starts[node.index][0], (_n(node),))

    def columns(self, name: str, body: TreeBody) -> Slot:
        """(6, n): modal_P of a node; interface_shapes, interface_H of a frame."""
        return Slot(self._whole(name).offset + self._starts[body.index][1], (6, _n(body)))

    def square(self, name: str, node: TreeBody) -> Slot:
        """(n, n): modal_mass, modal_damping, modal_D."""
        n = _n(node)
        return Slot(self._whole(name).offset + self._starts[node.index][2], (n, n))

    def second(self, interface: TreeBody) -> list[Slot]:
        """(3, n, n), or nothing for a frame with linear shapes."""
        start = self._second_starts.get(interface.index)
        return [] if start is None else [Slot(self._whole("second_shapes").offset + start, (3, _n(interface), _n(interface)))]

    def mass_of(self, node: TreeBody) -> Slot:
        """(n, n) of the modes alone."""
        return self.square("modal_mass" if self.deforming_on(node) is None else "mass_alone", node)

    def deforming_on(self, node: TreeBody) -> TreeBody | None:
        """The frame on a node that carries an inertia that follows the deformation."""
        return next((body for body in self.interfaces if body.parent is node and body.deforming is not None), None)

    def deforming_arrays(self, frame: TreeBody) -> list[Slot]:
        """What is given of a frame's deforming inertia."""
        return _one_after_another(
            self._whole("deforming_arrays").offset + self._deforming_starts[frame.index][0], self._given_shapes(frame)
        )

    def deformed_arrays(self, frame: TreeBody) -> list[Slot]:
        """What its position leaves for its velocity."""
        return _one_after_another(self._whole("deformed_arrays").offset + self._deforming_starts[frame.index][1], self._kept_shapes(frame))

    def deformed_rates(self, frame: TreeBody) -> list[Slot]:
        """Sums over its points at velocities."""
        return _one_after_another(self._whole("deformed_rates").offset + self._deforming_starts[frame.index][2], _rate_shapes(frame))

    def deflection(self, interface: TreeBody) -> Slot:
        """(6,)"""
        return Slot(self._whole("deflections").offset + self._starts[interface.index][3], (6,))

    def _given_shapes(self, frame: TreeBody) -> list[tuple[int, ...]]:
        return _given_shapes(frame, is_many=frame in self.many)

    def _kept_shapes(self, frame: TreeBody) -> list[tuple[int, ...]]:
        return _kept_shapes(frame, is_many=frame in self.many)

    def _whole(self, name: str) -> Slot:
        slot: Slot = getattr(self.slots, name)
        return slot


def modal_parameters(bodies: Sequence[TreeBody]) -> dict[str, np.ndarray]:
    """What a new State has of the modes; nothing if there are none."""
    modes, many = [body.modes for body in bodies if body.modes is not None], with_many_modes(bodies)
    if not modes:
        return {}
    return {
        "modal_mass": _flat([each.mass for each in modes]),
        "modal_damping": _flat([each.damping for each in modes]),
        "modal_stiffness": _flat([each.stiffness for each in modes]),
        "interface_shapes": _flat([body.shapes for body in bodies if body.shapes is not None]),
        "second_shapes": _flat([body.second_shapes for body in bodies if body.second_shapes is not None]),
        "deforming_arrays": _flat(
            [each for body in bodies if body.deforming is not None for each in _given(body.deforming, is_many=body.index in many)]
        ),
    }


def shapes_of_modes(bodies: Sequence[TreeBody]) -> dict[Stage, dict[str, tuple[int, ...]]]:
    """The shapes of what is computed at each stage (see ModalSlots); nothing if there are no modes."""
    nodes = [_n(body) for body in bodies if body.modes is not None]
    if not nodes:
        return {}
    frames = [_n(body) for body in bodies if body.shapes is not None]
    many = with_many_modes(bodies)
    kept = sum(sum(map(prod, _kept_shapes(body, is_many=body.index in many))) for body in bodies)
    rates = sum(sum(map(prod, _rate_shapes(body))) for body in bodies)
    computed: dict[Stage, dict[str, tuple[int, ...]]] = {
        Stage.POSITION: {
            "interface_H": (6 * sum(frames),),
            "deflections": (6 * len(frames),),
            "elastic_energies": (len(nodes),),
            "mass_alone": (sum(map(_square, nodes)),),
            "deformed_arrays": (kept,),
        },
        Stage.VELOCITY: {"modal_bias": (sum(nodes),), "deformed_rates": (rates,), "modes_of_points": (sum(nodes),)},
        Stage.DYNAMICS: {"modal_P": (6 * sum(nodes),), "modal_D": (sum(map(_square, nodes)),)},
        Stage.ACCELERATION: {"modal_loads": (sum(nodes),)},
    }
    sizes = sizes_of_many(bodies)
    for name, stage in STAGES.items() if sizes else ():
        computed[stage][name] = (sizes[name],)
    return computed


def _given(inertia: DeformingInertia, *, is_many: bool) -> list[np.ndarray]:
    """Its arrays; for many modes J1 (6, n), J2 (n, 6, n), Cr1 (n, 3, n), in which steps of the runtime read whole rows."""
    if not is_many:
        return list(inertia.arrays)
    com, J0, Ct, Cr0, Mee, J1, J2, Cr1 = inertia.arrays
    return [com, J0, Ct, Cr0, Mee, J1.T, J2.transpose(1, 2, 0), Cr1.transpose(0, 2, 1)]


def _given_shapes(body: TreeBody, *, is_many: bool) -> list[tuple[int, ...]]:
    return [] if body.deforming is None else [each.shape for each in _given(body.deforming, is_many=is_many)]


def _kept_shapes(body: TreeBody, *, is_many: bool) -> list[tuple[int, ...]]:
    """Many modes: J, Cr, and J1 + J2 eta (6, n) in place of dJ."""
    if body.deforming is None:
        return []
    return [(6,), (3, _n(body)), (6, _n(body))] if is_many else list(body.deforming.kept)


def _rate_shapes(body: TreeBody) -> list[tuple[int, ...]]:
    return [] if body.deforming is None else list(body.deforming.rates)


def _one_after_another(start: int, shapes: Sequence[tuple[int, ...]]) -> list[Slot]:
    offsets = accumulate((prod(shape) for shape in shapes), initial=start)
    return [Slot(offset, shape) for offset, shape in zip(offsets, shapes, strict=False)]


def _n(body: TreeBody) -> int:
    return body.shapes.shape[1] if body.shapes is not None else body.nu


def _flat(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0), *(each.ravel() for each in arrays)])


def _starts(sizes: Sequence[int]) -> list[int]:
    return list(accumulate(sizes, initial=0))


def _same(n: int) -> int:
    return n


def _six(n: int) -> int:
    return 6 * n


def _square(n: int) -> int:
    return n * n
