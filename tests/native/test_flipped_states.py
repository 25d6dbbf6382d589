"""Saved states with random changes, run with the sanitizers: refused, or harmless."""

import subprocess
import zipfile

import pytest

import mobod as mb
from mobod import measures
from mobod.system import DiscreteVariable
from tests.equivalence.test_auto_updates import Sampler
from tests.native.pile_of_shapes import pile
from tests.native.sanitized import driver_of, sanitized_runtime


def body(name, where, kind, **options):
    mass = mb.MassProperties(mass=1.3, com=[0.2, 0.1, 0], inertia=mb.Inertia.sphere(mass=1.3, radius=0.3).shifted([0.2, 0.1, 0]))
    return kind(where, mb.RigidBody(mass), name=name, **options)


def everything():
    """Events of all kinds, one of which ends the run after 2 s; limits, a rod, a lock, a quaternion, delays, an extreme, samples, variables
    that update themselves."""
    system = mb.MultibodySystem("everything")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    upper = body("upper", matter.ground, mb.Pin)
    lower = body("lower", upper, mb.Pin, X_PF=mb.Transform(p=[0.5, 0, 0]))
    lower.set_limits(-0.6, 0.4, 0.5)
    slider = body("slider", matter.ground, mb.Slider)
    slider.set_lockable_by_default(True)
    ball = body("ball", matter.ground, mb.Ball)
    mb.Rod(lower, [0.3, 0, 0], ball, [0.1, 0.2, 0], 0.9, name="rod", disabled=True)
    mb.ConstantAngle(lower, [1, 0, 0], ball, [0, 1, 0], 1.3, name="angle", disabled=True)
    spring = mb.MobilityLinearSpring(forces, slider, stiffness=40.0, name="spring")

    angle = measures.Custom(system, lambda state: upper.q(state)[0], stage=mb.Stage.POSITION, name="angle now")
    measures.Delay(system, angle, 0.11, capacity=64, name="angle late")
    measures.Maximum(system, angle, name="highest")
    measures.SampleAndHold(system, angle, 0.17, name="sampled")
    mb.Sampled(system, angle, 0.13, noise_density=0.01, seed=3, name="felt")
    Sampler(system, "sampler")

    mb.PeriodicEventHandler.of(system, 0.23, lambda s, e: spring.set_stiffness(s, spring.stiffness(s) + 1.0), name="stiffen")

    def turn(state, event):
        slider.set_u(state, slider.u(state) + 0.5)
        event.schedule(state.time + 0.06)
        event.terminate_when(state.time > 2)

    mb.TriggeredEventHandler.of(system, lambda s: slider.q(s)[0] - 0.05, turn, name="turn", variables={"times": 0.0})
    mb.TimeAdvancedEventHandler.of(
        system,
        lambda s, e: system.events.event("turn").set_variable(s, "times", system.events.event("turn").variable(s, "times") + 1),
        name="count",
    )
    mb.TerminationEventHandler.of(system, lambda s, e: slider.set_u(s, 0.0), name="rest")
    state = system.realize_topology()
    slider.set_u(state, 1.0)
    ball.set_u(state, [0.4, -1.1, 0.8])
    return system, state


@pytest.fixture(scope="module")
def runtime(tmp_path_factory):
    return sanitized_runtime(tmp_path_factory.mktemp("runtime"))


@pytest.fixture(scope="module", params=["adaptive", "fixed steps", "slots"])
def flips(request, runtime, tmp_path_factory):
    """A program that changes saved states so many times, with a seed."""
    folder = tmp_path_factory.mktemp("flips")
    system, state = {"adaptive": everything, "fixed steps": contacts, "slots": pile}[request.param]()
    options = {} if request.param == "adaptive" else {"integrator": "velocity_level", "step": 0.01}
    fmu = mb.export_fmu(system, folder / "everything.fmu", outputs=[], state=state, code="compiled", **options)
    zipfile.ZipFile(fmu).extractall(folder)
    program = driver_of(folder, "flips_driver.c", runtime)
    return lambda *arguments: subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)


def contacts():
    """The memory of fixed steps: limits, a rod and a sampled sensor, without events of users."""
    system = mb.MultibodySystem("contacts")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    upper = body("upper", matter.ground, mb.Pin)
    lower = body("lower", upper, mb.Pin, X_PF=mb.Transform(p=[0.5, 0, 0]))
    lower.set_limits(-0.6, 0.4, 0.5)
    upper.set_limits(-1.0, 1.0, compliance=1e-3, damping=5.0)
    mb.Sampled(system, mb.JointSensor(system, lower, name="encoder"), 0.03, noise_density=0.01, seed=3, name="felt")
    return system, system.realize_topology()


@pytest.mark.slow
def test_ten_thousand_changed_states_are_refused_or_harmless(flips):
    result = flips(10_000, 2)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


def test_every_stored_number_except_parameters_has_a_declared_range():
    """A new internal variable of the engine must declare a range: otherwise a damaged index would be accepted."""
    for system, state in (everything(), contacts(), pile()):
        parameters = {variable.discrete for variable in system.variables(state)}
        silent = [
            handle.name
            for handle in state.layout.slots
            if isinstance(handle, DiscreteVariable)
            and handle.invalidates > mb.Stage.MODEL
            and not (handle in parameters or handle.is_boolean or handle in state.layout.numbers)
        ]
        assert silent == []
