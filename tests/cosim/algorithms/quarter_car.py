"""A quarter car whose body is released above its rest, cut between body and wheel, with halves that are advanced exactly.

Parameters: Sadjina, Kyllingstad, Skjong, Pedersen, Energy conservation and power bonds in co-simulations (2017), Eng. with Computers 33.
"""

import numpy as np

from mobod.cosim import Network, PythonComponent
from tests.cosim.algorithms.oscillator import exact_half, exponential

BODY, WHEEL = 400.0, 40.0  # kg
SUSPENSION, TYRE = 15e3, 150e3  # N/m
DAMPER = 1e3  # N s/m
LIFT = 0.1  # m
OUTPUTS = ["body.z", "body.v", "wheel.z", "wheel.v"]


def quarter_car(**options):
    """Both halves have the suspension, and take the motion of the other one."""
    network = Network()
    for name, other, mass, stiffness, z in (("body", "wheel", BODY, SUSPENSION, LIFT), ("wheel", "body", WHEEL, SUSPENSION + TYRE, 0.0)):
        A = [[0, 1], [-stiffness / mass, -DAMPER / mass]]
        B = [[0, 0], [SUSPENSION / mass, DAMPER / mass]]
        inputs = [f"z_{other}", f"v_{other}"]
        network.add(exact_half(A, B, np.eye(2), np.zeros((2, 2)), [z, 0], inputs=inputs, outputs=["z", "v"], **options), name)
    for source, target in (("body", "wheel"), ("wheel", "body")):
        for signal in ("z", "v"):
            network.connect(f"{source}.{signal}", f"{target}.{signal}_{source}")
    return network


def bonded_quarter_car(**options):
    """The wheel has the suspension, takes the motion of the body, and gives the force on it."""
    network = Network()
    network.add(
        exact_half([[0, 1], [0, 0]], [[0], [1 / BODY]], np.eye(2), [[0], [0]], [LIFT, 0], inputs=["force"], outputs=["z", "v"], **options),
        "body",
    )
    A = [[0, 1], [-(SUSPENSION + TYRE) / WHEEL, -DAMPER / WHEEL]]
    B = [[0, 0], [SUSPENSION / WHEEL, DAMPER / WHEEL]]
    C, D = [[1, 0], [0, 1], [SUSPENSION, DAMPER]], [[0, 0], [0, 0], [-SUSPENSION, -DAMPER]]
    wheel = exact_half(A, B, C, D, [0, 0], inputs=["z_body", "v_body"], outputs=["z", "v", "force"], **options)
    network.add(wheel, "wheel")
    network.connect("body.z", "wheel.z_body")
    network.connect("body.v", "wheel.v_body")
    network.connect("wheel.force", "body.force")
    return network


def driving_quarter_car(jump):
    """It rests, until the road steps up by LIFT after this time, s."""
    network = Network()
    body, wheel = [[0, 1], [-SUSPENSION / BODY, -DAMPER / BODY]], [[0, 1], [-(SUSPENSION + TYRE) / WHEEL, -DAMPER / WHEEL]]
    B = [[0, 0], [SUSPENSION / BODY, DAMPER / BODY]]
    options = {"outputs": ["z", "v"]}
    network.add(exact_half(body, B, np.eye(2), np.zeros((2, 2)), [0, 0], inputs=["z_wheel", "v_wheel"], **options), "body")
    B = [[0, 0, 0], [SUSPENSION / WHEEL, DAMPER / WHEEL, TYRE / WHEEL]]
    network.add(exact_half(wheel, B, np.eye(2), np.zeros((2, 3)), [0, 0], inputs=["z_body", "v_body", "road"], **options), "wheel")
    network.add(PythonComponent(lambda t, v: LIFT if t > jump else 0.0, outputs=["z"]), "road")
    for source, target in (("body", "wheel"), ("wheel", "body")):
        for signal in ("z", "v"):
            network.connect(f"{source}.{signal}", f"{target}.{signal}_{source}")
    network.connect("road.z", "wheel.road")
    return network


def _matrix():
    k, d = SUSPENSION, DAMPER
    return np.array(
        [
            [0, 1, 0, 0],
            [-k / BODY, -d / BODY, k / BODY, d / BODY],
            [0, 0, 0, 1],
            [k / WHEEL, d / WHEEL, -(k + TYRE) / WHEEL, -d / WHEEL],
        ]
    )


def exact(times):
    """(n, 4) the OUTPUTS of the whole car."""
    return np.array([exponential(_matrix() * t) @ [LIFT, 0, 0, 0] for t in times])


def exact_driving(times, jump):
    """(n, 4) the OUTPUTS of the car whose road steps up."""
    rest = np.array([LIFT, 0, LIFT, 0])
    return np.array([rest - exponential(_matrix() * max(t - jump, 0.0)) @ rest for t in times])


def errors(results):
    """(n, 4) of the OUTPUTS."""
    return np.array([results[name] for name in OUTPUTS]).T - exact(results.time)
