"""Sensors: closed forms, units of their parts, FMUs, model files, and errors."""

import fmpy
import numpy as np
import pytest

import mobod as mb
from mobod.errors import InputError, UnsupportedError

BALL = mb.MassProperties(1.3, [0, 0, 0], 0.2 * np.eye(3))


@pytest.fixture
def system():
    made = mb.MultibodySystem("bench")
    mb.Gravity(mb.ForceSubsystem(made), mb.MatterSubsystem(made), down=[0, 0, -1], magnitude=9.81)
    return made


def value(system, state, name):
    return system.value(state, system.variable(state, name))


def test_an_imu_on_a_turntable_shows_the_centripetal_acceleration_and_gravity(system):
    """On a table that turns about the vertical, 0.4 m from its axis, with x outward and z up."""
    table = mb.Pin(system.matter.ground, BALL, name="table")
    mb.Imu(system, table, mb.Transform(p=[0.4, 0, 0]), name="imu")
    mb.MobilityForce(system.subsystems[1], table, force=0.6)
    state = system.realize_topology()
    table.set_q(state, 0.7)
    table.set_u(state, 3.0)
    system.realize(state, mb.Stage.REPORT)
    np.testing.assert_allclose(value(system, state, "imu.acceleration"), [-9.0 * 0.4, 0.6 / 0.2 * 0.4, 9.81], rtol=1e-14)
    np.testing.assert_allclose(value(system, state, "imu.angular_velocity"), [0, 0, 3.0], atol=1e-15)


def test_an_imu_in_free_fall_shows_nothing_and_on_ground_gravity(system):
    body = mb.Free(system.matter.ground, BALL, name="stone")
    mb.Imu(system, body, name="falling")
    mb.Imu(system, system.matter.ground, mb.Transform(mb.spatial.rotation_x(np.pi / 2)), name="fixed")
    gravity = system.subsystems[1].elements[0]
    state = system.realize_topology()
    system.realize(state, mb.Stage.REPORT)
    np.testing.assert_allclose(value(system, state, "falling.acceleration"), np.zeros(3), atol=1e-14)
    np.testing.assert_allclose(value(system, state, "fixed.acceleration"), [0, 9.81, 0], atol=1e-14)
    gravity.disable(state)
    system.realize(state, mb.Stage.REPORT)
    np.testing.assert_allclose(value(system, state, "fixed.acceleration"), np.zeros(3), atol=1e-14)


def test_a_force_sensor_shows_the_weight_that_a_weld_carries(system):
    box = mb.Weld(system.matter.ground, BALL, mb.Transform(p=[0.5, 0, 0]), name="box")
    mb.ForceTorque(system, box, mb.Transform(p=[-0.5, 0, 0]), name="flange")
    state = system.realize_topology()
    system.realize(state, mb.Stage.REPORT)
    weight = 1.3 * 9.81
    np.testing.assert_allclose(value(system, state, "flange.force"), [0, 0, weight], rtol=1e-14, atol=1e-13)
    np.testing.assert_allclose(value(system, state, "flange.torque"), [0, -0.5 * weight, 0], rtol=1e-14, atol=1e-13)


def test_an_encoder_shows_counts(system):
    shaft = mb.Pin(system.matter.ground, BALL, name="shaft")
    encoder = mb.JointSensor(system, shaft, resolution=0.1, name="encoder")
    state = system.realize_topology()
    shaft.set_q(state, 0.97)
    system.realize(state, mb.Stage.REPORT)
    assert value(system, state, "encoder.position") == pytest.approx(0.9, rel=1e-15)
    shaft.set_q(state, -0.01)
    system.realize(state, mb.Stage.REPORT)
    assert value(system, state, "encoder.position") == pytest.approx(-0.1, rel=1e-15)
    encoder.set_resolution(state, 0.0)
    system.realize(state, mb.Stage.REPORT)
    assert value(system, state, "encoder.position") == -0.01


@pytest.mark.parametrize("options", [{"accuracy": 1e-10}, {"integrator": "RK4", "step": 0.001}])
def test_an_encoder_may_be_late(system, options):
    """q = 0.3 + 0.2 t + 1.5 t^2 under a constant torque, 0.05 s before, and 0.3 until then; rounded when it is read."""
    shaft = mb.Pin(system.matter.ground, BALL, name="shaft")
    mb.MobilityForce(system.subsystems[1], shaft, force=0.6)
    mb.JointSensor(system, shaft, delay=0.05, name="late")
    mb.JointSensor(system, shaft, delay=0.05, resolution=0.01, name="counts")
    state = system.realize_topology()
    shaft.set_q(state, 0.3)
    shaft.set_u(state, 0.2)
    results = mb.Simulation(system, backend="interpreted", **options).run(state, until=0.5, report_every=0.02)
    t = np.maximum(results.time - 0.05, 0.0)
    expected = 0.3 + 0.2 * t + 1.5 * t**2
    np.testing.assert_allclose(results["late.position"], expected, atol=1e-9)
    np.testing.assert_array_equal(results["counts.position"], np.floor(results["late.position"] / 0.01) * 0.01)
    with pytest.raises(UnsupportedError, match="does not record the history of delay 'late'"):
        mb.Simulation(system, integrator="velocity_level", step=0.01).run(system.realize_topology(), until=0.1)


