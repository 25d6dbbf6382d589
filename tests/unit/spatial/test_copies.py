"""Copies of immutable objects."""

import copy

import pytest

from mobod.spatial import Inertia, MassProperties, Transform


@pytest.mark.parametrize(
    ("value", "arrays"),
    [
        (Transform(p=[1.0, 2.0, 3.0]), ["R", "p"]),
        (MassProperties.point(1.5, [0.1, 0.2, 0.3]), ["com"]),
        (Inertia.sphere(mass=1.5, radius=0.2), ["matrix", "com"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_deep_copy_stays_immutable(value, arrays):
    copied = copy.deepcopy([value])[0]
    for name in arrays:
        with pytest.raises(ValueError, match="read-only"):
            getattr(copied, name)[:] = 0.0
