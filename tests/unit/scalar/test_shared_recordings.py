"""Equal recordings are one object, so that programs and derivatives are made once."""

import numpy as np
import pytest

from mobod.scalar.recording import kept_by_first, record, shared

OPEN = np.full(2, np.nan)


def recorded(function, *arguments, about="a function"):
    return record(function, arguments, about=about)


def weighted(x):
    return 2.0 * x[0] + np.sin(x[1]), x[1]


def test_equal_operations_on_equal_arrays_are_one_recording():
    first = shared(recorded(weighted, OPEN))
    assert shared(recorded(lambda x: (2.0 * x[0] + np.sin(x[1]), x[1]), OPEN, about="another function")) is first


@pytest.mark.parametrize(
    "other",
    [
        recorded(lambda x: (3.0 * x[0] + np.sin(x[1]), x[1]), OPEN),  # another number
        recorded(lambda x: (2.0 * x[0] + np.cos(x[1]), x[1]), OPEN),  # another operation
        recorded(lambda x: (2.0 * x[0] + np.sin(x[1]), x[0]), OPEN),  # another result
        recorded(weighted, np.array([np.nan, 0.5])),  # a number that the structure fixes
        recorded(lambda x, _: weighted(x), OPEN, OPEN[:1]),  # another array
    ],
)
def test_other_recordings_stay_apart(other):
    first = shared(recorded(weighted, OPEN))
    assert shared(other) is other is not first


def test_the_sign_of_a_constant_zero_counts():
    first = shared(recorded(lambda x: np.array([x[0], 0.0]), OPEN))
    assert shared(recorded(lambda x: np.array([x[0], -0.0]), OPEN)) is not first


def test_what_is_kept_by_a_recording_is_made_once():
    made = []

    @kept_by_first
    def size(recording, factor):
        made.append(factor)
        return factor * len(recording.needed)

    first, equal = shared(recorded(weighted, OPEN)), shared(recorded(weighted, OPEN))
    assert size(first, 2) == size(equal, 2)
    assert made == [2]
