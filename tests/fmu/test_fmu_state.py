"""The FMU of a mechanism with other masters and ours: its state saved and restored, unusual paths, and steps of any length."""

import shutil
from itertools import pairwise

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from numpy.testing import assert_allclose

import mobod as mb
from mobod.cosim import FmuFile, Instance

OUTPUTS = ["upper.q", "lower.q", "lower.u", "lower.p_GB[1]", "lower.p_GB[2]", "energy"]
START = {"upper.q_start": 1.9, "lower.q_start": -0.7, "lower.u_start": 0.6}


@pytest.fixture(scope="module", params=["native", "python"])
def fmu(tmp_path_factory, request):
    """A double pendulum of unlike rods with a motor, a damper and a spring, as an FMU of either kind."""
    system = mb.MultibodySystem("double_pendulum")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    inertia = mb.Inertia.cylinder(mass=1.4, radius=0.02, length=0.9, axis="y").shifted([0, -0.45, 0])
    rod = mb.RigidBody(mb.MassProperties(mass=1.4, com=[0, -0.45, 0], inertia=inertia))
    upper = mb.Pin(matter.ground, rod, name="upper")
    lower = mb.Pin(upper, mb.MassProperties.point(0.8, [0.1, -0.6, 0]), X_PF=mb.Transform(p=[0, -0.9, 0]), name="lower")
    mb.MobilityForce(forces, upper, name="motor")
    mb.MobilityLinearDamper(forces, lower, damping=0.03, name="friction")
    path = tmp_path_factory.mktemp("double_pendulum") / "double_pendulum.fmu"
    outputs = ["upper.q", "lower.q", "lower.u", "lower.p_GB", "energy"]
    return mb.export_fmu(system, path, kind=request.param, inputs=["motor.force"], outputs=outputs)


class Driver:
    """The FMU stepped by FMPy, with another motor torque before each step."""

    def __init__(self, fmu, folder, values=START, start=0.0):
        description = fmpy.read_model_description(str(fmu))
        self.references = {variable.name: variable.valueReference for variable in description.modelVariables}
        fmpy.extract(str(fmu), unzipdir=str(folder))
        identifier = description.coSimulation.modelIdentifier
        self.slave = FMU2Slave(guid=description.guid, unzipDirectory=str(folder), modelIdentifier=identifier, instanceName="it")
        self.slave.instantiate()
        self.slave.setupExperiment(startTime=start, tolerance=1e-7)
        self.slave.setReal([self.references[name] for name in values], values.values())
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()

    def walk(self, times):
        """The outputs after each step between two of the times."""
        passed = []
        for time, after in pairwise(times):
            self.slave.setReal([self.references["motor.force"]], [3.0 * np.sin(5.0 * time)])
            self.slave.doStep(time, after - time)
            passed.append(self.slave.getReal([self.references[name] for name in OUTPUTS]))
        return passed

    def save(self):
        state = self.slave.getFMUstate()
        data = self.slave.serializeFMUstate(state)
        self.slave.freeFMUstate(state)
        return data

    def restore(self, data):
        state = self.slave.deSerializeFMUstate(data)
        self.slave.setFMUstate(state)
        self.slave.freeFMUstate(state)


@pytest.fixture
def drive(fmu, tmp_path):
    """Starts instances, each unpacked into a folder of its own; all are freed at the end."""
    started = []

    def start(**options):
        started.append(Driver(fmu, tmp_path / f"{len(started)}", **options))
        return started[-1]

    yield start
    for driver in started:
        driver.slave.freeInstance()


@pytest.fixture
def times():
    """Irregular points: between some the integrator takes many steps, between others a small part of one."""
    rng = np.random.default_rng(11)
    return np.cumsum([0.0, *(0.3 * rng.random(30) ** 3)]).tolist()


# state -----------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_state_in_memory_can_be_restored_repeatedly_with_the_same_bits(drive, times):
    pendulum = drive()
    pendulum.walk(times[:12])
    saved = pendulum.slave.getFMUstate()
    straight_on = pendulum.walk(times[11:])
    for _ in range(3):
        pendulum.slave.setFMUstate(saved)
        assert pendulum.walk(times[11:]) == straight_on
    pendulum.slave.freeFMUstate(saved)


@pytest.mark.fast(1)
def test_a_state_from_bytes_continues_in_another_instance_with_the_same_bits(drive, times):
    first, second = drive(), drive(values={"upper.q_start": -0.4})
    first.walk(times[:12])
    data = first.save()
    straight_on = first.walk(times[11:])
    second.walk([0.0, 0.4, 0.5])
    second.restore(data)
    assert second.walk(times[11:]) == straight_on
    assert second.save() == first.save()


