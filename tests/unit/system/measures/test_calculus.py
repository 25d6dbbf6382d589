"""Integrals and exact derivatives of measures."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod import functions, measures
from mobod.errors import InputError, RecordingError, StageError, UnsupportedError
from mobod.laws.differences import rate_along_motion
from mobod.scalar import where
from tests.laws.mechanisms import random_mechanism


@pytest.fixture
def rng():
    return np.random.default_rng(23)


def pendulum(**keywords):
    """A point mass of 0.8 kg at 0.6 m."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    pin = mb.Pin(matter.ground, mb.MassProperties.point(0.8, [0, -0.6, 0]), name="pin", **keywords)
    return system, pin, forces


def test_the_integral_of_a_sinusoid_is_its_closed_form():
    system = mb.MultibodySystem("integrals")
    mb.MatterSubsystem(system)
    wave = measures.Sinusoid(system, 2.0, 3.0, 0.4, unit="m")
    area = measures.Integrate(system, wave, initial=0.3, name="area")
    pair = measures.Custom(system, lambda state: np.array([np.exp(-state.time), 1.0]), shape=(2,), stage=mb.Stage.TIME)
    measures.Integrate(system, measures.Integrate(system, pair), initial=[1.0, -1.0], name="twice")
    assert area.units == ("m.s",)

    results = mb.Simulation(system, accuracy=1e-11).run(system.realize_topology(), until=2.0, report_every=0.1)
    t = results.time
    # accuracy 1e-11 over some 100 steps
    assert_allclose(results["area.value"], 0.3 - 2 / 3 * (np.cos(3 * t + 0.4) - np.cos(0.4)), atol=1e-9)
    assert_allclose(results["twice.value"], np.column_stack([t + np.exp(-t), t**2 / 2 - 1]), atol=1e-9)
    assert_allclose(results["der(area.value)"], 2 * np.sin(3 * t + 0.4), atol=1e-14)


def test_an_integral_can_be_reset(rng):
    system = mb.System("integrals")
    area = measures.Integrate(system, measures.Constant(system, [1.0, 2.0, 3.0]), initial=0.25, name="area")
    state = system.realize_topology()
    assert_allclose(area.value(state), [0.25] * 3, rtol=0)
    system.realize(state)
    area.set_value(state, [4.0, 5.0, 6.0])
    assert state.stage == mb.Stage.VELOCITY
    assert_allclose(area.value(state), [4.0, 5.0, 6.0], rtol=0)


@pytest.mark.slow
@pytest.mark.parametrize(("in_euler_angles", "as_text"), [(False, False), (True, True)])
def test_rates_of_positions_and_velocities_match_velocities_and_accelerations(rng, in_euler_angles, as_text):
    """Through every mobilizer, forward and reversed."""
    mechanism = random_mechanism(5, in_euler_angles=in_euler_angles)
    system, pairs = mechanism.system, []
    system.as_text = as_text
    bodies = [body for body in mechanism.bodies if body.nu][:: 6 if as_text else 3]
    for body in bodies:
        p = measures.Custom(system, lambda state, body=body: body.X_GB(state).p, shape=(3,), stage=mb.Stage.POSITION, unit="m")
        v = measures.Differentiate(system, p)
        V = measures.Custom(system, lambda state, body=body: body.V_GB(state), shape=(6,), stage=mb.Stage.VELOCITY)
        pairs.append((body, v, measures.Differentiate(system, v), measures.Differentiate(system, V)))
    state = mechanism.random_state(rng)
    system.realize(state)

    size = max(np.abs(body.A_GB(state)).max() for body in bodies)
    for body, v, a, A in pairs:  # only round-off
        assert_allclose(v.value(state), body.V_GB(state)[3:], atol=1e-12 * size)
        assert_allclose(a.value(state), body.A_GB(state)[3:], atol=1e-12 * size)
        assert_allclose(A.value(state), body.A_GB(state), atol=1e-12 * size)


