"""The variables of a State, apart from it: what is compared, copied into another System, and serialised."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from mobod.system.equality import same_value
from mobod.system.handles import DiscreteVariable
from mobod.system.stage import Stage

if TYPE_CHECKING:
    from mobod.system.state import State
    from mobod.system.system import System


@final
@dataclass(frozen=True)
class Snapshot:
    """The discrete variables in the order of allocation, the value of each, and [t q u z], None below MODEL."""

    variables: tuple[DiscreteVariable, ...]
    values: tuple[Any, ...]
    t_and_y: np.ndarray | None

    def is_same(self, other: "Snapshot") -> bool:
        return self.variables == other.variables and same_value(self.values, other.values) and same_value(self.t_and_y, other.t_and_y)

    def new_state(self, system: "System") -> "State":
        """A new State of the System with these values of the variables that invalidate MODEL, the others at their defaults."""
        state = system.realize_topology()
        for variable, value in zip(self.variables, self.values, strict=True):
            if variable.invalidates == Stage.MODEL and variable in state.discrete_variables and not same_value(state.get(variable), value):
                state.set(variable, value)
        system.realize_model(state)
        return state
