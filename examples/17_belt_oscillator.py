"""Stick and slip: a block on a running belt, tied to the wall by a spring, sticks and slips in turn; times against the closed form."""

import numpy as np

import mobod as mb

MASS, STIFFNESS, WEIGHT, SPEED = 1.0, 100.0, 9.81, 0.1  # kg, N/m, N, m/s of the belt
STATIC, DYNAMIC = 0.6, 0.4


def belt_oscillator() -> mb.MultibodySystem:
    """A belt with a prescribed speed, and a block that slides along it with dry friction."""
    system = mb.MultibodySystem("belt_oscillator")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    belt = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="belt")
    mb.SteadyMotion(belt, SPEED)
    block = mb.Slider(belt, mb.MassProperties.point(mass=MASS, p=[0, 0, 0]), name="block")
    mb.TwoPointLinearSpring(forces, matter.ground, [-1, 0, 0], block, [0, 0, 0], stiffness=STIFFNESS, rest_length=1.0, name="spring")
    mb.RigidJointFriction(block, limit=DYNAMIC * WEIGHT, static_limit=STATIC * WEIGHT, name="friction")
    return system


if __name__ == "__main__":
    system = belt_oscillator()
    results = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=4.0)
    times = [event.time for event in results.events]
    print("slips and sticks in turn at", *(f"{time:.9f}" for time in times[:4]), "s")

    w, A = np.sqrt(STIFFNESS / MASS), (STATIC - DYNAMIC) * WEIGHT / STIFFNESS
    slip, stick = 2 * (np.pi - np.arctan(A * w / SPEED)) / w, 2 * A / SPEED
    print(f"period {times[2] - times[0]:.9f} s, exact {slip + stick:.9f} s")
    print(f"slips for {times[1] - times[0]:.9f} s, exact {slip:.9f} s; sticks for {times[2] - times[1]:.9f} s, exact {stick:.9f} s")

    for step in (0.004, 0.002, 0.001):
        fixed = mb.Simulation(system, integrator="velocity_level", step=step)
        slips = fixed.run(system.realize_topology(), until=4.0, report_every=step)["friction.mode"] == 2
        begins = step * np.flatnonzero(np.diff(slips.astype(int)) == 1)
        print(f"steps of {step} s: period {(begins[-1] - begins[0]) / (len(begins) - 1):.3f} s")
