"""A03, Andrews' squeezer mechanism: seven bodies and three loops in a plane, with motions of milliseconds.

Data, letters and coordinates: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996), section VII.7.
"""

import numpy as np

import mobod as mb

UNTIL = 0.05  # s
ACCEPTED = None  # no published bound was found
MEASURE = "largest change of the energy less the motor's work, J"
TORQUE = 0.033  # N m
A, B, C = [-0.06934, -0.00227, 0], [-0.03635, 0.03273, 0], [0.014, 0.072, 0]  # m
# m, the points where the three loops are closed
E_OF_K2, E_OF_K3, E_OF_K4, E_OF_K6 = [-0.028, 0, 0], [0, -0.035, 0], [0, -0.02, 0], [0.02, 0, 0]
# rad: beta, Theta, gamma, Phi, delta, Omega, epsilon
START = {"K1": -0.061713890014276, "K2": 0.0, "K3": 0.455279819163070, "K4": 0.222668390165886}
START |= {"K5": 0.487364979543842, "K6": -0.222668390165886, "K7": 1.230547444549821}


def flat(mass: float, com: list[float], inertia: float) -> mb.MassProperties:
    """A body with planar motion: mass in kg, mass center in m, and moment of inertia in kg m^2 about the mass center."""
    return mb.MassProperties(mass, [*com, 0], mb.Inertia(inertia * np.diag([0.5, 0.5, 1.0])).shifted([*com, 0], mass=mass))


def build() -> tuple[mb.MultibodySystem, mb.State]:
    """The published point F is the origin of K2. There is no gravity."""
    system = mb.MultibodySystem("squeezer")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    at_A, at_B = mb.Transform(p=A), mb.Transform(p=B)
    K1 = mb.Pin(matter.ground, flat(0.04325, [0.00092, 0], 2.194e-6), name="K1")
    K2 = mb.Pin(K1, flat(0.00365, [-0.0115, 0], 4.410e-7), mb.Transform(p=[0.007, 0, 0]), name="K2")
    K3 = mb.Pin(matter.ground, flat(0.02373, [0.01043, -0.01874], 5.255e-6), at_B, name="K3")
    K5 = mb.Pin(matter.ground, flat(0.07050, [0.02308, 0.00916], 1.169e-5), at_A, name="K5")
    K4 = mb.Pin(K5, flat(0.00706, [0, -0.00579], 5.667e-7), mb.Transform(p=[0.04, 0, 0]), name="K4")
    K7 = mb.Pin(matter.ground, flat(0.05498, [-0.00449, -0.01228], 1.912e-5), at_A, name="K7")
    K6 = mb.Pin(K7, flat(0.00706, [0.00579, 0], 5.667e-7), mb.Transform(p=[0, -0.04, 0]), name="K6")
    for body, E in ((K3, E_OF_K3), (K4, E_OF_K4), (K6, E_OF_K6)):
        mb.PointOnLine(K2, [0, 0, 1], E_OF_K2, body, E, name=f"E of {body.name}")
    mb.TwoPointLinearSpring(forces, K3, [0.02, -0.018, 0], matter.ground, C, stiffness=4530.0, rest_length=0.07785, name="spring")
    mb.MobilityConstantForce(forces, K1, force=TORQUE, name="motor")
    for body in (K1, K2, K3, K4, K5, K6, K7):
        body.set_default_q(START[body.name])
    return system, system.realize_topology()


def error(results: mb.Results) -> float:
    balance = results["energy"] - TORQUE * results["K1.q"]
    return float(np.abs(balance - balance[0]).max())
