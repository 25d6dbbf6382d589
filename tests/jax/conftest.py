"""Functions of JAX in tests: with doubles."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def with_doubles():
    jax = pytest.importorskip("jax", reason="needs the extra 'jax'")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)
