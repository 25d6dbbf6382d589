"""A run in C is divided into pieces. Between two pieces progress is reported and Ctrl-C is handled."""

from time import perf_counter
from typing import final

MOST_STEPS = 2000
FIRST_STEPS = 8
SECONDS = 0.05
FASTEST_GROWTH = 8


@final
class Pieces:
    """The number of steps in the next piece, so that it takes about `SECONDS` at the speed of the last piece.

    most_steps  upper limit for any piece; default: MOST_STEPS
    """

    def __init__(self, most_steps: int | None = None):
        self._most_steps = MOST_STEPS if most_steps is None else most_steps
        self.n_steps = min(FIRST_STEPS, self._most_steps)
        self._since = perf_counter()

    def begin(self) -> None:
        """Start the clock of a piece."""
        self._since = perf_counter()

    def end(self, n_steps: int) -> float:
        """End a piece of so many steps. Returns how long it took, s."""
        seconds = perf_counter() - self._since
        self.adapt(n_steps, seconds)
        return seconds

    def adapt(self, n_steps: int, seconds: float) -> None:
        """Adapt the next piece to n_steps that took so many seconds."""
        fitting = n_steps * SECONDS / seconds if seconds > 0 else float(self._most_steps)
        self.n_steps = int(min(max(fitting, 1), FASTEST_GROWTH * max(n_steps, 1), self._most_steps))
