"""Equalities of a robot beside its joints: points and frames of links that stay together, coordinates that follow others."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.files.robot.parts import RobotParts
from mobod.functions import Linear, MultiPoly
from mobod.matter.constraints import BallConstraint, CoordinateCoupler, WeldConstraint
from mobod.spatial import Transform


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Connect:
    """A point of each of two links, (3,) m in their frames, which stay together."""

    name: str
    link1: str
    p1: np.ndarray
    link2: str
    p2: np.ndarray
    is_active: bool = True
    line: int = 0


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Hold:
    """A frame of each of two links, which stay together."""

    name: str
    link1: str
    X_1F: Transform
    link2: str
    X_2M: Transform
    is_active: bool = True
    line: int = 0


@final
@dataclass(frozen=True, kw_only=True)
class Follow:
    """The coordinate of a joint is sum c_k q^k of that of another joint; without a leader it is c_0."""

    name: str
    joint: str
    leader: str | None
    coefficients: tuple[float, ...]
    is_active: bool = True
    line: int = 0


@final
@dataclass(frozen=True, kw_only=True)
class SumOfCoordinates:
    """sum c q + constant = 0, of joints with one coordinate."""

    name: str
    joints: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float
    is_active: bool = True
    line: int = 0


Equality = Connect | Hold | Follow | SumOfCoordinates


def add_equalities(parts: RobotParts, equalities: Iterable[Equality]) -> None:
    """Add a constraint for each; those of joints that have no coordinates are left out, with a finding."""
    for equality in equalities:
        _ADD[type(equality)](parts, equality)


def _connect(parts: RobotParts, equality: Connect) -> None:
    one, other = parts.body_of_link(equality.link1), parts.body_of_link(equality.link2)
    if one is not other:
        name = parts.free(equality.name)
        BallConstraint(one, equality.p1, other, equality.p2, disabled=not equality.is_active, name=name)


def _hold(parts: RobotParts, equality: Hold) -> None:
    one, other = parts.body_of_link(equality.link1), parts.body_of_link(equality.link2)
    if one is not other:
        name = parts.free(equality.name)
        WeldConstraint(one, equality.X_1F, other, equality.X_2M, disabled=not equality.is_active, name=name)


def _follow(parts: RobotParts, equality: Follow) -> None:
    names = [equality.joint, *([] if equality.leader is None else [equality.leader])]
    missing = [name for name in names if not parts.moves(name)]
    if missing:
        parts.findings.note(
            "equality", f"'{equality.name}' is left out: joint '{missing[0]}' has no coordinates.", equality.line, joint=missing[0]
        )
        return
    coefficients = equality.coefficients if equality.leader is not None else equality.coefficients[:1]
    function: Linear | MultiPoly
    if len(names) == 1:
        function = Linear([1.0, -coefficients[0]])
    elif len(coefficients) <= 2:
        constant, slope = (*coefficients, 0.0)[:2]
        function = Linear([1.0, -slope, -constant])
    else:
        function = MultiPoly(2, [(1.0, (1, 0)), *((-c, (0, k)) for k, c in enumerate(coefficients) if c)])
    bodies = [parts.body_of_joint(name) for name in names]
    CoordinateCoupler(
        parts.system.matter, function, bodies, [0] * len(bodies), disabled=not equality.is_active, name=parts.free(equality.name)
    )


def _sum(parts: RobotParts, equality: SumOfCoordinates) -> None:
    terms = [(joint, c) for joint, c in zip(equality.joints, equality.coefficients, strict=True) if parts.moves(joint)]
    if len(terms) < len(equality.joints):
        parts.findings.note("equality", f"'{equality.name}' is left out: some of its joints have no coordinates.", equality.line)
        return
    function, bodies = Linear([*(c for _, c in terms), equality.constant]), [parts.body_of_joint(joint) for joint, _ in terms]
    name = parts.free(equality.name)
    CoordinateCoupler(parts.system.matter, function, bodies, [0] * len(bodies), disabled=not equality.is_active, name=name)


_ADD: Mapping[type, Callable[[RobotParts, Any], None]] = {Connect: _connect, Hold: _hold, Follow: _follow, SumOfCoordinates: _sum}
