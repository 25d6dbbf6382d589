"""Reactions: the whole force that a mobilizer transmits, at one of its frames or at the origin of one of its bodies."""

from abc import abstractmethod

import numpy as np

from mobod.matter.body_queries import Body
from mobod.matter.rigid_motion import forces_about
from mobod.matter.tree import Tree
from mobod.system import Stage, State, Variable
from mobod.system.variable import WRENCH


class CarriedBody(Body):
    """A body with the mobilizer that connects it to its parent.

    A reaction is the force (6,) N m, N, expressed in Ground, that the parent exerts on the body through the mobilizer; the opposite force
    acts on the parent. It contains everything that the mobilizer transmits: the forces that constrain the body to the mobilizer's motion,
    and the generalized forces applied along that motion (of a motor or a spring). It does not contain forces applied to bodies. Reactions
    need stage ACCELERATION.
    """

    parent: Body

    def mass_center_station(self, state: State) -> np.ndarray:
        """(3,) m: the mass center, from the body's origin, in its frame."""
        slot = self._tree(state).slots.com[self.index]
        return state.view(slot)

    def reaction_on_body_at_M(self, state: State) -> np.ndarray:
        """(6,) N m, N: reaction on the body about the origin of the mobilizer's frame M, in Ground. Needs stage ACCELERATION."""
        self._tree(state, Stage.ACCELERATION, "reaction")
        return state.cached(self.matter.reactions_entry)[self.index]

    def reaction_on_body_at_origin(self, state: State) -> np.ndarray:
        """(6,) N m, N: reaction on the body about the body's origin, in Ground. Needs stage ACCELERATION."""
        return self._moved(state, self.reaction_on_body_at_M(state), self.X_GB(state).p)

    def reaction_on_parent_at_F(self, state: State) -> np.ndarray:
        """(6,) N m, N: reaction on the parent about the origin of the mobilizer's frame F, in Ground. Needs stage ACCELERATION."""
        slots, parent = self._tree(state, Stage.ACCELERATION, "reaction").slots, self.parent.index
        p_GF = state.view(slots.p_GM[parent]) + state.view(slots.R_GM[parent]) @ state.view(slots.p_MF[self.index])
        return -self._moved(state, self.reaction_on_body_at_M(state), p_GF)

    def reaction_on_parent_at_origin(self, state: State) -> np.ndarray:
        """(6,) N m, N: reaction on the parent about the parent's origin, in Ground. Needs stage ACCELERATION."""
        return -self._moved(state, self.reaction_on_body_at_M(state), self.parent.X_GB(state).p)

    def reaction_variable(self, tree: Tree) -> Variable:
        """The catalogued variable '<name>.reaction': the reaction on the body at M."""
        return Variable(
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
        """A force about M converted to another reference point of Ground."""
        p_GM = state.view(self.matter.tree(state.layout).slots.p_GM[self.index])
        return forces_about(p_G - p_GM, F)

    @abstractmethod
    def _tree(self, state: State, stage: Stage | None = None, what: str = "") -> Tree:
        """The tables for this State, which must have reached `stage`."""