def test_the_rate_of_an_acceleration_is_known_at_report(rng):
    mechanism = random_mechanism(8, n_bodies=5)
    system, body = mechanism.system, mechanism.bodies[-1]
    a = measures.Custom(system, lambda state: body.A_GB(state), shape=(6,), stage=mb.Stage.ACCELERATION)
    jerk = measures.Differentiate(system, a)
    assert jerk.stage == mb.Stage.REPORT
    state = mechanism.random_state(rng)
    system.realize(state)

    def realized(state):
        system.realize(state, mb.Stage.ACCELERATION)
        return a.value(state)

    # the differences keep the time, on which nothing here depends; stiff contacts need short steps, see rate_along_motion for their error
    difference = rate_along_motion(system, state, realized, step=1e-4)
    assert_allclose(jerk.value(state), difference, atol=1e-8 * np.abs(difference).max())


def test_the_rate_of_an_acceleration_of_a_closed_loop_integrates_to_the_acceleration():
    """The rate depends on multipliers. Its integral is the change of the acceleration, at accuracy 1e-10 over some hundred steps."""
    system = mb.MultibodySystem("four_bar")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.7)
    bar = mb.MassProperties(1.0, [0, 0.5, 0], mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, 0.5, 0]))
    crank = mb.Pin(matter.ground, bar, name="crank")
    coupler = mb.Pin(crank, bar, X_PF=mb.Transform(p=[0, 1, 0]), name="coupler")
    rod = mb.Rod(coupler, [0, 1, 0], matter.ground, [2, 0, 0], 1.5, name="rod")
    felt = measures.Custom(system, lambda state: coupler.A_GB(state)[2:5], shape=(3,), stage=mb.Stage.ACCELERATION, name="felt")
    measures.Differentiate(system, felt, name="jerk")
    state = system.realize_topology()
    crank.set_q(state, 0.3)
    coupler.set_q(state, -1.2)
    state = mb.Assembler(system).assemble(state)
    results = mb.Simulation(system, 1e-10).run(state, until=0.5, report_every=0.001)
    felt_values, jerks = results["felt.value"], results["jerk.value"]
    # Simpson's rule: its error is some thousand times h^4
    integral = 0.001 / 3 * (jerks[:-2:2] + 4 * jerks[1:-1:2] + jerks[2::2]).sum(axis=0)
    assert np.abs(jerks).max() > 10
    assert_allclose(integral, felt_values[-1] - felt_values[0], atol=1e-8 * np.abs(jerks).max())
    assert rod.multipliers(realized(system, results.final_state)).any()
    with pytest.raises(UnsupportedError, match="eliminate rows gives has a rate, but how that rate changes is not known"):
        system.directional_derivative(results.final_state, of=["jerk.value"], along={"crank.q": 1.0})


def realized(system, state):
    system.realize(state)
    return state


def test_the_rate_of_energy_is_driving_minus_dissipated_power(rng):
    system, pin, forces = pendulum()
    damper = mb.MobilityLinearDamper(forces, pin, damping=0.3)
    energy = measures.Custom(system, lambda state: system.energy(state), stage=mb.Stage.DYNAMICS, unit="J", name="energy measured")
    power = measures.Differentiate(system, energy)
    state = system.realize_topology()
    pin.set_q(state, 0.7)
    pin.set_u(state, -1.3)
    system.realize(state)
    assert_allclose(energy.value(state), system.energy(state), rtol=0)
    assert_allclose(power.value(state), -damper.calc_power_dissipation_contribution(state), rtol=1e-14)

    # the energy follows a parameter of a force
    system.set_value(state, "gravity.magnitude", 4.1)
    system.realize(state)
    assert_allclose(energy.value(state), system.energy(state), rtol=0)


def test_a_prescribed_motion_is_differentiated_in_time():
    system, pin, _ = pendulum()
    mb.FunctionMotion(pin, [functions.Polynomial([0.4, -0.3, 0.1, 0.2])])
    turned = measures.Custom(system, lambda state: np.sin(pin.q(state)[0]), stage=mb.Stage.POSITION)
    rate = measures.Differentiate(system, turned)
    state = system.realize_topology()
    state.time = t = 1.7
    system.realize(state)
    q, q_dot = np.polyval([0.4, -0.3, 0.1, 0.2], t), np.polyval([1.2, -0.6, 0.1], t)
    assert_allclose(turned.value(state), np.sin(q), rtol=1e-14)
    assert_allclose(rate.value(state), np.cos(q) * q_dot, rtol=1e-14)


