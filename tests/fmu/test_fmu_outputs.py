"""The exported FMU, simulated by FMPy, compared with the Simulation of the same System."""

import shutil
from contextlib import contextmanager
from math import pi
from types import SimpleNamespace

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave
from numpy.testing import assert_allclose

import mobod as mb

ACCURACY = 1e-10
WITHIN = 1e-8  # 100 times the accuracy: errors of the steps add up
TRANSMITTED = ["load.reaction", "hull.reaction", "mass_center", "mass_center_acceleration", "momentum"]  # computed by lazy sweeps


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    """Two point masses of 1 kg on rods of 1 m without mass, the upper rod under a motor; horizontal at rest in its start state."""
    system = mb.MultibodySystem("double_pendulum")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    gravity = mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    bob = mb.MassProperties.point(1.0, [0, -1, 0])
    upper = mb.Pin(matter.ground, bob, name="upper")
    lower = mb.Pin(upper, bob, X_PF=mb.Transform(p=[0, -1, 0]), name="lower")
    motor = mb.MobilityForce(forces, upper, name="motor")
    state = system.realize_topology()
    upper.set_q(state, pi / 2)
    fmu = mb.export_fmu(
        system,
        tmp_path_factory.mktemp("pendulum") / "double_pendulum.fmu",
        inputs=["motor.force"],
        outputs=["upper.q", "lower.q", "upper.u", "lower.u", "lower.p_GB", "lower.a_GB", "energy"],
        state=state,
    )
    return SimpleNamespace(system=system, gravity=gravity, upper=upper, lower=lower, motor=motor, state=state, fmu=str(fmu))


@pytest.fixture(scope="module")
def tumbler(tmp_path_factory):
    """A free body, so a quaternion, that carries a mass on a spring and a damper."""
    system = mb.MultibodySystem("tumbler")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0.1, 0.2, -1], magnitude=9.7, name="gravity")
    com = [0.1, -0.2, 0.15]
    hull = mb.MassProperties(2.3, com, mb.Inertia.box(mass=2.3, size=[0.4, 0.7, 1.1]).shifted(com))
    tilted = mb.Transform(mb.spatial.rotation_about([1, -2, 0.5], 0.9), [0.2, 0.1, -0.3])
    body = mb.Free(matter.ground, hull, X_PF=tilted, name="hull")
    load = mb.Slider(body, mb.MassProperties.point(0.7, [0.05, 0.1, -0.2]), X_PF=tilted, name="load")
    mb.MobilityLinearSpring(forces, load, stiffness=19.0, q_zero=0.1, name="spring")
    mb.MobilityLinearDamper(forces, load, damping=0.8, name="damper")
    state = system.realize_topology()
    body.set_q(state, [0.9, -0.3, 0.2, 0.25, 0.4, -0.1, 0.3])  # not of unit length
    body.set_u(state, [1.3, -0.6, 0.8, 0.5, -0.2, 0.9])
    load.set_u(state, -0.7)
    outputs = ["hull.q", "load.q", "energy", *TRANSMITTED]
    fmu = mb.export_fmu(system, tmp_path_factory.mktemp("tumbler") / "tumbler.fmu", outputs=outputs, state=state)
    return SimpleNamespace(system=system, state=state, fmu=str(fmu))


def run_fmu(fmu, until, step, outputs, **options):
    """Steps the FMU by FMPy; returns each output at the communication points, without the start."""
    rows = fmpy.simulate_fmu(
        fmu, stop_time=until, step_size=step, output_interval=step, relative_tolerance=ACCURACY, output=outputs, **options
    )
    return {name: rows[name] for name in ("time", *outputs)}


@contextmanager
def slaves(fmu, count):
    """Instances of the FMU in one process, from one library."""
    description = fmpy.read_model_description(fmu)
    folder = fmpy.extract(fmu)
    made = []
    try:
        for number in range(count):
            slave = FMU2Slave(
                guid=description.guid,
                unzipDirectory=folder,
                modelIdentifier=description.coSimulation.modelIdentifier,
                instanceName=f"instance {number}",
            )
            slave.instantiate()
            slave.setupExperiment(tolerance=ACCURACY, startTime=0.0)
            slave.enterInitializationMode()
            made.append(slave)
        yield made, {variable.name: variable.valueReference for variable in description.modelVariables}
    finally:
        for slave in made:
            slave.terminate()
        for slave in made:
            slave.fmi2FreeInstance(slave.component)
        if made:
            made[0].freeLibrary()
        shutil.rmtree(folder)


