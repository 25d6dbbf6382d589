"""What a Python FMU remembers, as bytes and back: what saved_states.c is for a native one."""

import hashlib
import struct
from dataclasses import replace
from typing import Any

from mobod.errors import InputError, StateError
from mobod.fmu.python_instance import Memory, Mode
from mobod.system import State, System
from mobod.system.encoding import decode, encode

_MAGIC = b"mobod FMU state\n"
_FORMAT = 1
_HEADER = struct.Struct(f"<{len(_MAGIC)}sI32s")


def memory_to_bytes(memory: Memory, token: str) -> bytes:
    """token: of the FMU. Raises UnsupportedError, with its name, for a discrete variable that is no plain data."""
    stepper = None if memory.stepper is None else (memory.stepper[0], memory.stepper[1])
    content = encode(
        (
            token,
            int(memory.mode),
            memory.has_start,
            memory.stop_time,
            memory.tolerance,
            memory.y_start,
            memory.has_changed,
            stepper,
            memory.state.to_bytes(),
        )
    )
    return _HEADER.pack(_MAGIC, _FORMAT, hashlib.sha256(content).digest()) + content


def memory_from_bytes(data: bytes, system: System, token: str) -> Memory:
    """Raises StateError for bytes of another FMU and for damaged ones."""
    if len(data) < _HEADER.size or not data.startswith(_MAGIC):
        raise StateError("the state cannot be used: it is not a state, or too short for one.")
    _, version, digest = _HEADER.unpack_from(data)
    content = data[_HEADER.size :]
    if version != _FORMAT:
        raise StateError(f"the state cannot be used: it has format {version}, and this version of mobod reads format {_FORMAT}.")
    if hashlib.sha256(content).digest() != digest:
        raise StateError("the state cannot be used: it is damaged.")
    try:
        whose, mode, has_start, stop_time, tolerance, y_start, has_changed, stepper, state = decode(content)
        memory = Memory(
            mode=Mode(mode),
            has_start=has_start,
            stop_time=stop_time,
            tolerance=tolerance,
            y_start=y_start,
            has_changed=has_changed,
            stepper=stepper,
            state=_state(system, whose, token, state),
        )
    except (InputError, ValueError, TypeError) as error:
        raise StateError(f"the state cannot be used: it is damaged. {error}") from error
    return memory


def of_another_instance(memory: Memory, system: System, token: str) -> Memory:
    """The memory of an instance of the same FMU, for one that has a System of its own."""
    if memory.state.system is system:
        return memory
    return replace(memory, state=_state(system, token, token, memory.state.to_bytes()))


def _state(system: System, whose: Any, token: str, data: bytes) -> State:
    if whose != token:
        raise StateError("the state cannot be used: it is a state of another FMU.")
    return State.from_bytes(system, data)
