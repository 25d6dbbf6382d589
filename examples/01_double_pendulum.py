"""Model a double pendulum, simulate it, plot it, show it in a browser."""

from math import pi

import mobod as mb


def double_pendulum() -> mb.MultibodySystem:
    """Two point masses of 1 kg on massless rods of 1 m, released from the horizontal."""
    system = mb.MultibodySystem("double_pendulum")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")

    bob = mb.MassProperties.point(mass=1.0, p=[0, -1, 0])  # at the end of a rod that points down from the body's origin
    upper = mb.Pin(matter.ground, bob, name="upper")  # a pin turns about z
    lower = mb.Pin(upper, bob, X_PF=mb.Transform(p=[0, -1, 0]), name="lower")  # its origin is at the end of the upper rod

    upper.set_default_q(pi / 2)
    lower.set_default_q(0.0)  # relative to the upper rod: both are horizontal
    return system


if __name__ == "__main__":
    system = double_pendulum()
    state = system.realize_topology()  # the default State; it contains all variables

    # computes everything up to the given stage
    system.realize(state, mb.Stage.ACCELERATION)
    upper = system.matter.body("upper")
    print(f"the upper rod starts with {upper.u_dot(state)[0]:.4f} rad/s^2")

    results = mb.Simulation(system, accuracy=1e-10).run(state, until=5.0, report_every=0.01)

    theta1 = results["upper.q"]
    theta2 = theta1 + results["lower.q"]  # from the vertical
    energy = results["energy"]
    print(f"at {results.time[100]:g} s the rods are at {theta1[100]:.10f} and {theta2[100]:.10f} rad from the vertical")
    print(f"over {results.time[-1]:g} s no more than {energy.max() - energy.min():.0e} J are lost or gained")

    results.to_csv("double_pendulum.csv", "upper.q", "lower.q", "lower.p_GB")
    axes = results.plot("upper.q", "lower.q")
    axes.set_title("Double pendulum: angle of each pin")
    axes.figure.savefig("double_pendulum.png")
    results.animate("double_pendulum.html", "upper.q", "lower.q")  # a page that plays the run; open it in a browser
    print("wrote double_pendulum.csv, double_pendulum.png and double_pendulum.html")