def test_derivatives_of_time_sums_and_integrals_are_exact():
    system = mb.System("clockwork")
    wave = measures.Sinusoid(system, 2.0, 3.0, 0.4)
    slope = measures.Differentiate(system, wave)
    bend = measures.Differentiate(system, slope)
    total = measures.Differentiate(system, measures.Plus(system, measures.Scale(system, 0.5, wave), measures.Constant(system, 3.0)))
    area = measures.Integrate(system, wave, initial=7.0)
    back = measures.Differentiate(system, area)
    mixed = measures.Differentiate(system, measures.Custom(system, lambda state: state.time * area.value(state), stage=mb.Stage.DYNAMICS))
    assert (slope.stage, bend.stage, back.stage) == (mb.Stage.TIME,) * 3
    state = system.realize_topology()
    state.time = t = 0.7
    system.realize(state)
    assert_allclose(slope.value(state), 6 * np.cos(3 * t + 0.4), rtol=1e-14)
    assert_allclose(bend.value(state), -18 * np.sin(3 * t + 0.4), rtol=1e-14)
    assert_allclose(total.value(state), 3 * np.cos(3 * t + 0.4), rtol=1e-14)
    assert back.value(state) == wave.value(state)
    assert_allclose(mixed.value(state), 7.0 + t * wave.value(state), rtol=1e-14)


def test_a_switch_has_the_rate_of_its_active_branch():
    system, pin, _ = pendulum()
    bent = measures.Custom(
        system, lambda state: where(pin.q(state)[0] > 0, pin.q(state)[0] ** 2, -3 * pin.q(state)[0]), stage=mb.Stage.POSITION
    )
    rate = measures.Differentiate(system, bent)
    state = system.realize_topology()
    pin.set_u(state, 2.0)
    for q, expected in ((0.5, 2.0), (-0.5, -6.0)):
        pin.set_q(state, q)
        system.realize(state)
        assert_allclose(rate.value(state), expected, rtol=1e-14)


def test_differentiating_a_quantity_without_a_rate_is_an_error():
    system, pin, _ = pendulum()
    last = measures.Custom(system, lambda state: pin.u_dot(state)[0], stage=mb.Stage.REPORT, name="last")
    with pytest.raises(InputError, match="measure 'last': its value is known at REPORT, so nothing tells its rate"):
        measures.Differentiate(system, last)
    with pytest.raises(InputError, match="Integrate: 'last' is known at REPORT, too late to be integrated"):
        measures.Integrate(system, last)


def test_quantities_of_plain_python_have_no_rate():
    class Wind(mb.CustomForce):
        recordable = False

        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += float(np.sin(state.time))

    system, pin, forces = pendulum()
    Wind(forces, name="wind")
    push = measures.Custom(system, lambda state: pin.u_dot(state)[0], stage=mb.Stage.ACCELERATION, name="push")
    speed = measures.Custom(system, lambda state: pin.u(state)[0], stage=mb.Stage.VELOCITY)
    rate = measures.Differentiate(system, speed)
    state = system.realize_topology()
    state.time = 0.7
    system.realize(state)
    assert rate.value(state) == push.value(state) != 0
    measures.Differentiate(system, push)
    with pytest.raises(
        UnsupportedError, match=r"measure 'push': its rate is not known, since calc_force of force 'wind' .* runs as Python"
    ):
        system.realize_topology()


@pytest.mark.fast(4)
@pytest.mark.parametrize(
    ("function", "stage", "error", "message"),
    [
        (lambda pin, state: 1.0 if pin.q(state)[0] > 0 else 0.0, "POSITION", RecordingError, "the function of measure 'mine'"),
        (lambda pin, state: pin.u_dot(state)[0], "VELOCITY", StageError, "u_dot of 'pin' is computed at ACCELERATION"),
        (
            lambda pin, state: pin.u(state)[0],
            "POSITION",
            StageError,
            "'u' changes at VELOCITY, but only values known at POSITION may be read here",
        ),
        (lambda pin, state: state.time, "INSTANCE", StageError, "'time' changes at TIME"),
        (
            lambda pin, state: pin.matter.system.energy(state),
            "VELOCITY",
            StageError,
            "changes at DYNAMICS, but only values",
        ),
    ],
    ids=["decision", "later value", "later variable", "time", "parameters of lazy values"],
)
def test_an_invalid_function_is_refused_by_name(function, stage, error, message):
    system, pin, _ = pendulum()
    measures.Custom(system, lambda state: function(pin, state), stage=mb.Stage[stage], name="mine")
    with pytest.raises(error, match=message):
        system.realize_topology()
