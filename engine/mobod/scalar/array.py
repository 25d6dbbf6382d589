"""The types of numbers in mathematics that may be recorded.

Values are floats when the text runs on plain numbers, and recorded scalars (`Expr`) while it is recorded. The same annotation serves both.
"""

# Decision: docs/decisions/130-array-and-scalar.md

import numpy as np

Array = np.ndarray
"""An array of any shape: of floats, or of recorded scalars as objects."""

Scalar = float
"""One number: a float, or a recorded scalar, which computes like a float (decision 130)."""
