"""Estimated times of calls of a sweep, alone and side by side, in additions."""

from mobod.compilation.calls.liveness import LiveKind
from mobod.scalar.operations import LEAVES
from mobod.scalar.splitting import COSTS
from mobod.scalar.sweep import Kind, kept_by_kind

_OF_CALL = 5.0
_OF_NUMBER = 0.5  # of reading or writing it
_OF_LANE = {2: 1.2, 4: 0.75}  # the same, if it is one among the numbers of so many calls


def time_alone(kind: LiveKind) -> float:
    """The time of one call."""
    time, n_numbers = _of_kind(kind.kind, kind.live)
    return _OF_CALL + time + _OF_NUMBER * n_numbers


def time_side_by_side(kind: LiveKind, n_calls: int) -> float:
    """The time of so many calls side by side."""
    time, n_numbers = _of_kind(kind.kind, kind.live)
    return _OF_CALL + time + _OF_LANE[n_calls] * n_calls * n_numbers


def gain_side_by_side(kind: LiveKind, n_calls: int) -> float:
    """The time that is saved if so many calls are done side by side; 0 if that is not possible."""
    return 0.0 if kind.overlaps else max(0.0, n_calls * time_alone(kind) - time_side_by_side(kind, n_calls))


@kept_by_kind
def _of_kind(kind: Kind, live: frozenset[int]) -> tuple[float, int]:
    """The time of the operations, and how many numbers are read and written."""
    recording = kind.recording().with_outputs(live)
    entries = [recording.tape.entries[number] for number in recording.needed]
    time = sum(COSTS.get(operation, 1) for operation, _ in entries if operation not in LEAVES)
    return float(time), sum(operation == "symbol" for operation, _ in entries) + sum(output.size for output in recording.outputs)
