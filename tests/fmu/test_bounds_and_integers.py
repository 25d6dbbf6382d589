"""Integer variables and bounds: how FMUs of both kinds declare them, and which values they accept and refuse."""

import re

import fmpy
import pytest
from fmpy.fmi2 import FMU2Slave
from fmpy.validation import validate_fmu

import mobod as mb
from mobod.cosim import FmuFile, Instance
from mobod.errors import FmuError, InputError
from tests.fmu.archive_content import content, description

KINDS = pytest.mark.parametrize("kind", ["native", "python"])


def lockable_pendulum():
    system = mb.MultibodySystem("lockable")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    arm = mb.Pin(matter.ground, mb.MassProperties.point(1.2, [0, -0.7, 0]), name="arm")
    arm.set_lockable_by_default(True)
    mb.MobilityLinearSpring(forces, arm, stiffness=3.0, name="spring")
    state = system.realize_topology()
    arm.set_q(state, 0.6)
    return system, state


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    made = {}
    for kind in ("native", "python"):
        system, state = lockable_pendulum()
        made[kind] = mb.export_fmu(system, folder / f"{kind}.fmu", kind=kind, name="lockable", outputs=["arm.q"], state=state)
    return made


@pytest.mark.fast("python")
@KINDS
def test_the_level_of_a_lock_is_an_integer_in_the_description(exported, kind):
    assert validate_fmu(str(exported[kind])) == []
    (level,) = (each for each in description(exported[kind]).find("ModelVariables") if each.get("name") == "arm.lock_level")
    assert (level.get("causality"), level.get("variability")) == ("parameter", "tunable")
    (integer,) = level
    assert (integer.tag, dict(integer.attrib)) == ("Integer", {"min": "0", "max": "3", "start": "0"})
    html = content(exported[kind])["documentation/index.html"].decode()
    assert re.search(r"arm\.lock_level</td>\s*<td>0</td>\s*<td>whole number</td>\s*<td>0</td>\s*<td>3</td>", html)


@KINDS
def test_a_lock_level_can_be_set_between_steps(exported, kind, start):
    instance = start(exported[kind])
    instance.step(0.0, 0.2)
    q = instance.get("arm.q")
    instance.set({"arm.lock_q": q, "arm.lock_level": 3})
    assert (instance.get("arm.lock_level"), type(instance.get("arm.lock_level"))) == (3, int)
    instance.step(0.2, 0.2)
    assert instance.get("arm.q") == q


REFUSED = [
    ("arm.lock_level", 4, "variable 'arm.lock_level' cannot be set to 4; the greatest value is 3."),
    ("arm.lock_level", -1, "variable 'arm.lock_level' cannot be set to -1; the least value is 0."),
    ("spring.stiffness", -1e-3, "variable 'spring.stiffness' cannot be set to -0.001; the least value is 0."),
    ("gravity.magnitude", -9.7, "variable 'gravity.magnitude' cannot be set to -9.7; the least value is 0."),
]


@KINDS
@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_a_value_out_of_bounds_is_refused_by_name_and_changes_nothing(exported, kind, tmp_path, name, value, message):
    root = fmpy.read_model_description(str(exported[kind]))
    references = {each.name: each.valueReference for each in root.modelVariables}
    fmpy.extract(str(exported[kind]), unzipdir=str(tmp_path / "it"))
    slave = FMU2Slave(
        guid=root.guid, unzipDirectory=str(tmp_path / "it"), modelIdentifier=root.coSimulation.modelIdentifier, instanceName="it"
    )
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    before = slave.serializeFMUState(slave.getFMUState())
    # with one before it that could be set
    if name == "arm.lock_level":
        call, arguments = slave.setInteger, ([references[name]] * 2, [1, value])
    else:
        call, arguments = slave.setReal, ([references["arm.lock_q"], references[name]], [0.3, value])
    with pytest.raises(fmpy.fmi1.FMICallException):
        call(*arguments)
    assert slave.serializeFMUState(slave.getFMUState()) == before
    slave.freeInstance()

    with Instance(FmuFile(exported[kind]), "it") as instance, pytest.raises(FmuError, match=re.escape(message)):
        instance.set({name: value})


@KINDS
def test_an_integer_cannot_be_read_as_a_real_or_set_to_a_fraction(exported, kind, start):
    instance = start(exported[kind])
    with pytest.raises(InputError, match=r"whole numbers, not 0\.5"):
        instance.set({"arm.lock_level": 0.5})
    reference = instance.file.variable("arm.lock_level").valueReference
    with pytest.raises(FmuError, match=r"variable 'arm\.lock_level' is an Integer\."):
        instance.call("fmi2GetReal", (fmpy.fmi2.fmi2ValueReference * 1)(reference), 1, (fmpy.fmi2.fmi2Real * 1)())


def test_there_is_no_derivative_along_an_integer(exported, start):
    system, state = lockable_pendulum()
    with pytest.raises(InputError, match=r"no derivative along 'arm\.lock_level'. Use states, real parameters"):
        system.directional_derivative(state, ["der(arm.u)"], {"arm.lock_level": 1.0})
    instance = start(exported["native"])
    unsigned, real = fmpy.fmi2.fmi2ValueReference, fmpy.fmi2.fmi2Real
    unknown = (unsigned * 1)(instance.file.variable("der(arm.u)").valueReference)
    known = (unsigned * 1)(instance.file.variable("arm.lock_level").valueReference)
    with pytest.raises(FmuError, match=r"fmi2GetDirectionalDerivative.*variable 'arm\.lock_level' is an Integer\."):
        instance.call("fmi2GetDirectionalDerivative", unknown, 1, known, 1, (real * 1)(1.0), (real * 1)())


@pytest.mark.fast(2)
@pytest.mark.parametrize(("value", "why"), [(0.5, "it takes whole numbers"), (4, "greatest value is 3"), (-1, "least value is 0")])
def test_system_set_value_refuses_the_same_values(value, why):
    system, state = lockable_pendulum()
    with pytest.raises(InputError, match=rf"'arm\.lock_level' cannot be {value}: .*{why}"):
        system.set_value(state, "arm.lock_level", value)
    system.set_value(state, "arm.lock_level", 2)
    assert system.value(state, system.variable(state, "arm.lock_level")) == 2
