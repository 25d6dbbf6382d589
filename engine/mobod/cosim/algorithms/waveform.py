"""Waveform iteration: the outputs of one repetition of a step are the inputs of the next."""

from typing import final

import numpy as np

from mobod.cosim.algorithms.iterated import Trial


@final
class Waveform:
    """A `Correction`. Algebraic loops at the end of the step are solved in each repetition.

    Source: Lelarasmee, Ruehli, Sangiovanni-Vincentelli, The waveform relaxation method (1982), IEEE Trans. CAD 1(3).
    """

    settles = True

    def __init__(self, most_iterations: int) -> None:
        self.most_iterations = most_iterations

    def begin(self) -> None: ...

    def next(self, trial: Trial, at_end: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        return outputs

    def memory(self) -> object:
        return None

    def recall(self, memory: object) -> None: ...
