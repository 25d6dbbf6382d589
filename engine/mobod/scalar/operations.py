"""The scalar operations that can be recorded: each once, with its value, its C and its CasADi operation.

Values follow IEEE 754, as C does: no exceptions, infinities and NaN instead. A condition is 1 or 0; whatever is not 0 holds, so NaN does.
"""

from collections.abc import Callable
from dataclasses import dataclass

import casadi
import numpy as np

from mobod.scalar.table import casadi_interval, casadi_lookup, interval_number, number_at

# what a tape lists beside operations: ("symbol", name), ("constant", value), ("table", StaticTable)
LEAVES = frozenset(["symbol", "constant", "table"])


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    arity: int
    value: Callable[..., float]
    c: str  # a format of the C expression, by elementary.h; operands are names or literals, a table its name and size
    casadi: (
        int | Callable[..., casadi.Function]
    )  # for `where` that of its half: a if the condition holds, else 0; or table -> function of x
    commutes: bool = False


def _comparison(ufunc: np.ufunc) -> Callable[..., float]:
    """1.0 or 0.0: NumPy's booleans do not add, subtract and change sign as numbers do."""
    return lambda *operands: float(ufunc(*operands))


_TABLE = [
    Operation("add", 2, np.add, "{0} + {1}", casadi.OP_ADD, commutes=True),
    Operation("subtract", 2, np.subtract, "{0} - {1}", casadi.OP_SUB),
    Operation("multiply", 2, np.multiply, "{0} * {1}", casadi.OP_MUL, commutes=True),
    Operation("divide", 2, np.divide, "{0} / {1}", casadi.OP_DIV),
    Operation("power", 2, np.power, "mobod_pow({0}, {1})", casadi.OP_POW),
    Operation("arctan2", 2, np.arctan2, "mobod_atan2({0}, {1})", casadi.OP_ATAN2),
    Operation("less", 2, _comparison(np.less), "{0} < {1}", casadi.OP_LT),
    Operation("less_equal", 2, _comparison(np.less_equal), "{0} <= {1}", casadi.OP_LE),
    Operation("equal", 2, _comparison(np.equal), "{0} == {1}", casadi.OP_EQ, commutes=True),
    Operation("not_equal", 2, _comparison(np.not_equal), "{0} != {1}", casadi.OP_NE, commutes=True),
    Operation("logical_and", 2, _comparison(np.logical_and), "{0} != 0 && {1} != 0", casadi.OP_AND, commutes=True),
    Operation("logical_or", 2, _comparison(np.logical_or), "{0} != 0 || {1} != 0", casadi.OP_OR, commutes=True),
    Operation("negative", 1, np.negative, "-{0}", casadi.OP_NEG),
    Operation("logical_not", 1, _comparison(np.logical_not), "{0} == 0", casadi.OP_NOT),
    Operation("absolute", 1, np.absolute, "fabs({0})", casadi.OP_FABS),
    Operation("sign", 1, np.sign, "{0} > 0 ? 1.0 : {0} < 0 ? -1.0 : {0}", casadi.OP_SIGN),
    Operation("floor", 1, np.floor, "floor({0})", casadi.OP_FLOOR),
    Operation("sqrt", 1, np.sqrt, "sqrt({0})", casadi.OP_SQRT),
    Operation("exp", 1, np.exp, "mobod_exp({0})", casadi.OP_EXP),
    Operation("log", 1, np.log, "mobod_log({0})", casadi.OP_LOG),
    Operation("sin", 1, np.sin, "mobod_sin({0})", casadi.OP_SIN),
    Operation("cos", 1, np.cos, "mobod_cos({0})", casadi.OP_COS),
    Operation("tan", 1, np.tan, "mobod_tan({0})", casadi.OP_TAN),
    Operation("arcsin", 1, np.arcsin, "mobod_asin({0})", casadi.OP_ASIN),
    Operation("arccos", 1, np.arccos, "mobod_acos({0})", casadi.OP_ACOS),
    Operation("arctan", 1, np.arctan, "mobod_atan({0})", casadi.OP_ATAN),
    Operation("sinh", 1, np.sinh, "mobod_sinh({0})", casadi.OP_SINH),
    Operation("cosh", 1, np.cosh, "mobod_cosh({0})", casadi.OP_COSH),
    Operation("tanh", 1, np.tanh, "mobod_tanh({0})", casadi.OP_TANH),
    Operation("where", 3, lambda c, a, b: a if c else b, "{0} != 0 ? {1} : {2}", casadi.OP_IF_ELSE_ZERO),
    Operation("interval", 2, interval_number, "mobod_interval({0}, {1})", casadi_interval),
    Operation("lookup", 2, number_at, "mobod_lookup({0}, {1})", casadi_lookup),
]

OPERATIONS = {operation.name: operation for operation in _TABLE}
COMMUTATIVE = frozenset(operation.name for operation in _TABLE if operation.commutes)
