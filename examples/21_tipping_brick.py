"""A brick on a plane that is tilted more and more: it slides where tan(angle) passes mu, or tips where it passes width / height."""

import numpy as np

import mobod as mb

MASS, HEIGHT, FRICTION, GRAVITY = 3.0, 0.2, 0.5, 9.81  # kg, m, coefficient, m/s^2


def brick_on_plane(width: float) -> tuple[mb.MultibodySystem, mb.RigidContact]:
    """A brick of this width, m, along x. Its gravity is turned in place of the plane."""
    system = mb.MultibodySystem("tipping_brick")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=GRAVITY, name="gravity")
    size = np.array([width, 0.1, HEIGHT])
    brick = mb.Free(matter.ground, mb.MassProperties(MASS, [0, 0, 0], mb.Inertia.box(mass=MASS, size=size)), name="brick")
    brick.set_default_q([1, 0, 0, 0, 0, 0, HEIGHT / 2])
    shapes = mb.contact.HalfSpace(), mb.contact.Box(size / 2)
    return system, mb.RigidContact(matter.ground, shapes[0], brick, shapes[1], static_friction=FRICTION, name="plane")


def tilted(system: mb.MultibodySystem, angle: float) -> mb.State:
    """The brick at rest on a plane that goes down along x by this angle, rad."""
    state = system.realize_topology()
    system.set_value(state, "gravity.down", [np.sin(angle), 0, -np.cos(angle)])
    return state


def begins_to(simulation: mb.Simulation, contact: mb.RigidContact, angle: float) -> str:
    """What the brick does at the start, by the modes of its corners: 'rest', 'slide' or 'tip'."""
    modes = contact.mode(simulation.run(tilted(simulation.system, angle), until=1e-3).final_state)
    return "slide" if "slip" in modes else "rest" if modes.count("stick") == 4 else "tip"


if __name__ == "__main__":
    for width in (0.04, 0.09, 0.11, 0.15):
        system, contact = brick_on_plane(width)
        simulation = mb.Simulation(system, accuracy=1e-9)
        low, high = 0.0, 1.0
        while high - low > 1e-6:  # by bisection
            middle = (low + high) / 2
            low, high = (middle, high) if begins_to(simulation, contact, middle) == "rest" else (low, middle)
        exact = np.arctan(min(FRICTION, width / HEIGHT))
        what = begins_to(simulation, contact, high)
        print(f"width / height {width / HEIGHT:.2f}: begins to {what} at {high:.6f} rad, exact {exact:.6f} rad")

    angle, system = 0.5, brick_on_plane(0.15)[0]
    slides = mb.Simulation(system, accuracy=1e-9).run(tilted(system, angle), until=0.3)
    speed = 0.3 * GRAVITY * (np.sin(angle) - FRICTION * np.cos(angle))
    print(f"at {angle} rad a wide one slides at {slides['brick.u'][-1, 3]:.6f} m/s after 0.3 s, exact {speed:.6f} m/s")

    # a narrow one turns about its lower edge: its mass center begins `beta` behind the edge and turns on a radius r
    angle, width, (system, contact) = 0.25, 0.04, brick_on_plane(0.04)
    beta, r = np.arctan(width / HEIGHT), np.hypot(width, HEIGHT) / 2
    tips = mb.Simulation(system, accuracy=1e-9).run(tilted(system, angle), until=1.0, report_every=0.1)
    turned = 2 * np.arctan2(tips["brick.q"][2, 2], tips["brick.q"][2, 0])
    rate = np.sqrt(2 * GRAVITY * r * (np.cos(angle - beta) - np.cos(angle - beta + turned)) / (4 / 3 * r**2))
    print(f"at {angle} rad a narrow one tips at {tips['brick.u'][2, 1]:.6f} rad/s after 0.2 s, by its energy {rate:.6f} rad/s")
    print(f"it comes to rest on its side: center {tips['brick.q'][-1, 6]:.6f} m above the plane, corners {contact.mode(tips.final_state)}")
