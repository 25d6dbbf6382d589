"""SciPy's explicit Runge-Kutta steppers with an error estimate of which a projection's part is left out."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import DOP853, RK23, RK45, OdeSolver

Clean = Callable[[float, np.ndarray, np.ndarray], np.ndarray]


def cleaning(method: type[OdeSolver], clean: Clean) -> type[OdeSolver]:
    """The method, with clean(time, y, error) in place of each error estimate at the start of its step; an implicit one as it is.

    The normal part is taken where the step begins: the constraints' directions there and at its end differ by less than the estimate needs.
    """
    if not issubclass(method, (RK23, RK45, DOP853)):
        return method
    base: Any = method

    class Cleaning(base):  # type: ignore[misc] # which base it has is known at run time alone
        def _estimate_error_norm(self, K: np.ndarray, h: float, scale: np.ndarray) -> float:
            if not issubclass(base, DOP853):
                return _rms(clean(self.t, self.y, self._estimate_error(K, h)) / scale)
            # DOP853 weighs estimates of order 5 and 3: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I (1993), II.10
            fifth = _rms(clean(self.t, self.y, h * (K.T @ self.E5)) / scale)
            third = _rms(clean(self.t, self.y, h * (K.T @ self.E3)) / scale)
            return 0.0 if fifth == 0 and third == 0 else fifth**2 / np.hypot(fifth, 0.1 * third)

    return Cleaning


def _rms(error: np.ndarray) -> float:
    return float(np.linalg.norm(error) / np.sqrt(error.size))
