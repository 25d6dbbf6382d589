"""SavedState: a state of an FMU instance, stored by the FMU itself."""

import ctypes
from types import TracebackType
from typing import Self, final

from mobod.cosim.instance import Instance
from mobod.errors import UnsupportedError


@final
class SavedState:
    """The state of an instance between two steps; a context manager that frees it.

        with SavedState.of(instance) as before:
            instance.step(time, step)
            before.restore()

    Raises UnsupportedError for an FMU that cannot get and set its state, or not as bytes; FmuError if a call fails.
    """

    def __init__(self, instance: Instance, time: float | None) -> None:
        check_can_save(instance)
        self._instance = instance
        self._time = time
        self._pointer = ctypes.c_void_p()

    @classmethod
    def of(cls, instance: Instance) -> Self:
        """The present state of the instance."""
        state = cls(instance, instance.time)
        instance.call("fmi2GetFMUstate", ctypes.byref(state._pointer))
        return state

    @classmethod
    def from_bytes(cls, instance: Instance, data: bytes, time: float) -> Self:
        """The state of the bytes that `to_bytes` returned at this time (s), for this or another instance of the same FMU."""
        check_can_save(instance, as_bytes=True)
        state = cls(instance, time)
        buffer = ctypes.create_string_buffer(data, len(data))
        instance.call("fmi2DeSerializeFMUstate", buffer, len(data), ctypes.byref(state._pointer))
        return state

    def to_bytes(self) -> bytes:
        check_can_save(self._instance, as_bytes=True)
        size = ctypes.c_size_t()
        self._instance.call("fmi2SerializedFMUstateSize", self._pointer, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._instance.call("fmi2SerializeFMUstate", self._pointer, buffer, size.value)
        return buffer.raw

    def restore(self) -> None:
        """Restore the instance to this state. Also possible after a failed step, unless the error was fatal."""
        self._instance.restore(self._pointer, self._time)

    def free(self) -> None:
        """Free the FMU's memory of the state. A second call does nothing; closing the instance frees it too."""
        if self._pointer.value is not None and self._instance.is_alive:
            self._instance.call("fmi2FreeFMUstate", ctypes.byref(self._pointer))
        self._pointer = ctypes.c_void_p()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.free()


def check_can_save(instance: Instance, *, as_bytes: bool = False) -> None:
    """Raise UnsupportedError unless the model description declares that the FMU can get and set its state (and convert it to bytes)."""
    promised = instance.file.description.coSimulation
    wanted = {"canGetAndSetFMUstate": promised.canGetAndSetFMUstate}
    if as_bytes:
        wanted["canSerializeFMUstate"] = promised.canSerializeFMUstate
    lacking = [flag for flag, is_promised in wanted.items() if not is_promised]
    if lacking:
        raise UnsupportedError(
            f"FMU '{instance.name}' ({instance.file.path}) cannot {'save its state as bytes' if as_bytes else 'save its state'}: its model "
            f"description does not declare {' and '.join(lacking)}. Export the model with that capability, or run from the start."
        )
