"""What a Python FMU remembers, as bytes and back: what saved_states.c is for a native one."""

import hashlib
import struct
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from mobod.errors import InputError, StateError
from mobod.fmu.python_instance import Memory, Mode
from mobod.system import State, System
from mobod.system.encoding import decode, encode
from mobod.system.saved_ranges import fault_in, saved_ranges

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
    except (InputError, ValueError, TypeError) as error:
        raise StateError(f"the state cannot be used: it is damaged. {error}") from error
    memory = Memory(
        mode=_mode(mode),
        has_start=has_start,
        stop_time=stop_time,
        tolerance=tolerance,
        y_start=y_start,
        has_changed=has_changed,
        stepper=stepper,
        state=_state(system, whose, token, state),
    )
    if fault := _fault_in(memory):
        raise StateError(f"the state cannot be used: it is damaged. {fault}.")
    return memory


def _mode(number: Any) -> Mode:
    if type(number) is not int or number not in list(Mode):
        raise StateError(f"the state cannot be used: it is damaged. There is no mode {number!r}.")
    return Mode(number)


def _fault_in(memory: Memory) -> str | None:
    """What is wrong with the numbers of a memory, in words; None if nothing is."""
    layout = memory.state.layout
    facts = {
        "flags": _are_flags(memory.has_start, memory.has_changed),
        "the stop time": memory.stop_time is None or _is_real(memory.stop_time),
        "the tolerance": _is_real(memory.tolerance) and 1e-14 <= memory.tolerance <= 1,
        "the initial conditions": _are_reals(memory.y_start, layout.n_y),
        "the integrator": memory.stepper is None or _is_stepper(memory.stepper, layout.n_y),
    }
    wrong = next((what for what, holds in facts.items() if not holds), None)
    if wrong is not None:
        return f"What it holds of {wrong} cannot be"
    return fault_in(memory.state.values, layout, saved_ranges(layout, memory.state.system.variables(memory.state)))


def _are_flags(*values: Any) -> bool:
    return all(type(value) is bool for value in values)


def _is_stepper(value: Any, n_y: int) -> bool:
    """A step size and the rates of y."""
    return isinstance(value, tuple) and len(value) == 2 and _is_real(value[0]) and value[0] >= 0 and _are_reals(value[1], n_y)


def _is_real(value: Any) -> bool:
    return type(value) is float and isfinite(value)


def _are_reals(values: Any, n: int) -> bool:
    if not isinstance(values, np.ndarray):
        return False
    return values.dtype == np.float64 and values.shape == (n,) and bool(np.isfinite(values).all())


def of_another_instance(memory: Memory, system: System, token: str) -> Memory:
    """The memory of an instance of the same FMU, for one that has a System of its own."""
    if memory.state.system is system:
        return memory
    return replace(memory, state=_state(system, token, token, memory.state.to_bytes()))


def _state(system: System, whose: Any, token: str, data: bytes) -> State:
    if whose != token:
        raise StateError("the state cannot be used: it is a state of another FMU.")
    return State.from_bytes(system, data)
