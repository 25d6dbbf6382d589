"""Co-simulate a pendulum's FMU with a controller's FMU, and run the pendulum's FMU alone."""

from pathlib import Path

import fmpy
from pythonfmu.builder import FmuBuilder

import mobod as mb


def pendulum() -> mb.MultibodySystem:
    """A rod of 1 kg and 1 m that a motor turns."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")
    inertia = mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0])
    arm = mb.Pin(matter.ground, mb.MassProperties(mass=1.0, com=[0, -0.5, 0], inertia=inertia), name="arm")
    mb.MobilityForce(forces, arm, name="motor")
    return system


if __name__ == "__main__":
    mb.export_fmu(pendulum(), "pendulum.fmu", inputs=["motor.force"], outputs=["arm.q", "arm.u"])
    FmuBuilder.build_FMU(Path(__file__).with_name("pd_controller.py"), dest="pd_controller.fmu")

    # together: every 0.01 s the master passes the angle and its rate to the controller, and the torque to the pendulum
    network = mb.Network()
    network.add("pendulum.fmu", start={"arm.q_start": 0.2})
    network.add("pd_controller.fmu", "controller", start={"target": 1.2})
    network.connect("pendulum.arm.q", "controller.angle")
    network.connect("pendulum.arm.u", "controller.rate")
    network.connect("controller.torque", "pendulum.motor.force")
    results = mb.Master(network, step=0.01).run(until=5.0)
    angle, torque = results["pendulum.arm.q"], results["controller.torque"]
    print(f"controlled: from {angle[0]:.3f} to {angle[-1]:.6f} rad, held by {torque[-1]:.6f} N m")
    results.to_csv("controlled.csv")

    # alone: any tool for FMI 2.0 can simulate it, here fmpy
    swing = fmpy.simulate_fmu(
        "pendulum.fmu", stop_time=5.0, output_interval=0.01, relative_tolerance=1e-9, start_values={"arm.q_start": 0.2}, output=["arm.q"]
    )
    print(f"by fmpy, without torque: after {swing['time'][-1]:g} s at {swing['arm.q'][-1]:.6f} rad")
    print("wrote pendulum.fmu, pd_controller.fmu and controlled.csv")
