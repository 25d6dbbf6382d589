"""Fit parameters, inputs and start values of a System to measured values over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, final, get_args

import numpy as np
from scipy.optimize import least_squares

from mobod.analysis.fit_result import FitResult, uncertainty
from mobod.analysis.measurements import Data, Measurements, read_measurements
from mobod.analysis.named_numbers import check_parameter, distinct_numbers, set_numbers
from mobod.analysis.sensitivity import ParameterRuns, changes_by_runs, checked_simulation
from mobod.arguments.real_numbers import real_number, real_numbers
from mobod.errors import InputError, MobodError, MobodWarning, UnknownNameError
from mobod.simulate import Simulation, Table
from mobod.system import State, System, check_state
from mobod.system.named_numbers import NamedNumber, places_by_name

Loss = Literal["linear", "soft_l1", "huber", "cauchy", "arctan"]

# relative size of singular values below which data do not determine a combination of numbers: by tangents, and by differences
_T = TypeVar("_T")
_NOT_DETERMINED, _NOT_DETERMINED_BY_DIFFERENCES = 1e-8, 1e-5


def fit(
    simulation: Simulation | System,
    data: Data | Sequence[Data],
    parameters: Sequence[str],
    *,
    state: State | None = None,
    inputs: Data | None = None,
    columns: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    scales: Mapping[str, float] | None = None,
    loss: Loss = "linear",
    loss_scale: float = 1.0,
    confidence: float = 0.95,
    max_runs: int = 200,
) -> FitResult:
    """Find the values of parameters for which a run is nearest to measured values, in the sense of least squares.

    simulation  or a System, which is then simulated with the default accuracy
    data        a Table, Results, or the path of a CSV file whose first column is time; or several of them, with different times. Columns
                are variables, 'lower.q', 'lower.p_GB[2]', and empty cells and NaN are no values. Columns that are inputs of the System
                drive it: real ones linearly between rows, others are held until the next row
    parameters  names: parameters, inputs that are constant, and states, such as 'upper.q', for their values at the start
    state       at the start of the run; its values are where the search begins. Default: the default State
    inputs      a table or file with inputs alone, if they are not among the data
    columns     name in the data -> name of the variable, if they differ. Other columns are then ignored
    weights     name -> factor of its residuals, 1 / the standard deviation of its errors. Default: 1 if all measured numbers have one unit,
                else 1 / the standard deviation of the column over time
    bounds      name -> (least, greatest). Default: the bounds of the variable
    scales      name -> a typical size. Default: the value at the start of the search, or half the distance of the bounds if it is 0, or 1
    loss        'linear': least squares; 'soft_l1', 'huber', 'cauchy', 'arctan': less weight for outliers, see scipy.optimize.least_squares
    loss_scale  weighted residuals that are larger count as outliers
    confidence  of the intervals
    max_runs    the largest number of runs of the search

    Derivatives are those of `sensitivities`. A trial at which a run fails is refused, and the search takes a shorter step. Warnings say
    when data do not determine a number, when a bound is active, when runs failed, when the search ended early, and when constraints change
    the fitted start.

    Raises what a run from the first values raises, UnknownNameError, and InputError for data without values and for bounds that exclude the
    first values.
    """
    simulation = checked_simulation(simulation, "fit")
    system = simulation.system
    state = system.realize_topology() if state is None else state
    check_state(state, system)
    chosen = _checked_parameters(system, state, parameters)
    if loss not in get_args(Loss):
        raise InputError(f"fit: loss must be one of {', '.join(map(repr, get_args(Loss)))}, not {loss!r}.")
    confidence = real_number(confidence, "fit: the confidence")
    if not 0 < confidence < 1:
        raise InputError(f"fit: the confidence must be between 0 and 1, not {confidence!r}.")
    measurements = read_measurements(system, state, data, inputs, columns)
    driven = set() if measurements.inputs is None else {each.name for each in measurements.inputs.numbers}
    for each in chosen:
        if each.name in driven:
            raise InputError(f"fit: '{each.name}' follows the data and cannot be fitted too.")
    start = np.array([state.values[each.offset] for each in chosen])
    limits = _bounds(chosen, start, bounds or {})
    sizes = _scales(chosen, start, limits, scales or {})
    factors = _weights(measurements, weights)
    with ParameterRuns(simulation, state, chosen, measurements.numbers, measurements.time, measurements.inputs) as runs:
        search = _Search(runs, measurements, factors)
        search.run(start)  # raises an error of the first run
        found = least_squares(
            search.residuals, start, search.derivatives, limits, x_scale=sizes, loss=loss, f_scale=loss_scale, max_nfev=max_runs
        )
        last = search.run(found.x)
        return _result(search, found, chosen, simulation, state, sizes, last, confidence)


@final
@dataclass
class _Search:
    """What least_squares calls. failures: messages of runs that failed; doubts: sentences on the last derivatives."""

    runs: ParameterRuns
    measurements: Measurements
    factors: np.ndarray
    failures: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    n_runs: int = 0

    def __post_init__(self) -> None:
        self.is_measured = np.isfinite(self.measurements.values)
        self._last: tuple[np.ndarray, np.ndarray] | None = None

    def run(self, values: np.ndarray) -> np.ndarray:
        """(m, numbers) simulated."""
        if self._last is None or not np.array_equal(self._last[0], values):
            self.n_runs += 1
            self._last = values.copy(), self.runs.run(values, with_derivatives=False).values
        return self._last[1]

    def residuals(self, values: np.ndarray) -> np.ndarray:
        """(n,) weighted; not finite if the run fails, which least_squares answers by a shorter step."""
        try:
            simulated = self.run(values)
        except MobodError as error:
            self.failures.append(str(error))
            return np.full(int(self.is_measured.sum()), np.inf)
        return ((simulated - self.measurements.values) * self.factors)[self.is_measured]

    def derivatives(self, values: np.ndarray) -> np.ndarray:
        """(n, p)"""
        self.n_runs += 1
        run = self.runs.run(values, with_derivatives=True)
        self.doubts, found = run.doubts, run.derivatives
        return (found * self.factors[:, None])[self.is_measured]


def _result(
    search: _Search,
    found: Any,
    chosen: list[NamedNumber],
    simulation: Simulation,
    state: State,
    scales: np.ndarray,
    simulated: np.ndarray,
    confidence: float,
) -> FitResult:
    measurements, system = search.measurements, simulation.system
    n, names = int(search.is_measured.sum()), [each.name for each in chosen]
    variance = 2 * float(found.cost) / (n - len(chosen)) if n > len(chosen) else np.nan
    by_differences = "differences of runs" in search.runs.method
    doubt = uncertainty(found.jac, variance, scales, names, _NOT_DETERMINED_BY_DIFFERENCES if by_differences else _NOT_DETERMINED)
    messages = [
        f"the data do not determine {each}: these parts of the start values can change together without an effect on the residuals."
        for each in doubt.combinations
    ]
    for name, mask, value, each in zip(names, found.active_mask, found.x, chosen, strict=True):
        if mask:
            messages.append(f"'{name}' is at its {'least' if mask < 0 else 'greatest'} value, {value:.6g} {each.unit}.")
    if found.status <= 0:
        messages.append(f"the search ended early, after {search.n_runs} runs: {found.message}")
    if search.failures:
        messages.append(f"{len(search.failures)} trial runs failed and were refused. The last one: {search.failures[-1]}")
    messages += search.doubts
    if n <= len(chosen):
        messages.append(f"{n} measured values are too few for the uncertainty of {len(chosen)} numbers.")
    fitted = state.copy()
    set_numbers(system, fitted, chosen, found.x)
    messages += changes_by_runs(simulation, fitted)
    for message in messages:
        MobodWarning.warn(f"fit: {message}", stacklevel=3)
    columns = [each.name for each in measurements.numbers]
    units = {each.name: each.unit for each in measurements.numbers}
    shown = np.where(search.is_measured, simulated, np.nan)
    return FitResult(
        numbers=chosen,
        values=found.x,
        covariance=doubt.covariance,
        confidence=confidence,
        state=fitted,
        measured=Table(measurements.time, dict(zip(columns, measurements.values.T, strict=True)), units),
        simulated=Table(measurements.time, dict(zip(columns, shown.T, strict=True)), units),
        weights=dict(zip(columns, search.factors.tolist(), strict=True)),
        variance=variance,
        n=n,
        runs=search.n_runs,
        failed_runs=len(search.failures),
        last_failure=search.failures[-1] if search.failures else None,
        has_converged=bool(found.status > 0),
        message=str(found.message),
        method=search.runs.method,
        warnings=tuple(messages),
    )


def _checked_parameters(system: System, state: State, parameters: Sequence[str]) -> list[NamedNumber]:
    chosen = distinct_numbers(system, state, parameters, "parameters")
    for each in chosen:
        check_parameter(each, "parameters")
    if not chosen:
        raise InputError("fit: give the name of one or more parameters.")
    return chosen


def _given(given: Mapping[str, _T], known: Sequence[NamedNumber], what: str) -> Mapping[str, _T]:
    """What was given, by the printed names of the numbers. Raises UnknownNameError."""
    places = places_by_name(known)
    for name in given:
        if name not in places:
            raise UnknownNameError(what, name, [each.name for each in known])
    return {known[places[name]].name: value for name, value in given.items()}


def _bounds(chosen: list[NamedNumber], start: np.ndarray, given: Mapping[str, tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """(p,) least and (p,) greatest values."""
    given, limits = _given(given, chosen, "fitted number with bounds"), []
    for each, value in zip(chosen, start, strict=True):
        variable = each.variable
        own = (-np.inf if variable.minimum is None else variable.minimum, np.inf if variable.maximum is None else variable.maximum)
        pair = real_numbers(given.get(each.name, own), f"fit: the bounds of '{each.name}'")
        if pair.shape != (2,) or not pair[0] < pair[1]:
            raise InputError(f"fit: the bounds of '{each.name}' are (least, greatest), not {given[each.name]!r}.")
        least, greatest = max(pair[0], own[0]), min(pair[1], own[1])
        if not least <= value <= greatest:
            raise InputError(
                f"fit: '{each.name}' is {value:.6g} {each.unit} at the start of the search, which is not from {least:g} to {greatest:g}. "
                "Set it in the State."
            )
        limits.append((least, greatest))
    least, greatest = np.array(limits, dtype=float).T
    return least, greatest


def _scales(chosen: list[NamedNumber], start: np.ndarray, limits: tuple[np.ndarray, np.ndarray], given: Mapping[str, float]) -> np.ndarray:
    """(p,) typical sizes."""
    given, sizes = _given(given, chosen, "fitted number with a scale"), []
    for each, value, least, greatest in zip(chosen, start, *limits, strict=True):
        half = (greatest - least) / 2
        size = real_number(given.get(each.name, abs(value) or (half if np.isfinite(half) else 1.0)), f"fit: the scale of '{each.name}'")
        if not (np.isfinite(size) and size > 0):
            raise InputError(f"fit: the scale of '{each.name}' must be positive and finite, not {size!r}.")
        sizes.append(size)
    return np.array(sizes)


def _weights(measurements: Measurements, given: Mapping[str, float] | None) -> np.ndarray:
    """(numbers,) factors of residuals. A weight for a whole variable is that of each of its numbers."""
    numbers = measurements.numbers
    if given is None:
        if len({each.unit for each in numbers}) == 1:
            return np.ones(len(numbers))
        spread = np.nanstd(measurements.values, axis=0)
        return 1 / np.where(spread > 0, spread, 1.0)
    arrays = {each.variable.name for each in numbers}
    of_arrays = {name: weight for name, weight in given.items() if name in arrays}
    of_numbers = _given({name: weight for name, weight in given.items() if name not in arrays}, numbers, "measured number with a weight")
    factors = []
    for each in numbers:
        if each.name not in of_numbers and each.variable.name not in of_arrays:
            raise InputError(f"fit: weights has no entry for '{each.name}', which was measured.")
        given_factor = of_numbers[each.name] if each.name in of_numbers else of_arrays[each.variable.name]
        factor = real_number(given_factor, f"fit: the weight of '{each.name}'")
        if not (np.isfinite(factor) and factor >= 0):
            raise InputError(f"fit: the weight of '{each.name}' must be finite and not negative, not {factor!r}.")
        factors.append(factor)
    return np.array(factors)
