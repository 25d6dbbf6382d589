"""PairForce: a contact force of all features of a pair of shapes."""

from abc import ABC

import numpy as np

from mobod.contact import contact_rows
from mobod.contact.contact_force import ContactForce
from mobod.contact.curvature import Curvature
from mobod.contact.laws import ContactLaw
from mobod.contact.pairs import pair_of
from mobod.contact.shapes import ContactShape
from mobod.forces.two_point.stations import fixed_motion
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Slot, Sweep
from mobod.system import Layout, Stage, State


class PairForce(ContactForce, ABC):
    """A force between the features of two shapes of mb.contact."""

    def _complete_pair(
        self, shapes: tuple[ContactShape, ContactShape], law: ContactLaw, law_numbers: tuple[str, ...], curvature: Curvature
    ) -> None:
        """The end of a subclass's `__post_init__`; see _complete, and contact_rows.proximity for the curvature."""
        self.curvature = curvature
        self._complete(
            pair=shapes,
            law=law,
            law_numbers=law_numbers,
            feature_names=pair_of(*shapes).names,
            numbers_of_shapes={"lengths": np.concatenate([shape.parameter_values() for shape in shapes])},
        )

    # for ForceSubsystem
    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._allocate_entry(state, "curvatures", (self.n_features, 2), Stage.POSITION)

    def tabulate(self, layout: Layout, tree: Tree) -> None:
        """Write the rows that compute its values, when the layout is known."""
        self.forces.sweep(layout, Stage.POSITION).add(
            contact_rows.proximity,
            [self._slot(layout, "lengths"), *self._frame_slots(layout), *self._bodies.poses(tree)],
            self._entry_slots(layout, *self._at_position, "curvatures"),
            structure=(*(shape.structure for shape in self.pair), self.curvature),
            constants=fixed_motion(tree),
        )

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        has_bristles = self.law.has_bristles
        outputs = [*self._entry_slots(layout, *self._shown), *self._bodies.sums(tree)]
        if has_bristles:
            outputs.append(tree.rate(self.forces.z(layout, self)))
        sweep.add(
            contact_rows.bristled if has_bristles else contact_rows.contact,
            self._inputs(tree, layout),
            outputs,
            structure=(self.law, self._has_line),
            constants=fixed_motion(tree),
            adds=(len(self._shown), len(self._shown) + 1),
        )

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        inputs = [self._slot(layout, "enabled"), *self._entry_slots(layout, "distance", "curvatures")]
        inputs += [self._slot(layout, name) for name in self.law_numbers]
        sweep.add(contact_rows.energy, inputs, [total], structure=(self.law, self._has_line), adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        row = contact_rows.bristled_loss if self.law.has_bristles else contact_rows.loss
        sweep.add(row, self._inputs(tree, layout), [total], structure=(self.law, self._has_line), constants=fixed_motion(tree), adds=(0,))

    # inside
    @property
    def _has_line(self) -> bool:
        return pair_of(*self.pair).has_line

    def _inputs(self, tree: Tree, layout: Layout) -> list[Slot]:
        first = self._bodies.body1.index
        inputs = [self._slot(layout, "enabled"), *self._entry_slots(layout, *self._at_position, "curvatures")]
        inputs += [tree.slots.p_GM[first], *self._bodies.speeds(tree)]
        if self.law.has_bristles:
            inputs += [tree.slots.R_GB[first], self._slot(layout, "R_S1"), self.forces.z(layout, self)]
        return inputs + [self._slot(layout, name) for name in self.law_numbers]
