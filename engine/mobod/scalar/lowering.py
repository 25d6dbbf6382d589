"""From a recording to a CasADi function, and the evaluation of CasADi functions through their buffers (no compiler, about 1 us a call)."""

from collections.abc import Sequence
from typing import Any

import casadi
import numpy as np

from mobod.scalar.operations import OPERATIONS
from mobod.scalar.recording import Recording

SX = casadi.SX


def to_casadi(recording: Recording, name: str = "recorded") -> casadi.Function:
    """One dense column for each input and output, entries in C order."""
    symbols = [SX.sym(f"x{i}", array.size) for i, array in enumerate(recording.inputs)]
    outputs = apply(recording, [symbol.elements() for symbol in symbols])
    return casadi.Function(name, symbols, [casadi.densify(casadi.vertcat(*output)) if output else SX(0, 1) for output in outputs])


def apply(recording: Recording, arguments: Sequence[list[Any]]) -> list[list[Any]]:
    """The recorded operations done on SX scalars: for each input the list of its entries, to the same for each output."""
    values: dict[int, Any] = {}
    for array, argument in zip(recording.inputs, arguments, strict=True):
        values.update(zip([entry.number for entry in array.flat], argument, strict=True))
    binary, unary = SX.binary, SX.unary
    entries = recording.tape.entries
    for number in recording.needed:
        operation, operands = entries[number]
        if operation == "constant":
            values[number] = SX(operands)
        elif operation == "where":
            condition, a, b = (values[operand] for operand in operands)
            otherwise = binary(casadi.OP_IF_ELSE_ZERO, unary(casadi.OP_NOT, condition), b)
            values[number] = binary(casadi.OP_IF_ELSE_ZERO, condition, a) + otherwise
        elif operation != "symbol":
            code = OPERATIONS[operation].casadi
            if len(operands) == 2:
                values[number] = binary(code, values[operands[0]], values[operands[1]])
            else:
                values[number] = unary(code, values[operands[0]])
    return [[values[entry.number] for entry in output.flat] for output in recording.outputs]


class BufferedFunction:
    """A CasADi function bound to arrays of its own: write the arguments, call, read the results."""

    def __init__(self, function: casadi.Function):
        self.function = function
        self.arguments = [np.zeros(function.nnz_in(i)) for i in range(function.n_in())]
        self.results = [np.zeros(function.nnz_out(i)) for i in range(function.n_out())]
        self._buffer, self._trigger = function.buffer()
        for i, argument in enumerate(self.arguments):
            self._buffer.set_arg(i, memoryview(argument))
        for i, result in enumerate(self.results):
            self._buffer.set_res(i, memoryview(result))

    def __call__(self) -> None:
        self._trigger()
