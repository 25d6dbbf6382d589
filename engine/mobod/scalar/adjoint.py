"""Exact adjoint derivatives of recorded code: products with the transposed Jacobian. They are recordings too.

Reverse mode on the tape, by the rules of the tangents. What only the branch of a `where` that is not chosen contributes does not count,
even if it is infinite or NaN, as in forward mode: the condition stays with an adjoint until it is added to others.
"""

# Decision: docs/decisions/107-adjoint-derivatives.md

from typing import NamedTuple

from mobod.scalar.derivative import PIECEWISE_CONSTANT, RULES
from mobod.scalar.expr import Expr, Tape
from mobod.scalar.operations import LEAVES
from mobod.scalar.recording import Recording, as_recorded


def adjoint_twin(recording: Recording) -> Recording:
    """The recording of (inputs, adjoints of the outputs) -> adjoints of the inputs. Adjoints of constants are 0.

    It has a tape of its own, so it does not depend on what else has been recorded on the tape of `recording`.
    """
    recording = _on_own_tape(recording)
    tape = recording.tape
    seeds = tuple(tape.symbols(f"y_bar{i}", array.shape) for i, array in enumerate(recording.outputs))
    changing = _changing(recording)
    adjoints = _Adjoints(tape)
    for array, seed in zip(recording.outputs, seeds, strict=True):
        for entry, along in zip(array.flat, seed.flat, strict=True):
            if entry.number in changing:
                adjoints.add(entry.number, None, along)
    for number in reversed(recording.needed):
        operation, operands = tape.entries[number]
        if operation in LEAVES or number not in adjoints.found:
            continue
        condition, along = adjoints.found[number]
        if operation == "where":
            chosen, a, b = operands
            for branch, when in ((a, tape.expr(chosen)), (b, tape.apply("logical_not", tape.expr(chosen)))):
                if branch in changing:
                    adjoints.add(branch, when if condition is None else tape.apply("logical_and", condition, when), along)
            continue
        values = [tape.expr(operand) for operand in operands]
        for i, operand in enumerate(operands):
            if operand in changing:
                # a rule is linear in the tangents
                alone = [along if k == i else tape.constant(0.0) for k in range(len(operands))]
                adjoints.add(operand, condition, RULES[operation](tape.expr(number), values, alone))
    results = tuple(as_recorded(tape, [adjoints.of(entry) for entry in array.flat]).reshape(array.shape) for array in recording.inputs)
    return Recording(tape, recording.inputs + seeds, results)


class _Adjoint(NamedTuple):
    """An adjoint that counts only where the condition holds; None: everywhere."""

    condition: Expr | None
    value: Expr


class _Adjoints:
    """found: the adjoints by tape number, so far as they have been added."""

    def __init__(self, tape: Tape):
        self._tape = tape
        self.found: dict[int, _Adjoint] = {}

    def add(self, number: int, condition: Expr | None, value: Expr) -> None:
        new, known = _Adjoint(condition, value), self.found.get(number)
        if known is None:
            self.found[number] = new
        elif _number(known.condition) == _number(condition):
            self.found[number] = _Adjoint(condition, known.value + value)
        else:
            self.found[number] = _Adjoint(self._either(known.condition, condition), self._where_it_holds(known) + self._where_it_holds(new))

    def of(self, entry: Expr) -> Expr:
        """The adjoint of an input; 0 if it is a constant or no output depends on it."""
        if entry.value is not None or entry.number not in self.found:
            return self._tape.constant(0.0)
        return self._where_it_holds(self.found[entry.number])

    def _where_it_holds(self, adjoint: _Adjoint) -> Expr:
        if adjoint.condition is None:
            return adjoint.value
        return self._tape.apply("where", adjoint.condition, adjoint.value, self._tape.constant(0.0))

    def _either(self, a: Expr | None, b: Expr | None) -> Expr | None:
        """The condition that one of them holds."""
        if a is None or b is None or self._is_not(a, b) or self._is_not(b, a):
            return None
        return self._tape.apply("logical_or", a, b)

    def _is_not(self, a: Expr, b: Expr) -> bool:
        return self._tape.entries[a.number] == ("logical_not", (b.number,))


def _number(condition: Expr | None) -> int | None:
    return None if condition is None else condition.number


def _changing(recording: Recording) -> set[int]:
    """The tape numbers of everything that changes with an open input."""
    changing: set[int] = set()
    for number in recording.needed:
        operation, operands = recording.tape.entries[number]
        if operation == "symbol":
            changing.add(number)
        elif operation not in LEAVES and operation not in PIECEWISE_CONSTANT:
            differentiated = operands[1:] if operation == "where" else operands
            if not changing.isdisjoint(differentiated):
                changing.add(number)
    return changing


def _on_own_tape(recording: Recording) -> Recording:
    """A copy with its inputs and everything that its outputs depend on, and nothing else."""
    tape = Tape(recording.tape.about)
    copies: dict[int, Expr] = {}
    for i, array in enumerate(recording.inputs):
        for k, entry in enumerate(array.flat):
            copies[entry.number] = tape.symbol(f"x{i}[{k}]") if entry.value is None else tape.constant(entry.value)
    for number in recording.needed:
        operation, operands = recording.tape.entries[number]
        if operation == "constant":
            copies[number] = tape.constant(operands)
        elif operation == "table":
            copies[number] = tape.table(operands)
        elif operation != "symbol":
            copies[number] = tape.apply(operation, *[copies[operand] for operand in operands])
    return Recording(
        tape,
        tuple(as_recorded(tape, [copies[entry.number] for entry in array.flat]).reshape(array.shape) for array in recording.inputs),
        tuple(as_recorded(tape, [copies[entry.number] for entry in array.flat]).reshape(array.shape) for array in recording.outputs),
    )
