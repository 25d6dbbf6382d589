"""Functions of JAX for every element: values, derivatives, many members, long rollouts, float32, diffrax."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.laws.mechanisms import random_mechanism

jax = pytest.importorskip("jax", reason="needs the extra 'jax'")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ROUND_OFF = 1e-12  # of the largest number of a variable

pytestmark = pytest.mark.slow  # XLA takes seconds to minutes to compile a tree


def double_pendulum():
    system = mb.MultibodySystem("double pendulum")
    matter = mb.MatterSubsystem(system)
    forces = mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], name="gravity")
    mass = mb.MassProperties(1.0, [0, -0.5, 0], mb.Inertia([[0.4, 0, 0], [0, 0.1, 0], [0, 0, 0.4]]))
    upper = mb.Pin(matter.ground, mass, name="upper")
    lower = mb.Pin(upper, mass, X_PF=mb.Transform(p=[0, -1, 0]), name="lower")
    mb.MobilityForce(forces, lower, name="motor")
    mb.MobilityLinearSpring(forces, lower, stiffness=3.0, q_zero=0.1, name="spring")
    state = system.realize_topology()
    state.q, state.u = [0.4, -0.3], [0.2, 0.5]
    return system, state


def compare(system, state):
    """Rates and all outputs of a State, in JAX and in the runtime."""
    names = [each.name for each in system.variables(state) if each.role == "output"]
    model = mb.to_jax(system, state, outputs=names)
    system.realize(state, "acceleration")
    with jax.disable_jit():
        rates, outputs = model.rates(state.time, state.y), model.outputs(state.time, state.y)
    assert_allclose(rates, state.y_dot, rtol=0, atol=ROUND_OFF * (1 + np.abs(state.y_dot).max()))
    for name in names:
        expected = system.value(state, name)
        assert_allclose(outputs[name], expected, rtol=0, atol=ROUND_OFF * (1 + np.abs(expected).max(initial=0)), err_msg=name)
    return model


@pytest.mark.parametrize("moved", [False, True], ids=["free", "with motions and locks"])
@pytest.mark.parametrize("seed", range(6))
def test_mechanisms_with_every_element_have_the_numbers_of_the_system(seed, moved):
    mechanism = random_mechanism(seed, n_bodies=6)
    state = mechanism.random_state(np.random.default_rng(seed), moved=moved)
    compare(mechanism.system, state)


@pytest.mark.parametrize("example", ["05_custom_subsystem", "06_custom_force", "08_custom_joints"])
def test_elements_of_users_have_the_numbers_of_the_system(example):
    made = runpy.run_path(str(EXAMPLES / f"{example}.py"))
    system = made["leg" if example.startswith("08") else "charges"]()
    state = system.realize_topology()
    state.u = np.random.default_rng(3).normal(size=len(state.u))
    compare(system, state)


@pytest.mark.parametrize("seed", range(2))
def test_directional_derivatives_of_mechanisms_are_those_of_the_system(seed):
    mechanism = random_mechanism(seed, n_bodies=6)
    system, state = mechanism.system, mechanism.random_state(np.random.default_rng(seed))
    model, rng = mb.to_jax(system, state), np.random.default_rng(seed)
    states = [each for each in system.variables(state) if each.role == "state"]
    along = {each.name: rng.normal(size=each.slot.shape) for each in states}
    rates = [f"der({each.name})" for each in states]
    exact = system.directional_derivative(state, rates, along)
    order = sorted(states, key=lambda each: each.slot.offset)
    direction = np.concatenate([np.ravel(along[each.name]) for each in order])
    with jax.disable_jit():
        _, found = jax.jvp(lambda y: model.rates(state.time, y), (model.y0,), (direction,))
    expected = np.zeros(len(direction))
    for each, rate in zip(states, rates, strict=True):
        expected[system.variable(state, rate).slot.offset - state.layout.y_dot.offset :][: each.slot.size] = np.ravel(exact[rate])
    assert np.isfinite(found).all()
    assert_allclose(found, expected, rtol=0, atol=1e-10 * (1 + np.abs(expected).max()))


def test_the_jacobian_of_the_rates_is_the_matrix_of_the_linear_system():
    system, state = double_pendulum()
    model = mb.to_jax(system, state)
    A = jax.jacfwd(model.rates, argnums=1)(0.0, model.y0)
    assert_allclose(A, system.linearize(state).A, rtol=0, atol=1e-12 * np.abs(A).max())


def test_a_gradient_through_a_rollout_matches_differences():
    system, state = double_pendulum()
    model = mb.to_jax(system, state, inputs=["motor.force"])

    def loss(parameters):
        ys = model.rollout(model.y0, parameters, [0.3], step=2e-3, steps=200)
        return jax.numpy.sum(ys[-1] ** 2)

    loss = jax.jit(loss)
    gradient = jax.jit(jax.grad(loss))(model.parameters)
    change = 1e-5
    for name in ("upper.mass", "spring.stiffness", "gravity.magnitude"):
        more, less = (loss({**model.parameters, name: model.parameters[name] + each}) for each in (change, -change))
        # central differences are wrong by change^2 and by round-off / change
        assert_allclose(gradient[name], (more - less) / (2 * change), rtol=1e-7, atol=1e-8)


def test_members_of_a_batch_have_the_numbers_of_an_ensemble():
    system, state = double_pendulum()
    model, n = mb.to_jax(system, state), 1000
    stiffness = np.linspace(1.0, 5.0, n)

    def end(value):
        return model.rollout(model.y0, {"spring.stiffness": value}, step=1e-2, steps=20)[-1]

    found = jax.jit(jax.vmap(end))(stiffness)
    ensemble = mb.Ensemble(
        system,
        state,
        parameters={"spring.stiffness": stiffness},
        integrator="RK4",
        step=1e-2,
        backend="interpreted",
        outputs=["upper.q", "lower.q"],
    )
    results = ensemble.run(0.2)
    for i, name in enumerate(("upper.q", "lower.q")):
        assert_allclose(found[:, i], results[name][:, -1], rtol=1e-12, atol=1e-12)


def test_diffrax_follows_the_motion_of_a_simulation():
    diffrax = pytest.importorskip("diffrax", reason="needs diffrax")
    system, state = double_pendulum()
    model = mb.to_jax(system, state, inputs=["motor.force"])
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(model.vector_field),
        diffrax.Dopri8(),
        t0=0.0,
        t1=1.0,
        dt0=1e-2,
        y0=model.y0,
        args=({"gravity.magnitude": 9.0}, [0.2]),
        stepsize_controller=diffrax.PIDController(rtol=1e-10, atol=1e-10),
    )
    system.set_value(state, "gravity.magnitude", 9.0)
    system.set_value(state, "motor.force", 0.2)
    results = mb.Simulation(system, 1e-11, backend="interpreted").run(state, 1.0)
    assert_allclose(solution.ys[-1][:2], [results["upper.q"][-1], results["lower.q"][-1]], rtol=0, atol=1e-8)


def test_float32_has_the_error_that_is_stated():
    system, state = double_pendulum()
    jax.config.update("jax_enable_x64", False)
    try:
        rates = np.array(mb.to_jax(system, state, dtype="float32").rates(0.0, state.y))
    finally:
        jax.config.update("jax_enable_x64", True)
    system.realize(state, "acceleration")
    error = np.abs(rates - state.y_dot).max() / np.abs(state.y_dot).max()
    assert 1e-9 < error < 1e-6
