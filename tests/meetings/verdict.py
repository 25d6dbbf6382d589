"""The outcome of a pair of runs."""

from dataclasses import dataclass

import numpy as np

from tests.meetings.runs import Rows

AGREES, NAMED_ERROR, CHAOTIC, DISAGREES, DOES_NOT_APPLY, TOO_SLOW = (
    "agrees",
    "named error",
    "chaotic",
    "disagrees",
    "does not apply",
    "too slow",
)


@dataclass(frozen=True)
class Verdict:
    """outcome, and why: the named error, or what differs"""

    outcome: str
    why: str = ""
    error: str = ""  # name of the class of a named error


AGREEMENT = Verdict(AGREES)


class DisagreementError(Exception):
    """Runs that must agree do not; the message says where."""


class DoesNotApplyError(Exception):
    """The pair cannot be made of this mechanism, for a reason that is documented."""


def named(error: Exception) -> Verdict:
    return Verdict(NAMED_ERROR, str(error).partition("\n")[0], type(error).__name__)


def same_bits(one: Rows, other: Rows, what: str, *, also_steps: bool = True) -> Verdict:
    """Both have the same rows, to the bit, or end with the same error."""
    if one.error is not None or other.error is not None:
        return same_errors(one, other, what)
    # a master has its own communication points, which differ from the times of fixed steps by round-off
    if one.time.shape != other.time.shape or not np.allclose(one.time, other.time, rtol=0, atol=1e-12):
        raise DisagreementError(f"{what}: rows at {_short(one.time)} s and {_short(other.time)} s")
    if not np.array_equal(one.values, other.values, equal_nan=True):
        row, column = np.argwhere(one.values != other.values)[0]
        a, b = one.values[row, column], other.values[row, column]
        raise DisagreementError(f"{what}: {one.names[column]} at {one.time[row]:g} s is {a!r} and {b!r}")
    if also_steps and one.steps != other.steps:
        raise DisagreementError(f"{what}: {one.steps} and {other.steps} steps")
    return AGREEMENT


def same_errors(one: Rows, other: Rows, what: str) -> Verdict:
    if one.error is None or other.error is None:
        only, error = ("the first", one.error) if one.error is not None else ("the second", other.error)
        raise DisagreementError(f"{what}: only {only} ends with {type(error).__name__}: {str(error)[:200]}")
    return named(one.error)


def _short(numbers: np.ndarray) -> str:
    return np.array2string(numbers, precision=6, threshold=8)


def difference(one: Rows, other: Rows) -> tuple[float, str]:
    """The largest difference at common times after the start, relative to 1 + |value|, and where it is. The row of the start is
    that before its events or that after them.
    """
    common, rows1, rows2 = np.intersect1d(np.round(one.time, 12), np.round(other.time, 12), return_indices=True)
    if len(common) > 1:
        common, rows1, rows2 = common[1:], rows1[1:], rows2[1:]
    if not len(common) or not one.names:
        return 0.0, ""
    columns = [other.names.index(name) for name in one.names]
    a, b = one.values[rows1], other.values[rows2][:, columns]
    errors = np.abs(a - b) / (1 + np.abs(a))
    errors[np.isnan(errors)] = np.inf
    row, column = np.unravel_index(np.argmax(errors), errors.shape)
    return float(errors[row, column]), f"{one.names[column]} at {common[row]:g} s is {a[row, column]:.9g} and {b[row, column]:.9g}"
