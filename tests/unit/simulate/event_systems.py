"""Systems whose events are known in closed form."""

from math import sin, sqrt

import numpy as np
from scipy.special import ellipk

import mobod as mb

GRAVITY, HEIGHT, RESTITUTION = 9.8, 1.0, 0.8  # m/s^2, m: as in the reference data


class Bounce(mb.TriggeredEventHandler):
    """Reverses the velocity of a falling mass; ends the run at bounce number `stop_at`, if given."""

    def __init__(self, system, ball, *, stop_at=None, recordable=True, **options):
        self.ball, self.stop_at, self.recordable = ball, stop_at, recordable
        super().__init__(system, direction="falling", name="bounce", variables={"count": 0}, **options)

    def witness(self, state):
        return self.ball.q(state)[0]

    def handle_event(self, state, event):
        self.ball.set_u(state, -RESTITUTION * self.ball.u(state))
        count = self.variable(state, "count") + 1
        self.set_variable(state, "count", count)
        if self.stop_at is not None:
            event.terminate_when(count >= self.stop_at)


def bouncing_mass(**options):
    """A mass on a slider along x, which is up; (system, state, slider)."""
    system = mb.MultibodySystem("bouncing")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=GRAVITY, name="gravity")
    mass = mb.MassProperties(mass=1.3, com=[0.2, 0.1, -0.4], inertia=mb.Inertia.sphere(mass=1.3, radius=0.1).shifted([0.2, 0.1, -0.4]))
    ball = mb.Slider(matter.ground, mb.RigidBody(mass), name="ball")
    Bounce(system, ball, **options)
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    return system, state, ball


def bounce_times(until):
    """Times of the bounces before `until`, in s. They accumulate at 4.07 s; `until` must be earlier."""
    times, speed = [sqrt(2 * HEIGHT / GRAVITY)], sqrt(2 * GRAVITY * HEIGHT)
    while True:
        speed *= RESTITUTION
        following = times[-1] + 2 * speed / GRAVITY
        if following >= until:
            return np.array(times)
        times.append(following)


def pendulum(start=1.0, gravity=9.80665):
    """A point mass on a rod of 1 m, and a reporter of its zero crossings; (system, state, pin)."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=gravity)
    mass = mb.MassProperties(mass=0.7, com=[0, -1, 0], inertia=mb.Inertia.point(mass=0.7, p=[0, -1, 0]))
    pin = mb.Pin(matter.ground, mb.RigidBody(mass), name="pin")
    mb.TriggeredEventReporter.of(system, lambda state: pin.q(state)[0], lambda state: None, name="crossing")
    state = system.realize_topology()
    pin.set_q(state, start)
    return system, state, pin


def crossing_times(count, start=1.0, gravity=9.80665):
    """Times in s at which the pendulum crosses zero: odd multiples of a quarter of its period."""
    period = 4 * sqrt(1 / gravity) * ellipk(sin(start / 2) ** 2)
    return period / 4 + period / 2 * np.arange(count)


def oscillator(*dips, direction="either", start=-0.7):
    """q = sin(t + start), with reporters 'dip0', ... of q crossing 1 - dip; (system, state, slider)."""
    system = mb.MultibodySystem("oscillator")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.MassProperties(mass=1.0, com=[0, 0, 0], inertia=mb.Inertia.sphere(mass=1.0, radius=0.1))
    slider = mb.Slider(matter.ground, mb.RigidBody(mass), name="slider")
    mb.MobilityLinearSpring(forces, slider, stiffness=1.0)
    for i, dip in enumerate(dips):
        mb.TriggeredEventReporter.of(
            system, lambda state, dip=dip: slider.q(state)[0] - 1 + dip, lambda state: None, direction=direction, name=f"dip{i}"
        )
    state = system.realize_topology()
    slider.set_q(state, np.sin(start))
    slider.set_u(state, np.cos(start))
    return system, state, slider
