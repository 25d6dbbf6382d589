"""Deviations from a motion as vectors: rotation, displacement and changes of velocities of mobilizers, in frames that may turn.

A quaternion that turns makes Jacobians change, even in a steady motion. Vectors do not, in a frame X that turns as the motion does:

    theta  R_FM = exp(theta x) R0_FM      rotation of M from where the motion has it
    p      p_FM = p0_FM + p
    w, v   V_FM = V0_FM + (w, v)

in F; other frames have the same vectors, expressed in X, whose axes the motion turns and the deviation does not. In F

    theta_dot = w0 x theta + w,    and in X    (R_FX^T a)_dot = R_FX^T (a_dot - w_FX x a)

for each of these vectors a. Source: Hughes, Spacecraft Attitude Dynamics (1986), ch. 2.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, final

import numpy as np

from mobod.matter.dynamics.tree import Tree
from mobod.matter.equations.mobilizer_equations import MobilizerEquations, ReversedEquations
from mobod.matter.equations.oriented_equations import OrientedEquations
from mobod.matter.mobilizers.translation import TranslationEquations
from mobod.matter.tree.tree_body import TreeBody
from mobod.scalar import Array
from mobod.scalar.derivative import jvp
from mobod.scalar.recorded_function import RecordedFunction
from mobod.scalar.recording import record
from mobod.spatial import cross_matrix, rotation_about
from mobod.system import State

# of rows, the order in which they become states
OTHERS, VECTORS, SPEEDS = range(3)
_GENERAL_SPEEDS = (0.37, -0.83, 0.59, 0.71, -0.47, 0.29)  # any that are not zero


@final
@dataclass(frozen=True)
class DeviationFrame:
    """A frame X in which deviations of a mobilizer are expressed.

    kind    'parent': F; 'body': M; 'of_body': that of another body; 'precession': turns in F at the rate w from the time on
    letter  in the names of states
    body    index of the other body, 0 is Ground; or of the body whose F is meant
    w       (3,) rad/s  in F
    time    s
    """

    kind: Literal["parent", "body", "of_body", "precession"]
    letter: str
    title: str
    body: int = 0
    w: tuple[float, float, float] = (0.0, 0.0, 0.0)
    time: float = 0.0


Part = Literal["rotation", "position"]

PARENT = DeviationFrame("parent", "F", "parent")
BODY = DeviationFrame("body", "M", "body")


@final
@dataclass(frozen=True)
class DeviationRow:
    """A number that may be a state of a linear system: its change is values @ dy, where the motion gives these coefficients the rates.

    kind    'q', 'u' or 'z'
    order   OTHERS, VECTORS or SPEEDS
    values  (ny,); so are rates
    """

    name: str
    unit: str
    kind: str
    order: int
    values: np.ndarray
    rates: np.ndarray


@final
@dataclass(frozen=True)
class VectorMobilizer:
    """A mobilizer whose orientation or position has any direction: its parts in q and u, by indices in y.

    q, u         all
    orientation  those of q that are a quaternion, or angles; none for a Translation
    others       the others of q
    has_position whether these are the position of M in F, in the axes of F or of M
    q_in_parent  whether they are so in the axes of F; u_in_parent: whether speeds of vectors are the entries of V_FM, in F
    """

    body: TreeBody
    equations: MobilizerEquations
    q: list[int]
    u: list[int]
    orientation: list[int]
    others: list[int]
    has_position: bool
    q_in_parent: bool
    u_in_parent: bool

    @property
    def parts(self) -> tuple[Part, ...]:
        """The deviations of the mobilizer that may each have a frame of their own."""
        has: dict[Part, bool] = {"rotation": bool(self.orientation), "position": self.has_position}
        return tuple(part for part, is_there in has.items() if is_there)


@final
@dataclass(frozen=True)
class MobilizerMotion:
    """A mobilizer along a motion, at one instant. All is expressed in F.

    R_GF, R_FM     (3, 3)
    w_GF, w_FM     (3,) rad/s
    changes        (12, n)  theta, p, w and v for changes of its q and u
    rates          (12, n)  their rates
    V, V_dot       (6,) of M in F, and its rate as an observer in F sees it
    """

    R_GF: np.ndarray
    R_FM: np.ndarray
    w_GF: np.ndarray
    w_FM: np.ndarray
    changes: np.ndarray
    rates: np.ndarray
    V: np.ndarray
    V_dot: np.ndarray


def orientation_entries(equations: MobilizerEquations) -> range:
    """The coordinates that are a quaternion, or the angles that replace it; an empty range if there are none."""
    if (at := equations.quaternion_at) is not None:
        return range(at, at + 4)
    forward = equations.forward if isinstance(equations, ReversedEquations) else equations
    return range(3 if isinstance(forward, OrientedEquations) else 0)


def relative_rate(tree: Tree, state: State, body: TreeBody) -> np.ndarray:
    """(3,) rad/s: w_FM in Ground."""
    V_GM = tree.slots.V_GM
    w: np.ndarray = state.view(V_GM[body.index])[:3] - state.view(V_GM[body.parent.index])[:3]
    return w


def vector_mobilizer(tree: Tree, state: State, body: TreeBody) -> VectorMobilizer | None:
    """That of a body, if it has a quaternion, or the angles that replace it, or is a translation in three directions; else None."""
    first, equations = state.layout.y.offset, tree.equations(body)
    q, u = ([offset - first for offset in slot.offsets] for slot in (tree.q(body), tree.u(body)))
    orientation = [q[i] for i in orientation_entries(equations)]
    others = [each for each in q if each not in orientation]
    if not orientation and not isinstance(equations, TranslationEquations):
        return None
    parameters = state.view(tree.parameters(body))
    changes, _ = _changes(equations, state.view(tree.q(body)), np.resize(_GENERAL_SPEEDS, len(u)), parameters)
    by_others = changes[3:6][:, [q.index(each) for each in others]]
    has_position = len(others) == 3 and np.allclose(by_others @ by_others.T, np.eye(3), atol=1e-12)
    q_in_parent = has_position and np.array_equal(by_others, np.eye(3)) and np.count_nonzero(changes[3:6]) == 3
    n = len(u) if has_position else min(3, len(u))
    of_V = changes[6 if orientation else 9 :][:n]
    u_in_parent = np.array_equal(of_V, np.eye(n, len(q) + len(u), k=len(q)))
    return VectorMobilizer(body, equations, q, u, orientation, others, has_position, q_in_parent, u_in_parent)


def mobilizer_motion(tree: Tree, state: State, mobilizer: VectorMobilizer) -> MobilizerMotion:
    """state: realized to ACCELERATION"""
    body, s = mobilizer.body, tree.slots
    R_GF, R_GM = state.view(s.R_GF[body.index]), state.view(s.R_GM[body.index])
    w_GF, w_FM_G = state.view(s.V_GM[body.parent.index])[:3], relative_rate(tree, state, body)
    q, u = tree.q(body), tree.u(body)
    q_dot, u_dot = state.view(tree.rate(q)), state.view(tree.rate(u))
    parameters = state.view(tree.parameters(body))
    changes, rates = _changes(mobilizer.equations, state.view(q), state.view(u), parameters, q_dot, u_dot)
    V = tree.equations(body).with_parameters(parameters).H_FM(np.array(state.view(q))) @ state.view(u)
    V_dot = changes[6:] @ np.concatenate([q_dot, u_dot])
    return MobilizerMotion(R_GF.copy(), R_GF.T @ R_GM, R_GF.T @ w_GF, R_GF.T @ w_FM_G, changes, rates, V, V_dot)


def _changes(
    equations: MobilizerEquations,
    q: np.ndarray,
    u: np.ndarray,
    parameters: np.ndarray,
    q_dot: np.ndarray | None = None,
    u_dot: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(12, n) theta, p, w and v in F for changes of q and u; and the rates of these coefficients."""
    function = _recorded_changes(equations.structure)
    q_dot, u_dot = np.zeros(len(q)) if q_dot is None else q_dot, np.zeros(len(u)) if u_dot is None else u_dot
    columns = [np.array(function([q, u, parameters, each[: len(q)], each[len(q) :], q_dot, u_dot])) for each in np.eye(len(q) + len(u))]
    both = np.array(columns).T  # (12, 2, n)
    return both[:, 0], both[:, 1]


