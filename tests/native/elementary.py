"""The runtime's elementary functions over arrays, their arguments, and how far they are from the exact values."""

import ctypes
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from mpmath import mp, mpf

from mobod.native_sources import elementary_sources
from mobod.runtime.compiler import Compiler, build_library

HERE = Path(__file__).parent
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
_OF_ONE = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sinh", "cosh", "tanh", "sine_of_both", "cosine_of_both"),
    *("floor", "ceil", "next_above", "next_below", "sqrt"),
)
_OF_TWO = ("atan2", "pow", "hypot", "fmax", "fmin", "copysign")
NUMBERS = {name: number for number, name in enumerate(_OF_ONE)} | {name: 100 + number for number, name in enumerate(_OF_TWO)}
NAMES = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "pow", "sinh", "cosh", "tanh", "hypot")

_BITS = 160  # precision of mpmath's numbers

Arguments = tuple[np.ndarray, np.ndarray]  # x and y; functions of one argument ignore y


@dataclass(frozen=True)
class Functions:
    """`functions("atan2", y, x)`: the C function over arrays."""

    library: ctypes.CDLL

    def __call__(self, name: str, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
        x = np.ascontiguousarray(x, dtype=float)
        y = x if y is None else np.ascontiguousarray(y, dtype=float)
        result = np.full_like(x, np.nan)
        self.library.apply(NUMBERS[name], len(x), *(ctypes.c_void_p(array.ctypes.data) for array in (x, y, result)))
        return result


def sources() -> dict[str, str]:
    return elementary_sources() | {"loops.c": (HERE / "elementary_loops.c").read_text()}


def compiled(flags: Sequence[str] = (), compiler: Compiler | None = None) -> Functions:
    return Functions(ctypes.CDLL(str(build_library("elementary", sources(), flags=(*WARNINGS, *flags), compiler=compiler))))


def exact(name: str, x: float, y: float) -> mpf:
    """The exact value, with more digits than a comparison needs; finite arguments within the function's domain."""
    with mp.workprec(_BITS):
        a, b = mpf(x), mpf(y)
        match name:
            case "atan2":
                return mp.atan2(a, b)
            case "pow":
                return mp.power(a, b)
            case "hypot":
                return mp.sqrt(a * a + b * b)
        return getattr(mp, name)(a)


def largest_error(name: str, computed: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[float, str]:
    """The largest error in units in the last place of the exact values, and its argument."""
    errors = [error_in_ulps(c, exact(name, a, b)) for c, a, b in zip(computed.tolist(), x.tolist(), y.tolist(), strict=True)]
    worst = int(np.argmax(errors))
    return errors[worst], f"{name}({x[worst].hex()}, {y[worst].hex()}) = {computed[worst].hex()}"


def error_in_ulps(computed: float, value: mpf) -> float:
    """The error in ulps. Where the nearest double is infinite, infinity is exact; NaN has an infinite error."""
    with mp.workprec(_BITS):
        if computed in (np.inf, -np.inf):
            return 0.0 if abs(value) >= mpf(2) ** 1024 - mpf(2) ** 970 and (value > 0) == (computed > 0) else np.inf
        if computed != computed:
            return np.inf
        exponent = max(mp.frexp(abs(value))[1] - 53, -1074) if value else -1074
        return float(abs(mpf(computed) - value) * mpf(2) ** -exponent)


def near_multiples_of_half_pi() -> np.ndarray:
    """Doubles that are nearer to a multiple of pi/2 than their neighbours: of each exponent the denominators of the continued fraction.

    m 2^e lies near n pi/2 where n / m is a convergent of 2^e 2/pi. Source: Muller, Elementary Functions (2016).
    """
    with mp.workprec(2400):
        two_over_pi = Fraction(int(mp.floor(mp.ldexp(2 / mp.pi, 2300))), 1 << 2300)
    found = set()
    for e in range(-60, 971):
        rest, before, denominator = two_over_pi * Fraction(2) ** e % 1, 0, 1
        while rest and denominator < 1 << 53:
            if denominator >= 1 << 50:
                found.add(float(denominator) * 2.0**e)
            rest = 1 / rest
            before, denominator = denominator, int(rest) * denominator + before
            rest -= int(rest)
    return np.array(sorted(found))


def of_all_sizes(generator: np.random.Generator, n: int, low: int = -1074, high: int = 1023) -> np.ndarray:
    """Numbers of both signs, with consecutive exponents from low to high."""
    exponents = np.linspace(low, high, n).round().astype(int)
    return np.ldexp(generator.uniform(1, 2, n), exponents) * generator.choice([-1, 1], n)


def around(places: Sequence[float]) -> np.ndarray:
    """Each place, with both signs, and its neighbours."""
    each = np.array([place for near in places for place in (near, np.nextafter(near, np.inf), np.nextafter(near, 0))])
    return np.concatenate([each, -each])


def _beside(generator: np.random.Generator, n: int, place: float) -> np.ndarray:
    """Numbers at distances of all sizes from a place."""
    return place * (1 + of_all_sizes(generator, n, -53, -2))


def arguments(name: str, seed: int, n: int) -> Arguments:
    """About n arguments in the function's domain: of all sizes, ordinary ones, near its zeros and near its own thresholds."""
    generator = np.random.default_rng(seed)
    sizes, unit = of_all_sizes(generator, n), generator.uniform(-1, 1, n)
    inside = np.concatenate([of_all_sizes(generator, n, -1074, -1), unit, _beside(generator, n // 2, 1.0).clip(-1, 1), around([0.5, 1.0])])
    inside = np.concatenate([inside, -_beside(generator, n // 2, 1.0).clip(-1, 1)]).clip(-1, 1)
    growing = np.concatenate([of_all_sizes(generator, n // 2, -1074, 9), 2 * unit, 50 * unit, 760 * unit])
    match name:
        case "sin" | "cos" | "tan":
            turns = generator.integers(1, 8149, n // 2) * (np.pi / 2)
            hard = near_multiples_of_half_pi() if n < 10_000 else np.zeros(0)
            quarters = (2 * generator.integers(0, 4000, n // 2) + 1) * (np.pi / 4)
            x = [sizes, 4 * unit, 1000 * unit, 13000 * unit, turns, quarters, 2e7 * unit, hard, around([2.0**-27, 12800.0, 2.0**24])]
            return _both(np.concatenate(x))
        case "asin" | "acos":
            return _both(inside)
        case "atan":
            eighths = around([np.tan(np.pi / 8), np.tan(3 * np.pi / 8), 1.0, 2.0**-450, 2.0**450])
            return _both(np.concatenate([sizes, 2 * unit, 10 * unit, eighths]))
        case "exp":
            return _both(np.concatenate([growing, around([708.0, 709.782712893384, 708.3964185322641, 745.1332191019411])]))
        case "log":
            return _both(np.abs(np.concatenate([sizes, 3 * unit, _beside(generator, n, 1.0), around([2.0**-1022, 0.5**0.5, 2**0.5])])))
        case "sinh" | "cosh" | "tanh":
            return _both(np.concatenate([growing, around([0.375, 0.75, 40.0, 710.4758600739439, 745.13])]))
        case "hypot" | "atan2":
            with np.errstate(over="ignore"):
                similar = sizes * generator.uniform(-2, 2, n)
            others = [
                of_all_sizes(generator, n)[generator.permutation(n)],
                similar,
                generator.uniform(-1, 1, n),
            ]
            small = of_all_sizes(generator, 2 * n, -1074, -1000)
            limits = around([2.0**-450, 2.0**450, 2.0**-400, 2.0**500])
            x = np.concatenate([sizes, sizes, unit, small[:n], limits])
            y = np.concatenate([*others, small[n:], limits * generator.uniform(-2, 2, len(limits))])
            return _finite(x, y)
        case "pow":
            powers = np.concatenate([10 * unit, of_all_sizes(generator, n, -60, 60)])
            x = np.abs(np.concatenate([10 * generator.uniform(0, 1, n), _beside(generator, n, 1.0), sizes, sizes]))
            y = np.concatenate([powers, of_all_sizes(generator, n, -60, 9), 745 * unit / np.log(np.maximum(x[-n:], 1e-300))])
            whole = generator.integers(-9, 10, n).astype(float)
            return _within_doubles(np.concatenate([x, 10 * unit]), np.concatenate([y, whole]))
    raise ValueError(name)


def _both(x: np.ndarray) -> Arguments:
    return x, x


def _finite(x: np.ndarray, y: np.ndarray) -> Arguments:
    return np.nan_to_num(x, posinf=1e308, neginf=-1e308), np.nan_to_num(y, posinf=1e308, neginf=-1e308)


def _within_doubles(x: np.ndarray, y: np.ndarray) -> Arguments:
    """Arguments without those for which mpmath would compute numbers of millions of digits."""
    fits = (x != 0) & (np.abs(y) * np.maximum(np.abs(np.log(np.abs(x))), 1e-300) < 1e4)
    return x[fits], y[fits]


def found(program: str) -> bool:
    return shutil.which(program) is not None


LONG_DOUBLE: dict[str, Callable[..., np.ndarray]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "exp": np.exp,
    "log": np.log,
    "pow": np.power,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "hypot": np.hypot,
}


def largest_error_beside_long_doubles(name: str, computed: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[float, str]:
    """As largest_error, but with libm's functions of 64 bits, whose own error of some units in their last place is below 0.01 here."""
    wide = np.longdouble
    with np.errstate(all="ignore"):
        arguments = (wide(x), wide(y)) if NUMBERS[name] >= 100 else (wide(x),)
        value = LONG_DOUBLE[name](*arguments)
        ulp = np.ldexp(wide(1), np.maximum(np.frexp(np.abs(value))[1] - 53, -1074))
        errors = np.abs(wide(computed) - value) / ulp
        overflows = np.isinf(computed) & (np.abs(value) >= wide(2) ** 1024 - wide(2) ** 970) & (np.sign(value) == np.sign(computed))
        errors = np.where(overflows, 0, np.nan_to_num(errors, nan=np.inf)).astype(float)
    worst = int(np.argmax(errors))
    return float(errors[worst]), f"{name}({x[worst].hex()}, {y[worst].hex()}) = {computed[worst].hex()}"
