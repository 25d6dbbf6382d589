"""FMI 3.0: the numbers of FMI 2.0, arrays, enumerations, event mode, and what is refused."""

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Slave
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.fmu.platforms import PLATFORMS
from tests.fmu.archive_content import content
from tests.reference.stops import bouncing_ball
from tests.unit.simulate.event_systems import bouncing_mass


def slave_of(fmu, **options):
    """An instance for co-simulation, and its variables by name. `slave.log` holds the messages."""
    description = fmpy.read_model_description(str(fmu))
    identifier = description.coSimulation.modelIdentifier
    slave = FMU3Slave(guid=description.guid, unzipDirectory=fmpy.extract(str(fmu)), modelIdentifier=identifier, instanceName="slave")
    slave.log = []
    slave.instantiate(loggingOn=True, logMessage=lambda _, status, category, text: slave.log.append((status, text.decode())), **options)
    return slave, {variable.name: variable for variable in description.modelVariables}


def started(fmu, **options):
    slave, variables = slave_of(fmu, **options)
    slave.enterInitializationMode(startTime=0.0, tolerance=1e-10)
    slave.exitInitializationMode()
    return slave, variables


@pytest.fixture(scope="module")
def ball(tmp_path_factory):
    system, _ = bouncing_ball(1.0, 9.81, 0.5)
    outputs = ["ball.q", "ball.u", "ball.limit.engaged"]
    return mb.export_fmu(system, tmp_path_factory.mktemp("ball") / "ball.fmu", outputs=outputs, fmi_version="3.0", code="interpreted")


def crane():
    """A swinging rod on a free body, with a port at its end: vectors, a quaternion, and inputs that are vectors."""
    system = mb.MultibodySystem("crane")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    rod = mb.MassProperties(2.0, [0, -0.5, 0], mb.Inertia.cylinder(mass=2.0, radius=0.05, length=1.0, axis="y").shifted([0, -0.5, 0]))
    base = mb.Free(matter.ground, rod, name="base")
    arm = mb.Pin(base, rod, X_PF=mb.Transform(p=[0, -1, 0]), name="arm")
    mb.Port(arm, mb.Transform(p=[0, -1, 0]), name="tip")
    state = system.realize_topology()
    arm.set_q(state, 0.3)
    return system, state


@pytest.fixture(scope="module")
def cranes(tmp_path_factory):
    system, state = crane()
    folder = tmp_path_factory.mktemp("cranes")
    return {
        version: mb.export_fmu(
            system, folder / f"{version}.fmu", name="crane", state=state, inputs=["tip.force"], outputs=["tip.p_GF", "arm.q"],
            fmi_version=version, code="interpreted",
        )
        for version in ("2.0", "3.0")
    }  # fmt: skip


@pytest.fixture(scope="module")
def crane_of_scalars(tmp_path_factory):
    system, state = crane()
    return mb.export_fmu(
        system, tmp_path_factory.mktemp("scalars") / "scalars.fmu", name="crane", state=state, inputs=["tip.force"],
        outputs=["tip.p_GF", "arm.q"], fmi_version="3.0", arrays="scalars", code="interpreted",
    )  # fmt: skip


def test_vectors_are_arrays(cranes):
    slave, variables = started(cranes["3.0"])
    assert variables["tip.p_GF"].shape == variables["tip.force"].shape == (3,)
    assert variables["arm.q"].shape == variables["base.u[1]"].shape == ()  # entries of base.u have different units
    assert "tip.p_GF[1]" not in variables
    force, tip = variables["tip.force"].valueReference, variables["tip.p_GF"].valueReference
    assert_allclose(slave.getFloat64([tip], 3), [np.sin(0.3), -1 - np.cos(0.3), 0], atol=1e-12)
    slave.setFloat64([force], [1.0, 2.0, 3.0])
    assert slave.getFloat64([force], 3) == [1.0, 2.0, 3.0]
    with pytest.raises(FMICallException):
        slave.setFloat64([force], [1.0, 2.0])
    with pytest.raises(FMICallException):
        slave.setFloat64([force + 1], [1.0])
    texts = [text for status, text in slave.log if status == 3]
    assert "an array of 2 values was given, and the variables have 3" in texts[0]
    assert "an entry of an array" in texts[1]
    slave.freeInstance()


@pytest.mark.slow
def test_entries_of_vectors_can_be_variables_that_a_host_without_arrays_reads_one_by_one(crane_of_scalars, cranes):
    slave, variables = started(crane_of_scalars)
    assert all(each.shape == () for each in variables.values())
    assert {each.name for each in fmpy.read_model_description(str(cranes["2.0"])).modelVariables} <= variables.keys()
    entries = [variables[f"tip.p_GF[{i}]"].valueReference for i in (1, 2, 3)]
    assert_allclose(slave.getFloat64(entries), [np.sin(0.3), -1 - np.cos(0.3), 0], atol=1e-12)  # one value a reference
    slave.setFloat64([variables["tip.force[2]"].valueReference], [2.5])
    assert slave.getFloat64([variables[f"tip.force[{i}]"].valueReference for i in (1, 2, 3)]) == [0.0, 2.5, 0.0]
    slave.freeInstance()
    whole = fmpy.read_model_description(str(cranes["3.0"]))
    assert fmpy.read_model_description(str(crane_of_scalars)).guid != whole.guid  # other value references are valid


