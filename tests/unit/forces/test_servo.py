"""Servos, tendons and limits of drives: closed forms, the kink of a limit, energy, FMUs, and errors."""

import fmpy
import numpy as np
import pytest

import mobod as mb
from mobod.errors import InputError, UnsupportedError

MASS = 1.7
CUBE = mb.MassProperties(1.0, [0, 0, 0], np.eye(3))


@pytest.fixture
def cart():
    """A mass on a slider."""
    system = mb.MultibodySystem("track")
    return mb.Slider(mb.MatterSubsystem(system).ground, mb.MassProperties.point(MASS, [0, 0, 0]), name="cart")


@pytest.fixture
def forces(cart):
    return mb.ForceSubsystem(cart.matter.system)


def state_at(cart, q, u):
    state = cart.matter.system.realize_topology()
    cart.set_q(state, q)
    cart.set_u(state, u)
    cart.matter.system.realize(state, mb.Stage.ACCELERATION)
    return state


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        ({"control": "position", "kp": 20.0, "kd": 3.0}, 20.0 * (0.8 - 2.5 * 0.3) - 3.0 * 2.5 * 0.9 + 0.4),
        ({"control": "velocity", "kd": 3.0}, 3.0 * (0.8 - 2.5 * 0.9) + 0.4),
        ({"control": "force"}, 0.8 + 0.4),
        ({"control": "affine", "gain": 7.0, "kp": -2.0, "kd": 1.0}, 7.0 * 0.8 + 0.4 + 2.0 * 2.5 * 0.3 - 2.5 * 0.9),
        ({"control": "affine", "gain": 7.0, "gain_length": 2.0, "gain_rate": -3.0}, (7.0 + 2.0 * 0.75 - 3.0 * 2.25) * 0.8 + 0.4),
    ],
)
def test_each_law_with_a_gear(cart, forces, law, expected):
    servo = mb.Servo(forces, cart, **law, gear=2.5, offset=0.4, command=0.8)
    state = state_at(cart, 0.3, 0.9)
    assert servo.applied_force(state) == pytest.approx(expected, rel=1e-14)
    assert cart.u_dot(state) == pytest.approx([2.5 * expected / MASS], rel=1e-14)
    assert servo.power(state) == pytest.approx(expected * 2.5 * 0.9, rel=1e-14)


def test_an_activation_filters_the_command_or_integrates_it(cart, forces):
    """A fixed command of a filter: 1 - exp(-t / T); an integrator: command t."""
    for kind in ("filter", "integrator"):
        mb.Servo(forces, cart, control="force", command=0.4, activation=kind, rise_time=0.2, name=kind)
    results = mb.Simulation(cart.matter.system, accuracy=1e-10).run(cart.matter.system.realize_topology(), until=0.5)
    assert results["filter.activation"][-1] == pytest.approx(0.4 * (1 - np.exp(-0.5 / 0.2)), rel=1e-9)
    assert results["integrator.activation"][-1] == pytest.approx(0.4 * 0.5, rel=1e-12)
    assert results["filter.force"][-1] == results["filter.activation"][-1]


def test_a_muscle_rises_and_falls_with_its_two_times(cart, forces):
    times = {"rise_time": 0.01, "fall_time": 0.04, "activation_at_start": 0.3}
    muscle = mb.Servo(forces, cart, control="force", activation="muscle", **times, command=0.8, name="muscle")
    system, state = cart.matter.system, cart.matter.system.realize_topology()
    system.realize(state, mb.Stage.DYNAMICS)
    rate = system.variable(state, "der(muscle.activation)")
    assert system.value(state, rate) == pytest.approx((0.8 - 0.3) / (0.01 * (0.5 + 1.5 * 0.3)), rel=1e-14)
    muscle.set_command(state, 0.1)
    system.realize(state, mb.Stage.DYNAMICS)
    assert system.value(state, rate) == pytest.approx((0.1 - 0.3) / (0.04 / (0.5 + 1.5 * 0.3)), rel=1e-14)


