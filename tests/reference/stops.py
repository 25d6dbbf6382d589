"""The mechanisms of data/couplings/exact_*.json, built with mobod."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import mobod as mb

DATA = Path(__file__).parent / "data" / "couplings"


def read(name):
    return json.loads((DATA / f"{name}.json").read_text())


def hinge_with_stop(params, restitution=0.0):
    """A rod whose angle is measured downwards from the horizontal; (system, pin)."""
    system = mb.MultibodySystem("hinge_stop")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 1, 0], magnitude=params["g"])
    axial = params["I_pivot"] / 100  # about the rod's own axis, without influence
    rod = mb.MassProperties(params["mass"], [params["com_dist"], 0, 0], np.diag([axial, params["I_pivot"], params["I_pivot"]]))
    pin = mb.Pin(matter.ground, rod, name="hinge")
    pin.set_limits(-1.0, params["theta_max"], restitution)
    pin.set_default_q(params["theta0"])
    return system, pin


def bouncing_ball(height, gravity, restitution):
    """A mass on a slider along x, which is up, that falls on a floor at 0; (system, slider)."""
    system = mb.MultibodySystem("bouncing_ball")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=gravity)
    ball = mb.Slider(matter.ground, mb.MassProperties(1.3, [0, 0, 0], mb.Inertia.sphere(mass=1.3, radius=0.1)), name="ball")
    ball.set_limits(lower=0.0, restitution=restitution)
    ball.set_default_q(height)
    return system, ball


def slotted_hinge(params, restitution=0.0):
    """A body that turns about a point sliding in a horizontal slot with ends; coordinates (x, theta); (system, body)."""
    system = mb.MultibodySystem("slotted_hinge")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[*params["gravity_D"], 0.0], magnitude=float(np.linalg.norm(params["gravity_D"])))
    p_CB = np.array([*params["bodyorigin_in_C"], 0.0])
    com = np.array([*params["com_in_C"], 0.0]) - p_CB
    about_com = mb.Inertia.sphere(mass=params["mass"], radius=np.sqrt(2.5 * params["J_z_com"] / params["mass"]))
    body = mb.MassProperties(params["mass"], com, about_com.shifted(com))
    line = mb.functions.Linear([1.0, 0.0])
    hinge = mb.FunctionBased(
        matter.ground,
        body,
        X_BM=mb.Transform(p=-p_CB),
        functions=[0.0, 0.0, line, line, 0.0, 0.0],
        coordinate_indices=[[], [], [1], [0], [], []],
        name="hinge",
    )
    mb.BodyDamping(forces, hinge, angular_damping=params["rotaryDamping"], linear_damping=params["frameDamping"])
    hinge.set_limits(*params["x_range"], restitution, coordinate=0)
    hinge.set_default_q(params["q0"])
    return system, hinge


@dataclass(frozen=True)
class HalfPlanes(mb.ConstraintEquations):
    """Distances of (x, y) of a mobilizer from lines through the origin, on the side of their normals."""

    normals: tuple[tuple[float, float], ...]

    @property
    def position_units(self):
        return ("m",) * len(self.normals)

    def position_errors(self, motion):
        x, y = motion.q[0][0], motion.q[0][1]
        return np.array([n_x * x + n_y * y for n_x, n_y in self.normals])


def particle_in_wedge(degrees, start, force, restitution=0.0):
    """A unit mass in the plane, above the x axis and on one side of a line; (system, particle, wedge)."""
    system = mb.MultibodySystem("wedge")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    particle = mb.Translation(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name="particle")
    for speed, component in enumerate(force):
        mb.MobilityConstantForce(forces, particle, speed=speed, force=component)
    angle = np.radians(degrees)
    planes = HalfPlanes(((0.0, 1.0), (float(np.cos(angle)), float(np.sin(angle)))))
    wedge = mb.UnilateralConstraint(planes, mobilizers=[particle], restitution=restitution, name="wedge")
    particle.set_default_q([*start, 0.0])
    return system, particle, wedge


def parallelogram(I, G, c, phi=0.0):
    """Two links that hang from pins and carry a bar that keeps its orientation, phi below the horizontal: I phi'' = G cos(phi) - c phi'.

    The bar contributes half of G and half of I, so that any I and G are possible. Two of the eight rows are independent everywhere.
    """
    gravity = 9.8
    length = I * gravity / G
    of_bar, of_link = G / (2 * gravity * length), G**2 / (2 * gravity**2 * I)
    com = G / (4 * gravity * of_link)
    system = mb.MultibodySystem("parallelogram")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=gravity)
    link = mb.MassProperties(of_link, [com, 0, 0], np.diag([I / 40, I / 4, I / 4]))
    bar = mb.MassProperties(of_bar, [0, 0, 0], mb.Inertia.cylinder(mass=of_bar, radius=0.05, length=0.6, axis="y"))
    upper = mb.Pin(matter.ground, link, X_PF=mb.Transform(p=[0, 0.3, 0]), name="upper")
    lower = mb.Pin(matter.ground, link, X_PF=mb.Transform(p=[0, -0.3, 0]), name="lower")
    coupler = mb.Pin(upper, bar, X_PF=mb.Transform(p=[length, 0, 0]), X_BM=mb.Transform(p=[0, 0.3, 0]), name="coupler")
    mb.ConstantOrientation(matter.ground, np.eye(3), coupler, np.eye(3), name="upright")
    mb.CouplingJoint(
        mb.HingeCoupling(), coupler, lower, X_AC=mb.Transform(p=[0, -0.3, 0]), X_BD=mb.Transform(p=[length, 0, 0]), name="closure"
    )
    mb.MobilityLinearDamper(forces, upper, speed=0, damping=c)
    for body, sign in ((upper, -1), (lower, -1), (coupler, 1)):
        body.set_default_q(sign * phi)
    return system
