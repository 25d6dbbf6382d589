"""Forces and reactions of a run as arrows of a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from mobod.contact.contact_force import ContactForce
from mobod.disk.json_values import JsonObject
from mobod.forces import ConstantTorque, Force, Gravity, SiteServo, UniformGravity
from mobod.forces.subsystem import forces_of
from mobod.forces.two_point.stations import TwoPointForce
from mobod.matter import MatterSubsystem
from mobod.scene.default_shapes import size_of_mechanism
from mobod.scene.placement import Placement, at_position
from mobod.simulate import Results
from mobod.system import Stage, State
from mobod.viewer.contact_marks import weight_of
from mobod.viewer.forces_at_joints import lines_of_joints
from mobod.viewer.tracks import Tracks
from mobod.viewer.usual_values import ROUND_OFF

MOST_BODIES = 40
"""In a larger System only the forces that are asked for have arrows."""


def arrow_sets(results: Results, matter: MatterSubsystem, placement: Placement, tracks: Tracks, frames: np.ndarray) -> list[JsonObject]:
    """The reactions of the mobilizers, and each force but gravity and contacts, as sets of arrows that a page may show; torques about the
    axes of joints are sets of arcs.
    """
    if matter.n_bodies > MOST_BODIES:
        return []
    forces = [force for force in forces_of(results.system) if not isinstance(force, (Gravity, UniformGravity, ContactForce))]
    sets = [_reactions(results, matter, placement, frames), *_forces(results, matter, placement, forces, frames)]
    state = at_position(results.system, results.final_state)
    weight = weight_of(matter, state)
    least = {"N": weight, "N.m": weight * size_of_mechanism(matter, state, placement)}
    for each in sets:
        least[each.unit] = max(least[each.unit], *(_greatest(vector) for _, _, vector in each.arrows), 0.0)
    return [made for each in sets if (made := each.to_data(ROUND_OFF * least[each.unit], tracks)) is not None]


@final
@dataclass(frozen=True)
class _Set:
    """arrows: the number of a body, points (frames, 3) m and vectors (frames, 3) N, or N m of a set of torques, in Ground"""

    kind: Literal["reaction", "force", "torque"]
    label: str
    arrows: list[tuple[int, np.ndarray, np.ndarray]]

    @property
    def unit(self) -> str:
        return "N.m" if self.kind == "torque" else "N"

    def to_data(self, least: float, tracks: Tracks) -> JsonObject | None:
        """For the JSON, without arrows that never exceed `least`; None if there are no others."""
        drawn = [each for each in self.arrows if _greatest(each[2]) > least]
        if not drawn:
            return None
        arrows: list[JsonObject] = [{"body": body, "tracks": [*tracks.add(point), *tracks.add(vector)]} for body, point, vector in drawn]
        return {"kind": self.kind, "label": self.label, "unit": self.unit, "arrows": arrows}


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
    """The force of each element on each body: at its station, if it has one, else at the mass center; and what it does along joints."""
    if not forces:
        return []
    X_GB = []
    shape = len(forces), matter.n_bodies, len(frames), 3
    points, vectors, torques = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    along_joints = np.zeros((len(forces), len(frames), len(matter.u(results.final_state))))
    for at, state in enumerate(_states_of(results, frames)):
        results.system.realize(state, Stage.DYNAMICS)
        X_GB.append(Placement.of(matter, state).X_GB)
        for row, force in enumerate(forces):
            on_bodies, along_joints[row, at] = force.calc_force_contribution(state)
            vectors[row, :, at] = on_bodies[:, 3:]
            for body, station in enumerate(_stations(force, state, placement)):
                points[row, body, at] = X_GB[-1][body].apply(station)
                torques[row, body, at] = on_bodies[body, :3] - np.cross(X_GB[-1][body].R @ station, on_bodies[body, 3:])
    acts = np.any(along_joints != 0, axis=(0, 1))
    lines = lines_of_joints(matter, _states_of(results, frames), X_GB, placement, acts) if acts.any() else []
    sets = []
    for row, force in enumerate(forces):
        at_joints = [(each.is_turn, (each.body, each.point, along_joints[row, :, [each.speed]].T * each.direction)) for each in lines]
        pushes = [arrow for is_turn, arrow in at_joints if not is_turn]
        turns = [arrow for is_turn, arrow in at_joints if is_turn]
        if isinstance(force, (SiteServo, ConstantTorque)):
            turns += [(body.index, points[row, body.index], torques[row, body.index]) for body in matter.bodies]
        arrows = [(body.index, points[row, body.index], vectors[row, body.index]) for body in matter.bodies]
        sets += [_Set("force", f"Force {force.name}", [*arrows, *pushes]), _Set("torque", f"Torque {force.name}", turns)]
    return sets


def _states_of(results: Results, frames: np.ndarray) -> Iterator[State]:
    """The State at each frame, which changes from one to the next."""
    wanted = set(frames.tolist())
    return (each for number, each in enumerate(results.states()) if number in wanted)


def _stations(force: Force, state: State, placement: Placement) -> list[np.ndarray]:
    """For each body where the force is drawn, in the body's frame."""
    stations = list(placement.center)
    if isinstance(force, TwoPointForce):
        stations[force.body1.index], stations[force.body2.index] = np.asarray(force.station1(state)), np.asarray(force.station2(state))
    elif isinstance(force, SiteServo):
        stations[force.body.index] = force.site(state).p
    return stations
