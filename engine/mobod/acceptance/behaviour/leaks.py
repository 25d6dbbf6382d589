"""Leaks: the memory and the open files of a process do not grow with instances that are made and freed."""

import gc
import itertools
from collections.abc import Callable

from mobod.acceptance.behaviour.kept_state import KeptState
from mobod.acceptance.behaviour.memory import allocated_memory, open_files, resident_memory
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import Budget, NotCheckedError, RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import walked
from mobod.fmi.fmu_log import FmuLog
from mobod.fmi.loading import Interface

_SECONDS = 3.0  # for each kind of repetition
_MOST_CYCLES = 400  # in each of the parts
_PARTS = 4
_LEAST_ALLOCATED = 16  # bytes for each cycle, in each part
_LEAST_RESIDENT = 200  # bytes for each cycle, in each part; the system gives memory in pages
_HARMFUL = 10_000  # bytes for each cycle, which make a run of many instances fail
_PAGES = 65536  # bytes by which the memory has to grow in each part


def check_leaks(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Instances that are made, run and freed leave no memory and no open files behind, nor do saved states."""
    if resident_memory() is None:
        raise NotCheckedError("The memory of the process can be read on Linux only.")
    log = FmuLog()
    files = open_files()

    def live() -> None:
        with Probe(tested, interface, log=log) as probe:
            walked(probe, 3)
            probe.call("Terminate")
        log.lines.clear()

    _repeat(live, "an instance that was freed", "creation", found)
    if tested.can(interface, "canGetAndSetFMUstate"):
        serializes = tested.can(interface, "canSerializeFMUstate")
        with Probe(tested, interface, log=log) as probe:
            walked(probe, 3)

            def save() -> None:
                state = KeptState.of(probe)
                state.restore()
                data = state.to_bytes() if serializes else b""
                state.free()
                if serializes:
                    other = KeptState(probe)
                    other.read(data)
                    other.free()

            _repeat(save, "a saved state that was freed", "state", found)
    after = open_files()
    if files is not None and after is not None and after > files:
        found.add("open-files", f"{after - files} files stay open after all instances were freed", "creation")


def _repeat(cycle: Callable[[], None], what: str, topic: str, found: RunFindings) -> None:
    """Repeat a cycle in several parts, and see whether memory grows in each of them."""
    warm = Budget(_SECONDS / 4)
    cycles = 0
    while cycles < _MOST_CYCLES and not warm.is_spent:
        cycle()
        cycles += 1
    count = max(cycles, 5)
    resident, allocated = [_resident()], [allocated_memory()]
    done = Budget(_SECONDS)
    for _ in range(_PARTS):
        for _ in range(count):
            cycle()
        resident.append(_resident())
        allocated.append(allocated_memory())
        if done.is_spent:
            break
    grown = [(after - before) / count for before, after in itertools.pairwise(resident)]
    known = [each for each in allocated if each is not None]
    kept = [(after - before) / count for before, after in itertools.pairwise(known)]
    # the first part may still fill caches
    leak = 0.0
    if len(kept) > 2 and min(kept[1:]) >= _LEAST_ALLOCATED:
        leak = min(kept[1:])
    elif len(grown) > 2 and min(grown[1:]) >= max(_LEAST_RESIDENT, _PAGES / count):
        leak = min(grown[1:])
    if leak:
        found.add("leak", f"{what} leaves about {leak:.0f} bytes of memory behind", topic, "error" if leak > _HARMFUL else "warning")
    found.note(f"{what.capitalize()} was tried {count * (len(resident) - 1) + cycles} times.")


def _resident() -> int:
    gc.collect()
    return resident_memory() or 0
