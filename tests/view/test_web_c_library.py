"""What the runtime as WebAssembly has in place of a C library: texts of numbers, and memory."""

import ctypes
import re

import numpy as np
import pytest
from wasmtime import Instance, Store

from mobod.native_sources import web_sources
from mobod.runtime.compiler import build_library
from tests.view.live_runtime import module

_CASES = """\
#define snprintf web_snprintf
#define vsnprintf web_vsnprintf
#define strlen web_strlen
#define strcmp web_strcmp
#include "c_text.c"
#undef snprintf
#define EXPORTED __attribute__((visibility("default")))
EXPORTED int of_web(char *text, size_t size, const char *format, double x) { return web_snprintf(text, size, format, x); }
EXPORTED int of_system(char *text, size_t size, const char *format, double x) { return snprintf(text, size, format, x); }
EXPORTED void others_of_web(char *text, size_t size, const char *format, int i, unsigned long u, const char *s) {
    web_snprintf(text, size, format, i, u, s, s, 3, 0.12345);
}
"""
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_CONVERSION = re.compile(r"%[-+ #0-9.*]*[lhzjtL]*[a-zA-Z%]")


@pytest.fixture(scope="module")
def texts():
    """c_text.c with other names, so that it does not replace the functions of the system."""
    sources = {"cases.c": _CASES.replace('#include "c_text.c"', web_sources()["c_text.c"])}
    return ctypes.CDLL(str(build_library("web_texts", sources)))


def _text(function, form, value, size=1100):
    place = ctypes.create_string_buffer(size)
    length = function(place, ctypes.c_size_t(size), form.encode(), ctypes.c_double(value))
    return place.value.decode(), length


_EDGES = [
    0.0,
    -0.0,
    0.5,
    1.5,
    2.5,
    9.5,
    0.05,
    9.999999999999999e22,
    1e23,
    5e-324,
    2.2250738585072014e-308,
    np.finfo(float).max,
    np.inf,
    -np.inf,
]


@pytest.mark.parametrize("form", ["%g", "%.15g", "%.3g", "%.17g", "%.0g", "%.0f", "%.3f", "%f", "%.1e", "%e"])
def test_numbers_have_the_text_of_the_system_s_c_library(texts, form):
    random = np.random.default_rng(5)
    bits = random.integers(0, 2**64, 400, dtype=np.uint64).view(float)
    plain = np.round(random.normal(size=400) * 10.0 ** random.integers(-3, 6, 400), 3)
    ties = random.integers(-(2**20), 2**20, 200) / 2.0 ** random.integers(0, 12, 200)
    for value in (*_EDGES, *bits[~np.isnan(bits)], *plain, *ties):
        assert _text(texts.of_web, form, value) == _text(texts.of_system, form, value), value


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9])
def test_a_text_that_is_too_long_is_cut_and_its_whole_length_returned(texts, size):
    place = ctypes.create_string_buffer(b"x" * 20)
    assert texts.of_web(place, ctypes.c_size_t(size), b"at %.3f", ctypes.c_double(1.25)) == 8
    assert place.raw[:20] == (b"at 1.250"[: size - 1] + b"\0" if size else b"").ljust(20, b"x")


def test_strings_and_integers_are_written(texts):
    place = ctypes.create_string_buffer(100)
    texts.others_of_web(place, ctypes.c_size_t(100), b"%d, %lu, %s, %.2s, %.*g, 5%%", -120, ctypes.c_ulong(4000000000), b"pin")
    assert place.value == b"-120, 4000000000, pin, pi, 0.123, 5%"


def test_messages_of_the_runtime_have_no_other_conversions():
    conversions = {each for source in web_sources().values() for string in _STRING.findall(source) for each in _CONVERSION.findall(string)}
    assert {"%s", "%g", "%.15g"} <= conversions
    assert [each for each in conversions if not re.fullmatch(r"%(\.(\d+|\*))?(s|l?[du]|zu|[efg])|%%", each)] == []


def test_memory_does_not_overlap_and_is_used_again():
    engine, library = module()
    store = Store(engine)
    exports = Instance(store, library, []).exports(store)
    memory, allocate, release = exports["memory"], exports["live_allocate"], exports["live_release"]
    assert allocate(store, 2**31) == 0  # more than there can be
    random, held = np.random.default_rng(3), {}
    for number in range(3000):
        if held and random.random() < 0.48:
            at = list(held)[random.integers(len(held))]
            size, mark = held.pop(at)
            assert bytes(memory.read(store, at, at + size)) == bytes([mark]) * size
            release(store, at)
        else:
            size = int(random.integers(0, 2 ** random.integers(1, 15)))
            at = allocate(store, size)
            assert at % 16 == 0
            assert at > 0
            memory.write(store, bytes([number % 251]) * size, at)
            held[at] = size, number % 251
    for at in held:
        release(store, at)
    size = memory.data_len(store)
    for _ in range(2):  # all that was released is one piece again: all memory but the stack and the data
        at = allocate(store, size - 2**20 - 2**17)
        assert at > 0
        release(store, at)
    assert memory.data_len(store) == size
