"""The variables of a State as plain data, for comparison, copying into another System, and serialisation."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.system.equality import same_value
from mobod.system.handles import DiscreteVariable


@final
@dataclass(frozen=True)
class Snapshot:
    """The discrete variables in the order of allocation, their values, and [t q u z], which is None before MODEL."""

    variables: tuple[DiscreteVariable, ...]
    values: tuple[object, ...]
    t_and_y: np.ndarray | None

    def is_same(self, other: "Snapshot") -> bool:
        return self.variables == other.variables and same_value(self.values, other.values) and same_value(self.t_and_y, other.t_and_y)
