"""Cvode: SUNDIALS' solver for ordinary differential equations, step by step; fmpy brings its libraries."""

import ctypes
from collections.abc import Callable
from typing import Any, final

import numpy as np
from fmpy.sundials import CV_ROOT_RETURN, NV_DATA_S, CVode, CVodeSolver
from fmpy.sundials.libraries import sundials_core, sundials_cvode
from fmpy.sundials.sundials_context import SUNContext_PushErrHandler
from fmpy.sundials.sundials_types import SUNContext
from numpy.typing import ArrayLike

from mobod.c_calls import CCalls
from mobod.errors import FmuError
from mobod.fmi.loaded_fmu import is_discard
from mobod.importer.exchange_equations import FmuEquations

_ONE_STEP = 2  # CV_ONE_STEP of cvode.h
_STOP, _TRY_SHORTER = -1, 1  # what a function returns to CVODE

_set_stop_time = sundials_cvode.CVodeSetStopTime
_set_stop_time.argtypes = [ctypes.c_void_p, ctypes.c_double]
_set_stop_time.restype = ctypes.c_int
_clear_error_handlers = sundials_core.SUNContext_ClearErrHandlers
_clear_error_handlers.argtypes = [SUNContext]
_clear_error_handlers.restype = ctypes.c_int


class SolverError(Exception):
    """CVODE cannot continue."""


@final
class Cvode(CVodeSolver):  # type: ignore[misc] # fmpy has no types
    """BDF of variable order and step, with a dense matrix by finite differences.

    evaluations  of the derivatives

    fmpy's class makes the solver; but its functions lose exceptions, inputs are not set for derivatives, and it integrates beyond events.
    """

    def __init__(self, equations: FmuEquations, time: float, tolerance: float, longest: float) -> None:
        self.evaluations = 0
        self._equations = equations
        self._rates = equations.rates if equations.n_states else _no_rates
        self._calls = CCalls()
        super().__init__(
            nx=equations.n_states,
            nz=equations.n_indicators,
            get_x=lambda states, n: np.copyto(_numbers(states, n), equations.states()),
            get_nominals=lambda nominals, n: np.copyto(_numbers(nominals, n), equations.nominals()),
            **dict.fromkeys(("set_x", "get_dx", "get_z", "set_time", "input")),  # of fmpy's own f and g
            startTime=time,
            maxStep=longest,
            relativeTolerance=tolerance,
        )
        # SUNDIALS' own handler prints; the messages of errors contain what it says
        _clear_error_handlers(self.sunctx)
        SUNContext_PushErrHandler(self.sunctx, self.ehfun_, None)

    def f(self, t: float, y: object, ydot: object, user_data: object) -> int:
        self.evaluations += 1
        return self._write(NV_DATA_S(ydot), self.nx, self._rates, t, y)

    def g(self, t: float, y: object, gout: object, user_data: object) -> int:
        return self._write(gout, self.nz, self._equations.indicators, t, y)

    def states(self) -> np.ndarray:
        """The states at the end of the last step."""
        return self._states(self.x).copy()

    def _states(self, vector: object) -> np.ndarray:
        return _numbers(NV_DATA_S(vector), self._equations.n_states)

    def _write(self, to: object, size: int, function: Callable[[float, np.ndarray], ArrayLike], t: float, y: object) -> int:
        """Write what a function gives; CVODE then stops at an error, and tries a shorter step if the FMU discards the values."""
        with self._calls.callback():
            try:
                _numbers(to, size)[:] = function(t, self._states(y))
            except FmuError as error:
                if is_discard(error):
                    return _TRY_SHORTER
                raise
            return 0
        return _STOP

    def advance(self, stop: float) -> tuple[float, bool]:
        """Take a step that does not go beyond `stop` (s). Returns the time at its end, and whether an indicator crossed zero there.

        Raises SolverError, and what the equations raised.
        """
        self.error_info = None
        reached = ctypes.c_double()
        with self._calls:
            _set_stop_time(self.cvode_mem, stop)
            flag = CVode(self.cvode_mem, stop, self.x, ctypes.byref(reached), _ONE_STEP)
        if flag < 0:
            raise SolverError(f"CVODE stopped with code {flag}{_reason(self.error_info)}")
        return reached.value, flag == CV_ROOT_RETURN


def _numbers(pointer: Any, size: int) -> np.ndarray:
    """The numbers at a pointer of CVODE."""
    return np.frombuffer(memoryview((ctypes.c_double * size).from_address(ctypes.addressof(pointer.contents))))


def _no_rates(time: float, x: np.ndarray) -> np.ndarray:
    """Of the state that fmpy adds if there is none."""
    return np.zeros(1)


def _reason(info: Any) -> str:
    return "" if info is None else f": {info[3].rstrip('.')}"  # code, function, file, message
