"""Interfaces of a flexible body: frames on it, tied to its nodes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict, final

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from mobod.errors import InputError, UnknownNameError
from mobod.spatial import Transform, cross_matrix

RESERVED = ("modes", "mean_axes")  # parts of each flexible body; see matter/bodies/flexible_parts.py


@final
@dataclass(frozen=True, eq=False)
class ModalInterface:
    """A frame on a flexible body.

    X       pose in the body's frame, without deformation
    shapes  (6, n) rotation, then displacement, for each modal coordinate, along the body's axes
    second  (3, n, n) displacement of second order, or None
    """

    X: Transform
    shapes: np.ndarray
    second: np.ndarray | None = None


@final
@dataclass(frozen=True, eq=False)
class MassPoint:
    """A point of a flexible body that has mass: all of them together have its inertia.

    mass     ()         kg
    inertia  (3, 3)     kg m^2, about the point
    p        (3,)       m, in the body's frame, without deformation
    shapes   (6, n)     rotation, then displacement, for each modal coordinate
    second   (3, n, n)  displacement of second order, or None
    """

    mass: float
    inertia: np.ndarray
    p: np.ndarray
    shapes: np.ndarray
    second: np.ndarray | None = None


class TiedNodes(TypedDict, total=False):
    """The nodes of an interface; see ModalData.from_matrices."""

    nodes: ArrayLike
    tie: str
    X: Transform


GivenInterfaces = Mapping[str, int | TiedNodes]


@final
@dataclass(frozen=True, eq=False)
class Tie:
    """An interface frame and the nodes that it is tied to.

    X         its pose in the body's frame
    nodes     their numbers
    is_rigid  whether the nodes move with the frame; else the frame moves by the mean of the nodes
    """

    name: str
    X: Transform
    nodes: np.ndarray
    is_rigid: bool

    def motion_of_nodes(self, points: np.ndarray, freedoms: int) -> np.ndarray:
        """(freedoms n, 6) displacements of the nodes for a displacement, then a rotation, of the frame."""
        motions = np.zeros((len(self.nodes), freedoms, 6))
        motions[:, :3, :3] = np.eye(3)
        motions[:, :3, 3:] = [-cross_matrix(d) for d in points[self.nodes] - self.X.p]
        if freedoms == 6:
            motions[:, 3:, 3:] = np.eye(3)
        return motions.reshape(-1, 6)

    def mean(self, points: np.ndarray, freedoms: int) -> np.ndarray:
        """(6, 3 n) displacement, then rotation, of the frame by the least squares of the nodes' displacements, all of the same weight.

        Raises InputError for nodes on a line, which determine no rotation.
        """
        motions = self.motion_of_nodes(points, 3)
        normal = motions.T @ motions
        scale = np.sqrt(np.diag(normal))
        if len(self.nodes) < 3 or (scale <= 0).any() or np.linalg.cond(normal / np.outer(scale, scale)) > 1e10:
            raise InputError(
                f"ModalData: the {len(self.nodes)} nodes of interface '{self.name}' lie on a line, so their displacements "
                "determine no rotation "
                "of its frame. Give at least three nodes that are not on a line."
            )
        return np.asarray(np.linalg.solve(normal, motions.T))

    def freedoms_of_nodes(self, freedoms: int) -> np.ndarray:
        """The numbers of all freedoms of the nodes."""
        return (self.nodes[:, None] * freedoms + np.arange(freedoms)).ravel()


def checked_ties(given: GivenInterfaces, nodes: np.ndarray, freedoms: int, inboard: str | None) -> list[Tie]:
    """The interfaces with their nodes. Raises InputError for those that do not exist, overlap or cannot turn."""
    named: object = given
    if not isinstance(named, Mapping) or not named:
        raise InputError("ModalData: interfaces is a dict of names and nodes, with at least one, such as the inboard interface.")
    check_names(list(given), inboard)
    ties = [_checked_tie(name, each, nodes, freedoms) for name, each in given.items()]
    owners: dict[int, str] = {}
    for tie in filter(lambda tie: tie.is_rigid, ties):
        for node in tie.nodes.tolist():
            if node in owners:
                raise InputError(
                    f"ModalData: node {node} belongs to the interfaces '{owners[node]}' and '{tie.name}', which are both rigid."
                )
            owners[node] = tie.name
    return ties


def check_names(names: list[object], inboard: str | None) -> None:
    """Raise InputError for names that interfaces cannot have, and for an inboard interface that is none."""
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"ModalData: an interface cannot be named {name!r}: a name must be a text and not empty.")
        if name in RESERVED:
            raise InputError(f"ModalData: an interface cannot be named '{name}': a part of each flexible body has this name.")
    if inboard is not None:
        UnknownNameError.check("interface", inboard, [str(name) for name in names])


def _checked_tie(name: str, given: int | TiedNodes, nodes: np.ndarray, freedoms: int) -> Tie:
    what = f"ModalData: interface '{name}'"
    each: TiedNodes = given if isinstance(given, dict) else {"nodes": [given]}
    unknown = set(each) - {"nodes", "tie", "X"}
    if unknown or "nodes" not in each:
        raise InputError(f"{what} has 'nodes', and may have 'tie' and 'X'; not {sorted(map(str, each))}.")
    tie = each.get("tie", "rigid")
    if tie not in ("rigid", "average"):
        raise InputError(f"{what}: tie is 'rigid' or 'average', not {tie!r}.")
    numbers = np.atleast_1d(np.asarray(each["nodes"]))
    if numbers.dtype.kind not in "iu" or numbers.ndim != 1 or not numbers.size or len(set(numbers.tolist())) < numbers.size:
        raise InputError(f"{what}: nodes are different numbers of nodes, not {each['nodes']!r}.")
    if numbers.min() < 0 or numbers.max() >= len(nodes):
        raise InputError(
            f"{what}: there is no node {numbers.max() if numbers.min() >= 0 else numbers.min()}; they run from 0 to {len(nodes) - 1}."
        )
    X = each.get("X", Transform(p=nodes[numbers].mean(axis=0)))
    if not isinstance(X, Transform):
        raise InputError(f"{what}: X is a Transform, not {type(X).__name__}.")
    if freedoms == 3 and (numbers.size < 3 or _are_on_a_line(nodes[numbers])):
        raise InputError(
            f"{what} is on {numbers.size} nodes with 3 freedoms each, on a point or a line, and so has no rotation. Give at "
            "least three nodes "
            "that are not on a line."
        )
    middle, size = (nodes.max(axis=0) + nodes.min(axis=0)) / 2, float(np.linalg.norm(np.ptp(nodes, axis=0)))
    if np.linalg.norm(X.p - middle) > 10 * max(size, 1e-12):
        raise InputError(f"{what} is at {X.p.tolist()} m, far outside the box around the nodes, of {size:g} m. Check units and frames.")
    return Tie(name, X, numbers, tie == "rigid")


def _are_on_a_line(points: np.ndarray) -> bool:
    singular = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(singular[1] <= 1e-9 * singular[0]) if singular[0] > 0 else True


def elimination_of_rigid_nodes(ties: list[Tie], nodes: np.ndarray, freedoms: int) -> tuple[sparse.csc_array, dict[str, np.ndarray]]:
    """(T, places): displacements of all freedoms are T y; y has the freedoms of nodes that are not rigid, and six of each rigid interface,
    displacement, then rotation, at `places`.
    """
    n_freedoms = len(nodes) * freedoms
    rigid = [tie for tie in ties if tie.is_rigid]
    slaves = np.concatenate([np.zeros(0, dtype=int), *(tie.freedoms_of_nodes(freedoms) for tie in rigid)])
    kept = np.setdiff1d(np.arange(n_freedoms), slaves)
    columns = [sparse.csc_array((np.ones(kept.size), (kept, np.arange(kept.size))), shape=(n_freedoms, kept.size))]
    places, at = {}, kept.size
    for tie in rigid:
        rows, motion = tie.freedoms_of_nodes(freedoms), tie.motion_of_nodes(nodes, freedoms)
        i, j = np.nonzero(motion)
        columns.append(sparse.csc_array((motion[i, j], (rows[i], j)), shape=(n_freedoms, 6)))
        places[tie.name] = np.arange(at, at + 6)
        at += 6
    return sparse.csc_array(sparse.hstack(columns)), places
