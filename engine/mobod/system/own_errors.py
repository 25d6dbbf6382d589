"""Jacobians of a subsystem's constraint errors with respect to its own q and u, by differentiating recordings."""

# Decision: docs/decisions/025-own-errors.md

from collections.abc import Sequence

import numpy as np

from mobod.errors import UnsupportedError
from mobod.scalar import Array, Slot, Sweep
from mobod.scalar.derivative import jvp
from mobod.scalar.procedure import Procedure
from mobod.system.recorded_hook import RecordedHook
from mobod.system.state.allocating import found_handle, jacobian_name
from mobod.system.state.layout import Layout, OwnErrors
from mobod.system.subsystem import Subsystem


def write_jacobians(subsystem: Subsystem, hook: RecordedHook, layout: Layout, sweep: Sweep) -> list[Slot]:
    """Append calls that compute the Jacobians of the errors that a hook sets; returns their slots.

    Raises UnsupportedError for errors that no change of the subsystem's own q or u can satisfy, or that cannot be differentiated.
    """
    written = []
    for own in layout.errors:
        own_slot = layout.slots[own.entry]
        if own.entry.subsystem != subsystem.index or own_slot not in hook.results:
            continue
        own.errors, own.unknowns, own.name = own_slot, layout.part(own.kind, subsystem.index), f"{subsystem.name}.{own.entry.name}"
        own.jacobian = layout.slot(found_handle(layout.handles, subsystem, jacobian_name(own.entry)))
        _check_reachable(subsystem, hook, layout, own)
        structure = (type(hook.owner).__name__, hook, hook.results.index(own_slot), own.unknowns)
        sweep.add(own_jacobian, hook.inputs, [own.jacobian], structure=structure)
        layout.c_reads += [own.errors, own.jacobian]
        written.append(own.jacobian)
    return written


def own_jacobian(name: str, hook: RecordedHook, which: int, unknowns: Slot, *arrays: Array) -> Array:
    """(n_errors, n_unknowns) Jacobian of one result of a hook with respect to the subsystem's own q or u."""
    columns = []
    for offset in range(unknowns.offset, unknowns.offset + unknowns.size):
        directions = [_direction(slot, offset) for slot in hook.inputs]
        columns.append(np.atleast_1d(jvp(lambda *arrays: hook(*arrays)[which], arrays, directions)[1]))
    return np.array(columns).T


def _direction(slot: Slot, offset: int) -> np.ndarray:
    """An array over the slot: 1 at this offset, 0 elsewhere."""
    direction = np.zeros(slot.size)
    if slot.offset <= offset < slot.offset + slot.size:
        direction[offset - slot.offset] = 1.0
    return direction.reshape(slot.shape)


def _check_reachable(subsystem: Subsystem, hook: RecordedHook, layout: Layout, own: OwnErrors) -> None:
    where = f"constraint errors '{own.entry.name}' of subsystem '{subsystem.name}'"
    unknowns = set(_offsets([own.unknowns]))
    if unknowns.isdisjoint(_offsets(hook.inputs)):
        raise UnsupportedError(
            f"{where} do not depend on {own.kind} of the subsystem, so no change of it can satisfy them. To restrict the motion of "
            "bodies, write a CustomConstraint, or a CoordinateCoupler or SpeedCoupler of mobilizers."
        )
    sweeps = [each for (_, stage), each in layout.sweeps.items() if stage <= own.entry.earliest]
    through = _depending(unknowns, [*sweeps, *(layout.lazy_sweeps[each] for each in hook.needs or () if each in layout.lazy_sweeps)])
    read = next((owner.name for slot in hook.inputs for owner in layout.owners(slot) if through & set(_offsets([slot])) - unknowns), None)
    if read is not None:
        raise UnsupportedError(
            f"{where} also depend on the subsystem's own {own.kind} through '{read}', which is computed elsewhere. Compute all values that "
            "they "
            "need in the hook that sets them."
        )


def _depending(offsets: set[int], sweeps: Sequence[Sweep]) -> set[int]:
    """These offsets, and those that calls compute from them."""
    found = set(offsets)
    for sweep in sweeps:
        for call in sweep.calls:
            if not isinstance(call, Procedure) and not found.isdisjoint(_offsets(call.inputs)):
                found.update(_offsets(call.outputs))
    return found


def _offsets(slots: Sequence[Slot]) -> list[int]:
    return [offset for slot in slots for offset in range(slot.offset, slot.offset + slot.size)]
