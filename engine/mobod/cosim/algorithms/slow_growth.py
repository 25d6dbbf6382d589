"""Slow growth: whether exchanged values grow because of the size of the steps, by trials of two sizes."""

# Decision: docs/decisions/143-slow-growth.md

from dataclasses import dataclass
from math import log
from typing import final

import numpy as np

from mobod.cosim.algorithms.trials import trials
from mobod.cosim.step_sizes.control import CoupledRun
from mobod.errors import MobodError

_LEAST = 1.04  # by which changes must grow from one quarter of the later half of a run to the next, to be tried
_MOST_STEPS = 400  # of the trial at the size of the run
_MARGIN = 0.9  # of the longest step without growth


def is_suspicious(values: np.ndarray) -> bool:
    """Whether the changes of values in a step grow throughout the later half of a run."""
    changes = np.abs(np.diff(values))
    peaks = np.array([each.max() for each in np.array_split(changes[len(changes) // 2 :], 4)])
    return bool(np.isfinite(peaks).all() and peaks[0] > 0 and (peaks[1:] > _LEAST * peaks[:-1]).all())


@final
@dataclass(frozen=True)
class GrowthRates:
    """How fast changes of a value grow with steps of the run's size and of half of it, 1/s. order: of the difference"""

    whole: float
    half: float
    order: int

    @property
    def _by_coupling(self) -> float:
        """The part that falls with a power of the step."""
        return (self.whole - self.half) / (1 - 0.5**self.order)

    @property
    def is_by_coupling(self) -> bool:
        """Whether it is most of the growth. A motion that grows by itself does so at half the step too."""
        return self.whole > 0 and self._by_coupling > self.whole / 2

    def stable(self, step: float) -> float | None:
        """A step at which nothing grows, s; None if the coupling makes the motion grow at any step."""
        own = self.whole - self._by_coupling
        if own > -self._by_coupling / 4:
            return None
        return float(_MARGIN * step * (-own / self._by_coupling) ** (1 / self.order))


def tried_rates(coupling: CoupledRun, connection: int, time: float, n_steps: int) -> GrowthRates | None:
    """Growth of the value of a connection in n_steps from here, by trials with which the components return; None if a trial fails."""
    count = min(n_steps, _MOST_STEPS)
    rates = []
    try:
        with trials(coupling) as begin:
            for parts in (1, 2):
                begin()
                step = coupling.step / parts
                values = []
                for k in range(count * parts):
                    coupling.algorithm.advance(time + k * step, step)
                    values.append(float(coupling.signals.values[connection]))
                peaks = [each.max() for each in np.array_split(np.abs(np.diff(values[parts - 1 :: parts])), 4)]
                if not (np.isfinite(peaks).all() and peaks[0] > 0 and peaks[-1] > 0):
                    return None
                rates.append(log(peaks[-1] / peaks[0]) / (0.75 * count * coupling.step))
    except MobodError:  # of a component that cannot return, or that fails in a trial
        return None
    return GrowthRates(rates[0], rates[1], coupling.order + 1)
