"""FMUs with rigid friction move as the Simulation does, in stick and slip, and resume from saved states with the same bits."""

import runpy
from itertools import pairwise
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import FmuFile
from mobod.errors import FmuError
from tests.analytic.test_ends_of_capsules import log_that_goes_over_an_end
from tests.analytic.test_regularised_friction_under_load import carriage
from tests.analytic.test_turning_slips import end_of_slip, sled
from tests.fmu.bouncing_sphere import exact_speeds, sphere
from tests.fmu.stepped import start, walk, walked_thrice
from tests.fmu.test_fmi3 import started as started_fmi3
from tests.fmu.test_model_exchange import Importer

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TOLERANCE = 1e-10


def block():
    """A box that is pushed up an incline: it slips, and sticks from 0.3 s on."""
    system, body, _ = runpy.run_path(str(EXAMPLES / "16_block_on_incline.py"))["block_on_incline"](0.3)
    state = system.realize_topology()
    body.set_u(state, [0, 0, 0, -2.0, 0, 0])
    return system, state, ["block.q", "block.u", "contact.mode"]


def belt():
    """A block that sticks to a belt and slips, in turn."""
    system = runpy.run_path(str(EXAMPLES / "17_belt_oscillator.py"))["belt_oscillator"]()
    return system, system.realize_topology(), ["block.q", "block.u", "friction.mode", "friction.torque"]


def ball():
    """A sphere that falls, bounces, slides and rolls."""
    system, state = sphere()
    return system, state, ["ball.q", "ball.u", "contact.mode", "contact.slip"]


def woodpecker():
    system, state = runpy.run_path(str(EXAMPLES / "18_woodpecker.py"))["woodpecker"]()
    return system, state, ["height.q", "sleeve.q", "bird.q", "edge_0.mode", "edge_1.mode"]


