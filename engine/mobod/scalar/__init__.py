"""Recorded scalars: mathematics written once in NumPy, evaluated, differentiated and turned into C."""

from mobod.scalar.expr import Expr, Tape
from mobod.scalar.functions import angle, clip, cosc, is_recorded, maximum, minimum, norm, normalized, sinc, where

__all__ = ["Expr", "Tape", "angle", "clip", "cosc", "is_recorded", "maximum", "minimum", "norm", "normalized", "sinc", "where"]
