"""A gripper closes on a box with a limited force and lifts it: the box holds if 2 mu times the force carries its weight."""

import numpy as np

import mobod as mb

MASS, HALF, FRICTION, GRAVITY, STROKE = 0.4, 0.03, 0.6, 9.81, 0.1  # kg, m, coefficient, m/s^2, m


def gripper() -> tuple[mb.MultibodySystem, list[mb.MobilityForce], mb.RigidContact]:
    """A box on the floor, and a hand that rises from 0.2 s to 1.2 s, with two fingers whose flat pads are 1 cm from the box."""
    system = mb.MultibodySystem("gripper")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=GRAVITY, name="gravity")
    box = mb.Free(matter.ground, mb.MassProperties(MASS, [0, 0, 0], mb.Inertia.box(mass=MASS, size=[2 * HALF] * 3)), name="box")
    box.set_default_q([1, 0, 0, 0, 0, 0, HALF])
    plane, shape = mb.contact.HalfSpace(), mb.contact.Box([HALF] * 3)
    mb.RigidContact(matter.ground, plane, box, shape, static_friction=FRICTION, name="floor")

    up = mb.Transform(mb.spatial.rotation_y(-np.pi / 2))  # x of this frame, along which a Slider moves, is z of the parent
    point = mb.MassProperties.point(mass=0.1, p=[0, 0, 0])
    hand = mb.Slider(matter.ground, point, up, up, name="hand")
    mb.FunctionMotion(hand, mb.functions.Step(0.0, STROKE, 0.2, 1.2))
    motors, pads = [], []
    for name, R in (("left", np.eye(3)), ("right", mb.spatial.rotation_z(np.pi))):
        finger = mb.Slider(hand, point, mb.Transform(R, R @ [-HALF - 0.01, 0, HALF]), name=name)
        motors.append(mb.MobilityForce(forces, finger, name=f"{name}_motor"))
        pad = mb.contact.HalfSpace.frame(normal=[1, 0, 0])
        pads.append(mb.RigidContact(finger, plane, box, shape, X_B1S1=pad, static_friction=FRICTION, name=f"{name}_pad"))
    return system, motors, pads[0]


if __name__ == "__main__":
    system, motors, pad = gripper()
    simulation = mb.Simulation(system, integrator="velocity_level", step=1e-3)
    limit = MASS * GRAVITY / (2 * FRICTION)  # N, of each finger
    fastest = 10 / np.sqrt(3) * STROKE  # m/s^2, of the hand
    print(f"each finger needs {limit:.4f} N at rest, {limit * (1 + fastest / GRAVITY):.4f} N where the hand accelerates most")
    for force in (0.9 * limit, 1.03 * limit, 1.1 * limit):
        state = system.realize_topology()
        for motor in motors:
            motor.set_force(state, force)
        lifted = simulation.run(state, until=1.5, report_every=0.1)["box.q"][-1, 6] - HALF
        print(f"with {force:.4f} N the box is lifted by {abs(lifted):.6f} m, the hand by {STROKE} m")
    exact = mb.Simulation(system, accuracy=1e-6).run(state, until=1.5)["box.q"][-1, 6] - HALF
    print(f"under error control it is lifted by {exact:.6f} m")
    run = simulation.start(state)
    run.step(1.5)
    while "slip" not in pad.mode(run.state):
        force -= 1e-3 * limit
        for motor in motors:
            run.set(f"{motor.name}.force", force)
        run.step(0.001)
    print(f"the fingers let go slowly: the box begins to slip at {force:.4f} N")
    for motor in motors:
        run.set(f"{motor.name}.force", limit / 2)
    before = run["box.u"][5]
    run.step(0.05)
    print(f"with half the force it falls at {(before - run['box.u'][5]) / 0.05:.6f} m/s^2, exact {GRAVITY / 2:.6f} m/s^2")
