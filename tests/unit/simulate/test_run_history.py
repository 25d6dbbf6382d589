"""The history of a run made step by step: Results of the States that it has been in."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import InputError, IntegrationError, MobodWarning
from mobod.simulate import run_history
from mobod.viewer.run_page import run_page
from tests.unit.simulate.event_systems import bouncing_mass
from tests.unit.simulate.test_delays import feedback


@pytest.fixture(scope="module")
def cart():
    """A motor on a cart with a pole; the State leans."""
    system = mb.MultibodySystem("cart_pole")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    cart = mb.Slider(matter.ground, mb.MassProperties.point(1.3, [0, 0, 0]), name="cart")
    pole = mb.Pin(cart, mb.MassProperties.point(0.2, [0, 0.6, 0]), name="pole")
    mb.MobilityForce(forces, cart, name="motor")
    pole.set_default_q(0.3)
    return system, system.realize_topology()


def start(cart, **options):
    return mb.Simulation(cart[0], backend="interpreted", integrator="RK4", step=0.01).start(cart[1], **options)


def test_a_history_has_the_state_at_the_end_of_each_step_with_what_follows_from_it(cart):
    run = start(cart)
    seen = [(run.time, *run["pole.q"], *run["pole.p_GB"], *run["energy"].reshape(1))]
    for step in range(12):
        run.set("motor.force", 3.0 - step)
        run.step(0.02)
        seen.append((run.time, *run["pole.q"], *run["pole.p_GB"], *run["energy"].reshape(1)))
    history = run.history()
    found = np.column_stack([history.time, history["pole.q"], history["pole.p_GB"], history["energy"]])
    assert_allclose(found, seen, rtol=0, atol=1e-15)
    assert (history.steps, history.evaluations, history.integrator) == (run.steps, run.evaluations, "RK4")
    assert_array_equal(history.final_state.y, run.state.y)


def test_a_row_has_the_inputs_that_act_from_its_time_on(cart):
    run = start(cart)
    for step in range(5):
        run.set("motor.force", 3.0 - step)
        run.step(0.02)
    history = run.history()
    assert history["motor.force"].tolist() == [3.0, 2.0, 1.0, 0.0, -1.0, -1.0]
    run.set("motor.force", 7.0)
    run.set("gravity.magnitude", 1.6)
    assert run.history()["motor.force"].tolist() == [3.0, 2.0, 1.0, 0.0, -1.0, 7.0]
    assert run.history()["gravity.magnitude"].tolist() == [9.81] * 5 + [1.6]
    assert history["motor.force"][-1] == -1.0  # a history does not change


def test_a_history_equals_a_run_and_can_be_shown_and_written(cart, tmp_path):
    run = start(cart)
    for _ in range(10):
        run.step(0.05)
    history = run.history()
    whole = mb.Simulation(cart[0], backend="interpreted", integrator="RK4", step=0.01).run(cart[1], 0.5, report_every=0.05)
    assert history.compare(whole, 1e-12)  # round-off of the times of the steps
    assert history.final_state.stage == whole.final_state.stage
    history.to_csv(tmp_path / "run.csv")
    assert mb.Table.from_file(tmp_path / "run.csv")["pole.q"].tolist() == history["pole.q"].tolist()
    assert "cart_pole" in run_page(history)


def test_a_state_that_is_set_has_rows_before_and_after(cart):
    run = start(cart)
    run.step(0.02)
    before = run["pole.q"].item()
    run.set("pole.q", -0.4)
    run.set("pole.u", 0.7)
    run.step(0.02)
    history = run.history()
    assert history.time.tolist() == [0.0, 0.02, 0.02, 0.04]
    assert history["pole.q"][1:3].tolist() == [before, -0.4]
    assert history["pole.u"][2] == 0.7


def test_report_every_takes_fewer_rows_and_infinity_none(cart):
    run = start(cart, report_every=0.1)
    for _ in range(37):
        run.step(0.01)
    assert_allclose(run.history().time, [0.0, 0.1, 0.2, 0.3, 0.37], rtol=0, atol=1e-15)
    run = start(cart, report_every=math.inf)
    run.step(0.01)
    with pytest.raises(InputError, match="report_every=inf"):
        run.history()
    with pytest.raises(InputError, match=r"report_every must be positive, not -0\.1 s"):
        start(cart, report_every=-0.1)


def test_restore_goes_back_and_reset_begins_anew(cart):
    run = start(cart)
    run.step(0.02)
    saved = run.save()
    run.set("motor.force", 5.0)
    run.step(0.02)
    later = run.save()
    ahead = run.history()
    run.restore(saved)
    assert run.history().time.tolist() == [0.0, 0.02]
    assert run.history()["motor.force"].tolist() == [0.0, 0.0]
    run.step(0.03)
    assert run.history().time.tolist() == [0.0, 0.02, 0.05]
    run.restore(later)  # of the way that was given up
    assert run.history().time.tolist() == [0.04]
    assert run.history()["motor.force"].tolist() == [5.0]
    run.step(0.02)
    assert run.history().time.tolist() == pytest.approx([0.04, 0.06], abs=1e-15)
    assert ahead.time.tolist() == [0.0, 0.02, 0.04]
    run.reset(cart[1])
    run.step(0.01)
    assert run.history().time.tolist() == [0.0, 0.01]
    run.restore(saved)  # from before the reset
    assert run.history().time.tolist() == [0.02]


def test_a_step_that_fails_leaves_no_row():
    system = mb.MultibodySystem("runaway")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    slider = mb.Slider(matter.ground, mb.MassProperties.point(mass=1.0, p=[0, 0, 0]), name="slider")
    mb.MobilityForce(forces, slider, name="motor")

    class Repulsion(mb.CustomForce):
        def calc_force(self, state, body_forces, mobility_forces):
            mobility_forces[0] += slider.q(state)[0] ** 3

    Repulsion(forces, name="repulsion")
    state = system.realize_topology()
    slider.set_q(state, 2.0)
    run = mb.Simulation(system, backend="interpreted").start(state)
    run.step(0.1)
    run.set("motor.force", 3.0)
    with pytest.raises(IntegrationError):
        run.step(10.0)
    assert run.history().time.tolist() == [0.0, 0.1]
    run.set("motor.force", 1.0)
    run.step(0.1)
    history = run.history()
    assert history.time.tolist() == [0.0, 0.1, 0.2]
    assert history["motor.force"].tolist() == [0.0, 1.0, 1.0]


def held():
    """A ball of quaternions on a pin, and measures that remember: the greatest height, and the height at every 0.05 s."""
    system = mb.MultibodySystem("held")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.7)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(0.8, [0, -0.6, 0]), name="pin")
    ball = mb.Ball(pin, mb.MassProperties(0.5, [0.1, -0.3, 0], 0.2 * np.eye(3)), X_PF=mb.Transform(p=[0, -0.6, 0]), name="ball")
    height = mb.measures.Custom(system, lambda state: ball.X_GB(state).p[1], stage=mb.Stage.POSITION, name="height")
    mb.measures.Maximum(system, height, name="highest")
    mb.measures.SampleAndHold(system, height, interval=0.05, name="sampled")
    state = system.realize_topology()
    pin.set_q(state, 0.9)
    ball.set_u(state, [0.4, -1.1, 0.8])
    return system, state


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: bouncing_mass(stop_at=2)[:2], ["ball.q", "ball.reaction", "energy"]),
        pytest.param(lambda: bouncing_mass(stop_at=2, recordable=False)[:2], ["ball.q", "ball.reaction"], marks=pytest.mark.slow),
        (feedback, ["ball.q", "felt late.value", "seen late.value", "ball.reaction"]),
        (held, ["ball.q", "ball.R_GB", "highest.value", "sampled.value"]),
    ],
    ids=["events", "events-in-python", "delays", "measures"],
)
def test_a_history_has_what_was_seen_after_each_step(make, names):
    system, state = make()
    run = mb.Simulation(system, 1e-7, backend="interpreted").start(state)
    seen = [[run.time, *(number for name in names for number in np.ravel(run[name]))]]
    while run.time < 1.2 and run.terminated_by is None:
        run.step(0.07)
        seen.append([run.time, *(number for name in names for number in np.ravel(run[name]))])
    history = run.history()
    found = np.column_stack([history.time, *(history[name] for name in names)])
    assert_allclose(found, seen, rtol=0, atol=1e-12)  # round-off of the lengths of quaternions
    assert history.terminated_by == run.terminated_by
    assert [repr(each) for each in history.events] == [repr(each) for each in run.events]


def test_too_many_rows_are_thinned_out(cart, monkeypatch):
    monkeypatch.setattr(run_history, "MOST_BYTES", 30_000)
    run = start(cart)
    for step in range(400):
        if step == 150:
            run.set("pole.q", 1.0)
        run.step(0.01)
    with pytest.warns(MobodWarning, match="one in"):
        history = run.history()
    assert 20 < len(history.time) < 100
    assert (history.time[0], history.time[-1]) == (0.0, 4.0)
    assert np.diff(history.time).max() < 0.3
    assert history["pole.q"][np.flatnonzero(np.diff(history.time) == 0) + 1].tolist() == [1.0]  # the change is still there
