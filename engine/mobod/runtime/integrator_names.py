"""The names of the integrators. Written by build_scripts/generate_methods.py from fmu_src/native/methods; do not edit."""

from typing import Literal, get_args

ErrorControlled = Literal["RK23", "RK45", "DOP853", "Rodas5P"]
FixedStep = Literal["RK4", "SemiImplicitEuler", "RK3"]
Integrator = Literal["auto", "RK23", "RK45", "DOP853", "Rodas5P", "RK4", "SemiImplicitEuler", "RK3", "velocity_level"]
"""The names for users: in the order of their numbers in C, and last that at velocity level, which is not in the table."""

METHODS: tuple[str, ...] = get_args(ErrorControlled)
"""Methods under error control."""
FIXED_STEP_METHODS: tuple[str, ...] = get_args(FixedStep)
INTEGRATORS: tuple[str, ...] = get_args(Integrator)[:-1]
"""The integrators in the order of their numbers in C, which begin at 1; without that at velocity level."""
RUNGE_KUTTA_METHODS: tuple[str, ...] = ("RK23", "RK45", "DOP853", "RK4", "RK3")
"""Explicit Runge-Kutta methods. Their steps have tangents, and run side by side."""
IMPLICIT_METHODS: tuple[str, ...] = ("Rodas5P",)