@lru_cache(maxsize=256)
def _recorded_changes(equations: MobilizerEquations) -> RecordedFunction:
    """Of (q, u, parameters, dq, du, q_dot, u_dot): the changes for dq and du, and their rates along the motion for constant dq and du."""
    still = np.zeros(equations.n_parameters)

    def motion(q: Array, u: Array, parameters: Array) -> tuple[Array, Array, Array]:
        of = equations.with_parameters(parameters)
        X = of.X_FM(q)
        return np.asarray(X.R), np.asarray(X.p), of.H_FM(q) @ u

    def changes(q: Array, u: Array, parameters: Array, dq: Array, du: Array) -> Array:
        (R, _, _), (dR, dp, dV) = jvp(motion, [q, u, parameters], [dq, du, still])
        turned = dR @ R.T
        return np.concatenate([np.array([turned[2, 1], turned[0, 2], turned[1, 0]]), dp, dV])

    def with_rates(q: Array, u: Array, parameters: Array, dq: Array, du: Array, q_dot: Array, u_dot: Array) -> tuple[Array, Array]:
        along = [q_dot, u_dot, still, np.zeros(equations.nq), np.zeros(equations.nu)]
        value, rate = jvp(changes, [q, u, parameters, dq, du], along)
        return value, rate

    n_q, n_u = equations.nq, equations.nu
    shapes = (n_q, n_u, equations.n_parameters, n_q, n_u, n_q, n_u)
    return RecordedFunction(record(with_rates, [np.full(n, np.nan) for n in shapes], about="deviations of a mobilizer"))


