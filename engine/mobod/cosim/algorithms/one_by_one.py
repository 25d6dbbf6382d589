"""OneByOne: steps of an algorithm in Python, one after another."""

from typing import final

import numpy as np

from mobod.cosim.algorithms.algorithm import Algorithm
from mobod.cosim.recorder import Recorder


@final
class OneByOne:
    """`Steps` of a run.

    is_between_steps  whether all instances are at one time
    """

    def __init__(self, algorithm: Algorithm) -> None:
        self._algorithm = algorithm
        self.is_between_steps = True

    def begin(self, recorder: Recorder) -> None:
        recorder.record()

    def take(self, times: np.ndarray, step: float, recorder: Recorder) -> None:
        self.is_between_steps = False
        self._algorithm.advance(float(times[0]), step)
        recorder.record()
        self.is_between_steps = True
