"""Bodies that a page pulls, against Systems with springs and dampers of the same stiffness."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.viewer.live_model import live_model
from tests.unit.simulate.test_stepped_run import hinge
from tests.view.live_cases import arm, bouncing_ball, double_pendulum, free_body, slotted_hinge
from tests.view.live_runtime import REACHED, LiveRun


def opened(system, state, accuracy=1e-10):
    return LiveRun(*live_model(system, state, mb.Simulation(system, accuracy, backend="interpreted")))


def pull(live, body, stiffness, damping, station, target):
    for place, value in enumerate([stiffness, damping, *station, *target]):
        assert live("live_set", live.header["pull"] + place, float(value), 7)
    return live("live_pull", next(each["forces"] for each in live.header["bodies"] if each["name"] == body))


def y_of(live, state):
    return live.numbers()[state.layout.y.slice]


@pytest.mark.parametrize("body", ["upper", "lower"])
def test_a_pull_is_a_spring_to_a_point_of_ground(body):
    system, state, _ = double_pendulum()
    live = opened(system, state)
    assert live.step_to(0.5) == REACHED
    assert pull(live, body, 30.0, 0.0, [0.1, -0.8, 0.0], [1.0, 0.5, 0.0])
    assert live.step_to(1.5) == REACHED
    pulled = y_of(live, state)
    live("live_pull", -1)
    assert live.step_to(2.0) == REACHED

    other, _, _ = double_pendulum()
    matter = other.matter
    spring = mb.TwoPointLinearSpring(
        mb.ForceSubsystem(other, "springs"),
        matter.ground,
        [1.0, 0.5, 0.0],
        matter.body(body),
        [0.1, -0.8, 0.0],
        stiffness=30.0,
        rest_length=0.0,
    )
    start = other.realize_topology()
    spring.disable(start)
    simulation = mb.Simulation(other, 1e-10)
    first = simulation.run(start, 0.5).final_state
    spring.enable(first)
    second = simulation.run(first, 1.5).final_state
    assert_allclose(pulled, second.y, atol=1e-7)
    spring.disable(second)
    assert_allclose(y_of(live, state), simulation.run(second, 2.0).final_state.y, atol=1e-7)


def test_a_pull_damps_the_speed_in_ground():
    system, state, _ = free_body()
    live = opened(system, state)
    assert pull(live, "top", 0.0, 1.5, [0, 0, 0], [0, 0, 0])
    assert live.step_to(1.0) == REACHED
    v = y_of(live, state)[-3:]
    assert_allclose(v, [0, 0, 0.2 * np.exp(-1.5 / 2.0)], atol=1e-9)


def test_a_pull_lifts_a_ball_from_its_limit_and_keeps_it_above():
    system, state, _ = bouncing_ball()
    live = opened(system, state)
    assert live.step_to(20.0) == REACHED
    assert live.value("ball.q") == pytest.approx(0.0, abs=1e-6)  # at rest
    stiffness, weight = 100.0, 0.5 * 9.80665
    assert pull(live, "ball", stiffness, 20.0, [0, 0, 0], [0.3, 0, 0])
    assert live.step_to(25.0) == REACHED
    assert live.value("ball.q") == pytest.approx(0.3 - weight / stiffness, abs=1e-6)
    pull(live, "ball", stiffness, 20.0, [0, 0, 0], [-0.3, 0, 0])
    assert live.step_to(30.0) == REACHED
    assert live.value("ball.q") == pytest.approx(0.0, abs=1e-6)


def test_a_limit_holds_against_a_pull():
    system, state, _ = slotted_hinge()
    live = opened(system, state, 1e-8)
    mass = live.header["bodies"][1]["mass"]
    assert mass == pytest.approx(139.86878278916902)
    assert pull(live, "hinge", 144 * mass, 12 * mass, [0, 0, 0], [3.0, 0, 0])
    for number in range(1, 31):
        assert live.step_to(number / 10) == REACHED
        assert live.value("hinge.q[1]") <= 0.5 + 1e-7
    assert live.value("hinge.q[1]") == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("options", [{"integrator": "velocity_level", "step": 0.002}, {"integrator": "RK4", "step": 0.002}], ids=str)
def test_a_pull_acts_in_fixed_steps(options):
    system, state, _ = hinge(start=0.0)
    live = LiveRun(*live_model(system, state, mb.Simulation(system, backend="interpreted", **options)))
    live.set("gravity.magnitude", 0.0)
    assert pull(live, "pin", 100.0, 20.0, [0, -1, 0], [np.sin(0.5), -np.cos(0.5), 0])
    assert live.step_to(4.0) == REACHED
    assert live.value("pin.q") == pytest.approx(0.5, abs=1e-6)
    assert pull(live, "pin", 100.0, 20.0, [0, -1, 0], [3.0, 2.0, 0])
    assert live.step_to(8.0) == REACHED
    assert live.value("pin.q") == pytest.approx(0.9, abs=1e-3)  # its limit


@pytest.mark.slow
def test_pulled_masses_lie_between_that_of_the_body_and_that_of_its_tree():
    system, state, _ = double_pendulum()
    # both rods are horizontal, so a vertical force on a bob moves this bob alone
    assert [each["mass"] for each in opened(system, state).header["bodies"][1:]] == pytest.approx([np.sqrt(1.0 * 2.0)] * 2)
    masses = [each["mass"] for each in opened(*arm()[:2]).header["bodies"]]
    assert masses[0] is None
    assert all(0.1 < mass < 100 for mass in masses[2:])


def test_bodies_that_cannot_move_cannot_be_pulled():
    system = mb.MultibodySystem("wall")
    matter = mb.MatterSubsystem(system)
    inertia = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.sphere(mass=1.0, radius=0.1))
    mb.Weld(matter.ground, inertia, name="wall")
    mb.Pin(matter.ground, inertia, name="door")
    state = system.realize_topology()
    live = opened(system, state)
    assert live.header["bodies"][1]["mass"] is None
    assert not pull(live, "wall", 1.0, 1.0, [0, 0, 0], [1, 0, 0])
    assert live.step_to(0.1) == REACHED
