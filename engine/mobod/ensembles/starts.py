"""Starts: where the runs of an ensemble begin."""

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.compilation.scales import y_scales
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
    speeds    (n,)     the largest entry of u, as given, relative to its scale
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
        self._check()

    @classmethod
    def varied(cls, system: System, state: State, count: int, values: Mapping[str, ArrayLike]) -> "Starts":
        """The same State `count` times, with values (count, ...) of some variables by their names.

        Raises UnknownNameError; InputError for a computed variable, a wrong shape, and a value that is not finite or out of bounds.
        """
        starts = cls(system, [state])
        starts.times, starts.y, starts.discrete = (np.repeat(each, count, axis=0) for each in (starts.times, starts.y, starts.discrete))
        starts.objects = starts.objects * count
        seen: dict[int, str] = {}
        for name, given in values.items():
            variable = system.variable(state, name)
            check_settable(variable)
            for offset in variable.slot.offsets:
                if offset in seen:
                    raise InputError(f"Ensemble: '{name}' and '{seen[offset]}' set the same number.")
                seen[offset] = name
            starts._set(variable, checked_runs(variable, given, count))
        starts._check()
        return starts

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
        first = layout.u.offset - layout.y.offset
        speeds = slice(first, first + layout.u.size)
        self.speeds = (np.abs(self.y[:, speeds]) / y_scales(self.system, self.base)[speeds]).max(axis=1, initial=0.0)
        for number in range(len(self.y)) if layout.quaternions else ():
            try:
                normalize(layout, self.y[number])
            except IntegrationError as error:
                raise InputError(f"Ensemble: run {number}: {error}") from error

    def __len__(self) -> int:
        return len(self.times)

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

    def replace(self, numbers: Sequence[int], others: "Starts") -> None:
        """Use other starts for some runs."""
        for block, other in (
            (self.times, others.times),
            (self.y, others.y),
            (self.discrete, others.discrete),
            (self.speeds, others.speeds),
        ):
            block[numbers] = other
        for number, each in zip(numbers, others.objects, strict=True):
            self.objects[number] = each

    def copy(self) -> "Starts":
        """Independent starts with the same numbers."""
        other = copy(self)
        other.times, other.y, other.discrete, other.speeds = (each.copy() for each in (self.times, self.y, self.discrete, self.speeds))
        other.objects = list(self.objects)
        return other

    def chosen(self, numbers: Sequence[int]) -> "Starts":
        """The starts of some runs."""
        other, at = copy(self), np.array(numbers, dtype=int)
        other.times, other.y, other.discrete, other.speeds = (each[at] for each in (self.times, self.y, self.discrete, self.speeds))
        other.objects = [self.objects[number] for number in numbers]
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
