"""Model exchange: FMPy's CVODE integrates, and finds the events of the model by its indicators."""

import ctypes

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Model
from fmpy.validation import validate_fmu
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from tests.analytic.linkage import linkage
from tests.fmu.archive_content import description
from tests.laws.mechanisms import random_mechanism
from tests.reference.stops import bouncing_ball, read, slotted_hinge
from tests.unit.simulate.event_systems import bouncing_mass


def four_bar():
    made = linkage()
    return made.system, made.state


def slotted():
    system, _ = slotted_hinge(read("exact_slotted_hinge_undamped_e0")["params"])
    return system, system.realize_topology()


def ball():
    system, _ = bouncing_ball(1.0, 9.81, 0.5)
    return system, system.realize_topology()


def mass():
    system, state, _ = bouncing_mass()
    return system, state


def free_body():
    """A quaternion, which drifts."""
    system = mb.MultibodySystem("free")
    matter = mb.MatterSubsystem(system)
    body = mb.RigidBody(mb.MassProperties(mass=1.0, com=[0, 0, 0], inertia=mb.Inertia(np.diag([0.1, 0.2, 0.25]))))
    free = mb.Free(matter.ground, body, name="free")
    state = system.realize_topology()
    free.set_u(state, [1.0, 2.0, -3.0, 0.1, 0.0, 0.0])
    return system, state


SYSTEMS = {"four-bar": (four_bar, 2.0), "slotted hinge": (slotted, 2.0), "ball": (ball, 1.0), "mass": (mass, 1.0), "free": (free_body, 2.0)}


def states_of(system, state):
    return [variable.name for variable in system.variables(state) if variable.role == "state"]


def run_by_importer(fmu, kind, until, names, every=0.05, tolerance=1e-10):
    result = fmpy.simulate_fmu(
        str(fmu), fmi_type=kind, stop_time=until, output_interval=every, relative_tolerance=tolerance, record_events=False
    )
    return [np.asarray(result[name]).reshape(len(result), -1) for name in names]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("four-bar", "2.0"),
        ("slotted hinge", "3.0"),
        ("ball", "2.0"),
        ("mass", "3.0"),
        ("mass", "2.0"),
        ("free", "3.0"),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (("four-bar", "3.0"), ("slotted hinge", "2.0"), ("ball", "3.0"), ("free", "2.0"))
        ),
    ],
)
def test_an_importer_gets_the_motion_of_the_simulation_through_events(tmp_path, name, version):
    build, until = SYSTEMS[name]
    system, state = build()
    names = states_of(system, state)[:2]
    fmu = mb.export_fmu(system, tmp_path / "it.fmu", outputs=names, state=state, fmi_version=version, code="interpreted")
    assert validate_fmu(str(fmu)) == []
    columns = [variable.name for variable in fmpy.read_model_description(str(fmu)).modelVariables if variable.causality == "output"]
    results = mb.Simulation(system, accuracy=1e-10).run(state, until=until, report_every=0.05)
    expected = np.concatenate([results[each].reshape(len(results.time), -1) for each in names], axis=1)
    for kind in ("ModelExchange", "CoSimulation"):
        found = np.concatenate(run_by_importer(fmu, kind, until, columns), axis=1)
        assert_allclose(found, expected, atol=1e-7, err_msg=kind)


class Importer:
    """A model for exchange, by FMPy's bindings of FMI 2.0."""

    def __init__(self, fmu, start=None):
        described = fmpy.read_model_description(str(fmu))
        self.references = {variable.name: variable.valueReference for variable in described.modelVariables}
        self.model = FMU2Model(
            guid=described.guid, unzipDirectory=fmpy.extract(str(fmu)), modelIdentifier=described.modelExchange.modelIdentifier,
            instanceName="importer",
        )  # fmt: skip
        self.model.instantiate()
        self.model.setupExperiment(startTime=0.0, tolerance=1e-6)
        self.model.enterInitializationMode()
        for name, value in (start or {}).items():
            self.model.setReal([self.references[name]], [value])
        self.model.exitInitializationMode()
        self.n = described.numberOfContinuousStates
        self.n_indicators = described.numberOfEventIndicators

    def get(self, name):
        return self.model.getReal([self.references[name]])[0]

    def states(self):
        values = (ctypes.c_double * self.n)()
        self.model.getContinuousStates(values, self.n)
        return np.array(values)

    def rates(self):
        values = (ctypes.c_double * self.n)()
        self.model.getDerivatives(values, self.n)
        return np.array(values)

    def indicators(self):
        values = (ctypes.c_double * self.n_indicators)()
        self.model.getEventIndicators(values, self.n_indicators)
        return np.array(values)

    def set_states(self, values):
        self.model.setContinuousStates((ctypes.c_double * self.n)(*values), self.n)


def test_event_mode_projects_what_the_importer_has_let_drift(tmp_path):
    system, state = four_bar()
    names = states_of(system, state)
    fmu = mb.export_fmu(system, tmp_path / "bars.fmu", outputs=names, state=state, code="interpreted")
    importer = Importer(fmu)
    importer.model.newDiscreteStates()
    importer.model.enterContinuousTimeMode()
    on_manifold = importer.states()
    assert importer.model.completedIntegratorStep() == (0, 0)

    # the drift of some steps stays; a larger one needs event mode, where alone the states change
    importer.set_states(on_manifold + 1e-5)
    assert importer.model.completedIntegratorStep() == (0, 0)
    drifted = on_manifold + 3e-3 * np.eye(importer.n)[0]
    importer.set_states(drifted)
    assert importer.model.completedIntegratorStep()[0] == 1
    assert_array_equal(importer.states(), drifted)
    importer.model.enterEventMode()
    assert importer.model.newDiscreteStates()[3]  # states changed
    projected = importer.states()
    assert 1e-5 < np.abs(projected - drifted).max() < 3e-2
    assert not importer.model.newDiscreteStates()[3]
    importer.model.enterContinuousTimeMode()
    assert importer.model.completedIntegratorStep() == (0, 0)


