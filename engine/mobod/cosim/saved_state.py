"""SavedState: a state of an FMU instance, stored by the FMU itself."""

import ctypes
from collections.abc import Callable
from typing import NamedTuple, Protocol, Self, final

from mobod.cosim.component_model import SavedComponent
from mobod.errors import UnsupportedError
from mobod.importer.instance import FmuInstance


class HostMemory(NamedTuple):
    """What the host of an FMU knows of it beside its state: how it takes that again, and how it is written."""

    restore: Callable[[], object]
    to_bytes: Callable[[], bytes]


class SavingInstance(Protocol):
    """An FMU that runs as a component."""

    @property
    def fmu(self) -> FmuInstance: ...

    @property
    def time(self) -> float | None: ...

    def memory(self) -> HostMemory: ...

    def read_memory(self, data: bytes, time: float) -> tuple[HostMemory, bytes]: ...


@final
class SavedState(SavedComponent):
    """The state of an instance between two steps; a context manager that frees it.

        with SavedState.of(instance) as before:
            instance.step(time, step)
            before.restore()

    Raises UnsupportedError for an FMU that cannot get and set its state, or not as bytes; FmuError if a call fails.
    """

    def __init__(self, fmu: FmuInstance, state: ctypes.c_void_p, time: float | None, memory: HostMemory) -> None:
        self._fmu, self._state, self._time, self._memory = fmu, state, time, memory

    @classmethod
    def of(cls, instance: SavingInstance) -> Self:
        """The present state of the instance."""
        check_can_save(instance.fmu)
        return cls(instance.fmu, instance.fmu.save(), instance.time, instance.memory())

    @classmethod
    def from_bytes(cls, instance: SavingInstance, data: bytes, time: float) -> Self:
        """The state of the bytes that `to_bytes` returned at this time (s), for this or another instance of the same FMU."""
        check_can_save(instance.fmu, as_bytes=True)
        memory, of_fmu = instance.read_memory(data, time)
        return cls(instance.fmu, instance.fmu.state_of(of_fmu), time, memory)

    def to_bytes(self) -> bytes:
        check_can_save(self._fmu, as_bytes=True)
        return self._memory.to_bytes() + self._fmu.bytes_of(self._state)

    def restore(self) -> None:
        """Restore the instance to this state. Also possible after a failed step, unless the error was fatal."""
        self._fmu.restore(self._state, self._time)
        self._memory.restore()

    def free(self) -> None:
        """Free the FMU's memory of the state. A second call does nothing; closing the instance frees it too."""
        if self._state.value is not None and self._fmu.is_alive:
            self._fmu.free(self._state)
        self._state = ctypes.c_void_p()


def check_can_save(fmu: FmuInstance, *, as_bytes: bool = False) -> None:
    """Raise UnsupportedError unless the model description declares that the FMU can get and set its state (and convert it to bytes)."""
    wanted = ("canGetAndSetFMUstate", "canSerializeFMUstate")[: 2 if as_bytes else 1]
    lacking = [fmu.version.capability(each) for each in wanted if not fmu.model.can(fmu.interface, each)]
    if lacking:
        raise UnsupportedError(
            f"FMU '{fmu.name}' ({fmu.model.path}) cannot {'save its state as bytes' if as_bytes else 'save its state'}: its model "
            f"description does not declare {' and '.join(lacking)}. Export the model with that capability, or run from the start."
        )
