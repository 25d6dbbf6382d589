"""Python FMUs report errors as native FMUs do, and do not affect the process."""

import json
import re
import subprocess
import sys
import zipfile

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave

import mobod as mb
from mobod.cosim import FmuFile, Instance
from mobod.errors import FmuError, InputError, UnknownNameError, UnsupportedError
from tests.fmu.archive_content import content, description
from tests.fmu.users_elements import Wind, pendulum_in_wind
from tests.laws.mechanisms import random_mechanism


def test_names_are_checked_as_in_a_native_fmu(tmp_path):
    system, state = pendulum_in_wind()
    for kind in ("native", "python"):
        if kind == "native":
            system = random_mechanism(7, n_bodies=8).system
            state = system.realize_topology()
        with pytest.raises(UnknownNameError, match=r"no input is named 'motr\.force'"):
            mb.export_fmu(system, tmp_path / "x.fmu", kind=kind, inputs=["motr.force"], state=state)
    with pytest.raises(InputError, match=r"input 'lower\.q': it is a state"):
        mb.export_fmu(*pendulum_in_wind()[:1], tmp_path / "x.fmu", kind="python", inputs=["lower.q"])
    with pytest.raises(UnsupportedError, match=r"Python FMUs are of FMI 2\.0"):
        mb.export_fmu(system, tmp_path / "x.fmu", kind="python", fmi_version="3.0")
    assert not list(tmp_path.iterdir())


def test_an_object_that_cannot_be_pickled_is_reported_with_its_element(tmp_path):
    system, state = pendulum_in_wind()
    (forces,) = (subsystem for subsystem in system.subsystems if isinstance(subsystem, mb.ForceSubsystem))
    forces.elements[1].log = (tmp_path / "log.txt").open("w")
    with pytest.raises(UnsupportedError, match=r"attribute 'log' of Wind 'wind' cannot be pickled.*open them on first use"):
        mb.export_fmu(system, tmp_path / "x.fmu", kind="python", state=state)
    forces.elements[1].log.close()
    assert not (tmp_path / "x.fmu").exists()


class Refusing(Wind):
    def __setstate__(self, state):
        raise RuntimeError("not here")


def test_a_failure_of_unpickling_is_reported_at_export(tmp_path):
    system, state = pendulum_in_wind()
    (forces,) = (subsystem for subsystem in system.subsystems if isinstance(subsystem, mb.ForceSubsystem))
    forces.elements[1].__class__ = Refusing
    with pytest.raises(UnsupportedError, match=r"it cannot be unpickled\. RuntimeError: not here"):
        mb.export_fmu(system, tmp_path / "x.fmu", kind="python", state=state)


@pytest.mark.slow
def test_an_error_in_a_force_fails_the_step_with_its_name_time_and_message(fragile, start):
    it, other = start(fragile), start(fragile, {"fragile.until": 9.0})
    it.step(0.0, 0.3)
    with pytest.raises(FmuError, match=r"fmi2DoStep.*calc_force of force 'fragile' \(Fragile\) failed at 0\.\d+ s\..*100 % of the rope"):
        it.step(0.3, 0.2)
    for step in range(5):
        other.step(0.2 * step, 0.2)  # the process and the other instance continue
    assert np.isfinite(other.get("lower.q"))


