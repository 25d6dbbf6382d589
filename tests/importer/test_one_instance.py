"""One instance of an FMU, and one set of equations for model exchange, for all versions of FMI."""

import ast
import re
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.cosim import FmuFile, Instance, Master, Network
from mobod.cosim.exchange_instance import ExchangeInstance
from mobod.importer.exchange_equations import FmuEquations
from mobod.importer.fmu_model import FmuModel
from mobod.importer.run import FmuRun
from mobod.importer.start_values import StartValues
from tests.importer.foreign_fmus import build_foreign_fmu

PACKAGE = Path(mb.__file__).parent
OF_VERSIONS = ("fmi_version.py", "fmi_2.py", "fmi_3.py")  # of importer: the place of all differences
VERSION = {"fmi_version", "fmiVersion", "of_fmi_1", "digit"}


def decisions_on_versions(tree):
    """Expressions that decide by a version of FMI: comparisons, conditions, look-ups in tables; and names of functions of one version."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            decides = node.test
        elif isinstance(node, (ast.Compare, ast.Subscript)):
            decides = node
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.match(r"fmi[123][A-Z]", node.value):
            yield node
            continue
        else:
            continue
        if VERSION & {getattr(each, "attr", getattr(each, "id", None)) for each in ast.walk(decides)}:
            yield node


def test_importer_cosim_and_loaded_fmu_decide_nothing_by_the_version_of_fmi():
    files = [path for folder in ("importer", "cosim") for path in (PACKAGE / folder).rglob("*.py") if path.name not in OF_VERSIONS]
    files.append(PACKAGE / "fmi" / "loaded_fmu.py")
    found = [f"{path.name}:{node.lineno}" for path in files for node in decisions_on_versions(ast.parse(path.read_text()))]
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        'a = 1 if fmu.fmi_version == "2" else 2',
        "NAMES[instance.fmi_version]",
        "x = 1 if archive.of_fmi_1 else 2",
        'call("fmi2DoStep")',
        "x = of_fmi_1 is None",
    ],
)
def test_decisions_on_versions_are_found(code):
    assert list(decisions_on_versions(ast.parse(code)))


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    """By their version of FMI: a pendulum of both kinds, and in FMI 1.0 a lag and a ball that falls."""
    folder = tmp_path_factory.mktemp("versions")
    system = mb.MultibodySystem("swing")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
    arm = mb.Pin(
        matter.ground, mb.RigidBody(mb.MassProperties(1.3, [0.1, -0.6, 0.2], mb.Inertia.point(mass=1.3, p=[0.1, -0.6, 0.2]))), name="arm"
    )
    mb.MobilityForce(forces, arm, name="motor")
    options = {"inputs": ["motor.force"], "outputs": ["arm.q"], "code": "interpreted", "reference": False}
    return {version: mb.export_fmu(system, folder / f"{version}.fmu", fmi_version=version, **options) for version in ("2.0", "3.0")} | {
        "1.0": build_foreign_fmu("lag", folder / "lag.fmu"),
        "1.0 model": build_foreign_fmu("drop", folder / "drop.fmu"),
    }


def steps_of(file, values, name):
    """The values of a variable after three steps, and again after the last two from a restored state."""
    with Instance(FmuFile(file), "it") as instance:
        instance.set_up(0.0, None, 1e-8)
        instance.set(values)
        instance.enter_initialization()
        instance.exit_initialization()
        instance.step(0.0, 0.1)
        found = [instance.get(name)]
        try:
            saved = instance.save()
        except mb.errors.UnsupportedError:
            saved = None
        for _ in range(1 if saved is None else 2):
            if saved is not None:
                saved.restore()
            for k in (1, 2):
                instance.step(0.1 * k, 0.1)
                found.append(instance.get(name))
    return found


def test_an_instance_of_each_version_steps_and_resumes_with_the_same_bits(fmus):
    start = {"arm.q_start": 0.7, "motor.force": 0.35}
    by_2, by_3 = (steps_of(fmus[version], start, "arm.q") for version in ("2.0", "3.0"))
    assert by_2 == by_3
    assert by_2[1:3] == by_2[3:5]
    slave = steps_of(fmus["1.0"], {"u": 1.5, "gain": 2.0, "tau": 0.5}, "y")
    assert_allclose(slave, [3.0 * (1 - 2.718281828459045 ** (-t / 0.5)) for t in (0.1, 0.2, 0.3)], rtol=1e-14)  # equal up to round-off


@pytest.mark.parametrize("version", ["1.0", "2.0", "3.0"])
def test_each_interface_has_one_component_for_all_versions(fmus, version):
    model = f"{version} model" if f"{version} model" in fmus else version
    for fmu, interface, kind in ((version, "co-simulation", Instance), (model, "model-exchange", ExchangeInstance)):
        component = Network().add(fmus[fmu], "it", interface=interface)
        with component.model.instance("it") as instance:
            assert type(instance) is kind


@pytest.mark.parametrize("version", ["1.0 model", "2.0", "3.0"])
def test_cvode_and_our_integrators_drive_the_same_equations(fmus, version, monkeypatch):
    times = []
    rates = FmuEquations.rates
    monkeypatch.setattr(FmuEquations, "rates", lambda self, time, x: times.append(time) or rates(self, time, x))
    name = "h" if version == "1.0 model" else "arm.q"
    network = Network()
    network.add(fmus[version], "it", interface="model-exchange")
    ours = Master(network, step=0.1, tolerance=1e-10).run(until=0.3, outputs=[f"it.{name}"])[f"it.{name}"][-1]
    of_ours = len(times)
    model = FmuModel(fmus[version])
    run = FmuRun(model, StartValues(model), outputs=[name], interface="model-exchange", until=0.3, accuracy=1e-10)
    by_cvode = run.run()[name][-1]
    assert of_ours > 0
    assert len(times) - of_ours == run.evaluations
    assert_allclose(by_cvode, ours, atol=1e-8)  # 100 times the tolerance: two solvers, some hundred steps
