"""Mechanisms with rigid contacts in fixed steps at velocity level, each with runs that differ in speeds, enabled contacts and known motion.
One run fails.
"""

import numpy as np

import mobod as mb
from tests.ensembles.mechanisms_with_events import FAILING, Expiring, Runs
from tests.native.test_flipped_states import body

_ENDS = 0.037  # s, when it does
STEP = 2e-3  # s


def _on_earth(name: str) -> tuple[mb.MultibodySystem, mb.MatterSubsystem, mb.ForceSubsystem]:
    system = mb.MultibodySystem(name)
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0.1, -1], magnitude=9.81, name="gravity")
    return system, matter, forces


def _runs(system, forces, state, count, vary, **options) -> Runs:
    """Runs from `state`, whose numbers are those of an earlier State of the system; vary(state, rng, number): sets what differs."""
    expiring = Expiring(forces, end=1e3, name="expiring")
    first = system.realize_topology()
    first.y = state.y
    rng, states = np.random.default_rng(23), []
    for number in range(count):
        states.append(first.copy())
        states[-1].u = np.array(first.u) + rng.normal(scale=0.4, size=len(first.u))
        vary(states[-1], rng, number)
    expiring.set_parameter(states[FAILING % count], "end", _ENDS)
    return Runs(system, states, {"integrator": "velocity_level", "step": STEP, **options})


def walker(count: int) -> Runs:
    """A trunk on two legs, whose feet bounce, slide and stick on a floor, the left one on heel and toe; knees have limits, a band
    between them, and dry friction in one."""
    system, matter, forces = _on_earth("walker")
    trunk = body("trunk", matter.ground, mb.Free)
    floors, knees = [], []
    for side, sign in (("left", -1), ("right", 1)):
        hip = body(f"{side} hip", trunk, mb.Pin, X_PF=mb.Transform(p=[0.05, 0.2 * sign, -0.1]))
        knee = body(f"{side} knee", hip, mb.Pin, X_PF=mb.Transform(p=[0.02, 0, -0.3]))
        knee.set_limits(-0.5, 0.6, restitution=0.2)
        mb.MobilityLinearSpring(forces, hip, stiffness=40.0, q_zero=0.1 * sign, name=f"{side} servo of the hip")
        mb.MobilityLinearSpring(forces, knee, stiffness=30.0, q_zero=-0.1, name=f"{side} servo of the knee")
        floors.append(
            mb.RigidContact(
                matter.ground,
                mb.contact.HalfSpace(),
                knee,
                mb.contact.Sphere(0.05),
                X_B2S2=mb.Transform(p=[0.03, 0, -0.3]),
                static_friction=0.7,
                dynamic_friction=0.5,
                stribeck_speed=0.02 if sign > 0 else None,
                restitution=0.3,
                name=f"{side} foot",
            )
        )
        knees.append(knee)
    band = mb.FixedTendon(forces, knees, [0, 0], [0.04, -0.03], name="band")
    band.set_limits(-0.003, 0.002, restitution=0.3)
    toe = mb.Transform(p=[0.15, 0.01, -0.29])
    mb.RigidContact(
        matter.ground,
        mb.contact.HalfSpace(),
        knees[0],
        mb.contact.Sphere(0.05),
        X_B2S2=toe,
        static_friction=0.7,
        dynamic_friction=0.5,
        name="toe",
    )
    mb.RigidJointFriction(knees[0], limit=0.2, static_limit=0.3, name="bearing")
    mb.GlobalDamper(forces, matter, damping=0.5, name="damper")
    state = system.realize_topology()
    trunk.set_q(state, [1, 0.02, -0.03, 0.01, 0, 0, 0.76])

    def vary(state, rng, number):
        if number % 5 == 2:
            floors[1].disable(state)
        if number % 5 == 3:
            knees[1].lock(state)

    knees[1].set_lockable_by_default(True)
    return _runs(system, forces, state, count, vary)


