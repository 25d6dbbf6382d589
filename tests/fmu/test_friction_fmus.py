"""FMUs with rigid friction move as the Simulation does, in stick and slip, and resume from saved states with the same bits."""

import runpy
from itertools import pairwise
from pathlib import Path

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import FmuFile
from tests.fmu.stepped import start, walk, walked_thrice

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TOLERANCE = 1e-10


def block():
    """A box that is pushed up an incline: it slips, and sticks from 0.3 s on."""
    system, body, _ = runpy.run_path(str(EXAMPLES / "16_block_on_incline.py"))["block_on_incline"](0.3)
    state = system.realize_topology()
    body.set_u(state, [0, 0, 0, -2.0, 0, 0])
    return system, state, ["block.q", "block.u", "contact.mode"]


def belt():
    """A block that sticks to a belt and slips, in turn."""
    system = runpy.run_path(str(EXAMPLES / "17_belt_oscillator.py"))["belt_oscillator"]()
    return system, system.realize_topology(), ["block.q", "block.u", "friction.mode", "friction.torque"]


def ball():
    """A sphere that falls, bounces, slides and rolls."""
    system = mb.MultibodySystem("ball")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81, name="gravity")
    body = mb.Free(matter.ground, mb.MassProperties(0.2, [0, 0, 0], mb.Inertia.sphere(mass=0.2, radius=0.1)), name="ball")
    mb.RigidContact(
        matter.ground,
        mb.contact.HalfSpace(),
        body,
        mb.contact.Sphere(0.1),
        static_friction=0.2,
        restitution=0.3,
        name="contact",
    )
    state = system.realize_topology()
    body.set_q(state, [1, 0, 0, 0, 0, 0, 0.12])
    body.set_u(state, [0, 0, 1.0, 1.0, 0.3, 0])
    return system, state, ["ball.q", "ball.u", "contact.mode", "contact.slip"]


def woodpecker():
    system, state = runpy.run_path(str(EXAMPLES / "18_woodpecker.py"))["woodpecker"]()
    return system, state, ["height.q", "sleeve.q", "bird.q", "edge_0.mode", "edge_1.mode"]


def bearing():
    """A pendulum in a dry bearing: its friction grows with the load. It turns back once, and sticks from 1.3 s on."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    body = mb.Pin(matter.ground, mb.MassProperties(3.0, [0.3, 0, 0], mb.Inertia(np.diag([0.05, 0.32, 0.32]))), name="pendulum")
    load = mb.BearingLoad(friction=0.4, static_friction=0.6, radius=0.2)
    mb.JointFriction(matter, body, transition_speed=None, load=load, stribeck_speed=0.5, name="bearing")
    state = system.realize_topology()
    body.set_u(state, [3.0])
    return system, state, ["pendulum.q", "pendulum.u", "bearing.mode", "bearing.load", "bearing.torque"]


# the System, its motion's duration, and the largest difference of states between two runs at this accuracy
SYSTEMS = {
    "block": (block, 0.6, 1e-8),
    "belt": (belt, 2.0, 1e-8),
    "bearing": (bearing, 1.6, 1e-7),
    "ball": (ball, 0.8, 1e-7),
    "woodpecker": (woodpecker, 0.2, 1e-6),
}
STEPS = {"integrator": "velocity_level", "step": 0.001}


def columns_of(path, names):
    """The names of these outputs in an FMU; of FMI 2.0 those of their entries."""
    outputs = [each.name for each in fmpy.read_model_description(str(path)).modelVariables if each.causality == "output"]
    return [each for name in names for each in outputs if each.partition("[")[0] == name]


def exported(name, path, version, **options):
    system, state, names = SYSTEMS[name][0]()
    return mb.export_fmu(system, path / "it.fmu", outputs=names, state=state, fmi_version=version, code="interpreted", **options)


def simulated(name, times, **options):
    """(n_times, n) all outputs, by the Simulation."""
    system, state, names = SYSTEMS[name][0]()
    results = mb.Simulation(system, backend="interpreted", **options).run(state, until=times[-1], report_every=times[1] - times[0])
    return np.concatenate([results[each].reshape(len(results.time), -1) for each in names], axis=1), names


def flat(result, names):
    return np.concatenate([np.asarray(result[name], dtype=float).reshape(len(result), -1) for name in names], axis=1)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_an_importer_gets_the_motion_of_the_simulation(tmp_path, name, kind, version):
    _, until, error = SYSTEMS[name]
    error = 1e-6 if kind == "ModelExchange" else error  # the importer's integrator, CVODE, has larger errors
    fmu = exported(name, tmp_path, version)
    expected, names = simulated(name, np.linspace(0, until, 41), accuracy=TOLERANCE)
    result = fmpy.simulate_fmu(
        str(fmu), fmi_type=kind, stop_time=until, output_interval=until / 40, relative_tolerance=TOLERANCE, record_events=False
    )
    found = flat(result, columns_of(fmu, names))
    assert_allclose(found, expected, rtol=0, atol=error)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_an_importer_gets_the_fixed_steps_of_the_simulation(tmp_path, name, version):
    until = SYSTEMS[name][1]
    fmu = exported(name, tmp_path, version, **STEPS)
    expected, names = simulated(name, np.linspace(0, until, 41), **STEPS)
    result = fmpy.simulate_fmu(str(fmu), stop_time=until, output_interval=until / 40)
    assert_allclose(flat(result, columns_of(fmu, names)), expected, rtol=0, atol=1e-10)  # communication times have round-off


@pytest.mark.parametrize("options", [{}, STEPS], ids=["error control", "fixed steps"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_stepped_run_and_an_fmu_have_the_same_bits(tmp_path, name, options):
    build, until, _ = SYSTEMS[name]
    system, state, names = build()
    fmu = exported(name, tmp_path, "2.0", **options)
    accuracy = {} if options else {"accuracy": TOLERANCE}
    run = mb.Simulation(system, backend="interpreted", **accuracy, **options).start(state)
    columns, times = run.variables(*names), np.linspace(0, until, 21)
    with start(FmuFile(fmu), TOLERANCE) as instance:
        for time, after in pairwise(times):
            instance.step(time, after - time)
            run.step_to(after)
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])


@pytest.mark.parametrize("options", [{}, STEPS], ids=["error control", "fixed steps"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_a_state_saved_in_each_mode_continues_with_the_same_bits(tmp_path, name, options):
    until = SYSTEMS[name][1]
    fmu = FmuFile(exported(name, tmp_path, "2.0", **options))
    names, times = columns_of(fmu.path, SYSTEMS[name][0]()[2]), np.linspace(0, until, 41)
    modes = [name for name in names if ".mode" in name]
    with start(fmu, TOLERANCE) as instance:
        walked = walk(instance, times, modes)[:, 0]
    for mode in set(walked):
        saved_at = int(np.flatnonzero(walked == mode)[0]) + 1
        if saved_at < 40:
            first, again, elsewhere = walked_thrice(fmu, times, saved_at, names)
            assert_array_equal(again, first)
            assert_array_equal(elsewhere, first)
    assert {1.0, 2.0} <= set(walked) or name == "woodpecker"
