"""Input of a MultibodyBuilder as plain data: bodies with mass, joints with frames."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, final

import numpy as np

from mobod.errors import InputError
from mobod.matter import MobilizedBody
from mobod.matter.bodies.decorations import Geometry
from mobod.spatial import MassProperties, Transform


@final
@dataclass(frozen=True, kw_only=True)
class CoordinateLimits:
    """The range of a coordinate; -inf and inf mean no limit.

    lower, upper    in the unit of the coordinate; lower <= upper
    stop_stiffness  N/m or N m/rad: stiffness of the elastic stops, if stops are built
    stop_dissipation
                    s/m or s/rad, at least 0: their dissipation, as of a MobilityLinearStop
    restitution     from 0 to 1, of rigid limits: speed after an impact divided by the speed before it
    """

    lower: float
    upper: float
    stop_stiffness: float | None = None
    restitution: float = 0.0
    stop_dissipation: float = 0.0

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "stop_stiffness", "restitution", "stop_dissipation"):
            value = getattr(self, name)
            if not isinstance(value, (int, float, np.integer, np.floating)) and not (name == "stop_stiffness" and value is None):
                raise InputError(f"limits: {name} must be a number, not {value!r}.")
        if isnan(self.lower) or isnan(self.upper) or self.lower > self.upper:
            raise InputError(f"limits: the lower limit, {self.lower}, is larger than the upper limit, {self.upper}. Swap them.")
        if self.stop_stiffness is not None and not 0 < self.stop_stiffness < float("inf"):
            raise InputError(f"limits: stop_stiffness is {self.stop_stiffness}. It must be finite and positive.")
        if not 0 <= self.stop_dissipation < float("inf"):
            raise InputError(f"limits: stop_dissipation is {self.stop_dissipation}. It must be finite and not negative.")
        if not 0 <= self.restitution <= 1:
            raise InputError(f"limits: restitution is {self.restitution}. It must be between 0 and 1.")


@final
@dataclass(frozen=True, eq=False)
class BodyDescription:
    """A body of a MultibodyBuilder.

    decorations  [(pose in the body's frame, shape)]
    """

    name: str
    mass_properties: MassProperties | None  # None for Ground
    decorations: tuple[tuple[Transform, Geometry], ...] = ()


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class JointDescription:
    """A joint between two bodies. Its coordinates measure frame M, fixed on the child, in frame F, fixed on the parent.

    mobilizer   class of the mobilized body with the joint's equations
    X_PF, X_BM  poses of F in the parent's frame, of M in the child's frame
    default_q   (nq,) in a new State; None: the mobilizer's default, or the nearest rigid limit. A joint that becomes a loop constraint
                has no coordinates
    limits      one for each coordinate, or none at all; None for a coordinate without limits
    parameters  further arguments of the mobilizer, such as the pitch of a Screw
    """

    name: str
    mobilizer: type[MobilizedBody]
    parent: str
    child: str
    X_PF: Transform = field(default_factory=Transform)
    X_BM: Transform = field(default_factory=Transform)
    default_q: Any = None
    limits: tuple[CoordinateLimits | None, ...] = ()
    must_be_loop_joint: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
