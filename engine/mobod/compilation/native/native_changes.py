"""Derivatives of a run in C along directions, and inputs that change by polynomials: sensitivity.h and input_ramps.h in fmu_src/native."""

from typing import NamedTuple, final

import numpy as np

from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.native.native_run import NativeRun
from mobod.errors import MobodError
from mobod.matter.unilateral.contact_events import Contact
from mobod.runtime.c_objects import CObject
from mobod.runtime.library import doubles, enumerators, ints, reals_at, runtime
from mobod.system import State
from mobod.system.events.table import NEXT, SCHEDULED


class WorstError(NamedTuple):
    """The largest error estimate of changes in a step.

    error  relative to the largest change of its direction and to the accuracy of the run
    step   s, the length of the step
    order  the power of the step that the estimate falls with, by the method of the step; 0 if there was no step
    """

    error: float
    step: float
    order: float


_FAULTS = {number: name for name, number in enumerators("ChangesFault").items()}


def set_ramps(
    run: NativeRun, at: np.ndarray, stages: np.ndarray, values: np.ndarray, rates: np.ndarray, curvatures: np.ndarray | None = None
) -> None:
    """Let inputs have these values now, and change at these rates from now on, until the next call or `run.reset`.

    at          (n,) int32  offsets
    stages      (n,) int32  the first stage that depends on each
    curvatures  (n,)        second derivatives; default: 0
    """
    given = values, rates, np.zeros(len(at)) if curvatures is None else curvatures
    arrays = [np.ascontiguousarray(each, dtype=float) for each in given]
    if not runtime().simulation_set_ramps(run.handle, len(at), ints(at), ints(stages), *(doubles(array) for array in arrays)):
        raise MobodError("not enough memory for the inputs of a simulation.")


def limit_step(run: NativeRun, largest: float) -> None:
    """Bound the size of steps under error control, s."""
    runtime().simulation_limit_step(run.handle, largest)


def set_by_events(model: NativeModel, state: State) -> set[int]:
    """The offsets of numbers besides y that events set, and that may depend on parameters: variables, times, impulses."""
    found = set[int]()
    for row in model.rows:
        programs = [program for program in (row.handling, *(row.times or ())) if program is not None]
        found |= {k for program in programs for function in program.functions for slot in function.outputs for k in slot.offsets}
        found |= {row.memory.offset + NEXT, row.memory.offset + SCHEDULED}
        if isinstance(row.event, Contact):
            found |= set(row.event.constraint.row_slots(state.layout, row.event.row).impulse.offsets)
    return found - set(state.layout.y.offsets)


@final
class NativeChanges:
    """The derivatives of a run along n directions, from its present state on, until `run.reset`.

    known      offsets of numbers besides y that change along directions
    changes    (n, len(known))  along each direction
    y_changes  (n, ny)          changes of y at the start, which need not satisfy the constraints
    """

    def __init__(self, run: NativeRun, known: np.ndarray, changes: np.ndarray, y_changes: np.ndarray):
        tangents, n_scratch = run.use_tangents()
        self._run, self._n, self._known = run, len(changes), np.ascontiguousarray(known, dtype=np.intc)
        self._rows = np.empty((0, self._n, run.model.n_y))
        directions = np.ascontiguousarray(changes, dtype=float).reshape(-1), np.ascontiguousarray(y_changes, dtype=float).reshape(-1)
        if not runtime().simulation_follow_changes(
            run.handle,
            tangents,
            n_scratch,
            self._n,
            len(self._known),
            ints(self._known),
            *(doubles(array) for array in directions),
        ):
            raise MobodError("not enough memory for the derivatives of a simulation.")

    def follow_start_events(self) -> None:
        """Call it before `run.process_events`."""
        runtime().simulation_follow_start_events(self._run.handle)

    def rows(self, n: int) -> np.ndarray:
        """(n, directions, ny) where the next call of `run.run` writes the changes at its n reports."""
        self._rows = np.full((n, self._n, self._run.model.n_y), np.nan)
        runtime().simulation_write_changes(self._run.handle, doubles(self._rows.reshape(-1)))
        return self._rows

    def present(self) -> tuple[np.ndarray, np.ndarray]:
        """The changes now: of y (n, ny), and of the known numbers (n, len(known))."""
        y, known = np.empty((self._n, self._run.model.n_y)), np.empty((self._n, len(self._known)))
        runtime().simulation_read_changes(self._run.handle, doubles(y.reshape(-1)), doubles(known.reshape(-1)))
        return y, known

    @property
    def fault(self) -> str | None:
        """The name of a `ChangesFault` that ended them, or None."""
        name = _FAULTS[self.in_c.fault]
        return None if name == "CHANGES_FOLLOWED" else name

    def worst_error(self) -> WorstError:
        """The largest error estimate of a step, and that step."""
        names = ("errors", "error_steps", "error_orders", "sizes")
        errors, steps, orders, sizes = (reals_at(getattr(self.in_c, name), self._n) for name in names)
        relative = np.divide(errors, sizes, out=np.zeros(self._n), where=sizes > 0)
        worst = int(np.argmax(relative))
        return WorstError(float(relative[worst]), float(steps[worst]), float(orders[worst]))

    @property
    def in_c(self) -> CObject:
        """`Sensitivity` of sensitivity.h, to read its counts and times."""
        return self._run.handle.changes
