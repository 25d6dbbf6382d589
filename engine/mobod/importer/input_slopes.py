"""InputSlopes: derivatives by time of inputs that an FMU interpolates within its steps, as FMI 1.0 and 2.0 have them."""

import ctypes
from collections.abc import Sequence
from typing import final

import numpy as np

from mobod.importer.fmi_calls import FmiCalls


@final
class InputSlopes:
    """Derivatives of the real inputs with these value references, for the next step alone."""

    def __init__(self, fmu: FmiCalls, references: Sequence[int]) -> None:
        self._fmu = fmu
        self._n = n = len(references)
        self._references = (ctypes.c_uint * (2 * n))(*references, *references)
        self._orders = (ctypes.c_int * (2 * n))(*[1] * n, *[2] * n)
        self._values = (ctypes.c_double * (2 * n))()

    def set(self, derivatives: np.ndarray) -> None:
        """derivatives: (order, n), of the first order, and of the second one if there is a second row"""
        count = len(derivatives) * self._n
        self._values[:count] = derivatives.ravel().tolist()
        self._fmu.call("SetRealInputDerivatives", self._references, count, self._orders, self._values)