@pytest.mark.fast(1)
def test_a_saved_state_includes_the_integrator(drive, times):
    pendulum = drive()
    pendulum.walk(times[:12])
    names = ("upper.q", "upper.u", "lower.q", "lower.u")
    here = pendulum.slave.getReal([pendulum.references[name] for name in names])
    straight_on = pendulum.walk(times[11:])
    # an instance that starts here in the same pose has a new integrator: the motion is the same, but not the bits
    fresh = drive(start=times[11], values={f"{name}_start": value for name, value in zip(names, here, strict=True)})
    anew = fresh.walk(times[11:])
    assert_allclose(anew, straight_on, atol=1e-4)  # 1000 times the tolerance: errors of some hundred steps add up and grow
    assert anew != straight_on


@pytest.mark.fast(1)
@pytest.mark.parametrize("algorithm", ["jacobi", "gauss-seidel"])
def test_a_checkpoint_file_of_mobods_master_continues_with_the_same_bits(fmu, tmp_path, algorithm):
    network = mb.Network()
    network.add(fmu, "a", start=START, isolate=False)
    network.add(fmu, "b", start={"upper.q_start": 0.3}, isolate=False)
    network.connect("a.energy", "b.motor.force")  # J is N m
    master = mb.Master(network, step=0.1, algorithm=algorithm, tolerance=1e-7)
    with master.start() as run:
        run.set({"a.motor.force": 1.7})
        run.until(0.7)
        run.checkpoint().save(tmp_path / "at 0.7")
        expected = run.until(1.9)
    with master.start() as run:
        run.restore(mb.Checkpoint.load(tmp_path / "at 0.7"))
        resumed = run.until(1.9)
    for name in expected:
        assert resumed[name].tobytes() == expected[name].tobytes()


@pytest.mark.fast(1)
def test_a_run_in_parts_by_mobods_master_has_the_same_bits(fmu):
    network = mb.Network()
    network.add(fmu, "it", start=START, isolate=False)
    master = mb.Master(network, step=0.1)
    whole = master.run(until=1.3)
    with master.start() as run:
        parts = [run.until(until) for until in (0.3, 0.7, 1.3)]  # which are no multiples of 0.1 among doubles
    for name in whole:
        assert [*parts[0][name], *parts[1][name][1:], *parts[2][name][1:]] == list(whole[name])


# paths -----------------------------------------------------------------------------------------------------------------------------------

FOLDERS = ["with spaces in it", "Größe äöü", "#1 of 2#", "100%", "50%20off %zz", "日本"]


@pytest.fixture
def plain(drive, times):
    return drive().walk(times)


@pytest.mark.fast(1)
@pytest.mark.parametrize("name", FOLDERS)
def test_fmpy_runs_it_from_a_folder_of_any_name(fmu, tmp_path, name, times, plain):
    folder = tmp_path / name
    folder.mkdir()
    driver = Driver(shutil.copy(fmu, folder / f"{name}.fmu"), folder / f"unpacked {name}")
    assert driver.walk(times) == plain
    driver.slave.freeInstance()


@pytest.mark.fast(9)
@pytest.mark.parametrize("name", FOLDERS)
def test_mobods_master_runs_it_from_a_folder_of_any_name(fmu, tmp_path, monkeypatch, name):
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with Instance(FmuFile(shutil.copy(fmu, folder / f"{name}.fmu")), name) as instance:
        assert len(list(folder.glob("mobod_*"))) == 1
        instance.call("fmi2SetDebugLogging", True, 0, None)
        instance.set_up(0.0, 1.0, None)
        instance.set(START)
        instance.enter_initialization()
        instance.exit_initialization()
        instance.step(0.0, 0.1)
        assert instance.get("time") == 0.1
        assert {line.status for line in instance.log.lines} == {"ok"}
    assert not list(folder.glob("mobod_*"))


# steps of any length ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.fast(1)
def test_irregular_communication_steps_give_the_same_result_as_even_ones(fmu, drive, times):
    assert fmpy.read_model_description(str(fmu)).coSimulation.canHandleVariableCommunicationStepSize
    assert max(np.diff(times)) > 1e3 * min(np.diff(times))

    def swing(points):
        driver = drive()
        for time, after in pairwise(points):
            driver.slave.doStep(time, after - time)
            (shown,) = driver.slave.getReal([driver.references["time"]])
            assert shown == pytest.approx(after, rel=1e-15)  # time + (after - time), rounded
        return driver.slave.getReal([driver.references[name] for name in OUTPUTS])

    even = np.linspace(0.0, times[-1], 41).tolist()
    assert_allclose(swing(times), swing(even), atol=1e-4)  # 1000 times the tolerance: errors of some hundred steps add up and grow
