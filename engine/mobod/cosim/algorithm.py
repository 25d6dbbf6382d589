"""The interface of co-simulation algorithms, and the list of algorithms."""

from collections.abc import Sequence
from typing import Protocol

from mobod.cosim.gauss_seidel import GaussSeidel
from mobod.cosim.jacobi import Jacobi


class Algorithm(Protocol):
    """Decides which instances step with which values."""

    def turns(self, names: Sequence[str]) -> list[list[str]]:
        """The turns of `FixedSteps`, which the C runtime takes."""


ALGORITHMS: dict[str, type[Algorithm]] = {"jacobi": Jacobi, "gauss-seidel": GaussSeidel}
