"""The elementary functions of Numbers with several lanes have the bits of those of doubles, in each lane."""

import ctypes
import importlib.util
import platform
import subprocess
import sys
from itertools import product
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

from mobod.native_sources import elementary_sources, native_file
from mobod.runtime.compiler import Compiler, build_library
from tests.native import elementary
from tests.native.elementary import HERE, WARNINGS, Arguments, arguments, around, compiled, of_all_sizes

_OF_ONE = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sinh", "cosh", "tanh", "sine_of_both", "cosine_of_both"),
    *("floor", "sqrt"),
)
_OF_TWO = ("atan2", "pow", "copysign")
NUMBERS = {name: number for number, name in enumerate(_OF_ONE)} | {name: 100 + number for number, name in enumerate(_OF_TWO)}
_SIMILAR = {"sine_of_both": "sin", "cosine_of_both": "cos", "floor": "atan", "sqrt": "log", "copysign": "atan2"}
# where the paths of the functions meet
_BORDERS = (
    *(2.0**-1022, 2.0**-450, 2.0**-27, 0.375, 0.5, 0.5**0.5, 0.75, 1.0, 2.0**0.5, np.tan(np.pi / 8), 40.0, 708.0, 709.8, 745.2, 800.0),
    *(12800.0, 2.0**24, 2.0**52, 2.0**53, 2.0**80, 2.0**450, 1e308),
)
_LANES_FILES = ("lanes_elementary.c", "lanes_number.h")


