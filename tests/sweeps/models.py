"""Systems for sweeps."""

import os
import time

import mobod as mb


def pendulum():
    """A pendulum with a motor; q(t) = q0 cos(w t) for small angles, with w^2 = g / l."""
    system = mb.MultibodySystem("pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    pin = mb.Pin(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, -1, 0]), name="pin")
    mb.MobilityForce(forces, pin, name="motor")
    pin.set_default_q(1e-3)
    return system


def bouncing(counts_starts=False):
    """A ball that is reflected by the floor; an event handler of the start gives it its speed."""
    system = mb.MultibodySystem("bouncing")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=9.81, name="gravity")
    ball = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="ball")
    ball.set_default_q(1.0)
    mb.InitializationEventHandler.of(system, lambda s, event: ball.set_u(s, -0.5 * ball.q(s)), name="throw")

    def bounce(state, event):
        ball.set_u(state, -0.8 * ball.u(state))

    mb.TriggeredEventHandler.of(system, lambda s: ball.q(s)[0], bounce, direction="falling", name="floor")
    return system


class Deadly(mb.CustomForce):
    """Ends the process if `danger` is above 1; raises an error if it is below -1; waits a little otherwise."""

    danger: mb.Parameter[float] = mb.parameter("1", "what happens")
    recordable = False

    def calc_force(self, state, body_forces, mobility_forces):
        if self.danger(state) > 1:
            os._exit(3)
        if self.danger(state) < -1:
            raise ValueError("too cold")
        time.sleep(1e-4)


def deadly():
    system = pendulum()
    Deadly(mb.ForceSubsystem(system, "dangers"), danger=0.0, name="trap")
    return system