def pose_and_rate(tree: Tree, state: State, motion: MobilizerMotion, frame: DeviationFrame) -> tuple[np.ndarray, np.ndarray]:
    """R_FX (3, 3), and w_FX (3,) rad/s in F."""
    if frame.kind == "parent":
        return np.eye(3), np.zeros(3)
    if frame.kind == "body":
        return motion.R_FM, motion.w_FM
    if frame.kind == "of_body":
        R_GX, w_GX = state.view(tree.slots.R_GM[frame.body]), state.view(tree.slots.V_GM[frame.body])[:3]
    else:
        body = tree.bodies[frame.body - 1]
        R_GF, w_GF = state.view(tree.slots.R_GF[frame.body]), state.view(tree.slots.V_GM[body.parent.index])[:3]
        w = np.array(frame.w)
        angle = float(np.linalg.norm(w)) * (state.time - frame.time)
        R_GX, w_GX = R_GF @ rotation_about(w, angle), w_GF + R_GF @ w
    return motion.R_GF.T @ R_GX, motion.R_GF.T @ w_GX - motion.w_GF


def rows_of(
    tree: Tree, state: State, mobilizer: VectorMobilizer, motion: MobilizerMotion, frame: DeviationFrame, part: Part
) -> list[DeviationRow]:
    """The rows of the vectors of its rotation or of its position in a frame."""
    R_FX, w_FX = pose_and_rate(tree, state, motion, frame)
    theta, p, w, v = (motion.changes[i : i + 3] for i in range(0, 12, 3))
    of_theta, of_p, of_w, of_v = (motion.rates[i : i + 3] for i in range(0, 12, 3))
    name, X = mobilizer.body.name, frame.letter
    in_X = "" if frame.kind == "parent" else f"_{X}"
    n_y, at = state.layout.n_y, [*mobilizer.q, *mobilizer.u]
    W = cross_matrix(w_FX)
    made: list[DeviationRow] = []

    def add(quantity: str, unit: str, kind: str, values: np.ndarray, rates: np.ndarray) -> None:
        turned, turning = np.zeros((3, n_y)), np.zeros((3, n_y))
        turned[:, at], turning[:, at] = R_FX.T @ values, R_FX.T @ (rates - W @ values)
        made.extend(DeviationRow(f"{name}.{quantity}[{i + 1}]", unit, kind, VECTORS, turned[i], turning[i]) for i in range(3))

    is_turned = frame.kind != "parent"
    if part == "rotation":
        add(f"theta_{X}", "rad", "q", theta, of_theta)
        if is_turned or not mobilizer.u_in_parent:
            add(f"w_FM{in_X}", "rad/s", "u", w, of_w)
    else:
        if is_turned or not mobilizer.q_in_parent:
            add(f"p_FM{in_X}", "m", "q", p, of_p)
        if is_turned or not mobilizer.u_in_parent:
            add(f"v_FM{in_X}", "m/s", "u", v, of_v)
    return made


def plain_row(name: str, unit: str, kind: str, index: int, state: State, order: int = OTHERS) -> DeviationRow:
    """An entry of y as it is."""
    values = np.zeros(state.layout.n_y)
    values[index] = 1.0
    return DeviationRow(name, unit, kind, order, values, np.zeros(state.layout.n_y))


def plain_entries(mobilizer: VectorMobilizer, frames: Mapping[Part, DeviationFrame]) -> tuple[list[int], list[int]]:
    """Indices in y of its entries that are states as they are; and of speeds that are states where vectors do not suffice."""
    in_parent = {part for part in mobilizer.parts if frames[part].kind == "parent"}
    of_q = list(mobilizer.others) if not mobilizer.has_position or (mobilizer.q_in_parent and "position" in in_parent) else []
    if not mobilizer.u_in_parent:
        return of_q, ([] if mobilizer.has_position else mobilizer.u)
    n = 3 if mobilizer.orientation else 0  # speeds of the rotation
    of_u = [each for i, each in enumerate(mobilizer.u) if ("rotation" if i < n else "position") in in_parent]
    of_u += [] if mobilizer.has_position else mobilizer.u[n:]
    return [*of_q, *of_u], []