def test_a_frame_sensor_shows_the_rate_of_what_it_shows(system):
    """By differences over the motion: position and velocity as seen from a body that turns."""
    one = mb.Free(system.matter.ground, BALL, name="one")
    other = mb.Ball(one, BALL, X_PF=mb.Transform(p=[0.3, -0.2, 0.1]), name="other")
    mb.FrameSensor(system, other, mb.Transform(p=[0.1, 0.2, 0.3]), reference=one, reference_frame=mb.Transform(p=[0, 0.4, 0]), name="eye")
    state = system.realize_topology()
    one.set_u(state, [0.4, -0.8, 1.1, 0.3, 0.2, -0.1])
    other.set_u(state, [1.2, 0.5, -0.6])
    results = mb.Simulation(system, accuracy=1e-11).run(state, until=2e-3, report_every=1e-3)
    rate = (results["eye.position"][2] - results["eye.position"][0]) / 2e-3
    np.testing.assert_allclose(results["eye.velocity"][1], rate, atol=1e-5)  # central difference: h^2 / 6 of the third rate, below 10


FRAMES = {"position": "position", "quaternion": "quaternion", "velocity": "velocity", "angular_velocity": "angular_velocity"}


@pytest.fixture
def pair(system):
    """A free body that carries a pin, at a general state, with a FrameSensor, an Imu and a ForceTorque in general frames."""
    one = mb.Free(system.matter.ground, BALL, name="one")
    other = mb.Pin(one, BALL, mb.Transform(mb.spatial.rotation_x(0.7), [0.3, 0.1, 0]), mb.Transform(p=[0.1, 0.2, 0]), name="other")
    X, Y = mb.Transform(mb.spatial.rotation_y(0.4), [0.1, 0.2, 0.3]), mb.Transform(mb.spatial.rotation_z(-0.8), [0, 0.4, 0])
    mb.FrameSensor(system, other, X, reference=one, reference_frame=Y, name="seen")
    mb.Imu(system, other, X, name="imu")
    mb.ForceTorque(system, other, X, name="load")

    def at(make):
        """make(X, Y) adds sensors; then the State."""
        make(one, other, X, Y)
        state = system.realize_topology()
        one.set_q(state, [0.5, 0.5, -0.5, 0.5, 1, 2, 3])
        one.set_u(state, [0.3, -0.2, 0.5, 1.0, 0.4, -0.6])
        other.set_q(state, 0.6)
        other.set_u(state, -1.1)
        system.realize(state, mb.Stage.REPORT)
        return state

    return at


