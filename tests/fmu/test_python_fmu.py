"""Python FMUs give the Simulation's results at any installation of mobod, and those of the native FMU for any System."""

import subprocess
import sys

import fmpy
import numpy as np
import pytest
from click.testing import CliRunner
from fmpy.validation import validate_fmu
from lxml import etree
from numpy.testing import assert_allclose

import mobod as mb
from mobod.acceptance.declared_checks import CHECKS
from mobod.cli import main
from tests.analytic.linkage import linkage
from tests.fmu.archive_content import description
from tests.fmu.users_elements import pendulum_in_wind
from tests.laws.mechanisms import random_mechanism

LONG_CHECKS = ("leaks", "speed", "threads")


def double_pendulum():
    system = mb.MultibodySystem("double_pendulum")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.80665, name="gravity")
    inertia = mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0])
    rod = mb.RigidBody(mb.MassProperties(mass=1.0, com=[0, -0.5, 0], inertia=inertia))
    upper = mb.Pin(matter.ground, rod, name="upper")
    lower = mb.Pin(upper, rod, X_PF=mb.Transform(p=[0, -1, 0]), name="lower")
    state = system.realize_topology()
    upper.set_q(state, 0.4)
    lower.set_u(state, 1.3)
    return system, state


@pytest.fixture(scope="module", params=[double_pendulum, pendulum_in_wind])
def exported(tmp_path_factory, request):
    system, state = request.param()
    path = tmp_path_factory.mktemp("exported") / f"{system.name}.fmu"
    fmu = mb.export_fmu(system, path, kind="python", outputs=["upper.q", "lower.q", "lower.p_GB", "energy"], state=state)
    return fmu, mb.Simulation(system, 1e-12).run(state, until=1.0, report_every=0.05)


@pytest.mark.fast(1)
def test_a_python_fmu_matches_the_simulation_under_fmpy(exported):
    fmu, expected = exported
    run = fmpy.simulate_fmu(str(fmu), stop_time=1.0, output_interval=0.05, relative_tolerance=1e-11)
    for name in ("upper.q", "lower.q", "energy"):
        assert_allclose(run[name], expected[name], atol=1e-9, err_msg=name)


@pytest.mark.slow
def test_a_python_fmu_matches_the_simulation_under_mobods_master(exported):
    fmu, expected = exported
    network = mb.Network()
    network.add(fmu, "it")
    run = mb.Master(network, step=0.05, tolerance=1e-11).run(until=1.0)
    for name in ("upper.q", "lower.q", "energy"):
        assert_allclose(run[f"it.{name}"], expected[name], atol=1e-9, err_msg=name)


@pytest.mark.slow
def test_a_python_fmu_passes_both_validators(exported):
    fmu, _ = exported
    assert validate_fmu(str(fmu)) == []
    report = mb.validate_fmu(fmu, until=0.4, checks=[each.name for each in CHECKS if not each.name.startswith(LONG_CHECKS)])
    assert report.is_valid, report.checks
    unchecked = {check.name for check in report.checks if check.outcome != "passed"}
    assert unchecked == {"events.co-simulation", "derivatives.co-simulation"}  # it has neither event mode nor derivatives


@pytest.mark.slow
def test_the_long_checks_of_a_python_fmu_pass(exported):
    report = mb.validate_fmu(exported[0], until=0.4, checks=[each.name for each in CHECKS if each.name.startswith(LONG_CHECKS)])
    assert {check.outcome for check in report.checks} == {"passed"}


@pytest.mark.slow
def test_parameters_of_a_python_fmu_are_tunable_while_it_steps(wind, start):
    plain, tuned = start(wind), start(wind)
    for instance in (plain, tuned):
        instance.step(0.0, 0.2)
    tuned.set({"wind.gain": 1.9})
    for instance in (plain, tuned):
        instance.step(0.2, 0.2)
    assert tuned.get("time") == plain.get("time") == 0.4
    assert abs(tuned.get("lower.q") - plain.get("lower.q")) > 1e-3

    system, state = pendulum_in_wind()
    simulation = mb.Simulation(system, 1e-11)
    state = simulation.run(state, until=0.2).final_state
    system.set_value(state, "wind.gain", 1.9)
    assert_allclose(tuned.get("lower.q"), simulation.run(state, until=0.4)["lower.q"][-1], atol=1e-6)  # 100 times the tolerance


