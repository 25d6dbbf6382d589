"""Elements as users write them, in a module that can be imported."""

from dataclasses import dataclass

import numpy as np

import mobod as mb
from mobod.matter.equations.constraint_equations import ConstraintEquations


def parabola(x):
    return 0.3 * x[0] ** 2


@dataclass(frozen=True)
class Bump(mb.Function):
    height: float
    width: float = 0.5

    def value(self, x):
        return self.height * np.exp(-((x[0] / self.width) ** 2))


@dataclass(frozen=True)
class Picky(mb.Function):
    """An element that raises a given error."""

    size: int

    def __post_init__(self):
        raise KeyError(self.size)

    def value(self, x):
        return x[0]


@dataclass(frozen=True)
class CamEquations(mb.CustomEquations):
    """A follower whose height is a function of the angle."""

    lift: mb.Function
    offset: float = 0.1

    nq = 1
    q_units = ("rad",)

    def X_FM(self, q):
        from mobod.spatial import rotation_z

        return mb.Transform.of(rotation_z(q[0]), np.array([0, 0, self.offset + self.lift.value(q)]))


@dataclass(frozen=True)
class HeightEquations(ConstraintEquations):
    height: float
    position_units = ("m",)

    def position_errors(self, motion):
        return np.array([motion.X[0].p[1] - self.height])


class Wind(mb.CustomForce):
    """A force on one body, along a direction, as a function of time."""

    parameters = (mb.ForceParameter(name="strength", unit="N", description="strength of the wind"),)

    def __init__(self, forces, body, direction, gust, *, strength, name=None, disabled=False):
        super().__init__(forces, {"strength": strength}, name=name, disabled=disabled)
        self.body, self.direction, self.gust = body, np.array(direction, dtype=float), gust

    def model_arguments(self):
        return {"body": self.body, "direction": self.direction, "gust": self.gust, "strength": self.default_parameter("strength")}

    def calc_force(self, state, body_forces, mobility_forces):
        push = self.parameter(state, "strength") * self.gust.value([state.time])
        body_forces[self.body.index] += np.concatenate([np.zeros(3), push * self.direction])


class Silent(mb.CustomForce):
    """One with a constructor of its own, which does not say what it is made of."""

    def __init__(self, forces, pull=1.0, *, name=None):
        self.pull = pull
        super().__init__(forces, name=name)

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += self.pull


class Tray(mb.Coupling):
    """Translation by x and y, with a wall at some y that is not a limit of a coordinate."""

    def __init__(self, wall, *, x_range=(-np.inf, np.inf)):
        self.wall, self.x_range = wall, x_range
        super().__init__()

    def model_arguments(self):
        return {"wall": self.wall, "x_range": self.x_range}

    def initialize_constraints(self):
        for i in range(2, 6):
            self.add_constraint(self.BILATERAL | self.LINEAR, np.eye(6)[i])
        self.add_coordinate(*self.x_range, self.add_constraint(self.LINEAR, np.eye(6)[0]), "x")
        self.add_coordinate(name="y", unit="m")
        self.add_constraint(self.LINEAR, np.eye(6)[1])

    def coordinates_to_TCD(self, coordinates):
        return mb.Transform(p=np.array([*coordinates, 0]))

    def TCD_to_coordinates(self, TCD):
        return TCD.p[:2]

    def update_constraints(self, TGD, TCD, errC, velGD, update_engaged):
        self.update_engaged(self.constraint(5), TGD.p[1], -np.inf, self.wall)


class MuteCoupling(mb.Coupling):
    """One with a constructor of its own, which does not say what it is made of."""

    def __init__(self):
        super().__init__()

    def initialize_constraints(self):
        for i in range(6):
            self.add_constraint(self.BILATERAL | self.LINEAR, np.eye(6)[i])

    def project_to_constraints(self, TCD):
        return mb.Transform()


@dataclass(frozen=True)
class SlidingHeight(ConstraintEquations):
    """The height of the second body above the first, with slips along x and y."""

    position_units = ("m",)
    velocity_units = ("m/s", "m/s")

    def position_errors(self, motion):
        return np.array([motion.X[1].p[2] - motion.X[0].p[2]])

    def velocity_errors(self, motion):
        return (motion.V[1] - motion.V[0])[3:5]


@dataclass(frozen=True)
class RollingHeight(mb.ConstraintEquations):
    """Height of a ball of 0.1 m above z = 0, its slips at the lowest point, its spin, and its rolling."""

    position_units = ("m",)
    velocity_units = ("m/s", "m/s", "rad/s", "rad/s", "rad/s")
    friction_moments = ("torsional_friction", "rolling_friction")

    def position_errors(self, motion):
        return np.array([motion.X[1].p[2] - 0.1])

    def velocity_errors(self, motion):
        w, v = motion.V[1][:3], motion.V[1][3:]
        return np.array([v[0] - 0.1 * w[1], v[1] + 0.1 * w[0], w[2], w[0], w[1]])
