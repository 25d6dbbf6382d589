"""PairForce: a contact force of all features of a pair of shapes."""

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.contact import contact_rows
from mobod.contact.contact_force import ContactForce
from mobod.contact.curvature import Curvature
from mobod.contact.laws import ContactLaw
from mobod.contact.pairs import pair_of
from mobod.contact.pressed_pair import HINT_SIZE, PressedPair, number_of_pressed, numbers_of_pressed
from mobod.contact.shapes import ContactShape
from mobod.forces.two_point.stations import fixed_motion
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Slot, Sweep
from mobod.system import DiscreteVariable, Layout, Stage, State


class PairForce(ContactForce, ABC):
    """A force between the features of two shapes of mb.contact."""

    def _complete_pair(
        self, shapes: tuple[ContactShape, ContactShape], law: ContactLaw, law_numbers: tuple[str, ...], curvature: Curvature
    ) -> None:
        """The end of a subclass's `__post_init__`; see _complete, and contact_rows.proximity for the curvature."""
        self.curvature = curvature
        n = number_of_pressed(*shapes)
        self._is_pressed = n is not None
        self.hint: DiscreteVariable | None = None  # once allocated, if the runtime finds the points
        self._complete(
            pair=shapes,
            law=law,
            law_numbers=law_numbers,
            feature_names=pair_of(*shapes).names if n is None else tuple(f"point_{i}" for i in range(n)),
            numbers_of_shapes={
                "lengths": numbers_of_pressed(shapes) if n else np.concatenate([shape.parameter_values() for shape in shapes])
            },
        )

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._allocate_entry(state, "curvatures", (self.n_features, 2), Stage.POSITION)
        if self._is_pressed:  # the hint changes nothing but the work that the next step has, and round-off
            self.hint = state.allocate_auto_update_discrete_variable(
                self.forces, f"{self.name}.hint", np.zeros(HINT_SIZE), Stage.REPORT, update_depends_on=Stage.POSITION
            )

    def tabulate(self, layout: Layout, tree: Tree) -> None:
        """Write the rows that compute its values, when the layout is known."""
        if self._is_pressed:
            self._find_points(layout, tree)
            return
        self.forces.sweep(layout, Stage.POSITION).add(
            contact_rows.proximity,
            [self._slot(layout, "lengths"), *self._frame_slots(layout), *self._bodies.poses(tree)],
            self._entry_slots(layout, *self._at_position, "curvatures"),
            structure=(*(shape.structure for shape in self.pair), self.curvature),
            constants=fixed_motion(tree),
        )

    def _find_points(self, layout: Layout, tree: Tree) -> None:
        assert self.hint is not None
        sweep, next_hint = self.forces.sweep(layout, Stage.POSITION), self.hint.update
        assert next_hint is not None
        names = ("distance", "normal", "arm1", "arm2", "patch")
        sweep.calls.append(
            PressedPair(
                self.index,
                self.pair,
                lengths=self._slot(layout, "lengths"),
                frames=self._frame_slots(layout),
                poses=self._bodies.poses(tree),
                hint=layout.slots[self.hint],
                next_hint=layout.slots[next_hint],
                found=dict(zip(names, self._entry_slots(layout, *self._at_position, "curvatures"), strict=True)),
            )
        )
        layout.marks.setdefault(sweep.name, []).append(next_hint)

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        has_bristles = self.law.has_bristles
        for part in self._parts:
            outputs = [*part.slots(self._entry_slots(layout, *self._shown)), *self._bodies.sums(tree)]
            if has_bristles:
                outputs.append(tree.rate(self.forces.z(layout, self)))
            sweep.add(
                contact_rows.bristled if has_bristles else contact_rows.contact,
                self._inputs(tree, layout, part),
                outputs,
                structure=(self.law, self._has_line),
                constants=fixed_motion(tree),
                adds=(len(self._shown), len(self._shown) + 1),
            )

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        for part in self._parts:
            inputs = [self._slot(layout, "enabled"), *part.slots(self._entry_slots(layout, "distance", "curvatures"))]
            inputs += [self._slot(layout, name) for name in self.law_numbers]
            sweep.add(contact_rows.energy, inputs, [total], structure=(self.law, self._has_line), adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        row = contact_rows.bristled_loss if self.law.has_bristles else contact_rows.loss
        for part in self._parts:
            inputs = self._inputs(tree, layout, part)
            sweep.add(row, inputs, [total], structure=(self.law, self._has_line), constants=fixed_motion(tree), adds=(0,))

    # inside
    @property
    def _has_line(self) -> bool:
        return not self._is_pressed and pair_of(*self.pair).has_line

    @property
    def _parts(self) -> "list[_Features]":
        """Points that the runtime finds have a call each, so that all share one recording."""
        n = self.n_features
        return [_Features(i, 1, n) for i in range(n)] if self._is_pressed else [_Features(0, n, n)]

    def _inputs(self, tree: Tree, layout: Layout, part: "_Features") -> list[Slot]:
        first = self._bodies.body1.index
        inputs = [self._slot(layout, "enabled"), *part.slots(self._entry_slots(layout, *self._at_position, "curvatures"))]
        inputs += [tree.slots.p_GM[first], *self._bodies.speeds(tree)]
        if self.law.has_bristles:
            inputs += [tree.slots.R_GB[first], self._slot(layout, "R_S1"), self.forces.z(layout, self)]
        return inputs + [self._slot(layout, name) for name in self.law_numbers]


@final
@dataclass(frozen=True)
class _Features:
    """Features of a pair, from the first on; of all there are."""

    first: int
    n: int
    of: int

    def slots(self, whole: Sequence[Slot]) -> list[Slot]:
        """Their parts of slots whose first axis is that of all features."""
        return [Slot(slot.offset + self.first * (slot.size // self.of), (self.n, *slot.shape[1:])) for slot in whole]
