"""When it pays to compile a model whose runs are interpreted. All times are of one processor, s."""

from collections.abc import Mapping, Sequence

from mobod.compilation.calls.call_times import time_alone
from mobod.compilation.calls.liveness import LiveCall, LiveSweep
from mobod.system import Stage

# Measured: 2, 7 and 30 pins in a row, and a model with events of all kinds; gcc 12 and zig 0.16, which take about as long once zig has
# its C library
_SAVED = 0.5e-9  # for each unit of call_times in an evaluation
_MOST_SAVED = 0.75  # of the time of a run, which is also spent in the runtime and in plain Python
_WRITING, _WRITING_UNIT = 0.04, 4e-6  # C code: at least, and for each unit of call_times
_FILE, _LINE = 0.09, 6e-5  # of C: to start a compiler, and for each line
_LEAST_WORK = 1 / 8  # of the cost: saved by so much work, if it had been compiled. Estimates of less work are not trusted


def units_of_evaluation(sweeps: Mapping[Stage, LiveSweep]) -> float:
    """The time of an evaluation of the rates, in the unit of call_times."""
    called = (call for stage, sweep in sweeps.items() if stage > Stage.INSTANCE for call in sweep.calls)
    return sum(time_alone(call.kind) for call in called if isinstance(call, LiveCall))


def saved_time(units: float, evaluations: float, seconds: float | None) -> float:
    """s, the time that compiled code would have saved in these evaluations. seconds: how long they took, if that is known"""
    by_units = units * evaluations * _SAVED
    return by_units if seconds is None else min(by_units, _MOST_SAVED * seconds)


def cost_of_writing(units: float) -> float:
    """The time to write the C code of a model."""
    return _WRITING + _WRITING_UNIT * units


def cost_of_compiling(n_lines: Sequence[int]) -> float:
    """The time to compile C files with so many lines, and to link them."""
    return _FILE * (len(n_lines) + 1) + _LINE * sum(n_lines)


def pays(saved: float, expected: float, cost: float) -> bool:
    """Whether to compile.

    saved     what compiled code would have saved of the work so far. As much is expected to come, whatever is known of it
    expected  what it will save of the work that is known to come
    """
    return saved >= _LEAST_WORK * cost and max(saved, expected) >= cost
