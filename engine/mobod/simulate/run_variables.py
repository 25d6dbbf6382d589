"""RunVariables: variables of a stepped run, read and set together as one array."""

from collections.abc import Callable, Sequence
from math import inf
from typing import TypeGuard, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.compilation.native.native_run import NativeRun
from mobod.compilation.native.run_numbers import number_reader, number_setter
from mobod.errors import InputError
from mobod.scalar.kernel_calls import KernelCalls
from mobod.simulate.delays import delay_rows
from mobod.simulate.sampling import calls_for, can_sample
from mobod.spatial.rotation import check_quaternion
from mobod.system import CatalogueVariable, Stage, State, System
from mobod.system.readable import Readable
from mobod.system.system import checked_value

SETTABLE = ("state", "parameter", "input")


@final
class RunVariables(Readable):
    """Variables of a `SteppedRun`, read and set together: made by `run.variables(*names)`.

    names  the name of each number: ['lower.q', 'lower.p_GB[1]', ...]
    units  the unit of each number
    least, greatest
           (n,) the bounds of each number; -inf and inf where there are none
    offsets  (n,) in w
    stage    the first stage that depends on them
    calls    what computes them, on a copy of the first n_copied numbers of w; None if C cannot do that
    """

    def __init__(
        self,
        system: System,
        state: State,
        variables: Sequence[CatalogueVariable],
        native: NativeRun,
        present_state: Callable[[], State],
        note_states: Callable[[], None],
    ) -> None:
        """note_states: is called before states are set."""
        self.variables = tuple(variables)
        self.names = [name for each in variables for name in each.entry_names()]
        self.units = [each.unit(entry) for each in variables for entry in range(each.slot.size)]
        self.offsets = at = np.array([offset for each in variables for offset in each.slot.offsets], dtype=np.intc)
        self._n = len(at)
        self.calls = _calls(system, state, self.variables, at)
        self.n_copied = len(state.values) if self.calls else 0
        self._read = _reader(system, self.variables, native, self, present_state)
        self.least = _bounds([(each, each.minimum) for each in variables], -np.inf)
        self.greatest = _bounds([(each, each.maximum) for each in variables], np.inf)
        self._is_settable = all(each.role in SETTABLE for each in variables)
        self._is_real = all(each.type == "real" for each in variables)
        stages = [each.invalidates for each in variables if each.invalidates is not None]
        self.stage = min(stages, default=Stage.MODEL)
        self._write = number_setter(native, at, self.stage)
        self._has_states = any(each.role == "state" for each in variables)
        self._quaternions = state.layout.quaternions_among(at)
        self._note_states = note_states

    def _summary(self) -> str:
        return f"of {self._n} numbers: {', '.join(self.names[:8])}{', ...' if self._n > 8 else ''}"

    @property
    def are_reals_to_set(self) -> bool:
        """Whether all are real numbers that can be set."""
        return self._is_settable and self._is_real

    def __len__(self) -> int:
        return self._n

    def get(self) -> np.ndarray:
        """(n,) the present values."""
        return self._read()

    def set(self, values: ArrayLike) -> None:
        """Set all of them. values: (n,), or one number if there is one.

        Raises InputError for a computed variable, a wrong shape, and values that are not finite or out of bounds; nothing is set then.
        """
        values = values if self._fits(values) else self._checked(values)
        for entries in self._quaternions:
            check_quaternion(np.asarray(values)[entries], f"'{self.names[entries[0]]}'")
        if self._has_states:
            self._note_states()
        self._write(values)

    def _fits(self, values: object) -> TypeGuard[float | np.ndarray]:
        """Whether the values need no other check; a quick one, for the usual types."""
        if not self.are_reals_to_set:
            return False
        if type(values) is float:
            return self._n == 1 and bool(self.least[0] <= values <= self.greatest[0]) and -inf < values < inf
        if type(values) is not np.ndarray or values.dtype.char != "d" or values.shape != (self._n,):
            return False
        return bool(((values >= self.least) & (values <= self.greatest) & (np.abs(values) < inf)).all())

    def _checked(self, values: ArrayLike) -> np.ndarray:
        """The values as an array. Raises InputError, which names the variable."""
        for each in self.variables:
            check_settable(each)
        if len(self.variables) == 1:
            return np.ascontiguousarray(checked_value(self.variables[0], values), dtype=float).reshape(-1)
        given = np.asarray(values)
        if given.shape != (self._n,):
            raise InputError(f"{self._n} numbers are set together, but a value of shape {given.shape} was given: {', '.join(self.names)}.")
        parts, first = [], 0
        for each in self.variables:
            part = given[first : first + each.slot.size].reshape(each.slot.shape)
            parts.append(np.asarray(checked_value(each, part), dtype=float).reshape(-1))
            first += each.slot.size
        return np.concatenate(parts)


def _bounds(bounds: Sequence[tuple[CatalogueVariable, float | None]], default: float) -> np.ndarray:
    """The bound of each number."""
    return np.array([default if bound is None else bound for each, bound in bounds for _ in range(each.slot.size)], dtype=float)


def check_settable(variable: CatalogueVariable) -> None:
    """Raise InputError for a variable that cannot be set during a run."""
    if variable.role not in SETTABLE:
        raise InputError(f"'{variable.name}' cannot be set: it is computed. States, parameters and inputs can be set.")
    if variable.invalidates is not None and variable.invalidates <= Stage.MODEL:
        raise InputError(f"'{variable.name}' cannot be set during a run: it decides which other variables there are. Start a new run.")


def _calls(system: System, state: State, variables: Sequence[CatalogueVariable], at: np.ndarray) -> list[KernelCalls] | None:
    """What computes variables in C; none for those that are known anyway; None if C cannot compute them."""
    if all(each.role in SETTABLE and each.stage <= Stage.MODEL for each in variables):
        return []
    if not can_sample(system, state) or delay_rows(system, state):
        return None
    return calls_for(system, state, variables, at.tolist())


def _reader(
    system: System, variables: Sequence[CatalogueVariable], native: NativeRun, of: RunVariables, present_state: Callable[[], State]
) -> Callable[[], np.ndarray]:
    """A function that returns the values of variables."""
    if of.calls is None:
        return lambda: realized_values(system, present_state(), variables)
    sampled = number_reader(native, of.offsets, of.calls, of.n_copied)
    if not of.calls:
        return sampled

    def read() -> np.ndarray:
        values = sampled()
        return (
            values if np.isfinite(values).all() else realized_values(system, present_state(), variables)
        )  # raises an error that explains it

    return read


def realized_values(system: System, state: State, variables: Sequence[CatalogueVariable]) -> np.ndarray:
    """The values of variables in a State, which is realized, one after the other."""
    for each in variables:
        system.realize(state, max(each.stage, Stage.MODEL) if each.entry is None else each.entry.earliest)
        if each.entry is not None:
            state.cached(each.entry)
    return np.concatenate([state.values[each.slot.slice] for each in variables])
