"""Reactions: the whole force that a mobilizer transmits, at either of its frames or at the origin of either body."""

from abc import abstractmethod

import numpy as np

from mobod.matter.bodies.body_queries import Body
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.rigid_motion import forces_about
from mobod.spatial.component_names import WRENCH
from mobod.system import CatalogueVariable, Stage, State


class CarriedBody(Body):
    """A body with the mobilizer that connects it to its parent.

    A reaction is (6,) N m, N, expressed in Ground, from ACCELERATION on: the force on the body with which the parent moves it through the
    mobilizer, and its opposite on the parent. It has all that the mobilizer transmits: what keeps the body to the mobilizer's motion, and
    the generalized forces that are applied along that motion (a motor's, a spring's). Forces that are applied to bodies are not in it.
    """

    parent: Body

    def mass_center_station(self, state: State) -> np.ndarray:
        """(3,) m: the mass center, from the body's origin, in its frame."""
        slot = self._tree(state).slots.com[self.index]
        return state.view(slot)

    def reaction_on_body_at_M(self, state: State) -> np.ndarray:
        """About the origin of the mobilizer's frame M on the body."""
        self._tree(state, Stage.ACCELERATION, "reaction")
        return state.cached(self.matter.reactions_entry)[self.index]

    def reaction_on_body_at_origin(self, state: State) -> np.ndarray:
        """About the origin of the body."""
        return self._moved(state, self.reaction_on_body_at_M(state), self.X_GB(state).p)

    def reaction_on_parent_at_F(self, state: State) -> np.ndarray:
        """About the origin of the mobilizer's frame F on the parent."""
        slots, parent = self._tree(state, Stage.ACCELERATION, "reaction").slots, self.parent.index
        p_GF = state.view(slots.p_GM[parent]) + state.view(slots.R_GM[parent]) @ state.view(slots.p_MF[self.index])
        return -self._moved(state, self.reaction_on_body_at_M(state), p_GF)

    def reaction_on_parent_at_origin(self, state: State) -> np.ndarray:
        """About the origin of the parent."""
        return -self._moved(state, self.reaction_on_body_at_M(state), self.parent.X_GB(state).p)

    def reaction_variable(self, tree: Tree) -> CatalogueVariable:
        """'<name>.reaction': the reaction on the body at M."""
        return CatalogueVariable(
            name=f"{self.name}.reaction",
            slot=tree.slots.reactions[self.index],
            stage=Stage.REPORT,
            role="output",
            units=("N.m",) * 3 + ("N",) * 3,
            description=f"torque and force, in Ground, of mobilizer '{self.name}' on its body about the origin of its frame M",
            entry=self.matter.reactions_entry,
            components=WRENCH,
        )

    def _moved(self, state: State, F: np.ndarray, p_G: np.ndarray) -> np.ndarray:
        """A force about M, about another point of Ground."""
        p_GM = state.view(self.matter.tree(state.layout).slots.p_GM[self.index])
        return forces_about(p_G - p_GM, F)

    @abstractmethod
    def _tree(self, state: State, stage: Stage | None = None, what: str = "") -> Tree:
        """The tables for this State, which must have reached `stage`."""
