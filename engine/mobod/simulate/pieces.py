"""A run in C is cut into pieces. Between two of them progress is reported and Ctrl-C is handled."""

from time import perf_counter
from typing import final

MOST_STEPS = 2000
FIRST_STEPS = 8
SECONDS = 0.05
FASTEST_GROWTH = 8


@final
class Pieces:
    """How many steps there are in the next piece: as many as take about `SECONDS`, as the last one did.

    most_steps  in any piece; MOST_STEPS if left out
    """

    def __init__(self, most_steps: int | None = None):
        self._most_steps = MOST_STEPS if most_steps is None else most_steps
        self.n_steps = min(FIRST_STEPS, self._most_steps)
        self._since = perf_counter()

    def begin(self) -> None:
        """Of a piece."""
        self._since = perf_counter()

    def end(self, n_steps: int) -> None:
        """Of a piece with so many steps."""
        self.adapt(n_steps, perf_counter() - self._since)

    def adapt(self, n_steps: int, seconds: float) -> None:
        """n_steps  that were taken in so many seconds"""
        fitting = n_steps * SECONDS / seconds if seconds > 0 else float(self._most_steps)
        self.n_steps = int(min(max(fitting, 1), FASTEST_GROWTH * max(n_steps, 1), self._most_steps))
