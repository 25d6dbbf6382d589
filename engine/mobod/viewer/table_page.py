"""The page of a result file: of an FMU of mobod with its mechanism, of other FMUs with plots alone."""

import json
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from mobod.disk.json_values import JsonObject
from mobod.errors import InputError
from mobod.scene.modal_mesh import modal_coordinates
from mobod.scene.poses import coordinate_over_time, poses_over_time
from mobod.scene.scene import FORMAT, VERSION
from mobod.scene.scene_json import BodyData, SceneData
from mobod.simulate.table import Table
from mobod.version import mobod_version
from mobod.viewer.body_poses import pose_tracks
from mobod.viewer.deformation import deformation_tracks
from mobod.viewer.frames import SHOWN_AT_FIRST, chosen_frames, series_of
from mobod.viewer.page import page
from mobod.viewer.scene_data import scene_data
from mobod.viewer.tracks import Tracks


def table_page(table: Table, scene: SceneData | None, names: Sequence[str] = (), title: str = "run") -> str:
    """The HTML of a page of a Table.

    scene  the content of the FMU's scene.json; None: plots alone
    names  of the columns that are plotted at first; default: the first ones

    Raises UnknownNameError; InputError for a Table without rows; UnsupportedError.
    """
    frames = chosen_frames(table.time)
    tracks = Tracks(len(frames))
    known = set(table)
    used = [] if scene is None else scene_variables(scene)
    if used and known.isdisjoint(used):
        raise InputError(
            f"the results have none of the coordinates of the bodies, such as '{used[0]}', so that nothing would move. "
            f"Record them: --output {used[0]}"
        )
    data: JsonObject = {"scene": None, "towards": [0, 0, 1], "centers": [], "poses": [], "modalTracks": []}
    if scene is not None:
        values = {name: table[name][frames] for name in known if name in _arguments(scene["bodies"])}
        data = scene_data(scene, _towards(scene), [[0.0, 0.0, 0.0]] * len(scene["bodies"]))
        data["poses"] = pose_tracks(tracks, *poses_over_time(scene, values, len(frames)))
        data["modalTracks"] = deformation_tracks(
            tracks, [coordinate_over_time(each, values, len(frames)) for each in modal_coordinates(scene)]
        )
    columns = [each.name for each in table.flat(names) if not (each.is_text or each.is_parameter)]
    span = f"{table.time[0]:.6g} to {table.time[-1]:.6g} s"
    data |= {
        "title": title,
        "subtitle": span,
        "footer": f"Made by mobod {mobod_version()}: {len(frames)} frames from {span}.",
        "times": table.time[frames].tolist(),
        "series": series_of(table, columns, tracks, frames, None if names else SHOWN_AT_FIRST),
        "arrows": [],
        "events": [],
        "tracks": tracks.to_data(),
    }
    return page(title, data)


def fmu_scene(content: Callable[[str], bytes | None]) -> SceneData | None:
    """The scene of an FMU; None if it has none. content: of the files of its archive. Raises InputError for one of another version."""
    text = content("extra/org.mobod/scene.json")
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not (isinstance(found, dict) and found.get("format") == FORMAT and found.get("version") == VERSION and found.get("bodies")):
        raise InputError(f"the scene of the FMU is not a '{FORMAT}' of version {VERSION}: the FMU comes from another version of mobod.")
    return cast(SceneData, found)


def scene_variables(scene: SceneData) -> list[str]:
    """The names of the coordinates of the bodies, each once."""
    return list(dict.fromkeys(each["variable"] for body in scene["bodies"] for each in body.get("q", ())))


def _arguments(bodies: Sequence[BodyData]) -> set[str]:
    return {each["variable"] for body in bodies for each in (*body.get("q", ()), *body.get("parameters", ()))}


def _towards(scene: SceneData) -> list[float]:
    """From the front, the right and above."""
    up = np.array(scene["up"], dtype=float)
    front = np.array([0.0, 0.0, 1.0]) if abs(up[2]) < 0.9 else np.array([0.0, -1.0, 0.0])
    towards: list[float] = (front + 0.62 * np.cross(up, front) + 0.48 * up).tolist()
    return towards
