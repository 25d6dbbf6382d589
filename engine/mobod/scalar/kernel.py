"""Kernels: NumPy functions that are recorded on first use for each structure of arguments and from then on evaluated without NumPy."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mobod.errors import InputError
from mobod.scalar.c_code import c_function
from mobod.scalar.derivative import jvp, tangent_twin
from mobod.scalar.functions import is_recorded
from mobod.scalar.lowering import BufferedFunction, to_casadi
from mobod.scalar.recording import Recording, record

Shapes = tuple[tuple[int, ...], ...]


class Kernel:
    """A pure function of arrays, written in NumPy.

    Called with plain numbers it evaluates its recording; called with recorded ones it becomes part of the recording under way.
    """

    def __init__(self, function: Callable[..., Any]):
        self.text = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self._recordings: dict[Shapes, Recording] = {}
        self._twins: dict[Shapes, Recording] = {}
        self._functions: dict[Recording, BufferedFunction] = {}

    def __call__(self, *arguments: Any) -> Any:
        if is_recorded(*arguments):
            return self.text(*arguments)
        arrays = self._arrays(arguments)
        shapes = tuple(array.shape for array in arrays)
        results = self._evaluate(self.recording(*shapes), arrays)
        return results[0] if len(results) == 1 else results

    def recording(self, *shapes: tuple[int, ...]) -> Recording:
        """What the kernel does to arguments of these shapes."""
        if shapes not in self._recordings:
            self._recordings[shapes] = self._record(shapes)
        return self._recordings[shapes]

    def twin(self, *shapes: tuple[int, ...]) -> Recording:
        """What computes the results and their derivatives along directions, which follow the arguments."""
        if shapes not in self._twins:
            self._twins[shapes] = tangent_twin(self._record(shapes))
        return self._twins[shapes]

    def _record(self, shapes: Shapes) -> Recording:
        return record(self.text, [np.full(shape, np.nan) for shape in shapes], about=f"kernel '{self.__name__}'")

    def jvp(self, arguments: Sequence[Any], directions: Sequence[Any]) -> tuple[Any, Any]:
        """(values, exact directional derivatives); each a tuple if the kernel returns one."""
        if is_recorded(*arguments) or is_recorded(*directions):
            return jvp(self.text, arguments, directions)
        arrays = self._arrays([*arguments, *directions])
        shapes = tuple(array.shape for array in arrays[: len(arguments)])
        if shapes != tuple(array.shape for array in arrays[len(arguments) :]):
            raise InputError(f"kernel '{self.__name__}': the directions must have the shapes of the arguments, {shapes}.")
        results = self._evaluate(self.twin(*shapes), arrays)
        half = len(results) // 2
        values, tangents = results[:half], results[half:]
        return (values[0], tangents[0]) if half == 1 else (values, tangents)

    def jacobian(self, *arguments: Any, argument: int = 0) -> np.ndarray:
        """Derivatives of the kernel's only result with respect to one argument: shape of the result + shape of the argument."""
        arrays = self._arrays(arguments)
        columns = []
        for k in range(arrays[argument].size):
            directions = [np.zeros(array.shape) for array in arrays]
            directions[argument].flat[k] = 1.0
            columns.append(self.jvp(arrays, directions)[1])
        return np.stack(columns, axis=-1).reshape(*columns[0].shape, *arrays[argument].shape)

    def c_code(self, *shapes: tuple[int, ...], name: str | None = None) -> str:
        """C99 of the kernel for arguments of these shapes (see c_function)."""
        return c_function(self.recording(*shapes), name or self.__name__)

    def _arrays(self, arguments: Sequence[Any]) -> list[np.ndarray]:
        try:
            return [np.asarray(argument, dtype=float) for argument in arguments]
        except (TypeError, ValueError) as error:
            raise InputError(f"kernel '{self.__name__}': its arguments must be arrays of real numbers. {error}") from error

    def _evaluate(self, recording: Recording, arrays: list[np.ndarray]) -> tuple[np.ndarray, ...]:
        function = self._functions.get(recording)
        if function is None:
            function = self._functions[recording] = BufferedFunction(to_casadi(recording, self.__name__))
        for buffer, array in zip(function.arguments, arrays, strict=True):
            buffer[:] = array.ravel()
        function()
        return tuple(result.reshape(output.shape).copy() for result, output in zip(function.results, recording.outputs, strict=True))


def kernel(function: Callable[..., Any]) -> Kernel:
    """Decorator: make a NumPy function a Kernel."""
    return Kernel(function)
