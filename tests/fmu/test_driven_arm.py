"""FMUs of an arm with every kind of drive, ranges, rotors, an IMU and a force sensor: co-simulation has the bits of a stepped run."""

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim.fmu_file import FmuFile
from mobod.spatial import rotation_x
from tests.fmu.stepped import assert_bits_of_a_stepped_run, walked_thrice

TOLERANCE = 1e-8
TIMES = np.linspace(0, 0.4, 9)
OUTPUTS = ["joint6.q", "servo2.force", "joint2_drive_limit.force", "imu.acceleration", "flange.force", "motor.current"]
OUTPUTS += ["cable.limit.force", "cable.limit.impulse", "cable.length", "fan.force", "stage.force", "winch.activation"]


def driven_arm():
    """Six joints, five with servos that reach their ranges and one with a motor on a voltage; a tendon that reaches the ends of its range
    and has a winch with an activation, a fan in the frame of a body, and a wheel that the last joint turns by teeth with backlash.
    """
    system = mb.MultibodySystem("arm")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    body = matter.ground
    for number in range(1, 7):
        mass = 4.0 / number
        link = mb.MassProperties(mass, [0, 0.1, 0.02], mb.Inertia.box(mass=mass, size=[0.08, 0.25, 0.06]).shifted([0, 0.1, 0.02]))
        body = mb.Pin(
            body, link, X_PF=mb.Transform(rotation_x(np.pi / 2 if number % 2 else -np.pi / 2), [0, 0.2, 0]), name=f"joint{number}"
        )
        body.set_rotor_inertia(3e-5, 60.0 / number, axis=[0, 0, 1] if number > 3 else None)
        if number < 6:
            most = 60.0 / number
            mb.Servo(forces, body, kp=200.0 / number, kd=8.0 / number, force_low=-most, force_high=most, name=f"servo{number}")
    mb.MotorDC(
        forces, body, torque_constant=0.02, resistance=0.7, inductance=1e-3, gear_ratio=10.0, efficiency=0.8, voltage=3.0, name="motor"
    )
    matter.body("joint2").set_drive_limit(-20.0, 20.0)
    cable = mb.FixedTendon(forces, [matter.body("joint3"), matter.body("joint4")], [0, 0], [0.05, -0.04], damping=2.0, name="cable")
    cable.set_limits(-0.004, 0.002, restitution=0.3)
    mb.Servo(forces, tendon=cable, control="force", command=6.0, activation="filter", rise_time=0.03, name="winch")
    mb.SiteServo(forces, body, mb.Transform(p=[0, 0.2, 0]), wrench=[0, 0, 0.01, 0, 0, 1], control="velocity", kd=0.4, name="fan")
    disk = mb.MassProperties(0.2, [0, 0, 0], mb.Inertia.cylinder(mass=0.2, radius=0.05, length=0.02, axis="z"))
    wheel = mb.Pin(body, disk, X_PF=mb.Transform(p=[0.1, 0, 0]), name="wheel")
    mb.GearPair(forces, body, wheel, ratio=-1.5, backlash=0.02, stiffness=40.0, dissipation=0.4, name="stage")
    mb.Imu(system, body, mb.Transform(p=[0, 0.2, 0]), name="imu")
    mb.ForceTorque(system, body, name="flange")
    return system


def exported(folder, version, **options):
    system = driven_arm()
    inputs = [f"servo{number}.command" for number in range(1, 6)]
    path = folder / f"arm_{version}.fmu"
    options = {"inputs": inputs, "outputs": OUTPUTS, "code": "interpreted", "reference": False, "fmi_version": version, **options}
    return mb.export_fmu(system, path, **options)


def commands(time):
    return {f"servo{number}.command": 0.3 * number * np.sin(5 * time + number) for number in range(1, 6)}


@pytest.mark.fast(1)
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 0.002}])
def test_co_simulation_has_the_bits_of_a_stepped_run(tmp_path, version, options):
    of_run = options or {"accuracy": TOLERANCE}
    columns = assert_bits_of_a_stepped_run(driven_arm(), exported(tmp_path, version, **options), OUTPUTS, TIMES, commands, **of_run)
    assert columns.get()[columns.names.index("cable.limit.impulse")] != 0  # it has struck an end of its range


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_model_exchange_has_the_numbers_of_a_run(tmp_path, version):
    path = exported(tmp_path, version)
    system = driven_arm()
    state = system.realize_topology()
    for name, value in commands(0.1).items():
        system.set_value(state, name, value)
    expected = mb.Simulation(system, accuracy=TOLERANCE, backend="interpreted").run(state, until=0.4)
    results = fmpy.simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=0.4, relative_tolerance=1e-8, start_values=commands(0.1), output=["joint6.q"]
    )
    assert_allclose(results["joint6.q"][-1], expected["joint6.q"][-1], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"integrator": "velocity_level", "step": 0.002}])
def test_a_saved_state_continues_with_the_same_bits(tmp_path, options):
    fmu = FmuFile(exported(tmp_path, "2.0", **options))
    names = ["joint6.q", "servo2.force", "joint2_drive_limit.force", "imu.acceleration[2]", "flange.force[3]", "motor.current"]
    names += ["cable.limit.impulse", "stage.force", "winch.activation"]
    first, again, elsewhere = walked_thrice(fmu, TIMES, 4, names)
    assert_array_equal(again, first)
    assert_array_equal(elsewhere, first)
