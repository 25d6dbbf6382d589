"""Pages of Results, and of a State."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from mobod.disk.json_values import JsonObject
from mobod.errors import InputError
from mobod.matter import MatterSubsystem
from mobod.scene import make_scene
from mobod.scene.camera import camera
from mobod.scene.placement import Placement, at_position, matter_of
from mobod.simulate import Results
from mobod.system import Stage, State, System
from mobod.version import mobod_version
from mobod.viewer.body_poses import pose_tracks
from mobod.viewer.contact_marks import contacts_of_run, contacts_of_state
from mobod.viewer.deformation import deformation_tracks, names_of_deformation
from mobod.viewer.force_arrows import arrow_sets
from mobod.viewer.frames import SHOWN_AT_FIRST, chosen_frames, series_of
from mobod.viewer.page import page
from mobod.viewer.scene_data import scene_data
from mobod.viewer.tracks import Tracks
from mobod.viewer.usual_values import usual_values
from mobod.viewer.write import check_page_name, write_page


def run_page(results: Results, *names: str, title: str | None = None) -> str:
    """The HTML of a page of a run.

    names  of the variables that are plotted at first; default: the coordinates. All states can be chosen on the page.

    Raises UnknownNameError; InputError for a System without bodies and for Results without a time; UnsupportedError.
    """
    system = results.system
    matter = seen_matter(system)
    frames = chosen_frames(results.time)
    tracks = Tracks(len(frames))
    first = next(results.states())
    system.realize(first, Stage.POSITION)
    placement = Placement.of(matter, first)
    span = f"{results.time[0]:.6g} to {results.time[-1]:.6g} s"
    R, p = _poses(results, matter, frames)
    scene = scene_of(system, first, placement, np.swapaxes(p, 0, 1))
    data = {
        "title": title or system.name,
        "subtitle": span,
        "footer": f"Made by mobod {mobod_version()}: {results.steps} steps of {results.integrator}, {len(frames)} frames from {span}.",
        **scene,
        "times": results.time[frames].tolist(),
        "poses": pose_tracks(tracks, R, p),
        "modalTracks": deformation_tracks(tracks, [results[name][frames] for name in names_of_deformation(scene)]),
        "series": _series(results, names, tracks, frames),
        "arrows": arrow_sets(results, matter, placement, tracks, frames),
        "contacts": contacts_of_run(results, matter, tracks, frames),
        "events": [{"time": event.time, "name": event.name} for event in results.events],
        "tracks": tracks.to_data(),
    }
    return page(title or system.name, data)


def animate(results: Results, path: str | PathLike[str], names: Sequence[str], title: str | None, speed: float) -> None:
    """Results.animate."""
    check_page_name(path)
    write_page(run_page(results, *names, title=title), path, speed)


def state_page(state: State, title: str | None = None) -> str:
    """The HTML of a page of a System in one State. Raises InputError for a System without bodies."""
    system: Any = state.system
    matter = seen_matter(system)
    realized = at_position(system, state)
    placement, tracks = Placement.of(matter, realized), Tracks(1)
    scene = scene_of(system, realized, placement)
    eta = [np.ravel(system.value(realized, name)) for name in names_of_deformation(scene)]
    data = {
        "title": title or system.name,
        "subtitle": f"at {realized.time:.6g} s",
        "footer": f"Made by mobod {mobod_version()}.",
        **scene,
        "modalTracks": deformation_tracks(tracks, eta),
        "times": [realized.time],
        "poses": [[*X.R.ravel().tolist(), *X.p.tolist()] for X in placement.X_GB],
        "series": [],
        "arrows": [],
        "contacts": contacts_of_state(system, matter, state, tracks),
        "events": [],
        "tracks": tracks.to_data(),
    }
    return page(title or system.name, data)


def seen_matter(system: System) -> MatterSubsystem:
    matter = matter_of(system)
    if matter is None or not matter.bodies:
        raise InputError(f"System '{system.name}' has no bodies to be seen.")
    return matter


def scene_of(system: System, state: State, placement: Placement, places: np.ndarray | None = None) -> JsonObject:
    """places: see make_scene."""
    scene = make_scene(system, state, meshes=True, places=places)
    data = scene_data(scene.to_data(), camera(scene, placement.X_GB).axes[2].tolist(), placement.center.tolist())
    return data | {"usual": usual_values(seen_matter(system), state, placement)}


def _poses(results: Results, matter: MatterSubsystem, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(bodies, frames, 3, 3) and (bodies, frames, 3): of Ground and all bodies."""
    n = len(frames)
    R = [np.broadcast_to(np.eye(3), (n, 3, 3)), *(results[f"{body.name}.R_GB"][frames].reshape(n, 3, 3) for body in matter.bodies)]
    p = [np.zeros((n, 3)), *(results[f"{body.name}.p_GB"][frames] for body in matter.bodies)]
    return np.array(R), np.array(p)


def _series(results: Results, names: Sequence[str], tracks: Tracks, frames: np.ndarray) -> list[JsonObject]:
    system, state, q = results.system, results.final_state, results.final_state.layout.q
    states = [each for each in system.variables(state) if each.role == "state"]
    coordinates = [each for each in states if q.offset <= each.slot.offset < q.offset + q.size]
    shown = [system.variable(state, name) for name in names] or coordinates
    added = [each.name for each in shown if each.array not in states]
    table = results.table(*dict.fromkeys([*added, *(each.name for each in states)]))
    return series_of(table, [each.name for each in shown], tracks, frames, None if names else SHOWN_AT_FIRST)
