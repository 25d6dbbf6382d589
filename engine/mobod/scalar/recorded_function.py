"""Evaluates a recording on arrays by the C runtime."""

from collections.abc import Sequence
from itertools import pairwise
from typing import final

import numpy as np

from mobod.scalar.bytecode import program_of
from mobod.scalar.kernel_calls import KernelCall, KernelCalls, LoadedProgram
from mobod.scalar.recording import Recording


@final
class RecordedFunction:
    """A function that takes an array for each input and returns an array for each output."""

    def __init__(self, recording: Recording):
        self._shapes = [output.shape for output in recording.outputs]
        sizes = [array.size for array in (*recording.inputs, *recording.outputs)]
        starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        self._size = starts[-1]
        places = [slice(*pair) for pair in pairwise(starts)]
        self._inputs, self._outputs = places[: len(recording.inputs)], places[len(recording.inputs) :]
        program = LoadedProgram(program_of(recording, adds=frozenset(), is_tangent=False))
        self._calls = KernelCalls([KernelCall(program, tuple(starts[:-1]))])

    def __call__(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        numbers = np.empty(self._size)
        for place, array in zip(self._inputs, arrays, strict=True):
            numbers[place] = np.ravel(array)
        self._calls(numbers)
        return [numbers[place].reshape(shape) for place, shape in zip(self._outputs, self._shapes, strict=True)]
