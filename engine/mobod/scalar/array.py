"""The types of numbers in mathematics that may be recorded.

Values are floats when the text runs on plain numbers, and recorded scalars (`Expr`) while it is recorded. The same annotation serves both.
"""

import numpy as np

# # of floats, or of recorded scalars as objects; of any shape
Array = np.ndarray

# # one float, or one recorded scalar, which computes like a float (decision 130)
Scalar = float