@pytest.mark.slow
def test_a_python_fmu_runs_where_the_modules_of_the_model_are_missing(wind, tmp_path):
    """In a process that can import neither the tests nor modules beside them: code, data and lambdas are in the FMU."""
    program = f"""
import sys, fmpy
run = fmpy.simulate_fmu({str(wind)!r}, stop_time=0.5, output_interval=0.1, relative_tolerance=1e-11)
print(repr(float(run["lower.q"][-1])), any("users_elements" in name for name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    value, found = done.stdout.split()
    system, state = pendulum_in_wind()
    assert_allclose(float(value), mb.Simulation(system, 1e-12).run(state, until=0.5)["lower.q"][-1], atol=1e-9)
    assert found == "False"


SCRIPT = """
import mobod as mb
from mobod.acceptance.declared_checks import CHECKS

FACTOR = {factor}

class Push(mb.CustomForce):
    recordable = False

    def calc_force(self, state, body_forces, mobility_forces):
        mobility_forces[0] += FACTOR

def build():
    system = mb.MultibodySystem("pushed")
    matter = mb.MatterSubsystem(system)
    mb.Slider(matter.ground, mb.MassProperties.point(1.0, [0, 0, 0]), name="block")
    Push(mb.ForceSubsystem(system), name="push")
    return system
