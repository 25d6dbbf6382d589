"""Pieces of a run in C: their length, and that results do not depend on it."""

import pytest
from numpy.testing import assert_array_equal

from mobod import measures
from mobod.simulate import pieces
from tests.unit.simulate.test_called_back import run, swinging, with_handlers


@pytest.mark.slow
@pytest.mark.parametrize("most_steps", [1, 3])
def test_the_division_of_a_run_into_pieces_changes_nothing(monkeypatch, most_steps):
    def ends():
        for system, state in (with_handlers(True), swinging(True, [])):
            late = measures.Delay(system, measures.Sinusoid(system, 2.0, 3.0), 0.5)
            fresh = system.realize_topology()
            fresh.y = state.y
            yield run(system, fresh, 1.5), late

    expected = [results.y for results, _ in ends()]
    monkeypatch.setattr(pieces, "MOST_STEPS", most_steps)
    for (results, _), y in zip(ends(), expected, strict=True):
        assert_array_equal(results.y, y)


def test_the_length_of_a_piece_adapts_to_the_last_one():
    piece = pieces.Pieces()
    assert piece.n_steps == pieces.FIRST_STEPS
    piece.adapt(8, 1e-6)
    assert piece.n_steps == 64  # at most 8 times the last one
    piece.adapt(64, 2 * pieces.SECONDS)
    assert piece.n_steps == 32
    piece.adapt(32, 1.0)
    assert piece.n_steps == 1
    piece.adapt(10_000, 1e-3)
    assert piece.n_steps == pieces.MOST_STEPS