def widths() -> dict[int, tuple[str, ...]]:
    """Number of lanes -> flags for the compiler, of those vectors that this processor has."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return {2: ()}
    information = Path("/proc/cpuinfo")
    found = set(information.read_text().split()) if information.is_file() else set()
    wide = {4: ("avx2", "-mavx2"), 8: ("avx512f", "-mavx512f")}
    return {2: ("-msse2",)} | {lanes: (flag,) for lanes, (name, flag) in wide.items() if name in found}


def sources() -> dict[str, str]:
    files = {name: native_file(name).read_text(encoding="utf-8") for name in _LANES_FILES}
    return elementary_sources() | files | {"loops.c": (HERE / "lanes_elementary_loops.c").read_text()}


def library(lanes: int, compiler: Compiler | None = None) -> ctypes.CDLL:
    flags = (*WARNINGS, f"-DMOBOD_LANES={lanes}", *widths()[lanes])
    return ctypes.CDLL(str(build_library("lanes_elementary", sources(), flags=flags, compiler=compiler)))


@pytest.fixture(scope="module")
def functions():
    return compiled()


@pytest.fixture(scope="module", params=widths(), ids="{} lanes".format)
def lanes(request):
    return library(request.param)


def over_lanes(loaded: ctypes.CDLL, name: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    result = np.zeros_like(x)
    loaded.apply(NUMBERS[name], len(x), *(ctypes.c_void_p(array.ctypes.data) for array in (x, y, result)))
    return result


def samples(name: str, n: int) -> Arguments:
    """Arguments of each kind, in their order: most vectors have arguments of one kind. Their number is a multiple of 8."""
    generator = np.random.default_rng(7)
    x, y = arguments(_SIMILAR.get(name, name), seed=7, n=n)
    borders = np.concatenate([around(_BORDERS), [0.0, -0.0, inf, -inf, nan, 5e-324, -5e-324, 1.7976931348623157e308]])
    pairs = np.array(list(product(borders, borders))).T
    any_bits = generator.integers(0, 2**64, (2, n), dtype=np.uint64).view(float)
    sizes = of_all_sizes(generator, n)
    x = np.concatenate([x, pairs[0], any_bits[0], sizes])
    y = np.concatenate([y, pairs[1], any_bits[1], np.resize(y, n)])
    whole = len(x) // 8 * 8
    return x[:whole], y[:whole]


def bits(numbers: np.ndarray) -> np.ndarray:
    """The bits of numbers, with one kind of NaN."""
    return np.where(np.isnan(numbers), nan, numbers).view(np.int64)


def assert_equal_bits(name: str, computed: np.ndarray, expected: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    different = np.flatnonzero(bits(computed) != bits(expected))
    assert not len(different), [f"{name}({x[i].hex()}, {y[i].hex()}) = {computed[i].hex()}, not {expected[i].hex()}" for i in different[:5]]


@pytest.mark.fast(18)
@pytest.mark.parametrize("name", NUMBERS)
def test_each_lane_has_the_bits_of_the_function_of_doubles(functions, lanes, name):
    x, y = samples(name, 20_000)
    assert_equal_bits(name, over_lanes(lanes, name, x, y), functions(name, x, y), x, y)


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
def test_a_lane_does_not_depend_on_the_other_lanes(functions, lanes, name):
    x, y = samples(name, 20_000)
    order = np.random.default_rng(8).permutation(len(x))  # lanes of one vector take different paths
    assert_equal_bits(name, over_lanes(lanes, name, x[order], y[order]), functions(name, x, y)[order], x[order], y[order])


@pytest.mark.fast(18)
@pytest.mark.parametrize("name", NUMBERS)
def test_one_uncommon_lane_leaves_the_others_as_they_are(functions, lanes, name):
    """An uncommon argument in each place of a vector of common ones."""
    uncommon = np.array([nan, inf, -1e300, 5e-324, 0.0, -0.0, *_BORDERS])
    x, y = np.random.default_rng(9).uniform(0.1, 0.9, (2, len(uncommon), 8, 8))
    x[:, np.arange(8), np.arange(8)] = uncommon[:, None]
    x, y = x.ravel(), y.ravel()
    assert_equal_bits(name, over_lanes(lanes, name, x, y), functions(name, x, y), x, y)


@pytest.mark.fast(1)
def test_masks_are_read_right(lanes):
    assert lanes.masks_are_read_right()


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None or sys.platform != "linux", reason="ziglang is not installed, or no Linux")
@pytest.mark.parametrize("width", widths())
def test_another_compiler_gives_the_same_bits_in_each_lane(functions, width):
    target = f"{platform.machine()}-linux-gnu.2.17"
    clang = library(width, Compiler((sys.executable, "-m", "ziglang", "cc", "-target", target), "0"))
    assert clang.masks_are_read_right()
    for name in NUMBERS:
        x, y = samples(name, 3000)
        assert_equal_bits(name, over_lanes(clang, name, x, y), functions(name, x, y), x, y)


@pytest.mark.slow
@pytest.mark.skipif(not elementary.found("qemu-aarch64"), reason="qemu-aarch64 is not installed")
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed")
def test_another_processor_gives_the_same_bits_in_each_lane(functions, tmp_path):
    for name, text in sources().items():
        (tmp_path / name).write_text(text)
    units = [name for name in sources() if name.endswith(".c")]
    flags = [*WARNINGS, "-O2", "-std=c99", "-ffp-contract=off", "-fno-math-errno", "-DMOBOD_LANES=2", "-DAS_PROGRAM", "-static"]
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl"]
    subprocess.run([*compiler, *flags, *units, "-o", "program"], cwd=tmp_path, check=True)
    every = [(name, *samples(name, 3000)) for name in NUMBERS]
    given = b"".join(np.array([NUMBERS[name], len(x)], dtype=np.int32).tobytes() + x.tobytes() + y.tobytes() for name, x, y in every)
    answer = subprocess.run(["qemu-aarch64", "./program"], cwd=tmp_path, input=given, capture_output=True, check=True).stdout
    results = np.split(np.frombuffer(answer), np.cumsum([len(x) for _, x, _ in every])[:-1])
    for (name, x, y), result in zip(every, results, strict=True):
        assert_equal_bits(name, result, functions(name, x, y), x, y)
