"""A pendulum with a motor. `mobod simulate pendulum.py:build --until 5 --plot run.png` runs it."""

import mobod as mb


def build() -> mb.MultibodySystem:
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)  # the bodies and their joints
    forces = mb.ForceSubsystem(system)  # the forces
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")  # m/s^2

    # a rod of 1 kg and 1 m along y; its origin is at its upper end, its mass center 0.5 m below
    rod = mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0])
    mass_properties = mb.MassProperties(1.0, [0, -0.5, 0], rod)

    # Pin(parent, mass_properties, X_PF, X_BM): a joint that turns about z. X_PF is where it is on the parent, X_BM where it is on the body
    upper = mb.Pin(matter.ground, mass_properties, name="upper")
    upper.set_default_q(0.5)  # rad from the vertical, at the start
    # a second rod hangs from the end of the first: remove the comment signs
    # lower = mb.Pin(upper, mass_properties, mb.Transform(p=[0, -1, 0]), name="lower")

    mb.MobilityLinearDamper(forces, upper, damping=0.05, name="friction")  # N m s/rad
    mb.MobilityForce(forces, upper, name="motor")  # an input, motor.force, N m; 0 unless it is set
    return system


# mobod info pendulum.py:build                      the names of all variables
# mobod view pendulum.py:build --until 5            the motion in 3-D, in a browser
# mobod simulate pendulum.py:build --set upper.q=1 --set motor.force=0.3 --output upper.q --out run.csv
# mobod export pendulum.py:build --input motor.force --output upper.q --out pendulum.fmu

if __name__ == "__main__":
    system = build()
    state = system.realize_topology()  # the State with the start values
    results = mb.Simulation(system, accuracy=1e-6).run(state, until=5.0, report_every=0.01)
    print(f"at {results.time[-1]:g} s the pendulum is at {results['upper.q'][-1]:.6f} rad from the vertical")
