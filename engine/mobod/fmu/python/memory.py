"""The saved state of a Python FMU as bytes."""

import hashlib
import struct

from mobod.errors import InputError, StateError
from mobod.fmu.python.instance import PythonInstanceState
from mobod.system import State
from mobod.system.state.encoding import decode, encode
from mobod.system.state.state_owner import StateOwner

_MAGIC = b"mobod FMU state\n"
_FORMAT = 2
_HEADER = struct.Struct(f"<{len(_MAGIC)}sI32s")


def memory_to_bytes(saved: PythonInstanceState) -> bytes:
    """The saved state as bytes. Raises UnsupportedError, which names it, for a discrete variable that is not plain data."""
    content = encode((saved.numbers, saved.state.to_bytes()))
    return _HEADER.pack(_MAGIC, _FORMAT, hashlib.sha256(content).digest()) + content


def memory_from_bytes(data: bytes, system: StateOwner[State]) -> PythonInstanceState:
    """The saved state of these bytes. Raises StateError for damaged bytes and for those of another System. The C runtime checks the numbers
    (serialized_state.h).
    """
    if len(data) < _HEADER.size or not data.startswith(_MAGIC):
        raise StateError("the state cannot be used: it is not a state, or it is too short.")
    _, version, digest = _HEADER.unpack_from(data)
    content = data[_HEADER.size :]
    if version != _FORMAT:
        raise StateError(f"the state cannot be used: it has format {version}, and this version of mobod reads format {_FORMAT}.")
    if hashlib.sha256(content).digest() != digest:
        raise StateError("the state cannot be used: it is damaged.")
    try:
        numbers, state = decode(content)
    except (InputError, ValueError, TypeError) as error:
        raise StateError(f"the state cannot be used: it is damaged. {error}") from error
    if not isinstance(numbers, bytes):
        raise StateError("the state cannot be used: it is damaged.")
    return PythonInstanceState(numbers, State.from_bytes(system, state))


def of_another_instance(saved: PythonInstanceState, system: StateOwner[State]) -> PythonInstanceState:
    """A saved state of the same FMU converted for an instance with its own System.

    Values that are not plain data, which have no bytes, are passed on as they are. So fmi2Reset keeps the saved states of an instance.
    """
    if saved.state.system is system:
        return saved
    snapshot = saved.state.snapshot()
    state = system.new_state(snapshot)
    state.take(snapshot)
    return PythonInstanceState(saved.numbers, state)
