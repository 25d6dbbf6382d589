"""User elements in a module that is not installed: a Python FMU must contain them."""

from math import sin

import numpy as np

import mobod as mb

TABLE = np.array([3.0, 0.5, -4.0])


def interpolated(q):
    return float(np.interp(q, [-1.0, 0.0, 1.0], TABLE))


class Wind(mb.CustomForce):
    """A force from a table, a decision by value and a time, which cannot be recorded."""

    recordable = False
    parameters = (mb.ForceParameter(name="gain", unit="N.m", description="factor"),)

    def __init__(self, forces, body, *, gain, name):
        self.body = body
        self.scale = lambda t: 1 + 0.3 * sin(4 * t)
        super().__init__(forces, {"gain": gain}, name=name)

    def calc_force(self, state, body_forces, mobility_forces):
        torque = interpolated(float(self.body.q(state)[0])) * self.scale(state.time)
        mobility_forces[self.body.index - 1] += self.parameter(state, "gain") * torque

    def calc_potential_energy(self, state):
        return 0.5 * float(self.body.q(state)[0]) ** 2


class Fragile(mb.CustomForce):
    """A force that raises after a given time."""

    recordable = False
    parameters = (mb.ForceParameter(name="until", unit="s", description="when it fails"),)

    def __init__(self, forces, *, until, name="fragile"):
        super().__init__(forces, {"until": until}, name=name)

    def calc_force(self, state, body_forces, mobility_forces):
        if state.time > self.parameter(state, "until"):
            raise ValueError("100 % of the rope is gone")


def pendulum_in_wind(gain=0.4):
    """A double pendulum, the lower rod in a wind, with a motor."""
    system = mb.MultibodySystem("pendulum_in_wind")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    rod = mb.MassProperties(1.4, [0, -0.45, 0], mb.Inertia.cylinder(mass=1.4, radius=0.02, length=0.9, axis="y").shifted([0, -0.45, 0]))
    upper = mb.Pin(matter.ground, rod, name="upper")
    lower = mb.Pin(upper, rod, X_PF=mb.Transform(p=[0, -0.9, 0]), name="lower")
    Wind(forces, lower, gain=gain, name="wind")
    mb.MobilityForce(forces, upper, name="motor")
    state = system.realize_topology()
    upper.set_q(state, 0.7)
    lower.set_u(state, -0.4)
    return system, state


def fragile_pendulum(until=0.35):
    """Its force fails, with a percent sign in the message."""
    system, _ = pendulum_in_wind()
    (forces,) = (subsystem for subsystem in system.subsystems if isinstance(subsystem, mb.ForceSubsystem))
    Fragile(forces, until=until)
    return system, system.realize_topology()
