"""FitResult: fitted numbers with their uncertainty."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.stats import t as student

from mobod.errors import InputError, UnknownNameError
from mobod.simulate import Table
from mobod.system import State
from mobod.system.named_numbers import NamedNumber, places_by_name
from mobod.system.readable import Readable

_SHOWN = 0.1  # the least part of a parameter in a combination that is named


@final
@dataclass(frozen=True)
class Uncertainty:
    """Of fitted numbers, for a linear model near the fit.

    covariance    (p, p)  infinite for numbers that the data do not determine
    combinations  each a text: relative changes of numbers that the data do not determine together
    """

    covariance: np.ndarray
    combinations: list[str]


def uncertainty(jacobian: np.ndarray, variance: float, scales: np.ndarray, names: Sequence[str], tolerance: float) -> Uncertainty:
    """From the derivatives (n, p) of weighted residuals and their variance.

    scales     (p,)  typical sizes of the numbers
    tolerance  relative size of singular values that count as zero
    """
    n_parameters = len(scales)
    _, sizes, directions = np.linalg.svd(jacobian * scales, full_matrices=True)
    sizes = np.concatenate([sizes, np.zeros(n_parameters - len(sizes))])
    is_known = sizes > tolerance * sizes.max(initial=0.0)
    inverse = directions[is_known].T / sizes[is_known]
    covariance = variance * (inverse @ inverse.T) * np.outer(scales, scales)
    unknown = directions[~is_known]
    is_free = (np.abs(unknown) > _SHOWN).any(axis=0)
    covariance[is_free, :] = covariance[:, is_free] = np.nan
    covariance[is_free, is_free] = np.inf
    return Uncertainty(covariance, [_combination(direction, names) for direction in unknown])


def _combination(direction: np.ndarray, names: Sequence[str]) -> str:
    """'0.71 spring.stiffness - 0.71 gravity.magnitude', with a positive first factor."""
    order = np.flatnonzero(np.abs(direction) > _SHOWN).tolist()
    signed = direction * np.sign(direction[order[0]])
    text = " ".join(f"{'-' if signed[i] < 0 else '+'} {abs(signed[i]):.2g} {names[i]}" for i in order)
    return text.removeprefix("+ ")


@final
class FitResult(Readable):
    """Numbers that were fitted to measurements: made by `mb.fit`. `result["spring.stiffness"]` is one value.

    names, units
    values           (p,)
    standard_errors  (p,)    infinite for a number that the data do not determine
    intervals        (p, 2)  confidence intervals, by Student's distribution with n - p degrees of freedom
    confidence               of the intervals, 0.95 for 95 %
    covariance       (p, p)  of the values
    correlation      (p, p)
    state                    a State with the fitted values
    measured, simulated, residuals
                             Tables with a column for each measured number; residuals: simulated - measured; NaN where nothing was measured
    weights                  name of a measured number -> factor of its residuals
    variance                 of weighted residuals
    n, runs                  number of measured values; of runs
    failed_runs              number of trial values at which a run failed, and `last_failure`, the message of the last one
    has_converged            whether the search ended at a least sum of squares
    message                  why it ended
    method                   how derivatives were found
    warnings                 sentences on what makes the result doubtful; each was also issued as a MobodWarning
    """

    def __init__(
        self,
        *,
        numbers: Sequence[NamedNumber],
        values: np.ndarray,
        covariance: np.ndarray,
        confidence: float,
        state: State,
        measured: Table,
        simulated: Table,
        weights: dict[str, float],
        variance: float,
        n: int,
        runs: int,
        failed_runs: int,
        last_failure: str | None,
        has_converged: bool,
        message: str,
        method: str,
        warnings: tuple[str, ...],
    ):
        self.names, self.units, self._places = [each.name for each in numbers], [each.unit for each in numbers], places_by_name(numbers)
        self.values, self.covariance, self.confidence = values, covariance, confidence
        self.state, self.measured, self.simulated, self.weights = state, measured, simulated, weights
        self.variance, self.n, self.runs, self.failed_runs, self.last_failure = variance, n, runs, failed_runs, last_failure
        self.has_converged, self.message, self.method, self.warnings = has_converged, message, method, warnings
        self.standard_errors = np.sqrt(np.diag(covariance))
        with np.errstate(invalid="ignore"):
            self.correlation = covariance / np.outer(self.standard_errors, self.standard_errors)
        np.fill_diagonal(self.correlation, 1.0)
        factor = student.ppf((1 + confidence) / 2, n - len(values)) if n > len(values) else np.inf
        half = factor * self.standard_errors
        self.intervals = np.column_stack([values - half, values + half])
        self.residuals = Table(measured.time, {name: simulated[name] - measured[name] for name in measured}, measured.units)

    def __getitem__(self, name: str) -> float:
        """The fitted value of one number."""
        return float(self.values[self._index(name)])

    def interval(self, name: str) -> tuple[float, float]:
        """The confidence interval of one number."""
        low, high = self.intervals[self._index(name)]
        return float(low), float(high)

    def _index(self, name: str) -> int:
        if not isinstance(name, str):
            raise InputError(f"a fitted number is found by its name, not by {name!r}.")
        if name not in self._places:
            raise UnknownNameError("fitted number", name, self.names)
        return self._places[name]

    def _summary(self) -> str:
        """A table of the numbers."""
        ended = "converged" if self.has_converged else "did not converge"
        rows = [("", "value", "standard error", f"{100 * self.confidence:g} % interval", "")]
        for name, unit, value, error, (low, high) in zip(
            self.names, self.units, self.values, self.standard_errors, self.intervals, strict=True
        ):
            rows.append((name, f"{value:.6g}", f"{error:.2g}", f"{low:.6g} to {high:.6g}", unit))
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        notes = [f"warning: {each}" for each in self.warnings]
        return "\n".join([f"to {self.n} values, {ended} after {self.runs} runs", *lines, *notes])
