"""Time and Sinusoid: values that depend on time alone."""

from typing import Any, final

import numpy as np

from mobod.scalar.slot import Slot
from mobod.system.layout import Layout
from mobod.system.measures.measure import ComputedMeasure, Measure, MeasureParameter
from mobod.system.stage import Stage
from mobod.system.system import System
from mobod.system.values import checked_numbers


@final
class Time(Measure):
    """s"""

    def __init__(self, system: System, *, name: str | None = None):
        super().__init__(system, shape=(), stage=Stage.TIME, unit="s", name=name)

    @property
    def known_from(self) -> Stage:
        """The stage from which its value can be read."""
        return Stage.MODEL

    def slot(self, layout: Layout) -> Slot:
        """Where its value lies."""
        return layout.time


@final
class Sinusoid(ComputedMeasure):
    """amplitude sin(frequency t + phase); all three can be tuned.

    amplitude  in the unit of the measure
    frequency  rad/s: an angular one
    phase      rad
    """

    def __init__(self, system: System, amplitude: float, frequency: float, phase: float = 0.0, *, unit: str = "1", name: str | None = None):
        parameters = {
            what: MeasureParameter(float(checked_numbers(value, (), f"Sinusoid: {what}")), its_unit, what)
            for what, value, its_unit in (("amplitude", amplitude, unit), ("frequency", frequency, "rad/s"), ("phase", phase, "rad"))
        }
        super().__init__(system, shape=(), stage=Stage.TIME, unit=unit, name=name, parameters=parameters)

    def tabulate(self, layout: Layout) -> None:
        """Write the rows that compute its values, when the layout is known."""
        self.subsystem.sweep(layout, self.stage).add(sinusoid, [layout.time, *self._parameter_slots(layout)], [self.slot(layout)])


def sinusoid(time: Any, amplitude: Any, frequency: Any, phase: Any) -> Any:
    return amplitude * np.sin(frequency * time + phase)
