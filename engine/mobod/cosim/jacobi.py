"""The Jacobi algorithm: all FMUs step with the outputs' values from before the step."""

from collections.abc import Sequence
from typing import final


@final
class Jacobi:
    """All instances step with the same inputs.

    Source: Kuebler and Schiehlen, Two methods of simulator coupling (2000), Math. Comput. Model. Dyn. Syst. 6(2).
    """

    def turns(self, names: Sequence[str]) -> list[list[str]]:
        """All instances in one turn."""
        return [list(names)]
