"""The C runtime as WebAssembly takes the steps of a SteppedRun, to the bit."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.contact.seen_features import MODE, N_NUMBERS
from mobod.viewer.contact_marks import ContactMarks
from mobod.viewer.live_model import live_model
from tests.flexible.bodies import beam_modal
from tests.view.live_cases import CASES, bouncing_ball, double_pendulum, four_bar, handlers, slotted_hinge
from tests.view.live_runtime import ENDED, FAILED, REACHED, LiveRun
from tests.view.mechanisms import bowling_ball, pressed_balls


def both(system, state, outputs=(), **options):
    """The same run in WebAssembly and in Python."""
    simulation = mb.Simulation(system, **{"accuracy": 1e-6, "backend": "interpreted"} | options)
    return LiveRun(*live_model(system, state, simulation, outputs)), simulation.start(state)


def assert_same_bits(live, run):
    state = run.state
    assert live("live_time") == run.time
    assert live.numbers()[state.layout.y.slice].tobytes() == np.array(state.y).tobytes()
    assert (live("live_n_steps"), live("live_n_evaluations")) == (run.steps, run.evaluations)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.fast(5)
def test_a_run_has_the_bits_of_a_stepped_run(case):
    system, state, options = CASES[case]()
    live, run = both(system, state, **options)
    for number in range(1, 41):
        run.step_to(number / 20)
        assert live.step_to(number / 20) == (ENDED if run.terminated_by else REACHED), live.message()
        assert_same_bits(live, run)
        if run.terminated_by:
            break
    shown = [event.name for event in run.events]
    assert {name: shown.count(name) for name in live.events()} == live.events()


def test_prescribed_coordinates_have_their_values_at_the_start_and_follow_parameters_at_once():
    system = mb.MultibodySystem("driven")
    pin = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.2, [0, -0.5, 0]), name="pin")
    mb.SinusoidMotion(pin, amplitude=0.7, rate=1.3, phase=0.4)
    live, run = both(system, system.realize_topology())
    for amplitude in (0.7, 0.9):
        live.set("pin.motion.amplitude", amplitude)
        run.set("pin.motion.amplitude", amplitude)
        shown = [live.value("pin.q"), live.value("pin.u")]
        np.testing.assert_allclose(shown, [amplitude * np.sin(0.4), 1.3 * amplitude * np.cos(0.4)], rtol=1e-15)
        assert_array_equal(shown, [run["pin.q"].item(), run["pin.u"].item()])


@pytest.mark.filterwarnings("ignore:the state that was set at:mobod.MobodWarning")  # a speed of a loop, which the others share
def test_parameters_and_states_are_set_as_in_a_stepped_run():
    system, state, _ = four_bar()
    live, run = both(system, state)
    for number, (name, value) in enumerate([("gravity.magnitude", 3.0), ("motor.force", 2.5), ("crank.u", 1.0)], 1):
        run.set(name, value)
        live.set(name, value)
        run.step_to(number / 10)
        assert live.step_to(number / 10) == REACHED
        assert_same_bits(live, run)
        assert live.value("energy") == run["energy"]


def test_a_step_in_many_calls_has_the_bits_of_one():
    system, state, _ = slotted_hinge()
    live, run = both(system, state)
    run.step_to(2.0)
    assert live.step_to(2.0, n_steps=1) == REACHED
    assert_same_bits(live, run)
    whole = mb.Simulation(system, 1e-6).run(state, 2.0).final_state
    assert live.numbers()[state.layout.y.slice].tobytes() == np.array(whole.y).tobytes()


@pytest.mark.parametrize("case", ["slotted_hinge", "velocity_level"])
def test_saved_states_and_resets_go_on_with_the_same_bits(case):
    system, state, options = CASES[case]()
    live, _ = both(system, state, **options)
    live.step_to(0.5)
    size = live("live_size")
    at = live("live_allocate", size)
    live("live_save", at)
    live.step_to(1.0)
    first = live.numbers(9)
    live("live_restore", at)
    assert live("live_time") == 0.5
    live.step_to(1.0)
    assert live.numbers(9).tobytes() == first.tobytes()
    assert live("live_reset")
    assert (live("live_time"), live("live_n_steps"), sum(live.events().values())) == (0.0, 0.0, 0)
    live.step_to(0.5)
    live.step_to(1.0)
    assert live.numbers(9).tobytes() == first.tobytes()


def test_poses_are_those_of_the_bodies():
    system, state, _ = four_bar()
    live, run = both(system, state)
    run.step_to(0.3)
    live.step_to(0.3)
    numbers, present = live.numbers(5), run.state
    system.realize(present, mb.Stage.POSITION)
    for described, body in zip(live.header["bodies"], [system.matter.ground, *system.matter.bodies], strict=True):
        assert described["name"] == body.name
        X = body.X_GB(present)
        assert_array_equal(numbers[described["R"] :][:9].reshape(3, 3), X.R)
        assert_array_equal(numbers[described["p"] :][:3], X.p)


def test_outputs_are_read_by_name():
    system, state, _ = four_bar()
    live, run = both(system, state, outputs=["loop.multiplier", "rocker.p_GB"])
    live.step_to(0.1)
    run.step_to(0.1)
    assert [live.value(f"loop.multiplier[{i}]") for i in (1, 2, 3)] == run["loop.multiplier"].tolist()
    with pytest.raises(mb.errors.UnknownNameError, match=r"loop\.multiplier"):
        both(system, state, outputs=["loop.multiplyer"])


def test_a_failed_step_leaves_the_state_and_a_message():
    system, state, _ = double_pendulum()
    live, _ = both(system, state, max_steps=3)
    before = live.numbers(9)
    assert live.step_to(5.0) == FAILED
    assert "max_steps allows no more" in live.message()
    assert live.numbers(9).tobytes() == before.tobytes()  # all of them are computed again
    assert live.step_to(1e-4) == REACHED


def test_an_event_that_ends_the_run_is_named():
    system, state, _ = handlers()
    live, run = both(system, state)
    assert live.step_to(9.0) == ENDED
    run.step_to(9.0)
    assert live.header["allEvents"][live("live_ended_by") - 1] == run.terminated_by
    assert live.step_to(10.0) == ENDED


@pytest.mark.parametrize("change", ["cut", "byte", "format"])
def test_tables_that_were_changed_are_refused(change):
    system, state, _ = double_pendulum()
    header, tables = live_model(system, state, mb.Simulation(system))
    data = bytearray(tables)
    if change == "cut":
        del data[-40:]
    else:
        data[8 if change == "format" else 300] ^= 1
    live = LiveRun(header, bytes(data))
    assert not live.is_open
    expected = "another version" if change == "format" else "changed after they were written"
    assert expected in live.message()
    assert not live("live_reset")


def test_numbers_that_do_not_exist_are_refused():
    system, state, _ = bouncing_ball()
    live, _ = both(system, state)
    size = live.header["size"]
    assert not any(live("live_set", at, 1.0, stage) for at, stage in ((-1, 5), (size, 5), (0, 2), (0, 10)))
    assert live("live_numbers", 10) == 0
    assert not live("live_pull", 0)


@pytest.mark.parametrize("make", [bowling_ball, pressed_balls])
def test_numbers_of_contacts_are_those_of_a_stepped_run(make):
    """At the start and after a step."""
    system, state = make()
    live, run = both(system, state)
    marks = ContactMarks.of(system, system.matter, run.state.layout)
    for end in (0.0, 0.001):
        if end:
            live.step_to(end)
            run.step_to(end)
        numbers, wanted = live.numbers(int(mb.Stage.REPORT)), marks.at(run.state)
        assert_array_equal([numbers[each["at"] : each["at"] + N_NUMBERS] for each in live.header["contacts"]["features"]], wanted)
        assert wanted[:, MODE].any()
    assert [each["name"] for each in live.header["contacts"]["features"]] == marks.names
    system.realize(state, mb.Stage.INSTANCE)
    assert live.header["contacts"]["force"] == pytest.approx(9.81 * system.matter.mass(state))


def test_flexible_bodies_that_turn_too_fast_or_bend_too_far_are_one_warning_each():
    system = mb.MultibodySystem("rotor")
    matter = mb.MatterSubsystem(system)
    blade = mb.Pin(matter.ground, mb.FlexibleBody(beam_modal(elements=4, modes=2)), name="blade")
    state = system.realize_topology()
    blade.set_u(state, 0.5 * 2 * np.pi * blade.flexible.modal.frequencies[0])
    live, run = both(system, state)
    for time in (0.01, 0.02):
        run.step_to(time)
        assert live.step_to(time) == REACHED
        assert_same_bits(live, run)
    assert "'blade' turns at" in live.message("live_warning")
    live.set("blade.eta[2]", 1.0)
    assert live.step_to(0.021) == REACHED
    assert "'blade.end' is turned by" in live.message("live_warning")
