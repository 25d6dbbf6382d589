"""KeptState: a state that an FMU saved for a probe."""

import ctypes
from typing import Self, final

from mobod.acceptance.behaviour.probe import OK, WARNING, Probe


@final
class KeptState:
    """The state of an instance. `free` has to be called before the instance is freed."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._pointer = ctypes.c_void_p()
        self._names = probe.version.of_state

    @classmethod
    def of(cls, probe: Probe) -> Self:
        state = cls(probe)
        state.save()
        return state

    def save(self) -> None:
        """Save the present state, also in place of an earlier one."""
        self._probe.call(self._names.get, ctypes.byref(self._pointer))

    def restore(self) -> None:
        self._probe.call(self._names.set, self._pointer)

    def size(self) -> int:
        size = ctypes.c_size_t()
        self._probe.call(self._names.size, self._pointer, ctypes.byref(size))
        return size.value

    def to_bytes(self) -> bytes:
        size = self.size()
        buffer = (ctypes.c_ubyte * max(size, 1))()
        self._probe.call(self._names.write, self._pointer, buffer, size)
        return bytes(buffer)[:size]

    def read(self, data: bytes) -> bool:
        """Take a state from bytes. Returns whether the FMU accepted them."""
        buffer = (ctypes.c_ubyte * max(len(data), 1)).from_buffer_copy(data or b"\0")
        return self._probe.status(self._names.read, buffer, len(data), ctypes.byref(self._pointer)) in (OK, WARNING)

    def is_restored(self) -> bool:
        """Restore it. Returns whether the FMU accepted that."""
        return self._probe.status(self._names.set, self._pointer) in (OK, WARNING)

    def free(self) -> None:
        if self._pointer.value is not None:
            self._probe.call(self._names.free, ctypes.byref(self._pointer))
