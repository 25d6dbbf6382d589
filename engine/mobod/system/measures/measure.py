"""Measure: a number, or an array of them, that is computed along with a State and that others can read."""

from abc import ABC, abstractmethod
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError
from mobod.scalar import Array, Scalar, Slot
from mobod.system.boundary import check_state, checked_stage, checked_system
from mobod.system.elements import Element, Name, Parameter, argument, parameters_of
from mobod.system.measures.rates import RATE_STAGES, add_rate_calls
from mobod.system.measures.subsystem import MeasureSubsystem
from mobod.system.stage import Stage
from mobod.system.stage_sweeps import stage_sweeps
from mobod.system.state.handles import CacheEntry, DiscreteVariable
from mobod.system.state.layout import Layout
from mobod.system.state.state import State
from mobod.system.state.values import own
from mobod.system.system import System
from mobod.system.variable import CatalogueVariable

Units = str | tuple[str, ...]
NO_STARTS: tuple[float, ...] = ()


class Measure(Element, ABC):
    """Its value is computed with each realization of a State, entry by entry where it is an array; its variable is '<name>.value'.

    system  that it measures; a measure of other measures comes after them
    shape   of its value, () for a number
    stage   that its value changes with
    unit    of its entries, or one for each in C order
    name    default: the class's name in lower case and a number

    Elements that are recorded (CustomForce, measures.Custom) may read it, up to the stage that they may read.
    """

    system: System = argument("that it measures; a measure of other measures comes after them", kw_only=False, is_implied=True)
    name: Name = argument("default: the class's name in lower case and a number", default=None, is_kept=False)

    z_starts = NO_STARTS  # of its auxiliary variables, if it has any

    def _measure(self, *, shape: tuple[int, ...], stage: Stage | str, unit: Units) -> None:
        """For `__post_init__` of subclasses: complete the measure, and add it to its System."""
        self._begin(self.system, shape=shape, stage=stage, unit=unit, name=self.given["name"])

    def _begin(self, system: System, *, shape: tuple[int, ...], stage: Stage | str, unit: Units, name: str | None) -> None:
        """For `__init__` of subclasses: complete the measure, and add it to its System."""
        kind = type(self).__name__
        self.system = checked_system(system, kind, System)
        self.subsystem = MeasureSubsystem.of(system)
        self.name = system.free_name(kind.lower(), len(self.subsystem.measures) + 1) if name is None else name
        stage = checked_stage(stage, f"measure '{self.name}' ({kind})")
        if not Stage.INSTANCE <= stage <= Stage.REPORT:
            raise InputError(f"measure '{self.name}' ({kind}): its stage is one from INSTANCE to REPORT, not {stage.name}.")
        self.shape = tuple(shape)
        self.stage = stage
        self.units = (unit,) if isinstance(unit, str) else tuple(unit)
        if len(self.units) not in (1, int(np.prod(self.shape))):
            raise InputError(f"measure '{self.name}' ({kind}): a value of shape {self.shape} has one unit, or one for each entry.")
        self.parameters = tuple(each.of(self) for each in parameters_of(type(self)).values())
        self._defaults = {each.name: each.checked(self.given[each.name], f"'{self.name}.{each.name}'") for each in self.parameters}
        self._handles: dict[str, DiscreteVariable] = {}
        self._entries: dict[str, CacheEntry] = {}
        self.index = self.subsystem.adopt(self)  # last, so that what was refused is not there

    def _summary(self) -> str:
        units = ", ".join(dict.fromkeys(self.units))
        return f"of System '{self.system.name}', shape {self.shape}, unit {units}, from {self.stage.name} on"

    # its value
    @property
    def known_from(self) -> Stage:
        """The stage from which its value can be read."""
        return self.stage

    @final
    def value(self, state: State) -> Any:
        """In its shape, a float for one number; from `known_from` on."""
        check_state(state, self.system)
        state.require(self.known_from, f"the value of '{self.name}'", self.subsystem.index)
        return own(state.view(self.slot(state.layout)))

    # its numbers that can be tuned
    @final
    def parameter(self, state: State, name: str) -> Any:
        """The value of a parameter in a State; a copy."""
        check_state(state, self.system)
        handle = self._handle(name)
        return own(state.get(handle))

    @final
    def set_parameter(self, state: State, name: str, value: ArrayLike) -> None:
        """Takes the State back before the measure's stage."""
        check_state(state, self.system)
        handle = self._handle(name)
        state.set(handle, self._parameter(name).checked(value, f"'{self.name}.{name}'"))

    @final
    def default_parameter(self, name: str) -> Any:
        """The value of a parameter in a new State."""
        self._parameter(name)
        return own(self._defaults[name])

    @final
    def set_default_parameter(self, name: str, value: ArrayLike) -> None:
        """Topological: States made before raise when used."""
        self._defaults[name] = self._parameter(name).checked(value, f"'{self.name}.{name}'")
        self.subsystem.invalidate_topology()

    # for MeasureSubsystem
    def allocate(self, state: State) -> None:
        """Allocate variables and entries, at TOPOLOGY."""
        for each in self.parameters:
            self._handles[each.name] = state.allocate_discrete_variable(
                self.subsystem, f"{self.name}.{each.name}", own(self._defaults[each.name]), self.stage
            )

    @abstractmethod
    def slot(self, layout: Layout) -> Slot:
        """Where its value lies."""

    def tabulate(self, layout: Layout) -> None:
        """Add the rows that compute its value."""

    def rate(self, layout: Layout) -> Slot:
        """Where d/dt of its value along the motion lies, known at `rate_stage`; for measures made after it, while they are tabulated.

        Raises UnsupportedError where there is none.
        """
        rates = self.subsystem.rates(layout)
        if self.index not in rates:
            sources = stage_sweeps(self.system.realization_order, layout, [])
            sweep = self.subsystem.sweep(layout, self.rate_stage)
            known = self.subsystem.known_rates(layout)
            rates[self.index] = add_rate_calls(sweep, sources, layout, self.slot(layout), self.stage, f"measure '{self.name}'", known)
        return rates[self.index]

    def known_rate(self, layout: Layout) -> Slot | None:
        """Where its rate lies, if that is known with its value."""
        return None

    @property
    def rate_stage(self) -> Stage:
        """The stage that its rate changes with."""
        if self.stage not in RATE_STAGES:
            raise InputError(f"measure '{self.name}': its value is known at {self.stage.name}, so nothing tells its rate.")
        return RATE_STAGES[self.stage]

    def variables(self, layout: Layout) -> list[CatalogueVariable]:
        """Its value, and its parameters."""
        value = self._value_variable(layout)
        return [value, *(self._parameter_variable(layout, each) for each in self.parameters)]

    # for subclasses
    def _value_variable(self, layout: Layout) -> CatalogueVariable:
        text = f"value of measure '{self.name}' ({type(self).__name__})"
        return CatalogueVariable.output(f"{self.name}.value", self.slot(layout), self.stage, self.units, text)

    def _parameter_variable(self, layout: Layout, parameter: Parameter[object]) -> CatalogueVariable:
        handle = self._handles[parameter.name]
        text = f"{parameter.description} of measure '{self.name}' ({type(self).__name__})"
        name, slot = f"{self.name}.{parameter.name}", layout.slots[handle]
        return CatalogueVariable.parameter(name, slot, parameter.units, text, handle.invalidates, discrete=handle)

    def _parameter_slots(self, layout: Layout) -> list[Slot]:
        return [layout.slots[self._handles[name]] for name in self._defaults]

    def _handle(self, name: str) -> DiscreteVariable:
        self._parameter(name)
        return self._handles[name]

    def _parameter(self, name: str) -> Parameter[object]:
        for each in self.parameters:
            if each.name == name:
                return each
        raise InputError(f"measure '{self.name}' ({type(self).__name__}) has no parameter '{name}'. It has: {list(self._defaults)}.")


