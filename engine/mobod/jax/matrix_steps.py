"""The products and inverses of matrices of bodies with many modes in JAX."""

from typing import final

import jax.numpy as jnp
from jax import Array

from mobod.jax.known_numbers import KnownNumbers
from mobod.jax.products import times
from mobod.matter.dynamics.matrix_steps import MatrixProduct, SumInverse
from mobod.scalar.slot import Slot


@final
class MatrixStep:
    """Computes what a step of the runtime computes; see mobod/matter/dynamics/matrix_steps.py."""

    def __init__(self, step: MatrixProduct | SumInverse):
        self._step = step

    @property
    def output(self) -> Slot:
        return self._step.outputs[0]

    def put_result(self, numbers: KnownNumbers) -> None:
        """Add the result to the known numbers."""
        step = self._step
        numbers.put_array(self.output, _product(step, numbers) if isinstance(step, MatrixProduct) else _inverse(step, numbers))


def _product(step: MatrixProduct, numbers: KnownNumbers) -> Array:
    a, b = numbers.array(step.a), numbers.array(step.b)
    product = times(a.T if step.transposed_a else a, b.T if step.transposed_b else b)
    product = -product if step.negative else product
    return product if step.start is None else numbers.array(step.start) + product


def _inverse(step: SumInverse, numbers: KnownNumbers) -> Array:
    inverse = jnp.linalg.inv(numbers.array(step.a) + numbers.array(step.b))
    if step.known_level is None:
        return inverse
    return jnp.where(numbers.at(step.known_level.offset) > 0, 0.0, inverse)
