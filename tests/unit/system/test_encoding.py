"""Plain data as bytes and back."""

import math
import struct

import numpy as np
import pytest

from mobod.errors import InputError, UnsupportedError
from mobod.system import CacheEntry, Continuous, DiscreteVariable, Stage
from mobod.system.state.encoding import decode, encode
from mobod.system.state.equality import same_value

ENTRY = CacheEntry(1, 4, "heat", Stage.POSITION, None, (2,), (Continuous.Q, DiscreteVariable(0, 2, "gain", Stage.DYNAMICS, ())))
VALUES = [
    None,
    True,
    False,
    0,
    -1,
    127,
    128,
    -(2**200) + 17,
    0.1,
    -0.0,
    5e-324,
    math.inf,
    math.nan,
    1.5 - 2.25j,
    "",
    "Kräfte \U0001f6e0 \ud800",
    b"\x00\xff",
    (),
    [1, [2.5, ("three",)], {"four": 4}],
    {(1, "a"): None, 2: [3.0]},
    {3, "x", (1, 2)},
    frozenset({1.5, frozenset({2})}),
    np.array(3.25),
    np.array([[0.1, -0.0, np.nan], [np.inf, 1e-300, 7.0]]),
    np.arange(12, dtype=np.int16).reshape(3, 4).T,
    np.array([], dtype=np.float32).reshape(0, 3),
    np.array([True, False]),
    np.array([1 + 2j]),
    np.array(["2026-11-21"], dtype="datetime64[D]"),
    np.array([1.5, 2.5], dtype=">f8"),
    np.float64(0.1),
    np.int8(-3),
    np.bool_(True),
    Stage.VELOCITY,
    Continuous.U,
    ENTRY,
    DiscreteVariable(2, 7, "mode", Stage.INSTANCE, None, False, ENTRY),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_restored_with_its_type_and_bits(value):
    back = decode(encode(value))
    assert same_value(back, value)
    assert encode(back) == encode(value)
    if isinstance(value, (float, np.ndarray)):
        assert np.array(back).tobytes() == np.array(value).tobytes()  # -0.0 and 0.0 are equal, but not the same bits


def test_restored_arrays_are_writable():
    back = decode(encode(np.ones(3)))
    back[0] = 2.0


def test_dictionaries_keep_their_order_and_sets_have_none():
    assert list(decode(encode({"b": 1, "a": 2}))) == ["b", "a"]
    forward, backward = {0} | {8}, {8} | {0}  # 0 and 8 have the same place in a small hash table, so that their order is that of insertion
    assert list(forward) != list(backward)
    assert encode(forward) == encode(backward)


class Custom:
    pass


class Text(str):
    pass


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Custom(), "test_encoding.Custom"),
        ([1, {"inner": Custom()}], "Custom"),
        (Text("a"), "Text"),
        (len, "builtin_function_or_method"),
        (np.array([None]), "ndarray"),
        (np.ma.masked_array([1.0]), "MaskedArray"),
        (np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), "ndarray"),
    ],
)
def test_values_that_are_not_plain_data_are_refused_with_their_type(value, told):
    with pytest.raises(UnsupportedError, match=rf"a value of type .*{told} cannot be serialised. Keep numbers"):
        encode(value)


def test_a_list_that_contains_itself_is_refused():
    loop: list = []
    loop.append(loop)
    with pytest.raises(UnsupportedError, match="a value that contains itself"):
        encode(loop)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_truncated_and_extended_bytes_are_refused(value):
    data = encode(value)
    for length in range(len(data)):
        with pytest.raises(InputError):
            decode(data[:length])
    with pytest.raises(InputError, match="3 bytes follow the value"):
        decode(data + b"abc")


def length(number):
    return struct.pack("<Q", number)


ARRAY = b"a" + length(3) + b"<f8"
HOSTILE = {
    "no type": b"?",
    "endless list": b"l" + length(2**60),
    "endless text": b"s" + length(2**63),
    "nested beyond reason": (b"l" + length(1)) * 200_000,
    "odd dictionary": b"d" + length(1) + b"N",
    "key without hash": b"d" + length(2) + b"l" + length(0) + b"N",
    "no utf-8": b"s" + length(1) + b"\xff",
    "objects in an array": b"a" + length(3) + b"|O8" + encode((1,)) + encode(bytes(8)),
    "records in an array": b"a" + length(6) + b"f8, f8" + encode((1,)) + encode(bytes(16)),
    "huge array": ARRAY + encode((10**12,)) + encode(bytes(8)),
    "negative shape": ARRAY + encode((-1, -1)) + encode(bytes(8)),
    "shape of texts": ARRAY + encode(("a",)) + encode(bytes(8)),
    "no shape": ARRAY + encode(1) + encode(bytes(8)),
    "no bytes": ARRAY + encode((1,)) + encode("12345678"),
    "no scalar": b"g" + length(3) + b"<f8" + encode(bytes(4)),
    "no such stage": b"e" + length(9) + b"Stage.TEA",
    "no such enumeration": b"e" + length(7) + b"Tea.HOT",
    "handle with too much": b"C" + length(9) + b"N" * 9,
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_invalid_bytes_are_refused(data):
    with pytest.raises(InputError, match="these bytes do not encode a value"):
        decode(data)
