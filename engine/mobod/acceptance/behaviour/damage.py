"""Damaged bytes of a saved state: the FMU refuses them or works with them, but does not crash.

The standard does not say what happens with them. A wrong number of bytes is an illegal argument of a function.
"""

import random
from collections.abc import Callable

from mobod.acceptance.behaviour.kept_state import KeptState
from mobod.acceptance.behaviour.probe import FATAL, Probe
from mobod.acceptance.behaviour.result import Budget, NotCheckedError, RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import walked
from mobod.errors import FmuError
from mobod.fmi.loading import Interface

SEED = 7
FLIPS = 40
_SECONDS = 6.0


def check_damage(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Bytes of a state that were changed or invented are refused, or give an instance that works."""
    _try(tested, interface, found, _of_right_size)


def check_wrong_sizes(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """Bytes of a state that were cut off, or are too many, are refused, or give an instance that works."""
    _try(tested, interface, found, _of_wrong_size)


def _try(tested: Tested, interface: Interface, found: RunFindings, damage: Callable[[bytes], list[tuple[str, bytes]]]) -> None:
    if not (tested.can(interface, "canGetAndSetFMUstate") and tested.can(interface, "canSerializeFMUstate")):
        raise NotCheckedError("Its model description does not declare that it can save its state as bytes.")
    with Probe(tested, interface) as probe:
        walked(probe, 5)
        state = KeptState.of(probe)
        data = state.to_bytes()
        state.free()
    budget = Budget(_SECONDS)
    refused = count = 0
    for what, damaged in damage(data):
        if budget.is_spent:
            break
        count += 1
        refused += not _is_taken(tested, interface, what, damaged)
    kind = "states of a wrong size" if damage is _of_wrong_size else f"damaged states (seed {SEED})"
    found.note(f"Of {count} {kind} it refused {refused} and worked with the others.")


def _of_wrong_size(data: bytes) -> list[tuple[str, bytes]]:
    return [
        ("no bytes", b""),
        ("the first byte", data[:1]),
        ("the first half of the bytes", data[: len(data) // 2]),
        ("all bytes but the last", data[:-1]),
        ("ten bytes too many", data + bytes(10)),
    ]


def _of_right_size(data: bytes) -> list[tuple[str, bytes]]:
    chance = random.Random(SEED)
    size = len(data)
    variants = [("zeros", bytes(size)), ("bytes of all ones", b"\xff" * size), ("random bytes", chance.randbytes(size))]
    for _ in range(FLIPS):
        position, bit = chance.randrange(max(size, 1)), chance.randrange(8)
        flipped = bytearray(data)
        if flipped:
            flipped[position] ^= 1 << bit
        variants.append((f"bit {bit} of byte {position} flipped", bytes(flipped)))
    return variants


def _is_taken(tested: Tested, interface: Interface, what: str, data: bytes) -> bool:
    """Whether the FMU takes the state; it then has to survive its use."""
    with Probe(tested, interface) as probe:
        walk = walked(probe)
        probe.context = f", with damaged bytes of a state: {what}"
        state = KeptState(probe)
        if not state.read(data):
            return False
        is_taken = state.is_restored()
        if is_taken:
            try:
                walk.row()
                walk.walk(5, 6)
            except FmuError as error:
                if getattr(error.__cause__, "status", None) == FATAL:
                    return True
        state.free()
        return is_taken
