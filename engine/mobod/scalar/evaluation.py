"""Evaluates a recording on plain numbers, one operation at a time: slow, needs only NumPy, accepts complex numbers."""

from collections.abc import Sequence

import numpy as np

from mobod.scalar.operations import OPERATIONS
from mobod.scalar.recording import Recording


def evaluate(recording: Recording, arguments: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The outputs for arguments of floats or complex numbers."""
    values: dict[int, object] = {}
    for array, argument in zip(recording.inputs, arguments, strict=True):
        values.update(zip([entry.number for entry in array.flat], argument.flat, strict=True))
    with np.errstate(all="ignore"):
        for number in recording.needed:
            operation, operands = recording.tape.entries[number]
            if operation == "constant":
                values[number] = np.float64(operands)
            elif operation == "table":
                values[number] = operands
            elif operation != "symbol":
                values[number] = OPERATIONS[operation].value(*(values[operand] for operand in operands))
    dtype = complex if any(np.iscomplexobj(argument) for argument in arguments) else float
    return tuple(
        np.array([values[entry.number] for entry in output.flat], dtype=dtype).reshape(output.shape) for output in recording.outputs
    )
