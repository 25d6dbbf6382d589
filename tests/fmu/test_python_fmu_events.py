"""Handlers that only a Python FMU supports, and reporters, which no FMU supports. For handlers in both kinds see test_events_in_fmu.py."""

import threading
from itertools import pairwise

import numpy as np
import pytest
from fmpy.validation import validate_fmu
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import FmuError, InputError, UnknownNameError
from tests.fmu.archive_content import description
from tests.unit.simulate.event_systems import HEIGHT, bounce_times, bouncing_mass, pendulum

TABLE = {0: 0.8, 1: 0.5, 2: 0.9}  # restitution, by the number of the bounce


class Bounce(mb.TriggeredEventHandler):
    """A handler that looks values up by a computed index, which cannot be recorded."""

    recordable = False

    def __init__(self, system, ball, gravity, **options):
        self.ball, self.gravity = ball, gravity
        super().__init__(system, direction="falling", name="lookup", variables={"count": 0}, **options)

    def witness(self, state):
        return self.ball.q(state)[0]

    def handle_event(self, state, event):
        count = int(self.variable(state, "count"))
        self.ball.set_u(state, -TABLE.get(count, 0.7) * self.ball.u(state))
        self.set_variable(state, "count", count + 1)
        if count == 1:
            self.gravity.set_magnitude(state, 1.5 * self.gravity.magnitude(state))
        event.terminate_when(count == 4)


def dropped():
    system = mb.MultibodySystem("dropped")
    matter = mb.MatterSubsystem(system)
    gravity = mb.Gravity(mb.ForceSubsystem(system), matter, down=[-1, 0, 0], magnitude=9.8, name="gravity")
    ball = mb.Slider(matter.ground, mb.MassProperties.point(1.3, [0, 0, 0]), name="ball")
    handler = Bounce(system, ball, gravity)
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    return system, state, handler


@pytest.mark.slow
def test_an_unrecorded_handler_acts_as_in_the_simulation(tmp_path, start):
    system, state, handler = dropped()
    handler.sets = ["gravity.magnitude"]
    names = ["time", "ball.q", "ball.u", "lookup.count", "gravity.magnitude", "energy"]
    fmu = mb.export_fmu(system, tmp_path / "dropped.fmu", kind="python", state=state, outputs=names[1:])
    assert validate_fmu(str(fmu)) == []
    report = mb.validate_fmu(fmu, until=1.0, checks=["description", "run.co-simulation", "state.co-simulation", "bytes.co-simulation"])
    assert report.is_valid, report.checks
    causalities = {each.get("name"): each.get("causality") for each in description(fmu).find("ModelVariables")}
    assert causalities["lookup.count"] == causalities["gravity.magnitude"] == "output"
    assert causalities["lookup.enabled"] == "parameter"

    results = mb.Simulation(system, 1e-11).run(state, until=5.0, report_every=0.1)
    assert results.terminated_by == "lookup"
    instance, times = start(fmu), np.arange(0, int(results.time[-1] / 0.1) + 1) * 0.1
    for time, after in pairwise(times):
        instance.step(time, after - time)
        row = np.argmin(np.abs(results.time - after))
        for name in names:
            assert_allclose(instance.get(name), results.time[row] if name == "time" else results[name][row], atol=1e-9, err_msg=name)
    with pytest.raises(FmuError, match=r"discard.*event 'lookup' has ended the simulation, at"):
        instance.step(times[-1], 0.1)


def test_a_handler_that_sets_undeclared_variables_fails_the_step_with_a_remedy(tmp_path, start):
    system, state, _ = dropped()
    fmu = mb.export_fmu(system, tmp_path / "dropped.fmu", kind="python", state=state, outputs=["ball.q"])
    instance = start(fmu)
    instance.step(0.0, 0.7)
    wanted = r"variable 'gravity\.magnitude' was set from 9\.8 to 14\.7 by .*'lookup'.*sets=\['gravity\.magnitude'\]"
    with pytest.raises(FmuError, match=wanted):
        instance.step(0.7, 0.7)


