"""fmu_src/native/history.c and its twin, mobod.numerics.history: the same memory after the same calls, to the bit."""

import ctypes

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mobod.native_sources import native_sources
from mobod.numerics.history import History, history_size
from mobod.runtime.compiler import build_library

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fvisibility=default", "-ffp-contract=off")
GUARD = -123.25  # behind each array that C writes
N, CAPACITY = 3, 7

reals = ctypes.POINTER(ctypes.c_double)


class HistoryInC(ctypes.Structure):
    """As in history.h."""

    _fields_ = (("memory", reals), ("capacity", ctypes.c_int), ("n", ctypes.c_int))


class Past(ctypes.Structure):
    """As in history.h."""

    _fields_ = (("value", ctypes.c_double), ("rate", ctypes.c_double), ("bend", ctypes.c_double))


def pointer(array):
    return array.ctypes.data_as(reals)


@pytest.fixture(scope="module")
def library():
    sources = {name: (native_sources() / name).read_text() for name in ("history.c", "history.h", "elementary.h")}
    library = ctypes.CDLL(str(build_library("history", sources, flags=STRICT)))
    library.history_at.restype = Past
    return library


def test_the_same_calls_leave_the_same_bits(library):
    rng = np.random.default_rng(31)
    size = history_size(CAPACITY, N)
    past = History(np.zeros(size), N)
    memory = np.append(np.zeros(size), GUARD)
    in_c = ctypes.byref(HistoryInC(pointer(memory), CAPACITY, N))
    time, refused, jumps = 0.0, 0, 0
    for _ in range(2000):
        time += rng.choice([0.0, rng.uniform(0, 0.1)])
        match rng.integers(12):
            case 0 | 1 | 2:
                bound = time - rng.uniform(0, 0.5)
                past.forget_before(bound)
                library.history_forget_before(in_c, ctypes.c_double(bound))
            case 3:
                bound = time = time - rng.uniform(0, 0.1)
                past.forget_after(bound)
                library.history_forget_after(in_c, ctypes.c_double(bound))
            case 4 if past.count:
                past.forget_newest()
                library.history_forget_newest(in_c)
            case 5 if rng.integers(8) == 0:
                past.forget()
                library.history_forget(in_c)
            case _:
                entry = np.array([time, *rng.normal(size=2 * N)])
                has_room = past.record(entry)
                assert library.history_record(in_c, pointer(entry)) == has_room
                refused += not has_room
        assert_array_equal(memory[:-1], past.memory)
        assert memory[-1] == GUARD
        asked = time - rng.uniform(-0.1, 0.6)
        assert library.history_find(in_c, ctypes.c_double(asked)) == past.find(asked)
        if past.count:
            jumps += past.count > 1 and past.time(0) == past.time(1)
            found = library.history_find(in_c, ctypes.c_double(asked))
            in_each = [library.history_at(in_c, found, ctypes.c_double(asked), which) for which in range(N)]
            assert library.history_knows_start(in_c) == past.knows_start
            assert_array_equal([[each.value, each.rate, each.bend] for each in in_each], np.transpose(past.at(asked)))
    assert refused > 20
    assert jumps > 20
