"""What queries need of a MatterSubsystem, and the checks and the products with the Jacobian that they share."""

from collections.abc import Sequence
from typing import NoReturn, Protocol

import numpy as np

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.tree_body import NumberedBody, TreeBody
from mobod.system import CacheEntry, Layout, Stage, State, System, check_state


class QueriedMatter(Protocol):
    """Return the argument if it is a body of this subsystem; raise otherwise. See MatterSubsystem.checked."""

    index: int

    @property
    def system(self) -> System: ...

    @property
    def n_bodies(self) -> int: ...

    @property
    def bodies(self) -> Sequence[TreeBody]: ...

    def checked(self, body: object, what: str) -> NumberedBody: ...

    def tree(self, layout: Layout) -> Tree: ...

    def cache_entry(self, name: str) -> CacheEntry: ...

    def explain_not_finite(self, state: State) -> NoReturn: ...


def checked_tree(matter: QueriedMatter, state: State, stage: Stage, what: str) -> Tree:
    """The tables of the bodies for a State that has reached `stage`; `what` needs it, for the message."""
    check_state(state, matter.system)
    state.require(stage, what, matter.index)
    return matter.tree(state.layout)


def checked_array(value: object, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Finite floats of this shape. Raises InputError otherwise."""
    array = real_numbers(value, what)
    if array.shape != shape:
        raise InputError(f"{what} has shape {shape}, not {array.shape}.")
    if not np.isfinite(array).all():
        raise InputError(f"{what} must be finite; this one has {array[~np.isfinite(array)][0]} among its entries.")
    return array


# operands must have been checked
def velocities_at_M(matter: QueriedMatter, state: State, u: np.ndarray) -> np.ndarray:
    """(n_bodies, 6) the velocities of all bodies at the origins of M for the speeds u (nu,); a view that the next product overwrites."""
    tree = matter.tree(state.layout)
    state.values[tree.slots.operand.slice] = u
    state.layout.run(tree.operators.jacobian_product, state.values, matter.system.as_text)
    return state.view(tree.slots.A_v)


def forces_along_speeds(matter: QueriedMatter, state: State, F_M: np.ndarray) -> np.ndarray:
    """(nu,) the generalized forces of forces F_M (n_bodies, 6) on all bodies about the origins of M."""
    tree = matter.tree(state.layout)
    state.values[tree.slots.Z_v.slice] = F_M.ravel()
    state.layout.run(tree.operators.transpose_product, state.values, matter.system.as_text)
    return state.values[tree.slots.result.slice].copy()
