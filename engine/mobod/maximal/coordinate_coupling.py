"""MaximalCoordinateCoupling: a constraint that a function of joint coordinates is zero."""

from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.couplings import BILATERAL, LINEAR, CouplingConstraint
from mobod.errors import InputError
from mobod.functions import Function
from mobod.matter.constraints.coupling import checked_function
from mobod.maximal.body import MaximalBody
from mobod.maximal.joint import JointRow, MaximalJoint, RowMaker


@final
class MaximalCoordinateCoupling(RowMaker):
    """A constraint f(q) = 0 between coordinates of joints. It acts along the wrenches of their limit constraints.

    The joints must come before it in the simulation, and the coordinates must have limit constraints. Its counterpart in a System is
    CoordinateCoupler.

    function     with one argument for each coordinate, differentiable twice
    joints       for each argument the joint of the coordinate
    coordinates  for each argument the number of the coordinate in its joint, from 0
    """

    def __init__(
        self, function: Function, joints: Sequence[MaximalJoint], coordinates: Sequence[int], *, name: str = "coordinate coupling"
    ):
        self.name = name
        self.penetration_tolerance = self.rotary_tolerance = None
        if len(joints) != len(coordinates):
            raise InputError(
                f"{name}: it takes one coordinate for each joint, not {len(coordinates)} coordinates for {len(joints)} joints."
            )
        self.function = checked_function(function, len(joints), name, derivative_order=2)
        self._arguments = []
        for joint, number in zip(joints, coordinates, strict=True):
            of_joint = joint.coupling.coordinates
            if not 0 <= number < len(of_joint):
                raise InputError(
                    f"{name}: joint '{joint.name}' has no coordinate {number}, but {len(of_joint)} coordinates, counted from 0."
                )
            coordinate = of_joint[number]
            if coordinate.limit_constraint is None:
                raise InputError(
                    f"{name}: coordinate '{coordinate.name}' of joint '{joint.name}' has no limit constraint, along which the coupling "
                    "would act."
                )
            self._arguments.append((joint, coordinate, coordinate.limit_constraint))
        self._constraint = CouplingConstraint(0, BILATERAL | LINEAR, None)

    @property
    def constraints(self) -> Sequence[CouplingConstraint]:
        """Its single constraint, whose distance is f(q)."""
        return (self._constraint,)

    @property
    def constraint(self) -> CouplingConstraint:
        """The constraint whose distance is f(q)."""
        return self._constraint

    def update(self, update_engaged: bool) -> None:
        """Compute f(q) for the present coordinates."""
        self._constraint.distance = float(self.function.value(self._q()))

    def rows(self) -> list[JointRow]:
        """The row of its constraint: the forces on the bodies for a unit multiplier, and the rate of these."""
        q, n = self._q(), len(self._arguments)
        on_bodies: list[tuple[MaximalBody | None, np.ndarray]] = []
        rate = 0.0
        for i, (joint, coordinate, limit) in enumerate(self._arguments):
            slope = float(self.function.derivative((i,), q))
            to_A, to_B, drift = joint.motion()
            on_bodies += [(joint.body_A, slope * limit.wrench_G @ to_A), (joint.body_B, slope * limit.wrench_G @ to_B)]
            rate += slope * float(limit.dot_wrench_G @ joint.velGD + limit.wrench_G @ drift)
            rate += sum(float(self.function.derivative((i, j), q)) * coordinate.speed * self._arguments[j][1].speed for j in range(n))
        return [JointRow(self, self._constraint, True, tuple(on_bodies), rate, self._constraint.distance)]

    def _q(self) -> np.ndarray:
        return np.array([coordinate.value for _, coordinate, _ in self._arguments], dtype=float)
