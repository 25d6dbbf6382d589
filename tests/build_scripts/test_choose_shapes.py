"""The shapes of trees that are instructions of bytecode are well chosen for the current elements and benchmark."""

import pytest

from build_scripts.choose_shapes import benchmark, elements, per_group, ratios, with_all_shapes, with_shapes
from mobod.scalar.shapes import SHAPES


@pytest.mark.slow
def test_few_shapes_are_nearly_as_good_as_all():
    counted = [*elements(), *benchmark()]

    more = ratios(with_shapes(counted, SHAPES), per_group(with_all_shapes(counted)))

    # when this fails: build_scripts/choose_shapes.py --write, then generate_interpreter.py
    assert len(SHAPES) <= 100
    assert all(1.0 <= ratio < 1.15 for ratio in more.values()), more
    assert len(more) == 7
