"""Checks of the matrices of an elastic body: symmetric, of one size, free in space, with interfaces that move independently."""

from typing import Any

import numpy as np
from scipy import sparse

from mobod.errors import InputError
from mobod.flexible.invariants import RigidMotion

SYMMETRY = 1e-9  # relative; larger differences are an error
RIGID = 1e-6  # |K T| relative to |K|: more is a support
DEPENDENT = 1e-12  # of a shape's own mass: less is a shape that others already contain
MASSLESS = 1e-12  # the mass of a motion relative to its stiffness, and to the largest of these


def checked_matrix(name: str, given: Any) -> sparse.csc_array:
    """A sparse square matrix that is symmetric and finite."""
    try:
        matrix = sparse.csc_array(given if sparse.issparse(given) else np.array(given, dtype=float), dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"ModalData: {name} is no matrix of real numbers.") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.shape[0]:
        raise InputError(f"ModalData: {name} has shape {matrix.shape}; it must be square.")
    if not np.isfinite(matrix.data).all():
        raise InputError(f"ModalData: {name} has entries that are not finite.")
    difference = sparse.coo_array(matrix - matrix.T)
    if difference.nnz and np.abs(difference.data).max() > SYMMETRY * np.abs(matrix.data).max():
        worst = int(np.argmax(np.abs(difference.data)))
        i, j = sorted((int(difference.row[worst]), int(difference.col[worst])))
        raise InputError(
            f"ModalData: {name} is not symmetric: entries ({i}, {j}) and ({j}, {i}) are {matrix[i, j]:g} and {matrix[j, i]:g}. A triangle "
            f"alone? Pass {name} + {name}.T - diag({name})."
        )
    return sparse.csc_array((matrix + matrix.T) / 2)


def check_independent(B: sparse.csc_array, names: tuple[str, ...]) -> None:
    """Raise InputError for an interface whose motion follows from that of those before it. B (6 interfaces, n): motions by unknowns."""
    products = (B @ B.T).toarray()
    sizes = np.sqrt(np.maximum(np.diag(products), 1e-300))
    scaled = products / np.outer(sizes, sizes)
    for number, name in enumerate(names[1:], start=2):
        if np.linalg.eigvalsh(scaled[: 6 * number, : 6 * number])[0] < DEPENDENT:
            others = "', '".join(names[: number - 1])
            raise InputError(
                f"ModalData: the motion of interface '{name}' follows from that of '{others}': they are on the "
                "same nodes. Give each interface nodes of its own, or attach a frame to the other one."
            )


def check_same_size(M: sparse.csc_array, K: sparse.csc_array, D: sparse.csc_array | None) -> None:
    for name, each in (("K", K), ("D", D)):
        if each is not None and each.shape != M.shape:
            raise InputError(f"ModalData: M has shape {M.shape}, but {name} has shape {each.shape}.")


def check_turns(rigid: RigidMotion) -> None:
    """Raise InputError for a body that can turn about an axis without inertia: its mean axes are not determined."""
    sizes = np.sqrt(np.maximum(np.diag(rigid.matrix), 1e-300))
    if np.linalg.eigvalsh(rigid.matrix / np.outer(sizes, sizes))[0] < MASSLESS:
        raise InputError("ModalData: the body has no inertia about one of its axes, so that frame='mean' is not determined. Use 'inboard'.")


def check_rigid(K: sparse.csc_array, T: np.ndarray, held: np.ndarray) -> None:
    """Raise InputError unless rigid motions need no force. Forces on the freedoms `held` do not count: all shapes vanish there."""
    forces, sizes = (np.delete(each, held, axis=0) for each in (np.abs(K @ T), np.abs(K) @ np.abs(T)))
    if not forces.size:
        return
    relative = forces.max(axis=0) / np.maximum(sizes.max(axis=0), 1e-300)
    supported = relative > RIGID
    if supported.any():
        worst = int(np.argmax(relative))
        kind = "rotations" if worst < 3 else "translations"
        raise InputError(
            f"ModalData: K has {6 - int(supported.sum())} rigid modes, not 6: |K T| / |K| is {relative[worst]:.2g} for {kind}. "
            "Supports belong "
            "to the multibody model: remove them from the mesh, except those of the nodes of the inboard interface. "
            "If there are none, check the units and the order of the freedoms."
        )
