"""The woodpecker toy: a sleeve with play on a pole and a bird on a spring that pecks its way down, by impacts with friction."""

from dataclasses import dataclass

import numpy as np

import mobod as mb

# C. Glocker, Dynamik von Starrkoerpersystemen mit Reibung und Stoessen, VDI 1995; Leine, Glocker, van Campen, ASME DETC 2001; m, kg
POLE, PLAY, SLEEVE_RADIUS, HALF_HEIGHT = 0.0025, 0.0006, 0.0031, 0.0058
TO_SPRING, TO_BIRD, BEAK_HEIGHT, BEAK_LENGTH = 0.010, 0.015, 0.02, 0.0201


@dataclass(frozen=True)
class Touching(mb.ConstraintEquations):
    """A gap to the pole and its slip along the pole, for small angles of sleeve and bird."""

    gap: float  # m, at angles of 0
    closes: tuple[float, float]  # m/rad
    slides: tuple[float, float]  # m/s per rad/s
    position_units, velocity_units = ("m",), ("m/s",)

    def position_errors(self, motion):
        return self.gap - self.closes[0] * motion.q[1] - self.closes[1] * (motion.q[1] + motion.q[2])

    def velocity_errors(self, motion):
        height, sleeve, turn = motion.u
        return height + self.slides[0] * sleeve + self.slides[1] * (sleeve + turn)


def woodpecker() -> tuple[mb.MultibodySystem, mb.State]:
    """The height of the bird's mass follows linearly from the other coordinates. It starts as the sleeve slides down."""
    system = mb.MultibodySystem("woodpecker")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[-1, 0, 0], magnitude=9.81, name="gravity")
    sleeve = mb.Pin(matter.ground, mb.MassProperties(0.0003, [0, 0, 0], 5e-9 * np.eye(3)), name="sleeve")
    bird = mb.Pin(sleeve, mb.MassProperties(0.0045, [0, 0, 0], 7e-7 * np.eye(3)), name="bird")
    mb.MobilityLinearSpring(forces, bird, stiffness=0.0056, name="spring")
    height = mb.Slider(matter.ground, mb.MassProperties.point(mass=0.0003, p=[0, 0, 0]), name="height")
    of_bird = mb.Slider(matter.ground, mb.MassProperties.point(mass=0.0045, p=[0, 0, 0]), name="height_of_bird")
    follows = mb.functions.Linear([TO_SPRING + TO_BIRD, TO_BIRD, 1.0, -1.0, 0.0])
    mb.CoordinateCoupler(matter, follows, [sleeve, bird, height, of_bird], [0, 0, 0, 0], name="follows")
    beak = Touching(TO_SPRING + TO_BIRD - BEAK_LENGTH - POLE, (0.0, BEAK_HEIGHT), (TO_SPRING, TO_BIRD - BEAK_LENGTH))
    edges = (Touching(PLAY, (sign * HALF_HEIGHT, 0.0), (SLEEVE_RADIUS, 0.0)) for sign in (-1, 1))
    for name, equations, e in zip(("beak", "edge_0", "edge_1"), (beak, *edges), (0.5, 0.0, 0.0), strict=True):
        mb.UnilateralConstraint(equations, mobilizers=[height, sleeve, bird], restitution=e, static_friction=0.3, name=name)
    state = system.realize_topology()
    start = [-PLAY / HALF_HEIGHT, -0.2788 + PLAY / HALF_HEIGHT, 0.0], [0.0, -7.4583, -0.3411]
    state.q, state.u = ([*x, TO_SPRING * x[0] + TO_BIRD * (x[0] + x[1]) + x[2]] for x in start)
    return system, state


if __name__ == "__main__":
    system, state = woodpecker()
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=0.3)
    pecks = results.event_times("beak.contact").round(4)
    print("pecks at", *pecks, f"s; {-1e3 * results['height.q'][-1]:.2f} mm down after 0.3 s")
    fixed = mb.Simulation(system, integrator="velocity_level", step=5e-5).run(state, until=0.3)
    print(f"by steps of 50 us {-1e3 * fixed['height.q'][-1]:.2f} mm; by Moreau's steps of 5 us 41.34 mm, pecks at 0.0810 and 0.2269 s")
