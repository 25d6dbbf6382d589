"""Random mechanisms with every element of mobod, for the tests of laws. A new element needs one line in its table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import mobod as mb
from mobod import contact, functions
from mobod.laws.random_states import random_q
from mobod.matter import MobilizerEquations
from mobod.matter.equations.motion_equations import LEVELS, Level
from mobod.spatial import from_quaternion

# name, which begins with that of the class -> the mobilizer, called as mobilizer(parent, body, X_PF, X_BM, name=...)
MOBILIZERS: dict[str, Callable[..., mb.MobilizedBody]] = {
    "Ball": mb.Ball,
    "BendStretch": mb.BendStretch,
    "Bushing": mb.Bushing,
    "Cylinder": mb.Cylinder,
    "Ellipsoid": partial(mb.Ellipsoid, radii=[0.4, 0.7, 1.1]),
    "Free": mb.Free,
    "FreeLine": mb.FreeLine,
    "FunctionBased": partial(
        mb.FunctionBased,
        functions=[
            functions.Linear([1.0, 0.3, -0.2]),
            functions.MultiPoly(2, [(0.9, [1, 0]), (0.2, [1, 1]), (-0.1, [0, 2])]),
            functions.Sinusoid(0.5, 0.9, 0.1),
            functions.MultiPoly(3, [(0.1, [1, 1, 1]), (0.8, [0, 0, 1])]),
            functions.Polynomial([0.3, 0.1, -0.4]),
            0.2,
        ],
        coordinate_indices=[[0, 1], [1, 2], [2], [0, 1, 2], [0], []],
        axes=[[1, 0.1, 0], [0, 1, 0.2], [0.1, 0, 1], [1, 0, 0.3], [0.2, 1, 0], [0, 0.3, 1]],
    ),
    "FunctionBased of one coordinate": partial(
        mb.FunctionBased,
        functions=[
            functions.Linear([1.0, 0.1]),
            functions.Sinusoid(0.4, 1.1, 0.2),
            functions.Polynomial([0.2, -0.3, 0.1]),
            functions.Spline.fit(np.linspace(-4, 4, 9), np.cos(np.linspace(-3, 5, 9)), degree=5),
            functions.Linear([-0.2, 0.1]),
            functions.Sinusoid(0.1, 2.0, 0.5),
        ],
        coordinate_indices=[[0]] * 6,
    ),
    "Gimbal": mb.Gimbal,
    "LineOrientation": mb.LineOrientation,
    "Pin": mb.Pin,
    "Planar": mb.Planar,
    "Screw": partial(mb.Screw, pitch=0.3),
    "Slider": mb.Slider,
    "SphericalCoords": partial(mb.SphericalCoords, azimuth_offset=0.4, zenith_offset=-0.7, zenith_negated=True),
    "SphericalCoords along x": partial(
        mb.SphericalCoords, azimuth_offset=-0.3, azimuth_negated=True, zenith_offset=0.2, radial_axis="x", radial_negated=True
    ),
    "Translation": mb.Translation,
    "Universal": mb.Universal,
    "Weld": mb.Weld,
}
BOTH_WAYS = MOBILIZERS | {f"{name} reversed": partial(make, reversed=True) for name, make in MOBILIZERS.items()}


def _all_equations() -> dict[str, MobilizerEquations]:
    ground = mb.MatterSubsystem(mb.MultibodySystem()).ground
    mass = mb.MassProperties(1, [0, 0, 0], np.eye(3))
    equations = {name: make(ground, mass).equations for name, make in BOTH_WAYS.items()}
    in_angles = {f"{name} in Euler angles": each.in_euler_angles() for name, each in equations.items()}
    return equations | {name: each for name, each in in_angles.items() if each not in equations.values()}


# those of every mobilizer, forward and reversed, with quaternions and in Euler angles
EQUATIONS = _all_equations()


@dataclass(frozen=True)
class ForceKind:
    """make(forces, bodies, rng) adds a force with random parameters; `bodies` are those that can move.

    nature  'conservative': all its power comes from its potential energy
            'dissipative': it has no potential energy, and turns power into heat
            'viscoelastic': it has potential energy, and turns power into heat
            'driven': it has neither, and power of any sign
            'limiting': it has neither energy nor power of its own, and keeps the sum of drives in a range
    """

    make: Callable[[mb.ForceSubsystem, list[mb.MobilizedBody], np.random.Generator], mb.Force]
    nature: str


def _gravity(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.Gravity(
        forces, forces.system.matter, down=rng.normal(size=3), magnitude=rng.uniform(2, 12), zero_height=rng.normal(), name="gravity"
    )


def _global_damper(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.GlobalDamper(forces, forces.system.matter, damping=rng.uniform(0.1, 2), name="global damper")


def _uniform_gravity(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.UniformGravity(
        forces, forces.system.matter, gravity=rng.normal(scale=3, size=3), zero_height=rng.normal(), name="uniform gravity"
    )


def _one(bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.MobilizedBody:
    return bodies[rng.integers(len(bodies))]


def _ends(bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> list[Any]:
    """Two different bodies or Ground, each with a station."""
    one, other = rng.permutation(1 + len(bodies))[:2]
    places = [bodies[0].matter.ground, *bodies]
    return [places[one], rng.normal(scale=0.5, size=3), places[other], rng.normal(scale=0.5, size=3)]


def _speed(bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> tuple[mb.MobilizedBody, int]:
    body = _one(bodies, rng)
    return body, int(rng.integers(body.nu))


def _coordinate(bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> tuple[mb.MobilizedBody, int]:
    places = [(body, i) for body in bodies for i, speed in enumerate(body.equations.speed_of) if speed is not None]
    return places[rng.integers(len(places))]


def _spring(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    body, coordinate = _coordinate(bodies, rng)
    return mb.MobilityLinearSpring(forces, body, coordinate=coordinate, stiffness=rng.uniform(5, 50), q_zero=rng.normal(), name="spring")


def _table_spring(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    rng = rng.spawn(7)[6]  # so that what is drawn later stays the same
    body, coordinate = _coordinate(bodies, rng)
    surface = functions.MultiPoly(2, [(3.0, (1, 0)), (0.5, (3, 0)), (0.4, (0, 1)), (0.2, (2, 1))])
    numbers = {"q_zero": rng.normal(scale=0.3), "scale": rng.uniform(0.5, 2)}
    return mb.MobilityTableSpring(forces, body, surface, coordinate=coordinate, **numbers, name="table spring")


def _damper(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    body, speed = _speed(bodies, rng)
    return mb.MobilityLinearDamper(forces, body, speed=speed, damping=rng.uniform(0.1, 2), name="damper")


def _stop(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    """A stop for a random coordinate, whose values are well below q_low: there the force is smooth."""
    body, coordinate = _coordinate(bodies, rng)
    q_low = rng.uniform(3, 4)
    return mb.MobilityLinearStop(
        forces, body, coordinate=coordinate, stiffness=rng.uniform(5, 20), dissipation=0.1, q_low=q_low, q_high=q_low + 1, name="stop"
    )


def _joint_friction(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    rng = rng.spawn(1)[0]  # so that what is drawn later stays the same
    body, coordinate = _coordinate(bodies, rng)
    limit = rng.uniform(0.5, 2)
    limits = {"limit": limit, "static_limit": limit + 1, "viscous": rng.uniform(0.1, 1)}
    return mb.JointFriction(forces, body, coordinate=coordinate, **limits, stribeck_speed=2.0, transition_speed=0.7, name="joint friction")


def _bristles(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    rng = rng.spawn(2)[1]  # so that what is drawn later stays the same
    body, coordinate = _coordinate(bodies, rng)
    limit = rng.uniform(0.5, 2)
    limits = {"limit": limit, "static_limit": limit + 1, "viscous": rng.uniform(0.1, 1)}
    of_bristles = {"stiffness": rng.uniform(1, 3), "damping": rng.uniform(0.1, 1), "stribeck_speed": 2.0}
    return mb.LuGreFriction(forces, body, coordinate=coordinate, **limits, **of_bristles, name="bristles")


def _push(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    body, speed = _speed(bodies, rng)
    return mb.MobilityConstantForce(forces, body, speed=speed, force=rng.normal(), name="push")


def _motor(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    body, speed = _speed(bodies, rng)
    return mb.MobilityForce(forces, body, speed=speed, force=rng.normal(), name="motor")


def _two_point_spring(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.TwoPointLinearSpring(
        forces, *_ends(bodies, rng), stiffness=rng.uniform(5, 50), rest_length=rng.uniform(0.1, 1), name="two-point spring"
    )


def _two_point_damper(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.TwoPointLinearDamper(forces, *_ends(bodies, rng), damping=rng.uniform(0.1, 2), name="two-point damper")


def _two_point_push(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.TwoPointConstantForce(forces, *_ends(bodies, rng), force=rng.normal(), name="two-point push")


def _constant_force(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.ConstantForce(forces, _one(bodies, rng), rng.normal(scale=0.5, size=3), rng.normal(size=3), name="constant force")


def _constant_torque(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    return mb.ConstantTorque(forces, _one(bodies, rng), rng.normal(size=3), name="constant torque")


def _body_damping(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    angular, linear = rng.uniform(0.1, 2, size=2)
    return mb.BodyDamping(forces, _one(bodies, rng), angular_damping=angular, linear_damping=linear, name="body damping")


def _bushing(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    body1, _, body2, _ = _ends(bodies, rng)
    return mb.LinearBushing(
        forces,
        body1,
        body2,
        X_B1F=random_frame(rng),
        X_B2M=random_frame(rng),
        stiffness=rng.uniform(1, 20, size=6),
        damping=rng.uniform(0.1, 1, size=6),
        name="bushing",
    )


def _above(rng: np.random.Generator) -> mb.Transform:
    """The frame of a half-space on Ground that fills all but what is far away, so that everything is in contact."""
    normal = rng.normal(size=3)
    return contact.HalfSpace.frame(normal, 30 * normal / np.linalg.norm(normal))


def _material(rng: np.random.Generator, stiffness: float) -> mb.ContactMaterial:
    dynamic = rng.uniform(0.1, 0.5)
    return mb.ContactMaterial(stiffness * rng.uniform(0.5, 2), rng.uniform(0.02, 0.05), dynamic + 1, dynamic, rng.uniform(0.1, 0.3))


def _hunt_crossley(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    rng = rng.spawn(3)[2]
    ball = contact.Sphere(rng.uniform(0.2, 0.6))  # of others the energy depends on the curvature too
    materials = {"material1": _material(rng, 0.05), "material2": _material(rng, 0.05)}
    frames = {"X_B1S1": random_frame(rng), "X_B2S2": _above(rng)}
    body, ground = _one(bodies, rng), bodies[0].matter.ground
    return mb.HuntCrossleyForce(forces, body, ball, ground, contact.HalfSpace(), **materials, **frames, transition_speed=0.4, name="ball")


def _compliant_contact(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    rng = rng.spawn(4)[3]
    materials = {"material1": _material(rng, 0.5), "material2": _material(rng, 0.5)}
    frames = {"X_B1S1": _above(rng), "X_B2S2": random_frame(rng)}
    shapes = bodies[0].matter.ground, contact.HalfSpace(), _one(bodies, rng), contact.Box(rng.uniform(0.2, 0.6, size=3))
    moments = {"torsional_friction": 0.03, "rolling_friction": 0.05, "transition_spin": 0.4}
    return mb.CompliantContact(forces, *shapes, **materials, **frames, **moments, friction="stribeck", transition_speed=0.4, name="box")


TETRAHEDRON = contact.TriangleMesh(
    [[0.3, 0.2, 0.1], [-0.4, 0.1, 0.0], [0.1, -0.3, 0.1], [0.0, 0.1, 0.5]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
)


def _foundation(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    rng = rng.spawn(6)[5]
    ends = bodies[0].matter.ground, contact.HalfSpace(), _one(bodies, rng), TETRAHEDRON
    frames = {"X_B1S1": _above(rng), "X_B2S2": random_frame(rng)}
    return mb.ElasticFoundationForce(
        forces, *ends, material=_material(rng, 2.0), share=rng.uniform(), **frames, transition_speed=0.4, name="foundation"
    )


def _smooth_sphere(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    rng = rng.spawn(5)[4]
    numbers = {"stiffness": 0.1, "dissipation": 0.03, "dynamic_friction": 0.3, "static_friction": 1.3, "viscous_friction": 0.2}
    numbers |= {"transition_speed": 0.4, "hertz_smoothing": 2.0, "hunt_crossley_smoothing": 0.5}
    ends, place = (bodies[0].matter.ground, _one(bodies, rng)), {"radius": 0.4, "center": rng.normal(size=3), "X_B1S1": _above(rng)}
    return mb.SmoothSphereHalfSpaceForce(forces, *ends, **place, **numbers, name="smooth sphere")


def _discrete_forces(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    force = mb.DiscreteForces(forces, forces.system.matter, name="discrete forces")
    for body in bodies:
        force.set_default_body_force(body, rng.normal(size=6)).set_default_mobility_force(body, rng.normal(size=body.nu))
    return force


def _port(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    body, torque, force = _one(bodies, rng), rng.normal(size=3), rng.normal(size=3)
    return mb.Port(body, random_frame(rng), torque=torque, force=force, forces=forces, name="port")


def _servo(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    rng = rng.spawn(1)[0]  # so that what is drawn later stays the same
    body, coordinate = _coordinate(bodies, rng)
    law = {"kp": rng.uniform(1, 5), "kd": rng.uniform(0.1, 1), "command": rng.normal(), "gear": rng.uniform(0.5, 2), "offset": rng.normal()}
    speed = body.equations.speed_of[coordinate]
    ranges = {"command_low": -9.0, "command_high": 9.0, "force_low": -50.0, "force_high": 50.0}
    return mb.Servo(forces, body, speed, **law, **ranges, name="servo")


def _site_servo(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    rng = rng.spawn(1)[0]  # so that what is drawn later stays the same
    law = {"control": "velocity", "kd": rng.uniform(0.1, 1), "command": rng.normal(), "command_low": -9.0}
    law |= {"command_high": 9.0, "force_low": -40.0, "force_high": 40.0}
    return mb.SiteServo(forces, _one(bodies, rng), random_frame(rng), wrench=rng.normal(size=6), **law, name="site servo")


def _tendon(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    """Slack between lengths that are not reached."""
    rng = rng.spawn(1)[0]  # so that what is drawn later stays the same
    terms = [_coordinate(bodies, rng) for _ in range(3)]
    law = {"stiffness": rng.uniform(1, 5), "damping": rng.uniform(0.1, 1), "rest_low": -21.0, "rest_high": -20.0}
    return mb.FixedTendon(forces, *zip(*terms, strict=True), rng.normal(scale=0.3, size=3), **law, name="tendon")


def _gear_pair(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    """Teeth that press: the play is far beyond the backlash."""
    rng = rng.spawn(1)[0]
    (one, first), (other, second) = _coordinate(bodies, rng), _coordinate(bodies, rng)
    while one is other:
        other, second = _coordinate(bodies, rng)
    law = {"ratio": rng.uniform(0.5, 2), "backlash": 1e-3, "stiffness": rng.uniform(1, 5), "dissipation": rng.uniform(0.01, 0.03)}
    return mb.GearPair(forces, one, other, coordinate1=first, coordinate2=second, **law, name="gear pair")


def _motor_dc(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    """A motor without voltage: a brake."""
    rng = rng.spawn(1)[0]
    places = [(body, speed) for body in bodies for speed, unit in enumerate(body.equations.u_units) if unit in ("rad/s", "m/s")]
    body, speed = places[rng.integers(len(places))]
    numbers = {"torque_constant": rng.uniform(0.5, 1), "resistance": rng.uniform(1, 2), "inductance": rng.uniform(0.1, 1)}
    return mb.MotorDC(
        forces, body, speed=speed, **numbers, gear_ratio=rng.uniform(1, 2), efficiency=0.7, transition_speed=5.0, name="DC motor"
    )


def _drive_limit(forces: mb.ForceSubsystem, bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> mb.Force:
    """Of the speed that a motor drives, with a range that is exceeded: laws of pushes by motors say what is left of them."""
    motor = next(force for force in forces.elements if isinstance(force, mb.MobilityForce))
    return mb.DriveLimit(forces, motor.body, speed=motor.speed, low=-0.01, high=0.01, name="drive limit")


FORCES = {
    "Gravity": ForceKind(_gravity, "conservative"),
    "GlobalDamper": ForceKind(_global_damper, "dissipative"),
    "MobilityLinearSpring": ForceKind(_spring, "conservative"),
    "MobilityLinearDamper": ForceKind(_damper, "dissipative"),
    "MobilityForce": ForceKind(_motor, "driven"),
    "BodyDamping": ForceKind(_body_damping, "dissipative"),
    "ConstantForce": ForceKind(_constant_force, "driven"),
    "ConstantTorque": ForceKind(_constant_torque, "driven"),
    "DiscreteForces": ForceKind(_discrete_forces, "driven"),
    "LinearBushing": ForceKind(_bushing, "viscoelastic"),
    "JointFriction": ForceKind(_joint_friction, "dissipative"),
    "LuGreFriction": ForceKind(_bristles, "viscoelastic"),
    "MobilityConstantForce": ForceKind(_push, "driven"),
    "MobilityLinearStop": ForceKind(_stop, "viscoelastic"),
    "MobilityTableSpring": ForceKind(_table_spring, "viscoelastic"),
    "TwoPointConstantForce": ForceKind(_two_point_push, "driven"),
    "TwoPointLinearDamper": ForceKind(_two_point_damper, "dissipative"),
    "TwoPointLinearSpring": ForceKind(_two_point_spring, "conservative"),
    "UniformGravity": ForceKind(_uniform_gravity, "conservative"),
    "CompliantContact": ForceKind(_compliant_contact, "viscoelastic"),
    "ElasticFoundationForce": ForceKind(_foundation, "viscoelastic"),
    "HuntCrossleyForce": ForceKind(_hunt_crossley, "viscoelastic"),
    "SmoothSphereHalfSpaceForce": ForceKind(_smooth_sphere, "viscoelastic"),
    "Port": ForceKind(_port, "driven"),
    "Servo": ForceKind(_servo, "driven"),
    "SiteServo": ForceKind(_site_servo, "driven"),
    "FixedTendon": ForceKind(_tendon, "viscoelastic"),
    "GearPair": ForceKind(_gear_pair, "viscoelastic"),
    "MotorDC": ForceKind(_motor_dc, "viscoelastic"),
    "DriveLimit": ForceKind(_drive_limit, "limiting"),
}


# class -> the motion, off in a new State; there is one at each level
MOTIONS: dict[str, Callable[[mb.MobilizedBody, np.random.Generator], mb.Motion]] = {
    "FunctionMotion": lambda body, rng: mb.FunctionMotion(
        body,
        # near random_q for times up to 3 s
        [functions.Polynomial([-0.05, 0.1, q_0]) for q_0 in random_q(body.equations, rng)],
        level="position",
        disabled=True,
    ),
    "SteadyMotion": lambda body, rng: mb.SteadyMotion(body, rng.normal(), disabled=True),
    "SinusoidMotion": lambda body, rng: mb.SinusoidMotion(
        body, amplitude=rng.uniform(0.5, 1), rate=rng.uniform(1, 2), phase=rng.normal(), level="acceleration", disabled=True
    ),
    # at the other levels inputs that do not change are no motion
    "InputMotion": lambda body, rng: mb.InputMotion(body, u_dot=rng.normal(size=body.nu), level="acceleration", disabled=True),
}
LOCKS: tuple[Level, ...] = ("position", "velocity", "acceleration")


@dataclass(frozen=True)
class Mechanism:
    """forces, motions: by the names of FORCES and MOTIONS; lockable: bodies by the level of their locks.

    Motions and locks are active only in States that are `moved`.
    """

    system: mb.MultibodySystem
    matter: mb.MatterSubsystem
    forces: dict[str, mb.Force]
    motions: dict[str, mb.Motion]
    lockable: dict[Level, mb.MobilizedBody]

    @property
    def bodies(self) -> list[mb.MobilizedBody]:
        return self.matter.bodies

    def random_state(self, rng: np.random.Generator, *, moved: bool = False) -> mb.State:
        """Random time and speeds; coordinates by random_q.

        moved  with all motions and locks active; locks of speeds and accelerations have random values
        """
        state = self.system.realize_topology()
        state.time = rng.uniform(0, 3)
        for body in self.bodies:
            body.set_q(state, random_q(body.equations_in(state), rng))
        state.u = rng.normal(size=len(state.u))
        state.z = rng.normal(size=len(state.z))
        if moved:
            for motion in self.motions.values():
                motion.enable(state)
            for level, body in self.lockable.items():
                body.lock_at(state, body.q(state) if level == "position" else rng.normal(size=body.nu), level)
        return state

    def freed(self, state: mb.State) -> mb.State:
        """A copy of a realized State with the same coordinates and speeds, none of them prescribed."""
        freed = state.copy()
        for motion in self.motions.values():
            motion.disable(freed)
        for body in self.lockable.values():
            body.unlock(freed)
        return freed

    def known_speeds(self, state: mb.State, level: Level = "acceleration") -> np.ndarray:
        """(nu,) whether a speed belongs to a mobilizer whose motion is prescribed at this level or a higher one."""
        known = np.zeros(len(state.u), dtype=bool)
        moved = [(motion.body, motion.equations.level) for motion in self.motions.values() if not motion.is_disabled(state)]
        locked = [(body, lock) for body in self.lockable.values() if (lock := body.lock_level(state)) is not None]
        for body, of_body in (*moved, *locked):
            body.my_part_u(state, known)[:] = LEVELS[of_body] >= LEVELS[level]
        return known


def random_mechanism(seed: int, *, n_bodies: int = len(MOBILIZERS) + 3, in_euler_angles: bool = False) -> Mechanism:
    """A tree with general frames and masses, one force of each kind and, with enough bodies, every mobilizer.

    Mobilizers are forward or reversed at random.
    """
    rng = np.random.default_rng(seed)
    system = mb.MultibodySystem(f"mechanism {seed}")
    matter = mb.MatterSubsystem(system)
    matter.set_uses_euler_angles_by_default(in_euler_angles)
    more = max(0, n_bodies - len(MOBILIZERS))
    kinds = [*rng.permutation(list(MOBILIZERS))[:n_bodies], *rng.choice(list(MOBILIZERS), size=more)]
    for number, kind in enumerate(kinds):
        parent = matter.body(int(rng.integers(number + 1)))
        is_reversed = bool(rng.integers(2))
        MOBILIZERS[kind](parent, random_mass(rng), random_frame(rng), random_frame(rng), name=f"{kind} {number}", reversed=is_reversed)
    _ = system.events  # some forces have events; their subsystem comes before that of the forces
    _add_rotors(matter.bodies, np.random.default_rng([seed, 2]))
    forces = mb.ForceSubsystem(system)
    movable = [body for body in matter.bodies if body.nu]
    made = {name: kind.make(forces, movable, rng) for name, kind in FORCES.items()}
    return Mechanism(system, matter, made, *_motions_and_locks(movable, np.random.default_rng([seed, 1])))


def _add_rotors(bodies: list[mb.MobilizedBody], rng: np.random.Generator) -> None:
    """Rotors on about half of the speeds that can have one, half of them with an axis, and on balls."""
    for body in bodies:
        if type(body) is mb.Ball:
            body.set_rotor_inertia(rng.uniform(0.01, 0.1), 2.0)
        for speed in {each for each in body.equations.speed_of if each is not None}:
            if body.equations.u_units[speed] in ("rad/s", "m/s") and rng.random() < 0.5:
                axis = rng.normal(size=3) if rng.random() < 0.5 else None
                body.set_rotor_inertia(rng.uniform(0.01, 0.1), rng.normal(scale=3.0), speed=speed, axis=axis)


def _motions_and_locks(
    bodies: list[mb.MobilizedBody], rng: np.random.Generator
) -> tuple[dict[str, mb.Motion], dict[Level, mb.MobilizedBody]]:
    """Adds motions and locks, each to another body, as long as there are bodies."""
    ones = [body for body in bodies if body.equations.speed_of == tuple(range(body.nu))]  # each coordinate with a speed of its own
    moved = [ones[i] for i in rng.permutation(len(ones))[: len(MOTIONS)]]
    motions = {name: make(body, rng) for (name, make), body in zip(MOTIONS.items(), moved, strict=False)}
    others = [body for body in bodies if body not in moved]
    lockable = dict(zip(LOCKS, (others[i] for i in rng.permutation(len(others))), strict=False))
    for body in lockable.values():
        body.set_lockable_by_default(True)
    return motions, lockable


def random_mass(rng: np.random.Generator) -> mb.MassProperties:
    """The mass properties of six random point masses."""
    masses, points = rng.uniform(0.1, 0.6, size=6), rng.normal(scale=0.4, size=(6, 3))
    inertia = sum(m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True))
    return mb.MassProperties(masses.sum(), masses @ points / masses.sum(), inertia)


def random_frame(rng: np.random.Generator) -> mb.Transform:
    return mb.Transform(from_quaternion(rng.normal(size=4)), rng.normal(scale=0.5, size=3))
