"""A State as bytes: its System and structure, by which another System refuses it, and its variables.

magic, version of the format, length, SHA-256 of what follows name of the System, names and versions of its subsystems, its discrete
variables, fingerprint of its structure values of the discrete variables, [t q u z]
"""

import hashlib
import struct
from collections.abc import Collection
from typing import Any, NoReturn, Protocol, TypeVar

import numpy as np

from mobod.errors import InputError, StateError, UnsupportedError
from mobod.scalar.procedure import Procedure
from mobod.scalar.sweep import Sweep
from mobod.system.boundary import check_state
from mobod.system.state.encoding import decode, encode
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.saved_ranges import fault_in, saved_ranges
from mobod.system.state.snapshot import Snapshot
from mobod.system.state.state_owner import AnySystem, StateOwner

_MAGIC = b"mobod state\n"
_FORMAT = 1
_HEADER = struct.Struct(f"<{len(_MAGIC)}sIQ32s")


class Saved(Protocol):
    """The saved parts of a State."""

    values: np.ndarray

    @property
    def layout(self) -> Layout: ...

    @property
    def discrete_variables(self) -> list[DiscreteVariable]: ...

    def snapshot(self) -> Snapshot: ...

    def take(self, snapshot: Snapshot) -> None: ...


S = TypeVar("S", bound=Saved)


def to_bytes(system: StateOwner[S], state: S) -> bytes:
    """All variables as bytes. See State.to_bytes."""
    check_state(state, system)
    fingerprint = _fingerprint(system, state)
    snapshot = state.snapshot()
    for variable, value in zip(snapshot.variables, snapshot.values, strict=True):
        _check_encodable(system, variable, value)
    content = encode((system.name, system.parts, snapshot.variables, fingerprint, snapshot.values, snapshot.t_and_y))
    return _HEADER.pack(_MAGIC, _FORMAT, len(content), hashlib.sha256(content).digest()) + content


def from_bytes(system: StateOwner[S], data: bytes) -> S:
    """The State of these bytes. See State.from_bytes."""
    name, parts, variables, fingerprint, values, t_and_y = _content(data)
    if name != system.name:
        raise StateError(f"these are the bytes of a State of System '{name}', not of '{system.name}'.")
    if parts != system.parts:
        theirs, ours = (", ".join(f"'{name}' {version}" for name, version in each) for each in (parts, system.parts))
        _refuse(system, f"they know the subsystems {theirs}; it has {ours}")
    snapshot = Snapshot(variables, values, t_and_y)
    state = system.new_state(snapshot)
    for i in range(max(len(variables), len(state.discrete_variables))):
        theirs, ours = (_names_of(each[i : i + 1]) for each in (variables, state.discrete_variables))
        if theirs != ours:
            _refuse(system, f"they hold {theirs} where it has {ours}")
    if variables != tuple(state.discrete_variables):
        _refuse(system, "its variables were others")
    if fingerprint != _fingerprint(system, state) or t_and_y.size != 1 + state.layout.n_y:
        _refuse(system, "its elements, or the ways they are connected, were others")
    state.take(snapshot)
    # a State with invalid values may have been saved too, so only the ranges that it satisfied are checked
    ranges = [each for each in saved_ranges(state.layout, system.variables(state)) if not each.numbers.is_plain]
    if fault := fault_in(state.values, state.layout, ranges):
        raise StateError(f"the bytes of a State of System '{system.name}' are damaged: {fault}.")
    return state


