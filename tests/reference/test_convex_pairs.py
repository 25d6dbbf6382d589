"""Convex shapes compared with the numbers of data/geometry, and tests of the comparison."""

import copy
from pathlib import Path

import pytest

from tests.reference.convex_pairs import compare_convex_pair, read_convex_pairs

FOLDER = Path(__file__).parent / "data" / "geometry"
PAIRS, BOXES = read_convex_pairs(FOLDER / "convex_distances.json"), read_convex_pairs(FOLDER / "box_manifolds.json")


def test_every_pair_agrees():
    reports = [compare_convex_pair(case) for case in PAIRS + BOXES]

    assert len(reports) == 132 + 7
    assert [(each.name, each.trouble, each.worst) for each in reports if not each.ok] == []


@pytest.mark.parametrize(
    ("case", "name", "quantity"),
    [
        (PAIRS[0], "distance", "distance"),
        (PAIRS[0], "normal", "normal"),
        (PAIRS[0], "point1", "points along the normal"),
        (BOXES[1], "polygon", "corners"),
        (BOXES[1], "n_corners", "number of corners"),
    ],
    ids=["distance", "normal", "point", "corner", "corners"],
)
def test_a_number_off_by_ten_tolerances_is_found(case, name, quantity):
    case = copy.deepcopy(case)
    given = case["content"][name]
    if name == "polygon":
        given[2][0] += 1e-11
    elif name == "n_corners":
        case["content"][name] += 1
    elif isinstance(given, list):
        normal = case["content"]["normal"]
        case["content"][name] = (
            [x + 1e-4 * n for x, n in zip(given, normal, strict=True)] if name == "point1" else [given[0] + 1e-5, *given[1:]]
        )
    else:
        case["content"][name] += 1e-8
    assert quantity in [each.quantity for each in compare_convex_pair(case).compared if each.error > each.tolerance]


def test_an_unknown_shape_is_named():
    case = copy.deepcopy(PAIRS[0])
    case["content"]["shape1"] = {"kind": "torus", "radius": 1.0}
    assert compare_convex_pair(case).trouble == "not in mobod yet: a shape of kind torus"
