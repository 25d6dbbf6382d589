"""A bowling ball slides, then rolls at 5/7 of its speed: under error control, in fixed steps, and as an FMU that is stepped."""

import fmpy
import numpy as np

import mobod as mb

MASS, RADIUS, SPEED, FRICTION, GRAVITY = 6.8, 0.108, 8.0, 0.12, 9.81  # kg, m, m/s, coefficient, m/s^2
UNTIL = 3.0  # s


def bowling_ball() -> tuple[mb.MultibodySystem, mb.State, mb.RigidContact]:
    """A solid sphere, thrown along x onto a lane without spin."""
    system = mb.MultibodySystem("bowling_ball")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=GRAVITY, name="gravity")
    mass = mb.MassProperties(MASS, [0, 0, 0], mb.Inertia.sphere(mass=MASS, radius=RADIUS))
    ball = mb.Free(matter.ground, mass, name="ball")
    floor, sphere = mb.contact.HalfSpace(), mb.contact.Sphere(RADIUS)
    lane = mb.RigidContact(matter.ground, floor, ball, sphere, static_friction=FRICTION, name="lane")
    state = system.realize_topology()
    ball.set_q(state, [1, 0, 0, 0, 0, 0, RADIUS])
    ball.set_u(state, [0, 0, 0, SPEED, 0, 0])
    return system, state, lane


if __name__ == "__main__":
    # friction mu m g slows the ball by mu g, and its moment mu m g r about the center, where the inertia is 2/5 m r^2, turns it
    # by 5/2 mu g / r in each second, until the speed is r times that of the rotation
    rolls = 2 * SPEED / (7 * FRICTION * GRAVITY)
    speed = 5 / 7 * SPEED
    way = SPEED * rolls - FRICTION * GRAVITY * rolls**2 / 2 + speed * (UNTIL - rolls)
    energy = MASS * (GRAVITY * RADIUS + SPEED**2 / 2 * 5 / 7)

    system, state, lane = bowling_ball()
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=UNTIL, report_every=0.1)
    print(f"rolls from {results.events[0].time:.9f} s on, exact {rolls:.9f} s; now: {lane.mode(results.final_state)}")
    print(f"at {results['ball.u'][-1, 3]:.9f} m/s, exact {speed:.9f} m/s, 5/7 of the speed at the start")
    print(f"after {results['ball.q'][-1, 4]:.9f} m, exact {way:.9f} m, with {results['energy'][-1]:.6f} J, exact {energy:.6f} J")

    for step in (0.01, 0.001):
        fixed = mb.Simulation(system, integrator="velocity_level", step=step).run(state, until=UNTIL)
        print(f"in steps of {step} s: {fixed['ball.u'][-1, 3]:.6f} m/s, after {fixed['ball.q'][-1, 4]:.6f} m")

    names = ["ball.q", "ball.u", "lane.mode"]
    path = mb.export_fmu(system, "bowling_ball.fmu", outputs=names, state=state)
    options = {"stop_time": UNTIL, "output_interval": 0.1, "relative_tolerance": 1e-9, "record_events": False}
    for kind in ("CoSimulation", "ModelExchange"):
        run = fmpy.simulate_fmu(str(path), fmi_type=kind, **options)
        apart = max(np.abs(run[f"ball.u[{i + 1}]"] - results["ball.u"][:, i]).max() for i in range(6))
        print(f"FMU, {kind}: {len(run)} points, {apart:.0e} rad/s or m/s from the Simulation at most, mode {run['lane.mode'][-1]:.0f}")
