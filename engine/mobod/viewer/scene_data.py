"""What a page gets of a scene."""

import zlib
from base64 import b64encode
from collections.abc import Sequence

import numpy as np

from mobod.disk.json_values import JsonObject
from mobod.scene.modal_mesh import modal_coordinates
from mobod.scene.scene_json import SceneData


def scene_data(scene: SceneData, towards: Sequence[float], centers: Sequence[Sequence[float]]) -> JsonObject:
    """The scene without the programs of its joints, with packed meshes.

    scene    the content of scene.json
    towards  from the mechanism to the viewer, in Ground
    centers  the mass center of each body, in its frame
    """
    bodies: list[JsonObject] = [
        {"name": body["name"], **({"shapes": [_packed_mesh(each) for each in body["shapes"]]} if "shapes" in body else {})}
        for body in scene["bodies"]
    ]
    return {
        "modal": [
            each["variable"] if "entry" not in each else f"{each['variable']}[{each['entry'] + 1}]" for each in modal_coordinates(scene)
        ],
        "scene": {
            "up": scene["up"],
            **({"floor": scene["floor"]} if "floor" in scene else {}),
            "bodies": bodies,
            "connections": scene.get("connections", []),
        },
        "towards": towards,
        "centers": centers,
    }


def _packed_mesh(shape: JsonObject) -> JsonObject:
    """A mesh with its vertices and faces as 32-bit numbers, deflated, in base64; meshes.js unpacks them. Other shapes are as they were."""
    if shape["type"] not in ("Mesh", "ModalMesh"):
        return shape
    shapes = {"shapes": _deflated(np.array(shape["shapes"], "<f4"))} if "shapes" in shape else {}
    mesh = {"vertices": _deflated(np.array(shape["vertices"], "<f4")), "faces": _deflated(np.array(shape["faces"], "<u4"))}
    return {**shape, **mesh, **shapes}


def _deflated(numbers: np.ndarray) -> str:
    return b64encode(zlib.compress(numbers.tobytes(), 9)).decode()
