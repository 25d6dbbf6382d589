"""WeldConstraint: two frames coincide."""

from typing import final

import numpy as np

from mobod.matter.bodies.constrained_bodies import Body
from mobod.matter.constraint import Constraint
from mobod.matter.constraints.constant_orientation import misalignment
from mobod.matter.equations.constraint_equations import ConstraintEquations, RelativeMotion
from mobod.matter.parameters import equations
from mobod.scalar import Array
from mobod.spatial import from_quaternion
from mobod.system.elements import FrameParameter, argument, frame_of, parameter


@final
@equations
class WeldConstraintEquations(ConstraintEquations):
    """Position errors: the `misalignment` of the second frame's axes with the first's; between the origins, m, in the ancestor's frame."""

    orientation1: tuple[float, ...] = parameter("1", "quaternion of the frame on the first body", shape=(4,), is_direction=True)
    origin1: tuple[float, ...] = parameter("m", "origin of the frame on the first body", shape=(3,))
    orientation2: tuple[float, ...] = parameter("1", "quaternion of the frame on the second body", shape=(4,), is_direction=True)
    origin2: tuple[float, ...] = parameter("m", "origin of the frame on the second body", shape=(3,))

    position_units = ("1",) * 3 + ("m",) * 3
    vectors_at = (3,)

    def position_errors(self, motion: RelativeMotion) -> Array:
        X = motion.X[0]
        R_BF = from_quaternion(self.orientation1).T @ X.R @ from_quaternion(self.orientation2)
        return np.array([*misalignment(R_BF), *(X.apply(np.array(self.origin2)) - np.array(self.origin1))])


@final
class WeldConstraint(Constraint):
    """A frame on each body, which coincide: the bodies are one (see WeldConstraintEquations).

    frame1, frame2  Transform, in the frames of their bodies
    """

    keeps_orientation = True

    body1: Body = argument("the first body", kw_only=False)
    frame1: FrameParameter = frame_of("orientation1", "origin1", "Transform, in the frame of body1", kw_only=False)
    set_frame1, default_frame1, set_default_frame1 = frame1.accessors
    body2: Body = argument("the second body", kw_only=False)
    frame2: FrameParameter = frame_of("orientation2", "origin2", "Transform, in the frame of body2", kw_only=False)
    set_frame2, default_frame2, set_default_frame2 = frame2.accessors

    def __post_init__(self) -> None:
        self._constrain(WeldConstraintEquations(**self.parameter_values()), self.body1, (self.body2,))
