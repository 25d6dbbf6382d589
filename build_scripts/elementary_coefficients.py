"""Writes fmu_src/native/elementary/elementary_coefficients.h: the constants of the runtime's elementary functions.

    python build_scripts/elementary_coefficients.py            # write the header
    python build_scripts/elementary_coefficients.py --check    # exit code 1 if the header is out of date

Each polynomial is the best of its degree: it minimizes the largest relative error of the function (Remez exchange algorithm on a grid of
points). Needs mpmath. Source: Muller, Elementary Functions (2016).
"""

# Decision: docs/decisions/008-elementary-functions.md

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mpmath import mp, mpf

HEADER = Path(__file__).resolve().parents[1] / "fmu_src" / "native" / "elementary" / "elementary_coefficients.h"
_DIGITS = 60
_GRID = 500  # points at which the error of a polynomial is evaluated
_EXCHANGES = 30

# The intervals of the power function's table: their width in units of the last place, and the begin of the first one. 1 is in the middle
# of
# an interval, and the intervals cover [sqrt(1/2), sqrt(2)).
_POWER_BITS = 7
_POWER_WIDTH = 1 << (52 - _POWER_BITS)
_ONE = 1023 << 52
_POWER_START = _ONE - 74 * _POWER_WIDTH - _POWER_WIDTH // 2


@dataclass(frozen=True)
class Polynomial:
    """P(z), an approximation of `ideal` between low and high.

    weight  factor from the error of P to the relative error of the whole function
    """

    name: str
    meaning: str
    n: int
    low: mpf
    high: mpf
    ideal: Callable[[mpf], mpf]
    weight: Callable[[mpf], mpf]


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the coefficients of the runtime's elementary functions.")
    parser.add_argument("--check", action="store_true", help="only compare the header with what would be written")
    text = header()
    if parser.parse_args().check:
        is_same = HEADER.is_file() and HEADER.read_text(encoding="utf-8") == text
        print(f"{HEADER.name} is {'what this script writes' if is_same else 'another than this script writes. Run it without --check.'}")
        return 0 if is_same else 1
    HEADER.write_text(text, encoding="utf-8", newline="\n")
    return 0


def header() -> str:
    with mp.workdps(_DIGITS):
        parts = [
            "/* The numbers in the elementary functions. Made by build_scripts/elementary_coefficients.py; not to be edited.\n\n"
            "   A number that a double cannot hold stands as a sum: _HIGH has trailing zeros, so that its product with a small integer is\n"
            "   exact; _LOW is the rest. After each polynomial: how far it is at most from the function, relative to the function. */\n"
            "/* clang-format off */",
            "#ifndef MOBOD_ELEMENTARY_COEFFICIENTS_H",
            "#define MOBOD_ELEMENTARY_COEFFICIENTS_H\n",
            "#include <stdint.h>\n",
            *_constants(),
            *(_array(polynomial) for polynomial in polynomials()),
            _two_over_pi(),
            _power_table(),
            "#endif\n",
        ]
    return "\n".join(parts)


