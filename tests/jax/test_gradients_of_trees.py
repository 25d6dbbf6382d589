"""Gradients of larger trees, and the options of the compiler that they need."""

import numpy as np
import pytest
from benchmarks.mechanisms import in_mobod, pins
from numpy.testing import assert_allclose

import mobod as mb

jax = pytest.importorskip("jax", reason="needs the extra 'jax'")


@pytest.fixture(scope="module")
def two_pins(with_doubles):
    system, state = in_mobod(pins(2, is_general=True))
    return system, state, mb.to_jax(system, state)


def test_the_installed_compiler_has_options_for_processors_that_keep_barriers(two_pins):
    _, _, model = two_pins
    if jax.default_backend() == "cpu":
        assert model.compiler_options == {"xla_disable_hlo_passes": "cse_barrier_expander", "xla_cpu_use_fusion_emitters": False}
    else:
        assert model.compiler_options == {}
    kept = jax.jit(lambda x: jax.lax.optimization_barrier(2 * x) + 1, compiler_options=model.compiler_options).lower(1.0).compile()
    assert "opt-barrier" in kept.as_text()
    assert float(kept(1.5)) == 4.0


@pytest.mark.slow
def test_options_of_the_compiler_change_no_numbers(two_pins):
    _, _, model = two_pins

    def end(y):
        return model.rollout(y, step=2e-3, steps=20)[-1]

    y = model.y0 + 0.3
    with_options, without = (jax.jit(end, compiler_options=options)(y) for options in (model.compiler_options, None))
    assert_allclose(with_options, without, rtol=0, atol=1e-12 * np.abs(without).max())


@pytest.mark.slow
def test_a_gradient_through_200_steps_of_7_pins_matches_differences():
    system, state = in_mobod(pins(7, is_general=True))
    model = mb.to_jax(system, state)

    def loss(y):
        return jax.numpy.sum(model.rollout(y, step=2e-3, steps=200)[-1] ** 2)

    value = jax.jit(loss, compiler_options=model.compiler_options)
    gradient = np.array(jax.jit(jax.grad(loss), compiler_options=model.compiler_options)(model.y0))
    rng, change = np.random.default_rng(3), 1e-5
    for _ in range(3):
        way = rng.normal(size=gradient.size)
        more, less = (float(value(model.y0 + sign * change * way)) for sign in (1, -1))
        # central differences are wrong by change^2 and by round-off / change
        assert_allclose(gradient @ way, (more - less) / (2 * change), rtol=1e-7, atol=1e-8 * np.abs(gradient).max())


@pytest.mark.slow
def test_gradients_of_rates_of_7_pins_are_those_of_the_engine():
    system, state = in_mobod(pins(7, is_general=True))
    model, rng = mb.to_jax(system, state), np.random.default_rng(5)
    weights = rng.normal(size=model.y0.size)
    gradient = jax.jit(jax.grad(lambda y: weights @ model.rates(0.0, y)), compiler_options=model.compiler_options)(model.y0)
    J = system.linearize(state).A
    assert_allclose(gradient, weights @ J, rtol=0, atol=1e-11 * np.abs(J).max() * len(J))
