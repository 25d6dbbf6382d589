"""Expr: a scalar that records what is done to it.

NumPy arrays of dtype object hold them; NumPy keeps the shapes and calls the operators here. A Tape lists the operations in the order in
which they were done; equal operations are one entry, and factors 0 and 1, terms 0 and operations on constants are folded.
"""

from typing import Any, Never

import numpy as np

from mobod.errors import RecordingError
from mobod.scalar.operations import COMMUTATIVE, OPERATIONS

Operands = tuple[int, ...]


class Tape:
    """The operations of one recording.

    entries  for each recorded scalar the name of its operation and the numbers of its operands; ("constant", value), ("symbol", name)
    about    what is being recorded, for messages: "mobilizer 'upper', X_FM"
    """

    def __init__(self, about: str = "recorded code"):
        self.about = about
        self.entries: list[tuple[str, Any]] = []
        self._known: dict[tuple[str, Any], Expr] = {}

    def symbol(self, name: str) -> "Expr":
        return self._append("symbol", name, None)

    def symbols(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """An object array of new symbols."""
        array = np.empty(shape, dtype=object)
        for index in np.ndindex(*shape):
            array[index] = self.symbol(f"{name}{list(index)}")
        return array

    def constant(self, value: float) -> "Expr":
        value = float(value)
        key = ("constant", np.float64(value).tobytes())  # keeps 0.0 and -0.0, and NaN, apart
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._append("constant", value, value)
        return known

    def apply(self, operation: str, *operands: "Expr") -> "Expr":
        """Record one operation, or find it already recorded; constants are folded, nothing else is simplified."""
        is_constant = True
        for operand in operands:
            if operand.tape is not self:
                raise RecordingError(
                    f"{self.about}: a value recorded in {operand.tape.about} is used here. Pass it as an argument; "
                    "a recorded value must not be kept between calls."
                )
            if operand.value is None:
                is_constant = False
        if is_constant:
            with np.errstate(all="ignore"):
                return self.constant(OPERATIONS[operation].value(*(np.float64(operand.value) for operand in operands)))
        numbers = tuple([operand.number for operand in operands])
        if operation in COMMUTATIVE and numbers[0] > numbers[1]:
            numbers = (numbers[1], numbers[0])
        key = (operation, numbers)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._append(operation, numbers, None)
        return known

    def expr(self, number: int) -> "Expr":
        """The recorded scalar with that number."""
        operation, operands = self.entries[number]
        return Expr(self, number, operands if operation == "constant" else None)

    def _append(self, operation: str, operands: Any, value: float | None) -> "Expr":
        self.entries.append((operation, operands))
        return Expr(self, len(self.entries) - 1, value)


class Expr:
    """One recorded scalar: entry `number` of `tape`; `value` is not None for a constant."""

    __slots__ = ("number", "tape", "value")

    def __init__(self, tape: Tape, number: int, value: float | None):
        self.tape = tape
        self.number = number
        self.value = value

    # arithmetic: the only simplifications, all exact for finite values
    def __add__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is NotImplemented or self.value == 0.0:
            return other
        return self if other.value == 0.0 else self.tape.apply("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is NotImplemented:
            return other
        if other.value == 0.0:
            return self
        if self.value == 0.0:
            return -other
        if other.number == self.number:
            return self.tape.constant(0.0)
        return self.tape.apply("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        other = self._operand(other)
        return other if other is NotImplemented else other - self

    def __mul__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is NotImplemented:
            return other
        for factor, rest in ((self, other), (other, self)):
            if factor.value is not None and rest.value is None:
                if factor.value == 1.0:
                    return rest
                if factor.value == -1.0:
                    return -rest
                if factor.value == 0.0:
                    return self.tape.constant(0.0)
        return self.tape.apply("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is NotImplemented:
            return other
        if other.value == 1.0:
            return self
        if self.value == 0.0 and other.value is None:
            return self
        return self.tape.apply("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        other = self._operand(other)
        return other if other is NotImplemented else other / self

    def __pow__(self, other: Any) -> Any:
        other = self._operand(other)
        if other is NotImplemented:
            return other
        exponent = other.value
        if exponent is not None and exponent == int(exponent) and abs(exponent) <= 16:
            return self._whole_power(int(exponent))
        if exponent == 0.5:
            return self.sqrt()
        return self.tape.apply("power", self, other)

    def __rpow__(self, other: Any) -> Any:
        other = self._operand(other)
        return other if other is NotImplemented else other**self

    def _whole_power(self, exponent: int) -> "Expr":
        if exponent < 0:
            return 1.0 / self._whole_power(-exponent)
        if exponent == 0:
            return self.tape.constant(1.0)
        half = self._whole_power(exponent // 2)
        return half * half * self if exponent % 2 else half * half

    def __neg__(self) -> "Expr":
        if self.value is None:
            operation, operands = self.tape.entries[self.number]
            if operation == "negative":
                return self.tape.expr(operands[0])
        return self.tape.apply("negative", self)

    def __pos__(self) -> "Expr":
        return self

    def __abs__(self) -> "Expr":
        return self.tape.apply("absolute", self)

    def square(self) -> "Expr":
        return self * self

    def reciprocal(self) -> "Expr":
        return 1.0 / self

    # what NumPy's ufuncs call on the entries of an object array
    def sqrt(self) -> "Expr":
        return self.tape.apply("sqrt", self)

    def exp(self) -> "Expr":
        return self.tape.apply("exp", self)

    def log(self) -> "Expr":
        return self.tape.apply("log", self)

    def sin(self) -> "Expr":
        return self.tape.apply("sin", self)

    def cos(self) -> "Expr":
        return self.tape.apply("cos", self)

    def tan(self) -> "Expr":
        return self.tape.apply("tan", self)

    def arcsin(self) -> "Expr":
        return self.tape.apply("arcsin", self)

    def arccos(self) -> "Expr":
        return self.tape.apply("arccos", self)

    def arctan(self) -> "Expr":
        return self.tape.apply("arctan", self)

    def sinh(self) -> "Expr":
        return self.tape.apply("sinh", self)

    def cosh(self) -> "Expr":
        return self.tape.apply("cosh", self)

    def tanh(self) -> "Expr":
        return self.tape.apply("tanh", self)

    def floor(self) -> "Expr":
        return self.tape.apply("floor", self)

    def sign(self) -> "Expr":
        return self.tape.apply("sign", self)

    def arctan2(self, other: Any) -> Any:
        other = self._operand(other)
        return other if other is NotImplemented else self.tape.apply("arctan2", self, other)

    def conjugate(self) -> "Expr":
        return self

    # comparisons record; their truth is not known before there are values
    def __lt__(self, other: Any) -> Any:
        return self._compare("less", self, other)

    def __le__(self, other: Any) -> Any:
        return self._compare("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return self._compare("less", other, self)

    def __ge__(self, other: Any) -> Any:
        return self._compare("less_equal", other, self)

    def __eq__(self, other: Any) -> Any:
        return self._compare("equal", self, other)

    def __ne__(self, other: Any) -> Any:
        return self._compare("not_equal", self, other)

    __hash__ = object.__hash__

    def __and__(self, other: Any) -> Any:
        return self._compare("logical_and", self, other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return self._compare("logical_or", self, other)

    __ror__ = __or__

    def __invert__(self) -> "Expr":
        return self.tape.apply("logical_not", self)

    def _compare(self, operation: str, a: Any, b: Any) -> Any:
        a, b = self._operand(a), self._operand(b)
        return NotImplemented if a is NotImplemented or b is NotImplemented else self.tape.apply(operation, a, b)

    def _operand(self, other: Any) -> Any:
        if type(other) is Expr:
            return other
        if isinstance(other, (int, float, np.number, np.bool_)):
            return self.tape.constant(other)
        return NotImplemented

    # what only a number can do
    def _refuse(self, what: str, instead: str) -> Never:
        raise RecordingError(f"{self.tape.about}: {what}. The code is recorded for all values at once, so it cannot depend on one. {instead}")

    def __bool__(self) -> bool:
        if self.value is not None:
            return bool(self.value)
        self._refuse(
            "a recorded value is used as a condition (if, while, and, or, not, in, max, min, sorted, a comparison of arrays)",
            "Write where(condition, a, b), minimum, maximum or clip from mobod.scalar; & | ~ for and, or, not; "
            "compare arrays entry by entry or by np.less(a, b, dtype=object).",
        )

    def __float__(self) -> float:
        if self.value is not None:
            return self.value
        self._refuse(
            "a recorded value is converted to a float",
            "Use NumPy's functions instead of the math module's, and build arrays from their entries (np.array([a, b])) instead of assigning into np.zeros(...).",
        )

    def __int__(self) -> int:
        self._refuse("a recorded value is converted to an int", "Counts and indices must come from the structure; np.floor records.")

    def __index__(self) -> int:
        self._refuse("a recorded value is used as an index", "Counts and indices must come from the structure; where(condition, a, b) chooses by value.")

    def __complex__(self) -> complex:
        self._refuse("a recorded value is converted to a complex number", "Keep to real arithmetic.")

    def __repr__(self) -> str:
        operation, operands = self.tape.entries[self.number]
        return f"Expr({operation} {operands})"
