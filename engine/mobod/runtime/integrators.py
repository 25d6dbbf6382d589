"""The integration methods of the C runtime under error control: fmu_src/native/method.h."""

from functools import cache
from typing import Any

import numpy as np

from mobod.errors import InputError
from mobod.runtime.library import constant, ffi

AUTO, IMPLICIT = "auto", "Rodas5P"
METHODS = ("RK23", "RK45", "DOP853", IMPLICIT)
INTEGRATORS = (AUTO, *METHODS)
"""The names of integrators for users."""

_LIMITS = {name: int(value) for name, value in ffi.typeof("StepLimit").relements.items()}
DEFAULT_MAX_STEPS, LARGEST_MAX_STEPS = _LIMITS["DEFAULT_MAX_STEPS"], _LIMITS["LARGEST_MAX_STEPS"]


def checked_max_steps(value: Any, caller: str) -> int:
    """The limit of tried steps; DEFAULT_MAX_STEPS for None. Raises InputError with the name of the caller."""
    if value is None:
        return DEFAULT_MAX_STEPS
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float, np.number))
        or not (1 <= value <= LARGEST_MAX_STEPS and value == int(value))
    ):
        raise InputError(f"{caller}: max_steps must be a whole number from 1 to {LARGEST_MAX_STEPS}, not {value!r}.")
    return int(value)


def enumerator(name: str) -> str:
    """The integrator's name in C."""
    return f"INTEGRATOR_{name.upper()}"


@cache
def integrator_number(name: str) -> int:
    """The integrator's number in C, `Integrator`."""
    return constant(enumerator(name))


def methods_used(bits: int) -> list[str]:
    """Names of the methods that were used. bits: Integration.methods of integrators.h."""
    return [name for name in METHODS if bits >> integrator_number(name) & 1]
