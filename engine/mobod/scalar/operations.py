"""The scalar operations that can be recorded, each with its evaluation in Python and its C code.

Values follow IEEE 754, as in C: infinities and NaN instead of exceptions. A condition is 1 or 0. Any nonzero number counts as true,
NaN included.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mobod.scalar.table import interval_number, number_at

# entries of a tape besides operations: ("symbol", name), ("constant", value), ("table", StaticTable)
LEAVES = frozenset(["symbol", "constant", "table"])


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    arity: int
    value: Callable[..., float]
    c: str  # format of the C expression, by number.h; operands are names or literals, a table is its name and size
    commutes: bool = False


def _comparison(ufunc: np.ufunc) -> Callable[..., float]:
    """The comparison with results 1.0 or 0.0, since NumPy's booleans cannot be added, subtracted or negated as numbers."""
    return lambda *operands: float(ufunc(*operands))


_TABLE = [
    Operation("add", 2, np.add, "{0} + {1}", commutes=True),
    Operation("subtract", 2, np.subtract, "{0} - {1}"),
    Operation("multiply", 2, np.multiply, "{0} * {1}", commutes=True),
    Operation("divide", 2, np.divide, "{0} / {1}"),
    Operation("power", 2, np.power, "number_pow({0}, {1})"),
    Operation("arctan2", 2, np.arctan2, "number_atan2({0}, {1})"),
    Operation("less", 2, _comparison(np.less), "number_less({0}, {1})"),
    Operation("less_equal", 2, _comparison(np.less_equal), "number_less_equal({0}, {1})"),
    Operation("equal", 2, _comparison(np.equal), "number_equal({0}, {1})", commutes=True),
    Operation("not_equal", 2, _comparison(np.not_equal), "number_not_equal({0}, {1})", commutes=True),
    Operation("logical_and", 2, _comparison(np.logical_and), "number_and({0}, {1})", commutes=True),
    Operation("logical_or", 2, _comparison(np.logical_or), "number_or({0}, {1})", commutes=True),
    Operation("negative", 1, np.negative, "-{0}"),
    Operation("logical_not", 1, _comparison(np.logical_not), "number_not({0})"),
    Operation("absolute", 1, np.absolute, "number_abs({0})"),
    Operation("sign", 1, np.sign, "number_sign({0})"),
    Operation("floor", 1, np.floor, "number_floor({0})"),
    Operation("sqrt", 1, np.sqrt, "number_sqrt({0})"),
    Operation("exp", 1, np.exp, "number_exp({0})"),
    Operation("log", 1, np.log, "number_log({0})"),
    Operation("sin", 1, np.sin, "number_sin({0})"),
    Operation("cos", 1, np.cos, "number_cos({0})"),
    Operation("tan", 1, np.tan, "number_tan({0})"),
    Operation("arcsin", 1, np.arcsin, "number_asin({0})"),
    Operation("arccos", 1, np.arccos, "number_acos({0})"),
    Operation("arctan", 1, np.arctan, "number_atan({0})"),
    Operation("sinh", 1, np.sinh, "number_sinh({0})"),
    Operation("cosh", 1, np.cosh, "number_cosh({0})"),
    Operation("tanh", 1, np.tanh, "number_tanh({0})"),
    Operation("where", 3, lambda c, a, b: a if c else b, "number_where({0}, {1}, {2})"),
    Operation("interval", 2, interval_number, "number_interval({0}, {1})"),
    Operation("lookup", 2, number_at, "number_lookup({0}, {1})"),
]

OPERATIONS = {operation.name: operation for operation in _TABLE}
COMMUTATIVE = frozenset(operation.name for operation in _TABLE if operation.commutes)
