"""Plain data as bytes: numbers, text, arrays and containers of these. Decoding gives the same bits and runs no code.

A value is one byte for its type, then its contents; lengths are 8 bytes, little-endian. The order of dictionaries is kept. Whether two
parts of a value are the same object is not.
"""

# Decision: docs/decisions/022-state-bytes.md

import re
import struct
from collections.abc import Callable, Sequence, Set
from dataclasses import fields
from functools import partial
from math import prod
from types import NoneType
from typing import Any

import numpy as np

from mobod.errors import InputError, UnsupportedError
from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry, Continuous, ContinuousVariable, DiscreteVariable

Put = Callable[[bytes], object]
"""What takes the next bytes."""

_LENGTH = struct.Struct("<Q")
_FLOAT = struct.Struct("<d")
_COMPLEX = struct.Struct("<dd")
_PLAIN_DTYPE = re.compile(r"[<>|][biufcmM]\d+(\[\w+\])?")


def encode(value: object) -> bytes:
    """The value as bytes. Raises UnsupportedError if the value or a part of it has an unsupported type."""
    parts: list[bytes] = []
    try:
        _write(value, parts.append)
    except RecursionError:
        raise UnsupportedError("a value that contains itself, or is nested more deeply than Python goes, cannot be serialised.") from None
    return b"".join(parts)


def decode(data: bytes) -> Any:
    """The value of bytes that encode made. Raises InputError for other bytes."""
    reader = _Reader(data)
    try:
        value = reader.value()
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise InputError(f"these bytes do not encode a value: {error}") from error
    if reader.at != len(data):
        raise InputError(f"{len(data) - reader.at} bytes follow the value.")
    return value


# writing
def _write(value: Any, put: Put) -> None:
    kind = type(value)
    if kind in _WRITERS:
        _WRITERS[kind](value, put)
    elif issubclass(kind, np.generic):
        _write_scalar(value, put)
    else:
        _refuse(value, put)


def _refuse(value: object, _put: Put) -> None:
    kind = type(value)
    raise UnsupportedError(
        f"a value of type {kind.__module__}.{kind.__qualname__} cannot be serialised. "
        "Keep numbers, text, arrays of numbers, or tuples, lists, sets and dictionaries of these."
    )


def _write_array(value: np.ndarray, put: Put) -> None:
    if not _PLAIN_DTYPE.fullmatch(value.dtype.str):
        _refuse(value, put)
    _put_bytes(b"a", value.dtype.str.encode(), put)
    _put_all(b"t", value.shape, put)
    _put_bytes(b"b", value.tobytes(), put)


def _write_scalar(value: np.generic, put: Put) -> None:
    if not _PLAIN_DTYPE.fullmatch(value.dtype.str):
        _refuse(value, put)
    _put_bytes(b"g", value.dtype.str.encode(), put)
    _put_bytes(b"b", value.tobytes(), put)


def _write_set(tag: bytes, value: Set[object], put: Put) -> None:
    put(tag + _LENGTH.pack(len(value)) + b"".join(sorted(encode(each) for each in value)))


def _write_named(value: Stage | Continuous, put: Put) -> None:
    _put_bytes(b"e", f"{type(value).__name__}.{value.name}".encode(), put)


def _write_handle(value: DiscreteVariable | CacheEntry | ContinuousVariable, put: Put) -> None:
    _put_all(_HANDLE_TAGS[type(value)], [getattr(value, each.name) for each in fields(value)], put)


def _put_bytes(tag: bytes, data: bytes, put: Put) -> None:
    put(tag + _LENGTH.pack(len(data)))
    put(data)


def _put_all(tag: bytes, values: Sequence[object], put: Put) -> None:
    put(tag + _LENGTH.pack(len(values)))
    for each in values:
        _write(each, put)


