"""The modes of an SID file, made relative to an inboard interface and orthonormal."""

from collections.abc import Mapping

import numpy as np
from scipy import linalg

from mobod.errors import InputError, ModelFileError
from mobod.flexible.files.sid_file import SidData
from mobod.flexible.files.sid_moments import in_basis, moments_of_sid
from mobod.flexible.interfaces import ModalInterface, check_names
from mobod.flexible.invariants import RigidMotion
from mobod.flexible.reduction import Reduced, chosen_modes
from mobod.spatial import Transform, cross_matrix

_LEAST_MASS = 1e-14  # of a motion of the modes relative to the largest: less is round-off


def reduced_sid(sid: SidData, interfaces: Mapping[str, int], inboard: str | None, modes: int | None, below: float | None) -> Reduced:
    """interfaces: numbers of the file's nodes by name. Raises ModelFileError; InputError for nodes that are not there."""
    check_names(list(interfaces), inboard)
    unknown = [each for each in interfaces.values() if each not in sid.nodes]
    if unknown:
        raise InputError(f"{sid.path}: there is no node {unknown[0]!r}. The file has {', '.join(map(str, sorted(sid.nodes)))}.")
    n = sid.n
    if not sid.mass > 0:
        raise ModelFileError(f"{sid.path}: 'mass' is {sid.mass:g} kg; it must be positive.")
    poses, motions = {}, {}
    for name, node in interfaces.items():
        R = sid.matrix("AP", (3, 3), node, np.eye(3))
        if np.abs(R @ R.T - np.eye(3)).max() > 1e-6:
            raise ModelFileError(f"{sid.path}: 'AP' of node {node} is no rotation.")
        u, _, v = np.linalg.svd(R)
        poses[name] = Transform(u @ v, sid.matrix("origin", (3, 1), node)[:, 0])
        motions[name] = np.concatenate([sid.matrix("psi", (3, n), node), sid.matrix("phi", (3, n), node)])
    p = np.zeros(3) if inboard is None else poses[inboard].p
    # about p, from the origin
    A = np.block([[np.eye(3), np.zeros((3, 3))], [cross_matrix(p), np.eye(3)]])
    F = cross_matrix(sid.matrix("mdCM", (3, 1))[:, 0])
    rigid = A.T @ np.block([[sid.matrix("J", (3, 3)), F], [-F, sid.mass * np.eye(3)]]) @ A
    given = A.T @ np.concatenate([sid.matrix("Cr", (n, 3)).T, sid.matrix("Ct", (n, 3)).T])
    # shapes without the motion of the inboard interface, or of the mean axes
    removed = np.linalg.solve(rigid, given) if inboard is None else motions[inboard]
    mass = sid.matrix("Me", (n, n)) - removed.T @ given - given.T @ removed + removed.T @ rigid @ removed
    coupling = given - rigid @ removed if inboard is not None else np.zeros((6, n))
    stiffness, damping = sid.matrix("Ke", (n, n)), sid.matrix("De", (n, n), default=np.zeros((n, n)))
    for name, matrix in (("Me", mass), ("Ke", stiffness), ("De", damping)):
        if np.abs(matrix - matrix.T).max(initial=0.0) > 1e-6 * np.abs(matrix).max(initial=0.0):
            raise ModelFileError(f"{sid.path}: '{name}' is not symmetric.")
    own = linalg.eigvalsh(mass) if n else np.ones(1)
    if own[0] <= _LEAST_MASS * own[-1]:
        raise ModelFileError(f"{sid.path}: 'Me', 'Cr', 'Ct', 'J' and the mass give a motion of the modes a mass that is not positive.")
    squares, shapes = linalg.eigh((stiffness + stiffness.T) / 2, (mass + mass.T) / 2)
    if n and squares[0] <= 0:
        raise ModelFileError(f"{sid.path}: 'Ke' is not positive definite: a mode has no stiffness.")
    of_frames = {}
    for name, X in poses.items():
        rigidly = np.block([[np.eye(3), np.zeros((3, 3))], [-cross_matrix(X.p - p), np.eye(3)]]) @ removed
        of_frames[name] = np.zeros((6, n)) if name == inboard else motions[name] - rigidly
    moments = moments_of_sid(sid, removed, p, RigidMotion(rigid))
    kept, lost = chosen_modes(squares, shapes, [of_frames[name] for name in poses if name != inboard], modes, below)
    shapes = shapes[:, kept]
    frames = {name: ModalInterface(X, of_frames[name] @ shapes) for name, X in poses.items()}
    points = np.array([sid.matrix("origin", (3, 1), node)[:, 0] for node in sid.nodes])
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    return Reduced(
        inboard,
        p,
        frames,
        RigidMotion(rigid),
        coupling @ shapes,
        squares[kept],
        shapes.T @ damping @ shapes,
        size,
        lost,
        shapes,
        None if moments is None else in_basis(moments, shapes),
    )
