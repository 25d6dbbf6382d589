"""Constant and Variable: values that are given, not computed."""

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.scalar import Slot, is_recorded
from mobod.system.boundary import check_state
from mobod.system.measures.measure import Measure, Units
from mobod.system.stage import Stage
from mobod.system.state.handles import DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.state import State
from mobod.system.state.values import checked_numbers, read_only
from mobod.system.system import System
from mobod.system.variable import CatalogueVariable


class _Given(Measure):
    """Its value is a discrete variable."""

    def __init__(self, system: System, value: ArrayLike, *, changes: Stage, unit: Units, name: str | None):
        start = checked_numbers(value, np.shape(value), type(self).__name__)
        self._start = read_only(start)
        self._variable: DiscreteVariable | None = None
        self._begin(system, shape=start.shape, stage=changes, unit=unit, name=name)

    @property
    def known_from(self) -> Stage:
        """The stage from which its value can be read."""
        return Stage.MODEL

    @property
    def default_value(self) -> Any:
        """The value in new States."""
        return self._start.copy() if self.shape else float(self._start)

    def set_default_value(self, value: ArrayLike) -> Self:
        """Topological: States made before raise when used. Returns the measure."""
        self._start = read_only(checked_numbers(value, self.shape, self.name).reshape(self.shape))
        self.subsystem.invalidate_topology()
        return self

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._variable = state.allocate_discrete_variable(self.subsystem, f"{self.name}.value", self.default_value, self.stage)

    def slot(self, layout: Layout) -> Slot:
        """Where its value lies."""
        assert self._variable is not None
        return layout.slots[self._variable]


@final
class Constant(_Given):
    """value: a number, or an array of them, which stays."""

    def __init__(self, system: System, value: ArrayLike, *, unit: Units = "1", name: str | None = None):
        super().__init__(system, value, changes=Stage.INSTANCE, unit=unit, name=name)


@final
class Variable(_Given):
    """A value that is set: in a State by `set_value`, in an FMU as a parameter, or as an input if it is chosen as one.

    value        in new States
    invalidates  the stage that is lost when it is set
    """

    def __init__(self, system: System, value: ArrayLike, *, invalidates: Stage = Stage.TIME, unit: Units = "1", name: str | None = None):
        super().__init__(system, value, changes=invalidates, unit=unit, name=name)

    def set_value(self, state: State, value: ArrayLike) -> None:
        """Takes the State back before the stage that it invalidates."""
        check_state(state, self.system)
        assert self._variable is not None
        given = value if is_recorded(value) else checked_numbers(value, self.shape, self.name).reshape(self.shape)
        state.set(self._variable, given)

    def _value_variable(self, layout: Layout) -> CatalogueVariable:
        text = f"value of measure '{self.name}' (Variable)"
        slot = self.slot(layout)
        return CatalogueVariable.parameter(f"{self.name}.value", slot, self.units, text, self.stage, discrete=self._variable)
