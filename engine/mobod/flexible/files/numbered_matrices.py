"""Matrices of finite element programs whose nodes have numbers of their own, and names of sets of nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np
from scipy import sparse

from mobod.errors import InputError, ModelFileError, UnknownNameError


@final
@dataclass(frozen=True, eq=False)
class NumberedMatrices:
    """path: of the file, for messages

    M, K       freedoms of the nodes, one node after another, each with as many; then those of modes
    numbers    of the nodes, in this order
    positions  (3,) m of nodes by number
    sets       numbers of nodes by name, in lower case
    n_modes    how many freedoms belong to no node: the matrices are reduced ones then
    """

    path: Path
    M: sparse.csr_array
    K: sparse.csr_array
    numbers: Sequence[int]
    positions: Mapping[int, np.ndarray]
    sets: Mapping[str, Sequence[int]] = field(default_factory=dict)
    n_modes: int = 0

    @property
    def nodes(self) -> np.ndarray:
        """(N, 3) m. Raises ModelFileError for a node without position."""
        return np.array([self.position(number) for number in self.numbers]).reshape(-1, 3)

    def position(self, number: int) -> np.ndarray:
        """(3,) m. Raises ModelFileError."""
        if number not in self.positions:
            raise ModelFileError(f"{self.path}: there is no position of node {number}.")
        return self.positions[number]

    def interfaces(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Interfaces with numbers of nodes from 0 on, from the file's own numbers and names of sets. Raises InputError."""
        found: dict[str, Any] = {}
        for name, each in given.items():
            tie = dict(each) if isinstance(each, Mapping) else {"nodes": each}
            nodes = tie.get("nodes")
            if isinstance(nodes, str):
                UnknownNameError.check(f"set of nodes of {self.path}", nodes.lower(), list(self.sets))
                nodes = self.sets[nodes.lower()]
            if nodes is not None:
                tie["nodes"] = [self._index(name, number) for number in np.atleast_1d(np.asarray(nodes)).tolist()]
            found[name] = tie
        return found

    def reduced(self, given: Mapping[str, Any]) -> tuple[Any, Any, dict[str, np.ndarray]]:
        """(M, K, positions) for ModalData.from_reduced; each node is an interface. Raises InputError."""
        at, places = [], {}
        for name, number in given.items():
            index = self._index(name, number)
            at += list(range(6 * index, 6 * index + 6))
            places[name] = self.position(self.numbers[index])
        n = self.M.shape[0]
        rest = range(6 * len(self.numbers), n)
        left = [number for k, number in enumerate(self.numbers) if 6 * k not in at]
        if left:
            raise InputError(
                f"{self.path}: its matrices are reduced to nodes and modes, and node {left[0]} is no interface. Each of its nodes is one: "
                f"{', '.join(map(str, self.numbers))}."
            )
        order = [*at, *rest]
        return self.M[order][:, order], self.K[order][:, order], places

    def _index(self, name: str, number: object) -> int:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number not in self.numbers:
            raise InputError(f"{self.path}: interface '{name}' has the node {number!r}, which has no freedoms in the file.")
        return list(self.numbers).index(int(number))


def arranged(
    path: Path, freedoms: Sequence[tuple[int, int]], entries: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]], per_node: int
) -> tuple[sparse.csr_array, sparse.csr_array, list[int], int]:
    """(M, K, numbers of nodes, number of modes) from freedoms (node, direction from 1 on; 0: of no node) in the order of the file.

    entries  of 'M' and 'K': rows, columns from 0 on, numbers; of symmetric matrices one triangle, or both
    """
    numbers = sorted({node for node, direction in freedoms if direction})
    known = set(freedoms)
    if len(known) < len(freedoms):
        raise ModelFileError(f"{path}: a freedom is there twice.")
    for number in numbers:
        for direction in range(1, per_node + 1):
            if (number, direction) not in known:
                raise ModelFileError(
                    f"{path}: node {number} has no freedom {direction}, so a support or an equation holds it. Supports belong to the "
                    "multibody model: remove them."
                )
    modes = sorted(each for each in freedoms if not each[1])
    place = {each: k for k, each in enumerate([*((number, k) for number in numbers for k in range(1, per_node + 1)), *modes])}
    if len(place) < len(freedoms):
        raise ModelFileError(f"{path}: nodes have {per_node} freedoms here, and some have others too.")
    order, n = np.array([place[each] for each in freedoms]), len(freedoms)
    found = {}
    for name, (rows, columns, values) in entries.items():
        i, j = order[rows], order[columns]
        matrix = sparse.csr_array((values, (i, j)), shape=(n, n))
        both = sparse.csr_array((np.ones(i.size), (i, j)), shape=(n, n))
        off = both - sparse.diags_array(both.diagonal())
        # one triangle alone: the other one follows
        is_triangle = not (off.multiply(off.T)).nnz
        found[name] = sparse.csr_array(matrix + matrix.T - sparse.diags_array(matrix.diagonal())) if is_triangle else matrix
    return found["M"], found["K"], numbers, len(modes)
