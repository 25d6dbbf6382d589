"""What stands in for a C library on targets without an operating system: square roots, messages, memory."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.native_sources import elementary_sources, native_file, without_libc
from mobod.runtime.compiler import build_library

FLAGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fvisibility=default", "-ffp-contract=off", "-fno-builtin")
NAMES = ("bare.h", "integer_root.c", "bare_memory.h", "bare_memory.c", "bare_text.c")


@pytest.fixture(scope="module")
def library(own_library_cache):
    headers = {name: text for name, text in elementary_sources().items() if name.endswith(".h")}
    own = {name: native_file(name).read_text() for name in NAMES}
    driver = {"bare_driver.c": (Path(__file__).parent / "bare_driver.c").read_text()}
    library = ctypes.CDLL(str(build_library("bare", without_libc(headers | own | driver), flags=(*FLAGS, "-DMOBOD_OWN_SQRT=1"))))
    library.root_of.restype, library.root_of.argtypes = ctypes.c_double, (ctypes.c_double,)
    library.bare_allocate.restype, library.bare_allocate.argtypes = ctypes.c_void_p, (ctypes.c_size_t, ctypes.c_size_t)
    library.bare_give_memory.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    library.bare_taken.restype = ctypes.c_size_t
    return library


def numbers(n):
    """Doubles of all sizes, subnormal ones and whole ones among them."""
    rng = np.random.default_rng(8)
    bits = rng.integers(0, 2**63 - 2**52, size=n, dtype=np.uint64)
    bits[::3] >>= rng.integers(0, 60, size=len(bits[::3]), dtype=np.uint64)
    return np.concatenate([bits.view(np.float64), rng.integers(0, 2**53, size=n).astype(float), np.arange(200.0) ** 2])


def test_roots_by_integers_are_rounded_correctly(library):
    given = numbers(4000)
    assert_array_equal([library.root_of(each) for each in given], np.sqrt(given))
    assert_array_equal([library.root_of(each) for each in (0.0, np.inf)], [0.0, np.inf])
    assert np.signbit(library.root_of(-0.0))
    assert np.isnan([library.root_of(each) for each in (-1.0, -np.inf, np.nan)]).all()


def printed(library, kind, format_, value, size=64):
    text = ctypes.create_string_buffer(b"#" * 80, 80)
    value = {"number": ctypes.c_double, "whole": ctypes.c_int, "text": ctypes.c_char_p}[kind](value)
    length = getattr(library, f"text_of_{kind}")(text, ctypes.c_size_t(size), format_.encode(), value)
    return length, text.value.decode()


@pytest.mark.parametrize("format_", ["%g", "%.3g", "%.6g", "%.15g", "at %.15g s."])
def test_numbers_in_messages_are_those_of_printf(library, format_):
    values = [0.0, 1.0, -2.5, 0.001, 1e-4, 9.9e-5, 123456.0, 999999.7, 1e6, 1.5e-7, -3.25e100, 0.1, 100.0, 1 / 3, 1e15, np.inf, -np.inf]
    for value in values:
        expected = format_ % value
        assert printed(library, "number", format_, value) == (len(expected), expected)


def test_other_parts_of_messages(library):
    assert printed(library, "number", "%.0f steps", 1e9)[1] == "1000000000 steps"
    assert printed(library, "whole", "%d%% of it", -12)[1] == "-12% of it"
    assert printed(library, "whole", "%u", 40)[1] == "40"
    assert printed(library, "text", "'%s' is cut", b"lower", size=9) == (14, "'lower' ")


def test_memory_is_zero_and_what_has_no_room_is_counted(library):
    block = (ctypes.c_double * 8)(*range(1, 9))
    start = ctypes.addressof(block)
    library.bare_give_memory(start, 48)
    assert library.bare_allocate(3, 4) == start
    assert library.bare_allocate(1, 8) == start + 16
    assert list(block) == [0, 0, 0, 4, 5, 6, 7, 8]
    assert library.bare_allocate(10, 8) is None
    assert library.bare_allocate(2**62, 8) is None
    assert library.bare_taken() == 16 + 8 + 80
    library.bare_give_memory(None, 0)
    assert library.bare_allocate(1, 8) is None