def _content(data: bytes) -> tuple[Any, ...]:
    """The contents of the bytes, each part checked for its type."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise InputError(f"a State is made from the bytes that to_bytes returned, not from {type(data).__name__}.")
    data = bytes(data)
    if data[: len(_MAGIC)] != _MAGIC[: len(data)]:
        raise StateError("these are not the bytes of a State: the first bytes are wrong.")
    if len(data) < _HEADER.size:
        raise StateError(f"the bytes of a State are truncated: {len(data)} bytes, but the header alone has {_HEADER.size}.")
    _, version, length, checksum = _HEADER.unpack_from(data)
    if version != _FORMAT:
        raise StateError(f"these bytes of a State have format {version}; this version of mobod reads format {_FORMAT}.")
    content = data[_HEADER.size :]
    if len(content) != length:
        raise StateError(f"the bytes of a State are truncated or too long: {len(content)} bytes after the header, not {length}.")
    if hashlib.sha256(content).digest() != checksum:
        raise StateError("the bytes of a State are damaged: their checksum is wrong.")
    try:
        values = decode(content)
    except InputError as error:
        raise StateError(f"these are not the bytes of a State: {error}") from error
    if not _is_content(values):
        raise StateError("these are not the bytes of a State: their content is something else.")
    return values


def _is_content(content: object) -> bool:
    if not (isinstance(content, tuple) and len(content) == 6):
        return False
    name, parts, variables, fingerprint, values, t_and_y = content
    return (
        isinstance(name, str)
        and isinstance(parts, tuple)
        and all(isinstance(each, tuple) and len(each) == 2 for each in parts)
        and isinstance(variables, tuple)
        and isinstance(fingerprint, bytes)
        and isinstance(values, tuple)
        and len(values) == len(variables)
        and all(_is_value(value, variable) for value, variable in zip(values, variables, strict=True))
        and isinstance(t_and_y, np.ndarray)
        and t_and_y.dtype == np.float64
        and t_and_y.ndim == 1
    )


def _is_value(value: object, variable: object) -> bool:
    if not isinstance(variable, DiscreteVariable):
        return False
    if variable.shape is None:
        return True
    if variable.shape == ():
        return type(value) is (bool if variable.is_boolean else float)
    return isinstance(value, np.ndarray) and value.dtype == np.float64 and value.shape == variable.shape


def _check_encodable(system: AnySystem, variable: DiscreteVariable, value: object) -> None:
    try:
        encode(value)
    except UnsupportedError as error:
        raise UnsupportedError(
            f"discrete variable '{variable.name}' of subsystem '{system.parts[variable.subsystem][0]}': {error}"
        ) from error


def _names_of(variables: Collection[DiscreteVariable]) -> str:
    """A variable with all its properties, for comparison; None if there is none."""
    if not variables:
        return "no more variables"
    (variable,) = variables
    kind = "an object" if variable.shape is None else "a boolean" if variable.is_boolean else f"numbers of shape {variable.shape}"
    updated = ", updated by itself" if variable.update is not None else ""
    return f"'{variable.name}' ({kind}, invalidates {variable.invalidates.name}{updated}) of subsystem {variable.subsystem}"


def _refuse(system: AnySystem, why: str) -> NoReturn:
    raise StateError(
        f"these bytes are of a State of System '{system.name}' with another structure: {why}. "
        "Build the System as it was when to_bytes was called."
    )


def _fingerprint(system: StateOwner[S], state: S) -> bytes:
    """A digest of the meaning of a State's numbers: names, units, and all calls of all sweeps with their slots."""
    layout = state.layout
    if not layout.fingerprint:
        parts: list[object] = [sorted(layout.parts.items()), layout.quaternions, sorted(layout.constants.items())]
        parts += [(each.name, each.role, each.units, each.slot) for each in system.variables(state)]
        parts += [(key, _calls(sweep)) for key, sweep in layout.sweeps.items()]
        parts += [(entry, _calls(sweep)) for entry, sweep in layout.lazy_sweeps.items()]
        layout.fingerprint = hashlib.sha256(repr(parts).encode()).digest()
    return layout.fingerprint


def _calls(sweep: Sweep) -> list[object]:
    names = [(call.name, ()) if isinstance(call, Procedure) else (call.kind.name, call.kind.fixed) for call in sweep.calls]
    return [sweep.clears, *((name, call.inputs, call.outputs) for name, call in zip(names, sweep.calls, strict=True))]
