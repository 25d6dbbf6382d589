"""Linear systems of deviations from a motion, in frames that may turn. See vector_deviations."""

# Decision: docs/decisions/165-frames-of-turning-bodies.md

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from scipy import linalg

from mobod.analysis.linearization import Linearization
from mobod.analysis.named_numbers import named_numbers, state_numbers
from mobod.analysis.tangent_space import free_coordinates, matter_of
from mobod.analysis.vector_deviations import (
    BODY,
    OTHERS,
    PARENT,
    SPEEDS,
    VECTORS,
    DeviationFrame,
    DeviationRow,
    MobilizerMotion,
    Part,
    VectorMobilizer,
    mobilizer_motion,
    orientation_entries,
    plain_entries,
    plain_row,
    relative_rate,
    rows_of,
    vector_mobilizer,
)
from mobod.compilation.source.scales import estimated_scales
from mobod.errors import InputError, UnknownNameError
from mobod.matter.dynamics.tree import Tree
from mobod.matter.tree.tree_body import TreeBody
from mobod.system import State, System
from mobod.system.named_numbers import NamedNumber

_INDEPENDENT = 1e-9  # of a row of length 1: what is left of it without those that are states already
_ROUND_OFF = 1e-12  # of entries of A, relative to the largest
_RATE_AT_REST = 1e-6  # rad per time scale: a mobilizer that turns more slowly does not turn

_VECTOR = re.compile(r"\.(theta|p_FM|w_FM|v_FM)\w*(\[[123]\])?$")

Frames = Mapping[tuple[int, Part], DeviationFrame]  # for rotations and positions of bodies by their indices; default: PARENT


