"""SavedState: a state of an FMU instance, stored by the FMU itself."""

import ctypes
from collections.abc import Mapping
from types import TracebackType
from typing import Protocol, Self, final

from mobod.errors import UnsupportedError

# what fmi2GetFMUstate and its like are called, by the first digit of the FMI version
_NAMES = {
    "2": {"get": "fmi2GetFMUstate", "free": "fmi2FreeFMUstate", "size": "fmi2SerializedFMUstateSize"}
    | {"write": "fmi2SerializeFMUstate", "read": "fmi2DeSerializeFMUstate"},
    "3": {"get": "fmi3GetFMUState", "free": "fmi3FreeFMUState", "size": "fmi3SerializedFMUStateSize"}
    | {"write": "fmi3SerializeFMUState", "read": "fmi3DeserializeFMUState"},
}
_BYTE: dict[str, type[ctypes.c_char] | type[ctypes.c_ubyte]] = {"2": ctypes.c_char, "3": ctypes.c_ubyte}
_FLAGS = {"2": ("canGetAndSetFMUstate", "canSerializeFMUstate"), "3": ("canGetAndSetFMUState", "canSerializeFMUState")}


class SavingInstance(Protocol):
    """An instance of an FMU. promises: flags of its model description"""

    @property
    def name(self) -> str: ...

    @property
    def origin(self) -> str: ...

    @property
    def fmi_version(self) -> str: ...

    @property
    def promises(self) -> Mapping[str, object]: ...

    @property
    def time(self) -> float | None: ...

    @property
    def is_alive(self) -> bool: ...

    def call(self, function: str, *arguments: object) -> None: ...

    def restore(self, state: ctypes.c_void_p, time: float | None) -> None: ...


@final
class SavedState:
    """The state of an instance between two steps; a context manager that frees it.

        with SavedState.of(instance) as before:
            instance.step(time, step)
            before.restore()

    Raises UnsupportedError for an FMU that cannot get and set its state, or not as bytes; FmuError if a call fails.
    """

    def __init__(self, instance: SavingInstance, time: float | None) -> None:
        check_can_save(instance)
        self._instance = instance
        self._names = _NAMES[instance.fmi_version]
        self._time = time
        self._pointer = ctypes.c_void_p()

    @classmethod
    def of(cls, instance: SavingInstance) -> Self:
        """The present state of the instance."""
        state = cls(instance, instance.time)
        instance.call(state._names["get"], ctypes.byref(state._pointer))
        return state

    @classmethod
    def from_bytes(cls, instance: SavingInstance, data: bytes, time: float) -> Self:
        """The state of the bytes that `to_bytes` returned at this time (s), for this or another instance of the same FMU."""
        check_can_save(instance, as_bytes=True)
        state = cls(instance, time)
        buffer = (_BYTE[instance.fmi_version] * len(data)).from_buffer_copy(data)
        instance.call(state._names["read"], buffer, len(data), ctypes.byref(state._pointer))
        return state

    def to_bytes(self) -> bytes:
        check_can_save(self._instance, as_bytes=True)
        size = ctypes.c_size_t()
        self._instance.call(self._names["size"], self._pointer, ctypes.byref(size))
        buffer = (_BYTE[self._instance.fmi_version] * size.value)()
        self._instance.call(self._names["write"], self._pointer, buffer, size.value)
        return bytes(memoryview(buffer))

    def restore(self) -> None:
        """Restore the instance to this state. Also possible after a failed step, unless the error was fatal."""
        self._instance.restore(self._pointer, self._time)

    def free(self) -> None:
        """Free the FMU's memory of the state. A second call does nothing; closing the instance frees it too."""
        if self._pointer.value is not None and self._instance.is_alive:
            self._instance.call(self._names["free"], ctypes.byref(self._pointer))
        self._pointer = ctypes.c_void_p()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.free()


def check_can_save(instance: SavingInstance, *, as_bytes: bool = False) -> None:
    """Raise UnsupportedError unless the model description declares that the FMU can get and set its state (and convert it to bytes)."""
    wanted = _FLAGS[instance.fmi_version][: 2 if as_bytes else 1]
    lacking = [flag for flag in wanted if instance.promises.get(flag) is not True]
    if lacking:
        raise UnsupportedError(
            f"FMU '{instance.name}' ({instance.origin}) cannot {'save its state as bytes' if as_bytes else 'save its state'}: its model "
            f"description does not declare {' and '.join(lacking)}. Export the model with that capability, or run from the start."
        )
