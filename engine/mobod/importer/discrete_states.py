"""The event iteration of an instance in event mode."""

import ctypes
from math import inf

from fmpy.fmi2 import fmi2EventInfo

from mobod.importer.instance import FmuInstance

MOST_ROUNDS = 1000  # of one event, and events without progress in time


def update_discrete_states(instance: FmuInstance) -> float | None:
    """Update the discrete states of an instance in event mode until they stay.

    Returns the time of its next event (s), infinity if it has none; None if the FMU ends the simulation. Raises FmuError.
    """
    for _ in range(MOST_ROUNDS):
        needs_more, ends, next_event = _update_2(instance) if instance.fmi_version == "2" else _update_3(instance)
        if ends:
            return None
        if not needs_more:
            return next_event
    raise instance.failure("an event", f"does not come to an end: after {MOST_ROUNDS} updates it still wants another")


def _update_2(instance: FmuInstance) -> tuple[bool, bool, float]:
    info = fmi2EventInfo()
    instance.call("NewDiscreteStates", ctypes.byref(info))
    next_event = info.nextEventTime if info.nextEventTimeDefined else inf
    return bool(info.newDiscreteStatesNeeded), bool(info.terminateSimulation), float(next_event)


def _update_3(instance: FmuInstance) -> tuple[bool, bool, float]:
    needs_more, ends, nominals, values, has_next = (ctypes.c_bool() for _ in range(5))
    next_event = ctypes.c_double(inf)
    said = [ctypes.byref(each) for each in (needs_more, ends, nominals, values, has_next, next_event)]
    instance.call("UpdateDiscreteStates", *said)
    return needs_more.value, ends.value, next_event.value if has_next.value else inf
