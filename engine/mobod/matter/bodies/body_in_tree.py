"""What locks, limits, reactions and fits need of a mobilized body, and the tables of its tree."""

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.matter.bodies.body_queries import Body, BodyOwner
from mobod.matter.dynamics.tree import Tree
from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.matter.tree.tree_body import TreeBody
from mobod.spatial import Transform
from mobod.system import Stage, State, check_state


class BodyInTree(TreeBody, Protocol):
    """See MobilizedBody."""

    @property
    def matter(self) -> BodyOwner: ...

    @property
    def parent(self) -> Body: ...

    @property
    def nq(self) -> int: ...

    def equations_in(self, state: State) -> MobilizerEquations: ...

    def q(self, state: State) -> np.ndarray: ...

    def set_q(self, state: State, value: ArrayLike) -> None: ...

    def u(self, state: State) -> np.ndarray: ...

    def set_u(self, state: State, value: ArrayLike) -> None: ...

    def X_GB(self, state: State) -> Transform: ...


def tree_of(body: BodyInTree, state: State, stage: Stage | None = None, what: str = "") -> Tree:
    """The tables of its tree for a State that has reached `stage`; `what` needs it, for the message."""
    system = body.matter.system
    is_state = type(state) is State  # users give other things too
    if not is_state or state.system is not system or state.topology_version != system.topology_version:
        check_state(state, system)  # left out where it would find nothing, because this is called in inner loops
    if stage is not None:
        state.require(stage, f"{what} of '{body.name}'", body.matter.index)
    return body.matter.tree(state.layout)


def given_frame(body: BodyInTree, X: Transform | None, what: str) -> Transform:
    """The pose itself, the identity if none is given. Raises InputError for what is no Transform."""
    if X is not None and not isinstance(X, Transform):
        raise InputError(
            f"{type(body).__name__}: {what} is a Transform, not {type(X).__name__}. Write Transform(R, p) or Transform(p=[x, y, z])."
        )
    return X or Transform()
