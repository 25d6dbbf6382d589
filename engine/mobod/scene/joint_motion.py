"""What a joint can do: for each of its speeds a rotation, a screw motion or a translation, found from the columns of H_FM."""

# Decision: docs/decisions/144-shapes-of-joints.md

from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from mobod.matter.equations.mobilizer_equations import MobilizerEquations
from mobod.spatial import Transform, cross

_TOLERANCE = 1e-9


@final
@dataclass(frozen=True)
class SpeedMotion:
    """The motion of frame M in frame F for one speed alone.

    kind        turn about an axis; screw: a turn with constant travel along the axis; slide: a translation; other: anything else
    direction   (3,)    in F, of the axis or of the translation
    point       (3,) m  in F, of the axis: the one nearest to the origin of M; of a translation: the origin of M
    rate        rad or m for each unit of the coordinate; None if it is not constant
    is_on_parent, is_on_body  whether the axis, or the direction of the translation, is fixed in F, in M
    """

    kind: Literal["turn", "screw", "slide", "other"]
    direction: np.ndarray
    point: np.ndarray
    rate: float | None
    is_on_parent: bool
    is_on_body: bool

    @property
    def is_about_axis(self) -> bool:
        return self.kind in ("turn", "screw")


def joint_motions(equations: MobilizerEquations, q: np.ndarray) -> tuple[SpeedMotion, ...]:
    """One for each speed, at the coordinates q. What is constant is found from other coordinates nearby."""
    samples = [q, q + 0.3 * np.cos(1.7 * np.arange(len(q)) + 0.4)]
    with np.errstate(all="ignore"):
        poses = [equations.X_FM(each) for each in samples]
        H = np.array([equations.H_FM(each) for each in samples], dtype=float).reshape(len(samples), 6, equations.nu)
    return tuple(_motion(H[:, :, i], poses) for i in range(equations.nu))


def _motion(twists: np.ndarray, poses: list[Transform]) -> SpeedMotion:
    """twists: (n, 6), the first and poses[0] are those of the present coordinates"""
    origin = poses[0].p
    w, v = twists[:, :3], twists[:, 3:]
    turning, moving = np.linalg.norm(w, axis=1), np.linalg.norm(v, axis=1)
    if not np.isfinite(twists).all() or not (turning + moving > _TOLERANCE).all():
        return SpeedMotion("other", np.array([0.0, 0.0, 1.0]), origin, None, False, False)
    if (turning <= _TOLERANCE * moving).all():
        d = v / moving[:, None]
        return SpeedMotion("slide", d[0], origin, _constant(moving), _is_same(d), _is_same(_in_body(d, poses)))
    if not (turning > _TOLERANCE).all():
        return SpeedMotion("other", np.array([0.0, 0.0, 1.0]), origin, None, False, False)
    d = w / turning[:, None]
    points = np.array([X.p + cross(each, speed) / norm**2 for X, each, speed, norm in zip(poses, w, v, turning, strict=True)])
    pitch = (w * v).sum(axis=1) / turning**2
    is_turn = bool((np.abs(pitch) * turning <= _TOLERANCE * (turning + moving)).all())
    in_body = np.array([X.R.T @ (point - X.p) for X, point in zip(poses, points, strict=True)])
    fixed = [_is_same(_line(*axis)) for axis in ((d, points), (_in_body(d, poses), in_body))]
    kind: Literal["turn", "screw", "other"] = "turn" if is_turn else "screw" if _is_same(pitch) else "other"
    return SpeedMotion(kind, d[0], points[0], _constant(turning), *fixed)


def _in_body(directions: np.ndarray, poses: list[Transform]) -> np.ndarray:
    return np.array([X.R.T @ d for X, d in zip(poses, directions, strict=True)])


def _line(directions: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(n, 6) Plücker coordinates of lines."""
    return np.concatenate([directions, np.cross(points, directions)], axis=1)


def _constant(values: np.ndarray) -> float | None:
    return float(values[0]) if _is_same(values) else None


def _is_same(values: np.ndarray) -> bool:
    """Whether all rows are equal up to round-off."""
    return bool(np.abs(values - values[0]).max() <= _TOLERANCE * max(1.0, float(np.abs(values).max())))
