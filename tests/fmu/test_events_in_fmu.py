"""Event handlers in FMUs of both kinds: when they act, what a master is notified of, and their memory in saved states."""

from itertools import pairwise

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from fmpy.simulation import simulate_fmu
from fmpy.validation import validate_fmu
from numpy.testing import assert_allclose

import mobod as mb
from mobod.cosim import Master, Network
from mobod.errors import InputError, UnsupportedError
from mobod.scalar import where
from tests.unit.simulate.event_systems import HEIGHT, RESTITUTION, bounce_times, bouncing_mass

DISCARD = 2
FAILED = {"native": 3, "python": 4}  # error; fatal is the only failure that pythonfmu's library reports
LAST_SUCCESSFUL_TIME, TERMINATED = 2, 3


def height(time):
    """The exact height of the bouncing mass, m."""
    starts = np.array([-bounce_times(2.0)[0], *bounce_times(3.9)])
    speeds = np.sqrt(2 * 9.8 * HEIGHT) * RESTITUTION ** np.arange(len(starts))
    arc = np.searchsorted(starts, time, side="right") - 1
    since = time - starts[arc]
    return speeds[arc] * since - 4.9 * since**2


def export(system, state, folder, name="model", **options):
    return mb.export_fmu(system, folder / f"{name}.fmu", state=state, name=name, **options)


@pytest.fixture(scope="module", params=["native", "python"])
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def bouncing(tmp_path_factory, kind):
    system, state, _ = bouncing_mass()
    return export(system, state, tmp_path_factory.mktemp("bouncing"), "bouncing", kind=kind, outputs=["ball.q", "bounce.count"])


class Driver:
    """An FMU stepped by FMPy."""

    def __init__(self, fmu, folder, tolerance=1e-8, values=None):
        description = fmpy.read_model_description(str(fmu))
        self.references = {variable.name: variable.valueReference for variable in description.modelVariables}
        fmpy.extract(str(fmu), unzipdir=str(folder))
        self.messages = []
        self.slave = FMU2Slave(
            guid=description.guid,
            unzipDirectory=str(folder),
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="it",
        )
        self.slave.instantiate(callbacks=None)
        self.slave.setupExperiment(startTime=0.0, tolerance=tolerance)
        for name, value in (values or {}).items():
            self.slave.setReal([self.references[name]], [value])
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()

    def get(self, *names):
        return self.slave.getReal([self.references[name] for name in names])

    def walk(self, times, *names):
        passed = []
        for time, after in pairwise(times):
            self.slave.doStep(time, after - time)
            passed.append(self.get(*names))
        return passed

    def free(self):
        self.slave.freeInstance()


@pytest.fixture
def drive(tmp_path):
    drivers = []

    def make(fmu, **options):
        drivers.append(Driver(fmu, tmp_path / str(len(drivers)), **options))
        return drivers[-1]

    yield make
    for driver in drivers:
        driver.free()


@pytest.mark.fast(5)
@pytest.mark.parametrize("step", [0.01, 0.15, 1.7])
def test_a_bouncing_mass_in_fmpy_matches_the_closed_form(bouncing, step):
    results = simulate_fmu(str(bouncing), stop_time=3.4, step_size=step, output_interval=step, relative_tolerance=1e-3)
    assert_allclose(results["ball.q"], height(results["time"]), atol=1e-9)  # at any tolerance, since free fall is a polynomial
    assert_allclose(results["bounce.count"], np.searchsorted(bounce_times(3.9), results["time"]))


@pytest.mark.slow
def test_the_third_bounce_ends_the_simulation(tmp_path, drive, kind):
    system, state, _ = bouncing_mass(stop_at=3)
    fmu = export(system, state, tmp_path, "third", kind=kind, outputs=["ball.q", "bounce.count"])
    third = bounce_times(3.0)[2]
    results = simulate_fmu(str(fmu), stop_time=3.0, step_size=0.05, output_interval=0.05)
    assert results["time"][-1] <= third + 0.05
    assert results["bounce.count"][-1] <= 3

    driver = drive(fmu)
    driver.walk(np.arange(18) * 0.1)
    with pytest.raises(fmpy.fmi1.FMICallException) as caught:
        driver.slave.doStep(1.7, 0.1)
    assert caught.value.status == DISCARD
    assert driver.slave.getBooleanStatus(TERMINATED) is True or driver.slave.getBooleanStatus(TERMINATED) == 1
    # pythonfmu's library always returns the start of the step; the variable time has the right value
    last = third if kind == "native" else 1.7
    assert driver.slave.getRealStatus(LAST_SUCCESSFUL_TIME) == pytest.approx(last, abs=1e-9)
    assert driver.get("time", "ball.q", "bounce.count") == pytest.approx([third, 0.0, 3.0], abs=1e-9)
    with pytest.raises(fmpy.fmi1.FMICallException):  # it stays ended
        driver.slave.doStep(third, 0.1)
    driver.slave.terminate()


