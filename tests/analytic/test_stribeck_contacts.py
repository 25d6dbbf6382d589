"""The law of Stribeck at rigid contacts: mu(s) = mu_k + (mu_s - mu_k) exp(-(s / v_s)^2)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad, solve_ivp

import mobod as mb
from mobod import Stage
from mobod.errors import InputError

G, STATIC, DYNAMIC, VISCOUS, V_S = 9.81, 0.6, 0.35, 0.02, 0.4
LAW = {"static_friction": STATIC, "dynamic_friction": DYNAMIC, "viscous_friction": VISCOUS, "stribeck_speed": V_S}


def mu(s, v_s=V_S):
    return DYNAMIC + (STATIC - DYNAMIC) * np.exp(-((s / v_s) ** 2)) + VISCOUS * s


def simulated(state, until, **options):
    """The final State, realized to ACCELERATION."""
    final = mb.Simulation(state.system, backend="interpreted", **options).run(state, until=until).final_state
    state.system.realize(final, Stage.ACCELERATION)
    return final


def planar_body(height=0.0, down=(0, 0, -1.0), **law):
    """A block without turns, above or on a floor."""
    system = mb.MultibodySystem("block")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=list(down), magnitude=G)
    block = mb.Translation(matter.ground, mb.MassProperties.point(2.0, [0, 0, 0]), name="block")
    floor = mb.RigidContact(matter.ground, mb.contact.HalfSpace(), block, mb.contact.Sphere(0.1), name="floor", **law)
    state = system.realize_topology()
    block.set_q(state, [0, 0, 0.1 + height])
    return block, floor, state


def test_a_block_slides_and_stops_by_the_law():
    """Its speed has two parts; m dv/dt = -mu(v) N."""
    block, floor, state = planar_body(**LAW)
    along = np.array([0.6, -0.8, 0.0])
    block.set_u(state, 2.0 * along)
    final = simulated(state, 0.2, accuracy=1e-9)
    exact = solve_ivp(lambda t, v: -mu(v) * G, (0, 0.2), [2.0], rtol=1e-12, atol=1e-13).y[0, -1]
    assert_allclose(block.u(final), exact * along, rtol=0, atol=1e-8)  # 10 times the accuracy
    force = floor.friction_force(final)[0]
    assert_allclose(force, -mu(exact) * 2.0 * G * along, rtol=0, atol=1e-7)

    stopped = simulated(state, 1.0, accuracy=1e-9)
    assert floor.mode(stopped) == "stick"
    assert_allclose(block.q(stopped)[:2], quad(lambda v: v / (mu(v) * G), 0, 2.0)[0] * along[:2], rtol=0, atol=1e-8)


@pytest.mark.parametrize(("place", "order"), [("begin", 1), ("middle", 2)])
def test_fixed_steps_take_the_coefficient_at_the_beginning_or_at_the_middle_of_a_step(place, order):
    errors = []
    exact = solve_ivp(lambda t, y: (y[1], -mu(y[1]) * G), (0, 0.2), [0.0, 2.0], rtol=1e-12, atol=1e-13).y[0, -1]
    for step in (4e-3, 2e-3, 1e-3):
        block, floor, state = planar_body(**LAW)
        block.set_u(state, [2.0, 0, 0])
        options = {"integrator": "velocity_level", "step": step, "constraints_at": place}
        slowing = mu(2.0) if place == "begin" else mu(2.0 - mu(2.0) * G * step / 2)
        assert_allclose(block.u(simulated(state, step, **options))[0], 2.0 - slowing * G * step, rtol=1e-12)
        errors.append(exact - block.q(simulated(state, 0.2, **options))[0])
    assert_allclose(np.divide(errors[:-1], errors[1:]), 2.0**order, rtol=0.05)
    assert floor.mode(simulated(state, 1.0, **options)) == "stick"


@pytest.mark.parametrize(
    "options", [{"accuracy": 1e-9}, {"integrator": "velocity_level", "step": 1e-3}], ids=["error control", "fixed steps"]
)
@pytest.mark.parametrize(("excess", "mode"), [(-1e-6, "stick"), (1e-6, "slip")])
def test_a_block_on_an_incline_holds_up_to_the_coefficient_at_rest(excess, mode, options):
    angle = np.arctan(STATIC) + excess
    _, floor, state = planar_body(down=(np.sin(angle), 0, -np.cos(angle)), **LAW)
    assert floor.mode(simulated(state, 0.5, **options)) == mode


def test_an_impact_has_the_coefficient_of_the_slip_before_it():
    speed, fall = 1.5, 0.2
    block, _, state = planar_body(height=fall**2 / (2 * G), **LAW)
    block.set_u(state, [0.3, 0, 0])
    assert fall * mu(0.3) < 0.3  # it slides on
    landed = simulated(state, fall / G + 1e-9, accuracy=1e-9)
    assert_allclose(block.u(landed)[0], 0.3 - mu(0.3) * fall, atol=1e-7)
    block.set_u(state, [speed, 0, 0])
    assert_allclose(block.u(simulated(state, fall / G + 1e-9, accuracy=1e-9))[0], speed - mu(speed) * fall, atol=1e-7)


def belt(**law):
    """A block that a spring holds on a running belt."""
    system = mb.MultibodySystem("belt")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=G)
    band = mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="belt")
    mb.SteadyMotion(band, 0.1)
    block = mb.Translation(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="block")
    mb.TwoPointLinearSpring(forces, matter.ground, [-1, 0, 0.1], block, [0, 0, 0], stiffness=100.0, rest_length=1.0)
    contact = mb.RigidContact(band, mb.contact.HalfSpace(), block, mb.contact.Sphere(0.1), name="contact", **law)
    state = system.realize_topology()
    block.set_q(state, [0, 0, 0.1])
    block.set_u(state, [0.1, 0, 0])
    return contact, state


def test_a_block_on_a_belt_sticks_and_slips_by_the_law():
    """It slips from where the spring reaches the limit until it has the belt's speed, and sticks until the spring is there again."""
    static, dynamic, v_s = 0.6, 0.4, 0.05
    contact, state = belt(static_friction=static, dynamic_friction=dynamic, stribeck_speed=v_s)

    def rates(t, y):
        slip = 0.1 - y[1]
        return [y[1], G * (dynamic + (static - dynamic) * np.exp(-((slip / v_s) ** 2))) - 100.0 * y[0]]

    def slip_after_start(t, y):
        return 0.1 - y[1] if t > 0.05 else 1.0

    slip_after_start.terminal = True
    limit = static * G / 100.0
    slip = solve_ivp(rates, (0, 2), [limit, 0.1], events=slip_after_start, rtol=1e-12, atol=1e-13)
    slips, end = slip.t[-1], slip.y[0, -1]
    sticks = (limit - end) / 0.1
    results = mb.Simulation(state.system, backend="interpreted", accuracy=1e-10).run(state, until=4.0)
    times = [event.time for event in results.events]
    expected = limit / 0.1 + np.array([0.0, slips, slips + sticks, 2 * slips + sticks])
    assert_allclose(times[:4], expected, rtol=0, atol=1e-8)
    contact.set_friction(state, static, dynamic, stribeck_speed=0.0)
    assert contact.parameter(state, "stribeck_speed") == 0


