"""StepWitnesses: the witnesses at times of a step."""

from collections.abc import Callable
from typing import Any, final

import numpy as np

from mobod.simulate.localisation import Point
from mobod.simulate.quaternions import normalize
from mobod.simulate.witnesses import Witnesses
from mobod.system import Layout, Stage


@final
class StepWitnesses:
    """Each is computed once at a time, and what it does not need is not: distances of rows that are free need no accelerations.

    times   from the start of the step to its end, of which all witnesses are known
    first   their values and rates at the start
    y_end   at the end
    inside  the StepPolynomial
    """

    def __init__(
        self, witnesses: Witnesses, layout: Layout, times: list[float], first: tuple[np.ndarray, np.ndarray], y_end: np.ndarray, inside: Any
    ):
        self._witnesses, self._layout, self._y_end, self._inside = witnesses, layout, y_end, inside
        self._last = witnesses.last_stage
        self._end = times[-1]
        self._known = {(times[0], self._last): first}
        for time in times[1:]:
            self.all(time)

    def all(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """(n,), (n,) values and rates."""
        return self._at(time, self._last)

    def one(self, i: int) -> Callable[[float], Point]:
        """Of time."""
        stage = self._witnesses.stage(i)

        def point(time: float) -> Point:
            values, rates = self._at(time, stage)
            return Point(time, float(values[i]), float(rates[i]))

        return point

    def _at(self, time: float, stage: Stage) -> tuple[np.ndarray, np.ndarray]:
        key = (time, self._last if (time, self._last) in self._known else stage)
        if key not in self._known:
            y = self._y_end
            if time != self._end:
                y = self._inside.y(time)
                normalize(self._layout, y)
            self._known[key] = self._witnesses.values_and_rates(time, y, self._inside.y_dot(time), stage)
        return self._known[key]
