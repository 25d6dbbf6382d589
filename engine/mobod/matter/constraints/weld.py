"""WeldConstraint: two frames coincide."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mobod.matter.accessors import checked_frame, frame_accessors
from mobod.matter.constraint import Body, Constraint
from mobod.matter.constraints.constant_orientation import misalignment
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import Parameter
from mobod.spatial import Transform, from_quaternion, to_quaternion


@final
@dataclass(frozen=True)
class WeldConstraintEquations(ConstraintEquations):
    """Position errors: the `misalignment` of the second frame's axes with the first's; between the origins, m, in the ancestor's frame."""

    orientation1: tuple[float, ...]
    origin1: tuple[float, ...]
    orientation2: tuple[float, ...]
    origin2: tuple[float, ...]

    position_units = ("1",) * 3 + ("m",) * 3
    vectors_at = (3,)
    parameters = (
        Parameter(name="orientation1", unit="1", description="quaternion of the frame on the first body", shape=(4,), is_direction=True),
        Parameter(name="origin1", unit="m", description="origin of the frame on the first body", shape=(3,)),
        Parameter(name="orientation2", unit="1", description="quaternion of the frame on the second body", shape=(4,), is_direction=True),
        Parameter(name="origin2", unit="m", description="origin of the frame on the second body", shape=(3,)),
    )

    def position_errors(self, motion: RelativeMotion) -> Any:
        X = motion.X[0]
        R_BF = from_quaternion(self.orientation1).T @ X.R @ from_quaternion(self.orientation2)
        return np.array([*misalignment(R_BF), *(X.apply(np.array(self.origin2)) - np.array(self.origin1))])


@final
class WeldConstraint(Constraint):
    """A frame on each body, which coincide: the bodies are one (see WeldConstraintEquations).

    frame1, frame2  Transform, in the frames of their bodies
    """

    frame1, set_frame1, default_frame1, set_default_frame1 = frame_accessors(
        "frame1", "orientation1", "origin1", "Transform, in the frame of body1"
    )
    frame2, set_frame2, default_frame2, set_default_frame2 = frame_accessors(
        "frame2", "orientation2", "origin2", "Transform, in the frame of body2"
    )

    def __init__(self, body1: Body, frame1: Transform, body2: Body, frame2: Transform, *, name: str | None = None, disabled: bool = False):
        X1, X2 = checked_frame(frame1, "WeldConstraint: frame1"), checked_frame(frame2, "WeldConstraint: frame2")
        equations = WeldConstraintEquations(tuple(to_quaternion(X1.R)), tuple(X1.p), tuple(to_quaternion(X2.R)), tuple(X2.p))
        super().__init__(equations.checked("WeldConstraint"), body1, (body2,), name=name, disabled=disabled)
