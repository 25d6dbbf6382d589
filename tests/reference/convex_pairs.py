"""Compare distances and contact points of convex shapes with those of `convex_distances.json` and `box_manifolds.json`."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.native.convex_shapes import Pose, Shape, Shapes, compiled
from tests.native.convex_supports import separation
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError, check_keys

OF_DISTANCE = 1e-9  # m
OF_NORMAL = 1e-6  # a search finds half of the digits, where f is smooth
OF_POINT = 1e-5  # m
OF_POLYGON = 1e-12  # m
PROVEN = 1e-13  # m: a distance that its own normal has by the support functions
PLACED = frozenset({"X_G1", "X_G2", "normal"})
OF_A_PAIR = PLACED | {"pair", "case", "shape1", "shape2", "distance", "point1", "point2", "certificate"}
BESIDES = frozenset({"points_defined", "points_trusted_to"})
OF_BOXES = PLACED | {"half_lengths1", "half_lengths2", "n_corners", "area", "polygon"}
NUMBERS = {
    "box": ("half_lengths",),
    "ball": ("radius",),
    "ellipsoid": ("radii",),
    "capsule": ("radius", "half_length"),
    "cylinder": ("radius", "half_length"),
    "cone": ("radius", "half_length"),
}


def read_convex_pairs(path: Path) -> list[dict[str, Any]] | None:
    """The pairs of a file, each with a name; None if the file has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if (
        not isinstance(content, list)
        or not content
        or not isinstance(content[0], dict)
        or not content[0].keys() & {"certificate", "polygon"}
    ):
        return None
    names = [f"{each['pair']} {each['case']}" if "pair" in each else "boxes" for each in content]
    return [
        {"name": f"{name}[{names[:i].count(name)}]", "content": each} for i, (name, each) in enumerate(zip(names, content, strict=True))
    ]


def compare_convex_pair(case: dict[str, Any]) -> Report:
    report, content = Report(case["name"]), case["content"]
    try:
        report.compared += _of_boxes(content) if "polygon" in content else _of_pair(content)
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    return report


@cache
def _shapes() -> Shapes:
    return compiled()


def _of_pair(content: dict[str, Any]) -> list[Comparison]:
    check_keys(content, OF_A_PAIR, "a pair", BESIDES)
    pair = _shape(content["shape1"]), _pose(content["X_G1"]), _shape(content["shape2"]), _pose(content["X_G2"])
    d, n, points = _shapes().nearest(*pair)
    own, given = float(separation(*pair, n)), content["distance"]
    if own > given + PROVEN and abs(own - d) < PROVEN:
        # along n the shapes are farther apart than the distance of the file, which is therefore too small
        return [Comparison("distance", 0.0, OF_DISTANCE)]
    expected = np.array([content["point1"], content["point2"]])
    compared = [
        Comparison("distance", abs(d - given), OF_DISTANCE),
        Comparison("normal", np.abs(n - content["normal"]).max(), OF_NORMAL),
        Comparison("points along the normal", np.abs((points - expected) @ n).max(), OF_POINT),
    ]
    # the points of overlapping shapes are not unique where a face or an edge of one is normal to n
    if content.get("points_defined", True) and content["case"] != "deep":
        compared.append(Comparison("points", np.abs(points - expected).max(), OF_POINT))
    return compared


def _of_boxes(content: dict[str, Any]) -> list[Comparison]:
    check_keys(content, OF_BOXES, "two boxes")
    box1, box2 = (Shape("box", tuple(content[f"half_lengths{i}"])) for i in (1, 2))
    X1, X2 = _pose(content["X_G1"]), _pose(content["X_G2"])
    found = _shapes().points(box1, X1, box2, X2, reach=1e-6)
    assert found is not None
    corners, polygon = np.array([X2(point.b) for point in found.points]), np.array(content["polygon"])
    apart = np.abs(corners[:, None] - polygon[None]).max(axis=2)
    return [
        Comparison("number of corners", abs(len(corners) - content["n_corners"]), 0.5),
        Comparison("corners", max(apart.min(axis=0).max(), apart.min(axis=1).max()), OF_POLYGON),
        Comparison("normal", np.abs(found.normal - content["normal"]).max(), OF_POLYGON),
        Comparison("distances", max(abs(point.d) for point in found.points), OF_POLYGON),
    ]


def _shape(given: dict[str, Any]) -> Shape:
    kind = given["kind"]
    if kind == "hull":
        check_keys(given, frozenset({"kind", "vertices"}), "a hull")
        return Shape("hull", (), np.array(given["vertices"], dtype=float))
    if kind not in NUMBERS:
        raise CannotBuildError(f"a shape of kind {kind}")
    check_keys(given, frozenset({"kind", *NUMBERS[kind]}), f"a {kind}")
    return Shape(kind, tuple(float(number) for name in NUMBERS[kind] for number in np.ravel(given[name])))


def _pose(given: dict[str, Any]) -> Pose:
    return Pose(np.array(given["R"], dtype=float), np.array(given["p"], dtype=float))
