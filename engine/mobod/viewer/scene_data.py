"""What a page gets of a scene."""

from collections.abc import Mapping, Sequence
from typing import Any


def scene_data(scene: Mapping[str, Any], towards: Sequence[float], centers: Sequence[Sequence[float]]) -> dict[str, Any]:
    """The scene without the programs of its joints.

    scene    the content of scene.json
    towards  from the mechanism to the viewer, in Ground
    centers  the mass center of each body, in its frame
    """
    bodies = [{key: body[key] for key in ("name", "shapes") if key in body} for body in scene["bodies"]]
    connections = scene.get("connections", [])
    return {"scene": {"up": scene["up"], "bodies": bodies, "connections": connections}, "towards": towards, "centers": centers}
