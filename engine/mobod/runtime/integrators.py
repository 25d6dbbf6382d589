"""The integration methods of the C runtime: fmu_src/native/methods. That at velocity level is not one of them."""

from functools import cache
from math import isfinite
from typing import Final

import numpy as np

from mobod.arguments.real_numbers import real_number
from mobod.errors import InputError
from mobod.runtime.c_objects import CObject
from mobod.runtime.integrator_names import FIXED_STEP_METHODS as FIXED_STEP_METHODS
from mobod.runtime.integrator_names import IMPLICIT_METHODS as IMPLICIT_METHODS
from mobod.runtime.integrator_names import INTEGRATORS as INTEGRATORS
from mobod.runtime.integrator_names import METHODS as METHODS
from mobod.runtime.integrator_names import RUNGE_KUTTA_METHODS as RUNGE_KUTTA_METHODS
from mobod.runtime.integrator_names import Integrator as Integrator
from mobod.runtime.library import enumerators, runtime

AUTO: Final = "auto"
DEFAULT_ACCURACY: Final = 1e-7
"""Of runs and FMUs; docs/validation/validation.md says for what it is sufficient."""
IMPLICIT: Final = "Rodas5P"
"""The method of AUTO while the system is stiff."""

_LIMITS = enumerators("StepLimit")
DEFAULT_MAX_STEPS, LARGEST_MAX_STEPS = _LIMITS["DEFAULT_MAX_STEPS"], _LIMITS["LARGEST_MAX_STEPS"]


def checked_max_steps(value: object, caller: str) -> int:
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


def integrator_number(name: str) -> int:
    """The integrator's number in C, `Integrator`."""
    return INTEGRATORS.index(name) + 1


@cache
def method_of(name: str) -> CObject:
    """`Method *` of method.h. Not of AUTO, which chooses among methods."""
    return runtime().mobod_method(integrator_number(name))


@cache
def methods_used(bits: int) -> tuple[str, ...]:
    """Names of the methods that were used. bits: Integration.methods of outcome.h."""
    return tuple(name for name in INTEGRATORS if bits >> integrator_number(name) & 1)
