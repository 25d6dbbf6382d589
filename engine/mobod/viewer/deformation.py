"""The coordinates that deform the bodies of a page."""

from typing import cast

import numpy as np

from mobod.disk.json_values import JsonObject, JsonValue
from mobod.viewer.tracks import Tracks


def deformation_tracks(tracks: Tracks, coordinates: list[np.ndarray]) -> list[JsonValue]:
    """The numbers of the tracks of modal coordinates, each (frames,)."""
    return [tracks.add(each)[0] for each in coordinates]


def names_of_deformation(scene: JsonObject) -> list[str]:
    """The names of the modal coordinates that a page's scene needs, of scene_data."""
    return cast(list[str], scene["modal"])
