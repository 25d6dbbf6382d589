"""Warnings of runs in which flexible bodies leave the range of small deformation."""

import numpy as np

from mobod.matter import MatterSubsystem, MobilizedBody, MultibodySystem
from mobod.simulate.run_record import RunRecord
from mobod.system import Stage, State, System

LARGEST_TURN = 0.2  # rad of an interface: a beam with linear shapes is then 1 % too long
LARGEST_DEFLECTION = 0.1  # of the body's size, of an interface
FASTEST_SPIN = 0.3  # of the first clamped frequency: centrifugal forces then change it by some percent
_LOOKED_AT = 20  # reports of a run whose speeds of rotation are computed


def warn_of_deformations(system: System, record: RunRecord, state: State) -> None:
    """Warn once for each flexible body that turned too fast, and for each interface that moved too far, at reported times."""
    flexible = flexible_bodies(system)
    if not flexible or not record.times:
        return
    assert isinstance(system, MultibodySystem)
    y, times = np.array(record.ys), np.array(record.times)
    chosen = np.unique(np.linspace(0, len(times) - 1, _LOOKED_AT).astype(int))
    spins = _spins(system.matter, flexible, record, y, chosen, state)
    for body, spin in zip(flexible, spins.T, strict=True):
        assert body.flexible is not None
        offsets = [offset - state.layout.y.offset for offset in system.matter.tree(state.layout).q(body.flexible.node).offsets]
        scale = body.flexible.node.parameter(state, "stiffness_scale")
        found = large_deflections(body, y[None][..., offsets], times) + fast_spins(body, spin[None], times[chosen], np.array(scale))
        for _, message in found:
            record.warn(message)


def messages_of_state(system: System, state: State) -> list[str]:
    """What is beyond the theory of small deformation in a State."""
    found, times = [], np.array([state.time])
    for body in flexible_bodies(system):
        assert body.flexible is not None
        found += large_deflections(body, body.eta(state)[None, None], times)
        if not may_turn_fast(body):
            at = state.copy()
            system.realize(at, Stage.VELOCITY)
            spin = np.linalg.norm(body.flexible.core.V_GB(at)[:3])
            found += fast_spins(body, np.array([[spin]]), times, np.array(body.flexible.node.parameter(at, "stiffness_scale")))
    return [message for _, message in found]


def flexible_bodies(system: System) -> list[MobilizedBody]:
    """Those with modes."""
    if not isinstance(system, MultibodySystem) or not system.has_matter:
        return []
    return [body for body in system.matter.bodies if body.flexible is not None and body.flexible.node.nu]


def watched_frames(body: MobilizedBody) -> list[MobilizedBody]:
    """Its interfaces; of a body that has no other interface than the inboard one, the frame that has its mass."""
    parts = body.flexible
    assert parts is not None
    modal = parts.data.modal
    return [parts.interface(name) for name in modal.interfaces if name != modal.inboard] or [parts.core]


def theory_of(body: MobilizedBody) -> str:
    """What holds for small deformations of the body, in words."""
    assert body.flexible is not None
    return "Shapes of second order hold" if body.flexible.data.is_stiffened else "Linear shapes hold"


def may_turn_fast(body: MobilizedBody) -> bool:
    """Whether its shapes are of second order, so that rotation stiffens it."""
    assert body.flexible is not None
    return body.flexible.data.is_stiffened


def lowest_frequency(body: MobilizedBody) -> float:
    """rad/s, of its modes, with the default stiffness."""
    assert body.flexible is not None
    assert body.flexible.node.modes is not None
    return float(np.sqrt(body.flexible.node.modes.stiffness[0]))


def large_deflections(body: MobilizedBody, eta: np.ndarray, times: np.ndarray) -> list[tuple[int, str]]:
    """(run, message) for each frame that moved too far in a run.

    eta    (runs, k, n) modal coordinates at the times (k,), or with k = 1 those of the runs (runs,); NaN where a run has none
    """
    assert body.flexible is not None
    theory, size = theory_of(body), body.flexible.data.modal.size
    found = []
    for frame in watched_frames(body):
        assert frame.shapes is not None
        moved = np.nan_to_num(eta) @ frame.shapes.T
        if frame.second_shapes is not None:
            moved[..., 3:] += np.einsum("aij,rki,rkj->rka", frame.second_shapes, *2 * [np.nan_to_num(eta)]) / 2
        turns, distances = np.linalg.norm(moved[..., :3], axis=2), np.linalg.norm(moved[..., 3:], axis=2)
        for run in np.flatnonzero((turns > LARGEST_TURN).any(axis=1) | (distances > LARGEST_DEFLECTION * size).any(axis=1)).tolist():
            worst, farthest = int(np.argmax(turns[run])), int(np.argmax(distances[run]))
            turn, distance = turns[run, worst], distances[run, farthest]
            if turn > LARGEST_TURN:
                message = (
                    f"'{frame.name}' is turned by {turn:.2g} rad at {_time_of(times, run, worst, eta):g} s by the deformation of "
                    f"'{body.name}'. {theory} to about {LARGEST_TURN:g} rad: take several flexible bodies in a row."
                )
            else:
                message = (
                    f"'{frame.name}' is displaced by {distance:.3g} m at {_time_of(times, run, farthest, eta):g} s by the deformation of "
                    f"'{body.name}', {distance / size:.2g} of its size, {size:.3g} m. {theory} to about {LARGEST_DEFLECTION:g} of "
                    "it: take several flexible bodies in a row."
                )
            found.append((run, message))
    return found


def fast_spins(body: MobilizedBody, spins: np.ndarray, times: np.ndarray, scale: np.ndarray) -> list[tuple[int, str]]:
    """(run, message) for each run in which a body without geometric stiffening turned too fast.

    spins  (runs, k) rad/s, of the mean axes, at the times as above; NaN where a run has none
    scale  () or (runs, k) of the stiffness
    """
    if may_turn_fast(body):
        return []
    lowest = np.broadcast_to(lowest_frequency(body) * np.sqrt(scale), spins.shape)
    ratios = np.nan_to_num(spins / lowest)
    found = []
    for run in np.flatnonzero((ratios > FASTEST_SPIN).any(axis=1)).tolist():
        worst = int(np.argmax(ratios[run]))
        speed, time, first = spins[run, worst], _time_of(times, run, worst, spins), lowest[run, worst]
        message = (
            f"'{body.name}' turns at {speed:.3g} rad/s at {time:g} s, {ratios[run, worst]:.2g} of its first angular frequency, {first:.3g} "
            "rad/s, without geometric stiffening: its deflections are not reliable. Take several flexible bodies in a row."
        )
        found.append((run, message))
    return found


def _time_of(times: np.ndarray, run: int, report: int, values: np.ndarray) -> float:
    """s, of a report of a run; values (runs, k, ...)"""
    return float(times[report] if values.shape[1] == times.size else times[run])


def _spins(
    matter: MatterSubsystem, bodies: list[MobilizedBody], record: RunRecord, y: np.ndarray, chosen: np.ndarray, state: State
) -> np.ndarray:
    """(reports, bodies) rad/s, of the mean axes: vibrations of the frame M are no spin."""
    at, found = state.copy(), []
    for k in chosen:
        at.time, at.y = record.times[k], y[k]
        matter.system.realize(at, Stage.VELOCITY)
        found.append([float(np.linalg.norm(body.flexible.core.V_GB(at)[:3])) for body in bodies if body.flexible is not None])
    return np.array(found)
