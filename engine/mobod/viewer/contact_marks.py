"""Points, forces and modes of contacts for a page: recorded, from a running program, or of one State."""

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from mobod.contact.seen_features import COEFFICIENT, FORCE, MODE, N_NUMBERS, NORMAL, POINT, SeenRow
from mobod.disk.json_values import JsonObject
from mobod.matter import MatterSubsystem
from mobod.scene.contact_shapes import contacts_of
from mobod.simulate import Results
from mobod.system import Layout, Stage, State, System
from mobod.viewer.tracks import Tracks

MOST_FEATURES = 200
"""A page of a run has those with the largest forces."""

_G = 9.81  # m/s2, for the weight of all bodies
_USUAL = 95  # percent of the forces are not larger than the one that decides the scale of the arrows
_SMALL = 1e-3  # of this force: what is smaller is not drawn
_ON_POINTS, _ON_NORMALS, _ON_FORCES = 1e-5, 1e-4, 1e-3  # precision: of the extent of all points, of 1, of this force


@final
@dataclass(frozen=True)
class ContactMarks:
    """The contacts of a System.

    rows  of the contacts, in their order
    """

    system: System
    rows: tuple[SeenRow, ...]

    @classmethod
    def of(cls, system: System, matter: MatterSubsystem, layout: Layout) -> Self:
        return cls(system, tuple(each.seen_row(layout) for each in contacts_of(system, matter)))

    @property
    def names(self) -> list[str]:
        """Of the features of all contacts."""
        return [name for row in self.rows for name in row.names]

    def at(self, state: State) -> np.ndarray:
        """(features, N_NUMBERS) in a State, which is not changed."""
        if state.stage < Stage.ACCELERATION:
            state = state.copy()
            self.system.realize(state, Stage.ACCELERATION)
        return np.concatenate([np.zeros((0, N_NUMBERS)), *(row.numbers(state) for row in self.rows)])

    def to_data(self, force: float) -> JsonObject:
        """For the header of a page that gets the numbers of all features with each State. force: N, for the scale of the arrows"""
        return {"force": force, "features": [{"name": each} for each in self.names]}


def weight_of(matter: MatterSubsystem, state: State) -> float:
    """N, of all bodies on the earth."""
    return _G * matter.mass(state)


def contacts_of_run(results: Results, matter: MatterSubsystem, tracks: Tracks, frames: np.ndarray) -> JsonObject:
    """The features that press in some frame, for the header of a page."""
    marks = ContactMarks.of(results.system, matter, results.final_state.layout)
    numbers = np.zeros((len(frames), len(marks.names), N_NUMBERS))
    if marks.rows:
        wanted = set(frames.tolist())
        shown = (each for number, each in enumerate(results.states()) if number in wanted)
        for at, state in enumerate(shown):
            results.system.realize(state, Stage.ACCELERATION)
            numbers[at] = marks.at(state)
    return _recorded(numbers, marks.names, tracks)


def contacts_of_state(system: System, matter: MatterSubsystem, state: State, tracks: Tracks) -> JsonObject:
    """The same of a State; none if its forces are not known."""
    marks = ContactMarks.of(system, matter, state.layout)
    is_known = state.stage >= Stage.ACCELERATION
    return _recorded(marks.at(state)[None] if is_known else np.zeros((1, len(marks.names), N_NUMBERS)), marks.names, tracks)


def _recorded(numbers: np.ndarray, names: list[str], tracks: Tracks) -> JsonObject:
    """numbers: (frames, features, N_NUMBERS)"""
    sizes = np.linalg.norm(numbers[..., FORCE], axis=2)
    sizes[(numbers[..., MODE] == 0) | ~np.isfinite(sizes)] = 0.0
    if not sizes.any():
        return {"force": 0.0, "features": []}
    usual = float(np.percentile(sizes[sizes > 0], _USUAL))
    presses = sizes > _SMALL * usual
    chosen = np.flatnonzero(presses.any(axis=0))
    if len(chosen) > MOST_FEATURES:
        chosen = np.sort(chosen[np.argsort(sizes[:, chosen].max(axis=0))[-MOST_FEATURES:]])
    held = np.array([_held(numbers[:, each], presses[:, each]) for each in chosen])
    extent = float(np.ptp(held[..., POINT].reshape(-1, 3), axis=0).max(initial=1e-9))
    features = list[JsonObject]()
    for number, of_feature in zip(chosen, held, strict=True):
        columns = [
            *tracks.add(of_feature[:, MODE], 1.0),
            *tracks.add(of_feature[:, COEFFICIENT]),
            *tracks.add(of_feature[:, POINT], _ON_POINTS * extent),
            *tracks.add(of_feature[:, NORMAL], _ON_NORMALS),
            *tracks.add(of_feature[:, FORCE], _ON_FORCES * usual),
        ]
        features.append({"name": names[number], "tracks": columns})
    return {"force": usual, "features": features}


def _held(numbers: np.ndarray, presses: np.ndarray) -> np.ndarray:
    """(frames, N_NUMBERS): frames without contact get the point and the normal of the contact before them, or of the first one if there is
    none before. Their mode and force are 0.
    """
    last = np.maximum.accumulate(np.where(presses, np.arange(len(presses)), -1))
    held = numbers[np.where(last < 0, np.argmax(presses), last)]
    held[~presses, MODE] = 0.0
    held[~presses, FORCE] = 0.0
    return held
