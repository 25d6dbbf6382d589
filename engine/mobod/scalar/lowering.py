"""From a recording to a CasADi function, and the evaluation of CasADi functions through their buffers (no compiler, about 1 us a call)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import casadi
import numpy as np

from mobod.scalar.operations import LEAVES, OPERATIONS
from mobod.scalar.recording import Recording

SX = casadi.SX


def to_casadi(recording: Recording, name: str = "recorded") -> casadi.Function:
    """One dense column for each input and output, entries in C order."""
    symbols = [SX.sym(f"x{i}", array.size) for i, array in enumerate(recording.inputs)]
    outputs = apply(recording, [symbol.elements() for symbol in symbols])
    return casadi.Function(name, symbols, [column(output) for output in outputs])


def column(entries: Sequence[Any]) -> Any:
    """A dense SX column of SX scalars."""
    return casadi.densify(casadi.vertcat(*entries)) if entries else SX(0, 1)


def apply(recording: Recording, arguments: Sequence[list[Any]], zero: Any = None) -> list[list[Any]]:
    """The recorded operations done on SX scalars: for each input the list of its entries, to the same for each output.

    zero  the object that stands for 0 among the arguments, if any: what is 0 because of it is that object too, whatever the others are
    """
    constants, steps = _steps(recording)
    values: dict[int, Any] = dict(constants)
    for array, argument in zip(recording.inputs, arguments, strict=True):
        values.update(zip([entry.number for entry in array.flat], argument, strict=True))
    binary, unary = SX.binary, SX.unary
    with unsimplified():
        for number, code, operands in steps:
            if callable(code):
                table, x = operands
                values[number] = code(values[table])(values[x])
            elif len(operands) == 2:
                a, b = values[operands[0]], values[operands[1]]
                values[number] = _with_zero(code, a, b, zero) if a is zero or b is zero else binary(code, a, b)
            elif len(operands) == 1:
                a = values[operands[0]]
                values[number] = zero if a is zero and code == casadi.OP_NEG else unary(code, a)
            else:
                condition, a, b = (values[operand] for operand in operands)
                if a is zero and b is zero:
                    values[number] = zero
                else:
                    otherwise = binary(code, unary(casadi.OP_NOT, condition), b)
                    values[number] = binary(casadi.OP_ADD, binary(code, condition, a), otherwise)
    return [[values[entry.number] for entry in output.flat] for output in recording.outputs]


def _with_zero(code: int, a: Any, b: Any, zero: Any) -> Any:
    """An operation of which one operand is `zero`, or both are."""
    if code == casadi.OP_MUL or (code == casadi.OP_DIV and b is not zero):
        return zero
    if code == casadi.OP_ADD:
        return b if a is zero else a
    if code == casadi.OP_SUB:
        return a if b is zero else SX.unary(casadi.OP_NEG, b)
    return SX.binary(code, a, b)


@lru_cache(maxsize=4096)
def _steps(recording: Recording) -> tuple[dict[int, Any], list[tuple[int, Any, tuple[int, ...]]]]:
    """The constants and tables by number; for each operation its number, CasADi's code and the operands. Many rows share a recording."""
    entries = [(number, *recording.tape.entries[number]) for number in recording.needed]
    constants: dict[int, Any] = {number: SX(value) for number, operation, value in entries if operation == "constant"}
    constants.update((number, table) for number, operation, table in entries if operation == "table")
    steps = [(number, OPERATIONS[name].casadi, operands) for number, name, operands in entries if name not in LEAVES]
    return constants, steps


@contextmanager
def unsimplified() -> Iterator[None]:
    """By itself CasADi turns (a - b) + b into a, and sqrt(a)^2 too: then its numbers are not those of the text and of C. Not here."""
    before = casadi.GlobalOptions.getSimplificationOnTheFly()
    casadi.GlobalOptions.setSimplificationOnTheFly(False)
    try:
        yield
    finally:
        casadi.GlobalOptions.setSimplificationOnTheFly(before)


class BufferedFunction:
    """A CasADi function bound to arrays of its own: write the arguments, call, read the results."""

    def __init__(self, function: casadi.Function):
        self.function = function
        self.arguments = [np.zeros(function.nnz_in(i)) for i in range(function.n_in())]
        self.results = [np.zeros(function.nnz_out(i)) for i in range(function.n_out())]
        self._buffer, self._trigger = function.buffer()
        for i, argument in enumerate(self.arguments):
            self._buffer.set_arg(i, argument.data)  # type: ignore[call-arg] # CasADi's stub lacks this form
        for i, result in enumerate(self.results):
            self._buffer.set_res(i, result.data)  # type: ignore[call-arg] # nor this

    def __call__(self) -> None:
        self._trigger()