@pytest.mark.fast(1)
def test_the_included_master_reports_the_event_that_ended_the_simulation(tmp_path, kind, caplog):
    system, state, _ = bouncing_mass(stop_at=2)
    fmu = export(system, state, tmp_path, "second", kind=kind, outputs=["ball.q"])
    network = Network()
    network.add(fmu, "ball")
    with caplog.at_level("INFO", logger="mobod"):
        results = Master(network, step=0.1).run(until=2.0)
    assert results.terminated_by == "ball"
    assert_allclose(results.time[-1], bounce_times(2.0)[1], atol=1e-6)
    assert "event 'bounce' has ended the simulation, at 1.17" in caplog.text


def everything():
    """Handlers of all causes, with an input that a witness watches."""
    system, _, ball = bouncing_mass()
    forces = mb.ForceSubsystem(system, "more")
    spring = mb.MobilityLinearSpring(forces, ball, stiffness=2.0, name="spring")
    push = mb.MobilityForce(forces, ball, name="push")
    mb.InitializationEventHandler.of(system, lambda s, e: ball.set_q(s, 1.5 * ball.q(s)), name="lift")
    mb.PeriodicEventHandler.of(system, 0.3, lambda s, e: spring.set_stiffness(s, spring.stiffness(s) + 0.5), name="stiffen")

    class Pushed(mb.TriggeredEventHandler):
        def witness(self, state):
            return push.force(state) - 1.5

        def handle_event(self, state, event):
            self.set_variable(state, "times", self.variable(state, "times") + 1)
            event.schedule(state.time + 0.05)  # then it is called again, with direction 0
            ball.set_u(state, ball.u(state) + where(event.direction == 0, 0.25, 0.0))

    Pushed(system, direction="rising", name="pushed", variables={"times": 0.0})
    mb.TimeAdvancedEventHandler.of(
        system,
        lambda s, e: system.events.event("peak").set_variable(s, "q", where(ball.q(s)[0] > 1, ball.q(s)[0], 0.0)),
        name="peak",
        variables={"q": 0.0},
    )
    mb.PeriodicEventReporter.of(system, 0.01, lambda s: pytest.fail("a reporter is no part of an FMU"), name="left out", recordable=False)
    mb.TerminationEventHandler.of(system, lambda s, e: ball.set_u(s, 0.0), name="rest")
    state = system.realize_topology()
    ball.set_q(state, HEIGHT)
    return system, state


NAMES = ["time", "ball.q", "ball.u", "spring.stiffness", "pushed.times", "bounce.count", "peak.q", "energy"]


@pytest.fixture(scope="module")
def full(tmp_path_factory, kind):
    system, state = everything()
    return export(system, state, tmp_path_factory.mktemp("full"), "full", kind=kind, inputs=["push.force"], outputs=NAMES[1:])


@pytest.mark.slow
def test_an_fmu_with_handlers_matches_the_simulation(full, drive):
    system, state = everything()
    system.events.event("left out").set_enabled(state, False)
    system.events.event("rest").set_enabled(state, False)
    driver = drive(full, tolerance=1e-11)
    times = np.arange(0, 21) * 0.1
    results = mb.Simulation(system, accuracy=1e-11, backend="interpreted").run(state, until=2.0, report_every=0.1)
    # at a communication point a handler has acted; a report of that time comes before it
    rows = np.array(driver.walk(times, *NAMES))
    for k, name in enumerate(NAMES):
        if name not in ("time", "peak.q"):
            last = [np.flatnonzero(np.abs(results.time - time) < 1e-9)[-1] for time in times[1:]]
            due = np.array([name in ("spring.stiffness", "energy") and abs(time / 0.3 - round(time / 0.3)) < 1e-9 for time in times[1:]])
            assert_allclose(rows[~due, k], results[name][last][~due], atol=1e-7, err_msg=name)
    assert_allclose(rows[:, 3], 2 + 0.5 * (1 + np.floor(times[1:] / 0.3 + 1e-9)))


