"""Numbers of a System that C reads or sets."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mobod.runtime.library import doubles, ffi, ints

if TYPE_CHECKING:
    from mobod.simulate.run_variables import RunVariables


def numbers_of_simulation(variables: "RunVariables", kept: list[object]) -> Any:
    """`NumbersOfSimulation *` of exchange.h. kept: gets the memory that C uses"""
    made = ffi.new("NumbersOfSimulation *")
    calls = variables.calls or []
    scratch = np.zeros(max((each.n_registers for each in calls), default=1))
    copy = np.zeros(variables.n_copied)
    made.offsets, made.stage = ints(variables.offsets), int(variables.stage)
    made.least, made.greatest = doubles(variables.least), doubles(variables.greatest)
    calls_in_c = ffi.new("KernelCalls[]", [each.in_c for each in calls])
    made.n_calls, made.calls = len(calls), calls_in_c
    made.scratch, made.copy, made.n_copied = doubles(scratch), doubles(copy), len(copy)
    kept += [variables, calls_in_c, scratch, copy]
    return made
