"""Comparison of trajectories that may have different points in time."""

# Decision: docs/decisions/125-comparing-runs.md

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np

from mobod.arguments.real_numbers import distinct, real_number
from mobod.errors import InputError, nearest
from mobod.simulate.column import Column


class Trajectories(NamedTuple):
    """Columns of one number a row, at times (m,) in s."""

    time: np.ndarray
    columns: Mapping[str, Column]


@final
@dataclass(frozen=True)
class VariableDifference:
    """The difference of one variable.

    largest       largest absolute difference; inf where only one value is finite, or where texts differ
    time          s, where it is
    value, other  the two values there, numbers or texts
    first_time    s, the first time at which the difference is more than is allowed; None if it never is
    """

    name: str
    unit: str | None
    largest: float
    time: float
    value: float | str
    other: float | str
    first_time: float | None


@final
@dataclass(frozen=True)
class Comparison:
    """What a comparison of two runs found. Its truth value is `is_equal`; `print(comparison)` shows a table.

    differences     of each compared variable
    only_in_self    names of variables that are only in the first of the two, and are not compared
    only_in_other   those that are only in the second
    times           (k,) s, at which both were compared
    span, other_span  s, first and last time of each
    rtol, atol      a difference is allowed up to atol + rtol |value of other|
    """

    HEADINGS: ClassVar = ("variable", "largest difference", "unit", "at (s)", "value", "other", "differs from (s)")

    differences: tuple[VariableDifference, ...]
    only_in_self: tuple[str, ...]
    only_in_other: tuple[str, ...]
    times: np.ndarray
    span: tuple[float, float]
    other_span: tuple[float, float]
    rtol: float
    atol: float

    @property
    def is_equal(self) -> bool:
        """Whether all compared variables are within the tolerance, and both runs begin and end at the same times."""
        return self.spans_agree and not any(each.first_time is not None for each in self.differences)

    @property
    def spans_agree(self) -> bool:
        """Whether both runs begin and end at the same times, within the tolerance."""
        return bool(np.allclose(self.span, self.other_span, rtol=self.rtol, atol=self.atol))

    @property
    def first(self) -> VariableDifference | None:
        """The variable that differs first, or None."""
        differing = [each for each in self.differences if each.first_time is not None]
        return min(differing, key=lambda each: each.first_time or 0.0, default=None)

    @property
    def first_time(self) -> float | None:
        """s, the first time at which a variable differs by more than is allowed; None if there is none."""
        return None if self.first is None else self.first.first_time

    def __bool__(self) -> bool:
        return self.is_equal

    def __str__(self) -> str:
        rows = [self.HEADINGS, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([*lines, *self.notes()])

    def rows(self) -> list[tuple[str, ...]]:
        """The rows of the table, below `HEADINGS`. Variables that differ come first, in the order of time."""
        first_times = [np.inf if each.first_time is None else each.first_time for each in self.differences]
        return [
            (
                each.name,
                f"{each.largest:.3g}",
                each.unit or "",
                f"{each.time:.6g}",
                *_texts(each.value, each.other),
                "" if each.first_time is None else f"{each.first_time:.6g}",
            )
            for each in (self.differences[k] for k in np.argsort(first_times, kind="stable"))
        ]

    def notes(self) -> list[str]:
        """The sentences below the table."""
        notes = []
        for which, names in (("the first", self.only_in_self), ("the second", self.only_in_other)):
            if names:
                notes.append(f"only in {which}, not compared: {', '.join(names)}")
        if not self.spans_agree:
            notes.append(_spans_text(self.span, self.other_span))
        allowed = f"rtol {self.rtol:g}, atol {self.atol:g}"
        where = f"{len(self.times)} points from {self.times[0]:.6g} s to {self.times[-1]:.6g} s"
        if self.first is not None:
            notes.append(f"different ({allowed}; {where}): '{self.first.name}' is the first, at {self.first.first_time:.9g} s")
        else:
            notes.append(f"{'equal' if self.is_equal else 'equal where both have values'} ({allowed}; {where})")
        return notes


def compare_trajectories(one: Trajectories, two: Trajectories, *, rtol: float, atol: float) -> Comparison:
    """Compare the variables that both have.

    The points are those of the run that has fewer of them in the span of both; the values of the other are interpolated linearly, those of
    text, booleans and integers are held. Where a time occurs twice, a variable may jump: the value before is compared with that before, and
    the value after with that after. If the other run has one value there, the nearer one counts. Jumps of the two runs whose times
    agree within the tolerance are taken to be at the same time. NaN equals NaN.

    Raises InputError if they have no variable or no time in common, or if a time decreases.
    """
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not 0 <= real_number(value, name) < np.inf:
            raise InputError(f"{name} is {value}. A tolerance is a finite number that is not negative.")
    names = [name for name in one.columns if name in two.columns]
    if not names:
        raise InputError(f"there is no variable to compare: no name is in both.{_hint(one, two)}")
    span, other_span = _span(one, "first"), _span(two, "second")
    own, others = one.time, _with_times_of_jumps(two.time, one.time, rtol, atol)
    start, stop = max(own[0], others[0]), min(own[-1], others[-1])
    if start > stop:
        raise InputError(f"no time is in both. {_spans_text(span, other_span)}.")
    times = min((np.unique(each[(each >= start) & (each <= stop)]) for each in (own, others)), key=len)
    times = np.unique([start, *times, stop])
    places = _PlacesInTime(own, times), _PlacesInTime(others, times)
    differences = [_difference(one.columns[name], two.columns[name], times, places, rtol, atol) for name in names]
    return Comparison(
        tuple(differences),
        tuple(name for name in one.columns if name not in two.columns),
        tuple(name for name in two.columns if name not in one.columns),
        times,
        span,
        other_span,
        rtol,
        atol,
    )


def _difference(
    one: Column, two: Column, times: np.ndarray, places: "tuple[_PlacesInTime, _PlacesInTime]", rtol: float, atol: float
) -> VariableDifference:
    is_held = any(each.values.dtype.kind in "biu" for each in (one, two))
    if one.is_text or two.is_text:
        sides = [[place.held(each.values.astype(str), side) for side in (0, 1)] for each, place in zip((one, two), places, strict=True)]
        gaps = np.array([np.where(a == b, 0.0, np.inf) for a, b in zip(*sides, strict=True)])
        excess = gaps
    else:
        sides = [
            [(place.held if is_held else place.interpolated)(each.values.astype(float), side) for side in (0, 1)]
            for each, place in zip((one, two), places, strict=True)
        ]
        gaps = np.array([_gap(a, b) for a, b in zip(*sides, strict=True)])
        excess = gaps - (atol + rtol * np.where(np.isfinite(sides[1]), np.abs(sides[1]), 0.0))
    may_be_either = (places[0].is_double & places[1].is_single) | (places[0].is_single & places[1].is_double)
    side = np.where(may_be_either, excess.argmin(axis=0), excess.argmax(axis=0))
    points = np.arange(len(times))
    gap, differs = gaps[side, points], excess[side, points] > 0
    worst = int(gap.argmax())
    value, other = (each[side[worst]][worst] for each in sides)
    return VariableDifference(
        one.name,
        one.unit or two.unit,
        float(gap[worst]),
        float(times[worst]),
        value.item(),
        other.item(),
        float(times[differs.argmax()]) if differs.any() else None,
    )


def _gap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|a - b|; 0 for equal values that are not finite, infinite for others."""
    equal = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.abs(a - b)
    return np.where(equal, 0.0, np.where(np.isnan(gap), np.inf, gap))


@final
class _PlacesInTime:
    """Where the points `at` (k,) are among the times (m,) of a run; each lies in its span.

    is_single  (k,) whether the time is there once
    is_double  (k,) whether the time is there more than once
    """

    def __init__(self, time: np.ndarray, at: np.ndarray):
        first, last = np.searchsorted(time, at, "left"), np.searchsorted(time, at, "right") - 1
        self.is_single, self.is_double = last == first, last > first
        self._is_there = first <= last
        self._sides = np.minimum(first, len(time) - 1), last  # rows before and after a jump
        self._below, self._above = last, np.minimum(first, len(time) - 1)
        length = np.where(self._is_there, 1.0, time[self._above] - time[self._below])
        self._weight = (at - time[self._below]) / length

    def held(self, values: np.ndarray, side: int) -> np.ndarray:
        """Values before (0) or after (1) a jump; between two rows those of the row before."""
        return values[np.where(self._is_there, self._sides[side], self._below)]

    def interpolated(self, values: np.ndarray, side: int) -> np.ndarray:
        """Values before (0) or after (1) a jump; between two rows on the line that connects them."""
        with np.errstate(invalid="ignore", over="ignore"):
            between = (1.0 - self._weight) * values[self._below] + self._weight * values[self._above]
        return np.where(self._is_there, values[self._sides[side]], between)


def _span(run: Trajectories, which: str) -> tuple[float, float]:
    if not len(run.time):
        raise InputError(f"the {which} has no rows, so there is nothing to compare.")
    if not np.isfinite(run.time).all() or (np.diff(run.time) < 0).any():
        raise InputError(f"the times of the {which} are not in order, or not finite.")
    return float(run.time[0]), float(run.time[-1])


def _spans_text(span: tuple[float, float], other: tuple[float, float]) -> str:
    return f"The first is from {span[0]:.9g} s to {span[1]:.9g} s, the second from {other[0]:.9g} s to {other[1]:.9g} s"


def _with_times_of_jumps(time: np.ndarray, of: np.ndarray, rtol: float, atol: float) -> np.ndarray:
    """The times (m,) with those that occur twice moved to the nearest such time of another run, if that is within the tolerance."""
    here, there = (np.unique(each[:-1][np.diff(each) == 0]) for each in (time, of))
    if not len(here) or not len(there):
        return time
    moved = time.copy()
    for own in here:
        nearest_one = there[np.abs(there - own).argmin()]
        if abs(nearest_one - own) <= atol + rtol * abs(own):
            moved[time == own] = nearest_one
    return moved if (np.diff(moved) >= 0).all() else time


def _hint(one: Trajectories, two: Trajectories) -> str:
    for name in one.columns:
        near = nearest(name, two.columns)
        if near is not None:
            return f" The first has '{name}', the second '{near}'."
    return ""


def _texts(value: float | str, other: float | str) -> tuple[str, str]:
    """Both with so many digits that a difference is visible."""
    if isinstance(value, str) or isinstance(other, str):
        return str(value), str(other)
    is_distinct = value != other and math.isfinite(value - other)
    return distinct(value, other) if is_distinct else (f"{value:.6g}", f"{other:.6g}")
