"""A System as functions of JAX has the numbers of the System; what cannot be one is refused by name."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.errors import InputError, MobodError, UnknownNameError, UnsupportedError

jax = pytest.importorskip("jax", reason="needs the extra 'jax'")

ROUND_OFF = 1e-12  # relative: the operations are the same, in another order where XLA fuses them


def robot(**joint):
    """A free body with a spring to Ground, and an arm with a motor on it; a quaternion, parameters of all kinds, time in a force."""
    system = mb.MultibodySystem("robot")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mass = mb.MassProperties(2.0, [0.1, -0.2, 0.05], mb.Inertia([[0.4, 0.01, 0.02], [0.01, 0.5, 0.03], [0.02, 0.03, 0.6]]))
    base = mb.Free(matter.ground, mass, name="base")
    frame = mb.Transform(mb.spatial.rotation_about(np.array([0.6, 0.0, 0.8]), 0.3), [0.3, 0.1, -0.2])
    arm = mb.Pin(base, mass, X_PF=frame, X_BM=mb.Transform(p=[0.1, 0.2, 0.3]), name="arm", **joint)
    mb.Gravity(forces, matter, down=[0, -1, 0], name="gravity")
    mb.MobilityForce(forces, arm, name="motor")
    mb.MobilityLinearDamper(forces, arm, damping=0.3, name="damper")
    mb.TwoPointLinearSpring(forces, matter.ground, [0, 1, 0], base, [0.2, 0, 0], stiffness=30, rest_length=0.5, name="spring")
    return system


def moved(system, seed=1):
    state, rng = system.realize_topology(), np.random.default_rng(seed)
    q = rng.normal(size=len(state.q))
    q[:4] /= np.linalg.norm(q[:4])
    state.q, state.u, state.time = q, rng.normal(size=len(state.u)), 0.7
    return state


@pytest.fixture(scope="module")
def system():
    return robot()


@pytest.fixture
def state(system):
    return moved(system)


@pytest.fixture(scope="module")
def model(system, with_doubles):
    return mb.to_jax(system, moved(system), inputs=["motor.force"], outputs=["arm.p_GB", "energy", "arm.q"])


def test_rates_and_outputs_are_those_of_the_system(model, system, state):
    system.realize(state, "acceleration")
    with jax.disable_jit():
        rates, outputs = model.rates(state.time, state.y), model.outputs(state.time, state.y)
    assert_allclose(rates, state.y_dot, rtol=ROUND_OFF)
    for name, value in outputs.items():
        assert_allclose(value, system.value(state, name), rtol=ROUND_OFF)
        assert value.shape == np.shape(system.value(state, name))


def test_masses_frames_parameters_and_inputs_are_arguments(model, system, state):
    base = system.matter.body("base")
    of_base = base.mass_properties(state)
    base.set_mass_properties(state, mb.MassProperties(3.0, of_base.com, of_base.inertia))
    arm = system.matter.body("arm")
    arm.set_inboard_frame(state, mb.Transform(arm.inboard_frame(state).R, [0.4, 0.3, -0.1]))
    for name, value in {"spring.stiffness": 45.0, "motor.force": 1.5}.items():
        system.set_value(state, name, value)
    system.realize(state, "acceleration")
    changed = {"base.mass": 3.0, "arm.p_PF": [0.4, 0.3, -0.1], "spring.stiffness": 45.0}
    with jax.disable_jit():
        assert_allclose(model.rates(state.time, state.y, changed, [1.5]), state.y_dot, rtol=ROUND_OFF)


@pytest.mark.parametrize("integrator", [pytest.param("RK4", marks=pytest.mark.slow), "SemiImplicitEuler"])
def test_steps_are_those_of_a_run(integrator, model, system, state):
    step = 1e-2
    run = mb.Simulation(system, integrator=integrator, step=step, backend="interpreted").start(state)
    run.step(step)
    with jax.disable_jit():
        y = model.step(state.time, state.y, step=step, integrator=integrator)
    assert_allclose(y, run.state.y, rtol=ROUND_OFF, atol=ROUND_OFF)


def test_a_rollout_holds_the_inputs_of_each_step(model, system, state):
    step, forces = 1e-2, np.array([[1.0], [-2.0]])
    run = mb.Simulation(system, integrator="SemiImplicitEuler", step=step, backend="interpreted").start(state)
    expected = [run.state.y.copy()]
    for force in forces:
        run.set("motor.force", force[0])
        run.set("motor.force", force[0])
        run.step(step)
        expected.append(run.state.y.copy())
    with jax.disable_jit():
        ys = model.rollout(state.y, None, forces, step=step, steps=2, integrator="SemiImplicitEuler", t0=state.time)
    assert_allclose(ys, expected, rtol=ROUND_OFF, atol=ROUND_OFF)


def test_start_values_and_parameters_are_those_of_the_state(model, state):
    assert_array_equal(model.y0, state.y)
    assert float(model.parameters["gravity.magnitude"]) == 9.80665
    assert float(model.parameters["base.mass"]) == 2.0
    assert model.parameters["arm.R_PF"].shape == (3, 3)
    assert "motor.force" not in model.parameters
    assert_array_equal(model.inputs0, [0.0])


# what cannot be
def stopped():
    system = robot()
    system.matter.body("arm").set_limits(-1, 1)
    return system


def in_contact():
    system = robot()
    mb.RigidContact(system.matter.ground, mb.contact.HalfSpace(), system.matter.body("base"), mb.contact.Sphere(0.1), name="foot")
    return system


def in_contact_with_spin():
    system, sphere = robot(), mb.contact.Sphere(0.1)
    ends = system.matter.ground, mb.contact.HalfSpace(), system.matter.body("base"), sphere
    mb.RigidContact(*ends, static_friction=0.5, dynamic_friction=0.4, torsional_friction=0.01, name="spinning foot")
    return system


def in_contact_by_slots():
    system, box = robot(), mb.contact.Box([0.1, 0.2, 0.3])
    mb.RigidContact(system.matter.body("base"), box, system.matter.body("arm"), box, name="boxes")
    return system


def lying_by_slots():
    system = robot()
    ends = system.matter.ground, mb.contact.HalfSpace(), system.matter.body("base"), mb.contact.Box([0.1, 0.2, 0.3])
    mb.RigidContact(*ends, in_fixed_steps=True, name="lying")
    return system


def with_dry_friction():
    system = robot()
    mb.RigidJointFriction(system.matter.body("arm"), limit=0.3, name="seal")
    return system


def in_compliant_contact():
    system = robot()
    shapes = system.matter.ground, mb.contact.Box([1, 1, 1]), system.matter.body("base"), mb.contact.Box([0.1] * 3)
    forces = next(each for each in system.subsystems if isinstance(each, mb.ForceSubsystem))
    mb.CompliantContact(forces, *shapes, material1=mb.ContactMaterial(1e5), name="soft boxes")
    return system


def with_friction_under_load():
    system = robot()
    mb.RegularisedJointFriction(
        system.matter.body("arm"), load=mb.BearingLoad(friction=0.1, radius=0.02), transition_speed=0.1, name="bearing"
    )
    return system


def sampled():
    system = robot()
    mb.measures.SampleAndHold(system, mb.measures.Variable(system, 0.0, name="signal"), interval=0.1, name="held")
    return system


def delayed():
    system = robot()
    mb.measures.Delay(system, mb.measures.Variable(system, 0.0, name="signal"), 0.1, name="late")
    return system


def with_event():
    system = robot()
    mb.PeriodicEventHandler.of(system, 0.1, lambda state, event: None, name="clock")
    return system


def unrecorded():
    class Wind(mb.CustomForce):
        recordable = False

        def force(self, state):
            return {}

    system = robot()
    Wind(system.forces, name="wind")
    return system


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (stopped, "arm"),
        (in_contact, "'foot' begins and ends to act at events. Use elastic stops or compliant contact"),
        (delayed, "Delay 'late'"),
        (in_contact_with_spin, "'spinning foot'"),
        (
            in_contact_by_slots,
            "RigidContact 'boxes' begins and ends to act at events. Use compliant contact of shapes that mb.contact.pair_of knows",
        ),
        (lying_by_slots, "RigidContact 'lying'"),
        (in_compliant_contact, "CompliantContact 'soft boxes' finds the points of Box and Box in the C runtime"),
        (with_dry_friction, "RigidJointFriction 'seal' sticks and slips"),
        (with_friction_under_load, "RegularisedJointFriction 'bearing' depends on a load"),
        (sampled, "held"),
        (with_event, "'clock'"),
    ],
)
def test_what_decides_by_values_or_remembers_is_refused_by_name(make, named):
    with pytest.raises(UnsupportedError, match=named):
        mb.to_jax(make())


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"inputs": ["motor.forc"]}, UnknownNameError, "motor.force"),
        ({"outputs": ["arm.p_GBB"]}, UnknownNameError, "arm.p_GB"),
        ({"dtype": "float16"}, InputError, "float16"),
    ],
)
def test_wrong_arguments_are_named(wrong, error, message, system):
    with pytest.raises(error, match=message):
        mb.to_jax(system, **wrong)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: model.rates(0, model.y0, {"spring.stifness": 1.0}), "spring.stiffness"),
        (lambda model: model.rates(0, model.y0, {"spring.stiffness": [1.0, 2.0]}), "spring.stiffness"),
        (lambda model: model.rates(0, model.y0[:-1]), "vmap"),
        (lambda model: model.rates(0, model.y0, None, [1.0, 2.0]), "motor.force"),
        (lambda model: model.rates(0, model.y0, {"arm.p_BM": [0.1, 0.2, 0.3], "base.p_PF": [1.0, 0, 0]}), "fixed at 0"),
        (lambda model: model.step(0, model.y0, step=0.1, integrator="rk4"), "RK4"),
        (lambda model: model.rollout(model.y0, step=0.1, steps=-1), "whole number"),
        (lambda model: model.rollout(model.y0, None, np.zeros((3, 1)), step=0.1, steps=2), "3 rows"),
    ],
)
def test_wrong_calls_are_named(call, message, model):
    with pytest.raises(InputError, match=message):
        call(model)


def test_doubles_are_asked_for_with_the_line_to_write(system):
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(MobodError, match=r"jax.config.update\('jax_enable_x64', True\)"):
            mb.to_jax(system)
        model = mb.to_jax(system, dtype="float32")
        assert model.y0.dtype == np.float32
    finally:
        jax.config.update("jax_enable_x64", True)


def test_mobod_does_not_load_jax():
    program = "import sys, mobod as mb; mb.to_jax; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
