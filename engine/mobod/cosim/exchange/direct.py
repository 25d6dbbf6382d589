"""What C needs to call an FMU directly."""

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, final

from mobod.errors import FmuError
from mobod.fmi.loaded_fmu import LoadedFmu
from mobod.importer.kinds import VariableKind
from mobod.importer.step_outcome import StepOutcome

if TYPE_CHECKING:
    from mobod.simulate.stepped_run import SteppedRun

# the C types of the values that numbers of C hold exactly
_STORED: dict[type, str] = {
    ctypes.c_double: "STORED_FLOAT64",
    ctypes.c_float: "STORED_FLOAT32",
    ctypes.c_int8: "STORED_INT8",
    ctypes.c_uint8: "STORED_UINT8",
    ctypes.c_int16: "STORED_INT16",
    ctypes.c_uint16: "STORED_UINT16",
    ctypes.c_int32: "STORED_INT32",
    ctypes.c_uint32: "STORED_UINT32",
    ctypes.c_bool: "STORED_BOOL",
}


@final
@dataclass(frozen=True)
class DirectVariable:
    """Where C finds a variable of a network.

    reference, size  of the variable of the FMU, with the number of its elements
    position         among the elements
    is_set_alone     whether a call of the function is all that is to be done to set it
    """

    name: str
    causality: str
    kind: VariableKind
    reference: int
    position: int = 0
    size: int = 1
    is_set_alone: bool = True

    @property
    def stored(self) -> str | None:
        """The name of its StoredType; None for texts and integers of 64 bits."""
        if self.kind.python_type is bool and self.kind.c_type is ctypes.c_int:
            return "STORED_BOOL_AS_INT"
        return _STORED.get(self.kind.c_type)


class DirectInstance(Protocol):
    """An instance of an FMU for co-simulation.

    time        s
    next_event  s   of its own events that the host handles; infinity: none
    uses_events     whether there may be such events
    """

    fmi_version: str
    name: str
    time: float | None
    uses_events: bool
    next_event: float

    @property
    def loaded(self) -> LoadedFmu: ...

    def direct_variable(self, name: str) -> DirectVariable: ...

    def check(self, function: str, status: int) -> None:
        """Raise the error of a call that C made, unless it returned ok or warning."""

    def finish_step(self, time: float, step: float, outcome: StepOutcome) -> None:
        """Do what is left of a step from time to time + step (s) after C has called its function."""

    def failure(self, function: str, what: str) -> FmuError: ...


def direct_run(instance: object) -> "SteppedRun | None":
    """The run of a System that C can advance."""
    run: SteppedRun | None = getattr(instance, "direct_run", None)
    return run


def finish_step_of_system(instance: Any, time: float, step: float, *, is_under_way: bool) -> None:
    """Do what is left of a step of a System. is_under_way: whether C has begun it"""
    if is_under_way:
        instance.finish_step(time, step)
    else:
        instance.step(time, step)


def direct(instance: Any) -> DirectInstance | None:
    """The instance if C can call it. Not while someone wants to know of each call."""
    if not hasattr(instance, "direct_variable") or LoadedFmu.observer is not None:
        return None
    found: DirectInstance = instance
    return found if found.loaded.is_called_in_c else None
