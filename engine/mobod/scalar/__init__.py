"""Recorded scalars: mathematics is written once in NumPy, then evaluated, differentiated and translated to C."""

from mobod.scalar.array import Array, Scalar
from mobod.scalar.expr import Expr, Tape
from mobod.scalar.functions import angle, clip, cosc, interval, is_recorded, lookup, maximum, minimum, norm, normalized, sinc, where
from mobod.scalar.slot import Slot as Slot
from mobod.scalar.sweep import Sweep as Sweep
from mobod.scalar.table import StaticTable

__all__ = [
    "Array",
    "Expr",
    "Scalar",
    "StaticTable",
    "Tape",
    "angle",
    "clip",
    "cosc",
    "interval",
    "is_recorded",
    "lookup",
    "maximum",
    "minimum",
    "norm",
    "normalized",
    "sinc",
    "where",
]


def __dir__() -> list[str]:
    return sorted(__all__)
