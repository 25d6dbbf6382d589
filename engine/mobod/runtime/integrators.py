"""The integration methods of the C runtime under error control: fmu_src/native/method.h."""

from functools import cache

from mobod.runtime.library import constant

AUTO, IMPLICIT = "auto", "Rodas5P"
METHODS = ("RK23", "RK45", "DOP853", IMPLICIT)
INTEGRATORS = (AUTO, *METHODS)
"""What a user asks for."""


def enumerator(name: str) -> str:
    """The integrator's name in C."""
    return f"INTEGRATOR_{name.upper()}"


@cache
def integrator_number(name: str) -> int:
    """`Integrator` in C."""
    return constant(enumerator(name))


def methods_used(bits: int) -> list[str]:
    """bits: Integration.methods of integrators.h"""
    return [name for name in METHODS if bits >> integrator_number(name) & 1]
