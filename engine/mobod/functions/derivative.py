"""Exact partial derivatives of a function's value, of any order."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from mobod.scalar import Array, is_recorded
from mobod.scalar.derivative import jvp
from mobod.scalar.evaluation import evaluate
from mobod.scalar.recording import Recording, record


class Valued(Protocol):
    """A function by its value alone; see Function."""

    @property
    def argument_size(self) -> int: ...

    def value(self, x: Array) -> Any: ...

    def __hash__(self) -> int: ...


def derivative_of_value(function: Valued, components: tuple[int, ...], x: np.ndarray) -> Any:
    """By the arguments of these numbers, in turn; x (n_args,) holds floats, complex numbers or recorded scalars.

    Raises RecordingError if the value cannot be recorded.
    """
    if is_recorded(x):
        return _differentiated(function.value, components, x)
    return evaluate(_recorded(function, components), [x])[0][()]


def shape_of_value(function: Valued) -> tuple[int, ...]:
    """Of its value at any argument. Raises RecordingError if the value cannot be recorded."""
    return _recorded(function, ()).outputs[0].shape


def _differentiated(value: Callable[[Array], object], components: tuple[int, ...], x: Array) -> Any:
    if not components:
        return value(x)
    *others, last = components
    return jvp(lambda x: _differentiated(value, tuple(others), x), [x], [np.eye(len(x))[last]])[1]


@lru_cache(maxsize=4096)
def _recorded(function: Valued, components: tuple[int, ...]) -> Recording:
    x = np.full(function.argument_size, np.nan)
    return record(lambda x: _differentiated(function.value, components, x), [x], about=str(function))