def polynomials() -> list[Polynomial]:
    small = mpf(2) ** -40
    eighth = (mp.tan(mp.pi / 8) * (1 + mpf(2) ** -30)) ** 2
    half_ln2 = mp.log(2) / 2 * (1 + mpf(2) ** -30)
    sine_end = (mp.pi / 4 * (1 + mpf(2) ** -20)) ** 2
    log_end = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * (1 + mpf(2) ** -20)
    power_end = _largest_remainder()
    root = mp.sqrt
    return [
        Polynomial(
            *("SINE", "sin(r) = r + r^3 P(r^2), |r| <= pi/4", 6, small, sine_end),
            lambda z: (mp.sin(root(z)) - root(z)) / root(z) ** 3,
            lambda z: z * root(z) / mp.sin(root(z)),
        ),
        Polynomial(
            *("COSINE", "cos(r) = 1 - r^2 / 2 + r^4 P(r^2), |r| <= pi/4", 6, small, sine_end),
            lambda z: (mp.cos(root(z)) - 1 + z / 2) / z**2,
            lambda z: z**2 / mp.cos(root(z)),
        ),
        Polynomial(
            *("EXPONENTIAL", "exp(r) = 1 + r + r^2 P(r), |r| <= log(2) / 2", 10, -half_ln2, half_ln2),
            lambda r: mpf(1) / 2 if r == 0 else (mp.expm1(r) - r) / r**2,
            lambda r: r**2 / mp.exp(r),
        ),
        Polynomial(
            *("LOGARITHM", "log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2), (1 + s) / (1 - s) between sqrt(1/2) and sqrt(2)", 7, small, log_end),
            lambda z: (2 * mp.atanh(root(z)) - 2 * root(z)) / root(z) ** 3,
            lambda z: z * root(z) / (2 * mp.atanh(root(z))),
        ),
        Polynomial(
            *("POWER_LOGARITHM", "log(1 + r) = r - r^2 / 2 + r^3 P(r), |r| within an interval of POWER_TABLE", 6, -power_end, power_end),
            lambda r: mpf(1) / 3 if r == 0 else (mp.log1p(r) - r + r**2 / 2) / r**3,
            lambda r: r**2 if r == 0 else r**3 / mp.log1p(r),
        ),
        Polynomial(
            *("ARCTANGENT", "atan(t) = t + t^3 P(t^2), |t| <= tan(pi/8)", 11, small, eighth),
            lambda z: (mp.atan(root(z)) - root(z)) / root(z) ** 3,
            lambda z: z * root(z) / mp.atan(root(z)),
        ),
        Polynomial(
            *("ARCSINE", "asin(s) = s + s^3 P(s^2), |s| <= 1/2", 13, small, mpf(1) / 4),
            lambda z: (mp.asin(root(z)) - root(z)) / root(z) ** 3,
            lambda z: z * root(z) / mp.asin(root(z)),
        ),
        Polynomial(
            *("HYPERBOLIC_SINE", "sinh(x) = x + x^3 P(x^2), |x| <= 3/4", 6, small, mpf(9) / 16),
            lambda z: (mp.sinh(root(z)) - root(z)) / root(z) ** 3,
            lambda z: z * root(z) / mp.sinh(root(z)),
        ),
        Polynomial(
            *("HYPERBOLIC_TANGENT", "tanh(x) = x + x^3 P(x^2), |x| <= 3/8", 9, small, mpf(9) / 64),
            lambda z: (mp.tanh(root(z)) - root(z)) / root(z) ** 3,
            lambda z: z * root(z) / mp.tanh(root(z)),
        ),
    ]


def best_coefficients(polynomial: Polynomial) -> tuple[list[mpf], mpf]:
    """The coefficients, lowest power first, and the largest weighted error."""
    middle, radius = (polynomial.low + polynomial.high) / 2, (polynomial.high - polynomial.low) / 2
    grid = [middle - radius * mp.cos(mp.pi * i / _GRID) for i in range(_GRID + 1)]
    ideal = [polynomial.ideal(z) for z in grid]
    weight = [polynomial.weight(z) for z in grid]
    n = polynomial.n
    points = [round((i + 0.5) * _GRID / (n + 1)) for i in range(n + 1)]
    for _ in range(_EXCHANGES):
        rows = [[weight[p] * grid[p] ** power for power in range(n)] + [mpf((-1) ** i)] for i, p in enumerate(points)]
        solution = mp.lu_solve(mp.matrix(rows), mp.matrix([weight[p] * ideal[p] for p in points]))
        coefficients, level = list(solution[:n]), abs(solution[n])
        errors = [w * (_value(coefficients, z) - f) for w, z, f in zip(weight, grid, ideal, strict=True)]
        points = _alternating(errors, n + 1)
        if max(map(abs, errors)) <= level * (1 + mpf(2) ** -20):
            break
    return coefficients, max(map(abs, errors))


def _value(coefficients: list[mpf], z: mpf) -> mpf:
    value = mpf(0)
    for coefficient in reversed(coefficients):
        value = value * z + coefficient
    return value


def _alternating(errors: list[mpf], n: int) -> list[int]:
    """The indices of the n largest errors with alternating signs."""
    places: list[int] = []
    for i, error in enumerate(errors):
        if places and (error > 0) == (errors[places[-1]] > 0):
            if abs(error) > abs(errors[places[-1]]):
                places[-1] = i
        else:
            places.append(i)
    while len(places) > n:
        # at an end remove the smaller one; inside, a pair would have to be removed
        places.pop(0 if abs(errors[places[0]]) < abs(errors[places[-1]]) else -1)
    if len(places) < n:
        raise ValueError(f"the error changes its sign {len(places)} times, and {n} times are needed: use more digits or points")
    return places


def _rounded(number: mpf, step: mpf) -> mpf:
    """number, rounded to the nearest multiple of step."""
    return mp.nint(number / step) * step


def _truncated(number: mpf, bits: int) -> mpf:
    """A positive number, truncated to this number of significant bits."""
    step = mpf(2) ** (mp.floor(mp.log(number, 2)) + 1 - bits)
    return mp.floor(number / step) * step


def _literal(number: mpf) -> str:
    """The double nearest to a number, as a C literal."""
    value = float(number)
    if value == 0:
        return "0.0"
    mantissa, exponent = value.hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{int(exponent)}"


def _define(name: str, number: mpf, meaning: str) -> str:
    return f"#define {name} {_literal(number)} /* {meaning} */"


