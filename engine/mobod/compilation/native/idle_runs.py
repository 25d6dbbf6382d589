"""Memory of runs in C that have ended, for the next runs of the same model."""

from typing import NamedTuple, final

import numpy as np

from mobod.runtime.c_objects import CObject
from mobod.runtime.library import doubles, ffi, runtime

_MOST = 4  # a run with constraints takes up to three: its own, and those of the projection of its start


class RunSettings(NamedTuple):
    """What `simulation_open` of fmu_src/native/runs/simulation.h takes besides the model and the State, in its order. See
    `open_native`.
    """

    integrator: str
    tolerance: float
    constraint_tolerance: float
    largest_step: float
    fixed_step: float
    max_steps: int
    impacts: int
    is_at_velocity_level: bool


@final
class RunMemory:
    """The memory of a run.

    in_c      `Simulation *`
    w         (n_w,) for the numbers of a start: 0 where none is written
    progress  `Progress *`
    freeing   while no run uses it: what frees it when it is dropped
    """

    def __init__(self, settings: RunSettings, n_w: int):
        self.settings, self.w = settings, np.zeros(n_w)
        self.w_in_c, self.in_c = doubles(self.w), ffi.NULL
        self.progress = ffi.new("Progress *")
        self.freeing: CObject | None = None

    def for_more(self, n_w: int) -> "RunMemory":
        """The same run in C, after it has got kernels with w of n_w numbers."""
        other = RunMemory(self.settings, n_w)
        other.in_c = self.in_c
        return other


@final
class IdleRuns:
    """The last few ended runs of a model. `simulation_reset` makes one a new run. Threads may use it at the same time."""

    def __init__(self) -> None:
        self._kept: list[RunMemory] = []

    def take(self, settings: RunSettings) -> RunMemory | None:
        """One of the same settings, which is kept no longer; None if there is none."""
        for each in tuple(self._kept):
            if each.settings is settings or each.settings == settings:
                try:
                    self._kept.remove(each)
                except ValueError:  # another thread has taken it
                    continue
                ffi.gc(each.freeing, None)  # its run frees it
                each.freeing = None
                return each
        return None

    def keep(self, memory: RunMemory) -> None:
        """Keep the memory of a run that has ended. The oldest is freed if there are too many."""
        memory.freeing = ffi.gc(memory.in_c, runtime().simulation_close)
        self._kept.append(memory)
        del self._kept[:-_MOST]