@pytest.mark.slow
def test_outputs_at_communication_points_match_the_simulation(pendulum):
    names = ["upper.q", "lower.u", "lower.p_GB[1]", "lower.p_GB[2]", "lower.a_GB[1]", "energy"]
    values = run_fmu(pendulum.fmu, 1.0, 0.05, names)
    results = mb.Simulation(pendulum.system, accuracy=ACCURACY).run(pendulum.state, until=1.0, report_every=0.05)

    assert_allclose(values["time"], results.time, atol=1e-12)
    for name in names:
        whole, _, index = name.rstrip("]").partition("[")
        expected = results[whole][:, int(index) - 1] if index else results[whole]
        # errors of accelerations and energy are some ten times those of coordinates
        assert_allclose(values[name], expected, atol=WITHIN * (100 if name in ("lower.a_GB[1]", "energy") else 1), err_msg=name)


@pytest.mark.slow
def test_reactions_and_momentum_match_the_simulation(tumbler):
    results = mb.Simulation(tumbler.system, accuracy=ACCURACY).run(tumbler.state, until=1.0, report_every=0.1)
    names = {name: [f"{name}[{i + 1}]" for i in range(results[name].shape[1])] for name in TRANSMITTED}
    values = run_fmu(tumbler.fmu, 1.0, 0.1, [entry for entries in names.values() for entry in entries])
    for name, entries in names.items():
        # errors of forces of some tens of newtons are some hundred times those of coordinates
        assert_allclose(np.column_stack([values[entry] for entry in entries]), results[name], atol=100 * WITHIN, err_msg=name)


@pytest.mark.slow
def test_two_instances_in_one_process_do_not_disturb_each_other(pendulum):
    """The instances step in turn, one with a motor and another gravity; each gives the results of a run alone."""
    set_up = [{}, {"motor.force": 3.3, "gravity.magnitude": 4.2, "upper.q_start": 0.4}]

    def ends(settings):
        with slaves(pendulum.fmu, len(settings)) as (made, reference):
            for slave, values in zip(made, settings, strict=True):
                slave.setReal([reference[name] for name in values], list(values.values()))
                slave.exitInitializationMode()
            for step in range(20):
                for slave in made:
                    slave.doStep(currentCommunicationPoint=step * 0.05, communicationStepSize=0.05)
            return [slave.getReal([reference["upper.q"], reference["lower.q"], reference["energy"]]) for slave in made]

    together = ends(set_up)
    assert together == [*ends(set_up[:1]), *ends(set_up[1:])]
    assert not np.allclose(together[0], together[1], atol=0.1)


def test_parameters_and_inputs_changed_during_a_run_act_from_then_on(pendulum):
    """Gravity falls at 0.3 s, the motor starts at 0.6 s; the Simulation is stopped and changed at the same times."""
    changes = {0.3: {"gravity.magnitude": 1.62}, 0.6: {"motor.force": -4.5}}
    with slaves(pendulum.fmu, 1) as ((slave,), reference):
        slave.exitInitializationMode()
        for step in range(10):
            for name, value in changes.get(round(step * 0.1, 9), {}).items():
                slave.setReal([reference[name]], [value])
            slave.doStep(currentCommunicationPoint=step * 0.1, communicationStepSize=0.1)
        actual = slave.getReal([reference[name] for name in ("upper.q", "lower.q", "upper.u", "lower.u")])

    simulation, state = mb.Simulation(pendulum.system, accuracy=ACCURACY), pendulum.state.copy()
    state = simulation.run(state, until=0.3).final_state
    pendulum.gravity.set_magnitude(state, 1.62)
    state = simulation.run(state, until=0.6).final_state
    pendulum.motor.set_force(state, -4.5)
    state = simulation.run(state, until=1.0).final_state

    assert_allclose(actual, state.y, atol=WITHIN)
    untouched = simulation.run(pendulum.state, until=1.0).final_state
    assert not np.allclose(state.y, untouched.y, atol=0.1)