def test_command_and_force_keep_their_ranges(cart, forces):
    servo = mb.Servo(forces, cart, kp=100.0, command=9.0, command_low=-1.0, command_high=1.0, force_low=-20.0, force_high=30.0)
    state = state_at(cart, 0.2, 0.0)
    assert (servo.unlimited_force(state), servo.applied_force(state)) == (100.0 * (1.0 - 0.2), 30.0)
    servo.set_command(state, -9.0)
    cart.matter.system.realize(state, mb.Stage.DYNAMICS)
    assert (servo.unlimited_force(state), servo.applied_force(state)) == (100.0 * (-1.0 - 0.2), -20.0)


@pytest.mark.parametrize("integrator", ["RK45", "DOP853"])
def test_a_step_ends_where_the_force_leaves_its_range(cart, forces, integrator):
    """A spring of a servo pulls with its greatest force until k q is below it; then the mass swings."""
    k, most, q0, until = 40.0, 10.0, 0.6, 0.5
    mb.Servo(forces, cart, kp=k, force_low=-most, force_high=most)
    kink = np.sqrt(2 * MASS * (q0 - most / k) / most)
    speed, omega = -most / MASS * kink, np.sqrt(k / MASS)
    results = mb.Simulation(cart.matter.system, integrator=integrator, accuracy=1e-9).run(state_at(cart, q0, 0.0), until=until)
    assert np.abs(results.time - kink).min() < 1e-10
    expected = most / k * np.cos(omega * (until - kink)) + speed / omega * np.sin(omega * (until - kink))
    assert results["cart.q"][-1] == pytest.approx(expected, abs=1e-8)


def test_the_drives_of_a_joint_keep_one_range_and_springs_are_no_drives(cart, forces):
    mb.MobilityForce(forces, cart, force=5.0, name="motor")
    mb.MobilityLinearSpring(forces, cart, stiffness=50.0, name="spring")
    cart.set_drive_limit(-6.0, 7.0)
    mb.Servo(forces, cart, control="force", gear=2.0, command=4.0, name="servo")  # after the limit was set
    tendon = mb.FixedTendon(forces, [cart], [0], [3.0], stiffness=10.0, name="tendon")
    mb.Servo(forces, tendon=tendon, control="force", command=-1.5, name="pull")
    state = state_at(cart, 0.1, 0.0)
    limit = next(each for each in forces.elements if isinstance(each, mb.DriveLimit))
    total = 5.0 + 2.0 * 4.0 - 3.0 * 1.5
    assert (limit.unlimited_force(state), limit.drive_force(state)) == (total, 7.0)
    assert cart.u_dot(state) == pytest.approx([(7.0 - 50.0 * 0.1 - 3.0 * 10.0 * 0.3) / MASS], rel=1e-14)
    sums = sum(each.calc_force_contribution(state)[1] for each in forces.elements)
    assert sums == pytest.approx(cart.matter.mobility_forces(state), rel=1e-14)
    cart.set_drive_limit(-6.0, 6.5)  # the same limit, changed
    assert [type(each) for each in forces.elements].count(mb.DriveLimit) == 1
    assert limit.drive_force(state_at(cart, 0.1, 0.0)) == 6.5


def two_links():
    system = mb.MultibodySystem("finger")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    link = mb.MassProperties.point(0.2, [0, -0.05, 0])
    first = mb.Pin(matter.ground, link, name="first")
    second = mb.Pin(first, link, X_PF=mb.Transform(p=[0, -0.05, 0]), name="second")
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
    return system, forces, first, second


def test_a_tendon_with_a_slack_spring_keeps_its_energy():
    system, forces, first, second = two_links()
    tendon = mb.FixedTendon(forces, [first, second], [0, 0], [0.012, -0.007], stiffness=9000.0, rest_low=-0.002, rest_high=0.003)
    state = system.realize_topology()
    first.set_q(state, 1.1)
    system.realize(state, mb.Stage.DYNAMICS)
    assert tendon.length(state) == pytest.approx(0.012 * 1.1, rel=1e-15)
    assert tendon.tension(state) == pytest.approx(9000.0 * (0.012 * 1.1 - 0.003), rel=1e-13)
    results = mb.Simulation(system, accuracy=1e-9).run(state, until=1.0)
    energy = results["energy"]
    assert np.ptp(energy) < 1e-5 * np.abs(energy).max()  # the spring's stiffness jumps at the ends of its slack, within steps
    assert results[f"{tendon.name}.tension"].min() < 0  # it also pushed: below rest_low


