"""Write a constraint by its error alone, and couple coordinates by a function (seed 000, sections 3.2 and 3.3)."""

from dataclasses import dataclass

import numpy as np

import mobod as mb
from mobod.scalar import norm


@dataclass(frozen=True)
class Distance(mb.ConstraintEquations):
    """Keeps the origins of two bodies at a distance. Its rates, accelerations and forces are derived from this error."""

    distance: float  # m

    position_units = ("m",)
    parameters = (mb.Parameter(name="distance", unit="m", description="distance of the origins", above=0.0),)

    def position_errors(self, motion):
        return np.array([norm(motion.X[1].p - motion.X[0].p) - self.distance])


class Difference(mb.Function):
    """x0 - x1; its derivatives are computed automatically."""

    def value(self, x):
        return x[0] - x[1]


def pendulums(coupling: mb.Function) -> mb.MultibodySystem:
    """Two pendulums side by side with equal angles, and a ball on a rod that hangs from the first."""
    system = mb.MultibodySystem("pendulums")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")
    tip = mb.Transform(p=[0, 0.5, 0])  # the pin's location in the body's frame
    first = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), X_BM=tip, name="first")
    beside = mb.Transform(p=[1.0, 0, 0])
    second = mb.Pin(matter.ground, mb.MassProperties.point(3.0, [0, 0.1, 0]), X_PF=beside, X_BM=tip, name="second")
    ball = mb.Translation(matter.ground, mb.MassProperties.point(0.4, [0, 0, 0]), name="ball")
    mb.CustomConstraint(Distance(0.7), [first, ball], name="rod")
    mb.CoordinateCoupler(matter, coupling, [first, second], [0, 0], name="equal")
    for pendulum in (first, second):
        pendulum.set_default_q(0.6)
    ball.set_default_q([0.5 * np.sin(0.6), -0.5 * np.cos(0.6) - 0.7, 0.0])
    return system


if __name__ == "__main__":
    for constraint in pendulums(Difference(2)).matter.constraints:
        print(mb.check_element(constraint, n_states=2))
    for coupling in (Difference(2), mb.functions.Linear([1, -1, 0])):
        system = pendulums(coupling)
        results = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=1.0, report_every=0.1)
        off = max(np.abs(results[name]).max() for name in ("rod.position_error", "equal.position_error"))
        print(f"{coupling}: first {results['first.q'][-1]:.8f} rad, second {results['second.q'][-1]:.8f} rad; errors below {off:.0e}")