def test_an_input_set_across_zero_triggers_at_the_start_of_the_next_step(full, drive):
    driver = drive(full)
    driver.walk([0, 0.1])
    assert driver.get("pushed.times") == [0]
    driver.slave.setReal([driver.references["push.force"]], [2.0])
    driver.walk([0.1, 0.12])
    assert driver.get("pushed.times") == [1]
    driver.walk([0.12, 0.17])  # called at 0.15, as it scheduled
    assert driver.get("pushed.times") == [2]
    driver.walk([0.17, 0.2])  # called again, as it scheduled
    assert driver.get("pushed.times") == [3]
    driver.slave.setReal([driver.references["push.force"]], [1.0])
    driver.slave.doStep(0.2, 0.02)
    driver.slave.setReal([driver.references["push.force"]], [1.6])
    driver.slave.doStep(0.22, 0.02)
    assert driver.get("pushed.times")[0] >= 4  # called by this crossing, and as scheduled


@pytest.mark.slow
def test_a_saved_state_continues_across_events_bit_for_bit(full, drive):
    driver, times = drive(full), np.arange(0, 31) * 0.07
    references = driver.references

    def go(driver, first, last):
        rows = []
        for time, after in pairwise(times[first:last]):
            driver.slave.setReal([references["push.force"]], [3 * np.sin(9 * time)])
            rows += driver.walk([time, after], *NAMES)
        return rows

    for cut in (3, 8, 17):
        go(driver, 0, cut + 1)
        saved = driver.slave.getFMUState()
        data = driver.slave.serializeFMUState(saved)
        straight_on = go(driver, cut, 31)
        driver.slave.setFMUState(saved)
        assert go(driver, cut, 31) == straight_on

        other = drive(full)
        other.slave.setFMUState(other.slave.deserializeFMUState(data))
        assert go(other, cut, 31) == straight_on
        assert other.slave.serializeFMUState(other.slave.getFMUState()) == driver.slave.serializeFMUState(driver.slave.getFMUState())
        driver = drive(full)
    assert straight_on[-1][4] > 2
    assert straight_on[-1][5] >= 2


@pytest.mark.fast(1)
def test_variables_set_by_handlers_are_not_parameters_and_reporters_are_omitted(full):
    assert validate_fmu(str(full)) == []
    variables = {each.name: each for each in fmpy.read_model_description(str(full)).modelVariables}
    for name in ("spring.stiffness", "pushed.times", "bounce.count"):
        assert (variables[name].causality, variables[name].variability, variables[name].initial) == ("output", "discrete", "exact")
    assert float(variables["spring.stiffness"].start) == 2.0
    assert variables["gravity.magnitude"].causality == "parameter"
    assert (variables["bounce.enabled"].causality, variables["bounce.enabled"].variability) == ("parameter", "tunable")
    assert not any(name.startswith("left out") for name in variables)


def test_a_termination_handler_acts_when_the_master_terminates(full, drive):
    driver = drive(full)
    driver.walk([0, 0.1])
    assert driver.get("ball.u") != [0.0]
    driver.slave.terminate()
    assert driver.get("ball.u") == [0.0]


def test_a_handler_may_be_disabled_between_steps(bouncing, drive):
    driver = drive(bouncing)
    driver.walk([0, 0.3])
    driver.slave.setBoolean([driver.references["bounce.enabled"]], [False])
    driver.walk([0.3, 0.6])
    assert driver.get("ball.q")[0] == pytest.approx(HEIGHT - 4.9 * 0.36, abs=1e-9)


def test_endless_bounces_fail_the_step_and_it_can_be_undone(bouncing, drive, kind):
    driver = drive(bouncing)
    driver.walk([0, 2.0, 3.9])
    q, count = driver.get("ball.q", "bounce.count")
    saved = driver.slave.getFMUState()
    with pytest.raises(fmpy.fmi1.FMICallException) as caught:
        driver.slave.doStep(3.9, 0.5)
    assert caught.value.status == FAILED[kind]
    assert driver.get("time", "ball.q", "bounce.count") == [3.9, q, count]
    driver.slave.setFMUState(saved)
    driver.walk([3.9, 3.95])


def test_handlers_that_cannot_become_c_and_inputs_set_by_handlers_are_refused_by_name(tmp_path):
    system, state, ball = bouncing_mass()
    mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: print(s.time), name="log", recordable=False)
    with pytest.raises(UnsupportedError, match=r"event handler 'log' .*recordable = False.*export the System with kind='python'"):
        export(system, system.realize_topology(), tmp_path)

    system, state, ball = bouncing_mass()
    push = mb.MobilityForce(mb.ForceSubsystem(system, "more"), ball, name="push")
    mb.PeriodicEventHandler.of(system, 0.1, lambda s, e: push.set_force(s, 1.0), name="pusher")
    with pytest.raises(InputError, match=r"input 'push.force': the model also sets it, by an event handler"):
        export(system, system.realize_topology(), tmp_path, inputs=["push.force"])
    assert state is not None
