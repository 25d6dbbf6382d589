"""Values of variables that are drawn at random at the start of an episode."""

from collections.abc import Callable, Mapping, Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError
from mobod.simulate.run_variables import check_settable
from mobod.system import CatalogueVariable, State, System
from mobod.system.system import checked_value

Distribution = tuple[ArrayLike, ArrayLike] | Callable[[np.random.Generator], ArrayLike]
_Draw = Callable[[Sequence[np.random.Generator]], np.ndarray]


@final
class RandomStart:
    """Start values and parameters that are drawn at the start of each episode, in the order in which they are given.

    distributions  name of a state, a parameter or an input -> its bounds (lower, upper), between which all values are equally likely, or a
                   function of a numpy Generator that returns a value

    Raises UnknownNameError; InputError for a variable that is computed or decides the structure, and for bounds that are not valid.
    """

    def __init__(self, name: str, system: System, state: State, distributions: Mapping[str, Distribution]) -> None:
        self._name, self._system = name, system
        self._drawn = [self._checked(system.variable(state, each), given) for each, given in distributions.items()]

    def __bool__(self) -> bool:
        return bool(self._drawn)

    def _checked(self, variable: CatalogueVariable, given: Distribution) -> tuple[str, _Draw]:
        check_settable(variable)
        if callable(given):
            return variable.name, lambda randoms: np.array([checked_value(variable, given(random)) for random in randoms], dtype=float)
        what = f"{self._name}: the bounds of '{variable.name}'"
        try:
            low, high = (np.broadcast_to(real_numbers(each, what), variable.slot.shape) for each in given)
        except (TypeError, ValueError) as error:
            raise InputError(f"{what} must be (lower, upper), or give a function of a Generator, not {given!r}.") from error
        if variable.type != "real" or not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
            raise InputError(f"{what} must be finite, of a real variable, and not decrease, not {given!r}.")
        for end in (low, high):
            checked_value(variable, end)
        size, shape = high - low, low.shape
        return variable.name, lambda randoms: low + size * np.array([random.random(shape) for random in randoms])

    def draw(self, random: np.random.Generator) -> dict[str, np.ndarray]:
        """Name of each variable -> its value, in its shape. Raises InputError for one that is not valid."""
        return {name: values[0] for name, values in self.draw_for([random]).items()}

    def draw_for(self, randoms: Sequence[np.random.Generator]) -> dict[str, np.ndarray]:
        """The same for several episodes: the values have a row for each Generator."""
        return {name: draw(randoms) for name, draw in self._drawn}

    def set(self, state: State, values: Mapping[str, np.ndarray]) -> None:
        """Set the values of `draw` in a State."""
        for name, value in values.items():
            self._system.set_value(state, name, value)
