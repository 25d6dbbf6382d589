"""FMUs of flexible bodies: states, start values, tunable damping and stiffness, outputs of interfaces, saved states, derivatives."""

import re

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import FmuFile, Master, Network
from tests.flexible.bodies import beam_modal
from tests.flexible.test_many_modes import ManyModesTree
from tests.fmu.stepped import start, walk, walked_thrice

TIMES = np.linspace(0, 0.2, 6)
OUTPUTS = ["hub.q", "blade.end.deflection", "blade.end.p_GB", "blade.eta", "blade.elastic_energy", "energy"]
READ = ["hub.q", "blade.end.deflection[6]", "blade.eta[2]", "blade.elastic_energy", "energy"]


@pytest.fixture(scope="module")
def rotor():
    """A blade on a hub with a mass on a ball joint at its tip, bent by its weight and turning."""
    system = mb.MultibodySystem("rotor")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81, name="gravity")
    drum = mb.Inertia.cylinder(mass=3.0, radius=0.1, length=0.1, axis="z")
    hub = mb.Pin(matter.ground, mb.MassProperties(3.0, [0, 0, 0], drum), name="hub")
    blade = mb.Weld(hub, mb.FlexibleBody(beam_modal(elements=4, modes=3), damping_ratio=0.01), mb.Transform(p=[0.1, 0, 0]), name="blade")
    inertia = mb.Inertia.sphere(mass=0.2, radius=0.03).shifted([0, 0, -0.1])
    mb.Ball(blade.interface("end"), mb.MassProperties(0.2, [0, 0, -0.1], inertia), name="ball")
    mb.MobilityForce(forces, hub, name="motor")
    state = system.realize_topology()
    mb.deflect_at_rest(system, state, [blade])
    hub.set_u(state, 1.5)
    return system, state


@pytest.fixture(scope="module", params=["2.0", "3.0"])
def fmu(rotor, request, tmp_path_factory):
    system, state = rotor
    path = tmp_path_factory.mktemp("rotor") / f"rotor{request.param}.fmu"
    return mb.export_fmu(system, path, fmi_version=request.param, inputs=["motor.force"], outputs=OUTPUTS, state=state)


def values_of(results, name):
    at = name.find("[")
    return results[name] if at < 0 else results[name[:at]][:, int(name[at + 1 : -1]) - 1]


def test_its_steps_are_those_of_the_run(rotor, fmu):
    """The same integrator, which stops at the same times."""
    system, state = rotor
    results = mb.Simulation(system, accuracy=1e-8).run(state, until=TIMES[-1], report_every=TIMES[1])
    with start(FmuFile(fmu), tolerance=1e-8) as instance:
        found = walk(instance, TIMES, READ)
    expected = np.column_stack([values_of(results, name)[1:] for name in READ])
    assert_allclose(found, expected, rtol=1e-5, atol=1e-7)  # of 1e-8 a step


def test_model_exchange_gives_the_same_motion(rotor, fmu):
    system, state = rotor
    results = mb.Simulation(system, accuracy=1e-8).run(state, until=TIMES[-1])
    found = fmpy.simulate_fmu(str(fmu), fmi_type="ModelExchange", stop_time=TIMES[-1], relative_tolerance=1e-8, output=["hub.q"])
    assert_allclose(found["hub.q"][-1], results["hub.q"][-1], rtol=1e-6)


def test_modes_are_states_with_start_values_and_tunable_damping(fmu, rotor):
    description = fmpy.read_model_description(str(fmu))
    variables = {variable.name: variable for variable in description.modelVariables}
    whole = "blade.eta" in variables
    eta, rate = ("blade.eta", "der(blade.eta)") if whole else ("blade.eta[1]", "der(blade.eta[1])")
    assert variables[rate].derivative is variables[eta]
    starts = variables["blade.eta_start" if whole else "blade.eta_start[1]"]
    assert starts.causality == "parameter"
    for name, value in (("blade.damping_ratio", 0.01), ("blade.stiffness_scale", 1.0)):
        assert variables[name].variability == "tunable"
        assert float(variables[name].start) == value
    assert not [name for name in variables if "shapes" in name or "modal_" in name]