def _constants() -> list[str]:
    half_pi, quarter_pi, ln2 = mp.pi / 2, mp.pi / 4, mp.log(2)
    first = _truncated(half_pi, 39)
    second = _truncated(half_pi - first, 39)
    nearest = mpf(float(half_pi))
    quarter = _truncated(quarter_pi, 50)
    ln2_high = _rounded(ln2, mpf(2) ** -41)
    tangent = mp.tan(mp.pi / 8)
    return [
        _define("TWO_OVER_PI", 2 / mp.pi, "2 / pi"),
        _define("HALF_PI_1", first, "the first 39 bits of pi / 2"),
        _define("HALF_PI_2", second, "the next 39"),
        _define("HALF_PI_3", half_pi - first - second, "the rest"),
        _define("HALF_PI", nearest, "pi / 2, to the nearest"),
        _define("HALF_PI_LOW", half_pi - nearest, "the rest"),
        _define("QUARTER_PI_HIGH", quarter, "the first 50 bits of pi / 4"),
        _define("QUARTER_PI_LOW", quarter_pi - quarter, "the rest"),
        _define("TANGENT_OF_EIGHTH", tangent, "tan(pi / 8)"),
        _define("ONE_OVER_LN2", 1 / ln2, "1 / log(2)"),
        _define("LN2_HIGH", ln2_high, "log(2) to a multiple of 2^-41"),
        _define("LN2_LOW", ln2 - ln2_high, "the rest"),
        "",
    ]


def _array(polynomial: Polynomial) -> str:
    coefficients, error = best_coefficients(polynomial)
    literals = [_literal(each) for each in coefficients]
    lines = [", ".join(literals[i : i + 4]) for i in range(0, len(literals), 4)]
    return (
        f"/* {polynomial.meaning}: 2^{float(mp.log(error, 2)):.1f} */\n"
        f"static const double {polynomial.name}[{polynomial.n}] = {{\n    " + ",\n    ".join(lines) + ",\n};\n"
    )


def _two_over_pi() -> str:
    """Digits of 2 / pi as a C array: 192 bits from any position, for a mantissa of 53 bits times up to 2^971, after two words of zeros
    before the
    binary point.
    """
    n_words = 41
    with mp.workprec(32 * n_words + 64):
        digits = int(mp.floor(mp.ldexp(2 / mp.pi, 32 * (n_words - 2))))
    words = [0, 0] + [digits >> (32 * (n_words - 3 - i)) & 0xFFFFFFFF for i in range(n_words - 2)]
    literals = [f"0x{word:08x}" for word in words]
    lines = [", ".join(literals[i : i + 8]) for i in range(0, n_words, 8)]
    return "/* 2 / pi: two words of zeros, then its binary digits */\n" + (
        f"static const uint32_t TWO_OVER_PI_DIGITS[{n_words}] = {{\n    " + ",\n    ".join(lines) + ",\n};\n"
    )


def _intervals() -> list[tuple[mpf, mpf, mpf]]:
    """The intervals of the table: begin, end, and a factor of 13 bits whose product with a number in the interval is nearly 1."""
    found = []
    for i in range(1 << _POWER_BITS):
        begin, end = (_double(_POWER_START + (i + j) * _POWER_WIDTH) for j in (0, 1))
        factor = mpf(1) if begin <= 1 < end else _rounded(2 / (begin + end), mpf(2) ** -12)
        found.append((begin, end, factor))
    return found


def _double(bits: int) -> mpf:
    """The double with these bits of exponent and mantissa."""
    return mp.ldexp((1 << 52) + bits % (1 << 52), (bits >> 52) - 1023 - 52)


def _largest_remainder() -> mpf:
    return max(abs(factor * each - 1) for begin, end, factor in _intervals() for each in (begin, end)) * (1 + mpf(2) ** -20)


def _power_table() -> str:
    rows = []
    for _, _, factor in _intervals():
        logarithm = -mp.log(factor)
        high = _rounded(logarithm, mpf(2) ** -41)
        rows.append(f"    {{{_literal(factor)}, {_literal(high)}, {_literal(logarithm - high)}}},")
    return "\n".join(
        [
            f"/* A number m has entry (bits(m) - POWER_START) >> POWER_SHIFT, modulo {1 << _POWER_BITS}: a factor c with |m c - 1| <= "
            f"{float(_largest_remainder()):.5f} (1 near m = 1),\n   and -log(c) as a multiple of 2^-41 and the rest */",
            f"#define POWER_START UINT64_C(0x{_POWER_START:016x})",
            f"#define POWER_SHIFT {52 - _POWER_BITS}",
            f"static const double POWER_TABLE[{1 << _POWER_BITS}][3] = {{",
            *rows,
            "};\n",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