@pytest.mark.slow
def test_other_versions_are_refused_with_a_message(wind, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def changed(name, old, new):
        path = tmp_path / name
        with zipfile.ZipFile(path, "w") as archive:
            for file, data in content(wind).items():
                if file.startswith("resources/mobod_fmu_"):
                    assert old in data.decode()
                    file, data = "resources/" + name.replace(".fmu", ".py"), data.decode().replace(old, new).encode()
                elif file == "resources/slavemodule.txt":
                    data = data.replace(data.splitlines()[0], name.removesuffix(".fmu").encode())
                archive.writestr(file, data)
        return FmuFile(path)

    version = re.search(r"'mobod': '(.*?)'", "".join(d.decode() for f, d in content(wind).items() if f.endswith(".py")))[1]
    with pytest.raises(FmuError, match=rf"made with mobod 99\.0, and mobod {re.escape(version)} is in"):
        Instance(changed("mobod_test_of_versions_1.fmu", f"'mobod': '{version}'", "'mobod': '99.0'"), "it")
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    with pytest.raises(FmuError, match=rf"holds code of a model for Python 3\.99, and this is Python {python}"):
        Instance(changed("mobod_test_of_versions_2.fmu", f"'python': '{python}'", "'python': '3.99'"), "it")


MISUSE = [
    ("set", {"der(upper.q)": 0.1}, "variable 'der(upper.q)' is computed by the model and cannot be set."),
    ("set", {"upper.q": 0.1}, "variable 'upper.q' can only be set before initialization ends."),
    ("set", {"upper.q_start": 0.1}, "variable 'upper.q_start' can only be set before initialization ends."),
    ("step", (0.1, 0.1), "the step begins at 0.1 s, but the model is at 0 s."),
    ("step", (0.0, -0.1), "a step of -0.1 s from 0 s is not possible; give finite numbers, and a step above zero."),
    ("step", (0.0, 2.5), "the step ends at 2.5 s, after the stop time, 2 s."),
    ("call", ("fmi2EnterInitializationMode",), "not allowed in the mode stepComplete."),
    ("call", ("fmi2SetupExperiment", False, 0.0, 0.0, False, 0.0), "not allowed in the mode stepComplete."),
]


@pytest.fixture(scope="module", params=["native", "python"])
def plain(tmp_path_factory, request):
    system = mb.MultibodySystem("plain")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    upper = mb.Pin(matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="upper")
    mb.MobilityLinearSpring(forces, upper, stiffness=3.0, name="spring")
    path = tmp_path_factory.mktemp("plain") / f"{request.param}.fmu"
    return mb.export_fmu(system, path, kind=request.param, outputs=["upper.q"])


@pytest.mark.parametrize(("method", "arguments", "message"), MISUSE)
def test_both_kinds_of_fmu_refuse_misuse_with_the_same_messages(plain, start, method, arguments, message):
    instance = start(plain, stop=2.0)
    arguments = (arguments,) if isinstance(arguments, dict) else arguments
    with pytest.raises(FmuError, match=re.escape(message)):
        getattr(instance, method)(*arguments)


@pytest.mark.slow
def test_a_reset_instance_is_a_new_one(wind, tmp_path):
    root = fmpy.read_model_description(str(wind))
    references = {variable.name: variable.valueReference for variable in root.modelVariables}
    fmpy.extract(str(wind), unzipdir=str(tmp_path / "it"))
    slave = FMU2Slave(
        guid=root.guid, unzipDirectory=str(tmp_path / "it"), modelIdentifier=root.coSimulation.modelIdentifier, instanceName="it"
    )
    slave.instantiate()
    ends = []
    for _ in range(2):
        slave.setupExperiment(startTime=0.0, tolerance=1e-8)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        slave.setReal([references["wind.gain"]], [1.3])
        slave.doStep(0.0, 0.37)
        ends.append(slave.getReal([references[name] for name in ("upper.q", "lower.q", "energy", "wind.gain")]))
        slave.reset()
    slave.freeInstance()
    assert ends[0] == ends[1]


MANY_ERRORS = """
import gc, json, sys
import fmpy
from fmpy.fmi2 import FMU2Slave

fmu, folder = sys.argv[1:]
root = fmpy.read_model_description(fmu)
fmpy.extract(fmu, unzipdir=folder)
references = {variable.name: variable.valueReference for variable in root.modelVariables}
failed = 0

def fails(call, *arguments):
    global failed
    try:
        call(*arguments)
    except Exception:  # whatever it is; none must end the process
        failed += 1

for number in range(12):
    slave = FMU2Slave(guid=root.guid, unzipDirectory=folder, modelIdentifier=root.coSimulation.modelIdentifier, instanceName="it")
    slave.instantiate()
    fails(slave.doStep, 0.0, 0.1)
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    fails(slave.setReal, [9999], [1.0])
    fails(slave.getBoolean, [0])
    slave.exitInitializationMode()
    fails(slave.setReal, [references["lower.q"]], [1.0])
    slave.doStep(0.0, 0.3)
    fails(slave.doStep, 0.3, 0.2)
    fails(slave.doStep, 0.3, 0.2)
    state = slave.deSerializeFMUstate(b"no state")
    fails(slave.setFMUstate, state)
    slave.freeFMUstate(state)
    if number % 3 == 0:
        slave.reset()
    slave.fmi2FreeInstance(slave.component)
    gc.collect()
print(json.dumps({"failed": failed}))
"""


@pytest.mark.slow
def test_errors_do_not_corrupt_the_memory_of_the_process(fragile, tmp_path):
    """With checks in Python's allocator: memory that pythonfmu's library frees twice ends such a process at once (see python/slave.py)."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", MANY_ERRORS, str(fragile), str(tmp_path / "it")],
        env={"PYTHONMALLOC": "debug", "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {"failed": 12 * 7}


class Notes(mb.Subsystem):
    """Stores an object that is not plain data."""

    def realize_topology(self, state):
        self.kept = state.allocate_discrete_variable(self, "kept", Note("first"), mb.Stage.DYNAMICS)


class Note:
    def __init__(self, text):
        self.text = text


@pytest.mark.slow
def test_a_state_with_objects_is_saved_in_memory_and_cannot_be_serialised(tmp_path):
    system, _ = pendulum_in_wind()
    Notes(system, "notes")
    fmu = mb.export_fmu(system, tmp_path / "notes.fmu", kind="python", outputs=["lower.q"])
    (interface,) = description(fmu).findall("CoSimulation")
    assert (interface.get("canGetAndSetFMUstate"), interface.get("canSerializeFMUstate")) == ("true", "false")
    report = mb.validate_fmu(fmu, until=0.1, checks=["run.co-simulation", "state.co-simulation", "bytes.co-simulation"])
    assert report.is_valid, report.checks
