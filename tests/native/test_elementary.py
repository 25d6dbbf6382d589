"""The runtime's elementary functions: accuracy, special values, and the same bits from every compiler."""

import importlib.util
import subprocess
import sys
from math import inf, nan, pi

import numpy as np
import pytest

from build_scripts.elementary_coefficients import HEADER, header
from mobod.runtime.compiler import Compiler
from tests.native import elementary
from tests.native.elementary import NAMES, NUMBERS, WARNINGS, arguments, compiled, largest_error, largest_error_beside_long_doubles, sources


@pytest.fixture(scope="module")
def functions():
    return compiled()


@pytest.mark.parametrize("name", NAMES)
def test_results_differ_from_mpmath_by_less_than_one_ulp(functions, name):
    x, y = arguments(name, seed=1, n=300)
    error, where = largest_error(name, functions(name, x, y), x, y)
    assert error < 1, where


@pytest.mark.slow
@pytest.mark.skipif(np.finfo(np.longdouble).nmant != 63, reason="long double has no 64 bits here")
@pytest.mark.parametrize("name", NAMES)
def test_a_million_results_differ_from_long_doubles_by_less_than_one_ulp(functions, name):
    x, y = arguments(name, seed=2, n=400_000)
    error, where = largest_error_beside_long_doubles(name, functions(name, x, y), x, y)
    print(f"{name}: {error:.3f} units in the last place, {where}")
    assert error < 1, where


@pytest.mark.slow
def test_sincos_matches_sin_and_cos_bit_for_bit(functions):
    x = np.concatenate([arguments("sin", seed=3, n=300)[0], [0.0, -0.0, inf, -inf, nan]])
    assert bits(functions("sin", x)) == bits(functions("sine_of_both", x))
    assert bits(functions("cos", x)) == bits(functions("cosine_of_both", x))


@pytest.mark.fast(4)
@pytest.mark.parametrize(("name", "sign"), [("sin", -1), ("tan", -1), ("asin", -1), ("atan", -1), ("sinh", -1), ("tanh", -1), ("cos", 1)])
def test_odd_functions_and_cosine_are_symmetric_bit_for_bit(functions, name, sign):
    x, _ = arguments(name, seed=4, n=300)
    assert bits(functions(name, -x)) == bits(sign * functions(name, x))


@pytest.mark.parametrize(
    ("name", "results"),
    [
        ("sin", [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (5e-324, 5e-324)]),
        ("cos", [(0.0, 1.0), (-0.0, 1.0), (inf, nan), (-inf, nan)]),
        ("tan", [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (-5e-324, -5e-324)]),
        ("asin", [(0.0, 0.0), (-0.0, -0.0), (1.0, pi / 2), (-1.0, -pi / 2), (1.0000000000000002, nan), (-2.0, nan), (inf, nan)]),
        ("acos", [(1.0, 0.0), (-1.0, pi), (0.0, pi / 2), (-0.0, pi / 2), (1.0000000000000002, nan), (-inf, nan)]),
        ("atan", [(0.0, 0.0), (-0.0, -0.0), (inf, pi / 2), (-inf, -pi / 2), (1.0, pi / 4)]),
        ("exp", [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0), (710.0, inf), (-746.0, 0.0), (1e300, inf), (-1e300, 0.0)]),
        ("log", [(1.0, 0.0), (0.0, -inf), (-0.0, -inf), (inf, inf), (-1.0, nan), (-inf, nan), (-5e-324, nan)]),
        ("sinh", [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf), (711.0, inf), (-711.0, -inf)]),
        ("cosh", [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, inf), (-711.0, inf)]),
        ("tanh", [(0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (20.0, 1.0), (-1e300, -1.0)]),
        (
            "floor",
            [
                (0.0, 0.0),
                (-0.0, -0.0),
                (-0.5, -1.0),
                (0.5, 0.0),
                (2.0, 2.0),
                (-2.0, -2.0),
                (4503599627370495.5, 4503599627370495.0),
                (-inf, -inf),
            ],
        ),
        ("ceil", [(0.0, 0.0), (-0.0, -0.0), (-0.5, -0.0), (0.5, 1.0), (2.0, 2.0), (-2.0, -2.0), (1e300, 1e300), (inf, inf)]),
    ],
)
def test_special_values_of_functions_of_one_argument_match_c99(functions, name, results):
    x, expected = np.array([*results, (nan, nan)] if name in ("floor", "ceil") else [*results, (nan, nan), (-nan, nan)]).T
    assert bits(functions(name, x)) == bits(expected)


