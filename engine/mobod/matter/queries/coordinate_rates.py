"""N(q), which makes rates of coordinates of speeds, q_dot = N u, and its inverse; a block for each mobilizer.

All take a State from POSITION on and cost O(nq).
"""

# Decision: docs/decisions/031-matrix-n.md

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import SingularMechanismError
from mobod.matter.queries.queried_matter import QueriedMatter, checked_array, checked_tree
from mobod.matter.queries.tree_operators import checked_speeds
from mobod.system import Stage, State


def multiply_by_N(matter: QueriedMatter, state: State, u: ArrayLike) -> np.ndarray:
    """(nq,) rad/s or m/s: N u, the rates of the coordinates for speeds u (nu,). Needs stage POSITION."""
    tree = checked_tree(matter, state, Stage.POSITION, "N")
    u = checked_speeds(tree, u, "a vector of generalized speeds")
    layout = state.layout
    values = state.values.copy()  # q_dot is linear in u: compute it with these speeds
    values[layout.part("u", matter.index).slice] = u
    known = tree.prescription.slots  # known speeds would replace these
    values[known.lock_levels.slice] = values[known.motion_enabled.slice] = 0.0
    layout.run(layout.sweeps[matter.index, Stage.VELOCITY], values, matter.system.as_text)
    return values[tree.rate(layout.part("q", matter.index)).slice].copy()


def multiply_by_N_transpose(matter: QueriedMatter, state: State, p: ArrayLike) -> np.ndarray:
    """(nu,) N m or N: N^T p, forces along the speeds with the power of the forces p (nq,) along the coordinates. Needs stage POSITION."""
    p = _checked_coordinates(matter, state, p)
    return _joined([N.T @ p[q] for q, _, N in _blocks(matter, state)])


def multiply_by_N_inverse(matter: QueriedMatter, state: State, q_dot: ArrayLike) -> np.ndarray:
    """(nu,) rad/s or m/s: the speeds whose coordinate rates are closest (least squares) to the rates q_dot (nq,). Needs stage POSITION.

    For a quaternion N has more rows than columns; the part of its rate that would change its length is ignored.
    Raises SingularMechanismError, which names the mobilizer, at coordinates where speeds give no finite rates.
    """
    q_dot = _checked_coordinates(matter, state, q_dot)
    return _joined([np.linalg.lstsq(N, q_dot[q])[0] for q, _, N in _blocks(matter, state)])


def multiply_by_N_inverse_transpose(matter: QueriedMatter, state: State, f: ArrayLike) -> np.ndarray:
    """(nq,) N m or N: forces of least norm along the coordinates with the power of the forces f (nu,) along the speeds.

    Needs stage POSITION.
    """
    tree = checked_tree(matter, state, Stage.POSITION, "N")
    f = checked_speeds(tree, f, "a vector of generalized forces")
    return _joined([np.linalg.lstsq(N.T, f[u])[0] for _, u, N in _blocks(matter, state)])


def along_coordinates(matter: QueriedMatter, state: State, J: ArrayLike) -> np.ndarray:
    """(..., nq) J N^-1: converts a derivative J (..., nu) with respect to speeds to one with respect to coordinate rates.

    Needs stage POSITION.

    It is 0 for coordinate rates that no speeds give. Raises SingularMechanismError, which names the mobilizer, at coordinates where
    speeds give no finite rates.
    """
    J = real_numbers(J, "along_coordinates")
    blocks = _blocks(matter, state)
    return np.concatenate([np.zeros((*J.shape[:-1], 0)), *(J[..., u] @ np.linalg.pinv(N) for _, u, N in blocks)], axis=-1)


# inside
def _checked_coordinates(matter: QueriedMatter, state: State, value: ArrayLike) -> np.ndarray:
    checked_tree(matter, state, Stage.POSITION, "N")
    return checked_array(value, (state.layout.part("q", matter.index).size,), "a vector of rates of coordinates")


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0), *parts])


def _blocks(matter: QueriedMatter, state: State) -> list[tuple[slice, slice, np.ndarray]]:
    """(its coordinates, its speeds, N) of each mobilizer. One product gives column i of all blocks, since N is zero outside the
    blocks.
    """
    tree = matter.tree(state.layout)
    nu = np.array([body.nu for body in matter.bodies], dtype=int)
    q_ends = np.cumsum([0, *(tree.q(body).size for body in matter.bodies)])
    u_ends = np.cumsum([0, *nu])
    columns = []
    for i in range(nu.max(initial=0)):
        unit = np.zeros(u_ends[-1])
        unit[u_ends[:-1][nu > i] + i] = 1.0
        columns.append(multiply_by_N(matter, state, unit))
    blocks = []
    for b, body in enumerate(matter.bodies):
        q, u = slice(q_ends[b], q_ends[b + 1]), slice(u_ends[b], u_ends[b + 1])
        N = np.array([column[q] for column in columns[: body.nu]]).reshape(body.nu, -1).T if body.nu else np.zeros((0, 0))
        if not np.isfinite(N).all():
            raise SingularMechanismError(
                f"mobilizer '{body.name}' ({type(body).__name__}) at q = {state.view(tree.q(body)).tolist()}: the rates of "
                "its coordinates are not finite there. Choose other coordinates, or frames that keep the motion away from this point."
            )
        blocks.append((q, u, N))
    return blocks
