"""Forces and reactions of a run as arrows of a page."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mobod.contact.contact_force import ContactForce
from mobod.forces import ForceSubsystem
from mobod.forces.force import Force
from mobod.forces.gravity import Gravity
from mobod.forces.two_point import TwoPointForce
from mobod.forces.uniform_gravity import UniformGravity
from mobod.matter import MatterSubsystem
from mobod.scene.placement import Placement
from mobod.simulate import Results
from mobod.system import Stage, State
from mobod.viewer.tracks import Tracks

MOST_BODIES = 40
"""In a larger System only the forces that are asked for have arrows."""


def arrow_sets(results: Results, matter: MatterSubsystem, placement: Placement, tracks: Tracks, frames: np.ndarray) -> list[dict[str, Any]]:
    """The reactions of the mobilizers, and each force but gravity and contacts, as sets of arrows that a page may show."""
    if matter.n_bodies > MOST_BODIES:
        return []
    forces = [
        force
        for subsystem in results.system.subsystems
        if isinstance(subsystem, ForceSubsystem)
        for force in subsystem.elements
        if not isinstance(force, (Gravity, UniformGravity, ContactForce))
    ]
    return [*_reactions(results, matter, placement, tracks, frames), *_forces(results, matter, placement, forces, tracks, frames)]


def _reactions(results: Results, matter: MatterSubsystem, placement: Placement, tracks: Tracks, frames: np.ndarray) -> list[dict[str, Any]]:
    arrows = []
    for body in matter.bodies:
        R, p = (results[f"{body.name}.{name}"][frames] for name in ("R_GB", "p_GB"))
        point = p + R.reshape(-1, 3, 3) @ placement.joint(body.index)
        arrows.append((body.index, point, results[f"{body.name}.reaction"][frames, 3:]))
    made = _set("reaction", "Reactions at joints", arrows, tracks)
    return [] if made is None else [made]


def _forces(
    results: Results, matter: MatterSubsystem, placement: Placement, forces: Sequence[Force], tracks: Tracks, frames: np.ndarray
) -> list[dict[str, Any]]:
    """The force of each element on each body: at its station, if it acts between two points, else at the mass center."""
    if not forces:
        return []
    wanted = set(frames.tolist())
    shape = len(forces), matter.n_bodies, len(frames), 3
    points, vectors = np.zeros(shape), np.zeros(shape)
    shown = (each for number, each in enumerate(results.states()) if number in wanted)
    for at, state in enumerate(shown):
        results.system.realize(state, Stage.DYNAMICS)
        X_GB = Placement.of(matter, state).X_GB
        for row, force in enumerate(forces):
            vectors[row, :, at] = np.asarray(force.calc_force_contribution(state)[0])[:, 3:]
            for body, station in enumerate(_stations(force, state, placement)):
                points[row, body, at] = X_GB[body].apply(station)
    sets = []
    for row, force in enumerate(forces):
        arrows = [(body.index, points[row, body.index], vectors[row, body.index]) for body in matter.bodies]
        sets.append(_set("force", f"Force {force.name}", arrows, tracks))
    return [each for each in sets if each is not None]


def _stations(force: Force, state: State, placement: Placement) -> list[np.ndarray]:
    """For each body where the force is drawn, in the body's frame."""
    stations = list(placement.center)
    if isinstance(force, TwoPointForce):
        stations[force.body1.index], stations[force.body2.index] = np.asarray(force.station1(state)), np.asarray(force.station2(state))
    return stations


def _set(kind: str, label: str, arrows: Sequence[tuple[int, np.ndarray, np.ndarray]], tracks: Tracks) -> dict[str, Any] | None:
    """A set for the JSON; None if all its vectors are zero, or none is finite."""
    drawn = [each for each in arrows if np.nan_to_num(each[2]).any()]
    if not drawn:
        return None
    return {
        "kind": kind,
        "label": label,
        "unit": "N",
        "arrows": [{"body": body, "tracks": [*tracks.add(point), *tracks.add(vector)]} for body, point, vector in drawn],
    }