def test_special_values_of_atan2_match_c99(functions):
    rows = [(0.0, -0.0, pi), (0.0, 0.0, 0.0), (0.0, -3.0, pi), (0.0, 3.0, 0.0), (3.0, 0.0, pi / 2), (3.0, -0.0, pi / 2)]
    rows += [(3.0, -inf, pi), (3.0, inf, 0.0), (inf, 3.0, pi / 2), (inf, -1e308, pi / 2), (inf, 1e308, pi / 2)]
    rows += [(inf, -inf, 3 * pi / 4), (inf, inf, pi / 4), (0.0, -inf, pi), (0.0, inf, 0.0), (inf, 0.0, pi / 2)]
    rows += [(5e-324, 1e300, 0.0), (5e-324, 5e-324, pi / 4), (1e308, 1e308, pi / 4), (5e-324, -1e300, pi)]
    rows += [(-y, x, -angle) for y, x, angle in rows]
    rows += [(nan, 1.0, nan), (1.0, nan, nan), (nan, inf, nan), (-inf, nan, nan)]
    assert_rows(functions, "atan2", rows)


def test_special_values_of_powers_match_c99(functions):
    odd, even, half = 3.0, 4.0, 2.5
    rows = [(0.0, -odd, inf), (-0.0, -odd, -inf), (0.0, -half, inf), (-0.0, -half, inf), (-0.0, -even, inf), (-0.0, -inf, inf)]
    rows += [(0.0, odd, 0.0), (-0.0, odd, -0.0), (0.0, half, 0.0), (-0.0, half, 0.0), (-0.0, even, 0.0), (-0.0, inf, 0.0)]
    rows += [
        (-1.0, inf, 1.0),
        (-1.0, -inf, 1.0),
        *((1.0, y, 1.0) for y in (0.7, inf, -inf, nan)),
        *((x, 0.0, 1.0) for x in (-2.0, inf, nan)),
    ]
    rows += [(nan, -0.0, 1.0), (-2.0, half, nan), (-0.5, 1e-300, nan)]
    rows += [(0.5, -inf, inf), (-0.5, -inf, inf), (2.0, -inf, 0.0), (-2.0, -inf, 0.0)]
    rows += [(0.5, inf, 0.0), (-0.5, inf, 0.0), (2.0, inf, inf), (-2.0, inf, inf)]
    rows += [(-inf, -odd, -0.0), (-inf, -half, 0.0), (-inf, -even, 0.0), (-inf, odd, -inf), (-inf, half, inf), (-inf, even, inf)]
    rows += [(inf, -0.3, 0.0), (inf, 0.3, inf), (nan, 1.0, nan), (2.0, nan, nan), (-inf, nan, nan)]
    rows += [(-2.0, 3.0, -8.0), (-2.0, 4.0, 16.0), (-2.0, 1023.0, -(2.0**1023)), (-2.0, 1025.0, -inf), (-2.0, -1075.0, -0.0)]
    rows += [
        (-1.0, 2.0**53 - 1, -1.0),
        (-1.0, 2.0**53, 1.0),
        (-1.0, 1e300, 1.0),
        (2.0, 1e300, inf),
        (0.5, 1e300, 0.0),
        (2.0, -1074.0, 5e-324),
    ]
    rows += [(5e-324, 1.0, 5e-324), (np.nextafter(1, 2), 1e300, inf), (np.nextafter(1, 0), 1e300, 0.0), (10.0, 2.0, 100.0)]
    assert_rows(functions, "pow", rows)


def test_special_values_of_hypot_match_c99(functions):
    rows = [(inf, nan, inf), (nan, -inf, inf), (-inf, 1.0, inf), (nan, 1.0, nan), (0.0, -0.0, 0.0), (-0.0, -0.0, 0.0), (-3.0, 4.0, 5.0)]
    rows += [(1e308, 0.0, 1e308), (5e-324, 0.0, 5e-324), (1.5e308, 1.5e308, inf), (3e-310, 4e-310, 5e-310), (3e300, 4e300, 5e300)]
    assert_rows(functions, "hypot", rows)


