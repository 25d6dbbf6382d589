"""What a page gets of a scene."""

import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def scene_data(scene: Mapping[str, Any], towards: Sequence[float], centers: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The scene without the programs of its joints, with packed meshes.

    scene    the content of scene.json
    towards  from the mechanism to the viewer, in Ground
    centers  the mass center of each body, in its frame
    """
    bodies = [
        {"name": body["name"], **({"shapes": [_packed_mesh(each) for each in body["shapes"]]} if "shapes" in body else {})}
        for body in scene["bodies"]
    ]
    return {
        "scene": {key: scene[key] for key in ("up", "floor") if key in scene}
        | {"bodies": bodies, "connections": scene.get("connections", [])},
        "towards": towards,
        "centers": centers,
    }


def _packed_mesh(shape: Mapping[str, Any]) -> Mapping[str, Any]:
    """A mesh with its vertices and faces as 32-bit numbers, deflated, in base64; meshes.js unpacks them. Other shapes are as they were."""
    if shape["type"] != "Mesh":
        return shape
    return {**shape, "vertices": _deflated(np.array(shape["vertices"], "<f4")), "faces": _deflated(np.array(shape["faces"], "<u4"))}


def _deflated(numbers: np.ndarray) -> str:
    return b64encode(zlib.compress(numbers.tobytes(), 9)).decode()