def test_tuned_values_and_start_values_act(rotor, fmu):
    """Twice the stiffness, twice the damping and no deflection at the start, as in Python."""
    system, given = rotor
    state = given.copy()
    blade = system.matter.body("blade")
    blade.flexible.node.set_parameter(state, "stiffness_scale", 2.0)
    blade.flexible.node.set_parameter(state, "damping_ratio", 0.02)
    blade.set_eta(state, np.zeros(3))
    results = mb.Simulation(system, accuracy=1e-8).run(state, until=TIMES[-1], report_every=TIMES[1])
    values = {"blade__stiffness_scale": 2.0, "blade__damping_ratio": 0.02}
    values |= {f"blade__eta_start[{k}]": 0.0 for k in (1, 2, 3)}
    with start(FmuFile(fmu), tolerance=1e-8, **values) as instance:
        found = walk(instance, TIMES, READ)
    assert_allclose(found, np.column_stack([values_of(results, name)[1:] for name in READ]), rtol=1e-5, atol=1e-7)


def test_a_saved_state_resumes_with_the_same_bits(fmu):
    runs = walked_thrice(FmuFile(fmu), TIMES, 3, READ)
    assert_array_equal(runs[0], runs[1])
    assert_array_equal(runs[0], runs[2])


def test_directional_derivatives_are_those_of_the_system(rotor, fmu):
    """d(eta_dot_dot) / d(motor torque) by the FMU, against the System."""
    system, state = rotor
    expected = mb.forward_dynamics_derivatives(system, state.copy(), ["motor.force"])
    linear = mb.linearize_fmu(fmu, inputs=["motor.force"], outputs=["hub.q"])
    rows = {name: k for k, name in enumerate(linear.states)}
    for k, name in enumerate(expected.u):
        if name.startswith(("hub", "blade")):
            assert_allclose(linear.B[rows[name], 0], expected.by_parameters[k, 0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_a_large_deflection_is_one_warning_in_the_log_of_a_run(fmu, kind):
    """The blade keeps its stiffness, or loses most of it, and sinks until the tip has moved by more than a tenth of its size."""
    for scale, n in ((1.0, 0), (0.01, 1)):
        logged = []
        options = {"start_values": {"blade.stiffness_scale": scale}, "output": ["hub.q"], "debug_logging": True}
        fmpy.simulate_fmu(
            str(fmu), fmi_type=kind, stop_time=0.4, output_interval=0.02, relative_tolerance=1e-6, logger=logger(logged), **options
        )
        words = [text for text in logged if "by the deformation of" in text]
        assert len(words) == n
        for each in words:
            assert re.search(
                r"at time 0\.\d+ s 'blade.end' is displaced by 0\.1\d* m by the deformation of 'blade'\. Linear shapes hold", each
            )


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_fast_rotation_is_one_warning_in_the_log_of_a_run(fmu, kind):
    """Of the mean axes of the blade, at once or after its stiffness is lost. No output is needed for it."""
    for scale, speed, n in ((1.0, 1.5, 0), (0.01, 1.5, 1), (1.0, 12.0, 1)):
        logged = []
        starts = {"blade.stiffness_scale": scale, "hub.u_start": speed}
        options = {"start_values": starts, "output": ["hub.q"], "debug_logging": True}
        fmpy.simulate_fmu(
            str(fmu), fmi_type=kind, stop_time=0.02, output_interval=0.005, relative_tolerance=1e-6, logger=logger(logged), **options
        )
        words = [text for text in logged if "turns at" in text]
        assert len(words) == n
        for each in words:
            assert re.search(r"at time 0\.\d+ s 'blade' turns at \d.*of its first angular frequency.*without geometric stiffening", each)


def test_the_master_warns_of_flexible_components(rotor, fmu):
    """The FMU's own warning, and that of a System, once for each run of the master."""
    system, state = rotor
    fast = state.copy()
    system.matter.body("hub").set_u(fast, 12.0)
    network = Network()
    network.add(fmu, "fmu", start={"hub.u_start": 12.0})
    network.add(system, "system", state=fast, outputs=["hub.q"])
    with Master(network, step=0.001).start() as run:
        with pytest.warns(mb.MobodWarning) as found:
            run.until(0.002)
        run.until(0.003)
    assert [re.match(r"component '(\w+)': .*'blade' turns at", str(each.message))[1] for each in found] == ["fmu", "system"]


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_bodies_with_many_modes_run_in_fmus_compiled_and_interpreted(version, tmp_path):
    """Co-simulation with the same bits both ways, saved states, model exchange, and the linear model of the System."""
    tree = ManyModesTree(18, "full")
    system, state, walks = tree.system, tree.state, []
    state.u = 0.2 * state.u
    read, times = ["base.q", "base.other.deflection[6]", "base.eta[18]", "energy"], TIMES / 4
    outputs = ["base.q", "base.other.deflection", "base.eta", "energy"]
    results = mb.Simulation(system, accuracy=1e-8).run(state, until=times[-1], report_every=times[1])
    for code in ("compiled", "interpreted"):
        path = mb.export_fmu(
            system, tmp_path / f"{code}.fmu", fmi_version=version, code=code, outputs=outputs, state=state, reference=False
        )
        walks += walked_thrice(FmuFile(path), times, 3, read)
    for each in walks[1:]:
        assert_array_equal(each, walks[0])
    expected = np.column_stack([values_of(results, name)[1:] for name in read])
    with start(FmuFile(path), tolerance=1e-8) as instance:
        assert_allclose(walk(instance, times, read), expected, atol=1e-6 * np.abs(expected).max())
    exchanged = fmpy.simulate_fmu(str(path), fmi_type="ModelExchange", stop_time=times[-1], relative_tolerance=1e-8, output=["base.q"])
    assert_allclose(exchanged["base.q"][-1], results["base.q"][-1], rtol=1e-6)
    n, by_q = state.q.size, mb.forward_dynamics_derivatives(system, state).by_q
    assert_allclose(mb.linearize_fmu(path, outputs=["base.q"]).A[n:, :n], by_q, atol=1e-12 * np.abs(by_q).max())


def logger(logged):
    """For fmpy: the message is the last argument in FMI 2.0 and 3.0, a text or bytes."""
    return lambda *arguments: logged.append(arguments[-1].decode() if isinstance(arguments[-1], bytes) else str(arguments[-1]))


def test_a_loop_through_a_body_with_many_modes_runs_in_an_interpreted_fmu(tmp_path):
    """The tables of its rows have joints with as many speeds as modes."""
    system = mb.MultibodySystem("loop")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    beam = mb.Pin(matter.ground, mb.FlexibleBody(beam_modal(elements=10, modes=20)), name="beam")
    end = beam.interface("end")
    mb.Rod(matter.ground, [1.7, -1.0, 0], end, [0, 0, 0], 1.0, name="rod")
    state = system.realize_topology()
    results = mb.Simulation(system, integrator="RK4", step=1e-6).run(state, until=2e-5, report_every=1e-5)
    path = mb.export_fmu(
        system, tmp_path / "loop.fmu", code="interpreted", outputs=["beam.eta"], integrator="RK4", step=1e-6, reference=False
    )
    with start(FmuFile(path)) as instance:
        assert_allclose(walk(instance, [0.0, 1e-5, 2e-5], ["beam.eta[3]"]), results["beam.eta"][1:, 2:3], rtol=1e-12)
