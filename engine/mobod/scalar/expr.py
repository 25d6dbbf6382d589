"""Expr: a scalar that records the operations on it.

NumPy arrays of dtype object hold Exprs. NumPy handles the shapes and calls the operators defined here. A Tape lists the operations in
order. Equal operations are one entry, operations on constants are evaluated at once, and some operations are folded (folding.py).
"""

from collections.abc import Callable
from struct import pack
from typing import Any, Never, SupportsFloat

import numpy as np

from mobod.errors import RecordingError
from mobod.scalar.folding import FOLDS
from mobod.scalar.operations import COMMUTATIVE, OPERATIONS
from mobod.scalar.table import StaticTable

_REAL = (float, int, np.floating, np.integer, np.bool_)


class Tape:
    """The operations of one recording.

    entries  for each recorded scalar the name of its operation and the numbers of its operands; ("constant", value), ("symbol", name),
             ("table", StaticTable)
    about    what is being recorded, for messages: "mobilizer 'upper', X_FM"
    """

    def __init__(self, about: str = "recorded code"):
        self.about = about
        self.entries: list[tuple[str, Any]] = []
        self._known: dict[tuple[str, object], Expr] = {}

    def symbol(self, name: str) -> "Expr":
        """Add a symbol, an input of the recording, and return it."""
        return self._append("symbol", name, None)

    def symbols(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Add symbols in an object array of the given shape and return the array."""
        array = np.empty(shape, dtype=object)
        for index in np.ndindex(*shape):
            array[index] = self.symbol(f"{name}{list(index)}")
        return array

    def constant(self, value: SupportsFloat) -> "Expr":
        """A number as an entry of the tape. Equal numbers share one entry."""
        number = float(value)
        key = ("constant", pack("d", number))  # distinguishes 0.0 from -0.0, and finds NaN
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._append("constant", number, number)
        return known

    def table(self, table: StaticTable) -> "Expr":
        """The table as an operand of `interval` and `lookup`."""
        key = ("table", table)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._append("table", table, table)
        return known

    def own(self, value: object) -> "Expr":
        """The value as a recorded scalar of this tape.

        Raises RecordingError if the value belongs to another recording or is not a real number.
        """
        if isinstance(value, Expr):
            if value.tape is self:
                return value
            raise RecordingError(
                f"{self.about}: a value recorded in {value.tape.about} is used here. Pass it as an argument; "
                "a recorded value must not be kept between calls."
            )
        if isinstance(value, _REAL):
            return self.constant(value)
        raise RecordingError(f"{self.about}: {value!r} is used with recorded values, which are real numbers. Use only real arithmetic.")

    def apply(self, operation: str, *operands: "Expr") -> "Expr":
        """Record an operation on scalars of this tape. The result may be folded to a constant or be an equal operation recorded earlier."""
        fold = FOLDS.get(operation)
        if fold is not None:
            folded: Expr | None = fold(*operands)
            if folded is not None:
                return folded
        numbers = tuple([operand.number for operand in operands])
        if operation in COMMUTATIVE and numbers[0] > numbers[1]:
            numbers = (numbers[1], numbers[0])
        key = (operation, numbers)
        known = self._known.get(key)
        if known is None:
            if None in [operand.value for operand in operands]:
                known = self._append(operation, numbers, None)
            else:
                with np.errstate(all="ignore"):
                    known = self.constant(OPERATIONS[operation].value(*(_operand_value(operand.value) for operand in operands)))
            self._known[key] = known
        return known

    def expr(self, number: int) -> "Expr":
        """The recorded scalar with this entry number."""
        operation, operands = self.entries[number]
        return Expr(self, number, operands if operation in ("constant", "table") else None)

    def _append(self, operation: str, operands: object, value: float | StaticTable | None) -> "Expr":
        self.entries.append((operation, operands))
        return Expr(self, len(self.entries) - 1, value)


def _operand_value(value: float | StaticTable) -> np.float64 | StaticTable:
    return value if isinstance(value, StaticTable) else np.float64(value)


def _unary(operation: str) -> "Callable[[Expr], Expr]":
    def method(self: "Expr") -> "Expr":
        return self.tape.apply(operation, self)

    method.__doc__ = f"NumPy's {operation}, recorded."
    return method


def _binary(operation: str) -> "Callable[[Expr, object], Expr]":
    def method(self: "Expr", other: Any) -> "Expr":
        if type(other) is not Expr or other.tape is not self.tape:
            other = self._operand(other)
            if other is NotImplemented:
                return other
        return self.tape.apply(operation, self, other)

    method.__doc__ = f"NumPy's {operation}, recorded."
    return method


def _swapped(operation: str) -> "Callable[[Expr, object], Expr]":
    def method(self: "Expr", other: Any) -> "Expr":
        other = self._operand(other)
        return other if other is NotImplemented else self.tape.apply(operation, other, self)

    return method


def _equality(operation: str) -> "Callable[[Expr, object], Any]":
    def method(self: "Expr", other: object) -> "Expr":
        operand = self._operand(other)
        if operand is not NotImplemented:
            return self.tape.apply(operation, self, operand)
        if isinstance(other, np.ndarray):
            return NotImplemented
        # Python's default would return a plain bool
        self._refuse(f"a recorded value is compared with {other!r}", "Ask for identity (`is None`) or for the type, or compare numbers.")

    return method


class Expr:
    """One recorded scalar: entry `number` of `tape`. `value` is None unless the entry is a constant or a table."""

    __slots__ = ("number", "tape", "value")

    def __init__(self, tape: Tape, number: int, value: Any):
        self.tape = tape
        self.number = number
        self.value = value

    __add__, __radd__ = _binary("add"), _swapped("add")
    __sub__, __rsub__ = _binary("subtract"), _swapped("subtract")
    __mul__, __rmul__ = _binary("multiply"), _swapped("multiply")
    __truediv__, __rtruediv__ = _binary("divide"), _swapped("divide")
    __pow__, __rpow__ = _binary("power"), _swapped("power")
    __neg__ = _unary("negative")
    __abs__ = _unary("absolute")
    __floor__ = _unary("floor")
    sign = _unary("sign")

    def __pos__(self) -> "Expr":
        return self

    # called by NumPy's ufuncs for the entries of an object array
    sqrt, exp, log = _unary("sqrt"), _unary("exp"), _unary("log")
    sin, cos, tan = _unary("sin"), _unary("cos"), _unary("tan")
    arcsin, arccos, arctan = _unary("arcsin"), _unary("arccos"), _unary("arctan")
    sinh, cosh, tanh = _unary("sinh"), _unary("cosh"), _unary("tanh")
    arctan2 = _binary("arctan2")

    def conjugate(self) -> "Expr":
        """The scalar itself, since it is real."""
        return self

    # comparisons are recorded, since their truth is unknown before there are values
    __lt__, __gt__ = _binary("less"), _swapped("less")
    __le__, __ge__ = _binary("less_equal"), _swapped("less_equal")
    __eq__, __ne__ = _equality("equal"), _equality("not_equal")
    __hash__ = object.__hash__
    __and__, __rand__ = _binary("logical_and"), _swapped("logical_and")
    __or__, __ror__ = _binary("logical_or"), _swapped("logical_or")
    __invert__ = _unary("logical_not")

    def _operand(self, other: object) -> Any:
        """The other operand on this tape; NotImplemented if it is not a number, such as an array."""
        if isinstance(other, (Expr, complex, np.complexfloating, *_REAL)):
            return self.tape.own(other)
        return NotImplemented

    # operations that need a value
    def __bool__(self) -> bool:
        if self.value is not None:
            return bool(self.value)
        self._refuse(
            "a recorded value is used as a condition (if, while, and, or, not, in, max, min, sorted; "
            "a comparison of arrays; NumPy's where, sign, minimum, maximum, clip)",
            "Write where(condition, a, b), minimum, maximum or clip from mobod.scalar; & | ~ for and, or, not; "
            "compare arrays entry by entry or by np.less(a, b, dtype=object).",
        )

    def __float__(self) -> float:
        if self.value is not None:
            return self.value
        self._refuse(
            "a recorded value is converted to a float",
            "Use NumPy's functions instead of the math module's, "
            "and build arrays from their entries (np.array([a, b])) instead of assigning into np.zeros(...).",
        )

    def __int__(self) -> int:
        self._refuse("a recorded value is converted to an int", "Counts and indices must come from the structure; np.floor records.")

    def __index__(self) -> int:
        self._refuse(
            "a recorded value is used as an index",
            "Counts and indices must come from the structure; where(condition, a, b) chooses by value.",
        )

    def __complex__(self) -> complex:
        self._refuse("a recorded value is converted to a complex number", "Keep to real arithmetic.")

    def _refuse(self, what: str, instead: str) -> Never:
        raise RecordingError(
            f"{self.tape.about}: {what}. The code is recorded for all values at once, so it cannot depend on one. {instead}"
        )

    def __repr__(self) -> str:
        operation, operands = self.tape.entries[self.number]
        return f"Expr({operation} {operands})"
