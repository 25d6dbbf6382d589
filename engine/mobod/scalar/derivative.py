"""Exact directional derivatives of recorded code. They are recordings too, so derivatives of any order are possible.

Forward mode on the tape. The tangent of where(c, a, b) is where(c, da, db), so the derivative of the branch that is not chosen may be
infinite or NaN.
"""

# Decision: docs/decisions/003-forward-mode.md

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.scalar.evaluation import evaluate
from mobod.scalar.expr import Expr, Tape
from mobod.scalar.functions import is_recorded, where
from mobod.scalar.operations import LEAVES
from mobod.scalar.recording import Recording, as_recorded, reachable, record


def jvp(function: Callable[..., object], arguments: Sequence[ArrayLike], directions: Sequence[ArrayLike]) -> tuple[Any, Any]:
    """(f(x), df/dx dx): the value and the derivative of `function` at the arguments along the directions.

    function    takes as many arrays as there are arguments, returns an array or a tuple of arrays
    arguments   arrays, recorded or plain
    directions  arrays of the same shapes

    Works inside recorded code (the derivative becomes part of the recording) and on plain numbers. Values that the function takes from
    elsewhere are held constant, even if they were computed from the arguments.
    Raises InputError if shapes differ.
    """
    value, (derivative,) = jvps(function, arguments, [directions])
    return value, derivative


def jvps(
    function: Callable[..., object], arguments: Sequence[ArrayLike], directions: Sequence[Sequence[ArrayLike]]
) -> tuple[Any, list[Any]]:
    """The value, and for each of several lists of directions the derivative along it, as `jvp` has them. The function is recorded once."""
    arrays = [np.asarray(argument) for argument in arguments]
    along = [[np.asarray(direction) for direction in each] for each in directions]
    shapes = [array.shape for array in arrays]
    for each in along:
        if shapes != [array.shape for array in each]:
            raise InputError(f"jvp: the directions must have the shapes of the arguments, {shapes}.")
    if is_recorded(*arrays, *(array for each in along for array in each)):
        results = _recorded_jvps(function, arrays, along)
    else:
        about = getattr(function, "__name__", type(function).__name__)
        twin = tangent_twin(record(function, [np.full(shape, np.nan) for shape in shapes], about=about))
        of_each = [[result[()] for result in evaluate(twin, [*arrays, *each])] for each in along]
        half = len(twin.outputs) // 2
        results = [of_each[0][:half], *(each[half:] for each in of_each)]
    value, *derivatives = [each[0] if len(each) == 1 else tuple(each) for each in results]
    return value, derivatives


def _recorded_jvps(
    function: Callable[..., object], arguments: list[np.ndarray], directions: list[list[np.ndarray]]
) -> list[list[np.ndarray]]:
    """The values, then for each list of directions the tangents.

    The function is first recorded for symbols, then replayed on the arguments. The arguments themselves may be constants, may be the same
    twice, or may be operands of other values that the function uses.
    """
    tape = next(
        entry.tape
        for array in (*arguments, *(array for each in directions for array in each))
        for entry in array.flat
        if isinstance(entry, Expr)
    )
    first = len(tape.entries)
    symbols = [tape.symbols(f"x{i}", argument.shape) for i, argument in enumerate(arguments)]
    values = function(*(array[()] for array in symbols))
    found = [as_recorded(tape, value) for value in (values if isinstance(values, tuple) else (values,))]
    outputs = list(found)
    for each in directions:
        outputs += _tangents(tape, symbols, [as_recorded(tape, direction) for direction in each], found)

    stand_ins: dict[int, Expr] = {}
    for array, argument in zip(symbols, arguments, strict=True):
        stand_ins.update(zip([symbol.number for symbol in array.flat], as_recorded(tape, argument).flat, strict=True))

    def in_place(number: int) -> Expr:
        return stand_ins[number] if number in stand_ins else tape.expr(number)

    for number in reachable(tape, [entry for output in outputs for entry in output.flat], since=first):
        operation, operands = tape.entries[number]
        if operation not in LEAVES:
            stand_ins[number] = tape.apply(operation, *[in_place(operand) for operand in operands])
    replayed = [as_recorded(tape, [in_place(entry.number) for entry in output.flat]).reshape(output.shape)[()] for output in outputs]
    return [replayed[i : i + len(found)] for i in range(0, len(replayed), len(found))]


def tangent_twin(recording: Recording) -> Recording:
    """The recording of (inputs, their directions) -> (outputs, their directional derivatives)."""
    tape = recording.tape
    directions = tuple(tape.symbols(f"dx{i}", array.shape) for i, array in enumerate(recording.inputs))
    tangents = _tangents(tape, recording.inputs, directions, recording.outputs)
    return Recording(tape, recording.inputs + directions, (*recording.outputs, *tangents))


def tangents_along(recording: Recording, changing: Sequence[Sequence[bool]]) -> Recording:
    """The recording of (inputs, their directions) -> directional derivatives of the outputs, for inputs of which only some entries change.

    changing  for each input, which of its entries change; directions of other entries are not read
    """
    tape = recording.tape
    directions = tuple(tape.symbols(f"dx{i}", array.shape) for i, array in enumerate(recording.inputs))
    zero = tape.constant(0.0)
    along = []
    for direction, changes in zip(directions, changing, strict=True):
        entries = np.empty(direction.size, dtype=object)
        entries[:] = [entry if is_changing else zero for entry, is_changing in zip(direction.flat, changes, strict=True)]
        along.append(entries.reshape(direction.shape))
    tangents = _tangents(tape, recording.inputs, along, recording.outputs)
    return Recording(tape, recording.inputs + directions, tuple(tangents))


def _tangents(
    tape: Tape, inputs: Sequence[np.ndarray], directions: Sequence[np.ndarray], outputs: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """For each output its derivative along the directions of the inputs, whose open entries are distinct."""
    zero = tape.constant(0.0)
    tangents: dict[int, Expr] = {}
    for array, direction in zip(inputs, directions, strict=True):
        pairs = zip(array.flat, direction.flat, strict=True)
        tangents.update((entry.number, along) for entry, along in pairs if entry.value is None and along.value != 0.0)
    for number in reachable(tape, [entry for output in outputs for entry in output.flat], since=min(tangents, default=0)):
        operation, operands = tape.entries[number]
        if operation in LEAVES or operation in PIECEWISE_CONSTANT:
            continue
        if any(operand in tangents for operand in operands):
            values = [tape.expr(operand) for operand in operands]
            tangents[number] = RULES[operation](tape.expr(number), values, [tangents.get(operand, zero) for operand in operands])
    return [as_recorded(tape, [tangents.get(entry.number, zero) for entry in output.flat]).reshape(output.shape) for output in outputs]


def _power_rule(y: Any, x: Any, dx: Any) -> Any:
    base, exponent = x
    by_base = exponent * base ** (exponent - 1) * dx[0]
    # 0 to a power remains 0 when the power changes
    by_exponent = where(y == 0, 0.0, y * np.log(where(y == 0, 1.0, base))) * dx[1]
    return by_base + by_exponent


PIECEWISE_CONSTANT = frozenset(
    ["less", "less_equal", "equal", "not_equal", "logical_and", "logical_or", "logical_not", "sign", "floor", "interval", "lookup"]
)

# name -> (result, operands, their tangents) -> tangent of the result; at a kink the one-sided derivative, or 0
RULES: dict[str, Callable[[Expr, Any, Any], Expr]] = {
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
