"""The functions of `simbody-ref/1` files: FUNCTIONS maps each type to a function of the file's entry."""

from collections.abc import Callable
from typing import Any

from mobod import functions


def _constant(entry: dict[str, Any]) -> functions.Function:
    return functions.Constant(entry["value"], max(1, entry["n_args"]))  # mobod's constants have at least one argument


def _linear(entry: dict[str, Any]) -> functions.Function:
    return functions.Linear(entry["coefficients"])


def _multi_poly(entry: dict[str, Any]) -> functions.Function:
    return functions.MultiPoly(entry["n_args"], [(term["c"], term["powers"]) for term in entry["terms"]])


def _polynomial(entry: dict[str, Any]) -> functions.Function:
    return functions.Polynomial(entry["coefficients"])


def _sinusoid(entry: dict[str, Any]) -> functions.Function:
    return functions.Sinusoid(entry["amplitude"], entry["frequency"], entry["phase"])


FUNCTIONS: dict[str, Callable[[dict[str, Any]], functions.Function]] = {
    "Constant": _constant,
    "Linear": _linear,
    "MultiPoly": _multi_poly,
    "Polynomial": _polynomial,
    "Sinusoid": _sinusoid,
}
