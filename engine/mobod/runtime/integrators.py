"""The integration methods of the C runtime: fmu_src/native/tables/method.h. That at velocity level is not one of them."""

import re
from functools import cache
from math import isfinite
from typing import Any, Final, Literal, get_args

import numpy as np

from mobod.errors import InputError
from mobod.real_numbers import real_number
from mobod.runtime.library import constant, enumerators

AUTO: Final = "auto"
DEFAULT_ACCURACY: Final = 1e-7
"""Of runs and FMUs; docs/validation.md says for what it is sufficient."""
IMPLICIT: Final = "Rodas5P"
ErrorControlled = Literal["RK23", "RK45", "DOP853", "Rodas5P"]
FixedStep = Literal["RK4", "SemiImplicitEuler"]
Integrator = Literal["auto", ErrorControlled, FixedStep, "velocity_level"]
"""The names for users, also of that at velocity level, which is not one of these."""
METHODS: tuple[str, ...] = get_args(ErrorControlled)
"""Methods under error control."""
FIXED_STEP_METHODS: tuple[str, ...] = get_args(FixedStep)
INTEGRATORS: tuple[str, ...] = (AUTO, *METHODS, *FIXED_STEP_METHODS)
"""The names of integrators for users, in the order of their numbers in C."""

_LIMITS = enumerators("StepLimit")
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


def checked_step(step: float | None, integrator: str, caller: str) -> float:
    """The size of fixed steps, s. Raises InputError with the name of the caller."""
    size = None if step is None else real_number(step, f"{caller}: step")
    if size is None or not (isfinite(size) and size > 0):
        raise InputError(f"{caller}: integrator='{integrator}' needs a positive and finite step in s, not {step!r}.")
    return size


def enumerator(name: str) -> str:
    """The integrator's name in C."""
    return "INTEGRATOR_" + re.sub("(?<=[a-z])(?=[A-Z])", "_", name).upper()


@cache
def integrator_number(name: str) -> int:
    """The integrator's number in C, `Integrator`."""
    return constant(enumerator(name))


def methods_used(bits: int) -> list[str]:
    """Names of the methods that were used. bits: Integration.methods of outcome.h."""
    return [name for name in (*METHODS, *FIXED_STEP_METHODS) if bits >> integrator_number(name) & 1]
