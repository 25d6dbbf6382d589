"""Users' elements of one class in one file each: all else follows from their fields."""

import inspect
import pickle
import subprocess
import sys
from dataclasses import dataclass

import cloudpickle
import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.cli import main
from mobod.errors import ArgumentsError, InputError
from tests.unit.elements.decay import Decay
from tests.unit.elements.drag import Drag
from tests.unit.elements.helix import Helix
from tests.unit.elements.kinetic_energy import KineticEnergy
from tests.unit.elements.on_sphere import OnSphere
from tests.unit.elements.ramp import Ramp
from tests.unit.elements.swell import Swell


def build():
    system = mb.MultibodySystem("users")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mass = mb.MassProperties(1.2, [0.1, 0, 0], np.diag([0.1, 0.2, 0.2]))
    nut = mb.CustomMobilizer(matter.ground, mass, Helix(0.3, 0.2), name="nut")
    ball = mb.Free(matter.ground, mass, name="ball")
    ball.set_default_q([1, 0, 0, 0, 0.5, 0.4, 0.3])
    cart = mb.Slider(matter.ground, mass, name="cart")
    mb.FunctionMotion(cart, Decay(0.7))
    mb.CustomMotion(mb.Slider(matter.ground, mass, name="float"), Swell(0.4))
    mb.CouplingJoint(Ramp(slope=0.3), mass, matter.ground, name="sled")
    mb.CustomConstraint(OnSphere(0.9), [nut, ball], name="tether")
    Drag(forces, body=ball, drag=0.4, name="air")
    KineticEnergy(system, body=ball, mass=1.2, name="energy")
    mb.UniformGravity(forces, matter, gravity=[0, 0, -9.81])
    return system


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("users") / "users.json"
    mb.save_model(build(), path)
    return path


def subsystem(system, name):
    return next(each for each in system.subsystems if each.name == name)


def elements(system):
    return {
        "mobilizer": system.matter.body("nut"),
        "constraint": next(each for each in system.matter.constraints if each.name == "tether"),
        "force": next(each for each in subsystem(system, "forces").elements if each.name == "air"),
        "coupling": system.matter.body("sled"),
        "function": Decay(0.7),
        "motion": system.matter.body("float").motion,
        "measure": next(each for each in subsystem(system, "measures").measures if each.name == "energy"),
    }


@pytest.mark.fast("function", "motion")
@pytest.mark.parametrize("kind", ["mobilizer", "constraint", "coupling", "force", "function", "measure", "motion"])
def test_it_obeys_the_laws_of_its_kind(kind):
    found = mb.check_element(elements(build())[kind])
    assert found.is_consistent, str(found)


def test_it_comes_back_from_a_model_file_with_all_of_its_fields(model):
    old, new = build(), mb.load_model(model, allow_imports=True)
    values = []
    for system in (old, new):
        state = system.realize_topology()
        mb.Assembler(system).assemble(state)
        state.u = np.linspace(0.2, 0.7, state.u.size)
        system.realize(state, mb.Stage.ACCELERATION)
        values.append({each.name: system.value(state, each) for each in system.variables(state)})
    assert values[0].keys() == values[1].keys()
    assert {"nut.radius", "energy.mass", "float.motion.height"} <= values[0].keys()
    for name, value in values[0].items():
        assert_allclose(values[1][name], value, rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.slow
def test_it_is_exported_with_its_parameters(model, tmp_path):
    path = mb.export_fmu(mb.load_model(model, allow_imports=True), tmp_path / "users.fmu", outputs=["energy.value"])
    names = {each.name: each for each in fmpy.read_model_description(path).modelVariables}
    assert {"nut.pitch", "nut.radius", "tether.radius", "air.drag", "energy.mass", "energy.value", "float.motion.rate"} <= set(names)
    assert names["air.drag"].causality == "parameter"
    assert names["air.drag"].unit == "N.s/m"
    assert float(names["air.drag"].min) == 0
    assert names["air.drag"].description == "force for a unit of speed of 'ball'"
    result = fmpy.simulate_fmu(str(path), stop_time=0.1, output=["energy.value"])
    assert result["energy.value"][-1] > result["energy.value"][0]


def test_the_command_line_shows_it(model, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["info", str(model), "--allow-imports"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert all(each in shown for each in ("nut.pitch", "tether.radius", "air.drag", "energy.value"))


def test_its_parameters_have_methods_and_bounds():
    force = elements(build())["force"]
    state = force.forces.system.realize_topology()
    assert force.set_drag(state, 0.6).drag(state) == 0.6
    assert force.default_drag == 0.4
    with pytest.raises(InputError, match=r"'air\.drag' cannot be -1 N\.s/m: the least value is 0"):
        force.set_default_drag(-1)
    assert f"({', '.join(inspect.signature(Drag).parameters)})" == "(forces, defaults, body, drag, name, disabled)"
    assert "force for a unit of speed" in Drag.set_drag.__doc__


def test_missing_and_unknown_arguments_are_named():
    forces = subsystem(build(), "forces")
    with pytest.raises(ArgumentsError, match="Drag: the argument 'drag' is missing"):
        Drag(forces, body=forces.system.matter.body("ball"))
    with pytest.raises(ArgumentsError, match=r"Drag has no argument 'drg'\. Did you mean 'drag'\?"):
        Drag(forces, body=forces.system.matter.body("ball"), drg=0.4)


def test_a_coupling_comes_back_with_its_arguments_and_ranges(model):
    sled = mb.load_model(model, allow_imports=True).matter.body("sled")
    assert isinstance(sled.coupling, Ramp)
    assert (sled.coupling.slope, sled.coupling.reach) == (0.3, 0.5)
    assert sled.limits[0].bounds(sled.matter.system.realize_topology()) == (-0.5, 0.5)
    assert str(inspect.signature(Ramp)) == "(*, slope: float, reach: float = 0.5)"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ArgumentsError, "Ramp: the argument 'slope' is missing: rise along y for a unit of x"),
        ({"slop": 1}, ArgumentsError, r"Ramp has no argument 'slop'\. Did you mean 'slope'\?"),
        ({"slope": "steep"}, InputError, "Ramp: slope is 'steep'. One number is needed"),
        ({"slope": 1, "reach": np.inf}, InputError, "Ramp: reach is inf. All its entries must be finite"),
    ],
)
def test_bad_arguments_of_a_coupling_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        Ramp(**arguments)


