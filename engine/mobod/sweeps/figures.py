"""Figures of a run: the numbers that a sweep keeps of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import UnknownNameError


def _mean(time: np.ndarray, values: np.ndarray) -> float:
    duration = float(time[-1] - time[0])
    return float(np.trapezoid(values, time)) / duration if duration > 0 else float(values[-1])


_OVER_TIME: Mapping[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "max": lambda _, values: float(values.max()),
    "min": lambda _, values: float(values.min()),
    "mean": _mean,
    "rms": lambda time, values: float(np.sqrt(_mean(time, values**2))),
}


@final
@dataclass(frozen=True)
class Figure:
    """A number of a run.

    text      as the user writes it: 'lower.q', 'max(lower.q)'
    variable  name of a single number
    function  name of a function over time; None: the value at the end
    """

    text: str
    variable: str
    function: str | None

    @classmethod
    def parsed(cls, text: str) -> "Figure":
        """Raises UnknownNameError for a function that does not exist."""
        match = re.fullmatch(r"(\w+)\((.*)\)", text.strip())
        if match is None or match[1] in ("der", "final"):
            return cls(text, match[2] if match and match[1] == "final" else text.strip(), None)
        if match[1] not in _OVER_TIME:
            raise UnknownNameError("function over time", match[1], (*_OVER_TIME, "final"))
        return cls(text, match[2].strip(), match[1])

    def of(self, time: np.ndarray, values: np.ndarray) -> float:
        """The figure of values (m,) at times (m,)."""
        return float(values[-1]) if self.function is None else _OVER_TIME[self.function](time, values)


def figures_of(texts: Sequence[str]) -> list[Figure]:
    return [Figure.parsed(text) for text in texts]