def test_the_power_of_a_servo_is_what_the_energy_gains():
    system, forces, first, second = two_links()
    mb.Servo(forces, second, kp=0.3, kd=0.01, command=0.7, force_low=-0.08, force_high=0.08, name="servo")
    state = system.realize_topology()
    first.set_q(state, 0.4)
    results = mb.Simulation(system, accuracy=1e-10).run(state, until=0.3, report_every=1e-4)
    gained = results["energy"] - results["energy"][0]
    power = results["servo.power"]
    done = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * 1e-4)])  # trapezoids: errors of 1e-8 / 12 of the second rate
    np.testing.assert_allclose(done, gained, atol=2e-5 * np.abs(gained).max())


def test_fixed_steps_and_backends_have_the_same_servo():
    """At velocity level the kink of a range has an error of a step, and no event."""
    system, forces, first, second = two_links()
    mb.Servo(forces, second, kp=0.3, kd=0.01, command=0.7, force_low=-0.08, force_high=0.08, name="servo")
    first.set_drive_limit(-0.02, 0.02)
    mb.MobilityForce(forces, first, force=0.05)
    runs = {
        name: mb.Simulation(system, integrator=name, **options).run(system.realize_topology(), until=0.4)["second.q"][-1]
        for name, options in {
            "RK45": {"accuracy": 1e-9},
            "velocity_level": {"step": 1e-4},
            "RK4": {"step": 1e-3},
            "SemiImplicitEuler": {"step": 1e-4},
        }.items()
    }
    assert runs["RK4"] == pytest.approx(runs["RK45"], abs=1e-5)
    assert runs["velocity_level"] == pytest.approx(runs["RK45"], abs=2e-3)
    assert runs["SemiImplicitEuler"] == pytest.approx(runs["RK45"], abs=2e-3)


def test_an_fmu_has_the_command_the_ranges_and_the_outputs_of_a_servo(cart, forces, tmp_path):
    mb.Servo(forces, cart, kp=40.0, kd=2.0, force_low=-5.0, force_high=5.0, name="servo")
    named = {"inputs": ["servo.command"], "outputs": ["cart.q", "servo.force"]}
    path = mb.export_fmu(cart.matter.system, tmp_path / "track.fmu", **named, code="interpreted")
    signal = np.array([(0.0, 1.0), (2.0, 1.0)], dtype=[("time", float), ("servo.command", float)])
    results = fmpy.simulate_fmu(str(path), input=signal, stop_time=2.0, output_interval=0.01, start_values={"servo.force_high": 4.0})
    assert results["servo.force"].max() == 4.0
    state = cart.matter.system.realize_topology()
    cart.matter.system.set_value(state, "servo.force_high", 4.0)
    cart.matter.system.set_value(state, "servo.command", 1.0)
    expected = mb.Simulation(cart.matter.system).run(state, until=2.0)
    assert results["cart.q"][-1] == pytest.approx(expected["cart.q"][-1], abs=1e-4)


def test_a_model_file_keeps_tendon_servo_and_limit(tmp_path):
    system, forces, first, second = two_links()
    tendon = mb.FixedTendon(forces, [first, second], [0, 0], [0.012, -0.007], stiffness=900.0, name="grip")
    mb.Servo(forces, tendon=tendon, kp=30.0, command=0.01, force_high=2.0, name="puller")
    mb.SiteServo(forces, second, mb.Transform(p=[0, -0.05, 0]), wrench=[0, 0, 0.1, 1, 0, 0], control="force", command=0.3, name="jet")
    first.set_drive_limit(-0.01, 0.01)
    first.set_rotor_inertia(1e-5, 20.0)
    loaded = mb.load_model(mb.save_model(system, tmp_path / "finger.json"))
    states = [each.realize_topology() for each in (system, loaded)]
    for each, state in zip((system, loaded), states, strict=True):
        each.realize(state, mb.Stage.ACCELERATION)
    assert states[0].values.tobytes() == states[1].values.tobytes()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda forces, cart: mb.Servo(forces), InputError, "on a body or on a tendon"),
        (lambda forces, cart: mb.Servo(forces, cart, 1), InputError, "'cart' .* has 1 speeds"),
        (lambda forces, cart: mb.Servo(forces, cart, control="speed"), InputError, "control is"),
        (lambda forces, cart: mb.Servo(forces, cart, force_low=3.0, force_high=1.0), InputError, "Swap them"),
        (lambda forces, cart: mb.Servo(forces, mb.Ball(cart, CUBE), kp=1.0), UnsupportedError, "no position"),
        (lambda forces, cart: mb.SiteServo(forces, cart, wrench=[0, 0, 0, 1, 0, 0]), InputError, "no length"),
        (lambda forces, cart: mb.FixedTendon(forces, [cart], [0], [1.0, 2.0]), InputError, "same length"),
        (lambda forces, cart: mb.FixedTendon(forces, [cart], [0], [1.0], unit="mm"), InputError, "'m' or 'rad'"),
        (lambda forces, cart: cart.set_drive_limit(2.0, 1.0), InputError, "Swap them"),
    ],
)
def test_what_cannot_be_is_refused(cart, forces, make, error, text):
    with pytest.raises(error, match=text):
        make(forces, cart)