def test_bad_arguments_of_a_function_are_named():
    assert Decay(1) == Decay(1.0)
    with pytest.raises(InputError, match=r"function 'Decay': rate is 'fast'\. One number is needed"):
        Decay("fast")
    with pytest.raises(InputError, match="function 'Decay': rate is nan"):
        Decay(np.nan)


def test_a_motion_prescribes_its_coordinate_and_has_tunable_parameters(model):
    body = mb.load_model(model, allow_imports=True).matter.body("float")
    assert body.motion.equations == Swell(0.4, 2.0)
    state = body.matter.system.realize_topology()
    body.motion.set_parameter(state, "height", 0.5)
    state.time = 0.3
    body.matter.system.realize(state, mb.Stage.ACCELERATION)
    assert_allclose(body.q(state), 0.5 * np.sin(0.6) ** 2, rtol=1e-14)
    assert_allclose(body.u(state), np.sin(1.2), rtol=1e-14)
    assert_allclose(body.u_dot(state), 4 * np.cos(1.2), rtol=1e-14)


@dataclass(frozen=True)
class TwoValues(mb.MotionEquations):
    level = "velocity"

    def value(self, t):
        return np.array([t, t])


@dataclass(frozen=True)
class Speed(TwoValues):
    level = "speed"


@pytest.mark.parametrize(
    ("equations", "message"),
    [
        (Swell(-1), r"CustomMotion of 'cart': height cannot be -1.* m: the least value is 0"),
        (Swell("high"), "CustomMotion of 'cart': height takes numbers, not 'high'"),
        (Decay(0.7), "CustomMotion: equations are MotionEquations, not Decay"),
        (TwoValues(), r"value\(t\) of TwoValues has shape \(2,\)\. The shape must be \(1,\), one number"),
        (Speed(), r"equations \(Speed\): the level is 'position', 'velocity' or 'acceleration', not 'speed'"),
    ],
)
def test_bad_equations_of_a_motion_are_named(equations, message):
    matter = mb.MatterSubsystem(mb.MultibodySystem())
    cart = mb.Slider(matter.ground, mb.MassProperties.point(1, [0, 0, 0]), name="cart")
    with pytest.raises(InputError, match=message):
        mb.CustomMotion(cart, equations)


@pytest.mark.slow
def test_a_class_that_cloudpickle_rebuilds_has_its_fields():
    class Local(Ramp):
        offset: float = mb.argument("of the line along z, m", default=0.0)

    program = "import cloudpickle, sys; print(dict(cloudpickle.load(sys.stdin.buffer)(slope=1, offset=2).model_arguments()))"
    ran = subprocess.run([sys.executable, "-c", program], input=cloudpickle.dumps(Local), capture_output=True, check=True, timeout=100)
    assert ran.stdout.decode().strip() == "{'slope': 1.0, 'reach': 0.5, 'offset': 2.0}"


def test_equations_that_are_equal_are_one_kind():
    assert Helix(0.3, 0.2) == Helix(0.3, 0.2)
    assert hash(Helix(0.3, 0.2)) == hash(Helix(0.3, 0.2))
    assert Helix(0.3, 0.2).structure == Helix(0.1, 0.5).structure
    assert pickle.loads(pickle.dumps(Helix(0.3))) == Helix(0.3, 0.0)


PROGRAM = """
import mobod as mb
from tests.unit.elements.drag import Drag
def build(forces: mb.ForceSubsystem, body: mb.MobilizedBody, state: mb.State) -> None:
    drag = Drag(forces, body=body, drag=0.4)
    reveal_type(drag.drag(state))
    reveal_type(drag.set_drag(state, 0.5))
    reveal_type(drag.default_drag)
    Drag(forces, body=body, drag="a")
    Drag(forces, body=body)
    screw = mb.Screw(body, mb.MassProperties.point(1, [0, 0, 0]), pitch=0.1)
    reveal_type(screw.pitch(state))
    mb.Screw(body, mb.MassProperties.point(1, [0, 0, 0]), pitc=0.1)
"""


@pytest.mark.slow
def test_a_type_checker_knows_the_constructor_and_the_methods(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    ran = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(path)], capture_output=True, text=True, timeout=300)
    lines = [line.split(": ", 1)[1] for line in ran.stdout.splitlines() if "program.py" in line]
    assert [line.split('"')[1] if "Revealed" in line else line for line in lines] == [
        "float",
        "tests.unit.elements.drag.Drag",
        "float",
        'error: Argument "drag" to "Drag" has incompatible type "str"; expected "float"  [arg-type]',
        'error: Missing named argument "drag" for "Drag"  [call-arg]',
        "float",
        'error: Unexpected keyword argument "pitc" for "Screw"; did you mean "pitch"?  [call-arg]',
    ]