def test_a_frame_quantity_is_one_of_those_of_the_other_sensors(system, pair):
    def make(one, other, X, Y):
        for name in FRAMES:
            mb.FrameQuantity(system, other, X, quantity=name, reference=one, reference_frame=Y, name=f"q_{name}")
        for name in ("own_acceleration", "own_angular_velocity", "force", "torque", "x_axis", "own_velocity", "acceleration"):
            mb.FrameQuantity(system, other, X, quantity=name, name=f"q_{name}")
        mb.FrameQuantity(system, other, X, quantity="own_vector", vector=[0.2, 0.1, -0.4], cutoff=0.3, name="compass")

    state = pair(make)
    shown = {f"q_{name}": f"seen.{part}" for name, part in FRAMES.items()}
    shown |= {"q_own_acceleration": "imu.acceleration", "q_own_angular_velocity": "imu.angular_velocity"}
    shown |= {"q_force": "load.force", "q_torque": "load.torque"}
    for name, same in shown.items():
        np.testing.assert_allclose(value(system, state, f"{name}.value"), value(system, state, same), rtol=1e-12, atol=1e-14, err_msg=name)
    other = system.matter.body("other")
    R_GS = other.X_GB(state).R @ mb.spatial.rotation_y(0.4)
    np.testing.assert_allclose(value(system, state, "q_x_axis.value"), R_GS[:, 0], atol=1e-15)
    v = other.station_velocity_in_ground(state, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(value(system, state, "q_own_velocity.value"), R_GS.T @ v, rtol=1e-13)
    np.testing.assert_allclose(R_GS.T @ value(system, state, "q_acceleration.value"), value(system, state, "imu.acceleration"), rtol=1e-12)
    field = np.clip(R_GS.T @ [0.2, 0.1, -0.4], -0.3, 0.3)
    np.testing.assert_allclose(value(system, state, "compass.value"), field, atol=1e-15)
    assert np.abs(field).max() == 0.3  # the cutoff acts


def test_the_subtree_of_the_base_has_the_sums_of_all_bodies(system, pair):
    def make(one, other, X, Y):
        for name in ("mass_center", "velocity", "angular_momentum"):
            mb.SubtreeQuantity(system, one, quantity=name, name=name)
        mb.SubtreeQuantity(system, other, quantity="mass_center", name="of_other")

    state = pair(make)
    matter = system.matter
    np.testing.assert_allclose(value(system, state, "mass_center.value"), matter.mass_center(state), rtol=1e-13)
    np.testing.assert_allclose(value(system, state, "velocity.value"), matter.mass_center_velocity(state), rtol=1e-12)
    np.testing.assert_allclose(value(system, state, "angular_momentum.value"), matter.central_momentum(state)[:3], rtol=1e-12)
    place = matter.body("other").mass_center_location_in_ground(state)
    np.testing.assert_allclose(value(system, state, "of_other.value"), place, rtol=1e-13)


def test_a_readout_shows_numbers_of_the_system(system):
    pin = mb.Pin(system.matter.ground, mb.MassProperties.point(2.0, [0.3, 0, 0]), name="pin")
    forces = system.subsystems[1]
    servo = mb.Servo(forces, pin, kp=9.0, command=0.7, name="servo")
    tendon = mb.FixedTendon(forces, [pin], [0], [0.4], name="cord")
    made = {
        "angle": mb.Readout(system, "q", body=pin, factor=-3.0, name="angle"),
        "cut": mb.Readout(system, "u", body=pin, cutoff=0.5, name="cut"),
        "push": mb.Readout(system, "force", force=servo, name="push"),
        "length": mb.Readout(system, "length", force=tendon, name="length"),
        "clock": mb.Readout(system, "time", name="clock"),
        "kinetic": mb.Readout(system, "kinetic_energy", name="kinetic"),
        "potential": mb.Readout(system, "potential_energy", name="potential"),
    }
    state = system.realize_topology()
    pin.set_q(state, 0.2)
    pin.set_u(state, -0.9)
    state.time = 1.5
    system.realize(state, mb.Stage.REPORT)
    wanted = {"angle": -0.6, "cut": -0.5, "push": 9.0 * 0.5, "length": 0.08, "clock": 1.5}
    wanted |= {"kinetic": system.kinetic_energy(state), "potential": system.potential_energy(state)}
    assert {name: each.value(state) for name, each in made.items()} == pytest.approx(wanted, rel=1e-14)


def test_sensors_are_outputs_of_an_fmu_and_lie_in_a_model_file(system, tmp_path):
    arm = mb.Pin(system.matter.ground, BALL, X_PF=mb.Transform(mb.spatial.rotation_x(0.3)), name="arm")
    mb.Imu(system, arm, mb.Transform(p=[0.1, 0, 0.2]), name="imu")
    mb.ForceTorque(system, arm, name="flange")
    mb.FrameSensor(system, arm, name="pose")
    mb.JointSensor(system, arm, resolution=0.01, delay=0.1, capacity=50, name="encoder")
    loaded = mb.load_model(mb.save_model(system, tmp_path / "bench.json"))
    states = [each.realize_topology() for each in (system, loaded)]
    for each, state in zip((system, loaded), states, strict=True):
        each.realize(state, mb.Stage.REPORT)
    assert states[0].values.tobytes() == states[1].values.tobytes()
    outputs = ["imu.acceleration", "flange.force", "pose.quaternion", "encoder.position"]
    path = mb.export_fmu(system, tmp_path / "bench.fmu", outputs=outputs, code="interpreted")
    described = {each.name: each.unit for each in fmpy.read_model_description(path).modelVariables}
    assert described["imu.acceleration[3]"] == "m/s2"
    assert described["flange.force[1]"] == "N"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda system, pin: mb.Imu(system, "arm"), "mobilized body or on matter.ground"),
        (lambda system, pin: mb.ForceTorque(system, system.matter.ground), "Ground has none"),
        (lambda system, pin: mb.JointSensor(system, pin, 1), "has 1 coordinates"),
        (lambda system, pin: mb.JointSensor(system, mb.Ball(pin, BALL)), "quaternion"),
        (lambda system, pin: mb.JointSensor(system, pin, delay=-0.1), "delay must be positive"),
        (lambda system, pin: mb.FrameSensor(system, pin, "x"), "frame is a Transform"),
        (lambda system, pin: mb.FrameQuantity(system, pin, quantity="speed"), "quantity is 'speed'"),
        (lambda system, pin: mb.FrameQuantity(system, system.matter.ground, quantity="force"), "Ground has none"),
        (lambda system, pin: mb.SubtreeQuantity(system, system.matter.ground, quantity="velocity"), "a mobilized body"),
        (lambda system, pin: mb.SubtreeQuantity(system, pin, quantity="mass"), "quantity is 'mass'"),
        (lambda system, pin: mb.Readout(system, "q"), "of a mobilized body"),
        (lambda system, pin: mb.Readout(system, "force"), "needs force="),
        (lambda system, pin: mb.Readout(system, "angle", body=pin), "quantity is 'angle'"),
    ],
)
def test_what_cannot_be_is_refused(system, make, text):
    pin = mb.Pin(system.matter.ground, BALL, name="pin")
    with pytest.raises(InputError, match=text):
        make(system, pin)
