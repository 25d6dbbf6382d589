"""Cvode: SUNDIALS' solver for ordinary differential equations, step by step; fmpy brings its libraries."""

import ctypes
from collections.abc import Callable
from typing import Any, Protocol, final

from fmpy.sundials import CV_ROOT_RETURN, CVode, CVodeSolver
from fmpy.sundials.libraries import sundials_core, sundials_cvode
from fmpy.sundials.sundials_context import SUNContext_PushErrHandler
from fmpy.sundials.sundials_types import SUNContext

from mobod.c_calls import CCalls
from mobod.errors import FmuError
from mobod.fmi.loaded_fmu import is_discard

_ONE_STEP = 2  # CV_ONE_STEP of cvode.h
_STOP, _TRY_SHORTER = -1, 1  # what a function returns to CVODE

_set_stop_time = sundials_cvode.CVodeSetStopTime
_set_stop_time.argtypes = [ctypes.c_void_p, ctypes.c_double]
_set_stop_time.restype = ctypes.c_int
_clear_error_handlers = sundials_core.SUNContext_ClearErrHandlers
_clear_error_handlers.argtypes = [SUNContext]
_clear_error_handlers.restype = ctypes.c_int


class Equations(Protocol):
    """What is integrated. States and all others are ctypes arrays of doubles."""

    n_states: int
    n_indicators: int

    def move(self, time: float) -> None: ...

    def set_states(self, states: object) -> None: ...

    def get_states(self, states: object) -> None: ...

    def get_nominals(self, nominals: object) -> None: ...

    def get_derivatives(self, derivatives: object) -> None: ...

    def get_indicators(self, indicators: object) -> None: ...


class SolverError(Exception):
    """CVODE cannot continue."""


@final
class Cvode(CVodeSolver):  # type: ignore[misc] # fmpy has no types
    """BDF of variable order and step, with a dense matrix by finite differences.

    evaluations  of the derivatives

    fmpy's class makes the solver; but its functions lose exceptions, inputs are not set for derivatives, and it integrates beyond events.
    """

    def __init__(self, equations: Equations, time: float, tolerance: float, longest: float) -> None:
        self.evaluations = 0
        self._equations = equations
        self._calls = CCalls()
        super().__init__(
            nx=equations.n_states,
            nz=equations.n_indicators,
            get_x=lambda states, _: equations.get_states(_array(states, equations.n_states)),
            set_x=lambda states, _: equations.set_states(_array(states, equations.n_states)),
            get_dx=lambda derivatives, _: equations.get_derivatives(_array(derivatives, equations.n_states)),
            get_z=lambda indicators, _: equations.get_indicators(_array(indicators, equations.n_indicators)),
            get_nominals=lambda nominals, _: equations.get_nominals(_array(nominals, equations.n_states)),
            set_time=equations.move,
            input=_NoInput(),
            startTime=time,
            maxStep=longest,
            relativeTolerance=tolerance,
        )
        # SUNDIALS' own handler prints; the messages of errors contain what it says
        _clear_error_handlers(self.sunctx)
        SUNContext_PushErrHandler(self.sunctx, self.ehfun_, None)

    def f(self, t: float, y: object, ydot: object, user_data: object) -> int:
        self.evaluations += 1
        return self._guarded(lambda: super(Cvode, self).f(t, y, ydot, user_data))

    def g(self, t: float, y: object, gout: object, user_data: object) -> int:
        return self._guarded(lambda: super(Cvode, self).g(t, y, gout, user_data))

    def _guarded(self, function: Callable[[], object]) -> int:
        """Call the function; CVODE then stops at an error, and tries a shorter step if the FMU discards the values."""
        with self._calls.callback():
            try:
                function()
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
        if self._equations.n_states:
            self._equations.set_states(_array(self.px, self._equations.n_states))
        return reached.value, flag == CV_ROOT_RETURN


def _array(pointer: Any, size: int) -> Any:
    """The doubles at a pointer, with their number: an isolated FMU gets a copy of them."""
    return (ctypes.c_double * size).from_address(ctypes.addressof(pointer.contents))


def _reason(info: Any) -> str:
    return "" if info is None else f": {info[3].rstrip('.')}"  # code, function, file, message


class _NoInput:
    """fmpy's solver sets inputs for event indicators alone; here `move` sets them always."""

    def apply(self, time: float) -> None:
        pass
