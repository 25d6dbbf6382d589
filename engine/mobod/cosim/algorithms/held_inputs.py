"""Algorithms with held inputs, whose steps C takes."""

from collections.abc import Mapping, Sequence

from mobod.cosim.algorithms.algorithm import Algorithm
from mobod.cosim.algorithms.gauss_seidel import GaussSeidel
from mobod.cosim.algorithms.jacobi import Jacobi
from mobod.cosim.component import ComponentVariable
from mobod.cosim.component_model import ComponentInstance
from mobod.cosim.connection import Connection
from mobod.cosim.exchange.fixed_steps import FixedSteps


def fixed_steps(
    algorithm: Algorithm,
    connections: Sequence[Connection],
    instances: Mapping[str, ComponentInstance],
    recorded: Sequence[ComponentVariable],
    threads: int | None,
) -> FixedSteps | None:
    """The steps of an algorithm in C; None if it decides in Python.

    recorded, threads  as in FixedSteps
    """
    operations = algorithm.operations() if isinstance(algorithm, Jacobi | GaussSeidel) else None
    return None if operations is None else FixedSteps(connections, instances, operations, recorded, threads)