"""


@pytest.mark.slow
def test_two_fmus_with_equal_class_and_module_names_run_in_one_process(tmp_path, run_cli, start):
    """Each FMU uses its own code, in whichever order they are loaded."""
    fmus = {}
    for factor in (2.0, -6.0):
        folder = tmp_path / f"{factor}"
        folder.mkdir()
        (folder / "model.py").write_text(SCRIPT.format(factor=factor))
        fmus[factor] = folder / "pushed.fmu"
        run_cli("export", f"{folder / 'model.py'}:build", "-o", str(fmus[factor]), "--kind", "python", "--output", "block.q")
    instances = {factor: start(fmu) for factor, fmu in fmus.items()}
    for step in range(3):
        for instance in instances.values():
            instance.step(0.1 * step, 0.1)
    for factor, instance in instances.items():
        assert_allclose(instance.get("block.q"), factor * 0.3**2 / 2, rtol=1e-12)


@pytest.fixture
def run_cli():
    def run(*arguments):
        done = CliRunner().invoke(main, arguments)
        assert done.exit_code == 0, done.output
        return done

    return run


# any System


def tree():
    """Quaternions, splines, all forces (a bushing's dissipated energy is a z)."""
    mechanism = random_mechanism(7, n_bodies=3)
    state = mechanism.random_state(np.random.default_rng(5))
    state.time = 0.0
    return mechanism.system, state


def closed_loop():
    made = linkage()
    return made.system, made.state


@pytest.mark.fast("closed_loop")
@pytest.mark.parametrize("build", [tree, closed_loop])
def test_a_python_fmu_has_the_variables_and_bits_of_the_native_fmu_and_the_simulation(build, tmp_path):
    system, state = build()
    names = [variable.name for variable in system.variables(state) if variable.role == "output"][::3]
    fmus = {
        kind: mb.export_fmu(system, tmp_path / f"{kind}.fmu", kind=kind, name="it", outputs=[*names, "energy"], state=state)
        for kind in ("native", "python")
    }
    native, python = (description(fmu) for fmu in fmus.values())
    for state_of_importer in native.iterfind(".//Real[@reinit]"):
        del state_of_importer.attrib["reinit"]  # which concerns model exchange
    for part in ("ModelVariables", "ModelStructure", "UnitDefinitions", "DefaultExperiment"):
        assert etree.tostring(native.find(part)) == etree.tostring(python.find(part)), part

    runs = {
        kind: fmpy.simulate_fmu(str(fmu), stop_time=0.2, step_size=0.2, output_interval=0.2, relative_tolerance=1e-9)
        for kind, fmu in fmus.items()
    }
    end = mb.Simulation(system, 1e-9).run(state, until=0.2).final_state
    values = {
        name: value
        for variable in system.variables(state)
        for name, value in zip(variable.entry_names(), np.ravel(system.value(end, variable)), strict=True)
    }
    compared = [name for name in runs["native"].dtype.names if name in values]
    assert len(compared) > 5
    for name in compared:
        assert runs["native"][name][-1] == runs["python"][name][-1] == values[name], name


class Lagging(mb.Subsystem):
    """Computes in Python: z follows sin(t) by an auto-update variable."""

    recordable = False

    def realize_topology(self, state):
        self.sampled = state.allocate_auto_update_discrete_variable(
            self, "sampled", 0.0, mb.Stage.DYNAMICS, update_depends_on=mb.Stage.TIME
        )

    def realize_time(self, state):
        state.set_cached(self.sampled.update, float(np.sin(state.time)))


@pytest.mark.slow
def test_auto_update_variables_continue_from_a_saved_state(tmp_path, start):
    system, _ = pendulum_in_wind()
    Lagging(system, "lagging")
    state = system.realize_topology()
    fmu = mb.export_fmu(system, tmp_path / "lagging.fmu", kind="python", outputs=["lower.q"], state=state)
    assert validate_fmu(str(fmu)) == []
    report = mb.validate_fmu(fmu, until=0.2, checks=["description", "run.co-simulation", "state.co-simulation", "bytes.co-simulation"])
    assert report.is_valid, report.checks


@pytest.mark.slow
def test_values_computed_by_python_hooks_depend_on_everything(tmp_path):
    class Hook(mb.Subsystem):
        def realize_velocity(self, state):
            pass

    system, _ = pendulum_in_wind()
    Hook(system, "hook")
    fmu = mb.export_fmu(
        system, tmp_path / "hook.fmu", kind="python", inputs=["motor.force"], outputs=["lower.p_GB", "lower.v_GB"],
        state=system.realize_topology(),
    )  # fmt: skip
    root = description(fmu)
    variables = [each.get("name") for each in root.find("ModelVariables")]
    states = [variables.index(name) + 1 for name in ("upper.q", "lower.q", "upper.u", "lower.u")]
    depends = {
        variables[int(each.get("index")) - 1]: {int(i) for i in each.get("dependencies").split()}
        for each in root.find("ModelStructure").find("Outputs")
    }
    assert depends["lower.p_GB[1]"] == set(states[:1])  # the end of the upper rod, computed before the hook
    assert depends["lower.v_GB[1]"] == {1, variables.index("motor.force") + 1, *states}


class Gauge(mb.CustomSubsystem):
    """Energy, a stored and a lazy value, computed in Python."""

    recordable = False

    def realize_topology(self, state):
        self.power = state.allocate_cache_entry(self, "power", mb.Stage.VELOCITY, shape=(), computed_by=mb.Stage.VELOCITY)
        state.allocate_cache_entry(self, "sine", mb.Stage.POSITION, shape=(), compute=lambda state: float(np.sin(state.q[0])))

    def realize_velocity(self, state):
        state.set_cached(self.power, float(state.u[0]) ** 2)

    def calc_potential_energy(self, state):
        return 0.5 * float(state.q[0])


@pytest.mark.slow
def test_a_subsystem_with_python_hooks_is_exported_with_its_values(tmp_path):
    system, _ = pendulum_in_wind()
    Gauge(system, "gauge")
    state = system.realize_topology()
    names = ["gauge.power", "gauge.sine", "gauge.potential_energy", "energy"]
    fmu = mb.export_fmu(system, tmp_path / "gauge.fmu", kind="python", outputs=names, state=state)
    assert validate_fmu(str(fmu)) == []
    run = fmpy.simulate_fmu(str(fmu), stop_time=0.3, output_interval=0.1, relative_tolerance=1e-11)
    results = mb.Simulation(system, 1e-12).run(state, until=0.3, report_every=0.1)
    for name in names:
        assert_allclose(run[name], results[name], atol=1e-8, err_msg=name)


@pytest.mark.slow
def test_accelerations_depend_on_everything_an_unrecorded_force_may_read_but_poses_do_not(wind):
    root = description(wind)
    variables = [each.get("name") for each in root.find("ModelVariables")]
    depends = {
        variables[int(each.get("index")) - 1]: {variables[int(i) - 1] for i in each.get("dependencies").split()}
        for part in ("Outputs", "Derivatives")
        for each in root.find("ModelStructure").find(part)
    }
    everything = {"time", "motor.force", "upper.q", "lower.q", "upper.u", "lower.u"}
    assert depends["der(upper.u)"] == depends["der(lower.u)"] == everything
    assert depends["lower.p_GB[1]"] == {"upper.q"}  # the end of the upper rod
    assert depends["der(upper.q)"] == {"upper.u"}
