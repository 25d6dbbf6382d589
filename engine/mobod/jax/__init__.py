"""Systems as functions of JAX: differentiable, on any accelerator. `mb.to_jax` needs the extra `jax`."""

# Decision: docs/decisions/198-jax.md

from mobod.jax.conversion import to_jax

__all__ = ["to_jax"]