class ComputedMeasure(Measure):
    """One whose value is computed by rows at its stage."""

    def allocate(self, state: State) -> None:
        """Allocate its variables and computed values, at TOPOLOGY."""
        super().allocate(state)
        self._entries["value"] = state.allocate_cache_entry(
            self.subsystem, f"{self.name}.value", self.stage, shape=self.shape, computed_by=self.stage
        )

    @final
    def slot(self, layout: Layout) -> Slot:
        """Where its value lies."""
        return layout.slots[self._entries["value"]]


def same(value: Array | Scalar) -> Array | Scalar:
    """The row of a value that lies elsewhere too."""
    return value


def spread(value: Array | Scalar, shape: tuple[int, ...]) -> Array | Scalar:
    """A number for each entry; an array as it is."""
    return np.broadcast_to(value, shape) if np.ndim(value) == 0 else value


def checked_operand(operand: object, system: System, what: str) -> Measure:
    """Raises InputError unless it is a measure of the System."""
    if not isinstance(operand, Measure):
        raise InputError(f"{what} takes a measure, not {type(operand).__name__}. measures.Custom makes one of a function of the State.")
    if operand.system is not system:
        raise InputError(f"{what}: measure '{operand.name}' belongs to System '{operand.system.name}', not to '{system.name}'.")
    return operand