def test_a_drive_of_another_subsystem_is_refused_by_name(cart, forces):
    cart.set_drive_limit(-1.0, 1.0)
    mb.MobilityForce(mb.ForceSubsystem(cart.matter.system, "other"), cart, name="stray")
    with pytest.raises(UnsupportedError, match="'stray' belongs to another"):
        cart.matter.system.realize_topology()


@pytest.mark.parametrize("axes", ["site", "reference"])
def test_a_site_servo_between_two_bodies_pushes_both_with_opposite_forces(axes):
    system = mb.MultibodySystem("pair")
    ground, forces = mb.MatterSubsystem(system).ground, mb.ForceSubsystem(system)
    one, other = (mb.Free(ground, CUBE, name=name) for name in ("one", "other"))
    X_1S, X_2R = (mb.Transform(mb.spatial.rotation_x(angle), p) for angle, p in ((0.4, [0.1, 0.2, 0.3]), (-0.7, [0.5, 0, 0.1])))
    wrench = [0.3, -0.2, 0.5, 1.0, 2.0, -0.7]
    servo = mb.SiteServo(
        forces, one, X_1S, wrench=wrench, reference=other, reference_frame=X_2R, axes=axes, control="velocity", kd=1.5, command=0.8
    )
    state = system.realize_topology()
    for body, seed in ((one, 1), (other, 2)):
        random = np.random.default_rng(seed)
        body.set_q(state, [0.5, 0.5, 0.5, 0.5, *random.normal(size=3)])
        body.set_u(state, random.normal(size=6))
    system.realize(state, mb.Stage.ACCELERATION)
    X_G1, X_G2 = one.X_GB(state), other.X_GB(state)
    R = (X_G1.R @ X_1S.R) if axes == "site" else (X_G2.R @ X_2R.R)
    torque, push = R @ wrench[:3], R @ wrench[3:]
    v = one.station_velocity_in_ground(state, X_1S.p) - other.station_velocity_in_ground(state, X_2R.p)
    rate = torque @ (one.V_GB(state)[:3] - other.V_GB(state)[:3]) + push @ v
    force = 1.5 * (0.8 - rate)
    assert servo.applied_force(state) == pytest.approx(force, rel=1e-13)
    assert servo.power(state) == pytest.approx(force * rate, rel=1e-13)
    for body, arm, sign in ((one, X_G1.R @ X_1S.p, 1), (other, X_G2.R @ X_2R.p, -1)):
        wanted = sign * force * np.concatenate([torque + np.cross(arm, push), push])
        # the moment of inertia of the cube about any axis is 1 kg m^2
        np.testing.assert_allclose(body.u_dot(state), wanted, rtol=1e-12, atol=1e-13)


def test_an_fmu_declares_the_range_of_a_command(cart, forces):
    mb.Servo(forces, cart, kp=3.0, command_low=-0.4, command_high=0.7, name="held")
    mb.Servo(forces, cart, control="force", command_low=-1.0, name="half")
    mb.Servo(forces, cart, kp=3.0, command=0.1, command_low=0.2, command_high=0.9, name="outside")
    state = cart.matter.system.realize_topology()
    ranges = [cart.matter.system.variable(state, f"{name}.command").declared_range for name in ("held", "half", "outside")]
    assert ranges == [(-0.4, 0.7), (-1.0, np.inf), (0.1, 0.9)]  # FMI asks that a start value is in it