def test_fmin_and_fmax_ignore_nan_as_in_c(functions):
    assert_rows(functions, "fmax", [(1.0, 2.0, 2.0), (2.0, 1.0, 2.0), (nan, 1.0, 1.0), (1.0, nan, 1.0), (-inf, inf, inf)])
    assert_rows(functions, "fmin", [(1.0, 2.0, 1.0), (2.0, 1.0, 1.0), (nan, 1.0, 1.0), (1.0, nan, 1.0), (-inf, inf, -inf)])


def test_exact_functions_equal_those_of_numpy(functions):
    x, y = arguments("atan2", seed=5, n=300)
    edges = [0.0, -0.0, 5e-324, -5e-324, inf, -inf, 2.0**52, -(2.0**52), 2.0**52 - 0.5, 1.7976931348623157e308]
    x = np.concatenate([x, edges, np.arange(-3, 3.5, 0.5)])
    y = np.resize(y, len(x))
    for name, function in (("floor", np.floor), ("ceil", np.ceil)):
        assert bits(functions(name, x)) == bits(function(x))
    assert bits(functions("sqrt", np.abs(x))) == bits(np.sqrt(np.abs(x)))
    assert bits(functions("copysign", x, y)) == bits(np.copysign(x, y))
    for name, way in (("next_above", inf), ("next_below", -inf)):
        with np.errstate(over="ignore"):
            assert bits(functions(name, x)) == bits(np.nextafter(x, way))


@pytest.mark.slow
def test_the_coefficients_match_those_of_their_script():
    assert HEADER.read_text(encoding="utf-8") == header()


def samples(n: int) -> list[tuple[str, np.ndarray, np.ndarray]]:
    special = np.array([0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 5e-324, -1e308])
    pairs = np.array([(a, b) for a in special for b in special]).T
    every = [(name, *arguments(name, seed=6, n=n)) for name in NAMES]
    return [(name, np.concatenate([x, pairs[0]]), np.concatenate([y, pairs[1]])) for name, x, y in every]


@pytest.mark.slow
def test_unoptimised_code_gives_the_same_bits(functions):
    unoptimised = compiled(["-O0", "-fno-builtin"])
    for name, x, y in samples(300):
        assert bits(unoptimised(name, x, y)) == bits(functions(name, x, y)), name


@pytest.mark.slow
def test_another_compiler_gives_the_same_bits(functions):
    if importlib.util.find_spec("ziglang") is None or sys.platform != "linux":
        pytest.skip("ziglang, the other compiler, is not installed, or this is not Linux")
    clang = compiled(compiler=Compiler((sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-linux-gnu.2.17"), "0"))
    for name, x, y in samples(300):
        assert bits(clang(name, x, y)) == bits(functions(name, x, y)), name


@pytest.mark.slow
@pytest.mark.skipif(not elementary.found("qemu-aarch64"), reason="qemu-aarch64 is not installed")
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed")
def test_another_processor_gives_the_same_bits(functions, tmp_path):
    for name, text in sources().items():
        (tmp_path / name).write_text(text)
    units = [name for name in sources() if name.endswith(".c")]
    flags = [*WARNINGS, "-O2", "-std=c99", "-ffp-contract=off", "-fno-math-errno", "-DAS_PROGRAM", "-static"]
    compiler = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl"]
    subprocess.run([*compiler, *flags, *units, "-o", "program"], cwd=tmp_path, check=True)
    every = samples(3000)
    given = b"".join(np.array([NUMBERS[name], len(x)], dtype=np.int32).tobytes() + x.tobytes() + y.tobytes() for name, x, y in every)
    answer = subprocess.run(["qemu-aarch64", "./program"], cwd=tmp_path, input=given, capture_output=True, check=True).stdout
    results = np.split(np.frombuffer(answer), np.cumsum([len(x) for _, x, _ in every])[:-1])
    for (name, x, y), result in zip(every, results, strict=True):
        assert bits(result) == bits(functions(name, x, y)), name


def assert_rows(functions, name: str, rows: list[tuple[float, float, float]]) -> None:
    x, y, expected = np.array(rows).T
    wrong = [row for row, a, b in zip(rows, bits(functions(name, x, y)), bits(expected), strict=True) if a != b]
    assert not wrong


def bits(numbers: np.ndarray) -> list[int]:
    return np.ascontiguousarray(numbers).view(np.int64).tolist()