# reading
class _Reader:
    """Reads bytes in order. at: the next position."""

    def __init__(self, data: bytes):
        self.data = data
        self.at = 0

    def value(self) -> object:
        tag = self.take(1)
        if tag not in _READERS:
            raise ValueError(f"unknown type {tag!r}")
        return _READERS[tag](self)

    def take(self, count: int) -> bytes:
        part = self.data[self.at : self.at + count]
        if len(part) != count:
            raise ValueError(f"{count - len(part)} bytes are missing at the end")
        self.at += count
        return part

    def length(self) -> int:
        return int(_LENGTH.unpack(self.take(8))[0])

    def block(self) -> bytes:
        return self.take(self.length())

    def values(self) -> list[Any]:
        return [self.value() for _ in range(self.length())]

    def dictionary(self) -> dict[object, object]:
        parts = self.values()
        return dict(zip(parts[::2], parts[1::2], strict=True))

    def array(self) -> np.ndarray:
        dtype, shape, data = self.dtype(), self.value(), self.value()
        if not isinstance(data, bytes) or not isinstance(shape, tuple) or prod(shape) * dtype.itemsize != len(data):
            raise ValueError(f"the bytes do not contain an array of shape {shape} and type {dtype}")
        return np.frombuffer(data, dtype=dtype).reshape(shape).copy()

    def scalar(self) -> np.generic:
        dtype, data = self.dtype(), self.value()
        if not isinstance(data, bytes) or len(data) != dtype.itemsize:
            raise ValueError(f"{data!r} is not a number of type {dtype}")
        return np.frombuffer(data, dtype=dtype)[0]

    def dtype(self) -> np.dtype:
        text = self.block().decode("ascii")
        if not _PLAIN_DTYPE.fullmatch(text):
            raise ValueError(f"unknown number type {text!r}")
        return np.dtype(text)

    def named(self) -> Stage | Continuous:
        kind, _, name = self.block().decode("ascii").partition(".")
        return _NAMED[kind][name]


_HANDLE_TAGS: dict[type, bytes] = {DiscreteVariable: b"D", CacheEntry: b"C", ContinuousVariable: b"V"}
_NAMED: dict[str, type[Stage] | type[Continuous]] = {each.__name__: each for each in (Stage, Continuous)}
_WRITERS: dict[type, Callable[[Any, Put], object]] = {
    NoneType: lambda value, put: put(b"N"),
    bool: lambda value, put: put(b"T" if value else b"F"),
    int: lambda value, put: _put_bytes(b"i", value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True), put),
    float: lambda value, put: put(b"f" + _FLOAT.pack(value)),
    complex: lambda value, put: put(b"c" + _COMPLEX.pack(value.real, value.imag)),
    str: lambda value, put: _put_bytes(b"s", value.encode("utf-8", "surrogatepass"), put),
    bytes: partial(_put_bytes, b"b"),
    tuple: partial(_put_all, b"t"),
    list: partial(_put_all, b"l"),
    set: partial(_write_set, b"S"),
    frozenset: partial(_write_set, b"Z"),
    dict: lambda value, put: _put_all(b"d", [part for item in value.items() for part in item], put),
    np.ndarray: _write_array,
    Stage: _write_named,
    Continuous: _write_named,
    **dict.fromkeys(_HANDLE_TAGS, _write_handle),
}
_READERS: dict[bytes, Callable[[_Reader], object]] = {
    b"N": lambda reader: None,
    b"T": lambda reader: True,
    b"F": lambda reader: False,
    b"i": lambda reader: int.from_bytes(reader.block(), "little", signed=True),
    b"f": lambda reader: _FLOAT.unpack(reader.take(8))[0],
    b"c": lambda reader: complex(*_COMPLEX.unpack(reader.take(16))),
    b"s": lambda reader: reader.block().decode("utf-8", "surrogatepass"),
    b"b": _Reader.block,
    b"t": lambda reader: tuple(reader.values()),
    b"l": _Reader.values,
    b"S": lambda reader: set(reader.values()),
    b"Z": lambda reader: frozenset(reader.values()),
    b"d": _Reader.dictionary,
    b"a": _Reader.array,
    b"g": _Reader.scalar,
    b"e": _Reader.named,
    b"D": lambda reader: DiscreteVariable(*reader.values()),
    b"C": lambda reader: CacheEntry(*reader.values()),
    b"V": lambda reader: ContinuousVariable(*reader.values()),
}
