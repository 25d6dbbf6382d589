"""Compare distances between shapes of a `distances.json` with mobod's."""

import json
from pathlib import Path
from typing import Any

import numpy as np

import mobod as mb
from mobod.contact import Box, Capsule, Circle, ContactShape, ConvexMesh, Cylinder, Ellipsoid, HalfSpace, Sphere, Torus
from tests.reference.artisynth_runs import difference
from tests.reference.cases import Comparison, Report
from tests.reference.models import CannotBuildError, check_keys
from tests.reference.moving_shapes import DISTANCE, NORMAL, POINT, MovingShapes

TOLERANCE = 1e-10  # of the largest entry, or of 1
OF_DIFFERENCES = 1e-8  # of second derivatives from those found by differences
STEP = 1e-4  # s
PLACED = frozenset({"shape1", "X_G1", "shape2", "X_G2", "distance", "normal"})
OF_A_PAIR = PLACED | {"V_G1", "V_G2", "point1", "point2", "distance_rate"}
SHAPES = {
    "half_space": HalfSpace,
    "sphere": Sphere,
    "capsule": Capsule,
    "cylinder": Cylinder,
    "box": Box,
    "ellipsoid": Ellipsoid,
    "circle": Circle,
    "torus": Torus,
    "convex": ConvexMesh.hull_of,  # some meshes of the file have points inside
}


def read_distances(path: Path) -> list[dict[str, Any]] | None:
    """The placements of a file, each with a name; None if the file has other content."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or not content.keys() & {"pairs", "singular"} or content.keys() - {"pairs", "singular"}:
        return None
    named = [(f"{pair}[{i}]", each) for pair, placements in content.get("pairs", {}).items() for i, each in enumerate(placements)]
    named += [(f"singular[{i}]: {each['what']}", each) for i, each in enumerate(content.get("singular", []))]
    return [{"name": name, "content": each} for name, each in named]


def compare_placement(case: dict[str, Any]) -> Report:
    report, content = Report(case["name"]), case["content"]
    try:
        if "what" in content:
            check_keys(content, PLACED, "a singular placement", frozenset({"what", "all_nearest_points_of_2"}))
            quantities = of_singular(content)
        else:
            check_keys(content, OF_A_PAIR, "a placement")
            quantities = of_regular(content)
        report.compared += [Comparison(name, difference(found, expected), most) for name, (found, expected, most) in quantities.items()]
    except CannotBuildError as error:
        report.trouble = f"not in mobod yet: {error}"
    except mb.MobodError as error:
        report.trouble = f"{type(error).__name__}: {error}"
    return report


def of_regular(content: dict[str, Any]) -> dict[str, tuple[Any, Any, float]]:
    moving = moving_shapes(content)
    values, rates, second = moving.at(0.0)
    k = nearest(values)
    d, n, p = values[k, DISTANCE], values[k, NORMAL], values[k, POINT]
    found = {"distance": d, "normal": n, "point1": p - d / 2 * n, "point2": p + d / 2 * n, "distance_rate": rates[k, DISTANCE]}
    quantities: dict[str, tuple[Any, Any, float]] = {name: (each, content[name], TOLERANCE) for name, each in found.items()}
    return quantities | {"second derivative": (second[k, DISTANCE], by_differences(moving, 1)[k, DISTANCE], OF_DIFFERENCES)}


def of_singular(content: dict[str, Any]) -> dict[str, tuple[Any, Any, float]]:
    spinning = np.array([0.3, -0.5, 0.7, 0.2, 0.4, -0.1])
    numbers = moving_shapes(content | {"V_G1": spinning, "V_G2": -2 * spinning}).at(0.0)
    k = nearest(numbers[0])
    quantities: dict[str, tuple[Any, Any, float]] = {
        "distance": (numbers[0, k, DISTANCE], content["distance"], TOLERANCE),
        "numbers that are not finite": (np.sum(~np.isfinite(numbers)), 0, TOLERANCE),
    }
    if content["normal"] is not None:
        quantities["normal"] = (numbers[0, k, NORMAL], content["normal"], TOLERANCE)
    return quantities


def by_differences(moving: MovingShapes, order: int) -> np.ndarray:
    """(n, 14): the derivative of those of an order, by central differences of the fourth order."""
    near, far = (moving.at(step)[order] - moving.at(-step)[order] for step in (STEP, 2 * STEP))
    return np.asarray((8 * near - far) / (12 * STEP))


def nearest(values: np.ndarray) -> int:
    return int(values[:, DISTANCE].argmin())


def moving_shapes(content: dict[str, Any]) -> MovingShapes:
    shapes = [shape_of(content[key]) for key in ("shape1", "shape2")]
    poses = [mb.Transform(content[key]["R"], content[key]["p"]) for key in ("X_G1", "X_G2")]
    V1, V2 = (np.ravel(content[key]) for key in ("V_G1", "V_G2"))
    return MovingShapes(shapes[0], poses[0], V1, shapes[1], poses[1], V2)


def shape_of(description: dict[str, Any]) -> ContactShape:
    sizes = {key: value for key, value in description.items() if key != "type"}
    shape = SHAPES.get(description["type"])
    if shape is None:
        raise CannotBuildError(f"a shape of type {description['type']}")
    return shape(*sizes.values()) if shape == ConvexMesh.hull_of else shape(**sizes)
