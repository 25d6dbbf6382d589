"""ArrayFunction: a NumPy function that is recorded on first use for each structure of arguments, and then evaluated without NumPy."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.scalar.c_code import c_function
from mobod.scalar.c_tables import c_tables
from mobod.scalar.derivative import jvp, tangent_twin
from mobod.scalar.functions import is_recorded
from mobod.scalar.recorded_function import RecordedFunction
from mobod.scalar.recording import Recording, record

Shapes = tuple[tuple[int, ...], ...]


class ArrayFunction:
    """A pure function of arrays, written in NumPy. It returns an array or a tuple of arrays.

    Called with plain numbers it evaluates its recording. Called with recorded scalars it becomes part of their recording.
    Its name is that of the function; set __name__ to rename a lambda.
    """

    def __init__(self, function: Callable[..., object]):
        self.text = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__doc__ = function.__doc__
        self._recordings: dict[Shapes, Recording] = {}
        self._twins: dict[Shapes, Recording] = {}
        self._functions: dict[Recording, RecordedFunction] = {}

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self  # a pure function; its recordings are shared

    def __call__(self, *arguments: ArrayLike) -> Any:
        """The results; floats if their shape is (). Raises InputError if an argument is not an array of real numbers."""
        if is_recorded(*arguments):
            return self.text(*arguments)
        arrays = self._arrays(arguments)
        results = self._evaluate(self.recording(*_shapes(arrays)), arrays)
        return results[0] if len(results) == 1 else results

    def recording(self, *shapes: tuple[int, ...]) -> Recording:
        """The recording for arguments of these shapes."""
        if shapes not in self._recordings:
            about = f"function '{self.__name__}'"
            self._recordings[shapes] = record(self.text, [np.full(shape, np.nan) for shape in shapes], about=about)
        return self._recordings[shapes]

    def twin(self, *shapes: tuple[int, ...]) -> Recording:
        """The recording of results and directional derivatives, whose inputs are the arguments, then their directions."""
        if shapes not in self._twins:
            self._twins[shapes] = tangent_twin(self.recording(*shapes))
        return self._twins[shapes]

    def jvp(self, arguments: Sequence[ArrayLike], directions: Sequence[ArrayLike]) -> tuple[Any, Any]:
        """(values, exact directional derivatives); each is a tuple if the function returns one.

        Raises InputError if the directions do not have the shapes of the arguments.
        """
        if is_recorded(*arguments, *directions):
            return jvp(self.text, arguments, directions)
        arrays, along = self._arrays(arguments), self._arrays(directions)
        shapes = _shapes(arrays)
        if shapes != _shapes(along):
            raise InputError(
                f"function '{self.__name__}': the directions must have the shapes of the arguments, {shapes}, not {_shapes(along)}."
            )
        results = self._evaluate(self.twin(*shapes), [*arrays, *along])
        half = len(results) // 2
        return (results[0], results[1]) if half == 1 else (results[:half], results[half:])

    def jacobian(self, *arguments: ArrayLike, argument: int = 0) -> np.ndarray:
        """Derivative of the function's only result with respect to one argument. Its shape is that of the result + that of the argument.

        Raises InputError if the function returns several results.
        """
        arrays = self._arrays(arguments)
        outputs = self.recording(*_shapes(arrays)).outputs
        if len(outputs) != 1:
            raise InputError(f"function '{self.__name__}' returns {len(outputs)} results. A Jacobian needs a function with one result.")
        jacobian = np.empty((*outputs[0].shape, arrays[argument].size))
        for k in range(arrays[argument].size):
            directions = [np.zeros(array.shape) for array in arrays]
            directions[argument].flat[k] = 1.0
            jacobian[..., k] = self.jvp(arrays, directions)[1]
        return jacobian.reshape(outputs[0].shape + arrays[argument].shape)

    def c_code(self, *shapes: tuple[int, ...], name: str) -> str:
        """C99 code of the function for arguments of these shapes (see c_function), after its tables."""
        recording = self.recording(*shapes)
        return "\n".join([*c_tables([recording]), c_function(recording, name)])

    def _arrays(self, arguments: Sequence[ArrayLike]) -> list[np.ndarray]:
        arrays = []
        for i, argument in enumerate(arguments):
            try:
                array = np.asarray(argument)
            except ValueError as error:
                raise InputError(f"function '{self.__name__}': argument {i} is not an array. {error}") from error
            if array.dtype.kind not in "biuf":
                raise InputError(f"function '{self.__name__}': argument {i} must be an array of real numbers, not {argument!r}.")
            arrays.append(array.astype(float))
        return arrays

    def _evaluate(self, recording: Recording, arrays: list[np.ndarray]) -> tuple[Any, ...]:
        function = self._functions.get(recording)
        if function is None:
            function = self._functions[recording] = RecordedFunction(recording)
        return tuple(result[()] for result in function(arrays))


def _shapes(arrays: Sequence[np.ndarray]) -> Shapes:
    return tuple(array.shape for array in arrays)


def array_function(function: Callable[..., object]) -> ArrayFunction:
    """Decorator: make a NumPy function an ArrayFunction."""
    return ArrayFunction(function)