def test_an_indicator_keeps_away_from_zero_after_its_event(tmp_path):
    """A ball that has just bounced lies at its limit up to round-off; its indicator is positive until it is well above."""
    system, state = ball()
    fmu = mb.export_fmu(system, tmp_path / "ball.fmu", outputs=["ball.q"], state=state, code="interpreted")
    importer = Importer(fmu)
    importer.model.newDiscreteStates()
    importer.model.enterContinuousTimeMode()
    fallen = np.sqrt(2 / 9.81)
    importer.model.setTime(fallen)
    importer.set_states([-1e-12, -9.81 * fallen])
    assert importer.indicators()[0] < 0
    importer.model.completedIntegratorStep()
    importer.model.enterEventMode()
    *_, changed, has_next, _ = importer.model.newDiscreteStates()
    importer.model.enterContinuousTimeMode()
    assert (changed, has_next) == (1, 0)
    q, u = importer.states()
    assert_allclose(u, 0.5 * 9.81 * fallen, rtol=1e-9)
    assert importer.indicators()[0] > 0
    assert q == pytest.approx(0, abs=1e-11)
    importer.model.setTime(fallen + 0.1)
    importer.set_states([0.1, u])
    importer.model.completedIntegratorStep()
    assert importer.indicators()[0] == 0.1


@pytest.mark.slow
def test_a_saved_state_continues_in_event_mode_and_in_continuous_time_mode_bit_for_bit(tmp_path):
    system, state = slotted()
    fmu = mb.export_fmu(system, tmp_path / "hinge.fmu", outputs=["hinge.q"], state=state, code="interpreted")
    importer = Importer(fmu)
    model = importer.model

    def ahead():
        model.newDiscreteStates()
        model.enterContinuousTimeMode()
        model.setTime(0.2)
        importer.set_states(importer.states() + 0.01)
        found = [*importer.rates(), *importer.indicators()]
        model.enterEventMode()
        return [*found, *importer.states(), *model.newDiscreteStates()]

    saved = model.getFMUState()
    first = ahead()
    model.setFMUState(saved)
    assert ahead() == first
    model.freeFMUState(saved)


@pytest.mark.slow
def test_velocity_level_is_refused_by_name(tmp_path):
    system, state = ball()
    for version in ("2.0", "3.0"):
        fmu = mb.export_fmu(
            system, tmp_path / f"fixed{version}.fmu", outputs=["ball.q"], state=state, integrator="velocity_level", step=1e-3,
            fmi_version=version, code="interpreted",
        )  # fmt: skip
        assert fmpy.read_model_description(str(fmu)).modelExchange is None
        assert validate_fmu(str(fmu)) == []


@pytest.mark.slow
def test_random_mechanisms_have_the_rates_of_their_states(tmp_path):
    mechanism = random_mechanism(11, n_bodies=2)
    state = mechanism.random_state(np.random.default_rng(2))
    state.time = 0.0
    fmu = mb.export_fmu(mechanism.system, tmp_path / "it.fmu", outputs=[], state=state, code="interpreted")
    importer = Importer(fmu)
    mechanism.system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(importer.states(), np.concatenate([state.q, state.u, state.z]), rtol=0, atol=1e-12)
    assert_allclose(importer.rates(), state.y_dot, rtol=1e-9, atol=1e-9)


@pytest.mark.slow
def test_states_that_may_jump_are_marked(tmp_path):
    """The energy that a damper takes does not jump, nor do the states of a body without constraints; a bounce changes the speed alone."""
    marked = {}
    for name, (build, _) in SYSTEMS.items():
        system, state = build()
        fmu = mb.export_fmu(system, tmp_path / "it.fmu", outputs=[], state=state, fmi_version="3.0", code="interpreted")
        marked[name] = [variable.get("name") for variable in description(fmu).iterfind("ModelVariables/*[@reinit='true']")]
    assert marked["four-bar"] == [f"{body}.{of}" for of in "qu" for body in ("crank0", "crank1", "crank2", "beam")]
    assert marked["ball"] == ["ball.q", "ball.u"]
    assert marked["mass"] == ["ball.u"]
    assert marked["free"] == [f"free.q[{i}]" for i in (1, 2, 3, 4)]


@pytest.mark.slow
def test_a_lock_that_is_switched_on_changes_the_states_in_event_mode(tmp_path):
    system = mb.MultibodySystem("locked")
    matter = mb.MatterSubsystem(system)
    arm = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="arm")
    arm.set_lockable_by_default(True)
    fmu = mb.export_fmu(system, tmp_path / "locked.fmu", outputs=["arm.q"], code="interpreted")
    importer = Importer(fmu)
    importer.model.setReal([importer.references["arm.lock_value"]], [0.7])
    importer.model.setInteger([importer.references["arm.lock_level"]], [2])  # speeds
    assert importer.model.newDiscreteStates()[3]  # states changed
    assert_array_equal(importer.states(), [0.0, 0.7])