@final
@dataclass(frozen=True)
class LinearInFrames:
    """dx/dt = A x + B u, y = C x + D u: deviations from the motion through a State.

    rows       of the states
    by_states  (ny, nx)  change of y for each state
    by_inputs  (ny, nu)  change of y for each input, with constant states
    n_q, n_u   numbers of coordinates and speeds among the states
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    rows: list[DeviationRow]
    by_states: np.ndarray
    by_inputs: np.ndarray
    n_q: int
    n_u: int


@final
@dataclass(frozen=True)
class MotionAt:
    """One instant of a motion: the Jacobians in plain states, and the motion of each mobilizer that has vectors.

    made  with all rates of y (see linearization)
    """

    system: System
    made: Linearization

    @property
    def state(self) -> State:
        return self.made.state

    @cached_property
    def tree(self) -> Tree:
        """Of a System that has bodies."""
        matter = matter_of(self.system)
        assert matter is not None
        return matter.tree(self.state.layout)

    @property
    def _rate_at_rest(self) -> float:
        """rad/s"""
        return _RATE_AT_REST / estimated_scales(self.system).scales.time

    @property
    def bodies(self) -> Sequence[TreeBody]:
        """All but Ground."""
        return () if matter_of(self.system) is None else self.tree.bodies

    @cached_property
    def mobilizers(self) -> list[VectorMobilizer]:
        """Those with an orientation or a position that no motion or lock determines."""
        free, state = set(free_coordinates(self.system, self.state)), self.state
        found = [vector_mobilizer(self.tree, state, body) for body in self.bodies]
        return [each for each in found if each is not None and free.intersection(each.q)]

    @cached_property
    def motions(self) -> dict[int, MobilizerMotion]:
        """Of these mobilizers, by the indices of their bodies."""
        return {each.body.index: mobilizer_motion(self.tree, self.state, each) for each in self.mobilizers}

    @property
    def parts(self) -> list[tuple[int, Part]]:
        """Rotations and positions that have frames."""
        return [(each.body.index, part) for each in self.mobilizers for part in each.parts]

    @cached_property
    def turning(self) -> dict[int, float]:
        """rad/s: how fast the orientations turn that do and are states, by the indices of the bodies."""
        states, rates = {entry.offset for entry in self.made.space.states}, dict[int, float]()
        for body in self.bodies:
            q = self.tree.q(body).offsets
            if states.intersection(q[i] for i in orientation_entries(self.tree.equations(body))):
                rates[body.index] = float(np.linalg.norm(relative_rate(self.tree, self.state, body)))
        return {index: rate for index, rate in rates.items() if rate > self._rate_at_rest}

    def second_rate_of_V(self, index: int) -> np.ndarray:
        """(6,) the second rate of V_FM of a mobilizer along the motion, as an observer in F sees it."""
        state, space = self.state, self.made.space
        mobilizer = next(each for each in self.mobilizers if each.body.index == index)
        at, motion = [*mobilizer.q, *mobilizer.u], self.motions[index]
        y_dot = state.y_dot
        states = [entry.offset - state.layout.y.offset for entry in space.states]
        y_ddot = self.made.M[: state.layout.n_y, : len(states)] @ y_dot[states]
        found: np.ndarray = motion.rates[6:] @ y_dot[at] + motion.changes[6:] @ y_ddot[at]
        return found

    def turning_coordinates(self) -> list[str]:
        """Names of the bodies whose orientations turn in such a way that the coordinates for a rotation change: a quaternion, or angles."""
        found: list[str] = []
        for each in self.mobilizers if self.turning else []:
            of_theta = self.motions[each.body.index].rates[:3, : len(each.q)]
            if each.body.index in self.turning and np.abs(of_theta).max() > self._rate_at_rest:
                found.append(each.body.name)
        return found

    def names(self, indices: Sequence[int]) -> list[str]:
        """Of bodies."""
        return [self.bodies[index - 1].name for index in indices]

    def rows(self, frames: Frames) -> list[DeviationRow]:
        """All that may be states, in the order of y."""
        state, numbers = self.state, list(state_numbers(self.system, self.state).values())
        n_q, n_u = state.layout.n_q, state.layout.n_u
        kinds = ["q"] * n_q + ["u"] * n_u + ["z"] * (len(numbers) - n_q - n_u)
        of_mobilizers: set[int] = set()
        of_vectors: dict[int, list[DeviationRow]] = {}  # by the first entry of the mobilizer in y
        for each in self.mobilizers:
            of_parts = {part: frames.get((each.body.index, part), PARENT) for part in each.parts}
            if not each.orientation and of_parts["position"] is BODY:
                of_parts["position"] = PARENT  # which is the same frame
            as_they_are, as_needed = plain_entries(each, of_parts)
            of_mobilizers.update({*each.q, *each.u}.difference(as_they_are))
            motion, made = self.motions[each.body.index], list[DeviationRow]()
            for part, frame in of_parts.items():
                made += rows_of(self.tree, state, each, motion, frame, part)
            made += [plain_row(numbers[i].name, numbers[i].unit, "u", i, state, SPEEDS) for i in as_needed]
            of_vectors.setdefault(each.q[0], []).extend(row for row in made if row.kind == "q")
            of_vectors.setdefault(each.u[0], []).extend(row for row in made if row.kind == "u")
        found: list[DeviationRow] = []
        for i, number in enumerate(numbers):
            found += of_vectors.get(i, [])
            if i not in of_mobilizers:
                found.append(plain_row(number.name, number.unit, kinds[i], i, state))
        return found

    def in_frames(self, frames: Frames, required: Sequence[str] = (), states: Sequence[str] | None = None) -> LinearInFrames:
        """required: names of rows that shall be states; states: names of all of them.

        Raises InputError if the required ones cannot be states together, LinAlgError if the given ones cannot.
        """
        made, rows = self.made, self.rows(frames)
        space, n_y = made.space, self.state.layout.n_y
        required = [row.name for row in named_rows(rows, required, "coordinates")]
        T, T_inputs = space.by_states, space.by_inputs
        named = [entry.name for entry in space.states]
        chosen = [] if states is None else [row for row in rows if row.name in states]
        for kind, start, count in (("q", 0, space.n_q), ("u", space.n_q, space.n_u)) if states is None else ():
            chosen += _independent([row for row in rows if row.kind == kind], T[:, start : start + count], required, named)
        chosen += [row for row in rows if row.kind == "z"] if states is None else []
        n = len(chosen)
        P = np.array([row.values for row in chosen]).reshape(n, n_y)
        P_dot = np.array([row.rates for row in chosen]).reshape(n, n_y)
        whole, C = made.M[:n_y], made.M[n_y:]
        G = P @ T
        by_x = np.linalg.inv(G)  # plain states for those in the frames
        K, K_inputs = P_dot @ T + P @ whole[:, :n], P_dot @ T_inputs + P @ whole[:, n:]
        A, C_x = K @ by_x, C[:, :n] @ by_x
        along_inputs = P @ T_inputs  # what the inputs alone do to the states: taken back, since states and inputs are independent
        by_states = T @ by_x
        return LinearInFrames(
            A,
            K_inputs - A @ along_inputs,
            C_x,
            C[:, n:] - C_x @ along_inputs,
            chosen,
            by_states,
            T_inputs - by_states @ along_inputs,
            space.n_q,
            space.n_u,
        )


def plain_and_vectors(system: System, state: State, names: Sequence[str], what: str) -> tuple[list[NamedNumber], list[str]]:
    """The numbers of variables, and the names that no variable has."""
    numbers: list[NamedNumber] = []
    vectors: list[str] = []
    if isinstance(names, str):
        named_numbers(system, state, names, what)
    for name in names:
        try:
            numbers += named_numbers(system, state, [name], what)
        except UnknownNameError:
            if not _VECTOR.search(name):
                raise
            vectors.append(name)
    return numbers, vectors


def named_rows(rows: Sequence[DeviationRow], names: Sequence[str], what: str) -> list[DeviationRow]:
    """By the names of single entries, 'top.theta_F[1]', or of all three, 'top.theta_F'. Raises InputError."""
    found: list[DeviationRow] = []
    for name in names:
        these = [row for row in rows if name in (row.name, row.name.partition("[")[0])]
        if not these:
            known = ", ".join(row.name for row in rows if row.kind != "z")
            raise InputError(f"{what}: there is no '{name}' in this frame. Its coordinates and speeds are {known}.")
        found += these
    return found


def _independent(rows: list[DeviationRow], T: np.ndarray, required: Sequence[str], preferred: Sequence[str]) -> list[DeviationRow]:
    """As many rows as T has columns, whose products with T are independent: first the required ones, then those that are plain states
    anyway, then vectors; the largest first.
    """
    n, coefficients = T.shape[1], np.array([row.values for row in rows]).reshape(len(rows), len(T))
    values = coefficients @ T / np.linalg.norm(coefficients, axis=1)[:, None]
    least = _INDEPENDENT * np.linalg.norm(values, axis=1).max(initial=0.0)
    tiers = [[i for i, row in enumerate(rows) if row.name in required]]
    tiers.append([i for i, row in enumerate(rows) if row.order == OTHERS and row.name in preferred])
    tiers += [[i for i, row in enumerate(rows) if row.order == order] for order in (VECTORS, OTHERS, SPEEDS)]
    found: list[int] = []
    basis = np.zeros((n, 0))
    for tier in tiers:
        waiting = [i for i in tier if i not in found]
        while waiting and len(found) < n:
            left = values[waiting] - (values[waiting] @ basis) @ basis.T
            left -= (left @ basis) @ basis.T
            sizes = np.linalg.norm(left, axis=1)
            best = int(np.argmax(sizes > sizes.max() * (1 - 1e-9)))
            if not sizes[best] > least:
                break
            found.append(waiting.pop(best))
            basis = np.hstack([basis, left[best][:, None] / sizes[best]])
        if tier is tiers[0] and waiting:
            raise InputError(
                f"coordinates: {', '.join(repr(rows[i].name) for i in tier)} cannot be independent together at this State. The "
                f"constraints leave {n} independent."
            )
    return [rows[i] for i in sorted(found)]


def relative_change(first: LinearInFrames, second: LinearInFrames, rate: float) -> float:
    """The largest change of an entry of A from one system to another, relative to its row and column; without units.

    rate  1/s, of the slowest motion: the unit of time, and the least size of rows and columns

    The states are scaled so that each column is as large as its row, whatever the units (Parlett and Reinsch, Numer. Math. 13, 1969).
    """
    size = np.ones(len(first.A))
    size[first.n_q : first.n_q + first.n_u] = rate
    both = [each.A * size / size[:, None] for each in (first, second)]
    if not np.isfinite(both).all():
        return np.inf
    largest = np.max(np.abs(both), axis=0)
    least = _ROUND_OFF * largest.max(initial=0.0)
    _, (balance, _) = linalg.matrix_balance(np.where(largest > least, largest, 0.0), permute=False, separate=True)
    before, after = (each * balance / balance[:, None] for each in both)
    of_rows = np.maximum(rate, np.maximum(np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1)))
    return float(np.abs((after - before) / np.sqrt(np.outer(of_rows, of_rows))).max(initial=0.0))
