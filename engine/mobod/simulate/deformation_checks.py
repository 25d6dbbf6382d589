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
    if not isinstance(system, MultibodySystem) or not system.has_matter or not record.times:
        return
    flexible = [body for body in system.matter.bodies if body.flexible is not None and body.flexible.node.nu]
    if not flexible:
        return
    y = np.array(record.ys)
    chosen = np.unique(np.linspace(0, len(record.times) - 1, _LOOKED_AT).astype(int))
    spins = _spins(system.matter, flexible, record, y, chosen, state)
    for body, spin in zip(flexible, spins.T, strict=True):
        _warn_of_deflections(system.matter, body, record, y, state)
        assert body.flexible is not None
        assert body.flexible.node.modes is not None
        lowest = float(np.sqrt(body.flexible.node.modes.stiffness[0] * body.flexible.node.parameter(state, "stiffness_scale")))
        worst = int(np.argmax(spin))
        if not body.flexible.data.is_stiffened and spin[worst] > FASTEST_SPIN * lowest:
            record.warn(
                f"'{body.name}' turns at {spin[worst]:.3g} rad/s at {record.times[chosen[worst]]:g} s, "
                f"{spin[worst] / lowest:.2g} of its first "
                f"clamped angular frequency, {lowest:.3g} rad/s, without geometric stiffening: its deflections are not "
                "reliable. Take several "
                "flexible bodies in a row."
            )


def _warn_of_deflections(matter: MatterSubsystem, body: MobilizedBody, record: RunRecord, y: np.ndarray, state: State) -> None:
    """Of interfaces; of a body that has no other interface than the inboard one, of the frame that has its mass."""
    parts = body.flexible
    assert parts is not None
    eta = y[:, [offset - state.layout.y.offset for offset in matter.tree(state.layout).q(parts.node).offsets]]
    theory = "Shapes of second order hold" if parts.data.is_stiffened else "Linear shapes hold"
    modal, size = parts.data.modal, parts.data.modal.size
    for frame in [parts.interface(name) for name in modal.interfaces if name != modal.inboard] or [parts.core]:
        assert frame.shapes is not None
        moved = eta @ frame.shapes.T
        if frame.second_shapes is not None:
            moved[:, 3:] += np.einsum("aij,ki,kj->ka", frame.second_shapes, eta, eta) / 2
        turns, distances = np.linalg.norm(moved[:, :3], axis=1), np.linalg.norm(moved[:, 3:], axis=1)
        worst, farthest = int(np.argmax(turns)), int(np.argmax(distances))
        if turns[worst] > LARGEST_TURN:
            record.warn(
                f"'{frame.name}' is turned by {turns[worst]:.2g} rad at {record.times[worst]:g} s by the deformation of "
                f"'{body.name}'. {theory} to about {LARGEST_TURN:g} rad: take several flexible bodies in a row."
            )
        elif distances[farthest] > LARGEST_DEFLECTION * size:
            record.warn(
                f"'{frame.name}' is displaced by {distances[farthest]:.3g} m at {record.times[farthest]:g} s by the deformation of "
                f"'{body.name}', {distances[farthest] / size:.2g} of its size, {size:.3g} m. {theory} to about {LARGEST_DEFLECTION:g} of "
                "it: take several flexible bodies in a row."
            )


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
