"""Communication points that are round-off before time events include them: docs/decisions/232-events-at-communication-points.md."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import Instance
from mobod.cosim.fmu_file import FmuFile
from tests.fmu.stepped import start

ACCURACY = 1e-8
STEP, PERIOD, N = 0.01, 0.02, 120  # s; sums and products of the step lie on both sides of products of the period
SCHEMES = {
    "error control": {},
    "RK4": {"integrator": "RK4", "step": STEP},
    "velocity level": {"integrator": "velocity_level", "step": STEP},
}


def clockwork(has_handlers):
    """A pin that turns by 1 rad/s, and a clock, read at each period; has_handlers: the reading a period later, a handler, a reporter."""
    system = mb.MultibodySystem("clockwork")
    matter = mb.MatterSubsystem(system)
    mb.ForceSubsystem(system)
    pin = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name="pin")
    mb.Sampled(system, mb.JointSensor(system, pin, name="encoder"), PERIOD, name="felt")
    held = mb.measures.SampleAndHold(system, mb.measures.Time(system, name="clock"), PERIOD, name="held")
    reported = []
    if has_handlers:
        mb.measures.Delay(system, held, PERIOD, before=0.0, name="late")
        ticks = mb.measures.Variable(system, 0.0, invalidates=mb.Stage.DYNAMICS, name="ticks")
        mb.PeriodicEventHandler.of(system, PERIOD, lambda state, event: ticks.set_value(state, ticks.value(state) + 1), name="tick")
        mb.PeriodicEventReporter.of(system, PERIOD, lambda state: reported.append(state.time), name="reporter")
    state = system.realize_topology()
    pin.set_u(state, [1.0])
    return system, state, reported


def points(are_sums):
    """(start, end) of each step, where an importer adds the step to the start."""
    found, time = [], 0.0
    for number in range(N):
        begin = time if are_sums else number * STEP
        time = begin + STEP
        found.append((begin, time))
    return found


@pytest.mark.parametrize("scheme", ["error control", pytest.param("RK4", marks=pytest.mark.slow), "velocity level"])
def test_points_that_are_round_off_before_events_include_them(scheme, tmp_path):
    has_handlers, options = scheme != "velocity level", SCHEMES[scheme]
    system, state, reported = clockwork(has_handlers)
    passed = np.arange(1, N + 1) // 2  # periods at each point
    outputs, right = ["felt.position", "held.value"], [passed * PERIOD] * 2
    if has_handlers:
        outputs, right = [*outputs, "late.value", "ticks.value"], [*right, np.maximum(passed - 1, 0) * PERIOD, passed + 1]
    shown = []
    for are_sums in (False, True):
        accuracy = {"accuracy": ACCURACY} if has_handlers else {}
        run = mb.Simulation(system, backend="interpreted", **accuracy, **options).start(state)
        columns, rows, n_reported = run.variables(*outputs), [], []
        reported.clear()
        for _, end in points(are_sums):
            run.step_to(end)
            rows.append(columns.get().copy())
            n_reported.append(len(reported))
        shown.append(rows)
        assert not has_handlers or n_reported == [*passed]  # after that of the start
    for version in ("2.0", "3.0"):
        path = tmp_path / "it.fmu"
        mb.export_fmu(system, path, outputs=outputs, state=state, fmi_version=version, code="interpreted", reference=False, **options)
        for are_sums in (False, True):
            with start(FmuFile(path), ACCURACY) as instance:
                rows = []
                for begin, _ in points(are_sums):
                    instance.step(begin, STEP)
                    rows.append([float(np.ravel(instance.get(name))[0]) for name in outputs])
            shown.append(rows)
    for number, rows in enumerate(shown):
        assert_allclose(rows, np.transpose(right), rtol=0, atol=1e-12)  # round-off of the steps; the reading before is a period off
        in_event_mode = has_handlers and number >= 4  # an event and a delayed jump there are one step of round-off less
        assert_array_equal(np.array(rows)[:, in_event_mode:], np.array(shown[number % 2])[:, in_event_mode:])


def test_a_step_of_an_fmu_that_an_event_has_anticipated_changes_nothing(tmp_path):
    """An importer that returns to its own point in time by a step of round-off."""
    system, state, _ = clockwork(True)
    path = mb.export_fmu(system, tmp_path / "it.fmu", outputs=["held.value"], state=state, code="interpreted", reference=False)
    before = np.nextafter(3 * PERIOD, 0)  # s
    with start(FmuFile(path)) as instance:
        instance.step(0.0, before)
        assert instance.get("held.value") == 3 * PERIOD
        assert instance.get("time") == pytest.approx(3 * PERIOD, abs=1e-15)
        instance.step(before, 3 * PERIOD - before)
        instance.step(3 * PERIOD, PERIOD)
        assert instance.get("held.value") == 4 * PERIOD


def test_equal_steps_of_a_run_are_counted_over_events_that_are_round_off_later():
    system, state, _ = clockwork(True)
    run = mb.Simulation(system, backend="interpreted").start(state)
    for number in range(N):
        run.step(STEP)
        assert 0 <= run.time - (number + 1) * STEP < 1e-15
    run.step_to(N * STEP)  # where it is
    assert run["ticks.value"] == N // 2 + 1


def test_fixed_steps_are_counted_on_after_an_event_that_is_round_off_after_a_point(tmp_path):
    """The end 0.3 + 150 * 0.002 is 0.6 s, and the sample 3 * 0.2 one ulp later. Counted from there, ends of steps would differ."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    pin = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="pin")
    mb.measures.SampleAndHold(system, mb.measures.Time(system, name="clock"), 0.2, name="held")
    state = system.realize_topology()
    state.time = 0.3
    pin.set_q(state, 1.0)
    options = {"integrator": "RK4", "step": 0.002}
    names, ends = ["pin.q", "pin.u", "energy"], 0.3 + 0.1 * np.arange(1, 13)
    with mb.Simulation(system, backend="interpreted", **options).start(state) as run:
        rows = []
        for end in ends:
            run.step_to(end)
            rows.append(run.variables(*names).get().copy())
    path = mb.export_fmu(system, tmp_path / "it.fmu", outputs=names, state=state, code="interpreted", reference=False, **options)
    found = []
    with Instance(FmuFile(path), "it") as instance:
        instance.set_up(0.3, None, ACCURACY)
        instance.enter_initialization()
        instance.exit_initialization()
        for begin, end in zip([0.3, *ends[:-1]], ends, strict=True):
            instance.step(begin, end - begin)
            found.append([instance.get(name) for name in names])
    assert_array_equal(found, rows)
