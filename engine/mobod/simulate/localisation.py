"""Where within a step a witness crosses zero.

The step's interpolant y(t) makes the witness a function of time, w(t), with the exact derivative w'(t) = dw/dt + dw/dy y'(t). Both are
taken at the ends of `n_parts` equal parts of the step. Between two neighbours w crosses where it has another sign, and may have crossed and
come back where

  - w' changes its sign: then an extremum lies between, which is searched for and looked at. Every dip with one extremum between neighbours
    is found, however small and short it is, also one that only touches zero;
  - w' does not, but the cubic through both values and rates crosses: then the part is divided at the cubic's extremum.

So what can be missed has two extrema between neighbours that the cubic does not see: a dip no deeper than the error of the cubic,
max |w''''| (h / n_parts)^4 / 384. All this is of the interpolant, which differs from the solution by a small multiple of the accuracy:
where an extremum comes as near to zero as NEAR of that, the step is taken again to end at the extremum, so that the dip is seen by the
integrator itself.

A twin of fmu_src/native/localisation.c.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, sqrt

ROUND_OFF = 64 * 2.0**-52  # of a time: no crossing is localised better
NEAR = 100.0  # an extremum within so many accuracies of zero, relative to the size of the witness, is looked at by a step that ends there
MOST_DIVISIONS = 5  # of a part, where the cubic crosses
EXTREMUM = 1e-9  # of a part: how exactly an extremum is found
EDGE = 1e-3  # of a step: an extremum nearer to one of its ends is seen well enough from there


@dataclass(frozen=True)
class Point:
    """A witness at a time, and its rate."""

    time: float
    value: float
    rate: float


Sample = Callable[[float], Point]


@dataclass(frozen=True)
class Crossing:
    """The witness has its old sign at `low`, and not any more at `high`.

    direction  1 rising, -1 falling, 0: none was found, but the step should end at `high`, an extremum near zero
    """

    low: float
    high: float
    direction: int


def window_at(time: float, window: float = 0.0) -> float:
    """s, to which a crossing near a time is localised."""
    return max(window, ROUND_OFF * abs(time))


def first_crossing(
    sample: Sample, points: list[Point], side: int, noise: float, wants: Callable[[int], bool], window: float, accuracy: float
) -> tuple[Crossing | None, int, float]:
    """The first crossing in a wanted direction within a step; the side that the witness is on at its end, and the noise then.

    sample  the witness at a time of the step
    points  it at the ends of the parts
    side    1 above zero, -1 below, 0 not known: the first value that is not zero decides. On a crossing that is not wanted it changes
    noise   not 0: it begins at zero, and is on its side, or has one, once it is farther from zero than this
    """
    step = points[-1].time - points[0].time
    size = max(max(abs(point.value), step * abs(point.rate)) for point in points)
    margin = NEAR * accuracy * size
    look: float | None = None
    for a, b in itertools.pairwise(points):
        before = a
        for point in _pieces(sample, a, b, side, noise, MOST_DIVISIONS):
            if noise > 0 and (abs(point.value) <= noise or side * point.value >= 0):
                if abs(point.value) > noise:
                    side, noise = _sign(point.value), 0.0
            elif side == 0 or (point.value == 0 and not wants(-side)):
                side = _sign(point.value)
            elif side * point.value <= 0:
                if wants(-side):
                    low, high = locate(sample, before, point, side, noise, window)
                    if look is not None and look < high:
                        return Crossing(points[0].time, look, 0), side, noise
                    return Crossing(low, high, -side), side, noise
                side, noise = -side, 0.0
            elif look is None and abs(point.value) < min(abs(a.value), abs(b.value), margin):
                fraction = (point.time - points[0].time) / step
                look = point.time if EDGE < fraction < 1 - EDGE else None
            before = point
    return (None if look is None else Crossing(points[0].time, look, 0)), side, noise


def locate(sample: Sample, a: Point, b: Point, side: int, noise: float, window: float) -> tuple[float, float]:
    """(low, high), no more than a window apart: the witness is on its side at low, or low is a; at high it is not, by more than the noise.

    Newton's method from the side where the last point lay, aimed a little beyond the root so that the other end of the bracket follows;
    bisection where that leaves the bracket or does not halve it twice.
    """
    low, high, last = a.time, b.time, b
    slow = 0
    while high - low > window:
        width, time = high - low, inf
        if slow < 2 and last.rate != 0:
            value = last.value + side * noise
            time = last.time - value / last.rate + (-0.25 if side * value <= 0 else 0.25) * window
        if not low < time < high:
            time = low + width / 2
            if not low < time < high:
                break  # no number lies between
        last = sample(time)
        if side * last.value <= -noise:
            high = time
        else:
            low = time
        slow = slow + 1 if high - low > width / 2 else 0
        if slow > 2:
            slow = 2
    return low, high


def _pieces(sample: Sample, a: Point, b: Point, side: int, noise: float, n_divisions: int) -> list[Point]:
    """Points between which the witness has no more extrema that matter; b is the last."""
    if a.rate * b.rate < 0:
        is_minimum = a.rate < 0
        # towards zero from where both ends are, or onto its side from where it began at zero
        is_dip = a.value > 0 and b.value > 0 if is_minimum else a.value < 0 and b.value < 0
        is_start = abs(a.value) <= noise or (side * a.value <= 0 and is_minimum == (side < 0))
        if is_dip or is_start:
            return [_extremum(sample, a, b, 0.0 if is_dip else noise, touches=is_dip), b]
        return [b]
    if n_divisions and a.value * b.value > 0:
        time = _cubic_crosses(a, b)
        if time is not None and a.time < time < b.time:
            middle = sample(time)
            first = _pieces(sample, a, middle, side, noise, n_divisions - 1)
            return first + _pieces(sample, middle, b, side, noise, n_divisions - 1)
    return [b]


def _extremum(sample: Sample, a: Point, b: Point, noise: float, *, touches: bool) -> Point:
    """Where the rate changes its sign, by false position (Illinois), halving where that is slow; or a point across zero before that.

    noise    across is what is farther from zero than this
    touches  zero itself is across
    """
    low, high, low_rate, high_rate = a, b, a.rate, b.rate
    across = 1 if a.rate > 0 else -1
    best = low
    while high.time - low.time > EXTREMUM * (b.time - a.time):
        width = high.time - low.time
        time = low.time + width * low_rate / (low_rate - high_rate)
        if not low.time < time < high.time:
            time = low.time + width / 2
            if not low.time < time < high.time:
                break
        point = best = sample(time)
        if across * point.value > noise or (touches and point.value == 0) or point.rate == 0 or not isfinite(point.rate):
            return point
        if point.rate * low.rate > 0:
            low, low_rate, high_rate = point, point.rate, high_rate / 2
        else:
            high, high_rate, low_rate = point, point.rate, low_rate / 2
        if high.time - low.time > width / 2:
            low_rate, high_rate = _sign(low.rate), _sign(high.rate)  # the next one halves
    return best


def _cubic_crosses(a: Point, b: Point) -> float | None:
    """The time of the extremum towards zero of the cubic through both, if it lies beyond zero."""
    h = b.time - a.time
    # w(x) = a + a' x + c x^2 + d x^3, x in [0, 1]
    first, last, change = h * a.rate, h * b.rate, b.value - a.value
    c, d = 3 * change - 2 * first - last, first + last - 2 * change
    discriminant = c * c - 3 * d * first
    if d == 0 or discriminant <= 0:
        return None
    for x in ((-c + sqrt(discriminant)) / (3 * d), (-c - sqrt(discriminant)) / (3 * d)):
        if 0 < x < 1 and a.value * (a.value + x * (first + x * (c + x * d))) <= 0:
            return a.time + x * h
    return None


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
