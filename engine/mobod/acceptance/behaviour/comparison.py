"""Comparison: the differences between runs of the same FMU, and what of them the tolerance, events and the model itself explain."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.report import Difference, PlottedCurve
from mobod.importer.variable import ForeignVariable

TOLERANCE = 1e-4  # default of an FMU that declares none
GROWTH = 100  # factor by which the errors of steps, each within the tolerance, may accumulate
_MOST_CURVES = 12
_MOST_POINTS = 500  # of a curve
_MOST_GROWTH = 1e5  # of a small difference, up to which runs are compared
_MOST_ALLOWED = 0.1  # of an output's size, when differences grow


@final
@dataclass(frozen=True)
class Horizon:
    """Up to where runs are compared: the number of the point, and how much a small difference has grown there."""

    point: int
    growth: float


@final
class RunComparison:
    """Runs of the same outputs at the same points, from the longest steps to the shortest.

    names, units, nominals  (n,)
    rows                    three arrays (m, n)
    tolerance               relative
    """

    def __init__(self, names: list[str], units: list[str], nominals: list[float], rows: list[np.ndarray], tolerance: float) -> None:
        self._names, self._units, self._rows = names, units, rows
        self._nominals = np.array(nominals)
        self._tolerance = tolerance
        self._point, self._growth = len(rows[0]) - 1, 1.0
        self.differences: list[Difference] = self._compared()

    @property
    def sizes(self) -> np.ndarray:
        """(n,) of the outputs."""
        return np.maximum(np.abs(self._rows[-1]).max(axis=0), self._nominals)

    def differing(self) -> list[str]:
        return [each.output for each in self.differences if each.verdict == "differ"]

    def _compared(self) -> list[Difference]:
        whole, half, quarter = (rows[: self._point + 1] for rows in self._rows)
        allowed = GROWTH * self._tolerance * self._growth * np.maximum(np.abs(quarter).max(axis=0), self._nominals)
        coarse, fine = np.abs(whole - half).max(axis=0), np.abs(half - quarter).max(axis=0)
        differences = []
        for k, name in enumerate(self._names):
            difference = Difference(name, self._units[k], float(coarse[k]), float(fine[k]), float(allowed[k]))
            if difference.verdict == "differ":
                # an event may be at another time, within a step
                near = largest_gap(whole[:, k], half[:, k]), largest_gap(half[:, k], quarter[:, k])
                difference = Difference(name, self._units[k], near[0], near[1], float(allowed[k]))
            differences.append(difference)
        return differences

    def allow_for_growth(self, nudged: np.ndarray, nudge: float) -> Horizon | None:
        """Allow for the growth of small differences that a run with slightly other start values shows.

        nudged  (m, n)  outputs of this run, with the shortest steps
        nudge           relative change of the start values

        Returns None if they do not grow.
        """
        count = min(len(nudged), len(self._rows[-1]))
        apart = np.abs(nudged[:count] - self._rows[-1][:count]) / self.sizes
        growth = np.maximum.accumulate(np.nan_to_num(apart, nan=np.inf).max(axis=1)) / nudge
        if growth[-1] <= 10:
            return None
        most = min(_MOST_GROWTH, max(10.0, _MOST_ALLOWED / (GROWTH * self._tolerance)))
        point = max(int(np.searchsorted(growth, most, side="right")) - 1, 1)
        self._point, self._growth = min(point, self._point), max(1.0, float(min(growth[point], most)))
        self.differences = self._compared()
        return Horizon(self._point, float(growth[-1] * nudge))

    def curve(self, column: int, label: str, times: np.ndarray, rows: np.ndarray) -> PlottedCurve:
        stride = -(-len(times) // _MOST_POINTS)
        return PlottedCurve(self._names[column], label, self._units[column], times[::stride].tolist(), rows[::stride, column].tolist())


def largest_gap(one: np.ndarray, other: np.ndarray) -> float:
    """The largest distance of a curve from the band that another one covers at the same point and its two neighbours."""
    low, high = other.copy(), other.copy()
    for shifted in (np.r_[other[:1], other[:-1]], np.r_[other[1:], other[-1:]]):
        low, high = np.minimum(low, shifted), np.maximum(high, shifted)
    return float(np.maximum(np.maximum(low - one, one - high), 0.0).max())


def outputs_of(tested: Tested) -> list[ForeignVariable]:
    """Outputs that are real numbers."""
    return [each for each in tested.outputs if each.is_real]


def plotted(names: list[str]) -> range:
    return range(min(len(names), _MOST_CURVES))
