"""The mechanisms of data/contact/closed_forms.json: blocks, balls, rods and joints with dry friction, built with mobod."""

from dataclasses import dataclass

import numpy as np

import mobod as mb
from mobod.contact import Box, HalfSpace, Sphere

SIZE = 0.1  # m, of blocks whose size does not matter


@dataclass(frozen=True)
class TipOnFloor(mb.ConstraintEquations):
    """Height and slip of a rod's end, of a body with coordinates (angle, x, y) of its mass center; the floor is y = 0."""

    half_length: float

    position_units = ("m",)
    velocity_units = ("m/s",)

    def position_errors(self, motion):
        angle, _, y = motion.q[0]
        return np.array([y - self.half_length * np.sin(angle)])

    def velocity_errors(self, motion):
        angle, (rate, speed, _) = motion.q[0][0], motion.u[0]
        return np.array([speed + self.half_length * np.sin(angle) * rate])


@dataclass(frozen=True)
class HoopOnBead(mb.ConstraintEquations):
    """Distances of a bead in the x-y plane from the outer and the inner rim of a hoop about the origin, and its slip at both."""

    radius: float

    position_units = ("m", "m")
    velocity_units = ("m/s", "m/s")

    def position_errors(self, motion):
        x, y = motion.q[0][0], motion.q[0][1]
        distance = np.sqrt(x * x + y * y)
        return np.array([self.radius - distance, distance - self.radius])

    def velocity_errors(self, motion):
        (x, y), u = motion.q[0][:2], motion.u[0]
        slip = (x * u[1] - y * u[0]) / np.sqrt(x * x + y * y)
        return np.array([slip, slip])


@dataclass(frozen=True)
class LinearRows(mb.ConstraintEquations):
    """Distances a + G q of three coordinates, and slips T u."""

    offsets: tuple[float, ...]
    gradients: tuple[tuple[float, ...], ...]
    tangents: tuple[tuple[float, ...], ...]

    @property
    def position_units(self):
        return ("m",) * len(self.offsets)

    @property
    def velocity_units(self):
        return ("m/s",) * len(self.offsets)

    def position_errors(self, motion):
        return np.array(self.offsets) + np.array(self.gradients) @ motion.q[0]

    def velocity_errors(self, motion):
        return np.array(self.tangents) @ motion.u[0]


def world(gravity, down=(0.0, 0.0, -1.0)):
    """(system, matter, forces) with gravity."""
    system = mb.MultibodySystem("motion")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    if gravity:
        mb.Gravity(forces, matter, down=list(down), magnitude=gravity)
    return system, matter, forces


def started(system, body, u):
    """A State with the speeds u of a body."""
    state = system.realize_topology()
    body.set_u(state, u)
    return state


def mass(m, inertia=None):
    return mb.MassProperties(m, [0, 0, 0], mb.Inertia.sphere(mass=m, radius=SIZE) if inertia is None else inertia)


def floor_contact(ground, body, radius=SIZE, **friction):
    """A sphere on a body above the plane z = 0 of another one."""
    return mb.RigidContact(ground, HalfSpace(), body, Sphere(radius), name="contact", **friction)


def block_on_plane(m, gravity, speed, mu_s, mu_k, angle=0.0, viscous=0.0, **further):
    """A block that slides along x, which points down the slope; (start, block, contact, forces)."""
    system, matter, forces = world(gravity, (np.sin(angle), 0.0, -np.cos(angle)))
    block = mb.Translation(matter.ground, mass(m), name="block")
    block.set_default_q([0.0, 0.0, SIZE])
    contact = floor_contact(matter.ground, block, static_friction=mu_s, dynamic_friction=mu_k, viscous_friction=viscous, **further)
    return started(system, block, [speed, 0.0, 0.0]), block, contact, forces


def ball_on_plane(m, radius, gravity, mu, u, restitution=0.0, factor=0.4):
    """A ball that rolls to +x with a spin > 0 about y; u (spin, x, z); (start, ball, contact)."""
    system, matter, _ = world(gravity)
    of_ball = mb.Inertia.sphere(mass=m, radius=radius * np.sqrt(factor / 0.4))
    ball = mb.Free(matter.ground, mass(m, of_ball), name="ball")
    contact = floor_contact(matter.ground, ball, radius, static_friction=mu, restitution=restitution)
    ball.set_default_q([1, 0, 0, 0, 0, 0, radius])
    return started(system, ball, [0, u[0], 0, u[1], 0, u[2]]), ball, contact