def test_a_stribeck_speed_of_0_is_coulombs_law_to_the_last_bit():
    ends = []
    for given in ({}, {"stribeck_speed": 0.0}):
        block, _, state = planar_body(height=0.01, static_friction=STATIC, dynamic_friction=DYNAMIC, restitution=0.4, **given)
        block.set_u(state, [1.0, 0.3, 0])
        ends.append(
            [
                simulated(state, 0.3, **options).y.tobytes()
                for options in ({"accuracy": 1e-8}, {"integrator": "velocity_level", "step": 1e-3})
            ]
        )
    assert ends[0] == ends[1]


def test_wrong_stribeck_speeds_are_named():
    with pytest.raises(InputError, match=r"stribeck_speed cannot be -1"):
        planar_body(static_friction=0.5, stribeck_speed=-1.0)
    _, floor, state = planar_body(static_friction=0.5)
    with pytest.raises(InputError, match=r"'floor' has no law of Stribeck\. Make it with stribeck_speed"):
        floor.set_friction(state, 0.5, stribeck_speed=0.1)


def test_files_and_sets_of_contacts_keep_the_stribeck_speed(tmp_path):
    _, floor, state = planar_body(**LAW)
    assert "floor.stribeck_speed" in {each.name for each in state.system.variables(state) if each.role == "parameter"}
    mb.save_model(state.system, tmp_path / "model.json")
    again = mb.load_model(tmp_path / "model.json").matter.constraints[0]
    assert isinstance(again, mb.RigidContact)
    assert again.equations.friction == floor.equations.friction == (STATIC, DYNAMIC, VISCOUS, V_S)
    system = mb.MultibodySystem("set")
    matter = mb.MatterSubsystem(system)
    shapes = mb.ContactSet(matter)
    shapes.add(matter.ground, mb.contact.HalfSpace())
    shapes.add(mb.Free(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="ball"), mb.contact.Sphere(0.1))
    (made,) = shapes.rigid(static_friction=0.5, dynamic_friction=0.4, stribeck_speed=V_S)
    assert made.equations.friction == (0.5, 0.4, 0.0, V_S)
