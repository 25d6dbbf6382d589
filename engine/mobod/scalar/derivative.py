"""Exact directional derivatives of recorded code, recorded in turn, so to any order.

Forward mode on the tape, instead of CasADi's, because it keeps `where` safe: the tangent of where(c, a, b) is where(c, da, db), so that a
branch not taken may have any derivative, infinite or NaN. CasADi multiplies it by 0.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mobod.scalar.expr import Expr, Tape
from mobod.scalar.functions import is_recorded, where
from mobod.scalar.operations import OPERATIONS
from mobod.scalar.recording import Recording, as_recorded, reachable, record


def jvp(function: Callable[..., Any], arguments: Sequence[Any], directions: Sequence[Any]) -> tuple[Any, Any]:
    """(f(x), df/dx dx): the value and the derivative of `function` at the arguments along the directions.

    function    takes as many arrays as there are arguments, returns one array
    arguments   arrays, recorded or plain
    directions  arrays of the same shapes

    Works inside recorded code (the derivative becomes part of the recording) and on plain numbers.
    """
    arguments = [np.asarray(argument) for argument in arguments]
    directions = [np.asarray(direction) for direction in directions]
    if is_recorded(*arguments) or is_recorded(*directions):
        tape = next(entry.tape for array in (*arguments, *directions) for entry in array.flat if isinstance(entry, Expr))
        arguments = [as_recorded(tape, argument) for argument in arguments]
        value = as_recorded(tape, function(*arguments))
        return value, _tangent(tape, arguments, directions, value)

    recording = record(function, [np.full(argument.shape, np.nan) for argument in arguments], about=getattr(function, "__name__", "function"))
    twin = tangent_twin(recording)
    value, tangent = evaluate(twin, [*arguments, *directions])
    return value, tangent


def tangent_twin(recording: Recording) -> Recording:
    """The recording of (inputs, their directions) -> (outputs, their directional derivatives)."""
    tape = recording.tape
    directions = tuple(tape.symbols(f"dx{i}", array.shape) for i, array in enumerate(recording.inputs))
    tangents = tuple(_tangent(tape, recording.inputs, directions, output) for output in recording.outputs)
    return Recording(tape, recording.inputs + directions, recording.outputs + tangents)


def _tangent(tape: Tape, inputs: Sequence[np.ndarray], directions: Sequence[np.ndarray], output: np.ndarray) -> np.ndarray:
    zero = tape.constant(0.0)
    tangents: dict[int, Any] = {}
    for array, direction in zip(inputs, directions, strict=True):
        for entry, along in zip(array.flat, as_recorded(tape, direction).flat, strict=True):
            if entry.value is None:
                # an argument that appears twice moves with the sum of its directions
                tangents[entry.number] = tangents.get(entry.number, zero) + along
    for number in reachable(tape, output.flat):
        if number in tangents:
            continue
        operation, operands = tape.entries[number]
        if operation in ("symbol", "constant") or not any(operand in tangents for operand in operands):
            continue
        rule = _RULES.get(operation)
        if rule is not None:
            operand_values = [tape.expr(operand) for operand in operands]
            tangents[number] = rule(tape.expr(number), operand_values, [tangents.get(operand, zero) for operand in operands])
    result = np.empty(output.shape, dtype=object)
    for index in np.ndindex(*output.shape):
        result[index] = tangents.get(output[index].number, zero)
    return as_recorded(tape, result)


def _power_rule(y: Any, x: Any, dx: Any) -> Any:
    base, exponent = x
    by_base = exponent * base ** (exponent - 1) * dx[0]
    if exponent.value is not None:
        return by_base
    return by_base + where(y == 0, 0.0, y * np.log(where(y == 0, 1.0, base))) * dx[1]


# name -> (result, operands, their tangents) -> tangent of the result; piecewise constant operations have none
_RULES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda y, x, dx: dx[0] + dx[1],
    "subtract": lambda y, x, dx: dx[0] - dx[1],
    "multiply": lambda y, x, dx: dx[0] * x[1] + x[0] * dx[1],
    "divide": lambda y, x, dx: (dx[0] - y * dx[1]) / x[1],
    "power": _power_rule,
    "arctan2": lambda y, x, dx: (x[1] * dx[0] - x[0] * dx[1]) / (x[0] * x[0] + x[1] * x[1]),
    "negative": lambda y, x, dx: -dx[0],
    "absolute": lambda y, x, dx: x[0].sign() * dx[0],
    "sqrt": lambda y, x, dx: dx[0] / (2 * y),
    "exp": lambda y, x, dx: y * dx[0],
    "log": lambda y, x, dx: dx[0] / x[0],
    "sin": lambda y, x, dx: x[0].cos() * dx[0],
    "cos": lambda y, x, dx: -(x[0].sin() * dx[0]),
    "tan": lambda y, x, dx: (1 + y * y) * dx[0],
    "arcsin": lambda y, x, dx: dx[0] / (1 - x[0] * x[0]).sqrt(),
    "arccos": lambda y, x, dx: -(dx[0] / (1 - x[0] * x[0]).sqrt()),
    "arctan": lambda y, x, dx: dx[0] / (1 + x[0] * x[0]),
    "sinh": lambda y, x, dx: x[0].cosh() * dx[0],
    "cosh": lambda y, x, dx: x[0].sinh() * dx[0],
    "tanh": lambda y, x, dx: (1 - y * y) * dx[0],
    "where": lambda y, x, dx: where(x[0], dx[1], dx[2]),
}


def evaluate(recording: Recording, arguments: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The outputs for plain arguments (float or complex), one operation at a time: slow, needs nothing but NumPy."""
    values: dict[int, Any] = {}
    for array, argument in zip(recording.inputs, arguments, strict=True):
        for entry, value in zip(array.flat, np.asarray(argument).flat, strict=True):
            values[entry.number] = value
    with np.errstate(all="ignore"):
        for number in recording.needed:
            operation, operands = recording.tape.entries[number]
            if operation == "constant":
                values[number] = operands
            elif operation != "symbol":
                values[number] = OPERATIONS[operation].value(*(values[operand] for operand in operands))
    dtype = complex if any(np.iscomplexobj(argument) for argument in arguments) else float
    return tuple(np.array([values[entry.number] for entry in output.flat], dtype=dtype).reshape(output.shape) for output in recording.outputs)
