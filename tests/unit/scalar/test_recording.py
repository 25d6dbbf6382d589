"""Recordings: their content, and the functions that cannot be recorded."""

import numpy as np
import pytest

from mobod.errors import RecordingError
from mobod.scalar import Expr
from mobod.scalar.evaluation import evaluate
from mobod.scalar.recording import record


def test_structural_values_are_constant_and_others_open():
    pattern = np.array([[1.0, np.nan], [0.0, np.nan]])

    recording = record(lambda A: A @ A, [pattern], about="square")

    is_open = [[entry.value is None for entry in row] for row in recording.outputs[0]]
    assert is_open == [[False, True], [False, True]]
    assert recording.outputs[0][0, 0].value == 1.0


def test_a_scalar_argument_can_be_compared():
    recording = record(lambda x: x > 2.0, [np.full((), np.nan)], about="comparison")

    assert [float(evaluate(recording, [np.array(value)])[0]) for value in (1.9, 2.1)] == [0.0, 1.0]


def test_removed_outputs_are_not_needed():
    def function(x):
        _ = np.exp(x)
        return x[0] * x[1]

    recording = record(function, [np.full(3, np.nan)], about="product")

    assert [recording.tape.entries[number][0] for number in recording.needed] == ["symbol", "symbol", "multiply"]


def test_dependencies_are_found_for_each_entry():
    recording = record(lambda x, y: (x * y[0], np.array([y[1], 2.0])), [np.full(2, np.nan), np.full(2, np.nan)], about="dependencies")

    assert recording.dependencies == [
        [frozenset({(0, 0), (1, 0)}), frozenset({(0, 1), (1, 0)})],
        [frozenset({(1, 1)}), frozenset()],
    ]


def test_omitted_outputs_are_empty_and_cost_nothing():
    recording = record(lambda x: (np.sin(x), np.exp(x)), [np.full(2, np.nan)], about="two").with_outputs([1])

    first, second = evaluate(recording, [np.array([0.3, -0.4])])

    assert first.shape == (0,)
    assert second.tolist() == np.exp([0.3, -0.4]).tolist()
    assert "sin" not in {recording.tape.entries[number][0] for number in recording.needed}


def test_arguments_cannot_be_written_to():
    def function(x):
        x += 1.0
        return x

    with pytest.raises(ValueError, match="read-only"):
        record(function, [np.full(2, np.nan)], about="in place")


def test_a_value_kept_from_an_earlier_recording_is_refused():
    kept = []

    def function(x):
        kept.append(x)
        return kept[0]

    record(function, [np.full(2, np.nan)], about="force 'a'")

    with pytest.raises(RecordingError, match="a value recorded in force 'a' is used here"):
        record(function, [np.full(2, np.nan)], about="force 'b'")


def test_plain_results_are_constants():
    recording = record(lambda x: (np.eye(2), 3), [np.full(1, np.nan)], about="constants")

    assert [[entry.value for entry in row] for row in recording.outputs[0]] == [[1.0, 0.0], [0.0, 1.0]]
    assert recording.outputs[1].shape == ()
    assert isinstance(recording.outputs[1].item(), Expr)


def test_complex_numbers_go_through_a_recording():
    step = 1e-30
    recording = record(lambda x: np.exp(x[0]) * np.tanh(x[1]) / x[0], [np.full(2, np.nan)], about="complex")

    (result,) = evaluate(recording, [np.array([0.4 + 1j * step, 0.9])])

    x, y = 0.4, 0.9
    assert result.imag / step == pytest.approx(np.exp(x) * np.tanh(y) * (x - 1) / x**2, rel=1e-14)  # a few rounding errors
