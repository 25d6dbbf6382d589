"""The Gauss-Seidel algorithm: FMUs step one after another, each with the newest available values."""

from collections.abc import Sequence
from typing import final


@final
class GaussSeidel:
    """Instances step one after another in their order.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """

    def turns(self, names: Sequence[str]) -> list[list[str]]:
        """Each instance in a turn of its own.

        Inputs from instances that have stepped have their values after the step; all others, also from the instance itself, have their
        values before the step.
        """
        return [[name] for name in names]
