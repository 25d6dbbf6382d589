"""A controller of the slip of a driven wheel, made of measures (see 23_wheel_slip_control.py)."""

import mobod as mb
from mobod.scalar import clip

RADIUS = 0.3  # m, of the wheel
PROPORTIONAL, INTEGRAL = 240.0, 3600.0  # N m for each m/s, and for each m: 30 rad/s and critical damping for a wheel of 1.2 kg m^2


def slip_controller(wanted_torque: float) -> mb.MultibodySystem:
    """Inputs: speed of the car, rate of the wheel. Output: a torque from 0 to wanted_torque, N m, that holds the slip at
    0.3 m/s + speed / 10.
    """
    system = mb.MultibodySystem("slip_controller")
    speed = mb.measures.Variable(system, 0.0, unit="m/s", name="speed")
    rate = mb.measures.Variable(system, 0.0, unit="rad/s", name="rate")

    def error(state):
        slip = RADIUS * rate.value(state) - speed.value(state)
        return 0.3 + 0.1 * speed.value(state) - slip

    def torque(state):
        return clip(PROPORTIONAL * error(state) + INTEGRAL * total.value(state), 0.0, wanted_torque)

    missing = mb.measures.Custom(system, error, stage=mb.Stage.TIME, unit="m/s", name="error")
    total = mb.measures.Integrate(system, missing, name="total")
    mb.measures.Custom(system, torque, stage=mb.Stage.ACCELERATION, unit="N.m", name="torque")
    return system