def sensing_crate(count: int) -> Runs:
    """A crate that falls on a floor, and a force that takes back what its accelerometer felt; seeds of noise differ."""
    system, matter, forces = _on_earth("sensing crate")
    crate = body("crate", matter.ground, mb.Free)
    floor = mb.RigidContact(
        matter.ground, mb.contact.HalfSpace(), crate, mb.contact.Box([0.1, 0.15, 0.2]), static_friction=0.5, restitution=0.2, name="floor"
    )
    felt = mb.Sampled(system, mb.Imu(system, crate, name="imu"), 7 * STEP, noise_density=0.05, name="felt")
    mb.Sampled(system, mb.Touch(system, floor, name="touch"), 11.3 * STEP, bias=0.5, name="pressed")
    mb.measures.SampleAndHold(system, mb.FrameSensor(system, crate, name="pose"), 0.05, name="held")

    class Calm(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            body_forces[crate.index, 3:] += -0.05 * felt.value(state)[:3]

    Calm(forces, name="calm")
    state = system.realize_topology()
    crate.set_q(state, [1, 0.1, 0.2, 0.05, 0, 0, 0.35])

    def vary(state, rng, number):
        felt.set_seed(state, float(number))

    return _runs(system, forces, state, count, vary)


def crates_and_plates(count: int) -> Runs:
    """A crate on a floor and a plate that rolls on its rim, beside a wheel whose speed a constraint gives; steps from their beginning."""
    system, matter, forces = _on_earth("crates and plates")
    wheel = body("wheel", matter.ground, mb.Pin)
    crate, plate = body("crate", matter.ground, mb.Free), body("plate", matter.ground, mb.Free)
    for each, shape in ((crate, mb.contact.Box((0.1, 0.15, 0.2))), (plate, mb.contact.Circle(0.2))):
        mb.RigidContact(
            matter.ground,
            mb.contact.HalfSpace(),
            each,
            shape,
            static_friction=0.5,
            dynamic_friction=0.4,
            viscous_friction=0.1,
            name=f"contact of the {each.name}",
        )
    mb.ConstantSpeed(wheel, 0, 1.5, name="drive")
    state = system.realize_topology()
    crate.set_q(state, [1, 0, 0, 0, 0, 0, 0.201])
    plate.set_q(state, [0.8, 0.6, 0.1, 0, 1, 1, 0.2])
    return _runs(system, forces, state, count, lambda state, rng, number: None, constraints_at="begin")


def sledge(count: int) -> Runs:
    """A trunk on three legs with springs, which slide on a floor, each as fast as the runs differ, until they stick; a wheel above has dry
    friction in its bearing."""
    system, matter, forces = _on_earth("sledge")
    trunk = body("trunk", matter.ground, mb.Free)
    wheel = body("wheel", trunk, mb.Pin)
    mb.RigidJointFriction(wheel, limit=0.05, name="bearing")
    upward = np.array([[0, 0, -1.0], [0, 1, 0], [1, 0, 0]])  # x is along the z axis of the trunk
    for number, place in enumerate(([0.3, 0.02, -0.2], [-0.2, 0.25, -0.2], [-0.21, -0.24, -0.2])):
        leg = body(f"leg {number}", trunk, mb.Slider, X_PF=mb.Transform(upward, place))
        mb.MobilityLinearSpring(forces, leg, stiffness=3000.0, q_zero=0.0, name=f"spring {number}")
        mb.MobilityLinearDamper(forces, leg, damping=30.0, name=f"damper {number}")
        mb.RigidContact(
            matter.ground, mb.contact.HalfSpace(), leg, mb.contact.Sphere(0.05), static_friction=0.3 + 0.1 * number, name=f"foot {number}"
        )
    state = system.realize_topology()
    trunk.set_q(state, [1, 0, 0, 0, 0, 0, 0.25])

    def vary(state, rng, number):
        state.u = np.zeros(len(state.u))
        trunk.set_u(state, [0, 0, 0.5, *rng.uniform(0.3, 1, 2), 0])
        wheel.set_u(state, rng.normal())

    return _runs(system, forces, state, count, vary)


MECHANISMS_IN_FIXED_STEPS = (walker, sensing_crate, crates_and_plates, sledge)
