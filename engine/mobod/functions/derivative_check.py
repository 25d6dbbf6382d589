"""The derivatives that a function gives, against those that its value has."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, Protocol

import numpy as np

from mobod.errors import InputError, RecordingError
from mobod.functions.derivative import Valued, derivative_of_value

_EXACT_RTOL = 1e-8  # rounding errors of formulas that differ
_DIFFERENCES_RTOL = 1e-4  # what central differences leave out, with room
_ATOL = 1e-9  # of the next lower derivative: its rounding errors, by the step


class Differentiable(Valued, Protocol):
    """A function that gives derivatives too; see Function."""

    def derivative(self, components: Sequence[int], x: Any) -> Any: ...


def compare_derivatives(function: Differentiable, x: np.ndarray, order: int, step: float) -> None:
    """See Function.check_derivatives."""
    lower = np.abs(function.value(x)).max(initial=0.0)
    for n in range(1, order + 1):
        each = list(combinations_with_replacement(range(len(x)), n))
        given = {components: np.asarray(function.derivative(components, x)) for components in each}
        size = max(np.abs(value).max(initial=0.0) for value in given.values())
        for components, value in given.items():
            for expected, rtol, how in (
                (_exact(function, components, x), _EXACT_RTOL, "by differentiating the value"),
                (_by_differences(function, components, x, step), _DIFFERENCES_RTOL, "by finite differences"),
            ):
                if expected is None:
                    continue
                tolerance = rtol * max(size, np.abs(expected).max(initial=0.0)) + _ATOL * lower
                if value.shape != expected.shape or not np.all(np.abs(value - expected) <= tolerance):
                    raise InputError(
                        f"{function}: derivative({components}, x) at x = {x.tolist()} is {value.tolist()}, but {how} it is "
                        f"{expected.tolist()}. Correct it, or leave `derivative` out: then it is made from the value."
                    )
        lower = size


def _exact(function: Differentiable, components: tuple[int, ...], x: np.ndarray) -> np.ndarray | None:
    """None if the value cannot be recorded: the reason why somebody wrote the derivatives."""
    try:
        return np.asarray(derivative_of_value(function, components, x))
    except RecordingError:
        return None


def _by_differences(function: Differentiable, components: tuple[int, ...], x: np.ndarray, step: float) -> np.ndarray:
    """Central ones, of the derivative that is one order lower, or of the value."""
    *others, last = components
    along = step * np.eye(len(x))[last]
    ahead, behind = (function.derivative(others, at) if others else function.value(at) for at in (x + along, x - along))
    return np.asarray((np.asarray(ahead) - behind) / (2 * step))
