"""A block on an incline: it sticks below the angle of friction, slides above it, and comes to rest after a push; against closed forms."""

import numpy as np

import mobod as mb

GRAVITY, STATIC, DYNAMIC = 9.81, 0.5, 0.4  # m/s^2; coefficients of friction
HALF_LENGTHS = [0.2, 0.1, 0.05]  # m


def block_on_incline(angle: float) -> tuple[mb.MultibodySystem, mb.Free, mb.RigidContact]:
    """A box of 2 kg on a plane that goes down along x; gravity is turned by the angle, rad, in place of the plane."""
    system = mb.MultibodySystem("incline")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[np.sin(angle), 0, -np.cos(angle)], magnitude=GRAVITY, name="gravity")
    mass = mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=2 * np.array(HALF_LENGTHS)))
    block = mb.Free(matter.ground, mass, name="block")
    block.set_default_q([1, 0, 0, 0, 0, 0, HALF_LENGTHS[2]])
    contact = mb.RigidContact(
        matter.ground,
        mb.contact.HalfSpace(),
        block,
        mb.contact.Box(HALF_LENGTHS),
        static_friction=STATIC,
        dynamic_friction=DYNAMIC,
        name="contact",
    )
    return system, block, contact


if __name__ == "__main__":
    critical = np.arctan(STATIC)
    for angle in (critical - 1e-6, critical + 1e-6):
        system, block, contact = block_on_incline(angle)
        results = mb.Simulation(system, accuracy=1e-9).run(system.realize_topology(), until=1.0)
        exact = GRAVITY * (np.sin(angle) - DYNAMIC * np.cos(angle)) / 2 if angle > critical else 0.0
        mode = contact.mode(results.final_state)[0]
        print(f"{angle:.6f} rad: {mode}, {results['block.q'][-1, 4]:.9f} m after 1 s, exact {exact:.9f} m")

    system, block, contact = block_on_incline(0.3)
    state = system.realize_topology()
    block.set_u(state, [0, 0, 0, 1.0, 0, 0])
    stop = 1 / (GRAVITY * (DYNAMIC * np.cos(0.3) - np.sin(0.3)))
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=2.0)
    system.realize(results.final_state, mb.Stage.ACCELERATION)
    print(f"pushed at 1 m/s: at rest at {results.events[0].time:.9f} s, exact {stop:.9f} s, after {results['block.q'][-1, 4]:.9f} m")
    friction = contact.friction_force(results.final_state).sum(axis=0)
    print(f"friction {friction[0]:.6f} N, exact {-2 * GRAVITY * np.sin(0.3):.6f} N, of four corners together")

    fixed = mb.Simulation(system, integrator="velocity_level", step=0.001).run(state, until=2.0)
    print(f"in steps of 1 ms it stops after {fixed['block.q'][-1, 4]:.4f} m")
