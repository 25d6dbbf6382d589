"""The variables of a State as plain data, for comparison, copying into another System, and serialisation."""

from collections.abc import Callable, Collection, Iterable, Mapping
from math import prod
from typing import final

import numpy as np

from mobod.system.state.equality import same_value
from mobod.system.state.handles import DiscreteVariable

Values = tuple[object, ...]


@final
class Snapshot:
    """The discrete variables in the order of allocation, their values, and [t q u z], which is None before MODEL."""

    def __init__(self, variables: tuple[DiscreteVariable, ...], values: Values | Callable[[], Values], t_and_y: np.ndarray | None):
        """values: or a function that returns them, which is called on first use"""
        self.variables, self._values, self.t_and_y = variables, values, t_and_y

    @property
    def values(self) -> Values:
        if callable(self._values):
            self._values = self._values()
        return self._values

    def with_values(self, values: Values) -> "Snapshot":
        """The same with other values of the discrete variables."""
        return Snapshot(self.variables, values, self.t_and_y)

    def is_same(self, other: "Snapshot") -> bool:
        return self.variables == other.variables and same_value(self.values, other.values) and same_value(self.t_and_y, other.t_and_y)

    def __reduce__(self) -> tuple[object, ...]:
        return Snapshot, (self.variables, self.values, self.t_and_y)


def values_in_block(
    variables: Iterable[DiscreteVariable],
    block: np.ndarray,
    objects: Mapping[DiscreteVariable, object],
    without: Collection[DiscreteVariable] = (),
) -> Values:
    """The values of discrete variables, whose numbers are stored in this order, as `State.get` returns them; not of those in `without`."""
    numbers, values, at = block.tolist(), [], 0
    for variable in variables:
        size = 0 if variable.shape is None else prod(variable.shape)
        if variable not in without:
            if variable.shape is None:
                values.append(objects[variable])
            elif not variable.shape:
                values.append(bool(numbers[at]) if variable.is_boolean else numbers[at])
            else:
                value = block[at : at + size]
                values.append(value if len(variable.shape) == 1 else value.reshape(variable.shape))
        at += size
    return tuple(values)
