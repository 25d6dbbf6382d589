"""Record a NumPy function: what it does to its arguments, once, for all values."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mobod.errors import RecordingError
from mobod.scalar.expr import Expr, Tape


@dataclass(frozen=True, eq=False)
class Recording:
    """A recorded function: object arrays of Expr on one tape."""

    tape: Tape
    inputs: tuple[np.ndarray, ...]
    outputs: tuple[np.ndarray, ...]

    @cached_property
    def needed(self) -> list[int]:
        """The numbers of the tape's entries that the outputs are made of, in order."""
        return reachable(self.tape, [entry for output in self.outputs for entry in output.flat])

    @cached_property
    def dependencies(self) -> list[list[frozenset[tuple[int, int]]]]:
        """For each output, for each of its entries: the (input, entry) pairs that it depends on."""
        sources = {entry.number: (i, k) for i, array in enumerate(self.inputs) for k, entry in enumerate(array.flat)}
        depends: dict[int, frozenset[tuple[int, int]]] = {}
        for number in self.needed:
            operation, operands = self.tape.entries[number]
            if operation == "symbol":
                depends[number] = frozenset([sources[number]])
            elif operation == "constant":
                depends[number] = frozenset()
            else:
                depends[number] = frozenset().union(*(depends[operand] for operand in operands))
        return [[depends[entry.number] for entry in output.flat] for output in self.outputs]


def record(function: Callable[..., Any], arguments: Sequence[np.ndarray], *, about: str) -> Recording:
    """Record `function` for arguments of these shapes.

    arguments  float arrays: NaN where the value is open (a symbol), a number where the structure fixes it (a constant)
    about      names what is recorded, for messages

    Raises RecordingError where the function asks for a decision that only a value could take.
    """
    tape = Tape(about)
    inputs = tuple(_input(tape, f"x{i}", np.asarray(argument, dtype=float)) for i, argument in enumerate(arguments))
    try:
        results = function(*inputs)
    except (TypeError, AttributeError) as error:
        if "no callable" in str(error) or "has no attribute" in str(error):
            raise RecordingError(
                f"{about}: {error}. NumPy found no recorded form of a function, or a plain number among recorded ones: "
                "use NumPy's elementary functions and mobod.scalar, and apply them before plain numbers are mixed in."
            ) from error
        raise
    if not isinstance(results, tuple):
        results = (results,)
    return Recording(tape, inputs, tuple(as_recorded(tape, result) for result in results))


def as_recorded(tape: Tape, array: Any) -> np.ndarray:
    """The array with its plain numbers made constants of the tape."""
    array = np.asarray(array, dtype=object)
    recorded = np.empty(array.shape, dtype=object)
    for index in np.ndindex(*array.shape):
        entry = array[index]
        recorded[index] = entry if isinstance(entry, Expr) else tape.constant(entry)
    return recorded


def reachable(tape: Tape, results: Iterable[Expr]) -> list[int]:
    """The numbers of all entries that the results are made of, in the order of the tape."""
    seen = set()
    waiting = [result.number for result in results]
    while waiting:
        number = waiting.pop()
        if number not in seen:
            seen.add(number)
            operation, operands = tape.entries[number]
            if operation not in ("symbol", "constant"):
                waiting.extend(operands)
    return sorted(seen)


def _input(tape: Tape, name: str, pattern: np.ndarray) -> np.ndarray:
    array = np.empty(pattern.shape, dtype=object)
    for index in np.ndindex(*pattern.shape):
        value = pattern[index]
        array[index] = tape.symbol(f"{name}{list(index)}") if np.isnan(value) else tape.constant(value)
    return array
