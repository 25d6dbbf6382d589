"""mb.animate_modes: a page that shows natural modes as vibrations, one after another."""

from collections.abc import Iterator, Sequence
from os import PathLike

import numpy as np

from mobod.disk.json_values import JsonValue
from mobod.errors import InputError, UnsupportedError
from mobod.linear.modes import Modes
from mobod.matter import MatterSubsystem
from mobod.scene.placement import Placement
from mobod.simulate.run_start import normalize_state
from mobod.system import Stage, State, System
from mobod.system.boundary import check_state, checked_system
from mobod.version import mobod_version
from mobod.viewer.body_poses import pose_tracks
from mobod.viewer.deformation import deformation_tracks, names_of_deformation
from mobod.viewer.page import page
from mobod.viewer.run_page import scene_of, seen_matter
from mobod.viewer.tracks import Tracks
from mobod.viewer.write import check_page_name, write_page

SECONDS, SWINGS, FRAMES = 4.0, 2, 96  # of the page, for each mode
_SIZE = 0.08  # the largest displacement of a body's origin or of a vertex, as a fraction of the mechanism's size
_TURN = 0.3  # rad, the largest turn of a body
_TRIAL = 1e-4  # of a shape whose largest entry is 1
_RIGID = 1e-6  # of the highest frequency: slower is a rigid-body mode


def animate_modes(
    system: System, state: State, path: str | PathLike[str], modes: Modes | None = None, *, which: Sequence[int] | None = None
) -> None:
    """Write a page (.html, .png or .mp4) on which natural modes vibrate, one after another.

        mb.animate_modes(system, state, "modes.html", system.modes(state, damped=False))

    state  about which they vibrate, as it was given to system.modes
    modes  default: system.modes(state, damped=False)
    which  numbers of modes, from 0; default: the first six that vibrate

    All vibrate twice in 4 s, whatever their frequencies, which the page names; the size is chosen so that they are seen. Bodies that deform
    are coloured by their deflection.

    Raises InputError; UnsupportedError for modes in which orientations turn (Modes.frame).
    """
    check_page_name(path)
    write_page(mode_page(system, state, modes, which), path)


def mode_page(system: System, state: State, modes: Modes | None = None, which: Sequence[int] | None = None) -> str:
    """The HTML; see animate_modes."""
    checked_system(system, "animate_modes", System)
    check_state(state, system)
    matter = seen_matter(system)
    found = system.modes(state, damped=False) if modes is None else modes
    given: object = found
    if not isinstance(given, Modes):
        raise InputError(f"animate_modes: modes are those of system.modes(state, damped=False), not {type(given).__name__}.")
    if found.frame is not None:
        raise UnsupportedError(
            f"animate_modes: these modes are seen in the frame '{found.frame}', because orientations turn. Take a State at rest, and "
            "system.modes(state, damped=False)."
        )
    numbers = _chosen(found, which)
    rest = state.copy()
    system.realize(rest, Stage.POSITION)
    placement, count = Placement.of(matter, rest), len(numbers) * FRAMES
    scene = scene_of(system, rest, placement)
    etas = [system.variable(rest, name).slot.offset for name in names_of_deformation(scene)]
    R, p = np.zeros((count, matter.n_bodies, 3, 3)), np.zeros((count, matter.n_bodies, 3))
    eta = np.zeros((count, len(etas)))
    for frame, placed in enumerate(_states(system, rest, found, numbers, placement)):
        poses = Placement.of(matter, placed).X_GB
        R[frame], p[frame] = [X.R for X in poses], [X.p for X in poses]
        eta[frame] = placed.values[etas]
    times = np.concatenate([SECONDS * (k + np.linspace(0, 1, FRAMES)) for k in range(len(numbers))])
    tracks = Tracks(count)
    names = [f"mode {number + 1}: {found.frequencies_hz[number]:.4g} Hz" for number in numbers]
    data: dict[str, JsonValue] = {
        "title": f"Modes of {system.name}",
        "subtitle": "; ".join(names),
        "footer": f"Made by mobod {mobod_version()}: each mode for {SECONDS:g} s, slower or faster than it is, and larger.",
        **scene,
        "times": times.tolist(),
        "poses": pose_tracks(tracks, np.swapaxes(R, 0, 1), np.swapaxes(p, 0, 1)),
        "modalTracks": deformation_tracks(tracks, list(eta.T)),
        "series": [],
        "arrows": [],
        "contacts": None,
        "events": [{"time": SECONDS * k, "name": name} for k, name in enumerate(names)],
        "tracks": tracks.to_data(),
    }
    return page(f"Modes of {system.name}", data)


def _chosen(modes: Modes, which: Sequence[int] | None) -> list[int]:
    if which is None:
        least = _RIGID * float(modes.frequencies.max(initial=0.0))
        found = [k for k in range(len(modes)) if modes.frequencies[k] > least][:6]
        if not found:
            raise InputError("animate_modes: no mode vibrates.")
        return found
    given: Sequence[object] = which
    wrong = [each for each in given if not isinstance(each, (int, np.integer)) or not 0 <= each < len(modes)]
    if wrong or not len(which):
        raise InputError(f"animate_modes: which has numbers of modes from 0 to {len(modes) - 1}, not {list(which)}.")
    return list(map(int, which))


def _states(system: System, rest: State, modes: Modes, numbers: Sequence[int], placement: Placement) -> Iterator[State]:
    """The States of all frames, realized to POSITION; each is valid until the next."""
    matter = seen_matter(system)
    offsets = [system.variable(rest, name).slot.offset - rest.layout.q.offset for name in modes.coordinates]
    q, moved = np.array(rest.q), rest.copy()

    def at(change: np.ndarray) -> State:
        changed = q.copy()
        changed[offsets] += change
        moved.q = changed
        normalize_state(moved)
        system.realize(moved, Stage.POSITION)
        return moved

    size = _size_of(placement)
    for number in numbers:
        shape = modes.shapes[:, number]
        largest = max(_movement(matter, at(_TRIAL * part), rest, size) for part in (shape.real, shape.imag)) / _TRIAL
        scale = _SIZE / largest if largest > 0 else 0.0
        for phase in 2 * np.pi * SWINGS * np.linspace(0, 1, FRAMES):
            yield at(scale * (shape * np.exp(1j * phase)).real)


def _size_of(placement: Placement) -> float:
    """m"""
    places = np.array([X.p for X in placement.X_GB])
    return float(np.ptp(places, axis=0).max()) or 1.0


def _movement(matter: MatterSubsystem, state: State, rest: State, size: float) -> float:
    """The largest displacement of a body's origin, or of a vertex by a deformation, relative to the size; or turn, as _TURN is _SIZE."""
    pairs = list(zip(Placement.of(matter, state).X_GB, Placement.of(matter, rest).X_GB, strict=True))
    moved = max(float(np.linalg.norm(a.p - b.p)) for a, b in pairs)
    turned = max(float(np.linalg.norm(a.R - b.R)) for a, b in pairs) / np.sqrt(2)
    for body in matter.bodies:
        parts = body.flexible
        if parts is not None and (surface := parts.data.modal.drawn_surface) is not None:
            deflections = surface.shapes @ (parts.node.q(state) - parts.node.q(rest))
            moved = max(moved, float(np.linalg.norm(deflections, axis=1).max()))
    return max(moved / size, turned * _SIZE / _TURN)