def test_both_versions_give_the_same_bits_in_co_simulation(cranes):
    columns = {}
    for version, fmu in cranes.items():
        result = fmpy.simulate_fmu(str(fmu), stop_time=0.5, output_interval=0.05, relative_tolerance=1e-8)
        tip = [result["tip.p_GF"]] if version == "3.0" else [np.stack([result[f"tip.p_GF[{i}]"] for i in (1, 2, 3)], axis=1)]
        columns[version] = np.concatenate([*tip, result["arm.q"][:, None]], axis=1)
    assert_array_equal(columns["2.0"], columns["3.0"])


def test_the_integrator_is_an_enumeration(cranes):
    slave, variables = slave_of(cranes["3.0"])
    integrator = variables["numerics.integrator"]
    names = [item.name for item in integrator.declaredType.items]
    assert names[:3] == ["auto", "RK23", "RK45"]
    assert slave.getInt64([integrator.valueReference]) == [1]
    slave.setInt64([integrator.valueReference], [names.index("DOP853") + 1])
    assert slave.getInt64([integrator.valueReference]) == [4]
    for value in (0, len(names) + 1, 2**40):
        with pytest.raises(FMICallException):
            slave.setInt64([integrator.valueReference], [value])
    with pytest.raises(FMICallException):
        slave.getInt32([integrator.valueReference])
    slave.freeInstance()


@pytest.mark.slow
def test_a_step_returns_at_an_event_which_event_mode_handles(ball):
    slave, variables = started(ball, eventModeUsed=True, earlyReturnAllowed=True)
    slave.updateDiscreteStates()
    slave.enterStepMode()
    time, bounces = 0.0, []
    while time < 1.0 - 1e-12:
        pending, terminates, is_early, time = slave.doStep(time, 1.0 - time)
        assert (pending, terminates) == (is_early, False)
        if pending:
            before = slave.getFloat64([variables["ball.u"].valueReference])[0]
            slave.enterEventMode()
            assert list(slave.updateDiscreteStates()[:4]) == [False, False, False, True]
            slave.enterStepMode()
            bounces.append((time, before, slave.getFloat64([variables["ball.u"].valueReference])[0]))
    fallen = np.sqrt(2 / 9.81)
    assert_allclose(bounces, [(fallen, -9.81 * fallen, 4.905 * fallen), (2 * fallen, -4.905 * fallen, 2.4525 * fallen)], rtol=1e-9)
    slave.freeInstance()


def test_without_early_return_events_are_handled_within_the_step(ball):
    by_importer, _ = started(ball, eventModeUsed=True)
    by_importer.updateDiscreteStates()
    by_importer.enterStepMode()
    alone, variables = started(ball)
    for i in range(10):
        assert by_importer.doStep(0.1 * i, 0.1)[:3] == alone.doStep(0.1 * i, 0.1)[:3] == (False, False, False)
        state = [variables[name].valueReference for name in ("ball.q", "ball.u")]
        assert by_importer.getFloat64(state) == alone.getFloat64(state)
    by_importer.freeInstance()
    alone.freeInstance()


def test_a_pending_event_is_part_of_a_saved_state(ball):
    slave, variables = started(ball, eventModeUsed=True, earlyReturnAllowed=True)
    slave.updateDiscreteStates()
    slave.enterStepMode()
    *_, time = slave.doStep(0.0, 1.0)
    data = slave.serializeFMUState(slave.getFMUState())

    def ahead(instance):
        instance.enterEventMode()
        told = instance.updateDiscreteStates()
        instance.enterStepMode()
        instance.doStep(time, 0.2)
        return [*told, *instance.getFloat64([variables[name].valueReference for name in ("ball.q", "ball.u")])]

    expected = ahead(slave)
    other, _ = started(ball, eventModeUsed=True, earlyReturnAllowed=True)
    other.setFMUState(other.deserializeFMUState(data))
    assert ahead(other) == expected
    plain, _ = started(ball)
    with pytest.raises(FMICallException):
        plain.setFMUState(plain.deserializeFMUState(data))
    assert "an instance for co-simulation with event mode, and this one is for co-simulation" in plain.log[-1][1]


def test_an_event_that_ends_the_simulation_is_reported_without_an_error(tmp_path):
    system, state, _ = bouncing_mass(stop_at=2)
    fmu = mb.export_fmu(system, tmp_path / "mass.fmu", outputs=["ball.q"], state=state, fmi_version="3.0", code="interpreted")
    slave, _ = started(fmu)
    _, terminates, is_early, time = slave.doStep(0.0, 5.0)
    assert (terminates, is_early) == (True, False)
    assert 0 < time < 5
    slave.freeInstance()


def test_what_is_not_supported_is_refused_with_a_message(ball):
    slave, _ = started(ball)
    for refused in (slave.enterConfigurationMode, slave.enterEventMode, lambda: slave.getString([0]), lambda: slave.getFloat32([0])):
        slave.log.clear()
        with pytest.raises(FMICallException):
            refused()
        assert [status for status, _ in slave.log] == [3]
    slave.freeInstance()


def test_the_archive_has_the_folders_and_the_build_description_of_fmi_3(cranes):
    entries = content(cranes["3.0"])
    assert "sources/buildDescription.xml" in entries
    assert "sources/fmi3.c" in entries
    assert "sources/fmi2.c" not in entries
    assert {name.split("/")[1] for name in entries if name.startswith("binaries/")} <= {platform.fmi3 for platform in PLATFORMS}
    terminal = entries["terminalsAndIcons/terminalsAndIcons.xml"].decode()
    assert 'variableName="tip.force" memberName="force"' in terminal


def test_python_fmus_are_of_fmi_2(tmp_path):
    with pytest.raises(mb.errors.UnsupportedError, match=r"Python FMUs are of FMI 2\.0"):
        mb.export_fmu(crane()[0], tmp_path / "x.fmu", kind="python", outputs=[], fmi_version="3.0")