def block_on_belt(case):
    """A block between a spring to Ground and a belt with a steady speed, on which it sticks; (start, block, contact)."""
    system, matter, forces = world(case["normal"] / case["mass"])
    belt = mb.Slider(matter.ground, mass(1.0), name="belt")
    mb.SteadyMotion(belt, rate=case["belt_speed"])
    block = mb.Translation(matter.ground, mass(case["mass"]), name="block")
    block.set_default_q([case["x0"], 0.0, SIZE])
    mb.MobilityLinearSpring(forces, block, coordinate=0, stiffness=case["stiffness"], q_zero=0.0)
    contact = floor_contact(belt, block, static_friction=case["mu_s"], dynamic_friction=case["mu_k"])
    return started(system, block, [case["v0"], 0.0, 0.0]), block, contact


def blocks_on_plate(case):
    """Two blocks on a plate that is accelerated along x; (start, (upper, lower), (contact between, contact of the plate))."""
    system, matter, _ = world(case["gravity"])
    plate = mb.Slider(matter.ground, mass(1.0), name="plate")
    mb.ConstantAcceleration(plate, which=0, acceleration=case["plate_acceleration"])
    lower = mb.Translation(matter.ground, mass(case["m2"]), name="lower")
    upper = mb.Translation(matter.ground, mass(case["m1"]), name="upper")
    of_plate = mb.RigidContact(plate, HalfSpace(), lower, Sphere(SIZE), static_friction=case["mu2"], name="of_plate")
    top = mb.Transform(p=[0, 0, SIZE])
    between = mb.RigidContact(lower, HalfSpace(), upper, Sphere(SIZE), X_B1S1=top, static_friction=case["mu1"], name="between")
    lower.set_default_q([0, 0, SIZE])
    upper.set_default_q([0, 0, 3 * SIZE])
    return system.realize_topology(), (upper, lower), (between, of_plate)


def pushed_brick(case):
    """A uniform brick with eight corners on a plane, pushed along x; (start, brick, contact)."""
    system, matter, forces = world(case["gravity"])
    a, b, m = case["half_width"], case["half_height"], case["mass"]
    half_lengths = np.array([a, 0.3, b])
    brick = mb.Free(matter.ground, mass(m, mb.Inertia.box(mass=m, size=2 * half_lengths)), name="brick")
    brick.set_default_q([1, 0, 0, 0, 0, 0, b])
    force = [case["force_over_weight"] * m * case["gravity"], 0.0, 0.0]
    mb.ConstantForce(forces, brick, station=[0, 0, case["push_height"] - b], force=force)
    contact = mb.RigidContact(matter.ground, HalfSpace(), brick, Box(half_lengths), static_friction=case["mu"], name="contact")
    return system.realize_topology(), brick, contact


def hanging_pendulum(case):
    """A pendulum whose bearing has friction; (start, pin, friction)."""
    gravity, inertia = 10.0, case["inertia"]
    length = inertia * gravity / (2 * case["mgl"])  # half of the inertia is that of the mass center
    m, center = case["mgl"] / (gravity * length), np.array([0.0, -length, 0.0])
    about_center = mb.Inertia.sphere(mass=m, radius=np.sqrt(2.5 * inertia / (2 * m)))
    system, matter, _ = world(gravity, (0.0, -1.0, 0.0))
    body = mb.MassProperties(m, center, about_center.shifted(center))
    pin = mb.Pin(matter.ground, body, name="pendulum")
    pin.set_default_q(case["phi0"])
    friction = mb.RigidJointFriction(pin, limit=case["torque"], name="friction")
    return system.realize_topology(), pin, friction


def mass_on_spring(case):
    """A slider with a spring and friction; (start, slider, friction)."""
    system, matter, forces = world(0.0)
    slider = mb.Slider(matter.ground, mass(case["mass"]), name="slider")
    slider.set_default_q(case["x0"])
    mb.MobilityLinearSpring(forces, slider, coordinate=0, stiffness=case["stiffness"], q_zero=0.0)
    friction = mb.RigidJointFriction(slider, limit=case["friction"], name="friction")
    return system.realize_topology(), slider, friction


def bead_on_hoop(case):
    """A bead between both rims of a vertical hoop, with angles from the lowest point; (start, bead, hoop)."""
    system, matter, _ = world(case["gravity"], (0.0, -1.0, 0.0))
    bead = mb.Translation(matter.ground, mass(1.0), name="bead")
    bead.set_default_q([case["radius"] * np.sin(case["theta0"]), -case["radius"] * np.cos(case["theta0"]), 0.0])
    hoop = mb.UnilateralConstraint(HoopOnBead(case["radius"]), (), (bead,), static_friction=case["mu"], name="hoop")
    return system.realize_topology(), bead, hoop


