"""A driven wheel on a wet road, and the controller of its slip, each an FMU. Without the controller the wheel spins."""

import numpy as np
from slip_controller import RADIUS, slip_controller

import mobod as mb

CAR, WHEEL, INERTIA = 300.0, 40.0, 1.2  # kg, kg, kg m^2: a quarter of a car
STATIC, DYNAMIC, GRAVITY, WANTED = 0.4, 0.3, 9.81, 450.0  # coefficients of friction, m/s^2, N m that the driver wants


def vehicle() -> mb.MultibodySystem:
    """The car does not turn. The wheel turns about y and touches the road by a circle."""
    system = mb.MultibodySystem("vehicle")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=GRAVITY, name="gravity")
    car = mb.Translation(matter.ground, mb.MassProperties.point(mass=CAR, p=[0, 0, 0]), name="car")
    car.set_default_q([0, 0, RADIUS])
    mass = mb.MassProperties(WHEEL, [0, 0, 0], mb.Inertia(INERTIA * np.diag([0.5, 0.5, 1.0])))
    wheel = mb.Pin(car, mass, mb.Transform(mb.spatial.rotation_x(-np.pi / 2)), name="wheel")
    mb.MobilityForce(forces, wheel, name="motor")
    shapes = mb.contact.HalfSpace(), mb.contact.Circle(RADIUS)
    mb.RigidContact(matter.ground, shapes[0], wheel, shapes[1], static_friction=STATIC, dynamic_friction=DYNAMIC, name="road")
    return system


if __name__ == "__main__":
    outputs = ["car.u", "wheel.u", "road.slip_speed", "road.power_dissipation"]
    mb.export_fmu(vehicle(), "vehicle.fmu", inputs=["motor.force"], outputs=outputs)
    mb.export_fmu(slip_controller(WANTED), "slip_controller.fmu", inputs=["speed.value", "rate.value"], outputs=["torque.value"])

    runs = {}
    for name in ("controlled", "alone"):
        network = mb.Network()
        network.add("vehicle.fmu", start={"motor.force": WANTED})
        if name == "controlled":
            network.add("slip_controller.fmu", "controller")
            network.connect("vehicle.car.u[1]", "controller.speed.value")
            network.connect("vehicle.wheel.u", "controller.rate.value")
            network.connect("controller.torque.value", "vehicle.motor.force")
        runs[name] = results = mb.Master(network, step=0.002).run(until=3.0)
        speed, slip = results["vehicle.car.u[1]"][-1], results["vehicle.road.slip_speed"][-1]
        heat = np.trapezoid(results["vehicle.road.power_dissipation"], results.time)
        print(f"{name}: {speed:.4f} m/s after 3 s, slip {slip:.4f} m/s, {heat / 1000:.2f} kJ of heat in the road")

    drive = DYNAMIC * (CAR + WHEEL) * GRAVITY  # N, from a road on which the wheel slips
    spins = (RADIUS / INERTIA * (WANTED - drive * RADIUS) - DYNAMIC * GRAVITY) * 3.0
    print(f"exact slip of the wheel alone {spins:.4f} m/s")
    results = runs["controlled"]
    off = (results["vehicle.road.slip_speed"] - 0.3 - 0.1 * results["vehicle.car.u[1]"])[results.time >= 1.0]
    torque = drive * RADIUS + INERTIA * 1.1 * DYNAMIC * GRAVITY / RADIUS  # the rate grows with 1.1 times the speed
    print(f"controlled, the slip is at most {np.abs(off).max():.1e} m/s from its target after 1 s")
    print(f"the motor gives {results['controller.torque.value'][-1]:.4f} N m of {WANTED:g}, exact {torque:.4f} N m")
