"""What an FMU of FMI 2.0 says of a step that it discarded."""

import ctypes
from typing import Protocol

from mobod.errors import FmuError

_LAST_SUCCESSFUL_TIME, _TERMINATED = 2, 3  # of fmi2StatusKind


class Fmi2Calls(Protocol):
    """The FMI functions of an instance."""

    def call(self, function: str, *arguments: object) -> None: ...


def has_ended(fmu: Fmi2Calls) -> bool:
    """Whether the FMU ended the simulation in the step."""
    value = ctypes.c_int(0)
    return _answers(fmu, "fmi2GetBooleanStatus", _TERMINATED, value) and bool(value.value)


def last_successful_time(fmu: Fmi2Calls, start: float, end: float) -> float | None:
    """s: how far the step from start to end came; None if the FMU does not say it."""
    value = ctypes.c_double(start)
    says = _answers(fmu, "fmi2GetRealStatus", _LAST_SUCCESSFUL_TIME, value) and start <= value.value <= end
    return value.value if says else None


def discard_message(start: float, end: float, reached: float | None) -> str:
    how_far = "it does not say how far it came" if reached is None else f"it came to {reached:.12g} s"
    return f"returned discard: it cannot take this step of {end - start:.6g} s; {how_far}. Look for the cause there, or take shorter steps"


def _answers(fmu: Fmi2Calls, function: str, kind: int, value: "ctypes.c_int | ctypes.c_double") -> bool:
    try:
        fmu.call(function, kind, ctypes.byref(value))
    except FmuError:  # the FMU need not know it
        return False
    return True
