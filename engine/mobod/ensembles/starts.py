"""Starts: where the runs of an ensemble begin."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeGuard, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.compilation.source.scales import y_scales
from mobod.errors import InputError, IntegrationError
from mobod.simulate.failure import state_names
from mobod.simulate.quaternions import normalize
from mobod.simulate.run_variables import check_settable
from mobod.system import CatalogueVariable, Stage, State, System
from mobod.system.boundary import check_state
from mobod.system.system import checked_value


@final
class Starts:
    """The variables of n States of one layout.

    base      a State with this layout
    times     (n,) s
    y         (n, ny)  with quaternions of unit length
    discrete  (n, nd)
    objects   the values of `object_variables`, the variables that are no numbers, for each State
    """

    def __init__(self, system: System, states: Sequence[State]):
        """Raises InputError for States of different structures, or with a number that is not finite."""
        base, layout = states[0], states[0].layout
        for number, state in enumerate(states):
            check_state(state, system)
            if state.layout is not layout:
                raise InputError(f"Ensemble: the State of run {number} has another structure than that of run 0.")
        self.system, self.base = system, base
        self.times = np.array([state.time for state in states])
        self.y = np.array([state.values[layout.y.slice] for state in states])
        self.discrete = np.array([state.values[layout.discrete.slice] for state in states])
        self.object_variables = [each for each in base.discrete_variables if each.shape is None]
        self.objects: list[list[object]] = [[state.get(each) for each in self.object_variables] for state in states]
        first = layout.u.offset - layout.y.offset
        self._speeds = slice(first, first + layout.u.size)
        self._scales = y_scales(system, base)[self._speeds]
        self._settable: dict[str, CatalogueVariable] = {}  # by the names with which they were set
        self._check()

    @classmethod
    def varied(cls, system: System, state: State, count: int, values: Mapping[str, ArrayLike]) -> "Starts":
        """The same State `count` times, with values (count, ...) of some variables by their names.

        Raises UnknownNameError; InputError for a computed variable, a wrong shape, and a value that is not finite or out of bounds.
        """
        starts = cls(system, [state])
        starts.times, starts.y, starts.discrete = (np.repeat(each, count, axis=0) for each in (starts.times, starts.y, starts.discrete))
        starts.objects = starts.objects * count
        starts.set(values)
        return starts

    def set(self, values: Mapping[str, ArrayLike]) -> None:
        """Set values (n, ...) of some variables by their names.

        Raises UnknownNameError; InputError for a computed variable, a wrong shape, and a value that is not finite or out of bounds.
        """
        seen: dict[int, str] = {}
        for name, given in values.items():
            if name not in self._settable:
                check_settable(found := self.system.variable(self.base, name))
                self._settable[name] = found
            variable = self._settable[name]
            for offset in variable.slot.offsets if len(values) > 1 else ():
                if offset in seen:
                    raise InputError(f"Ensemble: '{name}' and '{seen[offset]}' set the same number.")
                seen[offset] = name
            self._set(variable, checked_runs(variable, given, len(self)))
        self._check()

    def _set(self, variable: CatalogueVariable, numbers: np.ndarray) -> None:
        layout = self.base.layout
        for part, block in ((layout.y, self.y), (layout.discrete, self.discrete)):
            first = variable.slot.offset - part.offset
            if 0 <= first < part.size:
                block[:, first : first + variable.slot.size] = numbers

    def _check(self) -> None:
        layout = self.base.layout
        fine = np.isfinite(self.y)
        if not fine.all():
            number, entry = (int(each[0]) for each in np.nonzero(~fine))
            name = state_names(self.system, self.base)[entry]
            raise InputError(f"Ensemble: '{name}' of run {number} is {self.y[number, entry]}: not a finite number.")
        for number in range(len(self.y)) if layout.quaternions else ():
            try:
                normalize(layout, self.y[number])
            except IntegrationError as error:
                raise InputError(f"Ensemble: run {number}: {error}") from error

    def __len__(self) -> int:
        return len(self.times)

    def start_speed(self, number: int) -> float:
        """The largest entry of u at the start of a run, relative to its scale."""
        return float((np.abs(self.y[number, self._speeds]) / self._scales).max(initial=0.0))

    def numbers(self, number: int) -> np.ndarray:
        """The numbers of a State, those of the base besides the variables of a run."""
        values = self.base.values.copy()
        self.write(number, values)
        return values

    def write(self, numbers: Any, w: np.ndarray, places: Any = ...) -> None:
        """Write the variables of runs to places of w (..., n_w), which has the other numbers of their starts.

        numbers  of one run, or an index of several: then there is a row for each
        """
        layout = self.base.layout
        w[places, layout.time.offset] = self.times[numbers]
        w[places, layout.y.slice] = self.y[numbers]
        w[places, layout.discrete.slice] = self.discrete[numbers]

    def give(self, number: int, state: State) -> None:
        """Set a State of this layout to that of a run."""
        state.take_numbers(self.numbers(number))
        for variable, value in zip(self.object_variables, self.objects[number], strict=True):
            if variable.invalidates > Stage.MODEL:
                state.set(variable, value)
        state.move_to(float(self.times[number]), self.y[number])

    def replace(self, numbers: np.ndarray, others: "Starts") -> None:
        """Use other starts for some runs."""
        for block, other in (
            (self.times, others.times),
            (self.y, others.y),
            (self.discrete, others.discrete),
        ):
            block[numbers] = other
        for number, each in zip(numbers.tolist(), others.objects, strict=True):
            self.objects[number] = each

    def copy(self) -> "Starts":
        """Independent starts with the same numbers."""
        return self.chosen(np.arange(len(self)))

    def chosen(self, at: np.ndarray) -> "Starts":
        """The starts of some runs."""
        other = object.__new__(Starts)
        other.__dict__.update(self.__dict__)
        other.times, other.y, other.discrete = self.times[at], self.y[at], self.discrete[at]
        other.objects = [self.objects[number] for number in at.tolist()]
        return other

    @cached_property
    def offsets(self) -> np.ndarray:
        """The places in w of the variables, for `take`."""
        layout = self.base.layout
        parts = ([layout.time.offset], *(range(each.offset, each.offset + each.size) for each in (layout.y, layout.discrete)))
        return np.concatenate(parts).astype(np.intc)

    def take(self, numbers: np.ndarray | slice, variables: np.ndarray) -> None:
        """Take the variables (n, offsets) of runs."""
        first = 1 + self.y.shape[1]
        self.times[numbers], self.y[numbers], self.discrete[numbers] = variables[:, 0], variables[:, 1:first], variables[:, first:]

    def state(self, number: int) -> State:
        """The State of a run."""
        state = self.base.copy()
        self.give(number, state)
        return state


def checked_runs(variable: CatalogueVariable, given: ArrayLike, count: int) -> np.ndarray:
    """The values (count, size) of a variable for each run.

    given  a row for each run, or one number for all

    Raises InputError, which names the variable and the run.
    """
    size, shape = variable.slot.size, variable.slot.shape
    if _are_valid(given, variable, count):
        return given.reshape(count, size)
    try:
        numbers = np.array(given, dtype=float)
        if size == 1 and numbers.ndim == 0:
            numbers = np.full(count, float(numbers))
    except (TypeError, ValueError) as error:
        raise InputError(f"Ensemble: '{variable.name}' needs an array of numbers, one for each run.") from error
    if numbers.shape not in {(count, *shape), (count, size)} and not (size == 1 and numbers.shape == (count,)):
        wanted = f"({count},)" if size == 1 else f"({count}, {size})"
        raise InputError(f"Ensemble: '{variable.name}' needs an array of shape {wanted}, a row for each run, not {numbers.shape}.")
    numbers = numbers.reshape(count, size)
    least, most = (-np.inf if variable.minimum is None else variable.minimum), (np.inf if variable.maximum is None else variable.maximum)
    doubtful = ~(np.isfinite(numbers) & (numbers >= least) & (numbers <= most)).all(axis=1)
    if variable.type != "real":
        doubtful[:] = True
    for number in np.flatnonzero(doubtful).tolist():
        try:
            checked_value(variable, numbers[number].reshape(shape))
        except InputError as error:
            raise InputError(f"Ensemble: run {number}: {error}") from error
    return numbers


def _are_valid(given: ArrayLike, variable: CatalogueVariable, count: int) -> TypeGuard[np.ndarray]:
    """Whether the values need no other check; a quick one, for the usual type."""
    slot, least, most = variable.slot, variable.minimum, variable.maximum
    if type(given) is not np.ndarray or given.dtype.char != "d" or given.shape not in ((count, slot.size), (count, *slot.shape)):
        return False
    if variable.type != "real" or not np.isfinite(given).all():
        return False
    return bool((least is None or (given >= least).all()) and (most is None or (given <= most).all()))