def rod_on_floor(half_length, mu, gravity, angle, u, restitution=0.0, height=0.0):
    """A uniform rod of mass 1, coordinates (angle, x, y) of its center; u (rate, x, y); (start, rod, tip)."""
    system, matter, _ = world(gravity, (0.0, -1.0, 0.0))
    rod = mb.Planar(matter.ground, mass(1.0, mb.Inertia.sphere(mass=1.0, radius=half_length * np.sqrt(2.5 / 3))), name="rod")
    tip = mb.UnilateralConstraint(TipOnFloor(half_length), (), (rod,), static_friction=mu, restitution=restitution, name="tip")
    rod.set_default_q([angle, half_length * np.cos(angle), half_length * np.sin(angle) + height])
    return started(system, rod, list(u)), rod, tip


def stopped_tip(half_length, angle, u):
    """The speeds of rod_on_floor after an impulse that stops its tip, and the impulse (normal, tangential)."""
    to_tip = np.array([[-half_length * np.cos(angle), 0.0, 1.0], [half_length * np.sin(angle), 1.0, 0.0]])
    responses = to_tip / [half_length**2 / 3, 1.0, 1.0]
    impulse = np.linalg.solve(to_tip @ responses.T, -to_tip @ u)
    return u + responses.T @ impulse, impulse


class WoodpeckerForce(mb.CustomForce):
    """The generalized forces of the woodpecker's coordinates (y, phi_M, phi_S)."""

    body: mb.MobilizedBody = mb.argument("the body of all three coordinates")
    stiffness: mb.Parameter[float] = mb.parameter("N.m/rad", "of the spring between sleeve and bird")
    weights: mb.Parameter[tuple[float, ...]] = mb.parameter("N", "generalized forces of gravity", shape=(3,))

    def calc_force(self, state, body_forces, mobility_forces):
        _, sleeve, bird = self.body.q(state)
        c, f = self.stiffness(state), self.weights(state)
        mobility_forces[0] += f[0]
        mobility_forces[1] += f[1] - c * (sleeve - bird)
        mobility_forces[2] += f[2] + c * (sleeve - bird)


def woodpecker(p):
    """A point mass whose three coordinates have the woodpecker's mass matrix; (start, bird, beak)."""
    system, matter, forces = world(0.0)
    m_S, m_M, l_M, l_G, h_S, h_M, gravity = (p[name] for name in ("m_S", "m_M", "l_M", "l_G", "h_S", "h_M", "gravity"))
    M = np.array(
        [
            [m_S + m_M, m_S * l_M, m_S * l_G],
            [m_S * l_M, p["J_M"] + m_S * l_M**2, m_S * l_M * l_G],
            [m_S * l_G, m_S * l_M * l_G, p["J_S"] + m_S * l_G**2],
        ]
    )
    lines = [mb.functions.Linear([*row, 0.0]) for row in np.linalg.cholesky(M).T]
    bird = mb.FunctionBased(
        matter.ground, mass(1.0), functions=[0.0, 0.0, 0.0, *lines], coordinate_indices=[[], [], [], *[[0, 1, 2]] * 3], name="bird"
    )
    tilted = (p["r_M"] - p["r_0"]) / h_M  # of the sleeve where it touches; the file's start is 1e-6 m inside of the pole
    bird.set_default_q([p["y0"], np.clip(p["phi_M0"], -tilted, tilted), p["phi_S0"]])
    weights = (-(m_S + m_M) * gravity, -m_S * gravity * l_M, -m_S * gravity * l_G)
    WoodpeckerForce(forces, body=bird, stiffness=p["c_phi"], weights=weights)
    offsets = (l_M + l_G - p["l_S"] - p["r_0"], p["r_M"] - p["r_0"], p["r_M"] - p["r_0"])
    gradients = ((0.0, 0.0, -h_S), (0.0, h_M, 0.0), (0.0, -h_M, 0.0))
    tangents = ((1.0, l_M, l_G - p["l_S"]), (1.0, p["r_M"], 0.0), (1.0, p["r_M"], 0.0))
    contacts = [
        mb.UnilateralConstraint(
            LinearRows((offsets[i],), (gradients[i],), (tangents[i],)),
            (),
            (bird,),
            static_friction=p["mu"],
            restitution=p["restitution"][i],
            name=name,
        )
        for i, name in enumerate(("beak", "lower_sleeve", "upper_sleeve"))
    ]
    return started(system, bird, [p["v0"], p["omega_M0"], p["omega_S0"]]), bird, contacts[0]
