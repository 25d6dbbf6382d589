"""Forces and reactions of a run as arrows of a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.contact.contact_force import ContactForce
from mobod.disk.json_values import JsonObject
from mobod.forces import Force, Gravity, UniformGravity
from mobod.forces.subsystem import forces_of
from mobod.forces.two_point import TwoPointForce
from mobod.matter import MatterSubsystem
from mobod.scene.placement import Placement, at_position
from mobod.simulate import Results
from mobod.system import Stage, State
from mobod.viewer.contact_marks import weight_of
from mobod.viewer.tracks import Tracks
from mobod.viewer.usual_values import ROUND_OFF

MOST_BODIES = 40
"""In a larger System only the forces that are asked for have arrows."""


def arrow_sets(results: Results, matter: MatterSubsystem, placement: Placement, tracks: Tracks, frames: np.ndarray) -> list[JsonObject]:
    """The reactions of the mobilizers, and each force but gravity and contacts, as sets of arrows that a page may show."""
    if matter.n_bodies > MOST_BODIES:
        return []
    forces = [force for force in forces_of(results.system) if not isinstance(force, (Gravity, UniformGravity, ContactForce))]
    sets = [_reactions(results, matter, placement, frames), *_forces(results, matter, placement, forces, frames)]
    greatest = max((_greatest(vector) for each in sets for _, _, vector in each.arrows), default=0.0)
    least = ROUND_OFF * max(greatest, weight_of(matter, at_position(results.system, results.final_state)))
    return [made for each in sets if (made := each.to_data(least, tracks)) is not None]


@final
@dataclass(frozen=True)
class _Set:
    """arrows: the number of a body, points (frames, 3) m and vectors (frames, 3) N, in Ground"""

    kind: str
    label: str
    arrows: list[tuple[int, np.ndarray, np.ndarray]]

    def to_data(self, least: float, tracks: Tracks) -> JsonObject | None:
        """For the JSON, without arrows that never exceed `least`, N; None if there are no others."""
        drawn = [each for each in self.arrows if _greatest(each[2]) > least]
        if not drawn:
            return None
        arrows: list[JsonObject] = [{"body": body, "tracks": [*tracks.add(point), *tracks.add(vector)]} for body, point, vector in drawn]
        return {"kind": self.kind, "label": self.label, "unit": "N", "arrows": arrows}


def _greatest(vector: np.ndarray) -> float:
    """N, of the finite vectors (frames, 3)."""
    sizes = np.linalg.norm(vector, axis=1)
    return float(sizes[np.isfinite(sizes)].max(initial=0.0))


def _reactions(results: Results, matter: MatterSubsystem, placement: Placement, frames: np.ndarray) -> _Set:
    arrows = []
    for body in matter.bodies:
        R, p = (results[f"{body.name}.{name}"][frames] for name in ("R_GB", "p_GB"))
        point = p + R.reshape(-1, 3, 3) @ placement.joint(body.index)
        arrows.append((body.index, point, results[f"{body.name}.reaction"][frames, 3:]))
    return _Set("reaction", "Reactions at joints", arrows)


def _forces(results: Results, matter: MatterSubsystem, placement: Placement, forces: Sequence[Force], frames: np.ndarray) -> list[_Set]:
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
        sets.append(_Set("force", f"Force {force.name}", arrows))
    return sets


def _stations(force: Force, state: State, placement: Placement) -> list[np.ndarray]:
    """For each body where the force is drawn, in the body's frame."""
    stations = list(placement.center)
    if isinstance(force, TwoPointForce):
        stations[force.body1.index], stations[force.body2.index] = np.asarray(force.station1(state)), np.asarray(force.station2(state))
    return stations
