"""Recording of a NumPy function: its operations on its arguments, once for all values."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from struct import pack
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import RecordingError
from mobod.scalar.expr import Expr, Tape
from mobod.scalar.operations import LEAVES

# messages of Python and NumPy for operations that an Expr does not support
_NOT_RECORDABLE = re.compile(r"\bExpr\b|ufunc|dtype\('O'\)|no callable|'float' object has no attribute")


@dataclass(frozen=True, eq=False)
class Recording:
    """A recorded function: object arrays of Expr on one tape."""

    tape: Tape
    inputs: tuple[np.ndarray, ...]
    outputs: tuple[np.ndarray, ...]

    @cached_property
    def derived(self) -> dict[tuple[object, ...], Any]:
        """Cache of everything made from it (see kept_by_first)."""
        return {}

    @cached_property
    def needed(self) -> list[int]:
        """The tape numbers of all entries that the outputs depend on, in order."""
        return reachable(self.tape, [entry for output in self.outputs for entry in output.flat])

    @cached_property
    def dependencies(self) -> list[list[frozenset[tuple[int, int]]]]:
        """For each entry of each output: the (input, entry) pairs that it depends on."""
        sources = {entry.number: (i, k) for i, array in enumerate(self.inputs) for k, entry in enumerate(array.flat)}
        depends: dict[int, frozenset[tuple[int, int]]] = {}
        for number in self.needed:
            operation, operands = self.tape.entries[number]
            if operation == "symbol":
                depends[number] = frozenset([sources[number]])
            elif operation in LEAVES:
                depends[number] = frozenset()
            else:
                depends[number] = frozenset().union(*(depends[operand] for operand in operands))
        return [[depends[entry.number] for entry in output.flat] for output in self.outputs]

    def with_outputs(self, kept: Iterable[int]) -> "Recording":
        """The same recording with only these outputs; the others become empty, so that nothing is computed for them."""
        kept = set(kept)
        empty = np.empty(0, dtype=object)
        return Recording(self.tape, self.inputs, tuple(output if i in kept else empty for i, output in enumerate(self.outputs)))


class _Owner(Protocol):
    @property
    def derived(self) -> dict[tuple[object, ...], Any]: ...


Result = TypeVar("Result")


def kept_by_first(function: Callable[..., Result]) -> Callable[..., Result]:
    """Decorator of function(owner, *arguments): caches its results as long as the owner lives, a recording or a kind."""

    @wraps(function)
    def kept(owner: _Owner, *arguments: object) -> Result:
        key = (function, *arguments)
        if key not in owner.derived:
            owner.derived[key] = function(owner, *arguments)
        result: Result = owner.derived[key]
        return result

    return kept


_SHARED: WeakValueDictionary[tuple[object, ...], Recording] = WeakValueDictionary()


def shared(recording: Recording) -> Recording:
    """The recording, or an equal one that exists already, so that whatever is made from equal recordings is made once.

    Equal recordings have the same operations on arrays of the same shapes. The names in messages may differ.
    """
    operations = tuple(
        (operation, pack("d", operands) if operation == "constant" else operands) for operation, operands in recording.tape.entries
    )  # the bytes of a constant distinguish 0.0 from -0.0
    arrays = [
        tuple((array.shape, *(entry.number for entry in array.flat)) for array in each) for each in (recording.inputs, recording.outputs)
    ]
    return _SHARED.setdefault((operations, *arrays), recording)


def record(function: Callable[..., object], arguments: Sequence[np.ndarray], *, about: str) -> Recording:
    """Record `function` for arguments of these shapes.

    arguments  float arrays: NaN where the value is open (a symbol), a number where the structure fixes it (a constant)
    about      name of the function, for messages

    The function gets read-only arrays, and an Expr for the shape ().
    Raises RecordingError for a decision that depends on a value, and for a result that cannot be recorded.
    """
    tape = Tape(about)
    inputs = tuple(_input(tape, f"x{i}", np.asarray(argument, dtype=float)) for i, argument in enumerate(arguments))
    try:
        results = function(*(array[()] for array in inputs))
    except RecordingError:
        raise
    except (TypeError, AttributeError) as error:
        if not _NOT_RECORDABLE.search(str(error)):
            raise
        raise RecordingError(
            f"{about}: {error}. This operation cannot be recorded, or plain numbers are mixed with recorded ones in its array. "
            "Use arithmetic, NumPy's elementary functions and mobod.scalar, and apply these entry by entry before plain numbers are mixed "
            "in."
        ) from error
    if not isinstance(results, tuple):
        results = (results,)
    return Recording(tape, inputs, tuple(as_recorded(tape, result) for result in results))


def as_recorded(tape: Tape, array: ArrayLike | Sequence[Expr]) -> np.ndarray:
    """The array with its plain numbers converted to constants of the tape.

    Raises RecordingError if an entry belongs to another tape or is not a real number.
    """
    array = np.asarray(array, dtype=object)
    recorded = np.empty(array.size, dtype=object)
    recorded[:] = [tape.own(entry) for entry in array.flat]
    return recorded.reshape(array.shape)


def reachable(tape: Tape, results: Iterable[Expr], since: int = 0) -> list[int]:
    """The numbers of all entries that the results depend on, in tape order, starting from entry `since`."""
    seen = set()
    waiting = [result.number for result in results]
    while waiting:
        number = waiting.pop()
        if number >= since and number not in seen:
            seen.add(number)
            operation, operands = tape.entries[number]
            if operation not in LEAVES:
                waiting.extend(operands)
    return sorted(seen)


def _input(tape: Tape, name: str, pattern: np.ndarray) -> np.ndarray:
    array = np.empty(pattern.shape, dtype=object)
    for index in np.ndindex(*pattern.shape):
        value = pattern[index]
        array[index] = tape.symbol(f"{name}{list(index)}") if np.isnan(value) else tape.constant(value)
    array.flags.writeable = False
    return array
