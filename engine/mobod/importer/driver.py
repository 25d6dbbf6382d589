"""InputDriver: sets the inputs of an instance as time passes."""

from typing import final

import numpy as np

from mobod.importer.input_signals import InputSignals
from mobod.importer.input_slopes import InputSlopes
from mobod.importer.instance import FmuInstance
from mobod.importer.kinds import Value


@final
class InputDriver:
    """Sets inputs from signals; without signals it does nothing.

    interpolates  whether the FMU interpolates continuous inputs by slopes, which are set for each step
    """

    def __init__(self, instance: FmuInstance, signals: InputSignals | None) -> None:
        self.interpolates = instance.model.can(instance.interface, "canInterpolateInputs")
        self._signals = signals
        self._continuous = instance.values([each.variable for each in signals.continuous] if signals else [])
        self._slopes = InputSlopes(instance, [each.variable.reference for each in signals.continuous] if signals else [])
        self._held = instance.values([each.variable for each in signals.held] if signals else [])

    def set_continuous(self, time: float, *, before: bool = False) -> None:
        """Set continuous inputs to their values at a time (s), at a jump those after it, or those before it."""
        if self._signals is not None and self._signals.continuous:
            # the FMU's own value has moved with the slope
            self._continuous.set(self._signals.continuous_values(time, before=before), always=self.interpolates)

    def set_held(self, time: float) -> None:
        """Set all other inputs and tunable parameters."""
        if self._signals is not None and self._signals.held:
            self._held.set(self._signals.held_values(time))

    def set_slopes(self, start: float, end: float) -> None:
        """Tell an FMU that interpolates how its continuous inputs change in the step from start to end (s)."""
        if self._signals is not None and self._signals.continuous:
            self._slopes.set(np.array([self._signals.slopes(start, end)]))


def initial_values(signals: InputSignals | None, start: float) -> dict[str, list[Value]]:
    """The values of all signals at the start (s), by name."""
    if signals is None:
        return {}
    continuous = zip(signals.continuous, signals.continuous_values(start), strict=True)
    held = zip(signals.held, signals.held_values(start), strict=True)
    return {each.variable.name: values for each, values in (*continuous, *held)}
