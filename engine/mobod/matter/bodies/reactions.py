"""Reactions: the whole force that a mobilizer transmits, at either of its frames or at the origin of either body.

A reaction is the force (6,) N m, N, expressed in Ground, that the parent exerts on the body through the mobilizer; the opposite force
acts on the parent. It contains everything that the mobilizer transmits: the forces that constrain the body to the mobilizer's motion,
and the generalized forces applied along that motion (of a motor or a spring). It does not contain forces applied to bodies. Reactions
need stage ACCELERATION.
"""

# Decision: docs/decisions/032-reactions.md

import numpy as np

from mobod.matter.bodies.body_in_tree import BodyInTree, tree_of
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.rigid_motion import forces_about
from mobod.spatial.component_names import WRENCH
from mobod.system import CatalogueVariable, Stage, State


def reaction_on_body_at_M(body: BodyInTree, state: State) -> np.ndarray:
    """(6,) N m, N, in Ground: on the body by its parent, about the origin of the mobilizer's frame M; from ACCELERATION on."""
    tree_of(body, state, Stage.ACCELERATION, "reaction")
    return state.cached(body.matter.reactions_entry)[body.index]


def reaction_on_body_at_origin(body: BodyInTree, state: State) -> np.ndarray:
    """(6,) N m, N, in Ground: on the body by its parent, about the body's origin; from ACCELERATION on."""
    return _moved(body, state, reaction_on_body_at_M(body, state), body.X_GB(state).p)


def reaction_on_parent_at_F(body: BodyInTree, state: State) -> np.ndarray:
    """(6,) N m, N, in Ground: on the parent by the body, about the origin of the mobilizer's frame F; from ACCELERATION on."""
    slots, parent = tree_of(body, state, Stage.ACCELERATION, "reaction").slots, body.parent.index
    p_GF = state.view(slots.p_GM[parent]) + state.view(slots.R_GM[parent]) @ state.view(slots.p_MF[body.index])
    return -_moved(body, state, reaction_on_body_at_M(body, state), p_GF)


def reaction_on_parent_at_origin(body: BodyInTree, state: State) -> np.ndarray:
    """(6,) N m, N, in Ground: on the parent by the body, about the parent's origin; from ACCELERATION on."""
    return -_moved(body, state, reaction_on_body_at_M(body, state), body.parent.X_GB(state).p)


def reaction_variable(body: BodyInTree, tree: Tree) -> CatalogueVariable:
    """The catalogued variable '<name>.reaction': the reaction on the body at M."""
    slot, units = tree.slots.reactions[body.index], ("N.m",) * 3 + ("N",) * 3
    text = f"torque and force, in Ground, of mobilizer '{body.name}' on its body about the origin of its frame M"
    entry = body.matter.reactions_entry
    return CatalogueVariable.output(f"{body.name}.reaction", slot, Stage.REPORT, units, text, entry=entry, components=WRENCH)


def _moved(body: BodyInTree, state: State, F: np.ndarray, p_G: np.ndarray) -> np.ndarray:
    """A force about M converted to another reference point of Ground."""
    p_GM = state.view(tree_of(body, state).slots.p_GM[body.index])
    return forces_about(p_G - p_GM, F)