def bearing():
    """A pendulum in a dry bearing: its friction grows with the load. It turns back once, and sticks from 1.3 s on."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    body = mb.Pin(matter.ground, mb.MassProperties(3.0, [0.3, 0, 0], mb.Inertia(np.diag([0.05, 0.32, 0.32]))), name="pendulum")
    load = mb.BearingLoad(friction=0.4, static_friction=0.6, radius=0.2)
    mb.JointFriction(matter, body, transition_speed=None, load=load, stribeck_speed=0.5, name="bearing")
    state = system.realize_topology()
    body.set_u(state, [3.0])
    return system, state, ["pendulum.q", "pendulum.u", "bearing.mode", "bearing.load", "bearing.torque"]


def loaded_carriage():
    """A carriage in a dry guide, with regularised friction. A box falls on it, slides on it by the law of Stribeck, and sticks."""
    body, _, state = carriage(height=0.02, box=True, speed=1.5)
    state.system.matter.body("payload").set_u(state, [0, 0, 0, 2.2, 0, 0])
    outputs = ["carriage.q", "carriage.u", "payload.u", "deck.mode", "guide.load", "guide.torque", "guide.power_dissipation"]
    return body.matter.system, state, outputs


def log():
    """A log that rolls along another one and over its end, where it begins to slip."""
    system, state, _ = log_that_goes_over_an_end(0.6)
    return system, state, ["log_0.q", "log_0.u", "contact_0.mode", "contact_0.normal_force"]


THROW = (0.48, 2.1, 2.1)  # coefficient of friction, m/s, rad from downhill


def turning():
    """A particle on three feet, thrown across a slope: its slip turns by more than a right angle, and stops at 0.68 s."""
    made = sled(n_feet=3)
    return made.system, made.thrown(*THROW, 0.0), ["sled.q", "sled.u", "foot0.mode", "foot1.slip", "foot2.power_dissipation"]


# the System, its motion's duration, and the largest difference of states between two runs at this accuracy
SYSTEMS = {
    "block": (block, 0.6, 1e-8),
    "belt": (belt, 2.0, 1e-8),
    "bearing": (bearing, 1.6, 1e-7),
    "carriage": (loaded_carriage, 0.4, 1e-6),
    "ball": (ball, 0.8, 1e-7),
    "woodpecker": (woodpecker, 0.2, 1e-6),
    "log": (log, 0.6, 1e-7),
    "turning": (turning, 0.8, 1e-6),
}
STEPS = {"integrator": "velocity_level", "step": 0.001}


def columns_of(path, names):
    """The names of these outputs in an FMU; of FMI 2.0 those of their entries."""
    outputs = [each.name for each in fmpy.read_model_description(str(path)).modelVariables if each.causality == "output"]
    return [each for name in names for each in outputs if each.partition("[")[0] == name]


def exported(name, path, version, **options):
    system, state, names = SYSTEMS[name][0]()
    return mb.export_fmu(system, path / "it.fmu", outputs=names, state=state, fmi_version=version, code="interpreted", **options)


def simulated(name, times, **options):
    """(n_times, n) all outputs, by the Simulation."""
    system, state, names = SYSTEMS[name][0]()
    results = mb.Simulation(system, backend="interpreted", **options).run(state, until=times[-1], report_every=times[1] - times[0])
    return np.concatenate([results[each].reshape(len(results.time), -1) for each in names], axis=1), names


def flat(result, names):
    return np.concatenate([np.asarray(result[name], dtype=float).reshape(len(result), -1) for name in names], axis=1)


ALL_IMPORTED = [(name, kind, version) for name in SYSTEMS for kind in ("CoSimulation", "ModelExchange") for version in ("2.0", "3.0")]


@pytest.mark.fast("belt-ModelExchange-3.0", "ball-CoSimulation-2.0")
@pytest.mark.parametrize(("name", "kind", "version"), ALL_IMPORTED)
def test_an_importer_gets_the_motion_of_the_simulation(tmp_path, name, kind, version):
    _, until, error = SYSTEMS[name]
    error = 1e-6 if kind == "ModelExchange" else error  # the importer's integrator, CVODE, has larger errors
    fmu = exported(name, tmp_path, version)
    expected, names = simulated(name, np.linspace(0, until, 41), accuracy=TOLERANCE)
    result = fmpy.simulate_fmu(
        str(fmu), fmi_type=kind, stop_time=until, output_interval=until / 40, relative_tolerance=TOLERANCE, record_events=False
    )
    found = flat(result, columns_of(fmu, names))
    if (name, kind) == ("ball", "ModelExchange"):  # the Simulation captures its last bounce with an error of 1.6e-6 rad/s
        expected[:, 7:13] = exact_speeds(np.linspace(0, until, 41), 0.3, 0.2)
    assert_allclose(found, expected, rtol=0, atol=error)


@pytest.mark.fast("block-2.0")
@pytest.mark.parametrize(("name", "version"), [(name, version) for name in SYSTEMS for version in ("2.0", "3.0")])
def test_an_importer_gets_the_fixed_steps_of_the_simulation(tmp_path, name, version):
    until = SYSTEMS[name][1]
    fmu = exported(name, tmp_path, version, **STEPS)
    expected, names = simulated(name, np.linspace(0, until, 41), **STEPS)
    result = fmpy.simulate_fmu(str(fmu), stop_time=until, output_interval=until / 40)
    assert_allclose(flat(result, columns_of(fmu, names)), expected, rtol=0, atol=1e-10)  # communication times have round-off


WITH_OPTIONS = [(name, options) for name in SYSTEMS for options in ({}, STEPS)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), WITH_OPTIONS)
def test_a_stepped_run_and_an_fmu_have_the_same_bits(tmp_path, name, options):
    build, until, _ = SYSTEMS[name]
    system, state, names = build()
    fmu = exported(name, tmp_path, "2.0", **options)
    accuracy = {} if options else {"accuracy": TOLERANCE}
    run = mb.Simulation(system, backend="interpreted", **accuracy, **options).start(state)
    columns, times = run.variables(*names), np.linspace(0, until, 21)
    with start(FmuFile(fmu), TOLERANCE) as instance:
        for time, after in pairwise(times):
            instance.step(time, after - time)
            run.step_to(after)
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])


@pytest.mark.fast("belt-options2")
@pytest.mark.parametrize(("name", "options"), WITH_OPTIONS)
def test_a_state_saved_in_each_mode_continues_with_the_same_bits(tmp_path, name, options):
    until = SYSTEMS[name][1]
    fmu = FmuFile(exported(name, tmp_path, "2.0", **options))
    names, times = columns_of(fmu.path, SYSTEMS[name][0]()[2]), np.linspace(0, until, 41)
    modes = [name for name in names if ".mode" in name]
    with start(fmu, TOLERANCE) as instance:
        walked = walk(instance, times, modes).max(axis=1)
    for mode in set(walked):
        saved_at = int(np.flatnonzero(walked == mode)[0]) + 1
        if saved_at < 40:
            first, again, elsewhere = walked_thrice(fmu, times, saved_at, names)
            assert_array_equal(again, first)
            assert_array_equal(elsewhere, first)
    assert {1.0, 2.0} <= set(walked) or name == "woodpecker"


# ---- states saved at events ----


class StoppedSlave:
    """An FMU of FMI 3.0 that stops at its events. `stage` counts on to the next call: 0 a step, 1 Event Mode, 2 its update, 3 its end."""

    def __init__(self, fmu, references, n):
        self.slave, _ = started_fmi3(fmu, eventModeUsed=True, earlyReturnAllowed=True)
        self.references, self.n, self.time, self.stage = references, n, 0.0, 2

    def go_on(self, until):
        """The next call; returns what the FMU says."""
        told = []
        if self.stage == 0:
            needs_event, *told, self.time = self.slave.doStep(self.time, until - self.time)
            self.stage = 1 if needs_event else 0
        elif self.stage == 1:
            self.slave.enterEventMode()
            self.stage = 2
        elif self.stage == 2:
            told = self.slave.updateDiscreteStates()
            self.stage = 2 if told[0] else 3
        else:
            self.slave.enterStepMode()
            self.stage = 0
        return [self.stage, self.time, *told, *self.slave.getFloat64(self.references, self.n)]

    def walk(self, times):
        """What each call says, up to the last time, and the bytes before each."""
        rows, saved = [], []
        for until in times:
            while self.stage or self.time < until - 1e-12:
                state = self.slave.getFMUState()
                saved.append((self.stage, self.time, self.slave.serializeFMUState(state)))
                self.slave.freeFMUState(state)
                rows.append(self.go_on(until))
        return rows, saved


@pytest.mark.fast("belt")
@pytest.mark.parametrize("name", ["block", "belt", "ball"])
def test_a_state_of_fmi_3_saved_around_each_event_continues_with_the_same_bits(tmp_path, name):
    until = SYSTEMS[name][1]
    fmu = exported(name, tmp_path, "3.0", reference=False)
    wanted = SYSTEMS[name][0]()[2]
    described = [each for each in fmpy.read_model_description(str(fmu)).modelVariables if each.name in wanted and each.type == "Float64"]
    n, times = sum(int(np.prod(each.shape)) for each in described), np.linspace(0, until, 5)[1:]
    running, other = (StoppedSlave(fmu, [each.valueReference for each in described], n) for _ in range(2))
    rows, saved = running.walk(times)
    assert {stage for stage, *_ in saved} == {0, 1, 2, 3}
    for k, (stage, time, data) in enumerate(saved):
        other.slave.setFMUState(other.slave.deserializeFMUState(data))
        other.stage, other.time = stage, time
        again, _ = other.walk([each for each in times if each >= time - 1e-12])
        assert again == rows[k:]
    for each in (running, other):
        each.slave.freeInstance()


class SteppedImporter(Importer):
    """Euler steps of model exchange, each of which ends at a change of sign of an event indicator."""

    step, time = 1e-3, 0.0

    def __init__(self, fmu):
        super().__init__(fmu)
        self.update()

    def update(self):
        while self.model.newDiscreteStates()[0]:
            pass
        self.model.enterContinuousTimeMode()

    def move(self, y, rates, step):
        self.model.setTime(self.time + step)
        self.set_states(y + step * rates)
        return self.indicators()

    def to_event_or_end_of_step(self):
        """Take a step; whether it ends at an event."""
        signs, y, rates, short, long = self.indicators() > 0, self.states(), self.rates(), 0.0, self.step
        crosses = np.any((self.move(y, rates, long) > 0) != signs)
        while crosses and long - short > 1e-14:
            middle = (short + long) / 2
            crossed = np.any((self.move(y, rates, middle) > 0) != signs)
            short, long = (short, middle) if crossed else (middle, long)
        self.move(y, rates, long)
        self.time += long
        self.model.completedIntegratorStep()
        return crosses

    def go_on(self, n, at_event):
        """States after each of n steps; at_event: 0 none, 1 before Event Mode, 2 in it before the update."""
        rows = []
        for _ in range(n):
            if at_event == 0 and self.to_event_or_end_of_step():
                at_event = 1
            if at_event == 1:
                self.model.enterEventMode()
                at_event = 2
            if at_event == 2:
                self.update()
                at_event = 0
            rows.append([self.time, *self.states(), *self.rates(), *self.indicators()])
        return rows


@pytest.mark.slow
@pytest.mark.parametrize("name", ["block", "belt", "turning"])
def test_a_state_of_model_exchange_saved_around_each_event_continues_with_the_same_bits(tmp_path, name):
    importer = SteppedImporter(exported(name, tmp_path, "2.0", reference=False))
    n_events = 0
    while importer.time < SYSTEMS[name][1]:
        if not importer.to_event_or_end_of_step():
            continue
        n_events += 1
        for at_event in (1, 2, 0):
            state, time = importer.model.getFMUState(), importer.time
            first = importer.go_on(20, at_event)
            importer.model.setFMUState(state)
            importer.time = time
            assert importer.go_on(20, at_event) == first
            importer.model.setFMUState(state)
            importer.time = time
            importer.model.freeFMUState(state)
            if at_event == 1:
                importer.model.enterEventMode()
            elif at_event == 2:
                importer.update()
    assert n_events >= 1


class BlindImporter(SteppedImporter):
    """Euler steps of model exchange, which end at no events. Event Mode is entered where the model asks for it after a step."""

    def go_on_to(self, until):
        """The power that friction takes, and the states, after each step and its events."""
        rows = []
        while self.time < until:
            self.move(self.states(), self.rates(), self.step)
            self.time += self.step
            needs_event_mode, _ = self.model.completedIntegratorStep()
            if needs_event_mode:
                self.model.enterEventMode()
                self.update()
            rows.append([self.time, self.get("foot2.power_dissipation"), *self.states()])
        return np.array(rows)


def test_a_slip_that_turns_stops_in_steps_of_an_importer_that_finds_no_events(tmp_path):
    importer = BlindImporter(exported("turning", tmp_path, "2.0", reference=False))
    rows = importer.go_on_to(0.8)
    moves = np.abs(rows[:, -3:]).max(axis=1) > 1e-9  # speeds
    assert rows[moves, 0].max() == pytest.approx(end_of_slip(*THROW), abs=0.01)  # of first order in steps of 1 ms
    assert rows[:, 1].min() > -1e-9  # W


@pytest.mark.slow
def test_an_fmu_with_fixed_steps_refuses_shapes_that_overlap_at_the_start(tmp_path):
    system, state, _ = ball()
    path = mb.export_fmu(system, tmp_path / "ball.fmu", state=state, integrator="velocity_level", step=0.002, inputs=[], outputs=["ball.q"])

    with (
        pytest.raises(
            FmuError, match=r"at time 0 s contact 'contact\.point' overlaps: its distance is -0\.04 m, and no start may be below zero"
        ),
        start(FmuFile(path), **{"ball__q_start[7]": 0.06}),
    ):
        pass


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of FMPy's callbacks, in which the model fails
def test_contacts_that_come_to_contradict_each_other_are_named_in_model_exchange(tmp_path):
    """The hand starts to lift a box that the floor and the pads hold. Only co-simulation has an event for this."""
    system, motors, _ = runpy.run_path(str(EXAMPLES / "22_gripper.py"))["gripper"]()
    state = system.realize_topology()
    for motor in motors:
        motor.set_force(state, 3.6)  # N
    fmu = mb.export_fmu(system, tmp_path / "gripper.fmu", outputs=["box.q"], state=state, code="interpreted")
    logged = []

    # of CVODE, or of FMPy where it asks for rates itself, at the end of the last step that CVODE has taken
    with pytest.raises((RuntimeError, FMICallException), match=r"right-hand side|GetDerivatives"):
        fmpy.simulate_fmu(
            str(fmu), fmi_type="ModelExchange", stop_time=0.5, relative_tolerance=1e-6, debug_logging=True,
            logger=lambda *of_message: logged.append(of_message[-1].decode()),
        )  # fmt: skip

    named = [message for message in logged if "constraints contradict each other" in message]
    assert "all of 'floor'" in named[0]
    assert "use co-simulation with error control or with fixed steps at velocity level" in named[0]