def test_variables_declared_in_sets_must_exist(tmp_path):
    system, state, handler = dropped()
    handler.sets = ["gravity.magnitud"]
    with pytest.raises(UnknownNameError, match=r"variable that event handler 'lookup' \(Bounce\) sets.*'gravity\.magnitude'"):
        mb.export_fmu(system, tmp_path / "x.fmu", kind="python", state=state)
    handler.sets = "gravity.magnitude"
    with pytest.raises(InputError, match=r"a list of names, not one name\. Write sets=\['gravity\.magnitude'\]"):
        mb.export_fmu(system, tmp_path / "x.fmu", kind="python", state=state)


@pytest.mark.slow
def test_handlers_made_of_functions_may_declare_sets(tmp_path):
    system, _, ball = bouncing_mass()
    spring = mb.MobilityLinearSpring(mb.ForceSubsystem(system, "more"), ball, stiffness=2.0, name="spring")
    mb.PeriodicEventHandler.of(
        system, 0.3, lambda s, e: spring.set_stiffness(s, 3.0), name="stiffen", recordable=False, sets=["spring.stiffness"]
    )
    fmu = mb.export_fmu(system, tmp_path / "x.fmu", kind="python", outputs=["spring.stiffness"])
    variables = {each.get("name"): each.get("variability") for each in description(fmu).find("ModelVariables")}
    assert variables["spring.stiffness"] == "discrete"


@pytest.mark.slow
@pytest.mark.parametrize("cause", ["Initialization", "Termination"])
def test_an_error_in_a_handler_at_the_start_or_end_is_reported_with_name_and_time(tmp_path, start, cause):
    system, _, _ = bouncing_mass()
    getattr(mb, f"{cause}EventHandler").of(system, lambda s, e: {}["rope"], name="torn", recordable=False)
    fmu = mb.export_fmu(system, tmp_path / "torn.fmu", kind="python", outputs=["ball.q"])
    message = rf"at 0(\.1)? s event handler 'torn' \({cause}EventHandler\) failed: KeyError: 'rope'"
    if cause == "Initialization":
        with pytest.raises(FmuError, match=rf"fmi2ExitInitializationMode: {message}"):
            start(fmu)
        return
    instance = start(fmu)
    instance.step(0.0, 0.1)
    with pytest.raises(FmuError, match=rf"fmi2Terminate: {message}"):
        instance.call("fmi2Terminate")


@pytest.mark.slow
def test_reporters_and_their_data_are_omitted(tmp_path, start):
    """The reporters are a lock, which cannot be saved, and one that would fail if it were called."""
    system, state, _ = pendulum()
    lock, mass, ball = threading.Lock(), *bouncing_mass()[::2]
    mb.PeriodicEventReporter.of(mass, 0.1, lambda s: lock.acquire() and pytest.fail("a reporter is no part of an FMU"), name="held")
    mb.TriggeredEventReporter.of(mass, lambda s: ball.q(s)[0] - 0.3 + 0 * len(str(lock)), lambda s: None, name="seen", recordable=False)
    for each, name in ((system, "pin.q"), (mass, "ball.q")):
        fmu = mb.export_fmu(each, tmp_path / f"{each.name}.fmu", kind="python", outputs=[name])
        assert validate_fmu(str(fmu)) == []
        assert not [v for v in description(fmu).find("ModelVariables") if v.get("name").split(".")[0] in ("held", "seen", "crossing")]
        instance = start(fmu, {"ball.q_start": HEIGHT} if each is mass else {"pin.q_start": 0.4})
        instance.step(0.0, 0.5)
        if each is mass:
            first = bounce_times(1.0)[0]
            assert_allclose(instance.get("ball.q"), 0.8 * 9.8 * first * (0.5 - first) - 4.9 * (0.5 - first) ** 2, atol=1e-9)
    assert state is not None
