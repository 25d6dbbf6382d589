"""The design of a sweep: which values each run gets."""

import ast
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, final, get_args

import numpy as np
import scipy  # whose parts are loaded when they are used: those of statistics take a second

from mobod.arguments.held_counts import check_held_count
from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, UnknownNameError

DesignKind = Literal["random", "latin", "sobol", "halton"]

# distributions by their names in texts, with their arguments
_DISTRIBUTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "normal": (lambda mean, deviation: scipy.stats.norm(mean, deviation), "mean, standard deviation"),
    "uniform": (lambda low, high: scipy.stats.uniform(low, high - low), "lower, upper"),
    "lognormal": (
        lambda mean, deviation: scipy.stats.lognorm(s=deviation, scale=np.exp(mean)),
        "mean, standard deviation of the logarithm",
    ),
    "triangular": (lambda low, mode, high: scipy.stats.triang((mode - low) / (high - low), low, high - low), "lower, mode, upper"),
    "exponential": (lambda mean: scipy.stats.expon(scale=mean), "mean"),
}


@final
@dataclass(frozen=True)
class Axis:
    """What one name gets: values of a grid, or a distribution."""

    name: str
    grid: tuple[float, ...] | None
    distribution: Any = None


def axes_of(settings: Mapping[str, object]) -> list[Axis]:
    """The axes of a sweep. Raises InputError, UnknownNameError for a distribution that does not exist.

    settings  name -> a number; several numbers, a grid; '1:20:50', 50 numbers from 1 to 20; 'normal(0, 2)' and others; or a frozen
              distribution of scipy.stats
    """
    return [_axis(name, given) for name, given in settings.items()]


def _axis(name: str, given: object) -> Axis:
    if isinstance(given, str):
        return _parsed(name, given.strip())
    if hasattr(given, "ppf"):
        return Axis(name, None, given)
    values = np.atleast_1d(real_numbers(given, f"sweep: '{name}'"))
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise InputError(f"sweep: '{name}' takes finite numbers in one list, not {given!r}.")
    return Axis(name, tuple(values.tolist()))


def _parsed(name: str, text: str) -> Axis:
    if match := re.fullmatch(r"(\w+)\s*\((.*)\)", text):
        return Axis(name, None, _distribution(name, match[1], match[2]))
    parts = text.split(":")
    try:
        if len(parts) == 3:
            count = int(parts[2])
            if count < 1:
                raise ValueError("no value")
            check_held_count(count, f"sweep: the values '{name}={text}'", "Choose fewer values")
            return _axis(name, np.linspace(float(parts[0]), float(parts[1]), count))
        return _axis(name, [float(part) for part in text.split(",")])
    except InputError:
        raise
    except ValueError as error:
        raise InputError(
            f"sweep: '{name}={text}' is not a number, numbers separated by commas, FIRST:LAST:COUNT, or a distribution such as "
            "normal(0, 2)."
        ) from error


def _distribution(name: str, kind: str, arguments: str) -> Any:
    UnknownNameError.check("distribution", kind, _DISTRIBUTIONS)
    make, described = _DISTRIBUTIONS[kind]
    try:
        numbers = [float(ast.literal_eval(part.strip())) for part in arguments.split(",")]
        distribution = make(*numbers)
        is_valid = bool(np.isfinite(distribution.ppf([0.25, 0.75])).all())
    except (TypeError, ValueError, SyntaxError, ZeroDivisionError):
        is_valid = False
    if not is_valid:
        raise InputError(f"sweep: '{name}={kind}({arguments})' is not valid. Write {kind}({described}).")
    return distribution


def design(axes: Sequence[Axis], runs: int | None, kind: DesignKind, seed: int) -> np.ndarray:
    """(n, number of axes): the values of each run. Every point of the grid is combined with every sample of the distributions.

    runs  number of samples of the distributions; default: one for a grid alone

    Raises InputError for a number of runs without distributions, or the reverse.
    """
    UnknownNameError.check("design", kind, get_args(DesignKind))
    random = [axis for axis in axes if axis.grid is None]
    if random and (runs is None or runs < 1):
        raise InputError(f"sweep: '{random[0].name}' has a distribution, so a number of runs is needed: runs=1000, or --runs 1000.")
    if not random and runs is not None:
        raise InputError("sweep: runs applies to distributions, and there is none. The number of runs follows from the grid. Remove it.")
    grids = [axis.grid for axis in axes if axis.grid is not None]
    n_samples = runs if random and runs is not None else 1
    total = n_samples * math.prod(len(grid) for grid in grids)
    check_held_count(total, "sweep: the runs of all values", "Choose fewer values")
    samples = _samples(random, n_samples, kind, seed)
    points = np.array(list(product(*grids)), dtype=float).reshape(total // n_samples, len(grids))
    table = np.empty((len(points) * n_samples, len(axes)))
    columns = iter(range(len(grids))), iter(range(len(random)))
    for k, axis in enumerate(axes):
        if axis.grid is not None:
            table[:, k] = np.repeat(points[:, next(columns[0])], n_samples)
        else:
            table[:, k] = np.tile(samples[:, next(columns[1])], len(points))
    return table


def _samples(random: Sequence[Axis], n: int, kind: DesignKind, seed: int) -> np.ndarray:
    """(n, number of distributions): their samples."""
    d = len(random)
    if not d:
        return np.empty((n, 0))
    if kind == "random":
        uniform = np.random.default_rng(seed).random((n, d))
    elif kind == "latin":
        uniform = scipy.stats.qmc.LatinHypercube(d, rng=seed).random(n)
    elif kind == "sobol":
        sampler = scipy.stats.qmc.Sobol(d, rng=seed)
        uniform = sampler.random_base2(int(np.ceil(np.log2(n))))[:n]  # SciPy warns of other numbers
    else:
        uniform = scipy.stats.qmc.Halton(d, rng=seed).random(n)
    uniform = np.clip(uniform, 2.0**-53, 1 - 2.0**-53)  # 0 and 1 may be infinite
    samples = np.column_stack([axis.distribution.ppf(column) for axis, column in zip(random, uniform.T, strict=True)])
    if not np.isfinite(samples).all():
        raise InputError("sweep: a distribution has samples that are not finite.")
    return samples
