"""Philox4x32-10 and normal numbers: published vectors, an independent implementation, and the distribution."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from mobod.native_sources import elementary_sources, native_file
from mobod.runtime.compiler import build_library, has_zig
from tests.native.slave import c_compiler

STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fvisibility=default", "-ffp-contract=off")
MASK = 2**32 - 1
DRIVER = Path(__file__).parent / "random_driver.c"


class Block(ctypes.Structure):
    """PhiloxBlock of philox.h."""

    _fields_ = (("words", ctypes.c_uint32 * 4),)


def own_sources():
    own = {name: native_file(name).read_text() for name in ("philox.c", "philox.h", "normal_numbers.c", "normal_numbers.h")}
    return elementary_sources() | own


def built(*flags):
    library = ctypes.CDLL(str(build_library("random", own_sources(), flags=(*STRICT, *flags))))
    library.philox_4x32_10.restype = Block
    library.philox_4x32_10.argtypes = (Block, ctypes.c_uint32, ctypes.c_uint32)
    return library


@pytest.fixture(scope="module")
def library(own_library_cache):
    return built()


def in_c(library, counter, key):
    return list(library.philox_4x32_10(Block((ctypes.c_uint32 * 4)(*counter)), *key).words)


def philox(counter, key):
    """In Python integers, from the description in section 3.3 of the paper."""
    (l0, r0, l1, r1), (k0, k1) = counter, key  # two pairs; each round multiplies the left ones
    for _ in range(10):
        p0, p1 = 0xD2511F53 * l0, 0xCD9E8D57 * l1
        l0, r0, l1, r1 = (p1 >> 32) ^ r0 ^ k0, p1 & MASK, (p0 >> 32) ^ r1 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return [l0, r0, l1, r1]


def normals(library, seed, sample, name=(0x1234, 0x5678), n=6):
    draw, result = np.array([seed, sample, *name], dtype=float), np.full(n + 1, np.nan)
    library.draw_normal_numbers(
        *(ctypes.c_void_p(each.ctypes.data) if isinstance(each, np.ndarray) else each for each in (draw, n, result))
    )
    assert np.isnan(result[-1])
    return result[:-1]


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [  # known answers of the authors' library Random123
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_philox_has_the_known_answers_of_its_authors(library, counter, key, expected):
    counter, key, expected = ([int(each, 16) for each in text.split()] for text in (counter, key, expected))
    assert in_c(library, counter, key) == expected
    assert philox(counter, key) == expected


def test_philox_in_c_is_philox_in_python_integers(library):
    words = np.random.default_rng(5).integers(0, 2**32, size=(300, 6)).tolist()
    assert [in_c(library, row[:4], row[4:]) for row in words] == [philox(row[:4], row[4:]) for row in words]


def test_normal_numbers_are_box_and_mullers_of_the_bits(library):
    """The key is the seed and a half of the name, the counter the sample, the pair of entries and the other half."""
    for seed, sample in ((0, 0), (7, 3), (2**32 - 1, 2**40 + 5), (11, -2)):
        expected = []
        for pair in range(3):
            a, b, c, d = philox([sample & MASK, sample >> 32 & MASK, pair, 0x5678], [seed, 0x1234])
            u, v = (((high << 32 | low) >> 12) * 2.0**-52 + 2.0**-53 for high, low in ((a, b), (c, d)))
            expected += [np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v), np.sqrt(-2 * np.log(u)) * np.sin(2 * np.pi * v)]
        assert_allclose(normals(library, seed, sample), expected, rtol=0, atol=1e-14)  # of libm's functions
        assert_array_equal(normals(library, seed, sample, n=3), normals(library, seed, sample)[:3])


def test_what_is_no_whole_number_counts_as_zero(library):
    """A state of an FMU may hold any bits."""
    zero = normals(library, 0, 0)
    for odd in (np.nan, np.inf, -np.inf, 1e300, 0.5):
        assert_array_equal(normals(library, odd, odd), zero)


def test_normal_numbers_have_their_distribution_and_no_correlation(library):
    """Of 6,000 samples of 6 entries. Bounds of 5 standard errors; the seed is fixed, so that the test cannot fail by chance."""
    n = 6_000
    drawn = np.array([normals(library, 3, sample) for sample in range(n)])
    every = drawn.ravel()
    error = 1 / np.sqrt(every.size)
    assert abs(every.mean()) < 5 * error
    assert abs(every.var() - 1) < 5 * np.sqrt(2) * error
    assert abs(stats.skew(every)) < 5 * np.sqrt(6) * error
    assert abs(stats.kurtosis(every)) < 5 * np.sqrt(24) * error
    assert stats.kstest(every, "norm").pvalue > 1e-3
    others = [
        np.array([normals(library, *key)[0] for key in keys])
        for keys in ([(4, k) for k in range(n)], [(3, k, (0x1234, 0x5679)) for k in range(n)])
    ]
    columns = [*drawn.T, *(np.roll(drawn[:, 0], lag) for lag in (1, 2, 7)), *others]
    assert np.abs(np.corrcoef(columns) - np.eye(len(columns))).max() < 5 / np.sqrt(n)


@pytest.mark.slow
def test_normal_numbers_have_the_same_bits_without_optimisation(library):
    plain = built("-O0")
    for sample in range(300):
        assert normals(plain, 9, sample).tobytes() == normals(library, 9, sample).tobytes()


def printed(folder, command, emulator=()):
    """The lines of random_driver.c, compiled by a command."""
    for name, text in own_sources().items():
        (folder / name).write_text(text)
    units = [str(folder / name) for name in own_sources() if name.endswith(".c")]
    program = folder / "program.exe"
    flags = ["-std=c99", "-O2", "-ffp-contract=off", "-fno-math-errno", "-I", str(folder)]
    subprocess.run([*command, *flags, str(DRIVER), *units, "-o", str(program), "-lm"], check=True)
    done = subprocess.run([*emulator, str(program)], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "emulators"),
    [
        ("aarch64-linux-musl", ["qemu-aarch64"]),
        ("arm-linux-musleabihf", ["qemu-arm"]),
        ("x86_64-windows-gnu", ["wine64", "/usr/lib/wine/wine64"]),
    ],
)
def test_normal_numbers_have_the_same_bits_on_other_platforms(tmp_path, target, emulators):
    if not has_zig():
        pytest.skip("ziglang is not installed: the extra `compiler`")
    emulator = next((found for name in emulators if (found := shutil.which(name))), None)
    if emulator is None:
        pytest.skip(f"{emulators[0]} is not installed: apt-get install qemu-user wine64")
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    found = printed(there, [sys.executable, "-m", "ziglang", "cc", "-target", target], [emulator])
    assert len(found) == 1400
    assert found == printed(here, [c_compiler()])
